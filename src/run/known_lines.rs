//! Finds the lines whose URLs are known, among any number of them: from lines before, earlier runs, or other shards.
//!
//! A set of all keys is only fast while it fits into memory: each look-up is at a random place. So keys are
//! [sorted into runs](crate::formats::external_sort) by their first bits. Each run is read by itself; then the set of its keys fits, or
//! is small enough in a few passes over the run, each for the keys with the same next bits.
//!
//! The keys of a run are not sorted for that: a set finds those that are repeated in a third of the time.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::seen::{NO_URL, contains, insert, prefetch_ahead};
use super::seen_file::{SeenFile, ShardKeys, Unwritten};
use crate::formats::external_sort::{KeyRuns, LineBits, RUN_BITS, is_of_part};
use crate::formats::memory;
use crate::formats::memory_budget::Share;
use crate::lock::lock;
use crate::threads;

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

/// Finds the lines whose keys were those of earlier ones, and those whose keys are in files. Each of the `threads` takes up to `memory`
/// bytes for a set.
pub(super) fn known_lines(
    mut keys: KeyRuns,
    folder: &Path,
    threads: usize,
    memory: &Share,
    files: KeyFiles<'_>,
) -> Result<KnownLines, Unwritten> {
    keys.end()?;
    let lengths: Vec<usize> = (0..KeyRuns::COUNT).map(|run| keys.length(run).div_ceil(64)).collect();
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
        let mut set = RunSet { files, slots: Vec::new(), buffer: Vec::new(), hits: Vec::new(), memory: memory.bytes() };
        loop {
            let next = lock(&work).next().filter(|_| !has_failed.load(Ordering::Relaxed));
            let Some((number, bits)) = next else { return Ok(()) };
            set.find(&keys, number, bits).inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
        }
    };
    threads::at_once(threads, find).into_iter().collect::<Result<(), Unwritten>>()?;
    let of_lines = |bits: &[u8]| keys.bits_of_lines(folder, &lengths, bytemuck::cast_slice(bits));
    Ok(KnownLines { repeated: of_lines(&repeated)?, in_file: files.seen.map(|_| of_lines(&in_file)).transpose()? })
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
        let keys = runs.length(number);
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
        // Bits that all keys of the set have are of no use to choose a slot.
        let by = |key: u128| key.rotate_left(RUN_BITS + passes);
        for part in 0..1_u128 << passes {
            let RunSet { slots, buffer, .. } = self;
            slots.clear();
            slots.resize(slots_for(runs.length(number) >> passes), NO_URL);
            let mut free = slots_free(slots.len());
            runs.read(number, buffer, |first, keys| {
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
            let begin = ((number as u128) << passes | part, RUN_BITS + passes);
            self.find_in_files(runs, number, begin, held, [&mut *repeated, &mut *in_file])?;
        }
        Ok(true)
    }

    /// Sets the bits of the keys of a run that are in files, and begin with these bits, as all `held` by the set do. Those that an earlier
    /// shard has are repeated; of those that earlier runs have seen, the first is in the file.
    fn find_in_files(
        &mut self,
        runs: &KeyRuns,
        number: usize,
        (first_bits, bits): (u128, u32),
        held: usize,
        [repeated, in_file]: [&mut [u64]; 2],
    ) -> Result<(), Unwritten> {
        let RunSet { files: KeyFiles { seen, shards }, slots, buffer, hits, .. } = self;
        let is_held = |key: u128| contains(slots, key.rotate_left(bits));
        if let Some(ShardKeys { own, .. }) = shards {
            let (mut all, mut shared) = (0, 0);
            own.each_beginning(first_bits, bits, |key| {
                all += 1;
                shared += usize::from(is_held(key));
            })?;
            if (all, shared) != (held, held) {
                return Err(own.invalid("has other URLs than the lists of its shard; write it again").into());
            }
        }
        hits.clear();
        for file in seen.iter().copied().chain(shards.iter().flat_map(|shards| &shards.earlier)) {
            file.each_beginning(first_bits, bits, |key| hits.extend(Some(key).filter(|&key| is_held(key))))?;
        }
        if hits.is_empty() {
            return Ok(());
        }
        hits.sort_unstable();
        let read = runs.read(number, buffer, |first, keys| {
            for (at, _) in keys.iter().enumerate().filter(|(_, key)| hits.binary_search(key).is_ok()) {
                let (word, bit) = ((first + at) / 64, 1 << ((first + at) % 64));
                match seen {
                    Some(_) => in_file[word] |= bit & !repeated[word],
                    None => repeated[word] |= bit,
                }
            }
        });
        Ok(read?)
    }
}

/// How many slots of a table may become full.
fn slots_free(slots: usize) -> usize {
    slots - slots / 8
}

/// The slots of a table for this many keys: at most two thirds become full.
fn slots_for(keys: usize) -> usize {
    (keys + keys / 2 + 64).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs::File;
    use std::io;

    use super::*;
    use crate::formats::external_sort::ChunkKeys;
    use crate::rng::Rng;

    /// The lines whose keys are repeated, of keys given in chunks of this many.
    fn found(keys: &[u128], chunk: usize, buffered: u64, threads: usize, memory: u64) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let (mut runs, mut sorted) =
            (KeyRuns::new(folder.path(), &Share::for_test(buffered)).unwrap(), ChunkKeys::default());
        for chunk in keys.chunks(chunk) {
            sorted.sort(chunk);
            runs.add(&sorted).unwrap();
        }
        let known = known_lines(runs, folder.path(), threads, &Share::for_test(memory), KeyFiles::default())
            .unwrap_or_else(|_| panic!("a file failed"));
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
        let of_file = vec![of_file.into_iter().map(Ok::<u128, io::Error>)];
        assert!(crate::run::seen_file::write_keys(&mut file, crate::SameUrl::Bytes, None, of_file).is_ok());
        let file = SeenFile::open(&path).unwrap();
        file.check().unwrap();
        let keys: Vec<u128> = (0..6000).map(|line| if line % 7 == 0 { NO_URL } else { spread(line % 4000) }).collect();
        let repeated = expected(&keys);
        let is_first = |line: &usize| keys[*line] != NO_URL && !repeated.contains(line);
        let expected: Vec<usize> = (0..6000).filter(is_first).filter(|line| line % 4000 % 3 != 0).collect();
        for memory in [0, u64::MAX] {
            let (mut runs, mut sorted) =
                (KeyRuns::new(folder.path(), &Share::for_test(0)).unwrap(), ChunkKeys::default());
            sorted.sort(&keys);
            runs.add(&sorted).unwrap();
            let files = KeyFiles { seen: Some(&file), shards: None };
            let known = known_lines(runs, folder.path(), 2, &Share::for_test(memory), files)
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
