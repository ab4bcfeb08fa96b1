//! Ranks, folded to what a verdict needs.
//!
//! Among neighbours in rank of one verdict it does not matter which wins. So consecutive ranks of one verdict are one
//! *band*. Bands are numbered from the worst, and their verdicts alternate: 0 is "allowed because nothing matches"
//! (with the `Allow` rules that are worse than every `Disallow`, which change nothing), 1 blocks, 2 allows, and so on.
//! A higher band wins, and its parity is its verdict.

use crate::rules::{Pattern, Patterns, Verdict};

/// The band of a pattern, or the best one reached. Odd bands block.
pub type Band = u32;

/// Nothing has matched.
pub(super) const NO_MATCH: Band = 0;

/// What a band says.
#[inline]
pub(super) fn verdict(band: Band) -> Verdict {
    if band % 2 == 1 { Verdict::Blocked } else { Verdict::Allowed }
}

/// Whether two bands say different things.
#[inline]
pub(super) fn opposite(a: Band, b: Band) -> bool {
    (a ^ b) & 1 == 1
}

/// All patterns with their bands, the worst first.
pub(super) fn from_the_worst(patterns: &Patterns) -> impl Iterator<Item = (&Pattern, Band)> {
    let mut band = NO_MATCH;
    patterns.all().iter().rev().map(move |pattern| {
        band += u32::from(verdict(band) != pattern.verdict);
        (pattern, band)
    })
}

/// The band of each pattern, by rank: neighbours in rank of one verdict are one band. 0 changes nothing; of the others,
/// the higher wins, and odd ones block.
pub fn bands(patterns: &Patterns) -> Vec<Band> {
    let mut bands: Vec<Band> = from_the_worst(patterns).map(|(_, band)| band).collect();
    bands.reverse();
    bands
}

/// Is told of a state: where its record begins; the band of a path that ends there, and the one that is reached whatever
/// follows.
pub(super) type TellBands<'t> = dyn FnMut(u32, (Band, Band)) + 't;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::robots::Robots;

    #[test]
    fn bands_alternate_from_the_worst() {
        let text =
            b"User-agent: *\nAllow: /\nDisallow: /a\nDisallow: /bb\nAllow: /ccc\nAllow: /dddd\nDisallow: /eeeee\n";
        let robots = Robots::parse(text, Dialect::DEFAULT);
        let patterns = Patterns::rank(robots.rules.iter(), Dialect::DEFAULT);
        assert_eq!(bands(&patterns), [3, 2, 2, 1, 1, 0]);
    }
}
