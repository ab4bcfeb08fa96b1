//! The operator's choices for lines on which robots.txt gives no definite verdict, and for statuses that mean something
//! else than the dialect says.
//!
//! A TOML file has a line for each status, or for all of a hundred:
//!
//! ```toml
//! 403 = "defer"     # or "allow", "block"
//! 429 = "defer"
//! "4xx" = "allow"   # all others from 400 to 499
//! "5xx" = "defer"
//! ```
//!
//! Ignoring an invalid line could allow what it was meant to block, so it is an error.

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, io};
use toml::Spanned;

use crate::error::{ValueError, ValueErrorKind};
use crate::formats::error::{FileError, toml_words};
use crate::formats::{line_of, shortened, shown, text_file, time};
use crate::outcome::Partition;
use crate::policy::{FinalStatuses, OriginStatus, Policy, Record};
use crate::preferences::{Requirements, SignalScope};

/// The longest time that an answer may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MaxAge {
    /// The dialect's lifetime.
    Dialect,
    /// This many seconds.
    Seconds(u64),
}

impl FromStr for MaxAge {
    type Err = ValueError;

    /// Parses `dialect`, or a duration such as `36h` or `7d`.
    fn from_str(given: &str) -> Result<MaxAge, ValueError> {
        if given == "dialect" {
            return Ok(MaxAge::Dialect);
        }
        let not_age = |problem| ValueError::of(ValueErrorKind::Age, format!("{problem}; or `dialect`"));
        time::duration(given).map(MaxAge::Seconds).map_err(not_age)
    }
}

/// The operator's choices for URLs on which robots.txt gives no definite verdict, or a verdict that is too old.
///
/// A [`Matcher`](crate::Matcher) and a [`Job`](crate::run::Job) have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Choices {
    /// For origins whose robots.txt was never fetched. `Use` is the same as `Defer`, because there is nothing to use.
    pub on_unfetched: Fallback,
    /// For origins that are unreachable, whose robots.txt is incomplete or not text, whose redirects are unresolved, or
    /// whose 304 confirms an unknown robots.txt.
    pub on_unreachable: Fallback,
    /// How many seconds an origin must have been unreachable to be treated as having no robots.txt (RFC 9309 2.3.1.4); `None`
    /// for never. Takes precedence over [`Choices::on_unreachable`].
    pub unreachable_as_unavailable: Option<u64>,
    /// For robots.txt files that look like HTML pages, which some servers send for every path; also if such a file is
    /// the last good one in use. The choice replaces the rules, so it never becomes stale. `Use` judges by the rules.
    #[serde(default = "read_as_rules")]
    pub on_html: Fallback,
    /// For answers older than [`Choices::max_age`].
    pub on_stale: Fallback,
    /// The maximum age to enforce, if any.
    pub max_age: Option<MaxAge>,
    /// For statuses that mean something else than the dialect says. They take precedence over everything but overrides,
    /// including [`Choices::on_unreachable`] and [`Choices::unreachable_as_unavailable`].
    #[serde(default, skip_serializing_if = "Statuses::is_empty")]
    pub statuses: Statuses,
    /// Whether an origin that is not in the policy is judged by its sibling: the origin whose host has `www.` added, or
    /// removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub www_fallback: bool,
    /// What the site must say about uses of a page. Allowed pages that do not meet this are blocked, with the reason
    /// [`Preference`](crate::Reason::Preference).
    #[serde(default, skip_serializing_if = "Requirements::is_empty")]
    pub require: Requirements,
    /// The crawlers that a `Content-Signal` line applies to.
    #[serde(default, skip_serializing_if = "SignalScope::is_default")]
    pub content_signal: SignalScope,
    /// The time relative to which ages are computed, in seconds of Unix time; serialised as RFC 3339. [`Choices::CLOCK`] stands for the
    /// time of each call, or of the making of what judges at one time.
    #[serde(with = "crate::formats::time")]
    pub now: i64,
}

setters! {
    Choices {
        on_unfetched: Fallback,
        on_unreachable: Fallback,
        unreachable_as_unavailable: Option<u64>,
        on_html: Fallback,
        on_stale: Fallback,
        max_age: Option<MaxAge>,
        statuses: Statuses,
        www_fallback: bool,
        require: Requirements,
        content_signal: SignalScope,
    }
}

/// The choice for HTML pages in receipts from before this choice existed.
fn read_as_rules() -> Fallback {
    Fallback::Use
}

/// [`Choices::at`] the time of each call.
impl Default for Choices {
    fn default() -> Choices {
        Choices::at(Choices::CLOCK)
    }
}

impl Choices {
    /// In place of a time: a matcher of a live policy reads the clock at each call, any other when it is made.
    pub const CLOCK: i64 = i64::MIN;

    /// The same at a time: the current one, unless they have one.
    pub(crate) fn timed(self) -> Choices {
        if self.now == Choices::CLOCK { Choices { now: time::now(), ..self } } else { self }
    }

    /// Defers unfetched and unreachable origins, judges by any robots.txt, and does not enforce age; `now` is in seconds of Unix
    /// time.
    pub fn at(now: i64) -> Choices {
        Choices {
            on_unfetched: Fallback::Defer,
            on_unreachable: Fallback::Defer,
            unreachable_as_unavailable: None,
            on_html: Fallback::Use,
            on_stale: Fallback::Use,
            max_age: None,
            statuses: Statuses::default(),
            www_fallback: false,
            require: Requirements::default(),
            content_signal: SignalScope::default(),
            now,
        }
    }

    /// [`Choices::at`] the present time.
    pub fn now() -> Choices {
        Choices::at(time::now())
    }

    /// Sets the fallback for stale answers, and the maximum age. With only a fallback, answers older than the dialect's
    /// lifetime are stale. With neither, no answer is.
    #[must_use]
    pub fn stale(self, on_stale: Option<Fallback>, max_age: Option<MaxAge>) -> Choices {
        let max_age = max_age.or(on_stale.map(|_| MaxAge::Dialect));
        Choices { on_stale: on_stale.unwrap_or(Fallback::Use), max_age, ..self }
    }

    /// The choices for the older policy of a comparison: its answers were not too old when it was in use.
    pub(crate) fn of_older(self) -> Choices {
        Choices { max_age: None, ..self }
    }

    /// Whether decisions depend on when an origin answered.
    pub(super) fn has_times(&self) -> bool {
        self.max_age.is_some() || self.unreachable_as_unavailable.is_some()
    }
}

named! {
    /// What to do with lines that have no definite verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Fallback {
        /// Allow them.
        Allow = "allow",
        /// Block them.
        Block = "block",
        /// Defer them.
        Defer = "defer",
        /// Judge them by the available rules: the last good ones, or the stale ones.
        Use = "use",
    }
}

impl Fallback {
    /// The partition of the lines; `None` for `Use`.
    pub(super) fn partition(self) -> Option<Partition> {
        match self {
            Fallback::Allow => Some(Partition::Allowed),
            Fallback::Block => Some(Partition::Blocked),
            Fallback::Defer => Some(Partition::Deferred),
            Fallback::Use => None,
        }
    }
}

/// The statuses that can have a meaning of their own: 400 to 599.
const FIRST: u16 = 400;
const COUNT: usize = 200;

/// All from 400 to 499, and all from 500 to 599.
const HUNDREDS: [&str; 2] = ["4xx", "5xx"];

/// The most bytes of a file; a line for each status takes fewer.
const LONGEST_FILE: u64 = 1 << 20;

/// A name, and the meanings of statuses that it stands for.
type Named = (&'static str, &'static [(&'static str, Fallback)]);

/// The named sets of meanings.
///
/// Apache Nutch defers a host whose robots.txt answers 5xx or 429, and allows it for 4xx (`HttpRobotRulesParser`, with
/// the defaults of `http.robots.403.allow` and `http.robots.503.defer.visits`; 429 since NUTCH-3011). Common Crawl's
/// crawler is based on Nutch. That it defers 403 as well is our choice: we found no public text, and it is the stricter
/// reading.
const NAMED: [Named; 2] = [
    ("common-crawl", &[("403", Fallback::Defer), ("429", Fallback::Defer), ("5xx", Fallback::Defer)]),
    ("nutch", &[("4xx", Fallback::Allow), ("429", Fallback::Defer), ("5xx", Fallback::Defer)]),
];

/// Meanings of statuses that replace the dialect's; none by default.
///
/// The status of an origin is that of the last answer, at the end of its redirects; `4xx` and `5xx` are for all
/// statuses without a meaning of their own. If the dialect says so, a chain of too many redirects counts as 404.
///
/// ```
/// use robosieve::{Fallback, Statuses};
///
/// let statuses: Statuses = "403 = 'defer'\n'4xx' = 'allow'".parse()?;
/// assert_eq!(statuses.deciding(403), Some(("403".into(), Fallback::Defer)));
/// assert_eq!(statuses.deciding(404), Some(("4xx".into(), Fallback::Allow)));
/// assert_eq!(statuses.deciding(500), None);
/// # Ok::<(), robosieve::ValueError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Statuses {
    /// Each status, and then the [`HUNDREDS`].
    given: [Option<Fallback>; COUNT + HUNDREDS.len()],
}

impl Default for Statuses {
    fn default() -> Statuses {
        Statuses { given: [None; COUNT + HUNDREDS.len()] }
    }
}

impl fmt::Debug for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Statuses {
    /// The names of [`Statuses::named`].
    pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// The statuses with this name, such as `common-crawl`.
    pub fn named(name: &str) -> Option<Statuses> {
        let (_, all) = NAMED.iter().find(|(known, _)| *known == name)?;
        let mut statuses = Statuses::default();
        all.iter().try_for_each(|(status, meaning)| statuses.add(status, *meaning)).ok()?;
        Some(statuses)
    }

    /// The statuses with this name or, if there is none, of the file with this path.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if it is neither, or the file cannot be read, or anything in it is not understood.
    pub fn named_or_read(name_or_path: &Path) -> Result<Statuses, ValueError> {
        Ok(Statuses::named_or_file(name_or_path)?)
    }

    pub(crate) fn named_or_file(name_or_path: &Path) -> Result<Statuses, StatusesError> {
        let named = name_or_path.to_str().and_then(Statuses::named);
        named.map_or_else(|| Statuses::read(name_or_path), Ok)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// As [`Statuses::named_or_read`].
    fn read(path: &Path) -> Result<Statuses, StatusesError> {
        let bytes = match text_file::read(path, LONGEST_FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let known = Statuses::names().collect::<Vec<_>>().join(", ");
                return Err(StatusesError::Unknown { given: path.to_owned(), known });
            }
            read => read.map_err(FileError::of("read", path))?,
        };
        Statuses::of_text(&bytes, Some(path))
    }

    /// The statuses of the text of a file.
    fn of_text(text: &[u8], path: Option<&Path>) -> Result<Statuses, StatusesError> {
        parse(text).map_err(|(at, problem)| StatusesError::Wrong {
            path: path.map(Path::to_owned),
            line: line_of(text, at),
            problem,
        })
    }

    /// Adds a meaning for a status, or for `4xx` or `5xx`.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if it is none of these or has a meaning already, or if `meaning` is [`Fallback::Use`].
    pub fn add(&mut self, status: &str, meaning: Fallback) -> Result<(), ValueError> {
        self.add_one(status, meaning).map_err(|problem| ValueError::of(ValueErrorKind::Statuses, problem))
    }

    fn add_one(&mut self, status: &str, meaning: Fallback) -> Result<(), String> {
        let place = place_of(status)?;
        if meaning == Fallback::Use {
            return Err(no_meaning(meaning.name()));
        }
        if self.given[place].replace(meaning).is_some() {
            return Err(format!("{status:?} has a meaning already"));
        }
        Ok(())
    }

    /// Whether no status has a meaning.
    pub fn is_empty(&self) -> bool {
        self.given.iter().all(Option::is_none)
    }

    /// The meaning of a status, and the key that gives it: the status itself, or `4xx` or `5xx`.
    pub fn deciding(&self, status: u16) -> Option<(String, Fallback)> {
        let place = self.place_deciding(status)?;
        Some((name_of(place), self.given[place]?))
    }

    /// What a status means.
    pub(super) fn meaning(&self, status: u16) -> Option<Fallback> {
        self.given[self.place_deciding(status)?]
    }

    fn place_deciding(&self, status: u16) -> Option<usize> {
        let own = usize::from(status.checked_sub(FIRST)?);
        let places = [own, COUNT + own / 100];
        places.into_iter().find(|&place| own < COUNT && self.given[place].is_some())
    }

    /// All statuses that have a meaning, by their names.
    pub fn iter(&self) -> impl Iterator<Item = (String, Fallback)> + '_ {
        self.given.iter().enumerate().filter_map(|(place, meaning)| Some((name_of(place), (*meaning)?)))
    }
}

fn name_of(place: usize) -> String {
    match place.checked_sub(COUNT) {
        Some(hundred) => HUNDREDS[hundred].to_owned(),
        None => (usize::from(FIRST) + place).to_string(),
    }
}

/// The place of a status, or of all of a hundred.
fn place_of(given: &str) -> Result<usize, String> {
    if let Some(hundred) = HUNDREDS.iter().position(|name| *name == given) {
        return Ok(COUNT + hundred);
    }
    // Not `+403`, which is another key of the same status.
    let is_number = given.len() == 3 && given.bytes().all(|byte| byte.is_ascii_digit());
    let status: Option<u16> = given.parse().ok().filter(|_| is_number);
    let own = status.and_then(|status| status.checked_sub(FIRST)).map(usize::from).filter(|&own| own < COUNT);
    own.ok_or_else(|| {
        format!("{given:?} is no status that can have a meaning of its own; expected 400 to 599, \"4xx\" or \"5xx\"")
    })
}

/// Parses the bytes of a file; a problem comes with its byte offset.
fn parse(bytes: &[u8]) -> Result<Statuses, (usize, String)> {
    let text = std::str::from_utf8(bytes).map_err(|error| (error.valid_up_to(), "it is not UTF-8".to_owned()))?;
    let lines: BTreeMap<Spanned<String>, Spanned<String>> = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, toml_words(&error))
    })?;
    // In file order, so that the first error is reported.
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by_key(|(name, _)| name.span().start);
    let mut statuses = Statuses::default();
    for (name, word) in lines {
        let meaning = Fallback::from_name(word.get_ref().as_bytes());
        let meaning = meaning.ok_or_else(|| (word.span().start, no_meaning(word.get_ref())))?;
        statuses.add_one(name.get_ref(), meaning).map_err(|problem| (name.span().start, problem))?;
    }
    match statuses.is_empty() {
        true => Err((0, "it gives no status a meaning; expected a line such as 403 = \"defer\"".to_owned())),
        false => Ok(statuses),
    }
}

/// The problem of a word that is no meaning of a status.
fn no_meaning(word: &str) -> String {
    format!("{word:?} is unknown; expected allow, block or defer")
}

/// From the text of a file.
impl std::str::FromStr for Statuses {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Statuses, ValueError> {
        Ok(Statuses::of_text(text.as_bytes(), None)?)
    }
}

/// As a map, such as `{"403": "defer"}`.
impl Serialize for Statuses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// From a map without repeated keys.
impl<'de> Deserialize<'de> for Statuses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Statuses, D::Error> {
        struct Lines;
        impl<'de> Visitor<'de> for Lines {
            type Value = Statuses;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of statuses")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut lines: M) -> Result<Statuses, M::Error> {
                let mut statuses = Statuses::default();
                while let Some((name, meaning)) = lines.next_entry::<String, Fallback>()? {
                    statuses.add(&name, meaning).map_err(M::Error::custom)?;
                }
                Ok(statuses)
            }
        }
        deserializer.deserialize_map(Lines)
    }
}

/// The operator's meanings for the statuses of an origin's answers; none by default.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StatusOverride {
    /// The meaning of the last answer's status.
    pub last: Option<Partition>,
    /// The meaning of the last good answer's status, if the last answer is not a verdict.
    pub last_good: Option<Partition>,
}

/// The operator's meanings of statuses, and the answers that have these statuses.
#[derive(Debug, Clone)]
pub(super) struct StatusOverrides {
    statuses: Statuses,
    /// Has the answers of all origins, if statuses decide.
    answers: Option<Policy>,
}

/// Whether an origin's answer of this kind has a status that the operator may give a meaning.
fn may_be_named(origin_status: OriginStatus) -> bool {
    matches!(origin_status, OriginStatus::Unavailable | OriginStatus::Forbidden | OriginStatus::Unreachable)
}

impl StatusOverrides {
    pub fn new(statuses: Statuses) -> StatusOverrides {
        StatusOverrides { statuses, answers: None }
    }

    /// The same, with answers from a policy, if any status has a meaning.
    pub fn with_answers_of(self, policy: &Policy) -> StatusOverrides {
        let answers = (!self.statuses.is_empty()).then(|| policy.clone());
        StatusOverrides { answers, ..self }
    }

    /// Whether the decision on an origin may depend on the status of an answer.
    pub fn asks(&self, origin_status: OriginStatus, good: Option<OriginStatus>) -> bool {
        !self.statuses.is_empty() && (may_be_named(origin_status) || good.is_some_and(may_be_named))
    }

    /// The operator's meanings for the statuses of a record's answers, and these statuses.
    pub fn of(&self, record: &Record<'_>) -> (StatusOverride, FinalStatuses) {
        self.given(record.origin_status, record.last_good, || self.statuses_of(record))
    }

    /// The operator's meanings for the statuses of an origin's answers, and these statuses.
    pub fn given(
        &self,
        origin_status: OriginStatus,
        good: Option<OriginStatus>,
        statuses: impl FnOnce() -> FinalStatuses,
    ) -> (StatusOverride, FinalStatuses) {
        if !self.asks(origin_status, good) {
            return Default::default();
        }
        let statuses = statuses();
        let last = self.meaning(origin_status, statuses.last);
        let last_good = good.and_then(|good| self.meaning(good, statuses.last_good));
        (StatusOverride { last, last_good }, statuses)
    }

    /// The statuses of a record's answers. The record has the status of the origin's own robots.txt, so the answers are
    /// looked up only for redirects.
    fn statuses_of(&self, record: &Record<'_>) -> FinalStatuses {
        let own = record.state().answered.status;
        let is_final = own.is_some_and(|status| status >= 400) && !record.last_good.is_some_and(may_be_named);
        match &self.answers {
            _ if is_final => FinalStatuses { last: own, last_good: None },
            Some(policy) => policy.final_statuses(record),
            None => FinalStatuses::default(),
        }
    }

    /// The meaning of an answer of this kind and status. An unknown status may be one that must not be allowed.
    fn meaning(&self, of: OriginStatus, status: Option<u16>) -> Option<Partition> {
        match status.filter(|_| may_be_named(of)) {
            Some(status) => self.statuses.meaning(status)?.partition(),
            None => (of == OriginStatus::Unavailable).then_some(Partition::Deferred),
        }
    }
}

is_opaque!(StatusesError as ValueError: |_| ValueErrorKind::Statuses);

/// Meanings of statuses that cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StatusesError {
    /// Neither a file nor a name.
    #[error("{given:?} is no file, and none of the names {known}")]
    Unknown {
        /// What was given.
        given: PathBuf,
        /// The names that exist.
        known: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// Something in the text is not understood.
    #[error(
        "{}line {line}: {}",
        path.iter().map(|path| format!("{}: ", shown(path))).collect::<String>(),
        shortened(problem)
    )]
    Wrong {
        /// The file, if the text is that of one.
        path: Option<PathBuf>,
        /// The line, counted from 1.
        line: usize,
        /// What is not understood.
        problem: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Answered, Capture, Captures};
    use crate::robots::Agents;

    #[test]
    fn what_becomes_of_stale_answers_needs_an_age() {
        let five = Some(MaxAge::Seconds(5));
        for (on_stale, max_age, expected) in [
            (None, None, (Fallback::Use, None)),
            (None, five, (Fallback::Use, five)),
            (Some(Fallback::Defer), None, (Fallback::Defer, Some(MaxAge::Dialect))),
            (Some(Fallback::Defer), five, (Fallback::Defer, five)),
        ] {
            let choices = Choices::at(0).stale(on_stale, max_age);
            assert_eq!((choices.on_stale, choices.max_age), expected);
        }
    }

    fn problem(text: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("statuses.toml");
        std::fs::write(&path, text).unwrap();
        let error = Statuses::named_or_read(&path).unwrap_err().to_string();
        error.rsplit_once("statuses.toml: ").unwrap().1.to_owned()
    }

    #[test]
    fn a_line_of_its_own_counts_before_that_of_its_hundred() {
        let statuses: Statuses = "# ours\n401 = 'block'\n\"4xx\" = \"allow\"\n503 = 'defer'\n".parse().unwrap();
        for (status, expected) in [
            (0, None),
            (200, None),
            (399, None),
            (400, Some(Fallback::Allow)),
            (401, Some(Fallback::Block)),
            (499, Some(Fallback::Allow)),
            (500, None),
            (503, Some(Fallback::Defer)),
            (600, None),
            (u16::MAX, None),
        ] {
            assert_eq!(statuses.meaning(status), expected, "{status}");
            assert_eq!(statuses.deciding(status).map(|(_, meaning)| meaning), expected, "{status}");
        }
        let of_all: Statuses = "\"5xx\" = 'block'".parse().unwrap();
        assert_eq!((of_all.meaning(500), of_all.meaning(599)), (Some(Fallback::Block), Some(Fallback::Block)));
    }

    #[test]
    fn what_is_not_understood_is_an_error_with_its_line() {
        for (text, expected) in [
            (&b""[..], "line 1: it gives no status a meaning"),
            (b"# nothing\n", "line 1: it gives no status a meaning"),
            (b"403 = 'defer'\n200 = 'allow'\n", "line 2: \"200\" is no status that"),
            (b"301 = 'allow'\n", "line 1: \"301\" is no status that"),
            (b"304 = 'allow'\n", "line 1: \"304\""),
            (b"600 = 'allow'\n", "line 1: \"600\""),
            (b"0403 = 'allow'\n", "line 1: \"0403\""),
            (b"'+403' = 'allow'\n", "line 1: \"+403\""),
            (b"'4XX' = 'allow'\n", "line 1: \"4XX\""),
            (b"2xx = 'allow'\n", "line 1: \"2xx\""),
            (b"'400-450' = 'block'\n", "line 1: \"400-450\""),
            (b"\n404 = 'allowed'\n", "line 2: \"allowed\" is unknown; expected allow, block or defer"),
            (b"404 = 'use'\n", "line 1: \"use\" is unknown; expected allow, block or defer"),
            (b"404 = 'Block'\n", "line 1: \"Block\""),
            (b"404 = true\n", "line 1: true where a text is expected"),
            (b"403 = 'defer'\n'403' = 'allow'\n", "line 2: duplicate key"),
            (b"4xx = 'defer'\n4xx = 'defer'\n", "line 2: duplicate key"),
            (b"403 = 'defer'\n429 = 'de", "line 2: "),
            (b"[403]\na = 'defer'\n", "line 1: a table where a text is expected"),
            (b"403 = 'defer' # \xff\n", "line 1: it is not UTF-8"),
        ] {
            let found = problem(text);
            assert!(found.starts_with(expected), "{}: {found}", text.escape_ascii());
        }
        let long = [&b"404 = 'allow' #"[..], &vec![b'x'; 1 << 20]].concat();
        assert!(problem(&long).contains("longer than 1048576 bytes"));
        let missing = Statuses::named_or_read(Path::new("no-such-crawl")).unwrap_err().to_string();
        assert_eq!(missing, "\"no-such-crawl\" is no file, and none of the names common-crawl, nutch");
        assert!(matches!(Statuses::named_or_file(Path::new("/")).unwrap_err(), StatusesError::Unreadable(_)));
    }

    #[test]
    fn a_cut_or_altered_file_allows_nothing_that_the_whole_one_does_not() {
        let whole = "401 = \"block\"\n403 = \"defer\"\n\"4xx\" = \"block\"\n\"5xx\" = \"defer\"\n";
        let is_allowed =
            |statuses: &Statuses| (0..=999).any(|status| statuses.meaning(status) == Some(Fallback::Allow));
        for length in 0..whole.len() {
            // Some cuts between lines are whole files; none of the others is read.
            let is_between = whole[..length].ends_with(['\n', '"']) && !whole[..length].ends_with("\n\"");
            let cut = whole[..length].parse::<Statuses>();
            assert!(cut.is_err() || is_between, "{length}");
            for byte in [b'\0', b'a', b'4', b'"', b'\n', b'='] {
                let mut altered = whole.as_bytes().to_vec();
                altered[length] = byte;
                assert!(!parse(&altered).is_ok_and(|statuses| is_allowed(&statuses)), "{length} {byte}");
            }
        }
    }

    #[test]
    fn statuses_come_back_from_receipts() {
        let all = Statuses::names().map(|name| Statuses::named(name).unwrap());
        for statuses in all.chain([Statuses::default(), "599 = 'block'".parse().unwrap()]) {
            let written = serde_json::to_string(&statuses).unwrap();
            assert_eq!(serde_json::from_str::<Statuses>(&written).unwrap(), statuses);
        }
        let written = serde_json::to_string(&Statuses::named("common-crawl")).unwrap();
        assert_eq!(written, r#"{"403":"defer","429":"defer","5xx":"defer"}"#);
        for damaged in
            [r#"{"403":"defer","403":"allow"}"#, r#"{"200":"allow"}"#, r#"{"404":"use"}"#, r#"{"404":1}"#, "[]"]
        {
            assert!(serde_json::from_str::<Statuses>(damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn a_status_that_is_not_known_is_never_allowed() {
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        let answered = |status| Answered { status: Some(status), ..Answered::default() };
        let redirect = Capture {
            answered: answered(301),
            location: Some("http://b.example/robots.txt".to_owned()),
            ..Capture::found("http://a.example", "")
        };
        let missing = Capture { answered: answered(404), ..Capture::found("http://b.example", "") };
        captures.add(vec![redirect, missing]).unwrap();
        let (policy, others) = (captures.policy().unwrap(), Captures::new(Agents::everybody(), Dialect::DEFAULT));
        let record = policy.lookup().get(b"http://a.example").unwrap();
        let open = || StatusOverrides::new("'4xx' = 'allow'".parse().unwrap());
        let said = |of: StatusOverrides| of.of(&record).0.last;
        assert_eq!(said(open().with_answers_of(&policy)), Some(Partition::Allowed));
        assert_eq!(said(open()), Some(Partition::Deferred), "no answers");
        assert_eq!(said(open().with_answers_of(&others.policy().unwrap())), Some(Partition::Deferred), "other answers");
        assert_eq!(said(StatusOverrides::new(Statuses::default())), None);
    }
}
