//! Triples: three consecutive bytes of a literal, found anywhere in a path by nibble tables.
//!
//! A pattern has several triples; the best one is the triple that is [rarest](super::rarity) in the paths of real URLs.

use super::rarity::Rarity;
use crate::automaton::nibbles::{self, PLACE};

/// Up to three consecutive bytes of a literal; the first are missing if it is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Triple([Option<u8>; 3]);

/// How many bits a second triple gains by being from another literal.
const ANOTHER_LITERAL: u32 = 6;

/// A literal's number, and an offset in it.
type TriplePlace = (usize, usize);

impl Triple {
    /// The triple that every path has.
    pub const ANY: Triple = Triple([None; 3]);

    fn new(bytes: &[u8]) -> Triple {
        let mut triple = Triple::ANY;
        triple.0.iter_mut().rev().zip(bytes.iter().rev()).for_each(|(place, byte)| *place = Some(*byte));
        triple
    }

    /// The rarest triple of some literals.
    pub fn rarest<'l>(literals: impl Iterator<Item = &'l [u8]>) -> Option<Triple> {
        rarest(literals, None).map(|(triple, _)| triple)
    }

    /// The rarest triple of some literals, and a second one, if there is one that shares at most a byte with it.
    pub fn rarest_two<'l>(literals: impl Iterator<Item = &'l [u8]> + Clone) -> Option<(Triple, Triple)> {
        let (first, place) = rarest(literals.clone(), None)?;
        Some((first, rarest(literals, Some(place)).map_or(Triple::ANY, |(triple, _)| triple)))
    }
}

/// The rarest triple, and its place, that shares at most a byte with the one at `apart`; one of another literal is preferred.
fn rarest<'l>(literals: impl Iterator<Item = &'l [u8]>, apart: Option<TriplePlace>) -> Option<(Triple, TriplePlace)> {
    let mut best: Option<(u32, &[u8], TriplePlace)> = None;
    for (number, literal) in literals.enumerate() {
        let (same, other) = match apart {
            Some((literal, at)) if literal == number => (Some(at), 0),
            _ => (None, ANOTHER_LITERAL),
        };
        let mut rarity = Rarity::new();
        for (end, &byte) in literal.iter().enumerate() {
            let bits = rarity.with(byte) + other;
            // Shorter triples only from shorter literals.
            let at = end.saturating_sub(2);
            let is_whole = end >= 2 || end + 1 == literal.len();
            if is_whole && same.is_none_or(|same| at.abs_diff(same) > 1) && best.is_none_or(|(most, ..)| bits >= most) {
                best = Some((bits, &literal[at..=end], (number, at)));
            }
        }
    }
    best.map(|(_, bytes, place)| (Triple::new(bytes), place))
}

/// Adds a triple to classes of a table.
pub(super) fn add(table: &mut [u8], triple: Triple, classes: u8) {
    (0..).zip(triple.0).for_each(|(place, byte)| nibbles::add(table, place, byte, classes));
}

/// The class, among some of a table, that a triple widens least. There must be at least one.
pub(super) fn narrowest(table: &[u8], triple: Triple, among: u8) -> u8 {
    if among.is_power_of_two() {
        return among;
    }
    let growth = |class: u8| {
        let (mut before, mut after) = (1, 1);
        for (table, byte) in table.chunks_exact(PLACE).zip(triple.0) {
            let halves = [byte.map(|byte| byte & 15), byte.map(|byte| byte >> 4)];
            for (halves, half) in table.chunks_exact(PLACE / 2).zip(halves) {
                let has = halves.iter().map(|classes| u32::from(classes & class != 0)).sum::<u32>();
                let added = half.map_or(16 - has, |half| u32::from(halves[usize::from(half)] & class == 0));
                before *= has;
                after *= has + added;
            }
        }
        after - before
    };
    let classes = (0..u8::BITS).map(|class| 1 << class).filter(|class| among & class != 0);
    classes.min_by_key(|&class| growth(class)).expect("a class")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_are_the_rarest_apart() {
        let of = |literals: &[&'static str]| Triple::rarest_two(literals.iter().map(|literal| literal.as_bytes()));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[""]), None);
        assert_eq!(of(&["?"]), Some((Triple::new(b"?"), Triple::ANY)));
        assert_eq!(of(&["abcd"]), Some((Triple::new(b"bcd"), Triple::ANY)));
        assert_eq!(of(&["/e", "zqx"]), Some((Triple::new(b"zqx"), Triple::new(b"/e"))));
        let (first, second) = of(&["sessionid=zqz"]).expect("two");
        assert_eq!((first, second), (Triple::new(b"zqz"), Triple::new(b"d=z")));
    }
}
