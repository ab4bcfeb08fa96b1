//! Regular files, and what tells that one is not what it was.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::STANDARD_INPUT;
use super::beginning::unreadable;
use super::mapped::Mapped;
use crate::formats::compression::{Anywhere, Reader};
use crate::formats::placed::Placed;
use crate::input::error::ListError;

/// The size and times of a file, by which a change shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Its bytes.
    pub length: u64,
    /// When it was last changed; absent where the system does not say.
    #[serde(with = "crate::formats::system_time")]
    pub modified: Option<SystemTime>,
}

impl FileState {
    pub(super) fn of(file: &File) -> io::Result<FileState> {
        let metadata = file.metadata()?;
        Ok(FileState { length: metadata.len(), modified: metadata.modified().ok() })
    }

    /// That of a file that cannot be read, or is not there; `None` of what is no file.
    pub(super) fn at(path: &Path) -> Option<FileState> {
        match std::fs::metadata(path) {
            Ok(there) if there.is_file() => Some(FileState { length: there.len(), modified: there.modified().ok() }),
            Err(_) if path.as_os_str() != STANDARD_INPUT => Some(FileState { length: 0, modified: None }),
            _ => None,
        }
    }
}

/// A file that can be opened, read again, and seen to be the one it was.
pub(crate) struct Regular {
    pub file: File,
    pub state: FileState,
    /// The memory of its decompressor.
    pub memory: u64,
}

impl Regular {
    /// A file without a name that holds a text.
    pub fn copy_of(mut text: impl Read) -> io::Result<Regular> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut text, &mut file)?;
        Ok(Regular { state: FileState::of(&file)?, file, memory: u64::MAX })
    }

    /// Its bytes.
    pub fn map(&self) -> io::Result<Mapped> {
        Mapped::of(&self.file)
    }

    /// The state of the file that is now at `path`.
    pub fn state_now(&self, path: &Path) -> Result<FileState, ListError> {
        FileState::of(&self.file).map_err(|error| unreadable(path, error))
    }

    /// Makes sure that what stands at `path` is as it was when it was opened.
    pub fn unchanged(&self, path: &Path) -> Result<(), ListError> {
        let now = self.state_now(path)?;
        if now.length < self.state.length {
            return Err(ListError::Cut { path: path.to_owned(), at: now.length, had: self.state.length });
        }
        if now == self.state { Ok(()) } else { Err(ListError::Changed { path: path.to_owned() }) }
    }

    /// Whether it is what stands at a path, and no copy of that.
    pub fn is_at(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|there| {
            there.is_file() && (there.len(), there.modified().ok()) == (self.state.length, self.state.modified)
        })
    }

    /// Its text from the start, decompressed; `source` gets the bytes that are taken from the file.
    pub fn text<'f>(&'f self, source: &'f AtomicU64) -> io::Result<Reader<Counted<'f>>> {
        self.text_within(source, self.memory)
    }

    /// The same with so much `memory` for the decompressor, if it has as much.
    pub fn text_within<'f>(&'f self, source: &'f AtomicU64, memory: u64) -> io::Result<Reader<Counted<'f>>> {
        Reader::within(self.counted(0, source), memory.min(self.memory))
    }

    /// A part of it as it is stored; `source` gets the bytes that are taken from the file.
    pub fn part<'f>(&'f self, start: u64, end: u64, source: &'f AtomicU64) -> impl Read + use<'f> {
        self.counted(start, source).take(end.saturating_sub(start))
    }

    fn counted<'f>(&'f self, at: u64, source: &'f AtomicU64) -> Counted<'f> {
        Counted { text: Placed { file: &self.file, at, length: self.state.length }, source }
    }
}

impl Anywhere for Regular {
    fn bytes_from(&self, at: u64) -> Box<dyn Read + Send + '_> {
        Box::new(Placed { file: &self.file, at, length: self.state.length })
    }
}

/// A file whose bytes are counted as they are read.
pub(crate) struct Counted<'f> {
    text: Placed<'f>,
    source: &'f AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.text.read(buffer)?;
        self.source.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
