//! What robots.txt says for many origins: the policy.
//!
//! [`Captures`] gathers answers from sources, keeps the newest of each URL (and the last good one beside a failure),
//! and follows redirects among them. [`Captures::policy`] makes the [`Policy`]: an index from origins to records, and
//! the automata of all distinct groups, each stored once.

mod capture;
mod captures;
mod index;
mod side_records;
pub mod source;
mod standing;

pub use capture::Capture;
pub use captures::{CaptureCounts, Captures};
pub use index::{Index, Record, TooManyOrigins, hash};
pub use standing::{Answered, Standing};

use serde::Serialize;

use crate::dialect::Dialect;
use crate::robots::{Agents, NoteCounts, SideRecord};
use side_records::{ListPlace, SideRecords};

pub(crate) use index::prefetch;

/// The rules of many origins for one crawler, ready to judge URLs.
#[derive(Debug, Clone)]
pub struct Policy {
    dialect: &'static Dialect,
    agents: Agents,
    index: Index,
    automata: Vec<u32>,
    answered: Vec<Answered>,
    records: SideRecords,
    /// By the number of an origin.
    record_lists: Vec<ListPlace>,
    statistics: Statistics,
}

/// How a policy came about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Captures read, and what became of them.
    pub captures: CaptureCounts,
    /// What was met in WARC files.
    pub warc: source::WarcCounts,
    /// Origins with an entry.
    pub origins: u64,
    /// Distinct automata.
    pub automata: u64,
    /// Of these, the ones whose verdict is the same for every path.
    pub constant: u64,
    /// Of these, DFAs.
    pub dfa: u64,
    /// Of these, the ones that go by pointers, because a DFA would outgrow its budget.
    pub pointers: u64,
    /// Octets that all automata take.
    pub automata_bytes: u64,
    /// What was dropped or cut in the robots.txt files, with counts.
    pub notes: NoteCounts,
}

impl Policy {
    /// The dialect it was made for.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// The crawler it was made for.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The origins.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The automaton that begins at this word.
    #[inline]
    pub fn automaton(&self, at: u32) -> &[u32] {
        &self.automata[at as usize..]
    }

    /// Asks for the first words of an automaton; only a hint.
    #[inline]
    pub(crate) fn prefetch_automaton(&self, at: u32) {
        // The head, the first record and the root that it falls back to are within two cache lines, mostly.
        for line in 0..2 {
            prefetch(&self.automata, at as usize + 16 * line);
        }
    }

    /// When and how the origin of this number answered.
    pub fn answered(&self, number: u32) -> &Answered {
        &self.answered[number as usize]
    }

    /// The records kept beside the rules of the origin of this number, such as `Crawl-delay`, in the order of the file:
    /// those of the crawler's groups, and those outside every group.
    pub fn side_records(&self, number: u32) -> impl Iterator<Item = SideRecord<'_>> {
        self.records.list(self.record_lists[number as usize])
    }

    /// How it came about.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::SideKey;

    #[test]
    fn side_records_are_kept_with_their_origin_and_lines() {
        let mut captures = Captures::new("examplebot".parse().unwrap(), Dialect::DEFAULT);
        let body = "Sitemap: s\nUser-agent: examplebot\nCrawl-delay: 0.5\nDisallow: /\nContent-Usage: ai=n\n\
                    User-agent: *\nCrawl-delay: 9\n";
        let capture = |origin: &str, body: Option<&str>, location: Option<&str>| Capture {
            url: format!("{origin}/robots.txt"),
            origin: Some(origin.to_owned()),
            answered: Answered { status: Some(if body.is_some() { 200 } else { 301 }), ..Answered::default() },
            location: location.map(str::to_owned),
            body: body.map(|body| body.as_bytes().into()),
            ..Capture::default()
        };
        captures.add(vec![
            capture("http://a.example", Some(body), None),
            capture("http://b.example", None, Some("http://a.example/robots.txt")),
            capture("http://c.example", Some("User-agent: *\nDisallow: /\n"), None),
        ]);
        let policy = captures.policy().unwrap();
        let of = |origin: &str| -> Vec<(SideKey, Vec<u8>, u32)> {
            let number = policy.index().get(origin.as_bytes()).unwrap().number;
            policy.side_records(number).map(|record| (record.key, record.value.to_vec(), record.line)).collect()
        };
        let expected = vec![
            (SideKey::Sitemap, b"s".to_vec(), 1),
            (SideKey::CrawlDelay, b"0.5".to_vec(), 3),
            (SideKey::ContentUsage, b"ai=n".to_vec(), 5),
        ];
        assert_eq!(of("http://a.example"), expected);
        assert_eq!(of("http://b.example"), expected, "a redirect leads to them");
        assert_eq!(of("http://c.example"), []);
    }
}
