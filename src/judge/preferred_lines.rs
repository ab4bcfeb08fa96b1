//! What sites say about uses of the pages of a chunk's lines.

use super::matcher::Matcher;
use super::page_preferences::PagePreferences;
use super::preferred::KnownPreferences;
use crate::outcome::Outcome;
use crate::preferences::Preferred;

/// What is said of the pages of a chunk's lines, to each of several crawlers.
#[derive(Debug)]
pub(crate) struct PreferredLines {
    /// Those of one policy after the other.
    by_policy: Vec<Vec<Matcher>>,
    crawlers: usize,
    known: KnownPreferences,
    pages: PagePreferences,
}

impl PreferredLines {
    /// For the crawlers of these matchers, given for each policy.
    pub fn new(matchers: &[&[Matcher]]) -> PreferredLines {
        let by_policy: Vec<Vec<Matcher>> = matchers.iter().map(|matchers| matchers.to_vec()).collect();
        let crawlers = by_policy.iter().map(Vec::len).sum();
        PreferredLines { by_policy, crawlers, known: KnownPreferences::default(), pages: PagePreferences::default() }
    }

    /// Finds what is said of lines with these outcomes for each crawler; `url` returns the URL of a line.
    pub fn find<'u>(&mut self, url: impl Fn(usize) -> &'u [u8], outcomes: &[Vec<Outcome>]) {
        let PreferredLines { by_policy, crawlers, known, pages } = self;
        pages.clear(outcomes.first().map_or(0, Vec::len), *crawlers);
        let mut from = 0;
        for matchers in by_policy {
            let judges = Matcher::views(matchers);
            pages.find(&judges, from, &url, &outcomes[from..from + judges.len()], known);
            from += judges.len();
        }
    }

    /// What is said of a line's page to a crawler.
    pub fn of(&self, line: usize, crawler: usize) -> &Preferred {
        self.pages.of(line, crawler)
    }

    /// Frees the memory that grows with chunks.
    pub fn release(&mut self) {
        self.pages.release();
    }
}
