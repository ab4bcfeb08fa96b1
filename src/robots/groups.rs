//! A parsed robots.txt: groups of agents and rules, side records, and notes about the lines that a dialect does not read as rules.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

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

named! {
    /// Why something in a robots.txt is not a rule, or not the rule as written.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[non_exhaustive]
    pub enum NoteKind {
        /// An `Allow`, `Disallow` or `Content-Usage` line before the first group, or outside every record (RFC 9309 2.2.2).
        RuleOutsideGroup = "rule-outside-group",
        /// A rule whose value begins with neither `/` nor `*`, if the dialect requires one of them.
        RuleWithoutSlash = "rule-without-slash",
        /// An `Allow` line, if the dialect has none.
        AllowIgnored = "allow-ignored",
        /// A line with content before its comment but no colon.
        MissingColon = "missing-colon",
        /// A known misspelling of a key, if the dialect reads only the correct form.
        MisspeltKey = "misspelt-key",
        /// A record with a key that no document defines.
        UnknownRecord = "unknown-record",
        /// A `User-agent` line of which only the leading token counts, or nothing at all.
        AgentCut = "agent-cut",
        /// An agent that an earlier group already names.
        AgentRepeated = "agent-repeated",
        /// The end of a line, cut at the dialect's limit or at a NUL that ends the line.
        LineCut = "line-cut",
        /// The end of the file, cut at the dialect's limit.
        FileCut = "file-cut",
        /// Invalid UTF-16, replaced by U+FFFD.
        EncodingMended = "encoding-mended",
        /// The file looks like an HTML page.
        LooksLikeHtml = "looks-like-html",
    }
}

/// One dropped item and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Why it was dropped.
    pub kind: NoteKind,
    /// The line, counted from 1; 0 if the note concerns the whole file.
    pub line: u32,
}

/// How often each kind of note occurred, over many files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoteCounts([u64; NoteKind::ALL.len()]);

impl NoteCounts {
    /// Counts `notes`.
    pub fn add_all(&mut self, notes: &[Note]) {
        for note in notes {
            self.0[note.kind as usize] += 1;
        }
    }

    /// Adds to the count of the kind with this number, if there is one.
    pub(crate) fn add(&mut self, kind: u64, count: u64) -> Option<()> {
        let known = self.0.get_mut(usize::try_from(kind).ok()?)?;
        *known = known.saturating_add(count);
        Some(())
    }

    /// Whether nothing was dropped or cut.
    pub fn is_empty(&self) -> bool {
        *self == NoteCounts::default()
    }

    /// Adds the counts of another set of files.
    pub fn merge(&mut self, other: &NoteCounts) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    /// The kinds that occurred, and how often.
    pub fn iter(&self) -> impl Iterator<Item = (NoteKind, u64)> + '_ {
        NoteKind::ALL.iter().map(|&kind| (kind, self.0[kind as usize])).filter(|&(_, count)| count > 0)
    }
}

impl Serialize for NoteCounts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(kind, count)| (kind.name(), count)))
    }
}

impl<'de> Deserialize<'de> for NoteCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NoteCounts, D::Error> {
        let named = BTreeMap::<String, u64>::deserialize(deserializer)?;
        Ok(NoteCounts(NoteKind::ALL.map(|kind| named.get(kind.name()).copied().unwrap_or(0))))
    }
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

    #[test]
    fn counts_come_back_by_name() {
        let mut counts = NoteCounts::default();
        assert!(counts.is_empty());
        counts.add_all(&[NoteKind::FileCut, NoteKind::FileCut, NoteKind::AgentCut].map(|kind| Note { kind, line: 1 }));
        let text = serde_json::to_string(&counts).unwrap();
        assert_eq!(text, r#"{"agent-cut":1,"file-cut":2}"#);
        assert_eq!(serde_json::from_str::<NoteCounts>(&text).unwrap(), counts);
    }
}
