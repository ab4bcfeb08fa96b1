//! Bytes that are written sequentially, and read once they are complete. They are in memory, or, beyond a limit, in a
//! temporary file.

use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::formats::memory;
use crate::formats::memory::FileMemory;
use crate::policy::error::WriteError;

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
    pub fn failed(&self, error: io::Error) -> WriteError {
        WriteError::Spill { folder: self.folder.clone(), error }
    }
}

#[derive(Debug)]
pub(crate) struct Spool {
    spill: SpillFolder,
    file: Option<File>,
    filed: u64,
    /// The bytes after those.
    tail: Vec<u8>,
    map: Option<Mmap>,
}

impl Spool {
    /// A spool that begins with the bytes `first`.
    pub fn new(spill: &SpillFolder, first: Vec<u8>) -> Spool {
        Spool { spill: spill.clone(), file: None, filed: 0, tail: first, map: None }
    }

    pub fn len(&self) -> u64 {
        self.filed + self.tail.len() as u64
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        if self.tail.len() + bytes.len() > self.spill.limit {
            self.file_tail().map_err(|error| self.failed(error))?;
        }
        self.tail.extend_from_slice(bytes);
        Ok(())
    }

    /// The error for a failure of the temporary file, or of one that belongs to the same data.
    pub fn failed(&self, error: io::Error) -> WriteError {
        self.spill.failed(error)
    }

    fn file_tail(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(&self.spill.folder)?),
        };
        file.seek(SeekFrom::Start(self.filed))?;
        file.write_all(&self.tail)?;
        self.filed += self.tail.len() as u64;
        self.tail.clear();
        Ok(())
    }

    pub fn read(&mut self, at: u64, bytes: &mut [u8]) -> Result<(), WriteError> {
        let in_file = self.filed.saturating_sub(at).min(bytes.len() as u64) as usize;
        let (filed, held) = bytes.split_at_mut(in_file);
        let from = (at + in_file as u64).saturating_sub(self.filed) as usize;
        held.copy_from_slice(&self.tail[from..from + held.len()]);
        let Some(file) = self.file.as_mut().filter(|_| !filed.is_empty()) else { return Ok(()) };
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(filed));
        read.map_err(|error| self.failed(error))
    }

    pub fn has(&mut self, at: u64, bytes: &[u8]) -> Result<bool, WriteError> {
        if at + bytes.len() as u64 > self.len() {
            return Ok(false);
        }
        if at >= self.filed {
            let from = (at - self.filed) as usize;
            return Ok(self.tail[from..from + bytes.len()] == *bytes);
        }
        let mut found = vec![0; bytes.len()];
        self.read(at, &mut found)?;
        Ok(found == bytes)
    }

    /// Ends writing.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        if self.file.is_some() {
            self.file_tail().map_err(|error| self.failed(error))?;
        }
        // The map keeps the file.
        // SAFETY: it has no name, so no other process has it, and it is written no more.
        let map = self.file.take().as_ref().map(|file| unsafe { memory::map(file) });
        self.map = map.transpose().map_err(|error| self.failed(error))?;
        Ok(())
    }

    /// Everything that was written, once [finished](Spool::finish).
    pub fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or(&self.tail)
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
                assert_eq!(spool.len(), written.len() as u64);
                for at in 0..written.len() {
                    let end = (at + 9).min(written.len());
                    assert!(spool.has(at as u64, &written[at..end]).unwrap());
                    assert!(!spool.has(at as u64, &[&written[at..end], &[99]].concat()).unwrap());
                }
            }
            spool.finish().unwrap();
            assert_eq!(spool.bytes(), written);
        }
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
