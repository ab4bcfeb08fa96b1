//! The kinds of sources, recognised by their content.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::fields::FieldNames;
use super::form::TextForm;
use crate::formats::marks::{FileClass, FileMark, MARKED};

/// How many bytes of a text are enough to recognise a policy, an archive or a table by its mark.
pub(super) const MARK: usize = MARKED;

/// How many bytes of a text are enough to recognise it.
pub(super) const START: usize = 64 << 10;

/// The kind of a source. It depends neither on the file's name nor on its compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// A folder of robots.txt files.
    Folder,
    /// Answers as JSON Lines.
    JsonLines,
    /// A WARC archive.
    Warc,
    /// An ARC archive, which is not read.
    Arc,
    /// A zip file, as WACZ archives are, which is not read.
    Zip,
    /// A Parquet file.
    Parquet,
    /// A policy, which is made from sources and is not one.
    Policy,
    /// A file of a known format that cannot contain a robots.txt, such as a database or an image.
    Foreign {
        /// Its name, with an article.
        name: &'static str,
        /// What to do with it.
        remedy: &'static str,
    },
    /// Anything else: any bytes are a robots.txt (RFC 9309 2.3.1.5).
    RobotsTxt,
}

impl SourceKind {
    /// The kind of a file that was named as a source or as a robots.txt, given the beginning of its decompressed text;
    /// an error with its form if it is not a source and clearly not a robots.txt. If `names` renames fields, any JSON
    /// object may be an answer.
    pub(crate) fn of_file(start: &[u8], names: &FieldNames) -> Result<SourceKind, TextForm> {
        match SourceKind::of_text(start) {
            SourceKind::RobotsTxt => match TextForm::of(start) {
                None => Ok(SourceKind::RobotsTxt),
                Some(TextForm::JsonLines) if *names != FieldNames::default() => Ok(SourceKind::JsonLines),
                Some(form) => Err(form),
            },
            kind => Ok(kind),
        }
    }

    /// The kind of a decompressed text, given all of it or its beginning.
    pub fn of_text(text: &[u8]) -> SourceKind {
        let Some(mark) = FileMark::of(text) else {
            return if is_json_line(text) { SourceKind::JsonLines } else { SourceKind::RobotsTxt };
        };
        let foreign = |remedy| SourceKind::Foreign { name: mark.name, remedy };
        match mark.class {
            FileClass::Policy => SourceKind::Policy,
            FileClass::Parquet => SourceKind::Parquet,
            FileClass::Warc => SourceKind::Warc,
            FileClass::Arc => SourceKind::Arc,
            FileClass::Zip => SourceKind::Zip,
            FileClass::Archive => foreign("unpack it, and give its folder"),
            FileClass::Table => foreign("write its answers as JSON Lines or Parquet"),
            FileClass::Media => foreign("no robots.txt begins so"),
            FileClass::Seen | FileClass::Compressed | FileClass::Encrypted => foreign(mark.remedy()),
        }
    }

    /// Whether files of this kind are never read.
    pub(crate) fn is_not_read(self) -> bool {
        matches!(self, SourceKind::Policy | SourceKind::Arc | SourceKind::Zip | SourceKind::Foreign { .. })
    }

    /// Its name, with an article.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Folder => "a folder",
            SourceKind::JsonLines => "a JSON Lines file",
            SourceKind::Warc => "a WARC archive",
            SourceKind::Arc => "an ARC archive",
            SourceKind::Zip => "a zip file, as WACZ archives are",
            SourceKind::Parquet => "a Parquet file",
            SourceKind::Policy => "a policy file",
            SourceKind::Foreign { name, .. } => name,
            SourceKind::RobotsTxt => "a robots.txt",
        }
    }
}

/// Whether the first line is an answer. Servers without a robots.txt may respond with other JSON.
fn is_json_line(text: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct AnswerKeys {
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
        Ok(AnswerKeys { url, origin }) => url.is_some() || origin.is_some(),
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
            ("filedesc://IAH-1.arc 0.0.0.0 20110310233243 text/plain 76\n", SourceKind::Arc),
            ("filedesc:", SourceKind::RobotsTxt),
            ("PK\x03\x04\x14", SourceKind::Zip),
        ] {
            assert_eq!(SourceKind::of_text(text.as_bytes()), kind, "{:.40}", text);
        }
        assert!(SourceKind::of_text(b"SQLite format 3\0").is_not_read());
        assert_eq!(SourceKind::of_text(b"\x89RSV\r\n\x1a\nx"), SourceKind::Policy);
    }
}
