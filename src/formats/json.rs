//! JSON that can be shown on a terminal. The standard wants escapes for C0 only; other characters that a terminal obeys are
//! written as `\u....`, too, which every reader turns back into the same text.
//!
//! JSON holds Unicode only: a path that is not UTF-8 is also written as the Base64 of its bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::visible::is_obeyed;

/// A value on one line.
pub(crate) fn to_string(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(escaped)
}

/// A value over several lines, indented.
pub(crate) fn to_string_pretty(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(escaped)
}

/// Escapes the text of a JSON value. C0 is escaped already, except the line feeds between its parts.
fn escaped(text: String) -> String {
    let is_escaped = |character: char| character > ' ' && is_obeyed(character);
    if text.bytes().all(|byte| byte < 0x7f) || !text.contains(is_escaped) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_escaped(character) {
            // All of them have four digits. Writing to a string cannot fail.
            true => drop(write!(out, "\\u{:04x}", u32::from(character))),
            false => out.push(character),
        }
    }
    out
}

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
        Some(base64) => path_of(STANDARD.decode(base64).ok()?),
    }
}

/// The path with this name; `None` if it is not UTF-8 on a system where paths are.
#[cfg(unix)]
pub(crate) fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    let name: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    Some(name.into())
}

#[cfg(not(unix))]
pub(crate) fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed_and_nothing_is_lost() {
        let all: String = (0..0x3000).filter_map(char::from_u32).collect();
        for text in [to_string(&all).unwrap(), to_string_pretty(&[&all]).unwrap()] {
            assert!(!text.contains(|character| character != '\n' && is_obeyed(character)));
            assert!(text.contains("\\u009b") && text.contains("\\u202e") && text.contains("\\u007f"));
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read.as_str().or(read[0].as_str()), Some(&*all));
        }
    }

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
        let path = path_of(b"a\xff/\xc3\n".to_vec()).unwrap();
        let base64 = base64_of(&path);
        assert_eq!(base64.as_deref(), Some("Yf8vwwo="));
        assert_eq!(read(&path.display().to_string(), base64.as_deref()), Some(path));
    }
}
