//! Many walks at a time, in rounds.
//!
//! The records of a walk follow each other without a pattern that a processor could predict: a run, a wide record, a
//! root. So a walk by itself pays for a mispredicted branch at nearly every record, and for a cache miss at those that
//! were not asked for in time. Here, up to [`MOST`] walks take one step each in a round: they are sorted into queues by
//! the kind of their next record, without a branch, and a queue's loop takes the same way for all of them; what the next
//! round will look at is asked for meanwhile. 51,944 links of 596 hosts, shuffled: 50 ns a URL one by one, X in rounds.

use super::filter::{self, Search};
use super::table::{FIRST_RECORD, Target, settled, verdict_of};
use super::walk::{self, Kind, Path, Silent, Step, kind};
use super::{ENGINE, ENGINE_DFA, Scratch, pointers, start, word};
use crate::pattern::Verdict;
use crate::prefetch::prefetch;

/// The most walks that go together.
pub(super) const MOST: usize = 128;

/// So few walks are better finished one by one.
const FEW: usize = 1000;

/// A path of a text, and the automaton that is to judge it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// Where its automaton begins, among the words of all.
    pub automaton: u32,
    /// Where the path begins in the text.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

/// Walks that go together: space for them, used again and again.
#[derive(Debug)]
pub struct Walks {
    scratch: Scratch,
    walks: [Walk; MOST],
    queues: [[u8; MOST]; QUEUES],
    /// The walks that go on, and how many.
    active: [u8; MOST],
    count: usize,
}

/// The queues of a round: one for each kind of record, and one for walks at the end of their path.
const QUEUES: usize = 5;
const AT_END: usize = 4;

/// A walk between two rounds.
#[derive(Debug, Clone, Copy, Default)]
struct Walk {
    automaton: u32,
    /// The next record, or the verdict.
    next: Target,
    at: u32,
    end: u32,
}

impl Default for Walks {
    fn default() -> Walks {
        Walks {
            scratch: Scratch::default(),
            walks: [Walk::default(); MOST],
            queues: [[0; MOST]; QUEUES],
            active: [0; MOST],
            count: 0,
        }
    }
}

impl Walks {
    /// Appends the verdicts on paths in normal form to `verdicts`, in their order. The automata stand in `words`.
    ///
    /// Around the paths, the text is best longer than they are: that makes room for wide loads.
    ///
    /// # Panics
    ///
    /// If a path is not within the text, or an automaton not within the words.
    pub fn verdicts(&mut self, words: &[u32], text: &[u8], paths: &[Asked], verdicts: &mut Vec<Verdict>) {
        for paths in paths.chunks(MOST) {
            self.together(words, text, paths);
            verdicts.extend(self.walks[..paths.len()].iter().map(|walk| verdict_of(walk.next)));
        }
    }

    fn together(&mut self, words: &[u32], text: &[u8], paths: &[Asked]) {
        #[cfg(target_arch = "x86_64")]
        if filter::Avx2::is_there() {
            // SAFETY: both features are there.
            return unsafe { self.together_avx2(words, text, paths) };
        }
        self.rounds::<filter::Portable>(words, text, paths);
    }

    /// # Safety
    ///
    /// The processor has AVX2 and POPCNT.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    unsafe fn together_avx2(&mut self, words: &[u32], text: &[u8], paths: &[Asked]) {
        self.rounds::<filter::Avx2>(words, text, paths);
    }

    #[inline(always)]
    fn rounds<S: Search>(&mut self, words: &[u32], text: &[u8], paths: &[Asked]) {
        self.begin::<S>(words, text, paths);
        while self.count > FEW {
            let lengths = self.sort(words);
            self.count = 0;
            self.queue(Kind::Run, &lengths, words, text, |w, r, p, at| walk::run(w, r, p, at));
            self.queue(Kind::Narrow, &lengths, words, text, |w, r, p, at| walk::narrow(w, r, p, at));
            self.queue(Kind::Wide, &lengths, words, text, |w, r, p, at| walk::wide(w, r, p, at));
            self.queue(Kind::Root, &lengths, words, text, |w, r, p, at| walk::root::<S>(w, r, p, at));
            for &place in &self.queues[AT_END][..lengths[AT_END]] {
                let walk = &mut self.walks[usize::from(place) % MOST];
                walk.next = walk::at_end(word(&words[walk.automaton as usize..], walk.next as usize));
            }
        }
        for &place in &self.active[..self.count] {
            let walk = &mut self.walks[usize::from(place) % MOST];
            let path = Path { text, end: walk.end as usize };
            let automaton = &words[walk.automaton as usize..];
            walk.next = settled(walk::walk::<S, _>(automaton, walk.next, path, walk.at as usize, &mut Silent));
        }
    }

    /// Where all walks begin; those through pointers are over at once.
    #[inline(always)]
    fn begin<S: Search>(&mut self, words: &[u32], text: &[u8], paths: &[Asked]) {
        self.count = 0;
        for (place, asked) in paths.iter().enumerate() {
            let automaton = &words[asked.automaton as usize..];
            let (path, from) = (Path { text, end: asked.end as usize }, asked.start as usize);
            let (next, at) = if word(automaton, ENGINE) == ENGINE_DFA {
                start(automaton, path, from)
            } else {
                (settled(pointers::verdict::<S>(automaton, path, from, &mut self.scratch)), from)
            };
            prefetch(automaton, next as usize);
            self.walks[place] = Walk { automaton: asked.automaton, next, at: at as u32, end: asked.end };
            self.go_on(place as u8, next);
        }
    }

    /// Sorts the walks that go on by the kinds of their next records; returns how many are in each queue.
    #[inline(always)]
    fn sort(&mut self, words: &[u32]) -> [usize; QUEUES] {
        let mut lengths = [0; QUEUES];
        for &place in &self.active[..self.count] {
            let walk = &self.walks[usize::from(place) % MOST];
            let header = word(&words[walk.automaton as usize..], walk.next as usize);
            let queue = if walk.at >= walk.end { AT_END } else { kind(header) as usize };
            self.queues[queue][lengths[queue] % MOST] = place;
            lengths[queue] += 1;
        }
        lengths
    }

    /// One step for each walk of a queue.
    #[inline(always)]
    fn queue(
        &mut self,
        kind: Kind,
        lengths: &[usize; QUEUES],
        words: &[u32],
        text: &[u8],
        step: impl Fn(&[u32], Target, Path<'_>, usize) -> Step,
    ) {
        for number in 0..lengths[kind as usize] {
            let place = self.queues[kind as usize][number % MOST];
            let walk = &mut self.walks[usize::from(place) % MOST];
            let automaton = &words[walk.automaton as usize..];
            let path = Path { text, end: walk.end as usize };
            let step = step(automaton, walk.next, path, walk.at as usize);
            prefetch(automaton, step.target as usize);
            (walk.next, walk.at) = (step.target, step.at as u32);
            self.go_on(place, step.target);
        }
    }

    /// Notes a walk for the next round, unless it is settled.
    #[inline(always)]
    fn go_on(&mut self, place: u8, next: Target) {
        self.active[self.count % MOST] = place;
        self.count += usize::from(next >= FIRST_RECORD);
    }
}
