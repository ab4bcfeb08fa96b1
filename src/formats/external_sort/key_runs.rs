//! Keys that are hashes, sorted into runs by their first bits, with sequential reads and writes only.
//!
//! Each run has its keys in the order in which they came, so bits that are found out for the keys of runs become bits of lines: another
//! file has the run of each line, a byte. A run, or, if it is larger than memory, a part of it at a time, can be sorted or looked up by
//! itself.
//!
//! All files are unnamed. Blocks of all runs are appended to one of them, so it is written front to back, too.

use memmap2::MmapMut;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::formats::memory;
use crate::formats::memory_budget::Share;
use crate::formats::seekable::FileAt;

/// The key of a line that has none.
pub(crate) const NO_KEY: u128 = 0;

/// Bits of a key that choose its run.
pub(crate) const RUN_BITS: u32 = 7;

/// The number of runs.
const RUNS: usize = 1 << RUN_BITS;

/// The mark of a line without a key, in place of its run.
const NONE: u8 = u8::MAX;
const _: () = assert!(RUNS <= NONE as usize);

/// The keys of all lines, as far as they were added.
#[derive(Debug)]
pub(crate) struct KeyRuns {
    runs: Vec<Run>,
    /// Where the blocks of all runs are.
    file: File,
    /// The bytes written to it.
    written: u64,
    /// The run of each line.
    of_lines: io::BufWriter<File>,
    lines: u64,
    /// Keys in a block.
    block: usize,
}

/// The keys with the same first bits.
#[derive(Debug, Default)]
struct Run {
    /// Where its blocks begin.
    blocks: Vec<u64>,
    /// Those that are not yet written: less than a block.
    last: Vec<u128>,
}

/// The keys of a chunk, sorted by runs; memory that is used again for each chunk.
#[derive(Debug, Default)]
pub(crate) struct ChunkKeys {
    /// Those of each run after those of the one before, in the order of their lines.
    keys: Vec<u128>,
    /// Where the keys of each run end.
    ends: Vec<usize>,
    /// The run of each line.
    of_lines: Vec<u8>,
}

/// A bit for each line.
#[derive(Debug)]
pub(crate) struct LineBits(MmapMut);

/// All keys in ascending order.
pub(crate) struct KeysInOrder<'k> {
    keys: &'k KeyRuns,
    /// For keys that are sorted at once.
    memory: Share,
    /// The next run and its next part, of 2 to the power of `passes`.
    run: usize,
    part: u128,
    passes: u32,
    buffer: Vec<u128>,
    sorted: Vec<u128>,
    /// The place of the next key among those that are sorted.
    at: usize,
}

impl ChunkKeys {
    /// The number of lines.
    pub fn lines(&self) -> u64 {
        self.of_lines.len() as u64
    }

    /// Sorts the keys of the lines of a chunk.
    pub fn sort(&mut self, keys: &[u128]) {
        self.ends.clear();
        self.ends.resize(RUNS + 1, 0);
        self.of_lines.clear();
        self.of_lines.extend(keys.iter().map(|&key| if key == NO_KEY { NONE } else { run_of(key) as u8 }));
        for &run in self.of_lines.iter().filter(|&&run| run != NONE) {
            self.ends[usize::from(run) + 1] += 1;
        }
        for run in 0..RUNS {
            self.ends[run + 1] += self.ends[run];
        }
        self.keys.resize(self.ends[RUNS], NO_KEY);
        // Where a run begins becomes where it ends, as its keys come.
        for (&key, &run) in keys.iter().zip(&self.of_lines).filter(|&(_, &run)| run != NONE) {
            let end = &mut self.ends[usize::from(run)];
            self.keys[*end] = key;
            *end += 1;
        }
    }
}

impl KeyRuns {
    /// Bytes written for a line: its key, and its run.
    #[cfg(feature = "cli")]
    pub const BYTES_PER_LINE: u64 = size_of::<u128>() as u64 + 1;

    /// The number of runs.
    pub const COUNT: usize = RUNS;

    /// No keys yet, in unnamed files of `folder`, with this memory for those that are not written, or half a MiB if that is more.
    pub fn new(folder: &Path, memory: &Share) -> io::Result<KeyRuns> {
        // Shorter blocks take more calls of the system than is worth their memory.
        let bytes = (memory.bytes() / RUNS as u64).clamp(4 << 10, 128 << 10);
        let block = 1 << (bytes / size_of::<u128>() as u64).ilog2();
        let runs = (0..RUNS).map(|_| Run { blocks: Vec::new(), last: Vec::with_capacity(block) }).collect();
        let of_lines = io::BufWriter::with_capacity(64 << 10, tempfile::tempfile_in(folder)?);
        Ok(KeyRuns { runs, file: tempfile::tempfile_in(folder)?, written: 0, of_lines, lines: 0, block })
    }

    /// The bytes written so far.
    pub fn written(&self) -> u64 {
        self.written + self.lines
    }

    /// The number of lines.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Adds the keys of the next lines.
    pub fn add(&mut self, sorted: &ChunkKeys) -> io::Result<()> {
        let KeyRuns { runs, file, written, block, .. } = self;
        let mut start = 0;
        for (run, &end) in runs.iter_mut().zip(&sorted.ends) {
            let mut keys = &sorted.keys[start..end];
            start = end;
            while !keys.is_empty() {
                let (now, later) = keys.split_at(keys.len().min(*block - run.last.len()));
                run.last.extend_from_slice(now);
                keys = later;
                if run.last.len() == *block {
                    file.write_all(bytemuck::cast_slice(&run.last))?;
                    run.blocks.push(*written);
                    *written += size_of_val(&run.last[..]) as u64;
                    run.last.clear();
                }
            }
        }
        self.of_lines.write_all(&sorted.of_lines)?;
        self.lines += sorted.of_lines.len() as u64;
        Ok(())
    }

    /// All keys in ascending order, with this memory for those that are sorted at once.
    pub fn in_order(&self, memory: Share) -> KeysInOrder<'_> {
        let (buffer, sorted) = (Vec::new(), Vec::new());
        KeysInOrder { keys: self, memory, run: 0, part: 0, passes: 0, buffer, sorted, at: 0 }
    }

    /// The bits of lines, by those of the keys of all runs; each run has as many words as `words` says.
    pub fn bits_of_lines(&self, folder: &Path, words: &[usize], bits: &[u64]) -> io::Result<LineBits> {
        let mut of_lines = memory::zeros(folder, self.lines.div_ceil(64).max(1) * 8)?;
        // The next bit of each run.
        let mut next = [0; RUNS];
        for (run, length) in words[..RUNS - 1].iter().enumerate() {
            next[run + 1] = next[run] + 64 * length;
        }
        let mut file = FileAt::new(self.of_lines.get_ref(), self.lines);
        let (mut runs, mut words) = (vec![0; 64 << 10], bytemuck::cast_slice_mut::<u8, u64>(&mut of_lines).iter_mut());
        let mut left = self.lines as usize;
        while left > 0 {
            let now = left.min(runs.len());
            file.read_exact(&mut runs[..now])?;
            left -= now;
            for (runs, word) in runs[..now].chunks(64).zip(&mut words) {
                for (line, &run) in runs.iter().enumerate().filter(|&(_, &run)| run != NONE) {
                    let bit = &mut next[usize::from(run) % RUNS];
                    *word |= (bits[*bit / 64] >> (*bit % 64) & 1) << line;
                    *bit += 1;
                }
            }
        }
        Ok(LineBits(of_lines))
    }

    /// Ends adding: what is buffered is written.
    pub fn end(&mut self) -> io::Result<()> {
        self.of_lines.flush()
    }

    /// The most blocks of a run that were written.
    #[cfg(test)]
    pub fn most_blocks(&self) -> usize {
        self.runs.iter().map(|run| run.blocks.len()).max().unwrap_or_default()
    }

    /// The number of keys of a run.
    pub fn length(&self, run: usize) -> usize {
        let run = &self.runs[run];
        run.blocks.len() * self.block + run.last.len()
    }

    /// Calls `each` with the keys of a run, in order, and where they begin in it.
    pub fn read(&self, run: usize, buffer: &mut Vec<u128>, mut each: impl FnMut(usize, &[u128])) -> io::Result<()> {
        let run = &self.runs[run];
        buffer.resize(self.block, NO_KEY);
        let file = FileAt::new(&self.file, self.written);
        for (number, &at) in run.blocks.iter().enumerate() {
            file.from(at).read_exact(bytemuck::cast_slice_mut(buffer))?;
            each(number * self.block, buffer);
        }
        each(run.blocks.len() * self.block, &run.last);
        Ok(())
    }
}

impl LineBits {
    /// Calls `each` with the lines whose bits are set, counted from `first`, of this many lines from there on.
    pub fn each(&self, first: u64, count: usize, mut each: impl FnMut(usize)) {
        let bits: &[u64] = bytemuck::cast_slice(&self.0);
        let (first, end) = (first as usize, first as usize + count);
        for word in first / 64..end.div_ceil(64) {
            let mut left = bits.get(word).copied().unwrap_or_default();
            while left != 0 {
                let line = 64 * word + left.trailing_zeros() as usize;
                if (first..end).contains(&line) {
                    each(line - first);
                }
                left &= left - 1;
            }
        }
    }
}

impl KeysInOrder<'_> {
    /// Sorts the next part; returns whether there is one.
    fn sort_next(&mut self) -> io::Result<bool> {
        let KeysInOrder { keys, memory, run, part, passes, buffer, sorted, at } = self;
        if *run == RUNS {
            return Ok(false);
        }
        if *part == 0 {
            let bytes = keys.length(*run) as u64 * size_of::<u128>() as u64;
            *passes = (0..).find(|&passes| bytes >> passes <= memory.bytes().max(1 << 16)).unwrap_or_default();
        }
        sorted.clear();
        keys.read(*run, buffer, |_, keys| sorted.extend(keys.iter().filter(|&&key| is_of_part(key, *part, *passes))))?;
        sorted.sort_unstable();
        (*at, *part) = (0, *part + 1);
        if *part == 1 << *passes {
            (*run, *part) = (*run + 1, 0);
        }
        Ok(true)
    }
}

impl Iterator for KeysInOrder<'_> {
    type Item = io::Result<u128>;

    #[inline]
    fn next(&mut self) -> Option<io::Result<u128>> {
        while self.at == self.sorted.len() {
            match self.sort_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        self.at += 1;
        Some(Ok(self.sorted[self.at - 1]))
    }
}

/// Whether a key is of this part of its run, of 2 to the power of `passes`.
#[inline]
pub(crate) fn is_of_part(key: u128, part: u128, passes: u32) -> bool {
    passes == 0 || key << RUN_BITS >> (u128::BITS - passes) == part
}

/// The run of a key.
fn run_of(key: u128) -> usize {
    (key >> (u128::BITS - RUN_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_order_whatever_memory_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let spread = |n: usize| xxhash_rust::xxh3::xxh3_128(&n.to_le_bytes());
        let keys: Vec<u128> = (0..6000).map(|line| if line % 7 == 0 { NO_KEY } else { spread(line % 4000) }).collect();
        // As no hashes are: all in one run, which is longer than memory.
        let of_one_run: Vec<u128> = (0..9000).map(|line| spread(line % 7000) >> RUN_BITS).collect();
        let same = vec![5; 9000];
        for (keys, memory, most_passes) in
            [(&keys, 0, 0), (&keys, u64::MAX, 0), (&of_one_run, 0, 2), (&of_one_run, u64::MAX, 0), (&same, 0, 2)]
        {
            let mut expected: Vec<u128> = keys.iter().copied().filter(|&key| key != NO_KEY).collect();
            expected.sort_unstable();
            let (mut runs, mut chunk) =
                (KeyRuns::new(folder.path(), &Share::for_test(0)).unwrap(), ChunkKeys::default());
            for keys in keys.chunks(1000) {
                chunk.sort(keys);
                runs.add(&chunk).unwrap();
            }
            assert!(memory > 0 || most_passes == 0 || runs.most_blocks() > 1);
            runs.end().unwrap();
            let files = [&runs.file, runs.of_lines.get_ref()].map(|file| file.metadata().unwrap().len());
            assert_eq!(runs.written(), files.iter().sum::<u64>(), "{memory}");
            let (mut in_order, mut passes, mut found) = (runs.in_order(Share::for_test(memory)), 0, Vec::new());
            while let Some(key) = in_order.next() {
                passes = passes.max(in_order.passes);
                found.push(key.unwrap());
            }
            assert_eq!(passes, most_passes, "{memory}");
            assert!(found == expected, "{memory} {passes}");
        }
    }
}
