//! Builds the front of an automaton from its patterns.

use super::item::{
    ALWAYS, BASE_BLOCKED, BEGINNINGS, BLOOM_BYTES, BUCKET, BUCKET_BYTES, CUTS, FLAGS, FREE, FREE_CLASSES, HEADER,
    LANES, LENGTH, LENGTHS, LONGEST, NEVER, PAIRS, ROOT_PASSES, TABLE, TABLES,
};
use super::triples::{self, Triple};
use super::{bloom, prefixes};
use crate::rules::{Pattern, Patterns, Verdict};

/// The path that some dialects allow whatever the rules say: if the base verdict is "blocked", it always passes.
const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// The least number of free lanes, if there are that many prefixes without triples.
const LEAST_FREE: usize = 3;
/// This many buckets are tried even if they have less than one fingerprint each, on average; more are given up then.
const FEW_BUCKETS: usize = 8;
/// The most buckets: their bytes are counted in 16 bits.
const MOST_BUCKETS: usize = u16::MAX as usize / BUCKET;
/// Lengths to cut prefixes to if there would be too many buckets.
const SHORTER: [usize; 3] = [LONGEST, 16, 8];
/// The most triples of a table, on average.
const TRIPLES_A_TABLE: usize = 10;
/// The most triple tables: each is compared with the whole path.
const MOST_TABLES: usize = 16;

/// Memory for building fronts, reused.
#[derive(Debug, Default)]
pub(crate) struct FrontSpace {
    prefixes: Vec<Prefix>,
    entries: Vec<PrefixEntry>,
    /// Triples that need no prefix, each with a second triple of the same pattern.
    free: Vec<(Triple, Triple)>,
    /// Triples with the lanes they are tied to, one of which is enough.
    tied: Vec<(Triple, u8)>,
    buckets: Vec<[u16; LANES]>,
    /// Beginnings of prefixes, as words already cut.
    beginnings: Vec<u64>,
    bloom: Vec<u8>,
    /// The lanes in use of each bucket.
    taken: Vec<u8>,
}

/// The literal prefix of a pattern, and the triple that it needs besides.
#[derive(Debug, Clone, Copy)]
struct Prefix {
    /// Where it begins in the text of the patterns.
    start: u32,
    length: u8,
    triple: Option<Triple>,
}

/// The hash of a cut prefix in the upper half; in the lower half, the prefix's number plus 1 if it needs a triple.
type PrefixEntry = u64;

fn hash_of(entry: PrefixEntry) -> u32 {
    (entry >> 32) as u32
}

fn needs_triple(entry: PrefixEntry) -> bool {
    entry as u32 != 0
}

/// Every path passes: a pattern has nothing to probe for, or there is no room.
struct AllPass;

/// Appends the front of an automaton, without the length of the item, to `words`.
pub(crate) fn build(patterns: &Patterns, space: &mut FrontSpace, words: &mut Vec<u32>) {
    let all = patterns.all();
    let rank = all.iter().position(|pattern| !pattern.anchored && matches_root(patterns, pattern));
    let base = rank.map_or(Verdict::Allowed, |rank| all[rank].verdict);
    let opposite = all[..rank.unwrap_or(all.len())].iter().filter(|pattern| pattern.verdict != base);
    let mut header = [0; HEADER];
    space.clear();
    let mut gathered = Ok(());
    for pattern in opposite {
        gathered = gathered.and(space.gather(patterns, pattern));
        if matches_root(patterns, pattern) {
            header[FLAGS] |= ROOT_PASSES;
        }
    }
    let blocked = base == Verdict::Blocked;
    let laid_out = if !blocked && header[FLAGS] == 0 && space.is_empty() && gathered.is_ok() {
        header[FLAGS] |= NEVER;
        Ok(())
    } else {
        header[FLAGS] |= if blocked { BASE_BLOCKED } else { 0 };
        gathered.and_then(|()| space.lay_out(patterns.text(), blocked, &mut header))
    };
    if let Err(AllPass) = laid_out {
        header = [0; HEADER];
        header[FLAGS] = ALWAYS | if blocked { BASE_BLOCKED } else { 0 };
        space.clear();
    }
    if space.buckets.is_empty() {
        space.buckets.push([0; LANES]);
        header[FREE] = u8::MAX;
    }
    space.fill_bloom(patterns.text(), &mut header);
    space.write(&mut header, words);
}

/// Whether a pattern matches the path `/`; if it is not anchored, it then matches every path.
fn matches_root(patterns: &Patterns, pattern: &Pattern) -> bool {
    let first = patterns.segments(pattern).next().expect("a pattern has a segment");
    first.len() <= 1 && patterns.matches(pattern, b"/")
}

impl FrontSpace {
    fn clear(&mut self) {
        self.prefixes.clear();
        self.entries.clear();
        self.free.clear();
        self.tied.clear();
        self.buckets.clear();
    }

    fn is_empty(&self) -> bool {
        self.prefixes.is_empty() && self.free.is_empty()
    }

    /// Notes what all paths that a pattern matches have in common.
    fn gather(&mut self, patterns: &Patterns, pattern: &Pattern) -> Result<(), AllPass> {
        let text = patterns.text();
        let mut segments = patterns.segments(pattern);
        let first = segments.next().expect("a pattern has a segment");
        // Paths begin with a slash, so such a pattern matches none.
        if !first.is_empty() && text[first.start] != b'/' {
            return Ok(());
        }
        let literals = segments.map(|range| &text[range]);
        if first.len() > 1 {
            let (start, length) = (first.start as u32, first.len().min(LONGEST) as u8);
            self.prefixes.push(Prefix { start, length, triple: Triple::rarest(literals) });
            return Ok(());
        }
        let is_literal = literals.len() == 0;
        // After `*`, a literal `/` may be the slash that every path begins with. That says nothing, so it is not searched for.
        let says_nothing = |literal: &[u8]| first.is_empty() && literal == b"/";
        let literals = literals.enumerate().filter(|&(place, literal)| place > 0 || !says_nothing(literal));
        match Triple::rarest_two(literals.map(|(_, literal)| literal)) {
            Some(triples) => self.free.push(triples),
            // Of these, `/$` matches only the root, which the header covers, and `$` matches nothing.
            None if is_literal && pattern.anchored => {}
            None => return Err(AllPass),
        }
        Ok(())
    }

    /// Fills the Bloom filter with the beginnings of all prefixes, and with the path `/` if it passes.
    fn fill_bloom(&mut self, text: &[u8], header: &mut [u8; HEADER]) {
        self.beginnings.clear();
        let blocked = (header[FLAGS] & BASE_BLOCKED != 0).then_some(ROBOTS_TXT);
        let prefix = |prefix: &Prefix| &text[prefix.start as usize..][..usize::from(prefix.length)];
        let prefixes = || self.prefixes.iter().map(prefix).chain(blocked);
        let mut counts = [0; LONGEST + 1];
        prefixes().for_each(|prefix| counts[prefix.len()] += 1);
        let lengths = bloom::lengths(&counts);
        let [shorter, longer] = lengths.map(bloom::cut);
        header[BEGINNINGS..BLOOM_BYTES].copy_from_slice(&[shorter, longer]);
        self.beginnings.extend(prefixes().map(|prefix| {
            let cut = if prefix.len() < lengths[1] { shorter } else { longer };
            bloom::word(prefix) << cut
        }));
        if header[FLAGS] & ROOT_PASSES != 0 {
            self.beginnings.push(bloom::word(b"/") << shorter);
        }
        self.beginnings.sort_unstable();
        self.beginnings.dedup();
        let bytes = bloom::bytes(self.beginnings.len());
        header[BLOOM_BYTES..].copy_from_slice(&bytes.to_le_bytes());
        self.bloom.clear();
        let always = header[FLAGS] & ALWAYS != 0;
        self.bloom.resize(usize::from(bytes), if always { u8::MAX } else { 0 });
        for &word in &self.beginnings {
            let bit = bloom::bit(word, 0, bytes);
            self.bloom[bit / 8] |= 1 << (bit % 8);
        }
    }

    /// Puts everything into buckets and classes.
    fn lay_out(&mut self, text: &[u8], blocked: bool, header: &mut [u8; HEADER]) -> Result<(), AllPass> {
        self.free.sort_unstable();
        self.free.dedup();
        for longest in SHORTER {
            self.cut(text, longest, blocked, header);
            if self.entries.len() < MOST_BUCKETS {
                break;
            }
        }
        let (least, mut tied) = self.tied_lanes();
        let mut buckets = fewest_buckets(self.entries.len());
        while buckets <= MOST_BUCKETS && (buckets <= FEW_BUCKETS || buckets <= self.entries.len()) {
            if self.fill(buckets, LANES - tied).is_some() {
                self.classes(((1u32 << (LANES - tied)) - 1) as u8, header);
                return Ok(());
            }
            buckets += buckets.div_ceil(8);
            tied = least.max(tied.saturating_sub(1));
        }
        Err(AllPass)
    }

    /// Makes entries of the prefixes, cut to at most `longest` bytes.
    fn cut(&mut self, text: &[u8], longest: usize, blocked: bool, header: &mut [u8; HEADER]) {
        self.entries.clear();
        let mut counts = [0; LONGEST + 1];
        self.prefixes.iter().for_each(|prefix| counts[longest.min(usize::from(prefix.length))] += 1);
        if blocked {
            counts[longest.min(ROBOTS_TXT.len())] += 1;
        }
        let Some(lengths) = prefixes::lengths(&counts) else { return };
        for (cut, length) in header[CUTS..CUTS + LENGTHS].iter_mut().zip(lengths) {
            *cut = (LONGEST - length) as u8;
        }
        let mut cut_to = [lengths[0]; LONGEST + 1];
        lengths.iter().for_each(|&length| cut_to[length..].fill(length));
        self.entries.extend(self.prefixes.iter().zip(1..).map(|(prefix, number)| {
            let hash = prefixes::hash(&text[prefix.start as usize..][..cut_to[usize::from(prefix.length)]]);
            PrefixEntry::from(hash) << 32 | if prefix.triple.is_some() { number } else { 0 }
        }));
        if blocked {
            let hash = prefixes::hash(&ROBOTS_TXT[..cut_to[ROBOTS_TXT.len()]]);
            self.entries.push(PrefixEntry::from(hash) << 32);
        }
        self.entries.sort_unstable();
        // A prefix that passes without a triple need not be kept with one.
        self.entries
            .dedup_by(|entry, before| entry == before || (*entry ^ *before) >> 32 == 0 && !needs_triple(*before));
    }

    /// Notes the classes and the number of tables in the header, given the free lanes.
    fn classes(&self, free: u8, header: &mut [u8; HEADER]) {
        let tables = (self.free.len() + self.tied.len()).div_ceil(TRIPLES_A_TABLE).min(MOST_TABLES);
        header[FREE] = if tables == 0 { u8::MAX } else { free };
        header[TABLES] = tables as u8;
        header[FREE_CLASSES] = if self.free.is_empty() { 0 } else { free };
        if self.free.iter().any(|&(_, second)| second != Triple::ANY) {
            header[FLAGS] |= PAIRS;
        }
    }

    /// How many lanes to tie to triples: at least enough for the entries that need one, at most enough for their triples.
    fn tied_lanes(&self) -> (usize, usize) {
        let count = |needs: bool| groups(&self.entries).filter(|group| needs_triple(group[0]) == needs).count();
        let (free, tied) = (count(false), count(true));
        if tied == 0 || free + self.free.len() == 0 {
            return if tied == 0 { (0, 0) } else { (LANES, LANES) };
        }
        let triples = self.entries.len() - free;
        let share = |part: usize, rest: usize| (LANES * part / (part + rest)).clamp(1, LANES - 1);
        let least = share(tied, free + self.free.len()).min(LANES - 1 - usize::from(free > 1));
        (least, share(triples, self.free.len()).min(LANES - free.clamp(1, LEAST_FREE)).max(least))
    }

    /// Fills `buckets` buckets with the entries, with `free` lanes free, if there is room.
    fn fill(&mut self, buckets: usize, free: usize) -> Option<()> {
        self.buckets.clear();
        self.buckets.resize(buckets, [0; LANES]);
        self.taken.clear();
        self.taken.resize(buckets, 0);
        self.tied.clear();
        // Entries that need no triple come first. If there is no other room, entries that do share their lanes, and then need
        // none.
        for needs in [false, true] {
            for group in groups(&self.entries).filter(|group| needs_triple(group[0]) == needs) {
                let (bucket, taken) = bucket_of(group, &mut self.buckets, &mut self.taken);
                let lane = match needs {
                    true => empty(*taken, free..LANES).or_else(|| empty(*taken, 0..free))?,
                    false => empty(*taken, 0..free)?,
                };
                *taken |= 1 << lane;
                bucket[lane] = prefixes::fingerprint(hash_of(group[0])).to_le();
            }
        }
        for group in groups(&self.entries).filter(|group| needs_triple(group[0])) {
            let fingerprint = prefixes::fingerprint(hash_of(group[0])).to_le();
            let (bucket, taken) = bucket_of(group, &mut self.buckets, &mut self.taken);
            let has = |lane: &usize| *taken >> lane & 1 == 1 && bucket[*lane] == fingerprint;
            let Some(first) = (free..LANES).find(has) else { continue };
            // Triples are told apart best in lanes of their own, if any are left.
            let mut lanes = 1u8 << first;
            while let Some(lane) = empty(*taken, free..LANES).filter(|_| (lanes.count_ones() as usize) < group.len()) {
                lanes |= 1 << lane;
                bucket[lane] = fingerprint;
                *taken |= lanes;
            }
            let triple = |&entry: &PrefixEntry| self.prefixes[entry as u32 as usize - 1].triple;
            self.tied.extend(group.iter().filter_map(triple).map(|triple| (triple, lanes)));
        }
        self.tied.sort_unstable();
        self.tied.dedup();
        Some(())
    }

    /// Appends everything that was laid out.
    fn write(&self, header: &mut [u8; HEADER], words: &mut Vec<u32>) {
        let buckets: &[u8] = bytemuck::cast_slice(&self.buckets);
        header[BUCKET_BYTES..BUCKET_BYTES + 2].copy_from_slice(&(buckets.len() as u16).to_le_bytes());
        let pairs = usize::from(header[FLAGS] & PAIRS != 0);
        let count = usize::from(header[TABLES]);
        let start = words.len();
        let bytes = HEADER - LENGTH + self.bloom.len() + buckets.len() + ((TABLE * count) << pairs);
        words.resize(start + bytes / size_of::<u32>(), 0);
        let out: &mut [u8] = bytemuck::cast_slice_mut(&mut words[start..]);
        let (front, out) = out.split_at_mut(HEADER - LENGTH);
        front.copy_from_slice(&header[LENGTH..]);
        let (front, out) = out.split_at_mut(self.bloom.len());
        front.copy_from_slice(&self.bloom);
        let (front, tables) = out.split_at_mut(buckets.len());
        front.copy_from_slice(buckets);
        // Neighbours share a table: they often have nibbles in common, so classes stay narrow.
        for (place, &(triple, second)) in self.free.iter().enumerate() {
            let table = TABLE * ((place * count / self.free.len()) << pairs);
            let class = triples::narrowest(&tables[table..][..TABLE], triple, header[FREE]);
            triples::add(&mut tables[table..][..TABLE], triple, class);
            if pairs == 1 {
                triples::add(&mut tables[table + TABLE..][..TABLE], second, class);
            }
        }
        for (place, &(triple, lanes)) in self.tied.iter().enumerate() {
            let table = TABLE * ((place * count / self.tied.len()) << pairs);
            let class = triples::narrowest(&tables[table..][..TABLE], triple, lanes);
            triples::add(&mut tables[table..][..TABLE], triple, class);
        }
    }
}

/// The fewest buckets that this many entries may fit into: the more entries, the fuller the fullest bucket.
fn fewest_buckets(entries: usize) -> usize {
    let doublings = (entries / 64).checked_ilog2().unwrap_or(0) as usize;
    (entries * 5).div_ceil(30 - (3 * doublings).min(20)).max(1)
}

/// The entries, grouped by hash.
fn groups(entries: &[PrefixEntry]) -> impl Iterator<Item = &[PrefixEntry]> {
    entries.chunk_by(|one, other| hash_of(*one) == hash_of(*other))
}

/// The bucket of entries with one hash, and its lanes in use.
fn bucket_of<'b>(
    group: &[PrefixEntry],
    buckets: &'b mut [[u16; LANES]],
    taken: &'b mut [u8],
) -> (&'b mut [u16; LANES], &'b mut u8) {
    let at = prefixes::place(hash_of(group[0]), (buckets.len() * BUCKET) as u16) / BUCKET;
    (&mut buckets[at], &mut taken[at])
}

/// The first of some lanes that is not in use.
fn empty(taken: u8, mut lanes: std::ops::Range<usize>) -> Option<usize> {
    lanes.find(|&lane| taken >> lane & 1 == 0)
}
