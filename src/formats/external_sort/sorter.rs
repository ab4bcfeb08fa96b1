//! Sorts records by their bytes: sorted runs, merged in the end.
//!
//! A limited number of runs is merged at a time, into longer ones, until a single merge is left: buffers take memory, and open files
//! are limited more often than disk space.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::merge::Merge;
use crate::formats::memory_budget::Share;
use crate::formats::seekable::{self, FileAt};
use crate::formats::shown;

/// Approximate memory of a record besides its bytes.
const OVERHEAD: usize = 32;

/// The most runs that are merged at a time.
const MOST_MERGED: usize = 64;

/// Sorts records; has as many in memory as there is a share for, and the rest on disk.
#[derive(Debug)]
pub(crate) struct Sorter {
    folder: PathBuf,
    /// The path of each run in a folder, by its number, if runs outlive the process so that another one can go on.
    named: Option<fn(&Path, usize) -> PathBuf>,
    memory: Share,
    held: Vec<Box<[u8]>>,
    held_bytes: usize,
    runs: Vec<Run>,
    /// The unnamed file of the other runs.
    file: Option<RunFile>,
}

/// A sorted run that no longer changes.
#[derive(Debug)]
enum Run {
    /// In a file of its own, open only while it is written or read.
    Named(PathBuf),
    /// A part of an unnamed file.
    Unnamed(Arc<File>, Range<u64>),
}

/// An unnamed file of runs.
#[derive(Debug)]
struct RunFile {
    file: Arc<File>,
    length: u64,
}

/// The records of a run.
struct Records {
    text: BufReader<FileAt<Arc<File>>>,
    left: u64,
}

/// A source of a merge: a run, or the records in memory.
enum Source {
    Run(Records),
    Held(std::vec::IntoIter<Box<[u8]>>),
}

impl Sorter {
    /// Has about this memory for records, and the others in unnamed files of `folder`.
    pub fn new(folder: &Path, memory: Share) -> Sorter {
        let (held, runs) = (Vec::new(), Vec::new());
        Sorter { folder: folder.to_owned(), named: None, memory, held, held_bytes: 0, runs, file: None }
    }

    /// The same, where runs are files of `folder` that outlive the process. The first `count` of them are there already.
    pub fn with_named_runs(
        folder: &Path,
        memory: Share,
        path: fn(&Path, usize) -> PathBuf,
        count: usize,
    ) -> io::Result<Sorter> {
        let stored = |number| {
            let path = path(folder, number);
            // It must be there, and readable.
            seekable::open(&path)?;
            Ok(Run::Named(path))
        };
        let runs = (0..count).map(stored).collect::<io::Result<_>>()?;
        Ok(Sorter { named: Some(path), runs, ..Sorter::new(folder, memory) })
    }

    /// The number of runs so far.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Adds a record.
    pub fn push(&mut self, record: Vec<u8>) -> io::Result<()> {
        self.held_bytes += record.len() + OVERHEAD;
        self.held.push(record.into_boxed_slice());
        if self.held_bytes > self.memory.length() { self.store() } else { Ok(()) }
    }

    /// Stores all records that are in memory as a run.
    pub fn store(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        self.held.sort_unstable();
        self.held_bytes = 0;
        let mut held = self.held.drain(..);
        let run = match self.named {
            Some(path) => {
                let path = path(&self.folder, self.runs.len());
                let written = File::create(&path).and_then(|file| write_run(&file, |put| held.try_for_each(put)));
                written.map_err(|error| at_path(&path, &error))?;
                Run::Named(path)
            }
            None => {
                let file = match &mut self.file {
                    Some(file) => file,
                    none => none.insert(RunFile::new(&self.folder)?),
                };
                file.add(|put| held.try_for_each(put))?
            }
        };
        self.runs.push(run);
        Ok(())
    }

    /// Calls `each` with all records in order, equal ones together.
    pub fn finish(mut self, mut each: impl FnMut(Box<[u8]>) -> io::Result<()>) -> io::Result<()> {
        while self.runs.len() > MOST_MERGED {
            // When it is complete, the file of the shorter runs is freed.
            let mut file = RunFile::new(&self.folder)?;
            let longer = self.runs.chunks(MOST_MERGED).map(|some| file.add(|put| merge(some, Vec::new(), put)));
            self.runs = longer.collect::<io::Result<_>>()?;
            self.file = Some(file);
        }
        self.held.sort_unstable();
        merge(&self.runs, self.held, &mut each)
    }
}

/// Writes a record.
type Put<'p> = dyn FnMut(Box<[u8]>) -> io::Result<()> + 'p;

/// Writes the records that `fill` puts to a file, each behind its length. Returns how many bytes these are.
fn write_run(file: &File, fill: impl FnOnce(&mut Put<'_>) -> io::Result<()>) -> io::Result<u64> {
    let (mut text, mut length) = (BufWriter::with_capacity(64 << 10, file), 0);
    fill(&mut |record| {
        length += (size_of::<u32>() + record.len()) as u64;
        text.write_all(&(record.len() as u32).to_le_bytes())?;
        text.write_all(&record)
    })?;
    text.flush()?;
    Ok(length)
}

/// Calls `each` with all records of the runs and of memory, in order.
fn merge(runs: &[Run], held: Vec<Box<[u8]>>, each: &mut Put<'_>) -> io::Result<()> {
    let mut sources = runs.iter().map(|run| run.records().map(Source::Run)).collect::<io::Result<Vec<_>>>()?;
    sources.push(Source::Held(held.into_iter()));
    let mut merged = Merge::new(sources, Ord::cmp)?;
    while let Some((_, record)) = merged.next()? {
        each(record)?;
    }
    Ok(())
}

/// The error with the path of a run, which users do not know of.
fn at_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}, {error}", shown(path)))
}

impl RunFile {
    fn new(folder: &Path) -> io::Result<RunFile> {
        Ok(RunFile { file: Arc::new(tempfile::tempfile_in(folder)?), length: 0 })
    }

    /// Appends a run.
    fn add(&mut self, fill: impl FnOnce(&mut Put<'_>) -> io::Result<()>) -> io::Result<Run> {
        let start = self.length;
        self.length += write_run(&self.file, fill)?;
        Ok(Run::Unnamed(Arc::clone(&self.file), start..self.length))
    }
}

impl Run {
    fn records(&self) -> io::Result<Records> {
        let (file, part) = match self {
            Run::Unnamed(file, part) => (Arc::clone(file), part.clone()),
            Run::Named(path) => {
                let file = seekable::open(path).map_err(|error| at_path(path, &error))?;
                let length = file.metadata()?.len();
                (Arc::new(file), 0..length)
            }
        };
        let text = BufReader::new(FileAt::new(file, part.end).from(part.start));
        Ok(Records { text, left: part.end - part.start })
    }
}

impl Records {
    fn read(&mut self) -> io::Result<Box<[u8]>> {
        let mut length = [0; size_of::<u32>()];
        self.text.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        let rest = self.left.checked_sub(size_of::<u32>() as u64 + u64::from(length));
        self.left = rest.ok_or(io::ErrorKind::InvalidData)?;
        let mut record = vec![0; length as usize].into_boxed_slice();
        self.text.read_exact(&mut record)?;
        Ok(record)
    }
}

impl Iterator for Source {
    type Item = io::Result<Box<[u8]>>;

    fn next(&mut self) -> Option<io::Result<Box<[u8]>>> {
        match self {
            Source::Run(records) => (records.left > 0).then(|| records.read()),
            Source::Held(held) => held.next().map(Ok),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of thousands of runs, which are merged in several rounds, few are open at any time, and no temporary one has a name.
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
        let run = |folder: &Path, number: usize| folder.join(number.to_string());
        for (named, count, open_at_first) in [(false, 1 + MOST_MERGED * MOST_MERGED, 1), (true, 1000, 0)] {
            let mut sorter = match named {
                true => Sorter::with_named_runs(&place, Share::for_test(0), run, 0).unwrap(),
                false => Sorter::new(&place, Share::for_test(0)),
            };
            let mut records: Vec<Vec<u8>> =
                (0..count).map(|n| (n % 700).wrapping_mul(7919).to_string().into_bytes()).collect();
            records.iter().for_each(|record| sorter.push(record.clone()).unwrap());
            assert_eq!((sorter.runs(), open()), (count, open_at_first));
            let (mut most, mut found) = (0, Vec::new());
            sorter
                .finish(|record| {
                    most = if found.len().is_multiple_of(50) { most.max(open()) } else { most };
                    found.push(record.into_vec());
                    Ok(())
                })
                .unwrap();
            records.sort_unstable();
            assert!(found == records, "{named}");
            // Named runs are in an unnamed file once they are longer.
            assert_eq!(most, 1);
            assert_eq!(std::fs::read_dir(&place).unwrap().count(), if named { count } else { 0 });
        }
    }

    #[test]
    fn a_run_that_was_cut_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let run = |folder: &Path, number: usize| folder.join(number.to_string());
        let path = run(folder.path(), 0);
        let mut sorter = Sorter::with_named_runs(folder.path(), Share::for_test(0), run, 0).unwrap();
        sorter.push(b"a record".to_vec()).unwrap();
        drop(sorter);
        let whole = std::fs::read(&path).unwrap();
        for length in 1..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let sorter = Sorter::with_named_runs(folder.path(), Share::for_test(0), run, 1).unwrap();
            assert_eq!(sorter.finish(|_| Ok(())).is_ok(), length == whole.len(), "{length}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(Sorter::with_named_runs(folder.path(), Share::for_test(0), run, 1).is_err());
    }
}
