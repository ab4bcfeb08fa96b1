//! The state of an origin's robots.txt, and its class: one number that combines its status, its last good answer,
//! whether that is an HTML page, and the operator's ruling. The class does not depend on paths or options.

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
        /// It answered 5xx, 429 or another "not now", or not at all: there is no verdict.
        Unreachable = "unreachable",
        /// It redirects to a URL without an answer: there is no verdict.
        RedirectUnresolved = "redirect-unresolved",
        /// It was never requested; the origin has an entry only because the operator overrides something.
        Unfetched = "unfetched",
        /// It arrived incomplete or damaged, which counts as a server error ("How Google interprets the robots.txt
        /// specification", HTTP status codes): there is no verdict.
        Incomplete = "incomplete",
        /// The crawler's copy is current (304), but the policy has no copy: there is no verdict.
        NotModified = "not-modified",
        /// It arrived, but is not text, such as an archive or an image: there is no verdict.
        NotText = "not-text",
    }
}

impl OriginStatus {
    /// Whether it is a verdict, or leads to one.
    pub fn is_definite(self) -> bool {
        !self.is_failure() && self != OriginStatus::Unfetched
    }

    /// Whether it is a failure, after which the policy keeps an earlier good answer.
    pub fn is_failure(self) -> bool {
        self.is_unreachable()
            || matches!(self, OriginStatus::RedirectUnresolved | OriginStatus::NotModified | OriginStatus::NotText)
    }

    /// Whether the server failed to deliver the robots.txt, so that the time of being unreachable counts.
    pub fn is_unreachable(self) -> bool {
        matches!(self, OriginStatus::Unreachable | OriginStatus::Incomplete)
    }
}

setters! {
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
}

impl Answered {
    /// The times of the answer.
    pub(crate) fn times(&self) -> Times {
        Times { fetched_at: self.fetched_at, expires: self.expires }
    }

    /// Since when the origin, if it is unreachable, has been so. If no source says, it is since the failed answer.
    pub(crate) fn failing_since(&self) -> Option<i64> {
        self.unreachable_since.or(self.fetched_at)
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
    /// The last good answer, if there is one and the last answer is not a verdict.
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

named! {
    /// The operator's ruling in place of an origin's robots.txt. A file numbers them from 1.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum Ruling {
        /// Everything is allowed.
        AllowAll = "allow-all",
        /// Everything is forbidden.
        ForbidAll = "forbid-all",
        /// The rules of another robots.txt apply.
        RobotsTxt = "robots-txt",
    }
}

/// An earlier good answer, whose rules the policy keeps after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LastGood {
    /// Its meaning.
    pub origin_status: OriginStatus,
    /// Its times.
    pub times: Times,
}

impl OriginState {
    /// The state after this answer, without any other.
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

/// The failures, in the order of their numbers.
const FAILURES: [OriginStatus; 5] = [
    OriginStatus::Unreachable,
    OriginStatus::RedirectUnresolved,
    OriginStatus::Incomplete,
    OriginStatus::NotModified,
    OriginStatus::NotText,
];

/// The answers that can be in use, in the order of their numbers: none, or a definite one and whether it is an HTML page.
const IN_USE: [Option<(OriginStatus, bool)>; 5] = [
    None,
    Some((OriginStatus::RobotsTxt, false)),
    Some((OriginStatus::Unavailable, false)),
    Some((OriginStatus::Forbidden, false)),
    Some((OriginStatus::RobotsTxt, true)),
];

/// The number of combinations of the last answer and the one in use.
const STATES: u8 = (IN_USE.len() * (FAILURES.len() + 1)) as u8;

/// A combination of origin status, last good answer and ruling; or a pause, which a time decides.
///
/// ```text
/// number   30 * ruling + 5 * failure + answer; or 120, paused by the operator until some time
/// ruling   0 none, 1 to 3 as the ruling
/// failure  0 the last answer did not fail, 1 unreachable, 2 redirected to where nothing is known, 3 incomplete, 4 not
///          modified since one that is not known, 5 no text
/// answer   the last one, or the last good one after a failure: 0 none, 1 a robots.txt, 2 there is none, 3 forbidden,
///          4 a robots.txt that looks like an HTML page
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class(u8);

impl Class {
    /// The operator has paused the origin; its record says until when.
    pub const PAUSED: Class = Class(STATES * (Ruling::ALL.len() as u8 + 1));

    /// The class of an origin that is not paused. A last good answer counts only after a failure, and only if it is definite;
    /// `html_page` only if the answer in use is a robots.txt.
    pub fn new(
        origin_status: OriginStatus,
        last_good: Option<OriginStatus>,
        html_page: bool,
        ruling: Option<Ruling>,
    ) -> Class {
        let failure = FAILURES.iter().position(|&failure| failure == origin_status).map_or(0, |failure| failure + 1);
        let answer = if failure == 0 { Some(origin_status) } else { last_good };
        let html_page = html_page && answer == Some(OriginStatus::RobotsTxt);
        let in_use = answer.map(|answer| (answer, html_page));
        let in_use = IN_USE.iter().position(|&one| one == in_use).unwrap_or(0);
        let ruling = ruling.map_or(0, |ruling| 1 + ruling as u8);
        Class(STATES * ruling + (IN_USE.len() * failure + in_use) as u8)
    }

    /// The class with this number, if there is one.
    pub fn from_number(number: u8) -> Option<Class> {
        (number <= Class::PAUSED.0).then_some(Class(number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The origin status after the last answer and, if that failed, after the last good one; `None` for [`Class::PAUSED`].
    pub fn origin_status(self) -> Option<(OriginStatus, Option<OriginStatus>)> {
        let in_use = self.in_use().map(|(origin_status, _)| origin_status);
        let failure = usize::from(self.0 % STATES) / IN_USE.len();
        (self != Class::PAUSED).then(|| match failure.checked_sub(1) {
            Some(failure) => (FAILURES[failure], in_use),
            None => (in_use.unwrap_or(OriginStatus::Unfetched), None),
        })
    }

    /// Whether the answer in use is a robots.txt that looks like an HTML page; for [`Class::PAUSED`], it is in the record.
    pub fn html_page(self) -> bool {
        self.in_use().is_some_and(|(_, html_page)| html_page)
    }

    fn in_use(self) -> Option<(OriginStatus, bool)> {
        IN_USE[usize::from(self.0) % IN_USE.len()]
    }

    /// The operator's ruling in place of the robots.txt; for [`Class::PAUSED`], it is in the record.
    pub fn ruling(self) -> Option<Ruling> {
        let number = usize::from(self.0 / STATES).checked_sub(1)?;
        Ruling::ALL.get(number).copied()
    }
}
