//! Regular files, and how a change to one is detected.

use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use crate::formats::compression::{Compression, Pieces, Reader};
use crate::formats::seekable::FileAt;
use crate::input::error::{ListError, unreadable};

/// The path that means standard input.
pub const STANDARD_INPUT: &str = "-";

/// The size and time of a file, to detect changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileState {
    /// Its length in bytes.
    pub length: u64,
    /// When it was last modified; absent if the system does not say.
    #[serde(with = "crate::formats::time::system")]
    pub modified: Option<SystemTime>,
}

impl FileState {
    fn from(metadata: &Metadata) -> FileState {
        FileState { length: metadata.len(), modified: metadata.modified().ok() }
    }

    pub(super) fn of(file: &File) -> io::Result<FileState> {
        file.metadata().map(|metadata| FileState::from(&metadata))
    }

    /// The state of the file at a path, of length 0 if there is none; `None` for anything but a regular file.
    pub(super) fn at(path: &Path) -> Option<FileState> {
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Some(FileState::from(&metadata)),
            Err(_) if path.as_os_str() != STANDARD_INPUT => Some(FileState { length: 0, modified: None }),
            _ => None,
        }
    }
}

/// A regular file that can be read again and checked for changes.
pub(crate) struct Regular {
    file: Reopened,
    pub state: FileState,
    /// Memory for its decompressor.
    pub memory: u64,
    /// Whether it is a copy, which other runs cannot read.
    pub is_copy: bool,
}

/// A file that stays open, or is opened again when it is needed: a process may have fewer files open than a job has lists.
enum Reopened {
    Open(Arc<File>),
    At(PathBuf),
}

/// How many lists stay open. Systems let a process have 256 files or more.
const STAY_OPEN: usize = 100;

impl Regular {
    /// The file at a path, which was opened there; the list with this number in its job.
    pub fn new(file: File, path: &Path, number: usize, memory: u64) -> io::Result<Regular> {
        let state = FileState::of(&file)?;
        let file = if number < STAY_OPEN { Reopened::Open(Arc::new(file)) } else { Reopened::At(path.to_owned()) };
        Ok(Regular { file, state, memory, is_copy: false })
    }

    /// An unnamed file with a copy of a text.
    pub fn copy_of(mut text: impl Read) -> io::Result<Regular> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut text, &mut file)?;
        let state = FileState::of(&file)?;
        Ok(Regular { file: Reopened::Open(Arc::new(file)), state, memory: u64::MAX, is_copy: true })
    }

    /// The file itself. One that was opened again may be another that got its name; what is read is then not what
    /// [`unchanged`](Regular::unchanged) accepts.
    pub fn open(&self) -> io::Result<Arc<File>> {
        match &self.file {
            Reopened::Open(file) => Ok(Arc::clone(file)),
            Reopened::At(path) => File::open(path).map(Arc::new),
        }
    }

    /// Checks that the file has not changed since it was opened first; `path` is for the error.
    pub fn unchanged(&self, path: &Path) -> Result<(), ListError> {
        let now = self.open().and_then(|file| FileState::of(&file)).map_err(|error| unreadable(path, error))?;
        if now.length < self.state.length {
            return Err(ListError::Cut { path: path.to_owned(), at: now.length, had: self.state.length });
        }
        if now == self.state { Ok(()) } else { Err(ListError::Changed { path: path.to_owned() }) }
    }

    /// Its decompressed text from the start; the bytes taken from the file are added to `source`.
    pub fn text<'f>(&self, source: &'f AtomicU64) -> io::Result<Reader<CountedFile<'f>>> {
        self.text_within(source, self.memory)
    }

    /// Its decompressed text, with at most `memory` bytes for the decompressor.
    pub fn text_within<'f>(&self, source: &'f AtomicU64, memory: u64) -> io::Result<Reader<CountedFile<'f>>> {
        Reader::within(self.counted(0, source)?, memory.min(self.memory))
    }

    /// A part of the file as stored; the bytes taken from it are added to `source`.
    pub fn part<'f>(&self, start: u64, end: u64, source: &'f AtomicU64) -> io::Result<impl Read + use<'f>> {
        Ok(self.counted(start, source)?.take(end.saturating_sub(start)))
    }

    fn counted<'f>(&self, at: u64, source: &'f AtomicU64) -> io::Result<CountedFile<'f>> {
        Ok(CountedFile { text: self.at_start()?.from(at), source })
    }

    /// The pieces of its text, each with at most `memory` bytes for a decompressor and together with `room` bytes.
    pub fn pieces(&self, compression: Compression, memory: u64, room: u64) -> io::Result<Option<Pieces<Arc<File>>>> {
        Pieces::new(self.at_start()?, compression, memory.min(self.memory), room)
    }

    fn at_start(&self) -> io::Result<FileAt<Arc<File>>> {
        Ok(FileAt::new(self.open()?, self.state.length))
    }
}

/// A file whose bytes are counted as they are read.
pub(crate) struct CountedFile<'f> {
    text: FileAt<Arc<File>>,
    source: &'f AtomicU64,
}

impl Read for CountedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.text.read(buffer)?;
        self.source.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
