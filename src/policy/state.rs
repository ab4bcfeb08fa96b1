//! The state of an origin's robots.txt.

use serde::Serialize;

use crate::dialect::Lifetime;

named! {
    /// The status of an origin according to the last answer for its robots.txt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[repr(u8)]
    pub enum OriginStatus {
        /// There is a robots.txt. Whether it has a group for a crawler is a separate question.
        RobotsTxt = "robots-txt",
        /// No robots.txt (4xx): everything is allowed.
        Unavailable = "unavailable",
        /// 401 or 403, if the dialect treats it as a refusal: everything is blocked.
        Forbidden = "forbidden",
        /// It answered 5xx, or not at all: there is no verdict.
        Unreachable = "unreachable",
        /// It redirects to a URL about which nothing is known: there is no verdict.
        RedirectUnresolved = "redirect-unresolved",
        /// It was never requested; the origin has an entry only because the operator overrides something.
        Unfetched = "unfetched",
        /// It was sent in part or damaged, which counts as a server error ("How Google interprets the robots.txt
        /// specification", HTTP status codes): there is no verdict.
        Incomplete = "incomplete",
        /// It is the one that the crawler has (304), but no robots.txt is known: there is no verdict.
        NotModified = "not-modified",
    }
}

impl OriginStatus {
    /// Whether it is a verdict, or leads to one.
    pub fn is_definite(self) -> bool {
        !self.is_failure() && self != OriginStatus::Unfetched
    }

    /// Whether it is a failure, after which an earlier answer is kept.
    pub fn is_failure(self) -> bool {
        self.is_unreachable() || matches!(self, OriginStatus::RedirectUnresolved | OriginStatus::NotModified)
    }

    /// Whether the server failed to deliver the robots.txt, so that the origin may become unreachable for long.
    pub fn is_unreachable(self) -> bool {
        matches!(self, OriginStatus::Unreachable | OriginStatus::Incomplete)
    }
}

/// When and how an origin answered the request for its robots.txt: the times and the status, not the rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Answered {
    /// The HTTP status of the robots.txt itself, before redirects; none if nothing answered.
    pub status: Option<u16>,
    /// The time of the answer, in seconds of Unix time.
    pub fetched_at: Option<i64>,
    /// The server's `Expires`, in seconds of Unix time.
    pub expires: Option<i64>,
    /// The time since which the origin has been unreachable, in seconds of Unix time.
    pub unreachable_since: Option<i64>,
}

setters! {
    Answered {
        status: Option<u16>,
        fetched_at: Option<i64>,
        expires: Option<i64>,
        unreachable_since: Option<i64>,
    }
}

impl Answered {
    /// The times of the answer.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn times(&self) -> Times {
        Times { fetched_at: self.fetched_at, expires: self.expires }
    }
}

/// The age of rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// When they were fetched, in seconds of Unix time.
    pub fetched_at: Option<i64>,
    /// The server's `Expires` for them, in seconds of Unix time.
    pub expires: Option<i64>,
}

impl Times {
    /// The time until which an answer may be used, in seconds of Unix time; `None` if its age is unknown.
    pub fn until(&self, lifetime: Lifetime) -> Option<i64> {
        match (self.expires.filter(|_| lifetime.expires_header), self.fetched_at) {
            (Some(expires), _) => Some(expires),
            (None, fetched_at) => fetched_at.map(|at| at.saturating_add_unsigned(lifetime.seconds)),
        }
    }
}

/// Everything known about an origin except its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OriginState {
    /// The origin status after the last answer.
    pub origin_status: OriginStatus,
    /// The last answer.
    pub answered: Answered,
    /// The last good answer, if the last answer is no verdict and there was one.
    pub last_good: Option<LastGood>,
    /// Whether the robots.txt in use looks like an HTML page. That is the last good one, if the last answer failed.
    pub html_page: bool,
    /// The operator's override, which takes precedence over all answers.
    #[serde(rename = "word")]
    pub operator_override: OverrideState,
}

/// The operator's override for an origin; none by default. A crawl delay set by the operator is among the side records, at
/// line 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct OverrideState {
    /// The operator's ruling in place of the robots.txt.
    pub ruling: Option<Ruling>,
    /// The time before which nothing is fetched, in seconds of Unix time.
    pub paused_until: Option<i64>,
}

/// The operator's ruling in place of an origin's robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
#[non_exhaustive]
pub enum Ruling {
    /// Everything is allowed.
    AllowAll = 1,
    /// Everything is forbidden.
    ForbidAll = 2,
    /// The rules of another robots.txt apply.
    RobotsTxt = 3,
}

impl Ruling {
    /// All of them, in numeric order, which starts at 1.
    pub(crate) const ALL: [Ruling; 3] = [Ruling::AllowAll, Ruling::ForbidAll, Ruling::RobotsTxt];

    /// All of them.
    pub fn all() -> impl ExactSizeIterator<Item = Ruling> {
        Ruling::ALL.into_iter()
    }

    /// Its name, for example `allow-all`.
    pub fn name(self) -> &'static str {
        ["allow-all", "forbid-all", "robots-txt"][self as usize - 1]
    }
}

/// An earlier answer whose rules are kept after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LastGood {
    /// Its meaning.
    pub origin_status: OriginStatus,
    /// Its times.
    pub times: Times,
}

impl OriginState {
    /// The state after an answer of which nothing else is known.
    pub(super) fn new(origin_status: OriginStatus, answered: Answered) -> OriginState {
        let operator_override = OverrideState::default();
        OriginState { origin_status, answered, last_good: None, html_page: false, operator_override }
    }

    /// The state of an origin whose robots.txt was never requested.
    pub(crate) fn unfetched() -> OriginState {
        OriginState::new(OriginStatus::Unfetched, Answered::default())
    }

    /// The origin status after the answer in use: the last good one, if the last one failed.
    pub fn origin_status_in_use(&self) -> OriginStatus {
        self.last_good.map_or(self.origin_status, |good| good.origin_status)
    }

    /// The times of the rules in use: those of the last good answer, if the last one failed.
    pub fn times_in_use(&self) -> Times {
        self.last_good.map_or(self.answered.times(), |good| good.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_written() {
        for origin_status in OriginStatus::ALL {
            assert_eq!(serde_json::to_value(origin_status).unwrap(), origin_status.name());
        }
        for ruling in Ruling::ALL {
            assert_eq!(serde_json::to_value(ruling).unwrap(), ruling.name());
        }
    }
}
