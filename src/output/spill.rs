//! Sorts more records than fit into memory: sorted runs in temporary files, merged at the end.
//!
//! A run is open only while it is written or read. A limited number of runs is merged at a time, into longer runs, until a single
//! merge is left: open files are limited more often than disk space.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::counting_writer::CountingWriter;
use super::folder::partial;
use crate::formats::shown;

/// Sorts records by their bytes; keeps up to `limit` bytes in memory and the rest on disk.
#[derive(Debug)]
pub(super) struct Sorter {
    /// The path that the partial files of runs are named after.
    start: PathBuf,
    /// Whether runs outlive the process, so that another one can resume.
    is_kept: bool,
    limit: usize,
    held: Vec<Box<[u8]>>,
    held_bytes: usize,
    runs: Vec<SortedRun>,
}

/// A sorted run of records in a file that no longer changes.
#[derive(Debug)]
struct SortedRun {
    path: PathBuf,
    /// Deletes the file on drop, if the run is temporary.
    _temporary: Option<TempPath>,
}

/// A run being written.
struct NewRun {
    file: BufWriter<CountingWriter<File>>,
    run: SortedRun,
}

/// The name of the kept run with this number, whose file is partial.
fn run_name(start: &Path, number: usize) -> PathBuf {
    start.with_file_name(format!("{}.{number}", name(start)))
}

fn name(start: &Path) -> String {
    start.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

impl SortedRun {
    /// The error with the path of the file, which users do not know of.
    fn with_path(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}, {error}", shown(&self.path)))
    }
}

impl NewRun {
    /// Begins the kept run with this number.
    fn kept(start: &Path, number: usize) -> io::Result<NewRun> {
        let path = partial(&run_name(start, number));
        Ok(NewRun::new(File::create(&path)?, path, None))
    }

    /// Begins a run that is deleted on drop.
    fn temporary(start: &Path) -> io::Result<NewRun> {
        let mut builder = tempfile::Builder::new();
        let prefix = format!(".{}.", name(start));
        // Longer than any run number, so the name cannot be that of a kept run.
        let builder = builder.prefix(&prefix).suffix(".partial").rand_bytes(24);
        let (file, path) = builder.tempfile_in(start.parent().unwrap_or(Path::new(".")))?.into_parts();
        Ok(NewRun::new(file, path.to_path_buf(), Some(path)))
    }

    fn new(file: File, path: PathBuf, temporary: Option<TempPath>) -> NewRun {
        let run = SortedRun { path, _temporary: temporary };
        NewRun { file: BufWriter::new(CountingWriter::new(file)), run }
    }

    fn put(&mut self, record: &[u8]) -> io::Result<()> {
        let NewRun { file, run } = self;
        let put = file.write_all(&(record.len() as u32).to_le_bytes()).and_then(|()| file.write_all(record));
        put.map_err(|error| run.with_path(&error))
    }

    fn end(mut self) -> io::Result<SortedRun> {
        self.file.flush().map_err(|error| self.run.with_path(&error))?;
        Ok(self.run)
    }
}

/// Approximate memory of a record besides its bytes.
const OVERHEAD: usize = 32;

/// The most runs that are merged at a time.
const MAX_MERGED_RUNS: usize = 64;

impl Sorter {
    /// Holds about `limit` bytes in memory at most; runs are named after `start`, and deleted with the sorter. If they are to be
    /// `kept`, they outlive the process, and there are this many already.
    pub fn new(start: PathBuf, limit: usize, kept: Option<usize>) -> io::Result<Sorter> {
        let stored = |number| {
            let path = partial(&run_name(&start, number));
            // The file must exist and be readable.
            File::open(&path)?;
            Ok(SortedRun { path, _temporary: None })
        };
        let runs = (0..kept.unwrap_or(0)).map(stored).collect::<io::Result<_>>()?;
        Ok(Sorter { start, is_kept: kept.is_some(), limit, held: Vec::new(), held_bytes: 0, runs })
    }

    /// The names of the kept runs.
    pub fn files(&self) -> Vec<PathBuf> {
        (0..self.runs.len()).map(|number| run_name(&self.start, number)).collect()
    }

    /// Stores all records held in memory as a run.
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
        let number = self.runs.len();
        let mut run = if self.is_kept { NewRun::kept(&self.start, number)? } else { NewRun::temporary(&self.start)? };
        self.held.drain(..).try_for_each(|record| run.put(&record))?;
        self.held_bytes = 0;
        self.runs.push(run.end()?);
        Ok(())
    }

    /// Calls `each` with all records in order, equal ones together.
    pub fn finish(mut self, each: impl FnMut(Box<[u8]>) -> io::Result<()>) -> io::Result<()> {
        while self.runs.len() > MAX_MERGED_RUNS {
            let mut longer = Vec::with_capacity(self.runs.len().div_ceil(MAX_MERGED_RUNS));
            let mut runs = std::mem::take(&mut self.runs).into_iter().peekable();
            while runs.peek().is_some() {
                let some: Vec<SortedRun> = runs.by_ref().take(MAX_MERGED_RUNS).collect();
                let mut run = NewRun::temporary(&self.start)?;
                merge(&some, Vec::new(), |record| run.put(&record))?;
                longer.push(run.end()?);
            }
            self.runs = longer;
        }
        self.held.sort_unstable();
        merge(&self.runs, self.held, each)
    }
}

/// Calls `each` with all records of the runs and of memory, in order.
fn merge(
    runs: &[SortedRun],
    held: Vec<Box<[u8]>>,
    mut each: impl FnMut(Box<[u8]>) -> io::Result<()>,
) -> io::Result<()> {
    let open = |run: &SortedRun| File::open(&run.path).map(BufReader::new);
    let mut runs = runs.iter().map(open).collect::<io::Result<Vec<_>>>()?;
    let (memory, mut held) = (runs.len(), held.into_iter());
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

/// The next record of a source: a run, or memory, which is numbered after the last run.
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

    /// Of a thousand runs, few are open at any time, and no temporary one is left.
    #[cfg(target_os = "linux")]
    #[test]
    fn few_runs_are_open_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let open = || {
            let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
            let paths = open.filter_map(|open| std::fs::read_link(open.path()).ok());
            paths.filter(|path| path.starts_with(&place)).count()
        };
        for kept in [false, true] {
            let start = place.join("records");
            let mut sorter = Sorter::new(start, 0, kept.then_some(0)).unwrap();
            for n in 0..1000u32 {
                sorter.push(n.wrapping_mul(7919).to_be_bytes().to_vec()).unwrap();
            }
            assert_eq!((sorter.files().len(), open()), (1000, 0));
            let (mut most, mut records) = (0, 0);
            sorter
                .finish(|_| {
                    (most, records) = (most.max(open()), records + 1);
                    Ok(())
                })
                .unwrap();
            assert_eq!((records, most), (1000, 1000usize.div_ceil(MAX_MERGED_RUNS)));
            assert_eq!(std::fs::read_dir(&place).unwrap().count(), if kept { 1000 } else { 0 });
        }
    }
}
