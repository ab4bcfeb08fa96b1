//! Small texts that operators write: overrides, names of crawlers, statuses, names of lists.
//!
//! All are read alike: decompressed, whatever their names, up to a limit, without a byte order mark; and what is no text is
//! refused by its name.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::compression::{DEFAULT_WINDOW, Reader, read_within};
use super::marks::FileMark;

/// The byte order mark, which is not part of a text.
const ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The text of a file, of at most `longest` bytes.
pub(crate) fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    of(File::open(path)?, longest)
}

/// The text that is read from a file, a pipe or a device.
pub(crate) fn of(file: impl Read + Send, longest: u64) -> io::Result<Vec<u8>> {
    let mut text = read_within(Reader::within(file, DEFAULT_WINDOW)?, longest, "it")?;
    let no_text = |problem: String| Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    if let Some(mark) = FileMark::of(&text) {
        return no_text(format!("it is {}, not a text; {}", mark.name, mark.remedy()));
    }
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        return no_text("it is UTF-16; convert it to UTF-8".to_owned());
    }
    if text.starts_with(ORDER_MARK) {
        text.drain(..ORDER_MARK.len());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_whatever_is_around_it() {
        let packed = zstd::encode_all(&b"\xef\xbb\xbfa\n"[..], 1).unwrap();
        for file in [&b"a\n"[..], b"\xef\xbb\xbfa\n", &packed] {
            assert_eq!(of(file, 5).unwrap(), b"a\n");
        }
        for (file, words) in [
            (&b"SQLite format 3\0"[..], "it is a SQLite database, not a text; write what is in it as text"),
            (b"\xff\xfea\0", "it is UTF-16; convert it to UTF-8"),
            (&[b'a'; 99], "it is longer than 98 bytes"),
        ] {
            assert_eq!(of(file, 98).unwrap_err().to_string(), words);
        }
    }
}
