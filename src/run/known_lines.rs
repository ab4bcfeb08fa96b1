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
        let mut passes = passes_for(runs.length(number), self.memory);
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

/// The passes, as a power of two, in which the sets of so many keys are no larger than this memory, or small.
fn passes_for(keys: usize, memory: u64) -> u32 {
    let bytes = |passes: u32| slots_for(keys >> passes) as u64 * size_of::<u128>() as u64;
    let mut passes = 0;
    while bytes(passes) > memory && keys >> passes > 1 << 10 {
        passes += 1;
    }
    passes
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
    use std::collections::{BTreeSet, HashSet};
    use std::fs::File;
    use std::io;

    use super::*;
    use crate::SameUrl;
    use crate::formats::external_sort::ChunkKeys;
    use crate::output::receipt::Hex;
    use crate::rng::Rng;
    use crate::run::seen_file::write_keys;

    /// Keys of lines that came in chunks of `chunk`, with `buffered` bytes for those that are not written.
    fn runs(folder: &Path, keys: &[u128], chunk: usize, buffered: u64) -> KeyRuns {
        let (mut runs, mut sorted) = (KeyRuns::new(folder, &Share::for_test(buffered)).unwrap(), ChunkKeys::default());
        for chunk in keys.chunks(chunk) {
            sorted.sort(chunk);
            runs.add(&sorted).unwrap();
        }
        runs
    }

    /// The lines whose bits are set, of so many that came in chunks.
    fn lines(bits: &LineBits, count: usize, chunk: usize) -> Vec<usize> {
        let mut all = Vec::new();
        for first in (0..count).step_by(chunk) {
            bits.each(first as u64, chunk.min(count - first), |line| all.push(first + line));
        }
        all
    }

    fn seen_file(path: &Path, keys: &BTreeSet<u128>) -> SeenFile {
        let keys = vec![keys.iter().copied().map(Ok::<u128, io::Error>)];
        assert!(write_keys(&mut File::create(path).unwrap(), SameUrl::Bytes, None, keys).is_ok());
        SeenFile::open(path).unwrap()
    }

    /// Keys of lines: some are frequent, so that their runs are longer than a block and a pass. With `alike`, all are in one run and
    /// one part of it, as no hashes are.
    fn keys(rng: &mut Rng, count: usize, alike: bool) -> Vec<u128> {
        let spread = |n: usize| xxhash_rust::xxh3::xxh3_128(&n.to_le_bytes());
        let mut key = || match (alike, rng.below(4)) {
            (_, 0) => NO_URL,
            (true, _) => 1 + rng.below(count / 4) as u128,
            (false, 1) => spread(rng.below(2)),
            (false, _) => spread(rng.below(count / 4)),
        };
        (0..count).map(|_| key()).collect()
    }

    /// Some of these keys, and others.
    fn some(rng: &mut Rng, keys: &[u128]) -> BTreeSet<u128> {
        let others = (0..500).map(|n| xxhash_rust::xxh3::xxh3_128(&[1, n as u8]));
        keys.iter().copied().filter(|&key| key != NO_URL && rng.below(3) == 0).chain(others).collect()
    }

    /// However little memory there is, and whichever files have the keys, the lines that stay are those that sets in memory leave.
    #[test]
    fn known_lines_are_those_of_sets() {
        let mut rng = Rng(7);
        let count = if cfg!(miri) { 400 } else { 12_000 };
        for (alike, kind) in [false, true].into_iter().flat_map(|alike| [0, 1, 2].map(|kind| (alike, kind))) {
            let folder = tempfile::tempdir().unwrap();
            let keys = keys(&mut rng, count, alike);
            let mut before = HashSet::new();
            let is_repeated: Vec<bool> = keys.iter().map(|&key| key != NO_URL && !before.insert(key)).collect();
            let others: Vec<BTreeSet<u128>> = (0..kind).map(|_| some(&mut rng, &keys)).collect();
            let file = |number: usize| seen_file(&folder.path().join(number.to_string()), &others[number]);
            let seen = (kind == 1).then(|| file(0));
            let shards = (kind == 2).then(|| ShardKeys {
                earlier: vec![file(0), file(1)],
                own: seen_file(&folder.path().join("own"), &before.into_iter().collect()),
                checksum: Hex(0),
            });
            let is_known = |line: &usize| others.iter().any(|keys_of| keys_of.contains(&keys[*line]));
            let all = 0..keys.len();
            let in_file = |line: &usize| kind == 1 && !is_repeated[*line] && is_known(line);
            let repeated = |line: &usize| is_repeated[*line] || kind == 2 && is_known(line);
            let expected: [Vec<usize>; 2] =
                [all.clone().filter(repeated).collect(), all.clone().filter(in_file).collect()];
            for (chunk, buffered, threads, memory) in
                [(1000, 0, 1, 0), (7, 1 << 30, 3, 1 << 15), (count, 1 << 18, 2, 0), (64, 0, 2, u64::MAX)]
            {
                let runs = runs(folder.path(), &keys, chunk, buffered);
                let longest = (0..KeyRuns::COUNT).map(|run| runs.length(run)).max().unwrap();
                assert!(buffered > 0 || runs.most_blocks() > 1, "{longest} keys of a run");
                assert!(memory == u64::MAX || passes_for(longest, memory) > 0, "{longest} keys of a run");
                let files = KeyFiles { seen: seen.as_ref(), shards: shards.as_ref() };
                let known = known_lines(runs, folder.path(), threads, &Share::for_test(memory), files);
                let known = known.unwrap_or_else(|_| panic!("a file failed"));
                let found = [Some(&known.repeated), known.in_file.as_ref()];
                let found = found.map(|bits| bits.map_or(Vec::new(), |bits| lines(bits, count, chunk)));
                assert!(found == expected, "{alike} {kind} {chunk} {buffered} {memory}");
            }
        }
    }

    /// As no hashes are.
    #[test]
    fn parts_that_are_too_large_for_their_sets_are_read_in_fewer_passes() {
        let folder = tempfile::tempdir().unwrap();
        let runs = runs(folder.path(), &(1..=3000).collect::<Vec<u128>>(), 999, 0);
        let (passes, files) = (passes_for(3000, 0), KeyFiles::default());
        let mut set = RunSet { files, slots: Vec::new(), buffer: Vec::new(), hits: Vec::new(), memory: 0 };
        let (mut bits, mut none) = (vec![0; 47], []);
        assert!(
            passes > 1 && !set.find_in_parts(&runs, 0, passes, [&mut bits, &mut none]).is_ok_and(|is_done| is_done)
        );
        assert!(set.find(&runs, 0, [&mut bits, &mut none]).is_ok() && bits == [0; 47]);
    }

    /// In each part of each run.
    #[test]
    fn a_shard_has_the_keys_of_its_file_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let keys: Vec<u128> = (1..=3000).collect();
        for (file, is_own) in [(1..3001, true), (1..3000, false), (2..3001, false), (1..3002, false)] {
            let own = seen_file(&folder.path().join("own"), &file.collect());
            let shards = ShardKeys { earlier: Vec::new(), own, checksum: Hex(0) };
            let files = KeyFiles { seen: None, shards: Some(&shards) };
            let runs = runs(folder.path(), &keys, 999, 0);
            assert_eq!(known_lines(runs, folder.path(), 1, &Share::for_test(0), files).is_ok(), is_own);
        }
    }

    #[test]
    fn no_lines_have_no_known_ones() {
        let folder = tempfile::tempdir().unwrap();
        let known =
            known_lines(runs(folder.path(), &[], 1, 0), folder.path(), 1, &Share::for_test(0), KeyFiles::default());
        assert!(known.is_ok_and(|known| lines(&known.repeated, 0, 1).is_empty()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file has a name");
    }
}
