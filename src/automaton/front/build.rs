//! Builds the front of an automaton from its patterns.

use super::item::{
    ALWAYS, BASE_BLOCKED, BEGINNINGS, BLOOM_BYTES, BUCKET, BUCKET_BYTES, CUTS, FLAGS, FREE, FREE_CLASSES, HEADER,
    LANES, LENGTH, LONGEST, NEVER, PAIRS, ROOT_PASSES, TABLE, TABLES,
};
use super::prefixes;
use super::triples::{self, Triple};
use crate::rules::{Pattern, Patterns, Verdict};

/// The path that some dialects allow whatever the rules say: if the base verdict is "blocked", it always passes.
const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// The least number of free lanes, if there are that many prefixes without triples.
const LEAST_FREE: usize = 3;
/// This many buckets are tried even if they have less than one fingerprint each, on average; more buckets are not.
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

    /// Notes a prefix and triples that every path has that a pattern matches.
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
        // After `*`, a literal `/` may be the slash that every path begins with, so it distinguishes nothing and is not
        // searched for.
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
        let lengths = prefixes::beginning_lengths(&counts);
        let [shorter, longer] = lengths.map(prefixes::beginning_cut);
        header[BEGINNINGS..BLOOM_BYTES].copy_from_slice(&[shorter, longer]);
        self.beginnings.extend(prefixes().map(|prefix| {
            let cut = if prefix.len() < lengths[1] { shorter } else { longer };
            prefixes::beginning(prefix) << cut
        }));
        if header[FLAGS] & ROOT_PASSES != 0 {
            self.beginnings.push(prefixes::beginning(b"/") << shorter);
        }
        self.beginnings.sort_unstable();
        self.beginnings.dedup();
        let bytes = prefixes::filter_bytes(self.beginnings.len());
        header[BLOOM_BYTES..].copy_from_slice(&bytes.to_le_bytes());
        self.bloom.clear();
        let always = header[FLAGS] & ALWAYS != 0;
        self.bloom.resize(usize::from(bytes), if always { u8::MAX } else { 0 });
        for &word in &self.beginnings {
            let bit = prefixes::filter_bit(word, 0, bytes);
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
        for (cut, length) in header[CUTS..].iter_mut().zip(lengths) {
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
        // A prefix that passes without a triple need not also be stored with a triple.
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
        let share = |part: usize, rest: usize| (LANES * part / (part + rest)).max(1);
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

/// Compares the front with its automaton.
#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    use super::super::passes_avx2;
    use super::super::{PADDING, base_is_blocked, begins, engine_words, never_passes, passes, words};
    use super::*;
    use crate::automaton::{Scratch, check_item, compile_item, verdict};
    use crate::rng::Rng;
    use crate::rules::tried::patterns;
    use std::ops::Range;

    /// An item, in memory of whole cache lines, as items have to be.
    struct Item {
        memory: Vec<u8>,
        place: Range<usize>,
    }

    impl Item {
        fn new(content: &[u32]) -> Item {
            let item = [&(size_of_val(content) as u32).to_le_bytes(), bytemuck::cast_slice::<_, u8>(content)].concat();
            let mut memory = vec![0; 64 + item.len().next_multiple_of(64)];
            let start = memory.as_ptr().align_offset(64);
            let place = start..start + item.len();
            memory[place.clone()].copy_from_slice(&item);
            Item { memory, place }
        }

        fn bytes(&self) -> &[u8] {
            &self.memory[self.place.clone()]
        }

        /// The answer of both probes, which must agree whatever bytes follow the path.
        fn passes(&self, path: &[u8]) -> bool {
            let portable = passes(self.bytes(), path);
            #[cfg(target_arch = "x86_64")]
            if !path.is_empty() && crate::judge::isa::has_avx2() {
                for after in [0, b'a', b'/', b'?', u8::MAX] {
                    let mut padded = path.to_vec();
                    padded.resize(path.len().next_multiple_of(32) + PADDING, after);
                    // SAFETY: the item was checked and is aligned, the path is padded, and the features are there.
                    let fast = unsafe { passes_avx2(self.bytes().as_ptr(), padded.as_ptr(), path.len()) };
                    assert_eq!(fast, portable, "{} and bytes {after} after it", path.escape_ascii());
                }
            }
            portable
        }
    }

    fn item(patterns: &Patterns) -> Item {
        let mut content = Vec::new();
        compile_item(patterns, &mut content);
        check_item(&content).expect("what was just compiled");
        Item::new(&content)
    }

    /// Probes for a path; returns whether it passes, which it must if its verdict is not the base.
    fn asked(item: &Item, path: &str, scratch: &mut Scratch) -> bool {
        let passes = item.passes(path.as_bytes());
        let verdict = verdict(words(item.bytes()), path.as_bytes(), scratch);
        let differs = (verdict == Verdict::Blocked) != base_is_blocked(item.bytes());
        assert!(passes || !differs, "{path} is {verdict:?}, which is not the base");
        let flags = item.bytes()[FLAGS];
        assert!(!(passes && never_passes(item.bytes())) && (passes || flags & ALWAYS == 0), "{path}");
        assert!(path != "/" || !differs || flags & (ROOT_PASSES | ALWAYS) != 0);
        passes
    }

    #[test]
    fn a_front_lets_through_what_it_should_and_little_else() {
        let scratch = &mut Scratch::default();
        for (rules, through, not) in [
            (
                "-/private -/tmp/",
                &["/private", "/private/x", "/tmp/", "/tmp/abc"][..],
                &["/", "/tmp", "/pri", "/x"][..],
            ),
            ("-/ +/$", &["/", "/robots.txt"], &["/x", "/private"]),
            ("-/ +/open", &["/open", "/open/x", "/robots.txt"], &["/", "/ope", "/xopen"]),
            ("-/*.pdf$", &["/a.pdf", "/.pdf", "/a.pdfx"], &["/a.pd", "/a.doc", "/"]),
            // The slash between two stars may be the one that every path begins with.
            ("-*/*.php$", &["/index.php", "/a/b.php", "/.php"], &["/index.ph", "/a/b", "/"]),
            ("-/*? -*&", &["/?", "/a?b", "/abc?", "/a&"], &["/", "/abc"]),
            ("-/shop*sort= -/x", &["/shop?sort=", "/x"], &["/shop", "/shop/cart", "/a?sort=", "/"]),
            ("-/a-prefix-of-more-than-16-bytes", &["/a-prefix-of-more-than-16-bytes"], &["/a-prefix-of-oth", "/a"]),
            (
                "-/private/a-prefix-of-more-than-32-bytes-of-it",
                &["/private/a-prefix-of-more-than-32-bytes-of-it"],
                &["/private"],
            ),
            // Nothing can be searched for: the slash may be the first.
            ("-*/$", &["/", "/a/", "/a"], &[]),
            ("-/ +*/$", &["/", "/a/", "/a"], &[]),
            ("-*a*/", &["/a/", "/xa/"], &["/xa", "/x/"]),
            // As many that need no triple as triples that need no prefix.
            ("-/abc -/*xyz -/ab*cd", &["/abc", "/xyz", "/a-xyz", "/ab-cd"], &["/ab", "/ab-c", "/xy", "/cd"]),
            ("-/*ab", &[&format!("/{}ab", "x".repeat(200))], &[&format!("/{}b", "x".repeat(200))]),
        ] {
            let item = item(&patterns(rules));
            for path in through {
                assert!(asked(&item, path, scratch), "{path} passes {rules}");
            }
            for path in not {
                assert!(!asked(&item, path, scratch), "{path} does not pass {rules}");
            }
        }
    }

    #[test]
    fn paths_that_begin_as_no_prefix_does_are_told_apart() {
        let item = item(&patterns("-/private -/p/ -/tmp*x"));
        for (path, may) in [("/private/x", true), ("/p/", true), ("/tmp", true), ("/public", false), ("/", false)] {
            assert_eq!(begins(item.bytes(), path.as_bytes()), may, "{path}");
        }
        let many: String = (0..500).map(|n| format!("-/{n}-{n} ")).collect();
        let item = self::item(&patterns(&many));
        let told = (0..1000).filter(|n| !begins(item.bytes(), format!("/x{n}").as_bytes())).count();
        assert!(told > 800, "{told} of 1000");
    }

    #[test]
    fn all_pass_if_there_are_too_many_prefixes() {
        let space = &mut FrontSpace::default();
        let mut passes_all = |count: usize, before: &str| {
            let rules: String = (0..count).map(|n| format!("-/{before}{n:05} ")).collect();
            let mut words = vec![0];
            build(&patterns(&rules), space, &mut words);
            bytemuck::cast_slice::<_, u8>(&words)[FLAGS] & ALWAYS != 0
        };
        assert!(!passes_all(3000, "") && passes_all(20_000, ""));
        // These are few if they are cut.
        assert!(!passes_all(20_000, "which-begin-alike/"));
    }

    #[test]
    fn constant_verdicts_are_told_by_the_header() {
        for (rules, blocked) in [("+/", false), ("-/ +/*", false), ("+/a", false)] {
            let item = item(&patterns(rules));
            assert!(never_passes(item.bytes()), "{rules}");
            assert_eq!(base_is_blocked(item.bytes()), blocked);
        }
        let item = item(&patterns("-/"));
        assert!(base_is_blocked(item.bytes()) && item.passes(b"/robots.txt") && !item.passes(b"/"));
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn no_verdict_but_the_base_is_kept_back() {
        let (mut dice, scratch) = (Rng(2), &mut Scratch::default());
        let (mut asked_for, mut passed) = (0, 0);
        for round in 0..3000 {
            let bytes: &[u8] = [&b"a*"[..], b"ab*", b"ab*$?", b"abc/**", b"abcdefghijklmnopqrstuvwxyz/*?=&"][round % 5];
            let most = [1, 3, 10, 60, 300][dice.below(5)];
            let rules: Vec<String> = (0..1 + dice.below(most))
                .map(|_| {
                    let (sign, end) = (["+", "-"][dice.below(2)], ["", "$"][dice.below(2)]);
                    format!("{sign}{}{}{end}", ["/", "/", "*", "*/", "*/*"][dice.below(5)], dice.text(bytes, 9))
                })
                .collect();
            let item = item(&patterns(&rules.join(" ")));
            for at in 0..20 {
                let mut path = format!("/{}", dice.text(bytes, [10, 40, 150][at % 3]));
                if at % 4 == 0 {
                    // Paths made from a rule are more likely to be found.
                    path = rules[dice.below(rules.len())][1..].replace('*', &dice.text(bytes, 3)).replace('$', "");
                    if !path.starts_with('/') {
                        path.insert(0, '/');
                    }
                }
                asked_for += 1;
                passed += usize::from(asked(&item, &path, scratch));
            }
        }
        assert!(passed > asked_for / 20 && passed < asked_for * 19 / 20, "{passed} of {asked_for} pass");
    }

    /// Another number is no mistake, but another size of policies, or share of paths that take a walk.
    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn fronts_are_as_small_and_narrow_as_they_were() {
        let scratch = &mut Scratch::default();
        let many: Vec<String> =
            (0..200).map(|n| if n % 50 == 0 { format!("/{n}") } else { format!("/{n}*") }).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let kinds: [(&str, &[u8], usize, &[&str]); 11] = [
            ("prefixes", b"abcdefgh/", 40, &["/"]),
            ("suffixes", b"abcdefgh/.", 20, &["/*", "*"]),
            ("two literals", b"abcdefghi=?*", 20, &["/*", "*/*"]),
            ("prefixes with triples", b"abcdefgh*", 12, &["/"]),
            ("many, of all kinds", b"abcdefghijklmnopqrstuvwxyz/*?=&", 300, &["/", "/", "/a", "/*"]),
            ("short", b"ab", 4, &["/", "/*"]),
            ("few", b"abcdefgh", 8, &["/", "/aa*", "/bb*", "/*"]),
            ("one prefix with many triples", b"abcdefgh", 16, &["/aa*", "/aa*", "/aa*", "/bb*", "/"]),
            ("of each kind", b"abcdefgh", 50, &["/", "/", "/aa*", "/ab*", "/bb*", "/ba*", "/*", "*"]),
            ("very many", b"abcdefghijklmnopqrstuvwxyz/", 1200, &["/", "/", "/", "/a*"]),
            ("many with triples, few without", b"ab", 150, &many),
        ];
        let measured = kinds.map(|(name, bytes, most, beginnings)| {
            let mut dice = Rng(3);
            let mut sums = [0; 4];
            for _ in 0..12 {
                let rules: Vec<String> = (0..1 + dice.below(most))
                    .map(|_| {
                        let (sign, end) = (dice.of(&["+", "-", "-"]), dice.of(&["", "", "$"]));
                        format!("{sign}{}{}{end}", dice.of(beginnings), dice.text(bytes, 14))
                    })
                    .collect();
                let mut content = Vec::new();
                compile_item(&patterns(&rules.join(" ")), &mut content);
                let front = &content[..content.len() - engine_words(&content).len()];
                sums[0] += front.len();
                sums[1] += front.iter().map(|word| word.count_ones() as usize).sum::<usize>();
                let item = Item::new(&content);
                for _ in 0..60 {
                    let path = format!("/{}", dice.text(bytes, 30).replace('*', ""));
                    sums[2] += usize::from(begins(item.bytes(), path.as_bytes()));
                    sums[3] += usize::from(asked(&item, &path, scratch));
                }
            }
            (name, sums)
        });
        // Words, bits that are set, paths that may begin with a prefix, and that pass.
        assert_eq!(
            measured,
            [
                ("prefixes", [216, 1338, 152, 55]),
                ("suffixes", [756, 3342, 4, 191]),
                ("two literals", [756, 3633, 2, 197]),
                ("prefixes with triples", [392, 1168, 115, 49]),
                ("many, of all kinds", [3424, 19106, 291, 292]),
                ("short", [540, 961, 26, 500]),
                ("few", [516, 932, 40, 5]),
                ("one prefix with many triples", [384, 1186, 63, 14]),
                ("of each kind", [972, 3899, 91, 206]),
                ("very many", [7360, 36645, 688, 480]),
                ("many with triples, few without", [1856, 8448, 43, 0]),
            ]
        );
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn every_flipped_bit_of_a_front_is_refused_or_harmless() {
        let many: String = (0..60).map(|n| format!("-/{n}/x{} ", ["", "*ab=", "*?"][n % 3])).collect();
        let many = many + "-/*.pdf$ -/*xyz +/$";
        let long = format!("/7/x{}?ab=", "y".repeat(150));
        let (mut refused, mut harmless) = (0, 0);
        for rules in ["-/", "-/ab -/*cd", "-/ +/a*b", &many] {
            let mut content = Vec::new();
            compile_item(&patterns(rules), &mut content);
            let front = content.len() - engine_words(&content).len();
            for bit in 0..32 * front {
                content[bit / 32] ^= 1 << (bit % 32);
                if check_item(&content).is_ok() {
                    harmless += 1;
                    // Whatever the bytes are, both probes give the same answer, and read nothing else.
                    let item = Item::new(&content);
                    for path in ["/", "/ab", "/7/x?", "/xabcd/cd/yz.pdf", &long] {
                        item.passes(path.as_bytes());
                    }
                } else {
                    refused += 1;
                }
                content[bit / 32] ^= 1 << (bit % 32);
            }
            for length in 0..front {
                assert!(check_item(&content[..length]).is_err(), "{length}");
            }
        }
        assert!(refused > 20 && harmless > 1000, "{refused} {harmless}");
    }

    #[test]
    fn what_does_not_begin_with_a_slash_passes() {
        let item = item(&patterns("-/a"));
        assert!(item.passes(b"") && item.passes(b"a") && item.passes(b"*"));
    }
}
