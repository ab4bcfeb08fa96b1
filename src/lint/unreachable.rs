//! Finds rules that can never decide, because another one always wins against them.
//!
//! Which rules compete depends on the crawler: its groups are merged, or the first one counts. A finding must be true
//! for every crawler, so rules are compared only if they always apply together: those of one group and, if groups are
//! merged, those of all groups that name the same agents.

use hashbrown::HashMap;
use std::collections::BTreeMap;

use super::finding::{Findings, Related};
use super::{FindingKind, redundant};
use crate::dialect::{Dialect, Groups, Precedence};
use crate::robots::{Robots, Rule};
use crate::rules::{Pattern, Patterns};

/// Reports the rules that can never decide, and returns the work of the search.
pub(super) fn check(text: &[u8], robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) -> Work {
    let mut work = Work::for_bytes(text.len());
    for groups in applied_together(robots, dialect) {
        let of_group = |&group: &u32| &robots.rules[robots.groups[group as usize].rules.clone()];
        let rules: Vec<&Rule<'_>> = groups.iter().flat_map(of_group).collect();
        let patterns = Patterns::rank(rules.iter().copied(), dialect);
        let mut found = shadowed(&patterns, rules.len(), &mut work).into_iter().peekable();
        let mut end = 0;
        for group in groups {
            let count = robots.groups[group as usize].rules.len();
            end += count;
            let own: Vec<(usize, usize)> = std::iter::from_fn(|| found.next_if(|(rule, _)| *rule < end)).collect();
            let is_whole = own.len() == count;
            own.iter().for_each(|&(rule, winner)| report(rules[rule], rules[winner], is_whole, dialect, findings));
        }
    }
    work
}

/// Sets of groups whose rules apply together for every crawler.
fn applied_together(robots: &Robots<'_>, dialect: &Dialect) -> Vec<Vec<u32>> {
    let mut names: Vec<Vec<Vec<u8>>> = vec![Vec::new(); robots.groups.len()];
    for named in robots.named(dialect).filter(|named| named.everybody || !named.compared.is_empty()) {
        names[named.group as usize].push(named.key());
    }
    let mut all: Vec<Vec<u32>> = Vec::new();
    let mut places = HashMap::new();
    // A group of no crawler has no effect, and none is claimed.
    for (group, mut names) in names.into_iter().enumerate().filter(|(_, names)| !names.is_empty()) {
        names.sort_unstable();
        names.dedup();
        let place = match dialect.groups {
            Groups::Merged => *places.entry(names).or_insert(all.len()),
            Groups::First => all.len(),
        };
        match all.get_mut(place) {
            Some(groups) => groups.push(group as u32),
            None => all.push(vec![group as u32]),
        }
    }
    all
}

/// The rules whose patterns are all shadowed by patterns of one other rule, and that rule, as indexes.
fn shadowed(patterns: &Patterns, rules: usize, work: &mut Work) -> Vec<(usize, usize)> {
    const UNKNOWN: u32 = u32::MAX;
    const NOT: u32 = u32::MAX - 1;
    let mut winners = vec![UNKNOWN; rules];
    for (pattern, shadow) in patterns.all().iter().zip(search(patterns, work)) {
        let winner = shadow.map(|rank| patterns.all()[rank as usize].rule).filter(|&winner| winner != pattern.rule);
        let known = &mut winners[pattern.rule as usize];
        *known = match (winner, *known) {
            (Some(winner), UNKNOWN) => winner,
            (Some(winner), known) if winner == known => winner,
            _ => NOT,
        };
    }
    let found = winners.into_iter().enumerate().filter(|(_, winner)| *winner < NOT);
    found.map(|(rule, winner)| (rule, winner as usize)).collect()
}

/// Reports a rule, which may be one of a whole record without a rule that decides.
fn report(rule: &Rule<'_>, winner: &Rule<'_>, is_whole: bool, dialect: &Dialect, findings: &mut Findings<'_>) {
    let related = Related::rule(winner);
    let how = match dialect.precedence {
        Precedence::Longest => "wins against it and matches every path that it matches",
        Precedence::FirstMatch => "comes before it and matches every path that it matches",
        Precedence::AnyDisallow => "forbids every path that it forbids",
    };
    let mut reason = match rule.value == winner.value && rule.allow == winner.allow {
        true => format!("it repeats line {}", winner.line),
        false => format!("it never decides: line {}, {}, {how}", winner.line, related.text),
    };
    if is_whole {
        reason +=
            "; no rule of its record decides: remove the whole record, for without rules its agents join the next one";
    }
    findings.add_with(FindingKind::UnreachableRule, rule.line, reason, None, Some(related));
}

// Searches, for each pattern, one that wins against it and covers it.
//
// Trying all pairs is quadratic. Three steps find nearly everything that can be found, two of them in near-linear
// time:
//
// 1. Equal patterns, by hashing them.
// 2. Plain prefixes. Sorted by first segment, a pattern comes after all its prefixes. A stack holds the prefixes of the
//    current one, each with the best rank of itself and those below it.
// 3. Patterns with a `*` inside, by trial. A pattern is tried only against those that win against it, have no more
//    literal bytes than it, and have no byte or pair of bytes that it lacks. Longer patterns win, so few are left. The
//    trials are counted against a budget that depends on the size of the file.

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
type Shadows = Vec<Option<u32>>;

/// Searches a shadow for each pattern.
fn search(patterns: &Patterns, work: &mut Work) -> Shadows {
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
    Some(redundant::beginning(patterns, pattern)).filter(|beginning| !beginning.is_empty()).unwrap_or(b"/")
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

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    use super::*;
    use crate::rules::tried::{matches, paths};

    /// The lines of unreachable rules, each with the line of the rule that always wins.
    fn lines(file: &str, dialect: &str) -> Vec<(u32, u32)> {
        let dialect = Dialect::named(dialect).unwrap();
        let robots = Robots::parse(file.as_bytes(), dialect);
        let mut findings = Findings::new(dialect);
        check(file.as_bytes(), &robots, dialect, &mut findings);
        let (found, _) = findings.in_order(file.as_bytes());
        found.into_iter().map(|finding| (finding.line, finding.related.unwrap().line)).collect()
    }

    #[test]
    fn the_rule_that_wins_is_named() {
        let file = "User-agent: a\nDisallow: /x\nAllow: /x\nAllow: /\nDisallow: /x/y\nDisallow: /%78/y\n";
        assert_eq!(lines(file, "rfc9309"), [(2, 3), (6, 5)]);
        assert_eq!(lines(file, "draft-1996"), [(3, 2), (5, 2), (6, 2)]);
        assert_eq!(lines(file, "original-1994"), [(5, 2)]);
        let file = "User-agent: a\nDisallow: /x\nAllow: /*x\nDisallow: *.gif$\nDisallow: /*.gif$\nDisallow: /*\n";
        assert_eq!(lines(file, "rfc9309"), [(2, 3), (4, 5)]);
        assert_eq!(lines("User-agent: a\nDisallow: x\nDisallow: xy\nDisallow: x\n", "google"), [(4, 2)]);
    }

    #[test]
    fn rules_that_do_not_always_come_together_are_not_compared() {
        let apart = "User-agent: a\nDisallow: /x\nUser-agent: b\nAllow: /x\n";
        let together = "User-agent: a\nUser-agent: B/2\nDisallow: /x\nUser-agent: b\nUser-agent: A\nAllow: /x\n";
        for dialect in Dialect::ALL {
            assert_eq!(lines(apart, dialect.name), [], "{}", dialect.name);
        }
        assert_eq!(lines(together, "rfc9309"), [(3, 6)]);
        assert_eq!(lines(together, "draft-1996"), [], "the second record is never obeyed, whatever is in it");
    }

    #[test]
    fn both_patterns_of_a_rule_must_be_shadowed() {
        let rules = "User-agent: *\nAllow: /a/index.html*\nAllow: /a/index.html\n";
        assert_eq!(lines(rules, "google"), [(3, 2)]);
        // The first rule still allows the directory itself, whatever wins against its own path.
        let file = "User-agent: *\nAllow: /a/index.html\nDisallow: /a/index.html*\n";
        assert_eq!(lines(file, "google"), []);
        assert_eq!(lines(file, "rfc9309"), [(2, 3)]);
    }

    /// A rule for the brute-force check: whether it is an `Allow`, and its pattern.
    type Plain = (bool, Vec<u8>);

    /// All paths to try. No rule contains `x`.
    static PATHS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| paths(5));

    /// Whether the rule at `one` wins against the one at `other`, by RFC 9309 2.2.2.
    fn wins(rules: &[Plain], one: usize, other: usize) -> bool {
        let key = |at: usize| (std::cmp::Reverse(rules[at].1.len()), !rules[at].0, at);
        key(one) < key(other)
    }

    fn rule() -> impl Strategy<Value = Plain> {
        let start = prop::sample::select(b"///*".as_slice());
        let middle = vec(prop::sample::select(b"ab/**".as_slice()), 0..4);
        (any::<bool>(), start, middle, prop::bool::weighted(0.3)).prop_map(|(allow, start, middle, dollar)| {
            (allow, [[start].as_slice(), &middle, if dollar { b"$" } else { b"" }].concat())
        })
    }

    proptest! {
        /// Every finding is true for all paths, and every rule shadowed by one other rule is found. (The longest
        /// witness has six bytes: four literals and the gaps of the stars between them and at the end.)
        #[test]
        fn what_is_unreachable_is_exactly_what_trying_all_paths_says(rules in vec(rule(), 1..7)) {
            let mut file = "User-agent: *\n".to_owned();
            for (allow, pattern) in &rules {
                let key = if *allow { "Allow" } else { "Disallow" };
                file += &format!("{key}: {}\n", std::str::from_utf8(pattern).unwrap());
            }
            let found = lines(&file, "rfc9309");
            let shadows = |one: usize, other: usize| {
                wins(&rules, one, other)
                    && PATHS.iter().all(|path| !matches(&rules[other].1, path) || matches(&rules[one].1, path))
            };
            for &(line, winner) in &found {
                prop_assert!(shadows(winner as usize - 2, line as usize - 2), "line {} by {}\n{}", line, winner, file);
            }
            for other in 0..rules.len() {
                let is_shadowed = (0..rules.len()).any(|one| shadows(one, other));
                let is_found = found.iter().any(|(line, _)| *line as usize == other + 2);
                prop_assert_eq!(is_found, is_shadowed, "line {}\n{}", other + 2, file);
            }
        }
    }
}
