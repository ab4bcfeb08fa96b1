//! Paths in JSON, which holds Unicode only: one that is not UTF-8 is also written as the Base64 of its bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::{Path, PathBuf};

/// The bytes of a path in Base64, if it is not UTF-8. Other systems than Unix have no bytes to write.
pub(crate) fn base64_of(path: &Path) -> Option<String> {
    #[cfg(unix)]
    let bytes = Some(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
    #[cfg(not(unix))]
    let bytes: Option<&[u8]> = None;
    bytes.filter(|_| path.to_str().is_none()).map(|bytes| STANDARD.encode(bytes))
}

/// The path that was written as `text`, and as `base64` if it is not UTF-8; `None` if there is no such path.
pub(crate) fn read(text: &str, base64: Option<&str>) -> Option<PathBuf> {
    match base64 {
        None => Some(PathBuf::from(text)),
        Some(base64) => of_bytes(STANDARD.decode(base64).ok()?),
    }
}

#[cfg(unix)]
fn of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    let name: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    Some(name.into())
}

#[cfg(not(unix))]
fn of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_its_own_name() {
        for text in ["", "a/b", "\u{fffd}"] {
            assert_eq!(base64_of(Path::new(text)), None);
            assert_eq!(read(text, None), Some(PathBuf::from(text)));
        }
        assert_eq!(read("a", Some("?")), None);
    }

    #[cfg(unix)]
    #[test]
    fn other_bytes_are_read_back() {
        let path = of_bytes(b"a\xff/\xc3\n".to_vec()).unwrap();
        let base64 = base64_of(&path);
        assert_eq!(base64.as_deref(), Some("Yf8vwwo="));
        assert_eq!(read(&path.display().to_string(), base64.as_deref()), Some(path));
    }
}
