//! An open source: a file, a pipe or standard input. A pipe can be read only once, so the bytes that were read to
//! detect its kind are stored and read again.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use super::intake::Intake;
use super::kind::{START, SourceKind};
use crate::error::policy::Error;
use crate::formats::compression::{Compression, DEFAULT_WINDOW, Reader, is_damage, peeked};
use crate::formats::error::Malformed;
use crate::formats::{STANDARD_INPUT, is_standard_input};

/// A source that is no folder, from its first byte.
pub struct OpenSource {
    pub path: PathBuf,
    pub bytes: Box<dyn Read + Send>,
}

/// The first bytes of a source.
#[derive(Default)]
pub struct Start {
    /// The decompressed text, up to damage.
    pub text: Vec<u8>,
    pub compression: Option<Compression>,
    /// Whether there is damage among them.
    pub damage: bool,
}

/// Whether the source at a path is a file, which can be read again.
pub fn is_file(path: &Path) -> bool {
    !is_standard_input(path) && path.is_file()
}

/// Whether the source at a path is a folder.
///
/// # Errors
///
/// If there is none.
pub fn is_folder(path: &Path) -> io::Result<bool> {
    Ok(!is_standard_input(path) && std::fs::metadata(path)?.is_dir())
}

/// A reader that stores what it reads.
struct Kept<R> {
    bytes: Vec<u8>,
    rest: R,
}

impl<R: Read> Read for Kept<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.rest.read(bytes)?;
        self.bytes.extend_from_slice(&bytes[..length]);
        Ok(length)
    }
}

impl OpenSource {
    /// Opens the source at a path; [`STANDARD_INPUT`] is standard input.
    pub fn open(path: &Path) -> io::Result<OpenSource> {
        let bytes: Box<dyn Read + Send> = match path.as_os_str() == STANDARD_INPUT {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path)?),
        };
        Ok(OpenSource { path: path.to_owned(), bytes })
    }

    /// The first bytes of its text, at most `most`. Later reads still begin at the first byte.
    pub fn start(&mut self, most: usize, memory: u64) -> io::Result<Start> {
        let mut kept = Kept { bytes: Vec::new(), rest: std::mem::replace(&mut self.bytes, Box::new(io::empty())) };
        let mut start = Start::default();
        let read = Reader::within(&mut kept, memory).and_then(|mut reader| {
            start.compression = reader.compression();
            reader.by_ref().take(most as u64).read_to_end(&mut start.text)
        });
        self.bytes = Box::new(Cursor::new(kept.bytes).chain(kept.rest));
        match read {
            Err(error) if !is_damage(&error) => Err(error),
            read => Ok(Start { damage: read.is_err(), ..start }),
        }
    }
}

impl SourceKind {
    /// The kind of a file or folder.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn of(path: &Path) -> io::Result<SourceKind> {
        if std::fs::metadata(path)?.is_dir() {
            return Ok(SourceKind::Folder);
        }
        let (start, _) = peeked(Reader::new(File::open(path)?)?, START)?;
        Ok(SourceKind::of_text(&start))
    }
}

impl Intake<'_> {
    /// The memory for the decompressor of a file, in bytes.
    pub fn decompressor(&self) -> u64 {
        DEFAULT_WINDOW.min(self.captures.memory / 8)
    }
}

/// Whether a source is damaged, so that some of it may have been read.
pub(super) fn is_of_damage(error: &Error) -> bool {
    let problem = error.problem();
    problem.cause::<Malformed>().is_some() || problem.source.as_ref().is_some_and(is_damage)
}
