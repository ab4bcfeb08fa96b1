//! The partition a line goes to, and why.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

use crate::error::ValueError;
use crate::origin::InvalidUrl;

named! {
    /// A part of the output. Every line goes to exactly one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum Partition {
        /// The policy of the origin allows the URL.
        Allowed = "allowed",
        /// The policy of the origin blocks it.
        Blocked = "blocked",
        /// There is no verdict yet.
        Deferred = "deferred",
        /// The line has no absolute http or https URL.
        Invalid = "invalid",
    }
}

impl Partition {
    /// The number of partitions.
    pub(crate) const COUNT: usize = Partition::ALL.len();
}

named! {
    /// Why a line went to its partition.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum Reason {
        /// The rules of the crawler's groups: one won, or none matched.
        Rules = "rules",
        /// The robots.txt has no group for the crawler.
        NoGroup = "no-group",
        /// There is no robots.txt (4xx).
        Unavailable = "unavailable",
        /// The robots.txt itself is refused (401, 403), and the dialect takes that as blocking everything.
        Forbidden = "forbidden",
        /// The URL is that of `/robots.txt`, which the dialect always allows, and something else would not have allowed it.
        RobotsTxt = "robots-txt",
        /// The robots.txt of the origin was never fetched.
        Unfetched = "unfetched",
        /// The robots.txt answered 5xx, 429 or another "not now", or not at all.
        Unreachable = "unreachable",
        /// The robots.txt was unreachable, and the last good answer was used.
        LastGood = "last-good",
        /// The robots.txt was unreachable for so long that it counts as missing.
        LongUnreachable = "long-unreachable",
        /// The robots.txt redirects to a place about which nothing is known.
        RedirectUnresolved = "redirect-unresolved",
        /// The robots.txt was sent in part or damaged.
        Incomplete = "incomplete",
        /// The robots.txt is no text: a compressed file of a kind that is not read, an archive or an image, for example.
        NotText = "not-text",
        /// The robots.txt was not modified (304), but no earlier one is known.
        NotModified = "not-modified",
        /// The robots.txt looks like an HTML page, and the operator chose what that means.
        HtmlPage = "html-page",
        /// The answer is older than allowed, or its age is unknown and an age limit is enforced.
        Stale = "stale",
        /// An override by the operator allows or blocks the whole origin.
        Override = "override",
        /// The operator has paused the origin until a time in the future.
        Paused = "paused",
        /// The line is empty.
        Empty = "empty",
        /// The URL has no scheme.
        NotAbsolute = "not-absolute",
        /// The scheme of the URL is neither http nor https.
        Scheme = "scheme",
        /// The host of the URL is not valid.
        Host = "host",
        /// The port of the URL is not valid.
        Port = "port",
        /// The line does not have the URL's field.
        Column = "column",
        /// A quote in the line is unclosed or misplaced.
        Quote = "quote",
        /// The JSON of the line is missing or malformed, or has two URLs.
        Json = "json",
        /// The JSON of the line has no URL.
        NoUrl = "no-url",
        /// The URL contains a line feed, which a line cannot hold.
        LineBreak = "line-break",
        /// The line has a tab inside, so it has fields, and the run does not know which of them is the URL.
        Tab = "tab",
        /// It is allowed, but what the site says about uses of the page does not meet what the run requires.
        Preference = "preference",
    }
}

impl Outcome {
    /// Whether a line with this outcome waits for a robots.txt.
    pub(crate) fn waits_for_robots_txt(self) -> bool {
        self.partition() == Partition::Deferred && self.reason().waits_for_robots_txt()
    }
}

impl Reason {
    /// Whether a line deferred for this reason waits for a robots.txt. A paused origin waits for the operator.
    pub(crate) fn waits_for_robots_txt(self) -> bool {
        self != Reason::Paused
    }
}

/// The partition of a line and the reason for it, in one byte.
///
/// The default is a placeholder for an outcome not known yet: invalid, because the line is empty. As text, it is `blocked (rules)`; to
/// serde, a struct of the names of both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, bytemuck::NoUninit)]
#[serde(from = "Parts", into = "Parts")]
#[repr(transparent)]
pub struct Outcome(u8);

/// An outcome as serde has it.
#[derive(Serialize, Deserialize)]
struct Parts {
    partition: Partition,
    reason: Reason,
}

impl From<Parts> for Outcome {
    fn from(Parts { partition, reason }: Parts) -> Outcome {
        Outcome::new(partition, reason)
    }
}

impl From<Outcome> for Parts {
    fn from(outcome: Outcome) -> Parts {
        Parts { partition: outcome.partition(), reason: outcome.reason() }
    }
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome::NONE
    }
}

impl Outcome {
    /// The outcome of `/robots.txt`, where the dialect always allows it and something else would not.
    pub(crate) const ROBOTS_TXT: Outcome = Outcome::new(Partition::Allowed, Reason::RobotsTxt);

    /// Placeholder for an outcome not known yet.
    pub(crate) const NONE: Outcome = Outcome::new(Partition::Invalid, Reason::Empty);

    /// The number of indexes, one for each pair of a partition and a reason; the length of an array indexed by
    /// [`Outcome::index`].
    pub const COUNT: usize = Partition::COUNT * Reason::ALL.len();

    /// Packs a partition and a reason.
    #[inline]
    pub const fn new(partition: Partition, reason: Reason) -> Outcome {
        Outcome(partition as u8 | (reason as u8) << 2)
    }

    /// The partition the line goes to.
    #[inline]
    pub fn partition(self) -> Partition {
        Partition::ALL[usize::from(self.0 & 3)]
    }

    /// The partitions of eight outcomes as one word, one byte each; the first is the lowest byte.
    #[inline(always)]
    pub(crate) fn partitions(of: &[Outcome; 8]) -> u64 {
        u64::from_le_bytes([of[0].0, of[1].0, of[2].0, of[3].0, of[4].0, of[5].0, of[6].0, of[7].0])
            & u64::from_le_bytes([3; 8])
    }

    /// Whether the partition of all these is that of allowed lines.
    #[inline(always)]
    pub(crate) fn are_all_allowed<const N: usize>(of: &[Outcome; N]) -> bool {
        of.iter().fold(0, |all, outcome| all | outcome.0) & 3 == Partition::Allowed as u8
    }

    /// The reason for it.
    #[inline]
    pub fn reason(self) -> Reason {
        Reason::ALL[usize::from(self.0 >> 2)]
    }

    /// Whether `/robots.txt` is allowed in spite of it, where the dialect always allows that: unless the operator overrides all answers.
    #[inline]
    pub(crate) fn spares_robots_txt(self) -> bool {
        let is_closed = matches!(self.partition(), Partition::Blocked | Partition::Deferred);
        is_closed && !matches!(self.reason(), Reason::Override | Reason::Paused)
    }

    /// The outcome as a number below [`Outcome::COUNT`], for tables of counts. [`Outcome::from_index`] is the inverse.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The outcome with this [index](Outcome::index).
    ///
    /// # Panics
    ///
    /// If `index` is not below [`Outcome::COUNT`].
    pub fn from_index(index: usize) -> Outcome {
        Outcome::new(Partition::ALL[index & 3], Reason::ALL[index >> 2])
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.partition(), self.reason())
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Outcome {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Outcome, Self::Err> {
        let parts = text.strip_suffix(')').and_then(|text| text.split_once(" ("));
        let outcome = parts.and_then(|(of, reason)| Some(Outcome::new(of.parse().ok()?, reason.parse().ok()?)));
        outcome.ok_or_else(|| ValueError::unknown_name(text, "a partition, a space and its reason between brackets"))
    }
}

impl From<InvalidUrl> for Outcome {
    fn from(reason: InvalidUrl) -> Outcome {
        let reason = match reason {
            InvalidUrl::Empty => Reason::Empty,
            InvalidUrl::NotAbsolute => Reason::NotAbsolute,
            InvalidUrl::Scheme => Reason::Scheme,
            // A line may have more than an origin.
            InvalidUrl::Host | InvalidUrl::NotBare => Reason::Host,
            InvalidUrl::Port => Reason::Port,
            InvalidUrl::LineFeed => Reason::LineBreak,
        };
        Outcome::new(Partition::Invalid, reason)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::*;

    #[test]
    fn an_outcome_is_its_partition_and_reason() {
        for (at, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, at);
            for partition in Partition::ALL {
                let outcome = Outcome::new(partition, reason);
                assert_eq!((outcome.partition(), outcome.reason()), (partition, reason));
                assert_eq!(Outcome::from_index(outcome.index()), outcome);
                assert!(outcome.index() < Outcome::COUNT);
            }
        }
        let outcome = Outcome::new(Partition::Blocked, Reason::NoGroup);
        assert_eq!(format!("{outcome} {outcome:?}"), "blocked (no-group) blocked (no-group)");
        assert_eq!("blocked (no-group)".parse(), Ok(outcome));
        for other in ["blocked", "blocked (no-group", "blocked (none)", "no (no-group)", "blocked(no-group)"] {
            let problem = other.parse::<Outcome>().unwrap_err().to_string();
            assert!(problem.starts_with(&format!("{other:?} is unknown")), "{problem}");
        }
        let json = serde_json::to_value(outcome).unwrap();
        assert_eq!(json, serde_json::json!({"partition": "blocked", "reason": "no-group"}));
        assert_eq!(serde_json::from_value::<Outcome>(json).unwrap(), outcome);
    }

    /// What a name of each kind becomes.
    fn comes_back<T>(all: impl Iterator<Item = T>)
    where
        T: fmt::Debug + fmt::Display + PartialEq + FromStr<Err = ValueError> + Serialize + DeserializeOwned,
    {
        let names: Vec<String> = all
            .map(|one| {
                let name = one.to_string();
                assert_eq!(name.parse().as_ref(), Ok(&one));
                assert_eq!(serde_json::to_value(&one).unwrap(), name);
                assert_eq!(serde_json::from_value::<T>(name.clone().into()).unwrap(), one);
                assert_eq!(format!("{one:>20}").trim_start(), name);
                name
            })
            .collect();
        let error = "Allowed".parse::<T>().unwrap_err();
        assert_eq!(error.to_string(), format!("\"Allowed\" is unknown; expected {}", names.join(", ")));
    }

    #[test]
    fn names_are_shown_parsed_and_serialised() {
        comes_back(Partition::all());
        comes_back(Reason::all());
        comes_back(crate::Verdict::all());
    }
}
