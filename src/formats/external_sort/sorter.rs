//! Sorts records by their bytes: sorted runs, merged in the end.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take, Write};
use std::sync::Arc;

use super::merge::Merge;
use crate::formats::memory_budget::Share;
use crate::formats::seekable::FileAt;
use crate::formats::spill::{Place, Spill, Spilled};

/// Approximate memory of a record besides its bytes.
const OVERHEAD: usize = 32;

/// Bytes of the buffers of all runs that are merged at once, the least of one, and so how many runs those can be.
const BUFFERS: usize = 512 << 10;
const LEAST_BUFFER: usize = 512;
const MOST_RUNS: usize = BUFFERS / LEAST_BUFFER;

/// Sorts records; has as many in memory as there is a share for, and the rest on disk.
#[derive(Debug)]
pub(crate) struct Sorter {
    memory: Share,
    held: Vec<Box<[u8]>>,
    held_bytes: usize,
    /// Sorted runs.
    runs: Vec<Spilled>,
    spill: Spill,
}

/// A source of a merge: a run, or the records in memory.
enum Source {
    Run(BufReader<Take<FileAt<Arc<File>>>>),
    Held(std::vec::IntoIter<Box<[u8]>>),
}

impl Sorter {
    /// Has about this memory for records, and `spill` for the others.
    pub fn new(spill: Spill, memory: Share) -> Sorter {
        Sorter { memory, held: Vec::new(), held_bytes: 0, runs: Vec::new(), spill }
    }

    /// The same with runs that another process wrote.
    pub fn resume(mut self, runs: &[Place]) -> io::Result<Sorter> {
        self.runs = runs.iter().map(|&run| self.spill.reopen(run)).collect::<io::Result<_>>()?;
        Ok(self)
    }

    /// The runs so far.
    pub fn runs(&self) -> impl Iterator<Item = Place> {
        self.runs.iter().map(|run| run.place)
    }

    /// Adds a record.
    pub fn push(&mut self, record: Vec<u8>) -> io::Result<()> {
        self.held_bytes += record.len() + OVERHEAD;
        self.held.push(record.into_boxed_slice());
        if self.held_bytes > self.memory.length() { self.store() } else { Ok(()) }
    }

    /// Stores all records that are in memory as a run, each behind its length.
    pub fn store(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        self.held.sort_unstable();
        self.held_bytes = 0;
        let mut held = self.held.drain(..);
        self.runs.push(self.spill.put(|out| held.try_for_each(|record| write(out, &record)))?);
        Ok(())
    }

    /// Calls `each` with all records in order, equal ones together.
    pub fn finish(mut self, each: impl FnMut(Box<[u8]>) -> io::Result<()>) -> io::Result<()> {
        self.held.sort_unstable();
        let mut longer = self.spill.beside();
        while self.runs.len() > MOST_RUNS {
            let later = self.runs.split_off(MOST_RUNS);
            let first = std::mem::replace(&mut self.runs, later);
            self.runs.push(longer.put(|out| merge(&first, Vec::new(), |record| write(out, &record)))?);
        }
        merge(&self.runs, self.held, each)
    }
}

/// Calls `each` with the records of runs, and with those that were never stored, in order.
fn merge(runs: &[Spilled], held: Vec<Box<[u8]>>, mut each: impl FnMut(Box<[u8]>) -> io::Result<()>) -> io::Result<()> {
    let buffer = (BUFFERS / runs.len().max(1)).clamp(LEAST_BUFFER, 8 << 10);
    let runs = runs.iter().map(|run| Source::Run(BufReader::with_capacity(buffer, run.read())));
    let mut merged = Merge::new(runs.chain([Source::Held(held.into_iter())]).collect(), Ord::cmp)?;
    while let Some((_, record)) = merged.next()? {
        each(record)?;
    }
    Ok(())
}

/// Writes a record of a run behind its length.
fn write(out: &mut dyn Write, record: &[u8]) -> io::Result<()> {
    out.write_all(&(record.len() as u32).to_le_bytes())?;
    out.write_all(record)
}

/// The next record of a run, whose length may be damaged.
fn read(text: &mut impl Read) -> io::Result<Box<[u8]>> {
    let mut length = [0; size_of::<u32>()];
    text.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    let mut record = Vec::with_capacity(length.min(64 << 10) as usize);
    text.take(length.into()).read_to_end(&mut record)?;
    if record.len() < length as usize { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(record.into()) }
}

impl Iterator for Source {
    type Item = io::Result<Box<[u8]>>;

    fn next(&mut self) -> Option<io::Result<Box<[u8]>>> {
        match self {
            Source::Run(text) => match text.fill_buf() {
                Ok([]) => None,
                Ok(_) => Some(read(text)),
                Err(error) => Some(Err(error)),
            },
            Source::Held(held) => held.next().map(Ok),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn run(folder: &Path, number: u64) -> PathBuf {
        folder.join(number.to_string())
    }

    /// Of thousands of runs, few files are open at any time, and no temporary one has a name.
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
        for (named, count) in [(false, 5000_usize), (true, 1000)] {
            let spill = if named { Spill::named(&place, run) } else { Spill::unnamed(&place) };
            let mut sorter = Sorter::new(spill, Share::for_test(0));
            let mut records: Vec<Vec<u8>> =
                (0..count).map(|n| (n % 700).wrapping_mul(7919).to_string().into_bytes()).collect();
            records.iter().for_each(|record| sorter.push(record.clone()).unwrap());
            assert_eq!((sorter.runs().count(), open()), (count, 1));
            let sorter = match named {
                true => {
                    let runs: Vec<Place> = sorter.runs().collect();
                    drop(sorter);
                    let sorter = Sorter::new(Spill::named(&place, run), Share::for_test(0)).resume(&runs).unwrap();
                    assert_eq!(open(), 1);
                    sorter
                }
                false => sorter,
            };
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
            assert_eq!(most, if named { 1 } else { 2 });
            assert_eq!(std::fs::read_dir(&place).unwrap().count(), usize::from(named));
        }
    }

    #[test]
    fn a_run_that_was_cut_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = run(folder.path(), 0);
        let sorter = || Sorter::new(Spill::named(folder.path(), run), Share::for_test(0));
        let mut first = sorter();
        first.push(b"a record".to_vec()).unwrap();
        let runs: Vec<Place> = first.runs().collect();
        drop(first);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let sorter = sorter().resume(&runs).unwrap();
            assert_eq!(sorter.finish(|_| Ok(())).is_ok(), length == whole.len(), "{length}");
        }
        std::fs::write(&path, [&[0xff], &whole[1..]].concat()).unwrap();
        assert!(sorter().resume(&runs).unwrap().finish(|_| Ok(())).is_err(), "a longer record");
        std::fs::remove_file(&path).unwrap();
        assert!(sorter().resume(&runs).is_err());
    }
}
