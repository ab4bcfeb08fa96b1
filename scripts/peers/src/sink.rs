//! Outputs for judged lines: buffered files, buffers of one chunk, or nothing.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::Result;
use crate::table::Verdict;

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

/// The lines of one chunk, by verdict. Lines without one are dropped: whoever compares files with the list sees that.
#[derive(Debug, Default)]
pub struct Buffers([Vec<u8>; 2]);

impl Sink for Buffers {
    fn put(&mut self, verdict: Verdict, line: &[u8]) -> Result<()> {
        if let Some(buffer) = self.0.get_mut(verdict as usize) {
            buffer.extend_from_slice(line);
        }
        Ok(())
    }
}

/// The two output files, in the order of [`Verdict`].
pub struct Files([BufWriter<File>; 2]);

impl Files {
    /// Creates both files.
    ///
    /// # Errors
    ///
    /// If one cannot be created.
    pub fn create(allowed: &Path, blocked: &Path) -> Result<Self> {
        let create = |path: &Path| -> Result<BufWriter<File>> {
            let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(BufWriter::with_capacity(BUFFER, file))
        };
        Ok(Self([create(allowed)?, create(blocked)?]))
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
        match self.0.get_mut(verdict as usize) {
            Some(file) => Ok(file.write_all(line)?),
            None => Ok(()),
        }
    }
}
