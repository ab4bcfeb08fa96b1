//! A parsed robots.txt: groups of agents and rules, and side records.

use std::ops::Range;

use super::note::Note;
use super::record::SideKey;
use crate::dialect::{CrawlDelay, Dialect};

/// The value of one `User-agent` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentName<'a> {
    /// The value as written, without surrounding blanks.
    pub value: &'a [u8],
    /// The line, counted from 1.
    pub line: u32,
}

impl AgentName<'_> {
    /// Its text, and the line.
    pub(crate) fn kept(&self) -> (String, u32) {
        (String::from_utf8_lossy(self.value).into_owned(), self.line)
    }
}

/// One `Allow` or `Disallow` line that is a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule<'a> {
    /// Whether it is an `Allow` line.
    pub allow: bool,
    /// The pattern as written, without surrounding blanks; never empty.
    pub value: &'a [u8],
    /// The line, counted from 1.
    pub line: u32,
}

/// A record that is neither an agent nor a rule, kept for the operator, for example `Crawl-delay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideRecord<'a> {
    /// Which record it is.
    pub key: SideKey,
    /// The value as written, without surrounding blanks.
    pub value: &'a [u8],
    /// The line, counted from 1; 0 if the operator set the record.
    pub line: u32,
    /// The group that contains it, an index into [`Robots::groups`]; `None` before the first group, and always for keys that
    /// belong to no group.
    pub group: Option<u32>,
}

impl SideRecord<'_> {
    /// Whether the operator set it, rather than a file.
    pub fn is_operators(&self) -> bool {
        self.line == 0
    }
}

/// A group (1994: a record): the agents it names and the rules they share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its agents, as a range of [`Robots::agents`].
    pub agents: Range<usize>,
    /// Its rules, as a range of [`Robots::rules`].
    pub rules: Range<usize>,
}

/// A parsed robots.txt, borrowing from the (decoded) file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Robots<'a> {
    /// The groups, in file order.
    pub groups: Vec<Group>,
    /// The agents of all groups, in file order.
    pub agents: Vec<AgentName<'a>>,
    /// The rules of all groups, in file order.
    pub rules: Vec<Rule<'a>>,
    /// The side records, in file order.
    pub side_records: Vec<SideRecord<'a>>,
    /// The lines dropped or cut, in file order.
    pub notes: Vec<Note>,
}

/// Seconds in a day.
const DAY: f64 = 86_400.0;

/// The crawl delay that applies to a crawler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay<'a> {
    /// The record that sets it; line 0 is the operator's own.
    pub record: SideRecord<'a>,
    /// The seconds between two fetches; `None` if the value is not a number of seconds or the dialect does not obey it.
    pub seconds: Option<f64>,
}

impl<'a> Delay<'a> {
    /// The delay among the records that apply to a crawler, if any. The first one counts. The operator's own comes before
    /// those of the file, and is obeyed whatever the dialect.
    pub fn of(records: &[SideRecord<'a>], dialect: &Dialect) -> Option<Delay<'a>> {
        let record = *records.iter().find(|record| record.key == SideKey::CrawlDelay)?;
        let is_obeyed = record.is_operators() || dialect.crawl_delay != CrawlDelay::NotObeyed;
        Some(Delay { record, seconds: seconds(record.value).filter(|_| is_obeyed) })
    }

    /// How many pages a day the delay allows, if it limits them.
    pub fn pages_a_day(&self) -> Option<f64> {
        self.seconds.map(|seconds| DAY / seconds).filter(|pages| pages.is_finite())
    }
}

/// Parses a number of seconds: digits with or without a decimal point.
pub fn seconds(value: &[u8]) -> Option<f64> {
    let is_number = value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let text = std::str::from_utf8(value).ok().filter(|_| is_number)?;
    text.parse().ok().filter(|seconds: &f64| seconds.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_digits_and_a_point() {
        assert_eq!(seconds(b"10"), Some(10.0));
        assert_eq!(seconds(b"0.5"), Some(0.5));
        for other in ["", ".", "-1", "10s", "1e3", "inf", "1.2.3", "1 s", &"9".repeat(400)] {
            assert_eq!(seconds(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn the_first_counts_and_the_operators_always() {
        let record = |value: &'static str, line| SideRecord {
            key: SideKey::CrawlDelay,
            value: value.as_bytes(),
            line,
            group: None,
        };
        let of = |records: &[SideRecord<'static>], dialect| {
            let delay = Delay::of(records, Dialect::named(dialect).unwrap())?;
            Some((delay.record.line, delay.seconds, delay.pages_a_day()))
        };
        let file = [record("5", 3), record("7", 9)];
        assert_eq!(of(&[], "rfc9309"), None);
        assert_eq!(of(&file, "google"), Some((3, Some(5.0), Some(17_280.0))));
        assert_eq!(of(&file, "mandelbot"), Some((3, None, None)), "kept as written, not obeyed");
        assert_eq!(of(&[record("2.5", 0), file[0]], "mandelbot"), Some((0, Some(2.5), Some(34_560.0))));
        assert_eq!(of(&[record("soon", 1), file[0]], "rfc9309"), Some((1, None, None)));
        assert_eq!(of(&[record("0", 1)], "rfc9309"), Some((1, Some(0.0), None)), "no bound");
    }
}
