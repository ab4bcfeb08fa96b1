//! The kinds of sources.

/// A kind of source. Its name does not matter, nor whether it is compressed.
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
    /// A policy, which is made of sources and is none.
    Policy,
    /// Anything else: any bytes are a robots.txt (RFC 9309 2.3.1.5).
    RobotsTxt,
}

impl SourceKind {
    /// Its name, with the article.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Folder => "a folder",
            SourceKind::JsonLines => "a file of JSON Lines",
            SourceKind::Warc => "a WARC archive",
            SourceKind::Parquet => "a Parquet file",
            SourceKind::Policy => "a policy file",
            SourceKind::RobotsTxt => "a robots.txt",
        }
    }
}
