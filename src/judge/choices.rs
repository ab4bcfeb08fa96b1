//! The operator's choices for lines on which robots.txt gives no definite verdict, and for statuses that mean something
//! else than the dialect says.

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

use crate::error::{ValueError, ValueErrorKind};
use crate::formats::time;
use crate::outcome::Partition;
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

/// The operator's choices for URLs on which robots.txt gives no definite verdict, or a verdict that is too old.
///
/// A [`Matcher`](crate::Matcher) and a [`Job`](crate::run::Job) have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "batch", derive(serde::Deserialize))]
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
    #[serde(serialize_with = "time::serialize")]
    #[cfg_attr(feature = "batch", serde(deserialize_with = "crate::formats::time_text::deserialize"))]
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
        Choices { now: self.time(), ..self }
    }

    /// Their time: the current one, unless they have one.
    pub(super) fn time(&self) -> i64 {
        if self.now == Choices::CLOCK { time::now() } else { self.now }
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
    pub(crate) fn partition(self) -> Option<Partition> {
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

    /// Adds a meaning for a status, or for `4xx` or `5xx`.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if it is none of these or has a meaning already, or if `meaning` is [`Fallback::Use`].
    pub fn add(&mut self, status: &str, meaning: Fallback) -> Result<(), ValueError> {
        self.add_one(status, meaning).map_err(|problem| ValueErrorKind::Statuses.of(problem))
    }

    pub(super) fn add_one(&mut self, status: &str, meaning: Fallback) -> Result<(), String> {
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

/// The problem of a word that is no meaning of a status.
pub(super) fn no_meaning(word: &str) -> String {
    format!("{word:?} is unknown; expected allow, block or defer")
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

#[cfg(test)]
mod tests {
    use super::*;

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

    fn statuses(meanings: &[(&str, Fallback)]) -> Statuses {
        let mut statuses = Statuses::default();
        meanings.iter().for_each(|(status, meaning)| statuses.add(status, *meaning).unwrap());
        statuses
    }

    #[test]
    fn a_line_of_its_own_counts_before_that_of_its_hundred() {
        let of_some = statuses(&[("401", Fallback::Block), ("4xx", Fallback::Allow), ("503", Fallback::Defer)]);
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
            assert_eq!(of_some.meaning(status), expected, "{status}");
            assert_eq!(of_some.deciding(status).map(|(_, meaning)| meaning), expected, "{status}");
        }
        let of_all = statuses(&[("5xx", Fallback::Block)]);
        assert_eq!((of_all.meaning(500), of_all.meaning(599)), (Some(Fallback::Block), Some(Fallback::Block)));
    }

    #[test]
    fn statuses_come_back_from_receipts() {
        let all = Statuses::names().map(|name| Statuses::named(name).unwrap());
        for statuses in all.chain([Statuses::default(), self::statuses(&[("599", Fallback::Block)])]) {
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
}
