//! Searches, for each pattern, one that wins against it and covers it.
//!
//! Trying all pairs is quadratic. Three steps find nearly everything that can be found, two of them in near-linear
//! time:
//!
//! 1. Equal patterns, by hashing them.
//! 2. Plain prefixes. Sorted by first segment, a pattern comes after all its prefixes. A stack holds the prefixes of the
//!    current one, each with the best rank of itself and those below it.
//! 3. Patterns with a `*` inside, by trial. A pattern is tried only against those that win against it, have no more
//!    literal bytes than it, and have no byte or pair of bytes that it lacks. Longer patterns win, so few are left. The
//!    trials are counted against a budget that depends on the size of the file.

use hashbrown::HashMap;
use std::collections::BTreeMap;

use crate::rules::{Pattern, Patterns};

/// The work that a search may do. A trial costs one unit, plus one for every eight bytes it compares and sixteen for
/// every segment it looks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Work {
    /// The most work to do.
    limit: usize,
    /// The work done so far.
    pub done: usize,
    /// The number of patterns not tried against all others.
    pub not_searched: usize,
}

impl Work {
    /// The budget for a file of this size.
    pub fn for_bytes(bytes: usize) -> Work {
        Work { limit: (1 << 22) + 128 * bytes, ..Work::default() }
    }

    fn is_spent(&self) -> bool {
        self.done >= self.limit
    }
}

/// For each rank, the rank of a pattern that wins against it and covers it.
pub(super) type Shadows = Vec<Option<u32>>;

/// Searches a shadow for each pattern.
pub(super) fn find(patterns: &Patterns, work: &mut Work) -> Shadows {
    let mut shadows = vec![None; patterns.all().len()];
    equal(patterns, &mut shadows);
    prefixes(patterns, &mut shadows);
    tried(patterns, &mut shadows, work);
    // In a chain of shadows, only the first pattern ever wins.
    for rank in 0..shadows.len() {
        if let Some(before) = shadows[rank].and_then(|winner| shadows[winner as usize]) {
            shadows[rank] = Some(before);
        }
    }
    shadows
}

/// Step one: equal patterns.
fn equal(patterns: &Patterns, shadows: &mut Shadows) {
    let mut firsts = HashMap::new();
    for (rank, pattern) in patterns.all().iter().enumerate() {
        let segments: Vec<&[u8]> = patterns.segments(pattern).map(|range| &patterns.text()[range]).collect();
        let first = *firsts.entry((pattern.anchored, segments)).or_insert(rank as u32);
        shadows[rank] = Some(first).filter(|&first| first < rank as u32);
    }
}

/// The bytes that begin every path matched by a pattern.
fn beginning<'p>(patterns: &'p Patterns, pattern: &Pattern) -> &'p [u8] {
    let first = patterns.segments(pattern).next().expect("a pattern has a segment");
    if first.is_empty() { b"/" } else { &patterns.text()[first] }
}

/// Whether a pattern is a plain prefix.
fn is_prefix(patterns: &Patterns, pattern: &Pattern) -> bool {
    !pattern.anchored && patterns.segments(pattern).len() == 1
}

/// Step two: plain prefixes.
fn prefixes(patterns: &Patterns, shadows: &mut Shadows) {
    let all = patterns.all();
    let mut order: Vec<(&[u8], u32)> =
        all.iter().enumerate().map(|(rank, pattern)| (beginning(patterns, pattern), rank as u32)).collect();
    order.sort_unstable();
    // The prefixes of the current beginning, each with the best rank of itself and those below it.
    let mut stack: Vec<(&[u8], u32)> = Vec::new();
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        let beginning = same[0].0;
        while stack.last().is_some_and(|(prefix, _)| !beginning.starts_with(prefix)) {
            stack.pop();
        }
        let plain = same.iter().find(|(_, rank)| is_prefix(patterns, &all[*rank as usize]));
        if let Some(&(_, rank)) = plain {
            let best = stack.last().map_or(rank, |&(_, below)| below.min(rank));
            stack.push((beginning, best));
        }
        let Some(&(_, best)) = stack.last() else { continue };
        for &(_, rank) in same.iter().filter(|&&(_, rank)| best < rank) {
            if patterns.covers(&all[best as usize], &all[rank as usize]) {
                shadows[rank as usize].get_or_insert(best);
            }
        }
    }
}

/// Properties that can rule out a pattern without reading it.
#[derive(Clone, Copy)]
struct Shape {
    /// The number of literal bytes in the shortest path that it matches.
    literals: usize,
    /// The bytes and pairs of adjacent bytes that it has, hashed to bits.
    content: u128,
}

impl Shape {
    fn of(patterns: &Patterns, pattern: &Pattern) -> Shape {
        let mut shape = Shape { literals: 0, content: 0 };
        for range in patterns.segments(pattern) {
            let segment = &patterns.text()[range];
            shape.literals += segment.len();
            for byte in segment {
                shape.content |= byte_bit(*byte);
            }
            for pair in segment.windows(2) {
                let mixed = u32::from(pair[0]).wrapping_mul(31).wrapping_add(u32::from(pair[1]));
                shape.content |= 1 << (64 + mixed.wrapping_mul(0x9e37_79b9) / (1 << 26));
            }
        }
        shape
    }

    /// The shape of the paths of a pattern that begins with `*`: their first byte is a slash.
    fn with_slash(self) -> Shape {
        Shape { literals: self.literals + 1, content: self.content | byte_bit(b'/') }
    }
}

fn byte_bit(byte: u8) -> u128 {
    1 << (byte % 64)
}

/// Step three: trials.
fn tried(patterns: &Patterns, shadows: &mut Shadows, work: &mut Work) {
    let all = patterns.all();
    // The content and rank of the winners so far, by their number of literal bytes.
    let mut winners: BTreeMap<usize, Vec<(u128, u32)>> = BTreeMap::new();
    for (rank, pattern) in all.iter().enumerate() {
        if shadows[rank].is_some() {
            continue;
        }
        let shape = Shape::of(patterns, pattern);
        let begins_with_star = patterns.segments(pattern).next().is_some_and(|first| first.is_empty());
        let whole = if begins_with_star { shape.with_slash() } else { shape };
        if !winners.is_empty() {
            shadows[rank] = try_all(patterns, pattern, &whole, &winners, work);
        }
        if shadows[rank].is_none() && patterns.segments(pattern).len() > 1 {
            winners.entry(shape.literals).or_default().push((shape.content, rank as u32));
        }
    }
}

/// The first winner that covers a pattern, as far as the budget allows.
fn try_all(
    patterns: &Patterns,
    narrow: &Pattern,
    whole: &Shape,
    winners: &BTreeMap<usize, Vec<(u128, u32)>>,
    work: &mut Work,
) -> Option<u32> {
    for (&literals, candidates) in winners.range(..=whole.literals).rev() {
        for &(content, rank) in candidates {
            if work.is_spent() {
                work.not_searched += 1;
                return None;
            }
            let wide = &patterns.all()[rank as usize];
            let possible = content & !whole.content == 0 && (narrow.anchored || !wide.anchored);
            let stars = patterns.segments(wide).len() + patterns.segments(narrow).len();
            let bytes = if possible { (literals + whole.literals) / 8 + 16 * stars } else { 0 };
            work.done += 1 + bytes;
            if possible && patterns.covers(wide, narrow) {
                return Some(rank);
            }
        }
    }
    None
}
