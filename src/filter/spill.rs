//! Sorting more records than memory should hold: sorted runs in temporary files, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Records as octets, sorted by them; beyond `limit` octets in memory, on disk.
#[derive(Debug)]
pub(super) struct Sorter {
    directory: PathBuf,
    limit: usize,
    held: Vec<Box<[u8]>>,
    held_bytes: usize,
    runs: Vec<File>,
}

/// What a record takes in memory besides its octets, about.
const OVERHEAD: usize = 32;

impl Sorter {
    /// Holds at most about `limit` octets; the temporary files stand in `directory`, without names where possible.
    pub fn new(directory: &Path, limit: usize) -> Sorter {
        Sorter { directory: directory.to_owned(), limit, held: Vec::new(), held_bytes: 0, runs: Vec::new() }
    }

    /// Adds a record.
    pub fn push(&mut self, record: Vec<u8>) -> io::Result<()> {
        self.held_bytes += record.len() + OVERHEAD;
        self.held.push(record.into_boxed_slice());
        if self.held_bytes > self.limit { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let mut run = BufWriter::new(tempfile::tempfile_in(&self.directory)?);
        for record in self.held.drain(..) {
            run.write_all(&(record.len() as u32).to_le_bytes())?;
            run.write_all(&record)?;
        }
        self.held_bytes = 0;
        let mut file = run.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        Ok(())
    }

    /// Calls `each` with all records in order, equal ones together.
    pub fn finish(mut self, mut each: impl FnMut(Box<[u8]>) -> io::Result<()>) -> io::Result<()> {
        self.held.sort_unstable();
        let mut held = std::mem::take(&mut self.held).into_iter();
        let mut runs: Vec<BufReader<File>> = self.runs.drain(..).map(BufReader::new).collect();
        let memory = runs.len();
        let mut heap = BinaryHeap::new();
        for source in 0..=memory {
            heap.extend(next(source, &mut runs, &mut held)?.map(|record| Reverse((record, source))));
        }
        while let Some(Reverse((record, source))) = heap.pop() {
            heap.extend(next(source, &mut runs, &mut held)?.map(|record| Reverse((record, source))));
            each(record)?;
        }
        Ok(())
    }
}

/// The next record of a run, or of memory, which counts as the one behind the last.
fn next(
    source: usize,
    runs: &mut [BufReader<File>],
    held: &mut std::vec::IntoIter<Box<[u8]>>,
) -> io::Result<Option<Box<[u8]>>> {
    let Some(run) = runs.get_mut(source) else { return Ok(held.next()) };
    let mut length = [0; 4];
    match run.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut record = vec![0; u32::from_le_bytes(length) as usize].into_boxed_slice();
    run.read_exact(&mut record)?;
    Ok(Some(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_does_not_depend_on_the_limit() {
        let records: Vec<Vec<u8>> =
            (0..3000u32).map(|n| (n.wrapping_mul(2_654_435_761) % 997).to_be_bytes().to_vec()).collect();
        let mut expected = records.clone();
        expected.sort();
        for limit in [0, 500, 1 << 20] {
            let mut sorter = Sorter::new(&std::env::temp_dir(), limit);
            for record in &records {
                sorter.push(record.clone()).unwrap();
            }
            assert_eq!(sorter.runs.is_empty(), limit > 100_000);
            let mut sorted = Vec::new();
            sorter
                .finish(|record| {
                    sorted.push(record.into_vec());
                    Ok(())
                })
                .unwrap();
            assert_eq!(sorted, expected, "limit {limit}");
        }
    }
}
