//! The kinds of sources.

/// The beginning of a WARC archive.
pub(super) const WARC_MARK: &[u8] = b"WARC/";

/// The kind of a source. It depends neither on the file's name nor on its compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A folder of robots.txt files.
    Folder,
    /// Answers as JSON Lines.
    JsonLines,
    /// A WARC archive.
    Warc,
    /// A Parquet file.
    Parquet,
    /// A policy, which is made from sources and is not one.
    Policy,
    /// Anything else: any bytes are a robots.txt (RFC 9309 2.3.1.5).
    RobotsTxt,
}

impl SourceKind {
    /// Its name, with an article.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Folder => "a folder",
            SourceKind::JsonLines => "a JSON Lines file",
            SourceKind::Warc => "a WARC archive",
            SourceKind::Parquet => "a Parquet file",
            SourceKind::Policy => "a policy file",
            SourceKind::RobotsTxt => "a robots.txt",
        }
    }
}
