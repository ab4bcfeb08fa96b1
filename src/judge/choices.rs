//! The operator's choices where robots.txt gives no definite verdict.

use std::str::FromStr;

use super::error::MaxAgeError;
use super::fallback::Fallback;
use super::statuses::Statuses;
use crate::formats::time;
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
    type Err = MaxAgeError;

    /// Parses `dialect`, or a duration such as `36h` or `7d`.
    fn from_str(given: &str) -> Result<MaxAge, MaxAgeError> {
        if given == "dialect" {
            return Ok(MaxAge::Dialect);
        }
        time::duration(given).map(MaxAge::Seconds).map_err(MaxAgeError)
    }
}

/// The operator's choices for URLs on which robots.txt gives no definite verdict, or one that is too old.
///
/// A [`Matcher`](crate::Matcher) and a [`Job`](crate::run::Job) have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Choices {
    /// For origins whose robots.txt was never fetched. `Use` is the same as `Defer`, because there is nothing to use.
    pub on_unfetched: Fallback,
    /// For origins that are unreachable, whose robots.txt did not arrive whole, whose redirects lead nowhere, or that
    /// confirm a robots.txt that is not known.
    pub on_unreachable: Fallback,
    /// How many seconds an origin must have been unreachable to be treated as having no robots.txt (RFC 9309 2.3.1.4); `None`
    /// for never. Takes precedence over [`Choices::on_unreachable`].
    pub unreachable_as_unavailable: Option<u64>,
    /// For robots.txt files that look like HTML pages, which some servers send for every path; also for a last good one that
    /// would be used. The choice takes the place of their rules, so it never becomes stale. `Use` judges by the rules.
    #[serde(default = "read_as_rules")]
    pub on_html: Fallback,
    /// For answers older than [`Choices::max_age`].
    pub on_stale: Fallback,
    /// The maximum age to enforce, if any.
    pub max_age: Option<MaxAge>,
    /// For statuses of a robots.txt that mean something else than the dialect says. Take precedence over all but overrides: also over
    /// [`Choices::on_unreachable`] and [`Choices::unreachable_as_unavailable`].
    #[serde(default, skip_serializing_if = "Statuses::is_empty")]
    pub statuses: Statuses,
    /// Whether an origin that is not in the policy is judged by that with `www.` before its host or, if it has that, by that without.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub www_fallback: bool,
    /// What the site must say about uses of a page. What is allowed but does not meet it is blocked, with the reason
    /// [`Preference`](crate::Reason::Preference).
    #[serde(default, skip_serializing_if = "Requirements::is_empty")]
    pub require: Requirements,
    /// To which crawlers a `Content-Signal` line speaks.
    #[serde(default, skip_serializing_if = "SignalScope::is_default")]
    pub content_signal: SignalScope,
    /// The time at which age is judged, in seconds of Unix time; serialised as RFC 3339.
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

/// The choice for HTML pages of receipts that are older than the choice.
fn read_as_rules() -> Fallback {
    Fallback::Use
}

impl Choices {
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
        Choices::at(jiff::Timestamp::now().as_second())
    }

    /// Whether decisions depend on when an origin answered.
    pub(super) fn has_times(&self) -> bool {
        self.max_age.is_some() || self.unreachable_as_unavailable.is_some()
    }
}
