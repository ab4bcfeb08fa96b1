//! Sorting more records than memory should hold: sorted runs in temporary files, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Records as octets, sorted by them; beyond `limit` octets in memory, on disk.
#[derive(Debug)]
pub(super) struct Sorter {
    home: Home,
    limit: usize,
    held: Vec<Box<[u8]>>,
    held_bytes: usize,
    runs: Vec<Arc<File>>,
}

/// Where runs are stored.
#[derive(Debug)]
pub(super) enum Home {
    /// In files of this folder, without names where possible.
    Nameless(PathBuf),
    /// In files whose names begin with this path: they outlive the program, so that it can go on with them.
    Named(PathBuf),
}

impl Home {
    fn create(&self, number: usize) -> io::Result<File> {
        match self {
            Home::Nameless(folder) => tempfile::tempfile_in(folder),
            Home::Named(start) => {
                let mut options = File::options();
                options.read(true).write(true).create(true).truncate(true).open(run_path(start, number))
            }
        }
    }
}

/// The file of a run by its number.
fn run_path(start: &Path, number: usize) -> PathBuf {
    let name = start.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    start.with_file_name(format!(".{name}.{number}.partial"))
}

/// What a record takes in memory besides its octets, about.
const OVERHEAD: usize = 32;

impl Sorter {
    /// Holds at most about `limit` octets.
    pub fn new(home: Home, limit: usize) -> Sorter {
        Sorter { home, limit, held: Vec::new(), held_bytes: 0, runs: Vec::new() }
    }

    /// One that has so many runs already.
    pub fn with_runs(home: Home, limit: usize, runs: usize) -> io::Result<Sorter> {
        let mut sorter = Sorter::new(home, limit);
        if let Home::Named(start) = &sorter.home {
            let open = |number| File::open(run_path(start, number)).map(Arc::new);
            sorter.runs = (0..runs).map(open).collect::<Result<_, _>>()?;
        }
        Ok(sorter)
    }

    /// The files of the runs, which do not change any more.
    pub fn runs(&self) -> &[Arc<File>] {
        &self.runs
    }

    /// Stores everything that is held.
    pub fn store(&mut self) -> io::Result<()> {
        if self.held.is_empty() { Ok(()) } else { self.spill() }
    }

    /// Adds a record.
    pub fn push(&mut self, record: Vec<u8>) -> io::Result<()> {
        self.held_bytes += record.len() + OVERHEAD;
        self.held.push(record.into_boxed_slice());
        if self.held_bytes > self.limit { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let mut run = BufWriter::new(self.home.create(self.runs.len())?);
        for record in self.held.drain(..) {
            run.write_all(&(record.len() as u32).to_le_bytes())?;
            run.write_all(&record)?;
        }
        self.held_bytes = 0;
        self.runs.push(Arc::new(run.into_inner().map_err(io::IntoInnerError::into_error)?));
        Ok(())
    }

    /// Calls `each` with all records in order, equal ones together.
    pub fn finish(mut self, mut each: impl FnMut(Box<[u8]>) -> io::Result<()>) -> io::Result<()> {
        self.held.sort_unstable();
        let mut held = std::mem::take(&mut self.held).into_iter();
        let mut runs = Vec::with_capacity(self.runs.len());
        for mut run in self.runs.drain(..) {
            run.rewind()?;
            runs.push(BufReader::new(run));
        }
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
    runs: &mut [BufReader<Arc<File>>],
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
            let mut sorter = Sorter::new(Home::Nameless(std::env::temp_dir()), limit);
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
