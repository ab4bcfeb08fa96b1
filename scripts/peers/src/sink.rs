//! Outputs for judged lines: buffered files, buffers of one chunk, or nothing.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::Result;
use crate::table::Verdict;

/// Names of the files, in the order of [`Verdict`].
const NAMES: [&str; 3] = ["allowed.txt", "blocked.txt", "other.txt"];

/// Capacity of a file's buffer.
const BUFFER: usize = 1 << 18;

/// The number of lines per verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts(pub [u64; 3]);

impl Counts {
    /// Counts one line.
    pub fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// Adds the counts of another part of the list.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let sum = |at: usize| self.0[at] + other.0[at];
        Self([sum(0), sum(1), sum(2)])
    }
}

/// Takes judged lines.
pub trait Sink {
    /// Takes one line with its line end.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn put(&mut self, verdict: Verdict, line: &[u8]) -> Result<()>;
}

/// Drops lines, for runs that only count.
pub struct Nowhere;

impl Sink for Nowhere {
    fn put(&mut self, _: Verdict, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// The lines of one chunk, by verdict.
#[derive(Debug, Default)]
pub struct Buffers([Vec<u8>; 3]);

impl Sink for Buffers {
    fn put(&mut self, verdict: Verdict, line: &[u8]) -> Result<()> {
        self.0[verdict as usize].extend_from_slice(line);
        Ok(())
    }
}

/// The partition files.
pub struct Files([BufWriter<File>; 3]);

impl Files {
    /// Creates the files in a directory, which is created if necessary.
    ///
    /// # Errors
    ///
    /// If the directory or a file cannot be created.
    pub fn create(dir: &Path) -> Result<Self> {
        std::fs::create_dir_all(dir)?;
        let create = |name| -> Result<BufWriter<File>> {
            let file = File::create(dir.join(name))?;
            Ok(BufWriter::with_capacity(BUFFER, file))
        };
        Ok(Self([create(NAMES[0])?, create(NAMES[1])?, create(NAMES[2])?]))
    }

    /// Appends the lines of one chunk.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn append(&mut self, buffers: &Buffers) -> Result<()> {
        for (file, lines) in self.0.iter_mut().zip(&buffers.0) {
            file.write_all(lines)?;
        }
        Ok(())
    }

    /// Writes the data still buffered.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        for file in &mut self.0 {
            file.flush()?;
        }
        Ok(())
    }
}

impl Sink for Files {
    fn put(&mut self, verdict: Verdict, line: &[u8]) -> Result<()> {
        Ok(self.0[verdict as usize].write_all(line)?)
    }
}
