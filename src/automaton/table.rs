//! The table of a DFA: states as records of 32-bit words, and how they are written. [`walk`](super::walk) reads them.
//!
//! ```text
//! record   header | default, if explicit | output, if any | run:    target, if explicit; octets in words of 4
//!                 | filter, if a root                     | narrow: octets in 1 or 2 words, a target each
//!                                                         | wide:   a bitmap of 8 words, its rank word, a target each
//! header   bits 0-1 kind, 2 blocked if the path ends at the record, 3 blocked if it ends within the run,
//!          4-6 default, 7 has an output, 8-9 target of a run, 10-31 how many octets (run) or targets (narrow, wide)
//! target   0 settled as allowed, 1 settled as blocked, else where the record of the state begins
//!          (run: settled as allowed, settled as blocked, or explicit)
//! default  where octets without a target go: settled as allowed, settled as blocked, here (the octet is used up), or
//!          another record, which is asked about the same octet: explicit, or the automaton's main root
//! ```
//!
//! Targets below the first record are verdicts, so "settled" is one compare. A record that stays on most octets is the
//! root of its context; all others default to a record of shorter progress, as failure links do, so that a walk takes
//! at most two steps an octet in all.

use super::build::{Builder, Edges, OverBudget, StateId};
use super::filter::{self, FILTER_WORDS};
use super::{MAIN_ROOT, START, START_BEHIND_SLASH, bands};
use crate::pattern::Verdict;

/// A target: a verdict, or where a record begins.
pub(super) type Target = u32;

/// Targets below this are verdicts; the words that they cannot point to hold the automaton's head.
pub(super) const FIRST_RECORD: u32 = 4;

pub(super) const KIND_MASK: u32 = 3;
pub(super) const RUN: u32 = 0;
pub(super) const NARROW: u32 = 1;
pub(super) const WIDE: u32 = 2;
pub(super) const END_BLOCKED: u32 = 1 << 2;
pub(super) const MIDDLE_BLOCKED: u32 = 1 << 3;
pub(super) const DEFAULT_SHIFT: u32 = 4;
pub(super) const DEFAULT_MASK: u32 = 7;
pub(super) const DEFAULT_HERE: u32 = 2;
pub(super) const DEFAULT_EXPLICIT: u32 = 3;
pub(super) const DEFAULT_MAIN_ROOT: u32 = 4;
pub(super) const HAS_OUTPUT: u32 = 1 << 7;
pub(super) const RUN_TARGET_SHIFT: u32 = 8;
pub(super) const RUN_TARGET_MASK: u32 = 3;
pub(super) const RUN_TARGET_EXPLICIT: u32 = 2;
pub(super) const COUNT_SHIFT: u32 = 10;

/// The most octets of a run; longer ones are several.
pub(super) const LONGEST_RUN: u32 = u32::MAX >> COUNT_SHIFT;

/// The most targets of a narrow record.
pub(super) const NARROW_MOST: usize = 8;
/// The words of a wide record's bitmap, with its rank word.
pub(super) const WIDE_WORDS: usize = 9;

/// The target that says a verdict.
pub(super) fn settled(verdict: Verdict) -> Target {
    u32::from(verdict == Verdict::Blocked)
}

/// The verdict of a settled target.
#[inline]
pub(super) fn verdict_of(target: Target) -> Verdict {
    if target == 0 { Verdict::Allowed } else { Verdict::Blocked }
}

/// How many words hold the octets of a narrow record with `count` targets.
#[inline]
pub(super) fn narrow_octet_words(count: usize) -> usize {
    if count <= 4 { 1 } else { 2 }
}

/// The states that walks can reach.
pub(super) struct Reachable {
    /// Where a walk begins.
    pub start: StateId,
    /// Where it is behind a first `/`.
    pub behind_slash: StateId,
    /// All that are not settled, with their edges, those nearest to the start first.
    pub order: Vec<StateId>,
}

/// All unsettled states that a walk from `start` can reach.
///
/// # Errors
///
/// [`OverBudget`] when the builder's budget is spent.
pub(super) fn reachable(builder: &mut Builder<'_>, start: StateId) -> Result<Reachable, OverBudget> {
    let mut behind_slash = start;
    if !builder.states[start as usize].settled {
        builder.expand(start)?;
        behind_slash = builder.behind(start, b'/')?;
    }
    let mut order = Vec::new();
    let mut seen = vec![false; builder.states.len()];
    let mut queue = std::collections::VecDeque::from([behind_slash]);
    // Few paths begin at the start proper, so it stands behind all others.
    let mut last = Some(start);
    while let Some(state) = queue.pop_front().or_else(|| last.take()) {
        if seen.len() < builder.states.len() {
            seen.resize(builder.states.len(), false);
        }
        if builder.states[state as usize].settled || std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        builder.expand(state)?;
        order.push(state);
        // Most octets go to the failure link: its record is to be near.
        queue.extend(builder.states[state as usize].fail);
        match builder.states[state as usize].edges {
            Edges::Run { target, .. } => queue.push_back(target),
            Edges::Branch { start, end } => {
                queue.extend(builder.edges[start as usize..end as usize].iter().map(|edge| edge.target));
            }
            Edges::Unknown => unreachable!("expanded above"),
        }
    }
    Ok(Reachable { start, behind_slash, order })
}

/// Writes reachable states as records behind an automaton's head. `output` says what a state puts out, for the scanner
/// of the second engine.
pub(super) fn write(builder: &Builder<'_>, reachable: &Reachable, output: &dyn Fn(StateId) -> Option<u32>) -> Vec<u32> {
    let main_root = reachable.order.iter().copied().find(|&state| builder.states[state as usize].fail.is_none());
    let mut writer = Writer { builder, offsets: vec![0; builder.states.len()], main_root, output };
    let mut next = FIRST_RECORD;
    for &state in &reachable.order {
        writer.offsets[state as usize] = next;
        next += writer.record_words(state) as u32;
    }
    let mut words = Vec::with_capacity(next as usize);
    words.resize(FIRST_RECORD as usize, 0);
    words[MAIN_ROOT] = main_root.map_or(0, |root| writer.target(root));
    words[START] = writer.target(reachable.start);
    words[START_BEHIND_SLASH] = writer.target(reachable.behind_slash);
    for &state in &reachable.order {
        debug_assert_eq!(words.len(), writer.offsets[state as usize] as usize);
        writer.record(state, &mut words);
    }
    words
}

struct Writer<'b, 'a> {
    builder: &'b Builder<'a>,
    offsets: Vec<u32>,
    /// The root that most records default to.
    main_root: Option<StateId>,
    output: &'b dyn Fn(StateId) -> Option<u32>,
}

/// Where octets without a target of their own go.
enum Default {
    Settled(Target),
    Here,
    MainRoot,
    Explicit(StateId),
}

impl Writer<'_, '_> {
    fn is_settled(&self, state: StateId) -> bool {
        self.builder.states[state as usize].settled
    }

    fn target(&self, state: StateId) -> Target {
        if self.is_settled(state) {
            settled(bands::verdict(self.builder.best(state)))
        } else {
            self.offsets[state as usize]
        }
    }

    fn default(&self, state: StateId) -> Default {
        match self.builder.states[state as usize].fail {
            None => Default::Here,
            Some(fail) if self.is_settled(fail) => Default::Settled(self.target(fail)),
            Some(fail) if Some(fail) == self.main_root => Default::MainRoot,
            Some(fail) => Default::Explicit(fail),
        }
    }

    /// How many words the record of a state takes.
    fn record_words(&self, state: StateId) -> usize {
        let default = match self.default(state) {
            Default::Settled(_) | Default::MainRoot => 0,
            Default::Here => FILTER_WORDS,
            Default::Explicit(_) => 1,
        };
        let head = 1 + default + usize::from((self.output)(state).is_some());
        head + match self.builder.states[state as usize].edges {
            Edges::Run { len, target, .. } => usize::from(!self.is_settled(target)) + (len as usize).div_ceil(4),
            Edges::Branch { start, end } => match (end - start) as usize {
                count if count <= NARROW_MOST => narrow_octet_words(count) + count,
                count => WIDE_WORDS + count,
            },
            Edges::Unknown => unreachable!("only expanded states are written"),
        }
    }

    fn record(&self, id: StateId, words: &mut Vec<u32>) {
        let state = &self.builder.states[id as usize];
        let at = words.len();
        words.push(0);
        let default = match self.default(id) {
            Default::Settled(target) => target,
            Default::Here => DEFAULT_HERE,
            Default::MainRoot => DEFAULT_MAIN_ROOT,
            Default::Explicit(fail) => {
                words.push(self.target(fail));
                DEFAULT_EXPLICIT
            }
        };
        let output = (self.output)(id);
        words.extend(output);
        if state.fail.is_none() {
            push_octets(&filter::new(self.builder.waited_for(id)), words);
        }
        let payload = match state.edges {
            Edges::Run { text, len, target } => self.run(id, (text, len), target, words),
            Edges::Branch { start, end } => self.branch(start, end, words),
            Edges::Unknown => unreachable!("only expanded states are written"),
        };
        let end = if bands::verdict(state.end) == Verdict::Blocked { END_BLOCKED } else { 0 };
        words[at] = payload | end | default << DEFAULT_SHIFT | if output.is_some() { HAS_OUTPUT } else { 0 };
    }

    /// Writes the payload of a run; returns its part of the header.
    fn run(&self, id: StateId, (text, len): (u32, u32), target: StateId, words: &mut Vec<u32>) -> u32 {
        let fail = self.builder.states[id as usize].fail.expect("a root is a branch");
        let middle = bands::verdict(self.builder.states[fail as usize].end);
        let code = match self.target(target) {
            target if target < FIRST_RECORD => target,
            target => {
                words.push(target);
                RUN_TARGET_EXPLICIT
            }
        };
        push_octets(self.builder.run(text, len), words);
        let blocked = if middle == Verdict::Blocked { MIDDLE_BLOCKED } else { 0 };
        RUN | blocked | code << RUN_TARGET_SHIFT | len << COUNT_SHIFT
    }

    /// Writes the payload of a branch; returns its part of the header.
    fn branch(&self, start: u32, end: u32, words: &mut Vec<u32>) -> u32 {
        let edges = &self.builder.edges[start as usize..end as usize];
        let count = edges.len();
        let kind = if count <= NARROW_MOST {
            let mut octets = [0; NARROW_MOST];
            // Unused places repeat an octet that is there, so that they are never found first.
            octets.fill(edges.first().map_or(0, |edge| edge.octet));
            for (place, edge) in octets.iter_mut().zip(edges) {
                *place = edge.octet;
            }
            push_octets(&octets[..4 * narrow_octet_words(count)], words);
            NARROW
        } else {
            let mut bitmap = [0u32; 8];
            for edge in edges {
                bitmap[usize::from(edge.octet >> 5)] |= 1 << (edge.octet & 31);
            }
            words.extend(bitmap);
            words.push(rank_word(&bitmap));
            WIDE
        };
        words.extend(edges.iter().map(|edge| self.target(edge.target)));
        kind | (count as u32) << COUNT_SHIFT
    }
}

/// How many bits are set before the second, third and fourth pair of the bitmap's words, in one octet each (the first
/// is 0; there are at most 192).
pub(super) fn rank_word(bitmap: &[u32; 8]) -> u32 {
    let mut before = 0;
    let mut word = 0;
    for (pair, words) in bitmap.chunks_exact(2).enumerate() {
        word |= before << (8 * pair);
        before += words[0].count_ones() + words[1].count_ones();
    }
    word
}

/// Appends octets in memory order, the last word filled up with zeros.
fn push_octets(octets: &[u8], words: &mut Vec<u32>) {
    words.extend(octets.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    }));
}
