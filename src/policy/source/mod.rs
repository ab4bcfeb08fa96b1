//! Where robots.txt files come from.
//!
//! A source is a directory (one file for each host or origin), a single robots.txt for an origin named beside it, or a
//! file of answers: JSON Lines, a WARC archive or Parquet. Any file may be compressed ([`crate::compression`]); what it
//! holds is known by how its text begins, and its name does not matter. Each source yields [`Capture`]s into
//! [`Captures`].

mod directory;
mod intake;
mod json_lines;
#[cfg(feature = "parquet")]
mod parquet;
mod warc;

use std::fs::File;
use std::io::{self, BufRead, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Answered, Capture, Captures, WriteError};
use crate::compression::{Reader, peeked};
use crate::origin::{self, InvalidUrl};
use intake::Intake;

#[cfg(feature = "parquet")]
pub use parquet::{ParquetColumns, ParquetColumnsError};
pub use warc::{RecordProblem, WarcCounts};

/// A source that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file or directory that is missing, or cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said, or how its compressed data is damaged.
        error: io::Error,
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
        /// Where the line begins, in octets from the start of the text, which is the file's where it is not compressed.
        offset: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// More than a policy can hold.
    #[error(transparent)]
    Captures(#[from] WriteError),
    /// A record of a WARC archive that is malformed.
    #[error("{}, record {record} (byte {offset}): {problem}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The record, counted from 1.
        record: u64,
        /// Where the record begins, in octets from the start of the archive, which is the file's where it is not
        /// compressed.
        offset: u64,
        /// What is wrong with it.
        problem: RecordProblem,
    },
    /// A Parquet file that cannot be read as answers.
    #[error("{}: {problem}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A row of a Parquet file that is no answer.
    #[error("{}, row {row}: {problem}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The row, counted from 1.
        row: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// An origin, given beside a file, that is none.
    #[error("{given:?} is no origin, such as https://example.com or http://example.com:8080: {reason}")]
    Origin {
        /// What was given.
        given: String,
        /// Why it is none.
        reason: InvalidUrl,
    },
}

impl SourceError {
    fn unreadable(path: &Path) -> impl Fn(io::Error) -> SourceError + use<'_> {
        |error| SourceError::Unreadable { path: path.to_owned(), error }
    }
}

/// What has to be known of sources besides where they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The columns of Parquet files.
    #[cfg(feature = "parquet")]
    pub columns: ParquetColumns,
}

/// Adds all captures of all sources: directories, and files of answers, in any order.
///
/// All sources are given at once, because a redirect of one may lead to a page in another, and an archive is read again
/// for such pages.
///
/// # Errors
///
/// [`SourceError`] where one cannot be read, is empty, or a part of it is malformed.
pub fn add(sources: &[impl AsRef<Path>], options: &Options, captures: &mut Captures) -> Result<(), SourceError> {
    let mut intake = Intake::new(captures);
    let mut archives = warc::Archives::default();
    for path in sources {
        let path = path.as_ref();
        if std::fs::metadata(path).map_err(SourceError::unreadable(path))?.is_dir() {
            directory::add(path, &mut intake)?;
        } else {
            add_file(path, options, &mut archives, &mut intake)?;
        }
        intake.check()?;
    }
    archives.finish(&mut intake)?;
    intake.flush();
    Ok(intake.check()?)
}

fn add_file(
    path: &Path,
    options: &Options,
    archives: &mut warc::Archives,
    intake: &mut Intake<'_>,
) -> Result<(), SourceError> {
    let memory = intake.decompressor(1);
    let open = || Reader::within(File::open(path)?, memory);
    let reader = open().map_err(SourceError::unreadable(path))?;
    let is_stored_as_read = reader.compression().is_none();
    let (start, mut text) = peeked(reader, warc::START.len()).map_err(SourceError::unreadable(path))?;
    if start == warc::START {
        archives.add(warc::Archive::new(path, text, memory)?, intake)
    } else if start.starts_with(PARQUET_START) {
        add_parquet(path, is_stored_as_read, &mut text, options, intake)
    } else {
        json_lines::add(path, text, intake)
    }
}

/// How a Parquet file begins.
const PARQUET_START: &[u8] = b"PAR1";

#[cfg(feature = "parquet")]
fn add_parquet(
    path: &Path,
    is_stored_as_read: bool,
    text: &mut impl BufRead,
    options: &Options,
    intake: &mut Intake<'_>,
) -> Result<(), SourceError> {
    parquet::add(path, seekable(path, is_stored_as_read, text)?, &options.columns, intake)
}

#[cfg(not(feature = "parquet"))]
fn add_parquet(
    path: &Path,
    _is_stored_as_read: bool,
    _text: &mut impl BufRead,
    _options: &Options,
    _intake: &mut Intake<'_>,
) -> Result<(), SourceError> {
    let problem = "it is a Parquet file, which this program was built without (cargo feature `parquet`)".to_owned();
    Err(SourceError::Parquet { path: path.to_owned(), problem })
}

/// Adds a single robots.txt, that of `origin`.
///
/// # Errors
///
/// [`SourceError`] where it cannot be read, or `origin` is none.
pub fn add_single(path: &Path, origin: &str, captures: &mut Captures) -> Result<(), SourceError> {
    let canonical = bare_origin(origin).map_err(|reason| SourceError::Origin { given: origin.to_owned(), reason })?;
    let mut intake = Intake::new(captures);
    let robots = Robots::open(path, intake.body_limit(), intake.decompressor(1))?;
    intake.add([robots.of(canonical, true)]);
    intake.flush();
    Ok(intake.check()?)
}

/// The text of a file that is one robots.txt.
struct Robots {
    body: Arc<[u8]>,
    was_compressed: bool,
}

impl Robots {
    /// Reads so many octets of a file, whose decompressor may take so much memory; nobody reads on.
    fn open(path: &Path, limit: usize, memory: u64) -> Result<Robots, SourceError> {
        let read = || {
            let reader = Reader::within(File::open(path)?, memory)?;
            let was_compressed = reader.compression().is_some();
            let mut body = Vec::new();
            reader.take(limit as u64).read_to_end(&mut body)?;
            Ok(Robots { body: body.into(), was_compressed })
        };
        read().map_err(SourceError::unreadable(path))
    }

    /// The robots.txt of an origin, of which nothing is known but the body.
    fn of(&self, origin: String, exact: bool) -> Capture {
        Capture {
            url: origin::robots_url(&origin),
            origin: Some(origin),
            exact,
            answered: Answered { status: Some(200), ..Answered::default() },
            location: None,
            body: Some(Arc::clone(&self.body)),
        }
    }
}

/// An origin and nothing else, in canonical form; a `/` behind it does no harm.
pub(super) fn bare_origin(text: &str) -> Result<String, InvalidUrl> {
    let line = origin::trimmed(text.as_bytes());
    let (canonical, at) = origin::canonical(line)?;
    if matches!(&line[at..], [] | b"/") { Ok(canonical) } else { Err(InvalidUrl::Host) }
}

/// A URL that was asked for, in canonical form, and its origin if it is a robots.txt; an error says what is wrong.
fn page(url: &str) -> Result<(String, Option<String>), String> {
    let (origin, at) =
        origin::canonical(origin::trimmed(url.as_bytes())).map_err(|reason| format!("{url:?}: {reason}"))?;
    let mut canonical = url::Url::parse(url).map_err(|error| format!("{url:?}: {error}"))?;
    canonical.set_fragment(None);
    let path = origin::path(&origin::trimmed(url.as_bytes())[at..]);
    let is_robots_txt = *path == *b"/robots.txt";
    // User info is no part of the origin; its robots.txt is the one that everybody else sees.
    let robots_url = origin::robots_url(&origin);
    let url = match is_robots_txt {
        true => robots_url,
        // Dot segments may lead to the robots.txt, but whoever wrote them asked for something else.
        false if canonical.as_str() == robots_url => url.to_owned(),
        false => canonical.into(),
    };
    Ok((url, is_robots_txt.then_some(origin)))
}

/// A file that can be read from any place: the one at `path` if it holds the text as it is, else a copy of the text.
fn seekable(path: &Path, is_stored_as_read: bool, text: &mut impl BufRead) -> Result<File, SourceError> {
    let mut open = || {
        if is_stored_as_read && std::fs::metadata(path)?.is_file() {
            return File::open(path);
        }
        let mut copy = tempfile::tempfile()?;
        io::copy(text, &mut copy)?;
        copy.rewind()?;
        Ok(copy)
    };
    open().map_err(SourceError::unreadable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_urls_are_no_robots_txt() {
        for url in ["http://a.example/Robots.txt", "http://a.example/x/robots.txt", "http://a.example/robots.txt?x"] {
            assert_eq!(page(url), Ok((url.to_owned(), None)));
        }
        let robots_txt = ("https://a.example/robots.txt".to_owned(), Some("https://a.example".to_owned()));
        assert_eq!(page("HTTPS://u@A.example:443/robots.txt#x"), Ok(robots_txt));
        assert_eq!(page("http://a.example/x/../robots.txt").unwrap().0, "http://a.example/x/../robots.txt");
    }
}
