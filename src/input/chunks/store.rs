//! Keeps chunks that were read ahead of their turn on disk.
//!
//! Chunks that do not fit in memory wait in an unnamed file in the run's folder, one file for each list. The file goes away
//! when the list has ended, or with the program. A store that cannot be written, for example because the disk is full, takes no
//! more chunks.
//!
//! Chunks are stored uncompressed: compressing them would take as long as decompressing the list again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::run::Error;
use crate::input::error::not_read_back;
use crate::input::list::Buffer;
use crate::lock::{Mutex, lock};
use crate::outcome::Reason;

/// The chunks of one list that wait on disk.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    /// The file, created for the first chunk. It stays locked while a chunk is copied, because all threads share its position.
    file: Mutex<Option<File>>,
    has_failed: AtomicBool,
}

/// A chunk that waits on disk.
#[derive(Debug)]
pub(super) struct StoredChunk {
    store: Arc<Store>,
    at: u64,
    length: usize,
    flaws: Vec<(u64, Reason)>,
}

impl Store {
    /// A store that will create its file in this folder.
    pub fn new(folder: PathBuf) -> Store {
        Store { folder, file: Mutex::default(), has_failed: AtomicBool::new(false) }
    }

    /// Whether it takes more chunks.
    pub fn has_room(&self) -> bool {
        !self.has_failed.load(Ordering::Relaxed)
    }

    /// Stores a chunk, and frees its buffer; one that cannot be written stays there.
    pub fn take(self: &Arc<Self>, buffer: &mut Buffer) -> Option<StoredChunk> {
        match self.append(&buffer.bytes) {
            Ok(at) => {
                let Buffer { bytes, flaws, .. } = std::mem::take(buffer);
                Some(StoredChunk { store: Arc::clone(self), at, length: bytes.len(), flaws })
            }
            Err(_) => {
                self.has_failed.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let mut file = lock(&self.file);
        let file = match &mut *file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.folder)?),
        };
        let at = file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)?;
        Ok(at)
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut file = lock(&self.file);
        let file = file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    }
}

impl StoredChunk {
    /// Reads the chunk into `buffer`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read_back(self, buffer: &mut Buffer) -> Result<(), Error> {
        buffer.bytes.resize(self.length, 0);
        buffer.flaws = self.flaws;
        self.store.read(self.at, &mut buffer.bytes).map_err(not_read_back(&self.store.folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(text: &str) -> Buffer {
        Buffer { bytes: text.into(), flaws: vec![(0, Reason::Unfetched)], left_out: Vec::new() }
    }

    #[test]
    fn chunks_are_read_back_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::new(folder.path().to_owned()));
        let texts = ["a\n", "longer\n", ""];
        let stored = texts.map(|text| store.take(&mut buffer(text)).expect("it is stored"));
        let mut read = buffer("what was there before");
        for (stored, text) in stored.into_iter().zip(texts).rev() {
            stored.read_back(&mut read).unwrap();
            assert_eq!((&read.bytes[..], read.flaws.len()), (text.as_bytes(), 1));
        }
        assert!(store.has_room());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has a name");
    }

    #[test]
    fn what_cannot_be_stored_stays_in_memory() {
        let store = Arc::new(Store::new("there/is/no/such/folder".into()));
        let mut buffer = buffer("a\n");
        assert!(store.take(&mut buffer).is_none() && buffer.bytes == b"a\n");
        assert!(!store.has_room());
    }
}
