//! Errors in reading sources.

use std::fmt::Display;
use std::io;
use std::path::Path;

use super::kind::SourceKind;
use crate::error::Problem;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::{shortened, shown};

/// The file or directory is missing or cannot be read.
pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> Error + Copy + use<'_> {
    move |error| ErrorKind::File.of(Problem::with_file("read", path)(error).of_window())
}

/// Something in a source is not as it should be.
pub(super) fn wrong(path: &Path, problem: impl Display) -> Error {
    ErrorKind::Source.of(format!("{}: {problem}", shown(path)))
}

/// A file or folder is of a kind that is not read, or not here.
pub(super) fn of_kind(path: &Path, kind: SourceKind, problem: &str) -> Error {
    ErrorKind::Source.of(format!("{} is {}, {problem}", shown(path), kind.name()))
}

/// A file is of a kind that this program was built without.
#[cfg(not(all(feature = "parquet", feature = "warc")))]
pub(super) fn without(path: &Path, kind: SourceKind, feature: &str) -> Error {
    let problem = "but this program was built without support for it";
    of_kind(path, kind, &format!("{problem} (cargo feature `{feature}`)"))
}

/// A file is of a kind that is [not read](SourceKind::is_not_read).
pub(super) fn not_read(path: &Path, kind: SourceKind) -> Error {
    let remedy = match kind {
        SourceKind::Policy => return of_kind(path, kind, "not a source of robots.txt; give it as the policy"),
        SourceKind::Foreign { remedy, .. } => remedy,
        SourceKind::Arc => "make a WARC archive of it: warcio recompress OLD.arc.gz NEW.warc.gz",
        _ => "take the WARC archives out of it: unzip -j FILE 'archive/*'",
    };
    of_kind(path, kind, &format!("which is not read; {remedy}"))
}

/// The error for an answer in memory that is none, with its number.
pub fn no_answer(number: u64, problem: String) -> Error {
    ErrorKind::Source.of(format!("answer {number}: {}", shortened(problem)))
}

/// The message of an error without the name of the source.
pub(super) fn in_source(error: &Error, path: &Path) -> String {
    if let Some(source) = &error.problem().source {
        return source.to_string();
    }
    let message = error.to_string();
    let place = message.strip_prefix(&shown(path).to_string());
    place.unwrap_or(&message).trim_start_matches([',', ':', ' ']).to_owned()
}
