//! Recognises a source by its content.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fs::File;
use std::path::Path;

use super::error::SourceError;
use super::kind::{SourceKind, WARC_MARK};
use crate::formats::compression::{Reader, peeked};
use crate::formats::parquet_mark::PARQUET_MARK;
use crate::policy::image::MAGIC;

/// How many bytes of a text are enough to recognise it.
const START: usize = 64 << 10;

impl SourceKind {
    /// The kind of a file or folder.
    ///
    /// # Errors
    ///
    /// [`SourceError::Unreadable`] if it cannot be read.
    pub fn of(path: &Path) -> Result<SourceKind, SourceError> {
        let start = || {
            if std::fs::metadata(path)?.is_dir() {
                return Ok(None);
            }
            let (start, _) = peeked(Reader::new(File::open(path)?)?, START)?;
            Ok(Some(start))
        };
        let start = start().map_err(SourceError::unreadable(path))?;
        Ok(start.map_or(SourceKind::Folder, |start| SourceKind::of_text(&start)))
    }

    /// The kind of a decompressed text, given all of it or its beginning.
    pub fn of_text(text: &[u8]) -> SourceKind {
        match text {
            text if text.starts_with(WARC_MARK) => SourceKind::Warc,
            text if text.starts_with(PARQUET_MARK) => SourceKind::Parquet,
            text if text.starts_with(&MAGIC) => SourceKind::Policy,
            text if is_json_line(text) => SourceKind::JsonLines,
            _ => SourceKind::RobotsTxt,
        }
    }
}

/// Whether the first line is an answer. Servers without a robots.txt may respond with other JSON.
fn is_json_line(text: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Answer {
        url: Option<IgnoredAny>,
        origin: Option<IgnoredAny>,
    }
    let text = text.trim_ascii_start();
    let end = memchr::memchr(b'\n', text);
    let line = &text[..end.unwrap_or(text.len())];
    if !line.starts_with(b"{") {
        return false;
    }
    match serde_json::from_slice(line) {
        Ok(Answer { url, origin }) => url.is_some() || origin.is_some(),
        // A long body may extend beyond the bytes read.
        Err(error) => {
            let has = |key: &[u8]| memchr::memmem::find(line, key).is_some();
            error.is_eof() && end.is_none() && (has(b"\"url\"") || has(b"\"origin\""))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_text_shows_its_kind() {
        let long = format!("{{\"url\": \"http://a/robots.txt\", \"body\": \"{}", "x".repeat(START));
        for (text, kind) in [
            ("", SourceKind::RobotsTxt),
            ("User-agent: *\nDisallow: /", SourceKind::RobotsTxt),
            ("http://a.example/\nhttp://b.example/\n", SourceKind::RobotsTxt),
            ("{\"error\": \"not found\"}", SourceKind::RobotsTxt),
            ("{\n\"url\"", SourceKind::RobotsTxt),
            ("\n {\"origin\": \"http://a\"}\nx", SourceKind::JsonLines),
            (&long, SourceKind::JsonLines),
            ("WARC/1.0\r\n", SourceKind::Warc),
            ("PAR1\0", SourceKind::Parquet),
        ] {
            assert_eq!(SourceKind::of_text(text.as_bytes()), kind, "{:.40}", text);
        }
        assert_eq!(SourceKind::of_text(b"\x89RSV\r\n\x1a\nx"), SourceKind::Policy);
    }
}
