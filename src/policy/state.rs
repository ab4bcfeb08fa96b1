//! The state of an origin's robots.txt.

use serde::Serialize;

use crate::dialect::Lifetime;

/// The state of an origin, as its robots.txt was last answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum OriginStatus {
    /// There is a robots.txt; whether it has a group for a crawler is the crawler's affair.
    RobotsTxt = 0,
    /// No robots.txt (4xx): all is allowed.
    Unavailable = 1,
    /// 401 or 403, where the dialect takes it as a refusal: all is blocked.
    Forbidden = 2,
    /// It answered 5xx, or not at all: there is no verdict.
    Unreachable = 3,
    /// It redirects to somewhere of which nothing is known: there is no verdict.
    RedirectUnresolved = 4,
    /// It was never asked for; the origin is only known because the operator has something to say of it.
    Unfetched = 5,
}

impl OriginStatus {
    /// All of them, in the order of their numbers.
    pub const ALL: [OriginStatus; 6] = [
        OriginStatus::RobotsTxt,
        OriginStatus::Unavailable,
        OriginStatus::Forbidden,
        OriginStatus::Unreachable,
        OriginStatus::RedirectUnresolved,
        OriginStatus::Unfetched,
    ];

    /// Its name, for example `robots-txt`.
    pub fn name(self) -> &'static str {
        ["robots-txt", "unavailable", "forbidden", "unreachable", "redirect-unresolved", "unfetched"][self as usize]
    }

    /// Whether it is a verdict, or leads to one.
    pub fn is_definite(self) -> bool {
        !matches!(self, OriginStatus::Unreachable | OriginStatus::RedirectUnresolved | OriginStatus::Unfetched)
    }

    /// Whether it is an answer that failed, beside which an earlier one is kept.
    pub fn is_failure(self) -> bool {
        matches!(self, OriginStatus::Unreachable | OriginStatus::RedirectUnresolved)
    }
}

/// When and how an origin answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// The HTTP status of the robots.txt itself, before redirects; none where nothing answered.
    pub status: Option<u16>,
    /// When, in seconds of Unix time.
    pub fetched_at: Option<i64>,
    /// The server's `Expires`, in seconds of Unix time.
    pub expires: Option<i64>,
    /// Since when the origin has been unreachable, in seconds of Unix time.
    pub unreachable_since: Option<i64>,
}

impl Answered {
    /// Its times.
    pub fn times(&self) -> Times {
        Times { fetched_at: self.fetched_at, expires: self.expires }
    }
}

/// How fresh rules are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// When they were fetched, in seconds of Unix time.
    pub fetched_at: Option<i64>,
    /// The server's `Expires` for them, in seconds of Unix time.
    pub expires: Option<i64>,
}

impl Times {
    /// Until when an answer of these times may be used, in seconds of Unix time; `None` where its age is not known.
    pub fn until(&self, lifetime: Lifetime) -> Option<i64> {
        match (self.expires.filter(|_| lifetime.expires_header), self.fetched_at) {
            (Some(expires), _) => Some(expires),
            (None, fetched_at) => fetched_at.map(|at| at.saturating_add_unsigned(lifetime.seconds)),
        }
    }
}

/// All that is known of an origin but its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OriginState {
    /// The standing by the last answer.
    pub standing: OriginStatus,
    /// The last answer.
    pub answered: Answered,
    /// Where the last answer is no verdict: the last one that was, if any.
    pub last_good: Option<LastGood>,
    /// Whether the robots.txt in use, that of the last good answer where the last one failed, looks like an HTML page.
    pub html_page: bool,
    /// The operator's word, which stands above all answers.
    pub word: OverrideState,
}

/// The operator's word for an origin; by default there is none. A crawl delay that is set by hand stands among the side
/// records, at line 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct OverrideState {
    /// The operator's rule in place of the robots.txt.
    pub ruling: Option<Ruling>,
    /// Nothing is fetched before this time, in seconds of Unix time.
    pub paused_until: Option<i64>,
}

/// The operator's rule in place of an origin's robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Ruling {
    /// Everything is allowed.
    AllowAll = 1,
    /// Everything is forbidden.
    ForbidAll = 2,
    /// Another robots.txt, whose rules are the origin's.
    RobotsTxt = 3,
}

impl Ruling {
    /// All of them, in the order of their numbers, which count from 1.
    pub const ALL: [Ruling; 3] = [Ruling::AllowAll, Ruling::ForbidAll, Ruling::RobotsTxt];

    /// Its name, for example `allow-all`.
    pub fn name(self) -> &'static str {
        ["allow-all", "forbid-all", "robots-txt"][self as usize - 1]
    }
}

/// An earlier answer, whose rules are kept beside a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LastGood {
    /// Its meaning.
    pub standing: OriginStatus,
    /// When it came.
    pub times: Times,
}

impl OriginState {
    /// The standing by the answer in use: the last good one, where the last one failed.
    pub fn standing_in_use(&self) -> OriginStatus {
        self.last_good.map_or(self.standing, |good| good.standing)
    }

    /// The times of the rules in use: of the last good answer, where the last one failed.
    pub fn times_in_use(&self) -> Times {
        self.last_good.map_or(self.answered.times(), |good| good.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_written() {
        for standing in OriginStatus::ALL {
            assert_eq!(serde_json::to_value(standing).unwrap(), standing.name());
        }
        for ruling in Ruling::ALL {
            assert_eq!(serde_json::to_value(ruling).unwrap(), ruling.name());
        }
    }
}
