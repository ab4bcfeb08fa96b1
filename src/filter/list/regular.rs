//! Regular files, and what tells that one is not what it was.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::mapped::Mapped;
use super::{STANDARD_INPUT, start, unreadable};
use crate::compression::{Compression, Reader, Search};
use crate::filter::FilterError;
use crate::filter::layout::UrlField;

/// What tells that a file was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Its octets.
    pub length: u64,
    /// When it was last changed; absent where the system does not say.
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
pub(super) struct Regular {
    pub file: File,
    pub state: FileState,
    /// What a decompressor of it may take.
    pub memory: u64,
}

impl Regular {
    /// A file without a name that holds a text.
    pub fn copy_of(mut text: impl Read) -> io::Result<Regular> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut text, &mut file)?;
        Ok(Regular { state: FileState::of(&file)?, file, memory: u64::MAX })
    }

    /// Its octets.
    pub fn map(&self) -> io::Result<Mapped> {
        Mapped::of(&self.file)
    }

    /// What tells what is there now, at `path`.
    pub fn state_now(&self, path: &Path) -> Result<FileState, FilterError> {
        FileState::of(&self.file).map_err(|error| unreadable(path, error))
    }

    /// Makes sure that what stands at `path` is as it was when it was opened.
    pub fn unchanged(&self, path: &Path) -> Result<(), FilterError> {
        let now = self.state_now(path)?;
        if now.length < self.state.length {
            return Err(FilterError::ListCut { path: path.to_owned(), at: now.length, had: self.state.length });
        }
        if now == self.state { Ok(()) } else { Err(FilterError::ListChanged { path: path.to_owned() }) }
    }

    /// A search for what is whole in it behind damage.
    pub fn search(&self, compression: Compression) -> Search {
        Search::new(compression, self.state.length, self.memory)
    }

    /// How its text begins behind damage at its start, if that is found; the first line may be half of one, and is left out.
    pub fn start_behind(&self, compression: Compression, url_field: &UrlField) -> Option<Vec<u8>> {
        let source = AtomicU64::new(0);
        let place = self.search(compression).next(&self.map().ok()?)?;
        let mut text = self.text_behind(place as u64, &source).ok()?;
        text.skip_until(b'\n').ok()?;
        start(&mut text, url_field).ok()
    }

    /// Whether it is what stands at a path, and no copy of that.
    pub fn is_at(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|there| {
            there.is_file() && (there.len(), there.modified().ok()) == (self.state.length, self.state.modified)
        })
    }

    /// Its text from the start, decompressed; `source` gets the octets that are taken from the file.
    pub fn text<'f>(&'f self, source: &'f AtomicU64) -> io::Result<Reader<Counted<'f>>> {
        self.text_behind(0, source)
    }

    /// The same from an octet of the file on.
    pub fn text_behind<'f>(&'f self, offset: u64, source: &'f AtomicU64) -> io::Result<Reader<Counted<'f>>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        Reader::behind(offset, Counted { file, source }, self.memory)
    }
}

/// A file whose octets are counted as they are read.
pub(super) struct Counted<'f> {
    file: &'f File,
    source: &'f AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.source.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
