//! One automaton for each distinct group of rules.
//!
//! [`compile`] turns ranked patterns into 32-bit words, position independent and free of pointers, that answer one
//! question: what does this group say of this path? Two engines answer it, with one meaning:
//!
//! * a **DFA** (modules `globs` to `edges`, `table`, `filter`, `walk`), whose states carry the best rank reached, folded to what a verdict
//!   needs (`bands`), and stop at the first octet that settles the verdict;
//! * **pointers** (module `pointers`) for the few groups whose DFA would outgrow its budget: one forward-only pointer for
//!   each distinct run of segments, linear in path and patterns whatever they are.
//!
//! [`compile`] makes the choice and says why. An automaton knows no dialect; paths come in normal form. Its words are
//! little-endian in memory on every machine, for policy files; [`check`] says whether the words of one are an automaton,
//! [`graph()`] what it looks like.

mod bands;
mod build;
mod check;
mod contexts;
mod edges;
mod filter;
mod globs;
mod graph;
mod pointers;
mod prefixes;
mod segment_trie;
mod sorting;
mod suffixes;
mod table;
mod walk;

pub use bands::bands;
pub use check::{CheckSpace, Damage, check, engine};
pub use graph::{Edge, Graph, Next, State, graph};
pub use pointers::Scratch;

use std::cell::RefCell;

use crate::pattern::{Patterns, Verdict};
use build::{Arena, Builder, OverBudget};
use globs::Segments;
use table::Layout;

/// Which engine an automaton is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// The verdict is the same for every path.
    Constant,
    /// A DFA.
    Dfa,
    /// Forward-only pointers, fed by a scanner for all segments.
    Pointers,
}

/// What was compiled, for statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiled {
    /// The engine chosen.
    pub engine: Engine,
    /// States of its table; of pointers, those of the scanner.
    pub states: usize,
    /// Units of work that building it took (positions looked at, states made, waiting segments copied).
    pub work: usize,
}

// The head of an automaton.
/// Its engine.
const ENGINE: usize = 0;
/// Where a walk begins; a DFA also knows where it is behind a first `/`, which nearly every path begins with.
const START: usize = 1;
const START_BEHIND_SLASH: usize = 2;
/// The root that most records of a DFA default to.
const MAIN_ROOT: usize = 3;

const ENGINE_DFA: u32 = 0;
const ENGINE_POINTERS: u32 = 1;

/// A word of an automaton. They are little-endian in memory on every machine, so that those of a mapped file are walked
/// as they stand; where memory is little-endian anyway, this costs nothing.
#[inline(always)]
fn word(words: &[u32], at: usize) -> u32 {
    u32::from_le(words[at])
}

/// How much work a DFA may take to build: this much, so much for each of the first octets of its patterns, and so much
/// for each of all. Small groups may cost more an octet, because a walk through pointers costs ten times one through a
/// DFA: with 8 an octet and 4,096 in all, 36 of 2,163 real groups go by pointers, with these 18. Plain prefixes, which
/// the largest groups consist of, take 1 to 2 an octet.
const BUDGET: usize = 16_384;
const BUDGET_PER_FIRST_OCTET: usize = 16;
const FIRST_OCTETS: usize = 16_384;
const BUDGET_PER_OCTET: usize = 3;

/// Compiles ranked patterns; appends the automaton to `words`.
///
/// The DFA is tried first, because it is faster wherever it stays small: where a budget proportional to the octets of
/// the patterns suffices. Groups beyond it have many rules with two or more `*`, whose combinations a DFA would have to
/// count out; they are given up as soon as the budget is spent, and get pointers, whose size is linear in the patterns.
pub fn compile(patterns: &Patterns, words: &mut Vec<u32>) -> Compiled {
    compile_within(patterns, budget(patterns.text().len()), words)
}

/// The budget of a DFA for patterns of so many octets.
fn budget(octets: usize) -> usize {
    BUDGET + BUDGET_PER_FIRST_OCTET * octets.min(FIRST_OCTETS) + BUDGET_PER_OCTET * octets
}

/// Compiles with an explicit budget, so that tests and measurements can force either engine.
pub fn compile_within(patterns: &Patterns, budget: usize, words: &mut Vec<u32>) -> Compiled {
    thread_local!(static SPACE: RefCell<Space> = RefCell::default());
    let start = words.len();
    let compiled = SPACE.with_borrow_mut(|space| {
        let dfa = compile_dfa(patterns, budget, space, words, None);
        space.keep_little(patterns, dfa.map_or(budget, |compiled| compiled.work));
        dfa.unwrap_or_else(|OverBudget| {
            let compiled = pointers::compile(patterns, space, words);
            space.keep_little(patterns, compiled.work);
            compiled
        })
    });
    words[start..].iter_mut().for_each(|word| *word = word.to_le());
    compiled
}

/// What compiling one group after the other uses again and again.
#[derive(Debug, Default)]
struct Space {
    arena: Arena,
    layout: Layout,
}

/// Groups of more patterns, octets and work together leave no space behind. Compiling 300,000 generated files takes 13.1 s of
/// a core so, 12.8 with twice as much or more, and 13.7 with half of it (medians of five).
const KEPT: usize = 1 << 17;

/// Octets of memory of the space that a thread keeps, at most.
pub const KEPT_OCTETS: u64 = 64 * KEPT as u64;

/// Octets of memory that building takes for a unit of work, at most, and those of the automaton for the same, and for an octet
/// of patterns: hostile files come to nearly half of it (`tests/memory.rs`).
const OF_WORK: u64 = 32;
const AUTOMATON_OF_WORK: u64 = 4;
const AUTOMATON_OF_OCTET: u64 = 12;

/// What compiling takes of memory, in octets, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Until the automaton is there.
    pub compiling: u64,
    /// The automaton.
    pub automaton: u64,
}

/// What compiling patterns of so many [octets](Patterns::octets) takes at most.
pub fn memory(octets: usize) -> Memory {
    let work = budget(octets) as u64;
    let automaton = AUTOMATON_OF_WORK * work + AUTOMATON_OF_OCTET * octets as u64;
    Memory { compiling: OF_WORK * work, automaton }
}

impl Space {
    /// Gives back what only a hostile group needed.
    fn keep_little(&mut self, patterns: &Patterns, work: usize) {
        if patterns.all().len().saturating_add(patterns.text().len()).saturating_add(work) > KEPT {
            *self = Space::default();
        }
    }
}

/// Is told of a state: where its record begins; the band of a path that ends there, and the one that is reached whatever
/// follows.
type TellBands<'t> = dyn FnMut(u32, (bands::Band, bands::Band)) + 't;

/// Compiles a DFA, if the budget suffices; tells of each state, if somebody wants to know.
fn compile_dfa(
    patterns: &Patterns,
    budget: usize,
    Space { arena, layout }: &mut Space,
    words: &mut Vec<u32>,
    tell: Option<&mut TellBands<'_>>,
) -> Result<Compiled, OverBudget> {
    arena.globs.clear();
    for (pattern, band) in bands::from_the_worst(patterns).filter(|&(_, band)| band != bands::NO_MATCH) {
        arena.globs.add(band, pattern.anchored, pattern.segment_numbers());
    }
    let segments = Segments { text: patterns.text(), ranges: patterns.segment_ranges() };
    let mut builder = Builder::new(segments, arena, budget);
    layout.reach(&mut builder)?;
    let at = words.len();
    layout.write(&builder, |_| None, words);
    words[at + ENGINE] = ENGINE_DFA;
    if let Some(tell) = tell {
        layout.tell_bands(&builder, tell);
    }
    let engine = if layout.states() == 0 { Engine::Constant } else { Engine::Dfa };
    Ok(Compiled { engine, states: layout.states(), work: builder.work() })
}

/// The verdict of the automaton in `words` on a path in normal form.
///
/// Takes time linear in the path and the patterns that the automaton was made from.
#[inline]
pub fn verdict(words: &[u32], path: &[u8], scratch: &mut Scratch) -> Verdict {
    finish(words, path, begin(words, path, 0), scratch)
}

/// The verdict on all paths in normal form that begin so, if a DFA settles it within these octets.
pub fn settled_by(words: &[u32], beginning: &[u8]) -> Option<Verdict> {
    let start = (word(words, ENGINE) == ENGINE_DFA).then(|| word(words, START))?;
    walk::walk::<filter::Portable, _>(words, start, beginning, 0, &mut walk::Silent).ok()
}

/// A walk that has begun: [`begin`] takes the first step, [`finish`] the rest. In between, others can begin, so that
/// what each will need next comes into the cache meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    /// The record that comes next, in words from the automaton's first, or a verdict.
    next: u32,
    /// How many octets of the text are behind.
    at: u32,
}

impl Walk {
    /// A walk of no automaton, to be replaced.
    pub const NONE: Walk = Walk { next: 0, at: 0 };

    /// The word that [`finish`] looks at first, counted from the automaton's first.
    #[inline]
    pub fn next_word(self) -> usize {
        self.next as usize
    }
}

/// Begins the walk of a path in normal form that is the end of a text, from the octet `from` on: a whole URL, for
/// example. Short paths are judged faster so, because what stands before them makes room for wide loads; it is not
/// looked at.
///
/// # Panics
///
/// If the text is 4 GiB or longer.
#[inline]
pub fn begin(words: &[u32], text: &[u8], from: usize) -> Walk {
    assert!(u32::try_from(text.len()).is_ok(), "a URL of 4 GiB");
    let slash = word(words, ENGINE) == ENGINE_DFA && text.get(from) == Some(&b'/');
    let at = from + usize::from(slash);
    let next = word(words, if slash { START_BEHIND_SLASH } else { START });
    if !slash || next < table::FIRST_RECORD || walk::is_root(words, next) {
        return Walk { next, at: at as u32 };
    }
    match walk::step::<filter::Portable, _>(words, next, text, at, &mut walk::Silent) {
        Ok((next, at)) => Walk { next, at: at as u32 },
        Err(verdict) => Walk { next: table::settled(verdict), at: at as u32 },
    }
}

/// Finishes a walk over the same text.
///
/// # Panics
///
/// If the walk was begun on another automaton or text.
#[inline]
pub fn finish(words: &[u32], text: &[u8], walk: Walk, scratch: &mut Scratch) -> Verdict {
    if walk.next < table::FIRST_RECORD && word(words, ENGINE) == ENGINE_DFA {
        return table::verdict_of(walk.next);
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: both features are there.
        return unsafe { finish_avx2(words, text, walk, scratch) };
    }
    finish_with::<filter::Portable>(words, text, walk, scratch)
}

/// # Safety
///
/// The processor has AVX2 and POPCNT.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
unsafe fn finish_avx2(words: &[u32], text: &[u8], walk: Walk, scratch: &mut Scratch) -> Verdict {
    finish_with::<filter::Avx2>(words, text, walk, scratch)
}

#[inline(always)]
fn finish_with<S: filter::Search>(words: &[u32], text: &[u8], walk: Walk, scratch: &mut Scratch) -> Verdict {
    if word(words, ENGINE) == ENGINE_DFA {
        walk::walk::<S, _>(words, walk.next, text, walk.at as usize, &mut walk::Silent).unwrap_or_else(|at_end| at_end)
    } else {
        pointers::verdict::<S>(words, text, walk.at as usize, scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::robots::Robots;

    /// The patterns of a file whose lines are `+pattern` for `Allow` and `-pattern` for `Disallow`.
    fn patterns(rules: &str) -> Patterns {
        let line = |rule: &str| format!("{}llow: {}\n", if rule.starts_with('+') { "A" } else { "Disa" }, &rule[1..]);
        let text = rules.split(' ').map(line).fold("User-agent: *\n".to_owned(), |text, line| text + &line);
        Patterns::rank(Robots::parse(text.as_bytes(), Dialect::DEFAULT).rules.iter(), Dialect::DEFAULT)
    }

    /// The verdict of both engines and of the plain reading, which must agree.
    fn judged(patterns: &Patterns, path: &str) -> Verdict {
        let mut scratch = Scratch::default();
        let (mut dfa, mut pointers) = (Vec::new(), Vec::new());
        compile_within(patterns, usize::MAX, &mut dfa);
        compile_within(patterns, 0, &mut pointers);
        let plain = patterns.deciding(path.as_bytes()).map_or(Verdict::Allowed, |pattern| pattern.verdict);
        assert_eq!(verdict(&dfa, path.as_bytes(), &mut scratch), plain, "DFA, {path}, {patterns:?}");
        assert_eq!(verdict(&pointers, path.as_bytes(), &mut scratch), plain, "pointers, {path}, {patterns:?}");
        plain
    }

    #[test]
    fn engines_agree_with_the_plain_reading() {
        use Verdict::{Allowed, Blocked};
        let cases = [
            ("-/a", "/a", Blocked),
            ("-/a", "/", Allowed),
            ("-/ +/a", "/ab", Allowed),
            ("-/a +/a", "/a", Allowed),
            ("-/*.php$", "/a.php.php", Blocked),
            ("-/*.php$", "/a.php?", Allowed),
            ("-/*ab*b", "/ab", Allowed),
            ("-/*ab*b", "/abb", Blocked),
            ("-/*ab*b +/*abc", "/abcb", Blocked),
            ("-/x$ +/*x$", "/x", Allowed),
            ("-/ +/$", "/", Allowed),
            ("-/ +/$", "/a", Blocked),
            ("-*", "/", Blocked),
            ("-/*/a", "/a", Allowed),
            ("-/*/a", "//a", Blocked),
            ("-*/a +/*/ab", "/ab", Blocked),
        ];
        for (rules, path, expected) in cases {
            assert_eq!(judged(&patterns(rules), path), expected, "{rules} {path}");
        }
    }

    #[test]
    fn a_common_beginning_is_stored_once() {
        let mut words = Vec::new();
        // Before the slash, behind it, behind `/en/`, and one run for each rule.
        assert_eq!(compile(&patterns("-/en/one -/en/two"), &mut words).states, 5);
    }

    #[test]
    fn automata_are_the_same_whatever_was_compiled_before() {
        let groups = ["-/a +/*b", "-/*ab*b +/*abc -/x$", "-/a", "-/*x*y*z -/*y*z$ +/q*", "+/"];
        let compiled = |rules: &str| {
            let mut words = Vec::new();
            compile(&patterns(rules), &mut words);
            words
        };
        let alone = groups.map(|rules| std::thread::scope(|s| s.spawn(|| compiled(rules)).join().expect("no panic")));
        for budget in [0, 10, usize::MAX] {
            compile_within(&patterns("-/*ab*cd -/*b*d$ +/ab*c"), budget, &mut Vec::new());
            assert_eq!(groups.map(compiled), alone, "{budget}");
        }
    }

    /// A small generator, so that the cases are the same at every run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }

        fn text(&mut self, octets: &[u8], most: usize) -> String {
            (0..self.below(most + 1)).map(|_| char::from(octets[self.below(octets.len())])).collect()
        }
    }

    #[test]
    fn engines_agree_on_random_rules() {
        let mut dice = Dice(1);
        for round in 0..4000 {
            let octets: &[u8] = [&b"a*"[..], b"ab*", b"ab*$", b"abc/**"][round % 4];
            let rules: Vec<String> = (0..1 + dice.below(7))
                .map(|_| format!("{}/{}{}", ["+", "-"][dice.below(2)], dice.text(octets, 7), ["", "$"][dice.below(2)]))
                .collect();
            let patterns = patterns(&rules.join(" "));
            for _ in 0..12 {
                judged(&patterns, &format!("/{}", dice.text(b"abc/", 10)));
            }
        }
    }
}
