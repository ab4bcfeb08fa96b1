//! Where robots.txt files come from.
//!
//! A source is a directory (one file for each host or origin), a single robots.txt for an origin named beside it, or
//! JSON Lines. Each yields [`Capture`]s into [`Captures`].

mod directory;
mod json_lines;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Answered, Capture, Captures, WriteError};
use crate::origin::{self, InvalidUrl};

/// A source that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file or directory that is missing, or cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A source without a single robots.txt.
    #[error("{} holds no robots.txt: {hint}", path.display())]
    Empty {
        /// The source.
        path: PathBuf,
        /// What a source of this kind needs.
        hint: &'static str,
    },
    /// A line of JSON Lines that is none.
    #[error("{}, line {line} (byte {offset}): {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Where the line begins, in octets from the start of the file.
        offset: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// More than a policy can hold.
    #[error(transparent)]
    Captures(#[from] WriteError),
    /// An origin, given beside a file, that is none.
    #[error("{given:?} is no origin, such as https://example.com or http://example.com:8080: {reason}")]
    Origin {
        /// What was given.
        given: String,
        /// Why it is none.
        reason: InvalidUrl,
    },
}

/// Adds all captures of the source at `path`: a directory, or a file of JSON Lines.
///
/// # Errors
///
/// [`SourceError`] where it cannot be read, is empty, or a line of it is malformed.
pub fn add(path: &Path, captures: &mut Captures) -> Result<(), SourceError> {
    let unreadable = |error| SourceError::Unreadable { path: path.to_owned(), error };
    if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        directory::add(path, captures)
    } else {
        json_lines::add(path, captures)
    }
}

/// Adds a single robots.txt, that of `origin`.
///
/// # Errors
///
/// [`SourceError`] where it cannot be read, or `origin` is none.
pub fn add_single(path: &Path, origin: &str, captures: &mut Captures) -> Result<(), SourceError> {
    let canonical = bare_origin(origin).map_err(|reason| SourceError::Origin { given: origin.to_owned(), reason })?;
    let body = std::fs::read(path).map_err(|error| SourceError::Unreadable { path: path.to_owned(), error })?;
    Ok(captures.add(vec![fetched(canonical, true, body.into())])?)
}

/// A robots.txt of which nothing is known but its body.
fn fetched(origin: String, exact: bool, body: Arc<[u8]>) -> Capture {
    Capture {
        url: origin::robots_url(&origin),
        origin: Some(origin),
        exact,
        answered: Answered { status: Some(200), ..Answered::default() },
        location: None,
        body: Some(body),
    }
}

/// An origin and nothing else, in canonical form; a `/` behind it does no harm.
pub(super) fn bare_origin(text: &str) -> Result<String, InvalidUrl> {
    let line = origin::trimmed(text.as_bytes());
    let (canonical, at) = origin::canonical(line)?;
    if matches!(&line[at..], [] | b"/") { Ok(canonical) } else { Err(InvalidUrl::Host) }
}
