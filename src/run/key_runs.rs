//! Finds which of any number of keys are repeated, with sequential reads and writes only.
//!
//! A set of all keys is only fast while it fits into memory: each look-up is at a random place. So keys are sorted into runs by their
//! first bits. Each run is written in the order of the lines, from front to back, and read again by itself; then the set of its keys
//! fits, or is small enough in a few passes over the run, each for the keys with the same next bits. That says, with a bit a key,
//! which were before it in the run. Another file has the run of each line, a byte; with it, bits of keys become bits of lines.
//!
//! All files are unnamed. Blocks of all runs are appended to one of them, so it is written front to back, too.

use memmap2::MmapMut;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::seen::{NO_URL, contains, insert, prefetch_ahead};
use super::seen_file::{SeenError, SeenFile, ShardKeys, Unwritten};
use crate::formats::memory;
use crate::formats::seekable::FileAt;
use crate::lock::lock;
use crate::threads;

/// Bits of a key that choose its run.
const BITS: u32 = 7;

/// The number of runs.
const RUNS: usize = 1 << BITS;

/// The mark of a line without a key, in place of its run.
const NONE: u8 = u8::MAX;
const _: () = assert!(RUNS <= NONE as usize);

/// The keys of all lines, as far as they were added.
#[derive(Debug)]
pub(super) struct KeyRuns {
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
pub(super) struct SortedKeys {
    /// Those of each run after those of the one before, in the order of their lines.
    keys: Vec<u128>,
    /// Where the keys of each run end.
    ends: Vec<usize>,
    /// The run of each line.
    of_lines: Vec<u8>,
}

/// Files whose keys are looked for among those of the lines. A run has one of them at most.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyFiles<'f> {
    /// The URLs that earlier runs have seen.
    pub seen: Option<&'f SeenFile>,
    /// Those of all shards: lines that an earlier shard has, too, are repeated.
    pub shards: Option<&'f ShardKeys>,
}

/// Which lines are known.
#[derive(Debug)]
pub(super) struct KnownLines {
    /// Those whose keys lines before them have, too.
    pub repeated: LineBits,
    /// The first lines with keys that earlier runs have seen, if there is a file of those.
    pub in_file: Option<LineBits>,
}

/// A bit for each line.
#[derive(Debug)]
pub(super) struct LineBits(MmapMut);

impl SortedKeys {
    /// The number of lines.
    pub fn lines(&self) -> u64 {
        self.of_lines.len() as u64
    }

    /// Sorts the keys of the lines of a chunk.
    pub fn sort(&mut self, keys: &[u128]) {
        self.ends.clear();
        self.ends.resize(RUNS + 1, 0);
        self.of_lines.clear();
        self.of_lines.extend(keys.iter().map(|&key| if key == NO_URL { NONE } else { run_of(key) as u8 }));
        for &run in self.of_lines.iter().filter(|&&run| run != NONE) {
            self.ends[usize::from(run) + 1] += 1;
        }
        for run in 0..RUNS {
            self.ends[run + 1] += self.ends[run];
        }
        self.keys.resize(self.ends[RUNS], NO_URL);
        // Where a run begins becomes where it ends, as its keys come.
        for (&key, &run) in keys.iter().zip(&self.of_lines).filter(|&(_, &run)| run != NONE) {
            let end = &mut self.ends[usize::from(run)];
            self.keys[*end] = key;
            *end += 1;
        }
    }
}

impl KeyRuns {
    /// No keys yet, in unnamed files of `folder`, with up to `memory` bytes for those that are not written.
    pub fn new(folder: &Path, memory: u64) -> io::Result<KeyRuns> {
        let bytes = (memory / RUNS as u64).clamp(1 << 10, 128 << 10);
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
    pub fn add(&mut self, sorted: &SortedKeys) -> io::Result<()> {
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

    /// Finds the lines whose keys were those of earlier ones, and those whose keys are in files. Each of the `threads` takes up to
    /// `memory` bytes for a set.
    pub fn known(
        mut self,
        folder: &Path,
        threads: usize,
        memory: u64,
        files: KeyFiles<'_>,
    ) -> Result<KnownLines, Unwritten> {
        self.of_lines.flush()?;
        let lengths: Vec<usize> = self.runs.iter().map(|run| self.length(run).div_ceil(64)).collect();
        let zeros = |words: usize| memory::zeros(folder, (words as u64 * 8).max(8));
        let words = lengths.iter().sum();
        let (mut repeated, mut in_file) = (zeros(words)?, zeros(if files.seen.is_some() { words } else { 0 })?);
        let mut rest = [&mut repeated, &mut in_file].map(|bits| bytemuck::cast_slice_mut::<u8, u64>(bits));
        let mut work = Vec::new();
        for (number, &length) in lengths.iter().enumerate() {
            work.push((number, rest.each_mut().map(|rest| rest.split_off_mut(..length).unwrap_or_default())));
        }
        let (work, has_failed) = (Mutex::new(work.into_iter()), AtomicBool::new(false));
        let find = || {
            let mut set = RunSet { files, slots: Vec::new(), buffer: Vec::new(), hits: Vec::new(), memory };
            loop {
                let next = lock(&work).next().filter(|_| !has_failed.load(Ordering::Relaxed));
                let Some((number, bits)) = next else { return Ok(()) };
                set.find(&self, number, bits).inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
            }
        };
        threads::at_once(threads, find).into_iter().collect::<Result<(), Unwritten>>()?;
        let of_lines = |bits: &[u8]| self.of_lines(folder, &lengths, bytemuck::cast_slice(bits));
        Ok(KnownLines { repeated: of_lines(&repeated)?, in_file: files.seen.map(|_| of_lines(&in_file)).transpose()? })
    }

    /// Passes all keys to `each`, in ascending order, with up to `memory` bytes for those that are sorted at once.
    pub fn each_in_order<E: From<io::Error>>(
        &self,
        memory: u64,
        mut each: impl FnMut(u128) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut buffer, mut sorted) = (Vec::new(), Vec::new());
        for run in &self.runs {
            let bytes = |passes: u32| (self.length(run) as u64 * size_of::<u128>() as u64) >> passes;
            let passes = (0..).find(|&passes| bytes(passes) <= memory.max(1 << 16)).unwrap_or_default();
            for part in 0..1_u128 << passes {
                sorted.clear();
                self.read(run, &mut buffer, |_, keys| {
                    sorted.extend(keys.iter().filter(|&&key| is_of_part(key, part, passes)));
                })?;
                sorted.sort_unstable();
                sorted.iter().try_for_each(|&key| each(key))?;
            }
        }
        Ok(())
    }

    /// The bits of lines, by those of the keys of all runs; each run has as many words as `lengths` says.
    fn of_lines(&self, folder: &Path, lengths: &[usize], bits: &[u64]) -> io::Result<LineBits> {
        let mut of_lines = memory::zeros(folder, self.lines.div_ceil(64).max(1) * 8)?;
        // The next bit of each run.
        let mut next = [0; RUNS];
        for (run, length) in lengths[..RUNS - 1].iter().enumerate() {
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

    /// The number of keys of a run.
    fn length(&self, run: &Run) -> usize {
        run.blocks.len() * self.block + run.last.len()
    }

    /// Calls `each` with the keys of a run, in order, and where they begin in it.
    fn read(&self, run: &Run, buffer: &mut Vec<u128>, mut each: impl FnMut(usize, &[u128])) -> io::Result<()> {
        buffer.resize(self.block, NO_URL);
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

/// The set of a part of the keys of a run.
struct RunSet<'f> {
    files: KeyFiles<'f>,
    /// A table as in [`seen`](super::seen).
    slots: Vec<u128>,
    buffer: Vec<u128>,
    /// Keys of the set that are in files, in ascending order.
    hits: Vec<u128>,
    /// The bytes that the table may take.
    memory: u64,
}

impl RunSet<'_> {
    /// Sets the bits of the keys of a run that were in it before, and of those that are in files.
    fn find(&mut self, runs: &KeyRuns, number: usize, bits: [&mut [u64]; 2]) -> Result<(), Unwritten> {
        let keys = runs.length(&runs.runs[number]);
        let bytes = |passes: u32| slots_for(keys >> passes) as u64 * size_of::<u128>() as u64;
        let mut passes = 0;
        while bytes(passes) > self.memory && keys >> passes > 1 << 10 {
            passes += 1;
        }
        let [repeated, in_file] = bits;
        // Keys are hashes, so parts are about equal. If one is far larger, fewer passes have larger sets.
        while !self.find_in_parts(runs, number, passes, [&mut *repeated, &mut *in_file])? {
            passes -= 1;
        }
        Ok(())
    }

    /// The same in 2 to the power of `passes` parts, by the next bits of keys; false if one has more keys than its set has room for,
    /// which is never so of a single part.
    fn find_in_parts(
        &mut self,
        runs: &KeyRuns,
        number: usize,
        passes: u32,
        [repeated, in_file]: [&mut [u64]; 2],
    ) -> Result<bool, Unwritten> {
        let run = &runs.runs[number];
        // Bits that all keys of the set have are of no use to choose a slot.
        let by = |key: u128| key.rotate_left(BITS + passes);
        for part in 0..1_u128 << passes {
            let RunSet { slots, buffer, .. } = self;
            slots.clear();
            slots.resize(slots_for(runs.length(run) >> passes), NO_URL);
            let mut free = slots_free(slots.len());
            runs.read(run, buffer, |first, keys| {
                for (at, &key) in keys.iter().enumerate() {
                    if free == 0 || !is_of_part(key, part, passes) {
                        continue;
                    }
                    prefetch_ahead(slots, keys, at, by);
                    if insert(slots, by(key)) {
                        free -= 1;
                    } else {
                        repeated[(first + at) / 64] |= 1 << ((first + at) % 64);
                    }
                }
            })?;
            if free == 0 && passes > 0 {
                return Ok(false);
            }
            let held = slots_free(slots.len()) - free;
            let begin = ((number as u128) << passes | part, BITS + passes);
            self.find_in_shards(runs, run, begin, held, repeated)?;
            self.find_in_file(runs, run, begin, repeated, in_file)?;
        }
        Ok(true)
    }

    /// Sets the bits of the keys of a run that an earlier shard has, too, and begin with these bits, as all `held` by the set do.
    fn find_in_shards(
        &mut self,
        runs: &KeyRuns,
        run: &Run,
        (first_bits, bits): (u128, u32),
        held: usize,
        repeated: &mut [u64],
    ) -> Result<(), Unwritten> {
        let Some(ShardKeys { earlier, own, .. }) = self.files.shards else { return Ok(()) };
        let (slots, mut all, mut shared) = (&self.slots, 0, 0);
        own.each_beginning(first_bits, bits, |key| {
            all += 1;
            shared += usize::from(contains(slots, key.rotate_left(bits)));
        })?;
        if (all, shared) != (held, held) {
            return Err(own.invalid("has other URLs than the lists of its shard; write it again").into());
        }
        self.hits.clear();
        earlier.iter().try_for_each(|file| self.add_hits(file, (first_bits, bits)))?;
        self.hits.sort_unstable();
        self.each_hit(runs, run, |word, bit| repeated[word] |= bit).map_err(Unwritten::from)
    }

    /// Sets the bits of the first keys of a run that earlier runs have seen, and begin with these bits, as all in the set do.
    fn find_in_file(
        &mut self,
        runs: &KeyRuns,
        run: &Run,
        begin: (u128, u32),
        repeated: &[u64],
        in_file: &mut [u64],
    ) -> Result<(), Unwritten> {
        let Some(file) = self.files.seen else { return Ok(()) };
        self.hits.clear();
        self.add_hits(file, begin)?;
        self.each_hit(runs, run, |word, bit| in_file[word] |= bit & !repeated[word]).map_err(Unwritten::from)
    }

    /// Adds the keys of a file that begin with these bits and are in the set to the hits.
    fn add_hits(&mut self, file: &SeenFile, (first_bits, bits): (u128, u32)) -> Result<(), SeenError> {
        let RunSet { slots, hits, .. } = self;
        file.each_beginning(first_bits, bits, |key| {
            if contains(slots, key.rotate_left(bits)) {
                hits.push(key);
            }
        })
    }

    /// Calls `set` with the word and the bit of each key of a run that is among the hits.
    fn each_hit(&mut self, runs: &KeyRuns, run: &Run, mut set: impl FnMut(usize, u64)) -> io::Result<()> {
        let RunSet { buffer, hits, .. } = self;
        if hits.is_empty() {
            return Ok(());
        }
        runs.read(run, buffer, |first, keys| {
            let is_hit = |&(_, key): &(usize, &u128)| hits.binary_search(key).is_ok();
            for (at, _) in keys.iter().enumerate().filter(is_hit) {
                set((first + at) / 64, 1 << ((first + at) % 64));
            }
        })
    }
}

/// Whether a key is of this part of its run, of 2 to the power of `passes`.
#[inline]
fn is_of_part(key: u128, part: u128, passes: u32) -> bool {
    passes == 0 || key << BITS >> (u128::BITS - passes) == part
}

/// How many slots of a table may become full.
fn slots_free(slots: usize) -> usize {
    slots - slots / 8
}

/// The slots of a table for this many keys: at most two thirds become full.
fn slots_for(keys: usize) -> usize {
    (keys + keys / 2 + 64).next_power_of_two()
}

/// The run of a key.
fn run_of(key: u128) -> usize {
    (key >> (u128::BITS - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::rng::Rng;

    /// What is repeated among these keys, given in chunks of this many.
    fn found(keys: &[u128], chunk: usize, buffered: u64, threads: usize, memory: u64) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let (mut runs, mut sorted) = (KeyRuns::new(folder.path(), buffered).unwrap(), SortedKeys::default());
        for chunk in keys.chunks(chunk) {
            sorted.sort(chunk);
            runs.add(&sorted).unwrap();
        }
        let known =
            runs.known(folder.path(), threads, memory, KeyFiles::default()).unwrap_or_else(|_| panic!("a file failed"));
        let repeated = known.repeated;
        let mut all = Vec::new();
        for (number, keys) in keys.chunks(chunk).enumerate() {
            repeated.each((number * chunk) as u64, keys.len(), |line| all.push(number * chunk + line));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        all
    }

    fn expected(keys: &[u128]) -> Vec<usize> {
        let mut seen = HashSet::new();
        let is_repeated = |&(_, &key): &(usize, &u128)| key != NO_URL && !seen.insert(key);
        keys.iter().enumerate().filter(is_repeated).map(|(line, _)| line).collect()
    }

    #[test]
    fn repeated_keys_are_those_that_a_set_has() {
        let mut rng = Rng(7);
        let keys = if cfg!(miri) { 500 } else { 60_000 };
        let spread = |n: usize| xxhash_rust::xxh3::xxh3_128(&n.to_le_bytes());
        let keys: Vec<u128> = (0..keys)
            .map(|_| match rng.below(4) {
                0 => NO_URL,
                1 => spread(rng.below(20)),
                _ => spread(rng.below(1 << 16)),
            })
            .collect();
        let expected = expected(&keys);
        for (chunk, buffered, threads, memory) in
            [(1000, 0, 1, u64::MAX), (7, 1 << 30, 3, 0), (60_000, 1 << 18, 2, 1 << 12), (64, 0, 2, 1 << 14)]
        {
            assert_eq!(found(&keys, chunk, buffered, threads, memory), expected, "{chunk} {buffered} {memory}");
        }
        assert!(found(&[], 1, 0, 1, 0).is_empty());
    }

    #[test]
    fn the_first_lines_with_keys_of_a_file_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let spread = |n: usize| xxhash_rust::xxh3::xxh3_128(&n.to_le_bytes());
        let mut of_file: Vec<u128> = (0..9000).filter(|n| n % 3 != 0).map(spread).collect();
        of_file.sort_unstable();
        let path = folder.path().join("file");
        let mut file = File::create(&path).unwrap();
        let mut writer = crate::run::seen_file::Writer::new(crate::SameUrl::Bytes, None, &mut file).unwrap();
        of_file.iter().for_each(|&key| writer.add(key).unwrap());
        writer.end().unwrap();
        let file = SeenFile::open(&path).unwrap();
        file.check().unwrap();
        let keys: Vec<u128> = (0..6000).map(|line| if line % 7 == 0 { NO_URL } else { spread(line % 4000) }).collect();
        let repeated = expected(&keys);
        let is_first = |line: &usize| keys[*line] != NO_URL && !repeated.contains(line);
        let expected: Vec<usize> = (0..6000).filter(is_first).filter(|line| line % 4000 % 3 != 0).collect();
        for memory in [0, u64::MAX] {
            let (mut runs, mut sorted) = (KeyRuns::new(folder.path(), 0).unwrap(), SortedKeys::default());
            sorted.sort(&keys);
            runs.add(&sorted).unwrap();
            let mut in_order = Vec::new();
            let push = |key| {
                in_order.push(key);
                Ok::<(), io::Error>(())
            };
            runs.each_in_order(memory, push).unwrap();
            let mut all: Vec<u128> = keys.iter().copied().filter(|&key| key != NO_URL).collect();
            all.sort_unstable();
            assert_eq!(in_order, all);
            let known = runs
                .known(folder.path(), 2, memory, KeyFiles { seen: Some(&file), shards: None })
                .unwrap_or_else(|_| panic!("a file failed"));
            let [mut first, mut again] = [Vec::new(), Vec::new()];
            known.in_file.unwrap().each(0, keys.len(), |line| first.push(line));
            known.repeated.each(0, keys.len(), |line| again.push(line));
            assert_eq!((&first, &again), (&expected, &repeated), "{memory}");
        }
    }

    /// As no hashes are.
    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn keys_with_the_same_first_bits_are_told_apart() {
        let keys: Vec<u128> = (1..=3000).map(|n| if n % 3 == 0 { 1 } else { n }).collect();
        assert_eq!(found(&keys, 999, 0, 1, 0), expected(&keys));
    }
}
