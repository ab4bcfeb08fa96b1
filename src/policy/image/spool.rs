//! Bytes that are written sequentially. They are in memory, or, beyond a limit, in a temporary file.

use memmap2::MmapMut;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use crate::error::policy::Error;
use crate::formats::memory::{self, FileMemory};
use crate::policy::error::spilled;

/// How many bytes of a spool stay in memory if it may use a file.
pub(crate) const HELD: usize = 16 << 20;

/// Where spools keep their bytes, and tables their entries: about `limit` bytes of each in memory, more of them in temporary files
/// in `folder`.
#[derive(Debug, Clone)]
pub(crate) struct SpillFolder {
    pub folder: PathBuf,
    pub limit: usize,
}

impl SpillFolder {
    /// All in memory.
    pub fn none() -> SpillFolder {
        SpillFolder { folder: PathBuf::new(), limit: usize::MAX }
    }

    /// In temporary files in `folder`, except for [`HELD`] bytes of each.
    pub fn at(folder: PathBuf) -> SpillFolder {
        SpillFolder { folder, limit: HELD }
    }

    /// Memory for the tables of one image.
    pub fn tables(&self) -> FileMemory {
        FileMemory::new(&self.folder, self.limit)
    }

    /// The error for a failure of a temporary file.
    pub fn failed(&self, error: io::Error) -> Error {
        spilled(&self.folder, error)
    }
}

/// Bytes that are appended, and may be read at any time.
#[derive(Debug)]
pub(crate) struct Spool {
    spill: SpillFolder,
    length: usize,
    /// The bytes, as long as they are in memory.
    held: Vec<u8>,
    /// The bytes and room for more, once they are in a file; and the file, unless the spool is [finished](Spool::finish).
    map: Option<MmapMut>,
    file: Option<File>,
}

impl Spool {
    /// A spool that begins with the bytes `first`.
    pub fn new(spill: &SpillFolder, first: Vec<u8>) -> Spool {
        Spool { spill: spill.clone(), length: first.len(), held: first, map: None, file: None }
    }

    pub fn len(&self) -> u64 {
        self.length as u64
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let (start, end) = (self.length, self.length + bytes.len());
        if end > self.spill.limit && self.map.as_ref().is_none_or(|map| map.len() < end) {
            self.grow(end).map_err(|error| self.spill.failed(error))?;
        }
        match &mut self.map {
            Some(map) => map[start..end].copy_from_slice(bytes),
            None => self.held.extend_from_slice(bytes),
        }
        self.length = end;
        Ok(())
    }

    /// Makes room for at least so many bytes in the file, which is made if there is none. If that fails, all stays as it was.
    fn grow(&mut self, least: usize) -> io::Result<()> {
        let (before, made) = match (&self.file, &self.map) {
            (Some(_), Some(map)) => (map.len(), None),
            _ => (0, Some(tempfile::tempfile_in(&self.spill.folder)?)),
        };
        let file = made.as_ref().or(self.file.as_ref()).expect("a file that was made, or the earlier one");
        memory::reserve(file, before as u64..(least + least / 4) as u64)?;
        // SAFETY: the file has no name, so no other process has it, and the earlier map of it is not used any more.
        let mut map = unsafe { memory::map_mut(file) }?;
        if made.is_some() {
            map[..self.length].copy_from_slice(self.bytes());
            (self.file, self.held) = (made, Vec::new());
        }
        self.map = Some(map);
        Ok(())
    }

    /// Ends writing, and closes the file; the bytes stay.
    pub fn finish(&mut self) {
        self.file = None;
    }

    /// Everything that was written.
    pub fn bytes(&self) -> &[u8] {
        &self.map.as_deref().unwrap_or(&self.held)[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_comes_back_from_memory_and_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let spills = [0, 7, 1000].map(|limit| SpillFolder { folder: folder.path().to_owned(), limit });
        for spill in spills.into_iter().chain([SpillFolder::none()]) {
            let mut spool = Spool::new(&spill, vec![77; 3]);
            let mut written = vec![77; 3];
            for round in 0..40u8 {
                let bytes = vec![round; usize::from(round % 5)];
                spool.write(&bytes).unwrap();
                written.extend_from_slice(&bytes);
                assert_eq!((spool.len(), spool.bytes()), (written.len() as u64, &*written));
            }
            spool.finish();
            assert_eq!(spool.bytes(), written);
            spool.write(&[5; 2000]).unwrap();
            assert_eq!(spool.bytes(), [&*written, &[5; 2000]].concat());
        }
    }

    #[test]
    fn a_failure_to_grow_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFolder { folder: folder.path().join("later"), limit: 7 };
        let mut spool = Spool::new(&spill, vec![1; 5]);
        assert!(spool.write(&[2; 5]).is_err());
        std::fs::create_dir(&spill.folder).unwrap();
        spool.write(&[3; 5]).unwrap();
        assert_eq!(spool.bytes(), [1, 1, 1, 1, 1, 3, 3, 3, 3, 3]);
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap().path().join("missing");
        let mut spool = Spool::new(&SpillFolder { folder: folder.clone(), limit: 3 }, Vec::new());
        spool.write(&[1; 3]).unwrap();
        let error = spool.write(&[1]).unwrap_err().to_string();
        assert!(error.contains(&folder.display().to_string()), "{error}");
    }
}
