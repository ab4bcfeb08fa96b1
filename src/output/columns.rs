//! The columns that a run adds to lines: one table, which text, Parquet files, receipts, help texts and docs ask.
//!
//! A column has a name, a type, and a source: where its value for a line comes from, which also decides in which files it is. Another
//! cause of a line needs a row in [`CAUSES`], and a field of [`Cause`] that its value is taken from.

use std::borrow::Cow;

use super::folder::VERDICT;
use super::form::{FileFormat, OutputMode, OutputOptions, REFUSED, SEPARATOR, Splits, labelled};
use crate::formats::time;
use crate::formats::visible::escaped;
use crate::judge::explain::Cause;
use crate::judge::tally::Tally;
use crate::outcome::Partition;
use crate::preferences::{PreferenceColumn, PreferenceColumns, Preferred};
use crate::rules::chosen::KeptRule;

/// A column that a run adds to lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub source: Source,
    /// Its meaning, for the docs and the program's help.
    #[cfg_attr(not(feature = "cli"), allow(dead_code))]
    meaning: &'static str,
}

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One of a few names of ours, in every row.
    Name,
    Text,
    /// A 32-bit integer.
    Whole,
    /// A time in UTC.
    Time,
    /// A list of names of crawlers.
    Names,
}

impl Kind {
    /// Whether some rows have no value.
    #[cfg(feature = "parquet")]
    pub fn is_optional(self) -> bool {
        !matches!(self, Kind::Name | Kind::Names)
    }
}

/// Where a column's value for a line comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// The partition.
    Verdict,
    Reason,
    /// What blocked the line.
    Cause(CauseValue),
    /// The crawlers that may not fetch its URL.
    Refused,
    /// The preference about a use of its page.
    Preference(PreferenceColumn),
}

/// Finds the value of a column in a cause; `None` if nothing decided of that kind, or it is not known.
pub(crate) type CauseValue = for<'c> fn(&'c Cause) -> Option<Value<'c>>;

/// The value of a column in a cause.
pub(crate) enum Value<'c> {
    Text(CutText<'c>),
    Whole(u32),
    /// In seconds of Unix time.
    Time(i64),
}

const fn column(name: &'static str, kind: Kind, source: Source, meaning: &'static str) -> Column {
    Column { name, kind, source, meaning }
}

const fn cause(name: &'static str, kind: Kind, value: CauseValue, meaning: &'static str) -> Column {
    column(name, kind, Source::Cause(value), meaning)
}

/// The columns of a line's outcome.
const OUTCOME: &[Column] = &[
    column(VERDICT, Kind::Name, Source::Verdict, "the partition; in text, the column has the name of the crawler"),
    column("reason", Kind::Name, Source::Reason, "why the line is in it"),
];

/// The columns that show what blocked a line. A new one comes last, because receipts of earlier versions only tell how many there are.
const CAUSES: &[Column] = &[
    cause("rule", Kind::Text, |cause| cause.rule.as_ref().map(rule_text), "the rule"),
    cause("rule_line", Kind::Whole, |cause| cause.rule.as_ref().map(rule_line), "its line in the robots.txt"),
    cause(
        "agent",
        Kind::Text,
        |cause| cause.agent.as_deref().map(agent_text),
        "the value of the `User-agent` line above it",
    ),
    cause("captured", Kind::Time, |cause| cause.captured.map(Value::Time), "when the robots.txt was captured"),
];

/// The columns of crawlers that may not fetch a line's URL.
const CRAWLERS: &[Column] = &[
    column(REFUSED[0], Kind::Names, Source::Refused, "the crawlers that it is blocked for"),
    column(REFUSED[1], Kind::Names, Source::Refused, "the crawlers that it is deferred for"),
];

/// The number of columns that a text of a version whose receipts name none has for each cause: rule, line and time.
const UNNAMED_CAUSES: usize = 3;

/// The columns that show what blocked a line, in words.
#[cfg(feature = "cli")]
pub(crate) fn cause_columns() -> String {
    let column = |column: &Column| format!("{} ({})", column.name, column.meaning.replace('`', ""));
    CAUSES.iter().map(column).collect::<Vec<_>>().join(", ")
}

/// The names of the columns that show what blocked a line.
pub(crate) fn cause_names() -> Vec<String> {
    CAUSES.iter().map(|column| column.name.to_owned()).collect()
}

/// The number of columns for each cause, of a run that explained lines and whose receipt names these.
pub(crate) fn named_causes(names: &[String]) -> usize {
    if names.is_empty() { UNNAMED_CAUSES } else { names.len() }
}

impl Column {
    fn of_preference(column: PreferenceColumn) -> Column {
        Column {
            name: column.name(),
            kind: Kind::Text,
            source: Source::Preference(column),
            meaning: "what is said about a use",
        }
    }

    /// Whether it is in a file.
    fn is_in(&self, files: OutputOptions, file: usize) -> bool {
        let is_table = files.format == FileFormat::Parquet;
        // The tables of all partitions have the same columns.
        let has = |partition: Partition| {
            is_table || files.form == OutputMode::Verdicts || file % Partition::COUNT == partition as usize
        };
        match self.source {
            Source::Refused => files.form == OutputMode::BlockedFor,
            _ if files.form == OutputMode::BlockedFor => false,
            // Of a partition, it is in the name of the file or of the folder.
            Source::Verdict => files.form == OutputMode::Verdicts,
            Source::Reason => is_table,
            Source::Cause(_) => has(Partition::Blocked),
            Source::Preference(_) => has(Partition::Allowed),
        }
    }
}

impl OutputOptions {
    /// The columns of a crawler in a file, in their order.
    pub fn crawler_columns(self, file: usize) -> impl Iterator<Item = Column> {
        let causes = CAUSES.iter().take(self.causes);
        let preferences = self.preferences.all().map(Column::of_preference);
        let all = OUTCOME.iter().chain(causes).chain(CRAWLERS).copied().chain(preferences);
        all.filter(move |column| column.is_in(self, file))
    }

    /// The number of columns before each line of a file.
    pub fn columns(self, file: usize) -> usize {
        match self.form {
            _ if self.format == FileFormat::Parquet => 0,
            OutputMode::Verdicts => self.columns_of_verdict() * self.crawlers,
            OutputMode::Partitions | OutputMode::BlockedFor => self.crawler_columns(file).count(),
        }
    }

    /// The number of columns of a verdict, its cause, and what is said about uses.
    pub fn columns_of_verdict(self) -> usize {
        self.crawler_columns(0).count()
    }

    /// Finds the values of the columns of a cause, in their order.
    pub fn cause_values(self) -> Vec<CauseValue> {
        let value = |column: &Column| if let Source::Cause(value) = column.source { Some(value) } else { None };
        CAUSES.iter().take(self.causes).filter_map(value).collect()
    }

    /// The head of a text of lines split for these; `lists_head` is the head line of its lists, which may be empty.
    pub fn head(self, file: usize, splits: &Splits, lists_head: &[u8]) -> Vec<u8> {
        if self.columns(file) == 0 {
            return lists_head.to_vec();
        }
        let crawlers = match self.form {
            OutputMode::Verdicts => splits.names().into_iter().zip(splits.labels()).take(self.crawlers).collect(),
            OutputMode::Partitions | OutputMode::BlockedFor => vec![Default::default()],
        };
        let of_crawler = |(crawler, label): &(String, String)| self.text_names(file, crawler, label);
        let columns: String = crawlers.iter().map(of_crawler).collect();
        [columns.as_bytes(), if lists_head.is_empty() { NO_HEAD } else { lists_head }].concat()
    }

    /// The names of a crawler's columns in a text. Those after the verdict carry its name too, if it has a label.
    fn text_names(self, file: usize, crawler: &str, label: &str) -> String {
        let label = if label.is_empty() { "" } else { crawler };
        let name = |column: Column| match column.source {
            Source::Verdict => format!("{crawler}\t"),
            _ => labelled(column.name, label) + "\t",
        };
        self.crawler_columns(file).map(name).collect()
    }

    /// The tally of lines about to be written to a file, without the columns before them.
    pub fn tally(self, file: usize, text: &[u8]) -> Tally {
        let columns = self.columns(file);
        Tally::of_text(text, |line| rest_of_row(line, columns))
    }
}

/// The name of the last column, that of the lines, if the lists have no head line.
pub(crate) const NO_HEAD: &[u8] = b"url\n";

/// A line without the first `columns` columns; empty if it has fewer.
pub(crate) fn rest_of_row(line: &[u8], columns: usize) -> &[u8] {
    (0..columns).fold(line, |line, _| {
        let end = memchr::memchr(SEPARATOR, line);
        end.map_or(&[], |end| &line[end + 1..])
    })
}

/// The most bytes of a text that are shown. A rule may be as long as its robots.txt and block every line.
const LONGEST_TEXT: usize = 200;

/// The most bytes of all texts of a cause before a line, escaped.
const LONGEST_TEXTS: usize = 2 * LONGEST_TEXT + "Disallow: ".len();

/// Appended to a text that was cut.
const CUT: &[u8] = b"...";

/// The length of the shortest line.
const SHORTEST_LINE: usize = "http://a\n".len();

/// How many times as long as its line a cause can be.
pub(crate) const CAUSE_FACTOR: u64 = {
    let (mut bytes, mut at) = (LONGEST_TEXTS, 0);
    while at < CAUSES.len() {
        bytes += 1 + match CAUSES[at].kind {
            Kind::Text => CUT.len(),
            Kind::Whole => "4294967295".len(),
            Kind::Time | Kind::Name | Kind::Names => "2026-01-02T03:04:05Z".len(),
        };
        at += 1;
    }
    bytes.div_ceil(SHORTEST_LINE) as u64
};

/// A text of others, of which only the beginning is shown if it is long.
pub(crate) struct CutText<'t> {
    /// The key of its record, if that is shown.
    key: &'static str,
    text: &'t [u8],
    is_cut: bool,
}

fn rule_text(rule: &KeptRule) -> Value<'_> {
    let text = rule.value.get(..LONGEST_TEXT).unwrap_or(&rule.value);
    Value::Text(CutText { key: rule.key(), text, is_cut: text.len() < rule.value.len() })
}

fn rule_line(rule: &KeptRule) -> Value<'_> {
    Value::Whole(rule.line)
}

/// The name of a group, which is never cut inside a character.
fn agent_text(agent: &str) -> Value<'_> {
    let end = (0..=LONGEST_TEXT.min(agent.len())).rev().find(|&end| agent.is_char_boundary(end)).unwrap_or(0);
    Value::Text(CutText { key: "", text: &agent.as_bytes()[..end], is_cut: end < agent.len() })
}

impl CutText<'_> {
    /// The text, in which bytes that are not UTF-8 are percent-encoded.
    #[cfg(feature = "parquet")]
    pub fn utf8(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put_key(&mut out);
        out.extend_from_slice(&as_utf8(self.text));
        out.extend_from_slice(if self.is_cut { CUT } else { b"" });
        out
    }

    /// Writes the text, escaped, and no more of it than there is room for. Returns the room that is left.
    fn put_escaped(&self, room: usize, out: &mut Vec<u8>) -> usize {
        let end = out.len() + room;
        self.put_key(out);
        let put = |piece: &[u8]| {
            let fits = out.len() + piece.len() <= end;
            out.extend_from_slice(if fits { piece } else { b"" });
            if fits { Ok(()) } else { Err(()) }
        };
        let is_all = escaped(self.text, put).is_ok() && !self.is_cut;
        let left = end.saturating_sub(out.len());
        out.extend_from_slice(if is_all { b"" } else { CUT });
        left
    }

    fn put_key(&self, out: &mut Vec<u8>) {
        if !self.key.is_empty() {
            out.extend_from_slice(self.key.as_bytes());
            out.extend_from_slice(b": ");
        }
    }
}

/// A text with bytes that are not UTF-8 percent-encoded, as a fetcher would have to do with a URL.
pub(super) fn as_utf8(text: &[u8]) -> Cow<'_, [u8]> {
    if std::str::from_utf8(text).is_ok() {
        return Cow::Borrowed(text);
    }
    let mut encoded = Vec::with_capacity(text.len());
    for part in text.utf8_chunks() {
        encoded.extend_from_slice(part.valid().as_bytes());
        let escapes = percent_encoding::percent_encode(part.invalid(), percent_encoding::NON_ALPHANUMERIC);
        escapes.for_each(|escape| encoded.extend_from_slice(escape.as_bytes()));
    }
    Cow::Owned(encoded)
}

/// Writes the columns of a cause, whose `values` are [those of the run](OutputOptions::cause_values).
pub(crate) fn put_cause(values: &[CauseValue], cause: &Cause, out: &mut Vec<u8>) {
    let mut room = LONGEST_TEXTS;
    for value in values {
        match value(cause) {
            None => {}
            Some(Value::Text(text)) => room = text.put_escaped(room, out),
            Some(Value::Whole(number)) => out.extend_from_slice(number.to_string().as_bytes()),
            Some(Value::Time(seconds)) => out.extend_from_slice(time(seconds).as_bytes()),
        }
        out.push(SEPARATOR);
    }
}

/// Writes the columns of what is said about uses of a page.
pub(crate) fn put_preferences(columns: PreferenceColumns, preferred: &Preferred, out: &mut Vec<u8>) {
    for column in columns.all() {
        out.extend_from_slice(column.value(preferred).unwrap_or_default().as_bytes());
        out.push(SEPARATOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_before_a_line_are_not_counted() {
        let style = OutputOptions { form: OutputMode::Verdicts, crawlers: 2, ..OutputOptions::default() };
        let of = |text: &str| style.tally(0, text.as_bytes());
        let mut plain = Tally::default();
        for line in ["http://a/\tx", ""] {
            plain.add_hashed(crate::judge::line_hash(line.as_bytes()), line.len() + 1);
        }
        assert_eq!(of("allowed\tblocked\thttp://a/\tx\ninvalid\tinvalid\t\n"), plain);
        assert_ne!(of("allowed\thttp://a/\tx\ninvalid\tinvalid\t\n"), plain, "a column is missing");
        let style = OutputOptions { causes: CAUSES.len(), crawlers: 2, ..OutputOptions::default() };
        let text = b"Disallow: /\t2\t*\t\thttp://a/\tx\n\t\t\t\t\n";
        assert_eq!([1, 5].map(|file| style.tally(file, text)), [plain; 2], "blocked, of either crawler");
        assert_eq!(style.tally(0, b"http://a/\tx\n\n"), plain, "allowed");
        let style = OutputOptions { causes: named_causes(&[]), ..style };
        let text = b"Disallow: /\t2\t\thttp://a/\tx\n\t\t\t\n";
        assert_eq!(style.tally(1, text), plain, "of a version whose receipts name no columns");
    }

    fn put(cause: &Cause) -> Vec<u8> {
        let (mut out, style) = (Vec::new(), OutputOptions { causes: CAUSES.len(), ..OutputOptions::default() });
        put_cause(&style.cause_values(), cause, &mut out);
        out
    }

    fn rule(value: &[u8], line: u32) -> Option<KeptRule> {
        Some(KeptRule { allow: false, value: value.to_vec(), line, about_uses: None })
    }

    #[test]
    fn long_texts_are_cut() {
        let captured = Some(i64::MAX >> 16);
        let of = |value: &[u8], agent: &str| {
            put(&Cause { rule: rule(value, u32::MAX), agent: Some(agent.to_owned()), captured, ..Cause::default() })
        };
        let columns = |value: &str, agent: &str| {
            format!("Disallow: {value}\t4294967295\t{agent}\t140737488355327\t").into_bytes()
        };
        let longest = "x".repeat(LONGEST_TEXT);
        assert_eq!(of(longest.as_bytes(), &longest), columns(&longest, &longest));
        let cut = format!("{longest}...");
        assert_eq!(of(format!("{longest}y").as_bytes(), &"x".repeat(201)), columns(&cut, &cut));
        assert_eq!(of(&b"*".repeat(500_000), "*"), columns(&format!("{}...", "*".repeat(LONGEST_TEXT)), "*"));
        let accents = "é".repeat(500);
        assert_eq!(of(b"/", &format!("x{accents}")), columns("/", &format!("x{}...", "é".repeat(99))));
        for escaped in ["\t", "\u{1b}", "\u{9b}", "\u{202e}"] {
            let text = escaped.repeat(500_000 / escaped.len());
            let columns = of(text.as_bytes(), &text);
            assert!(columns.len() as u64 <= CAUSE_FACTOR * SHORTEST_LINE as u64, "escaped: {}", columns.len());
            assert_eq!(columns.windows(4).filter(|end| end == b"...\t").count(), 2, "cut");
        }
        assert!(of(&b"\x9b".repeat(500_000), "x").len() < 450);
    }

    #[test]
    fn a_cause_takes_its_columns_whatever_its_texts_are() {
        let agent = Some("a\tb".to_owned());
        let cause = Cause { rule: rule(b"/a\tb\\\xff", 7), agent, captured: Some(0), ..Cause::default() };
        assert_eq!(put(&cause), b"Disallow: /a\\tb\\\\\xff\t7\ta\\tb\t1970-01-01T00:00:00Z\t");
        assert_eq!(put(&Cause::default()), b"\t\t\t\t");
    }

    /// The table in the docs is this one.
    #[test]
    fn the_docs_have_the_columns() {
        let row = |column: &Column| {
            let Column { name, kind, source, meaning } = *column;
            let kind = match kind {
                Kind::Name | Kind::Text => "text",
                Kind::Whole => "32-bit integer",
                Kind::Time => "time",
                Kind::Names => "list of texts",
            };
            let option = match source {
                Source::Verdict => "`--verdicts`",
                Source::Reason => "`--format parquet`",
                Source::Cause(_) => "`--explain`",
                Source::Refused => "`--blocked-for`",
                Source::Preference(_) => "`--preferences`",
            };
            format!("| `{name}` | {kind} | {option} | {meaning} |\n")
        };
        let rows: String = OUTCOME.iter().chain(CAUSES).chain(CRAWLERS).map(row).collect();
        let table = format!("| column | in Parquet | with | |\n|---|---|---|---|\n{rows}");
        let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/outputs.md")).unwrap();
        assert!(docs.contains(&table), "docs/outputs.md must have this table:\n{table}");
    }
}
