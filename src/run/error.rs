//! Errors of runs that come from several places.

use std::io;
use std::path::Path;

use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::error::in_words;
use crate::formats::shown;
use crate::judge::same_url::SameUrl;

/// The run was asked to stop.
pub(super) fn interrupted() -> Error {
    ErrorKind::Interrupted.of("interrupted")
}

/// The checksums of the lines read and the lines written differ.
pub(super) fn unbalanced() -> Error {
    let message =
        "the lines written are not those read: their checksums differ; this is a bug in robosieve, please report it";
    ErrorKind::Output.of(message).about(About::Untrusted)
}

/// There is no disk space in this folder for the URLs that were seen, so many bytes.
pub(super) fn no_space(folder: &Path, bytes: u64, error: &io::Error) -> Error {
    let (folder, error) = (shown(folder), in_words(error));
    let message = format!("cannot reserve {bytes} bytes in {folder} for the URLs seen so far: {error}");
    ErrorKind::System.of(message).about(About::Space)
}

/// A checkpoint or receipt cannot be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Error {
    let (path, error) = (shown(path), in_words(error));
    let message = format!("cannot read {path}: {error}; start the run again from the beginning");
    ErrorKind::Receipt.of(message).about(About::NotResumable)
}

/// A file of seen URLs is another file, or damaged; the problem is the rest of a sentence.
pub(super) fn not_seen(path: &Path, problem: &str) -> Error {
    ErrorKind::Seen.of(format!("{} {problem}", shown(path)))
}

/// URLs are the same in a file of seen URLs for another reason.
pub(super) fn other_key(path: &Path, found: SameUrl, wanted: SameUrl) -> Error {
    let problem =
        format!("URLs are the same by {found}, not by {wanted}; files of different keys cannot be used together");
    ErrorKind::Seen.of(format!("in {} {problem}", shown(path)))
}
