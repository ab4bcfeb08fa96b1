//! What sites say about uses of the pages of a chunk's lines.

use super::matcher::Matcher;
use super::preferred::{KnownPreferences, Places};
use crate::outcome::{Outcome, Partition, Reason};
use crate::preferences::Preferred;

/// What is said of the pages of a chunk's lines, to each of several crawlers.
#[derive(Debug)]
pub(crate) struct PreferredLines {
    /// Those of one policy after the other.
    by_policy: Vec<Vec<Matcher>>,
    crawlers: usize,
    known: KnownPreferences,
    /// For each line, those for each crawler.
    found: Vec<Preferred>,
}

impl PreferredLines {
    /// For the crawlers of these matchers, given for each policy.
    pub fn new(matchers: &[&[Matcher]]) -> PreferredLines {
        let by_policy: Vec<Vec<Matcher>> = matchers.iter().map(|matchers| matchers.to_vec()).collect();
        let crawlers = by_policy.iter().map(Vec::len).sum();
        PreferredLines { by_policy, crawlers, known: KnownPreferences::default(), found: Vec::new() }
    }

    /// Finds what is said of lines with these outcomes for each crawler; `url` returns the URL of a line. Of what may not be fetched
    /// nothing is said, unless it is refused for what is said.
    pub fn find<'u>(&mut self, url: impl Fn(usize) -> &'u [u8], outcomes: &[Vec<Outcome>]) {
        let PreferredLines { by_policy, crawlers, known, found } = self;
        let lines = outcomes.first().map_or(0, Vec::len);
        found.clear();
        found.resize(lines * *crawlers, Preferred::default());
        let is_said =
            |outcome: Outcome| outcome.partition() == Partition::Allowed || outcome.reason() == Reason::Preference;
        let mut from = 0;
        for matchers in by_policy {
            let judges = Matcher::views(matchers);
            let Some(first) = judges.first() else { continue };
            let (mut places, outcomes) = (Places::new(known), &outcomes[from..from + judges.len()]);
            for line in 0..lines {
                let is_needed = outcomes.iter().any(|outcomes| is_said(outcomes[line]));
                let Some(page) = is_needed.then(|| first.page(url(line))).flatten() else { continue };
                let of_line = &mut found[line * *crawlers + from..];
                for ((judge, outcomes), found) in judges.iter().zip(outcomes).zip(of_line) {
                    let preferred = is_said(outcomes[line]).then(|| page.preferred(judge.columns(), &mut places));
                    *found = preferred.flatten().unwrap_or_default();
                }
            }
            from += judges.len();
        }
    }

    /// What is said of a line's page to a crawler.
    pub fn of(&self, line: usize, crawler: usize) -> &Preferred {
        &self.found[line * self.crawlers + crawler]
    }

    /// Frees the memory that grows with chunks.
    pub fn release(&mut self) {
        self.found = Vec::new();
    }
}
