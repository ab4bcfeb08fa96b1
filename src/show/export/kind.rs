//! Which files a table may replace.

use std::fs::File;
use std::io;

use super::Format;
#[cfg(feature = "parquet")]
use super::parquet;
use crate::formats::compression::Compression;
use crate::formats::replaceable::{FileKind, start};
use crate::policy::source::SourceKind;

/// The bytes of a file that are looked at: binary data has a NUL among them.
const START: usize = 64 << 10;

/// The files that a table in this format replaces; any text if `force` is set.
pub(crate) fn file_kind(format: Format, force: bool) -> FileKind {
    match (format, force) {
        (Format::Tsv | Format::JsonLines, false) => FileKind { name: "an empty file", is_ours: |_| Ok(false) },
        (Format::Tsv | Format::JsonLines, true) => FileKind { name: "a text file", is_ours: is_text },
        #[cfg(feature = "parquet")]
        (Format::Parquet, false) => FileKind { name: "a Parquet table of `export`", is_ours: parquet::is_marked },
        #[cfg(feature = "parquet")]
        (Format::Parquet, true) => FileKind {
            name: "a Parquet table of `export` or a text file",
            is_ours: |file| Ok(is_text(&mut file.try_clone()?)? || parquet::is_marked(file)?),
        },
    }
}

/// Whether a file is text: neither compressed nor of a kind that only looks like text where it begins, and without NUL.
pub(crate) fn is_text(file: &mut File) -> io::Result<bool> {
    let start = start(file, START)?;
    let is_text_kind = matches!(SourceKind::of_text(&start), SourceKind::RobotsTxt | SourceKind::JsonLines);
    Ok(is_text_kind && Compression::of(&start).is_none() && !start.contains(&0))
}
