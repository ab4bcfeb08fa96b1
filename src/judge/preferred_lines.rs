//! What sites say about uses of the pages of a chunk's lines.

use super::matcher::Matcher;
use super::preferred::{KnownPreferences, Places};
use crate::outcome::{Outcome, Partition, Reason};
use crate::preferences::Preferred;

/// What is said of the pages of a chunk's lines, to each of several crawlers.
#[derive(Debug)]
pub(crate) struct PreferredLines {
    matchers: Vec<Matcher>,
    known: KnownPreferences,
    /// For each line, those for each crawler.
    found: Vec<Preferred>,
}

impl PreferredLines {
    /// For the crawlers of these matchers.
    pub fn new(matchers: &[Matcher]) -> PreferredLines {
        PreferredLines { matchers: matchers.to_vec(), known: KnownPreferences::default(), found: Vec::new() }
    }

    /// Finds what is said of lines with these outcomes for each crawler; `url` returns the URL of a line. Of what may not be fetched
    /// nothing is said, unless it is refused for what is said.
    pub fn find<'u>(&mut self, url: impl Fn(usize) -> &'u [u8], outcomes: &[Vec<Outcome>]) {
        let PreferredLines { matchers, known, found } = self;
        found.clear();
        let judges = Matcher::views(matchers);
        let Some((first, lines)) = judges.first().zip(outcomes.first().map(Vec::len)) else { return };
        let mut places = Places::new(known);
        let is_said =
            |outcome: Outcome| outcome.partition() == Partition::Allowed || outcome.reason() == Reason::Preference;
        for line in 0..lines {
            let is_needed = outcomes.iter().any(|outcomes| is_said(outcomes[line]));
            let page = if is_needed { first.page(url(line)) } else { None };
            found.extend(judges.iter().zip(outcomes).map(|(judge, outcomes)| {
                let page = page.as_ref().filter(|_| is_said(outcomes[line]));
                let preferred = page.and_then(|page| page.preferred(judge.columns(), &mut places));
                preferred.unwrap_or_default()
            }));
        }
    }

    /// What is said of a line's page to a crawler.
    pub fn of(&self, line: usize, crawler: usize) -> &Preferred {
        &self.found[line * self.matchers.len() + crawler]
    }

    /// Frees the memory that grows with chunks.
    pub fn release(&mut self) {
        self.found = Vec::new();
    }
}
