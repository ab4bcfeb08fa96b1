//! The answers kept for one URL: of each kind, the greatest.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::cmp::Ordering;

use super::failures::Failures;
use crate::policy::state::Times;
use crate::robots::NoteCounts;

/// An answer as it is kept, once its groups are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub kind: AnswerKind,
    /// Whether the source named this exact origin rather than just its host.
    pub exact: bool,
    /// The status; none if nothing answered.
    pub status: Option<u16>,
    /// Whether the body did not arrive whole.
    pub incomplete: bool,
    /// The time of the answer, and the server's `Expires`, in seconds of Unix time.
    pub fetched_at: Option<i64>,
    pub expires: Option<i64>,
    pub content: Content,
    /// The counts of lines dropped or cut, if there are any.
    pub notes: Option<Box<NoteCounts>>,
}

/// The part of an answer that depends on its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Nothing,
    /// The rules of a robots.txt or an HTML page.
    Rules(StoredRules),
    /// The URL that a redirect leads to; `None` if its location makes no sense.
    Target(Option<Box<str>>),
}

/// A row of groups and a list of side records, by their places in a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StoredRules {
    /// The number of the source.
    pub source: u32,
    pub row: u32,
    pub side: u32,
}

/// Compares the contents of stored rules, wherever they are stored.
pub(crate) trait CompareRules {
    type Error;

    /// Compares two contents by their bytes.
    fn compare(&mut self, one: StoredRules, other: StoredRules) -> Result<Ordering, Self::Error>;
}

impl Answer {
    /// What decides between answers of different kinds: the newest, then exact names over shorthands, then the kind.
    pub fn precedence(&self) -> impl Ord + use<> {
        (self.fetched_at, self.exact, self.kind)
    }

    /// Compares two answers of one kind: the newest, then exact names over shorthands, then the stored bytes.
    fn compare<C: CompareRules>(&self, other: &Answer, rules: &mut C) -> Result<Ordering, C::Error> {
        let facts = |answer: &Answer| (answer.status, answer.incomplete, answer.expires);
        let by_facts = self.precedence().cmp(&other.precedence()).then_with(|| facts(self).cmp(&facts(other)));
        let notes = |answer: &Answer| answer.notes.as_deref().copied().unwrap_or_default();
        Ok(match (by_facts, &self.content, &other.content) {
            (Ordering::Equal, Content::Rules(one), Content::Rules(two)) => {
                rules.compare(*one, *two)?.then_with(|| notes(self).cmp(&notes(other)))
            }
            (Ordering::Equal, Content::Target(one), Content::Target(two)) => one.cmp(two),
            (by_facts, _, _) => by_facts,
        })
    }

    pub fn times(&self) -> Times {
        Times { fetched_at: self.fetched_at, expires: self.expires }
    }

    /// The URL that a redirect leads to.
    pub fn target(&self) -> Option<&str> {
        match &self.content {
            Content::Target(target) => target.as_deref(),
            _ => None,
        }
    }

    /// The stored rules; those without any groups and side records if it has none.
    pub fn rules(&self) -> StoredRules {
        match self.content {
            Content::Rules(rules) => rules,
            _ => StoredRules::default(),
        }
    }
}

/// The answers kept for one URL: the greatest of each kind, and when requests failed. Folding answers into it gives the same
/// in any order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    answers: Answers,
    failures: Failures,
}

/// Answers in the order of their kinds. Most URLs have one.
pub(crate) type Answers = SmallVec<[Answer; 1]>;

/// The fate of an answer that is folded into others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folded {
    /// It is the first of its kind, or the same as the one that is kept.
    Kept,
    /// One of the two was older, or not exact.
    Older,
    /// Both are of the same time; their bytes decided.
    SameTime,
    /// Both are without a time; their bytes decided.
    WithoutTime,
}

impl Kept {
    /// Answers read from a file, in the order of their kinds.
    pub fn of(answers: Answers, failures: Failures) -> Kept {
        Kept { answers, failures }
    }

    /// The answers, in the order of their kinds.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// When requests failed.
    pub fn failures(&self) -> &Failures {
        &self.failures
    }

    pub fn of_kind(&self, kind: AnswerKind) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.kind == kind)
    }

    pub fn newest(&self) -> Option<&Answer> {
        self.answers.iter().max_by_key(|answer| answer.precedence())
    }

    /// The URL that the newest answer leads to, if it is a redirect; after a 304, that of the answer which it confirms.
    pub fn leads_to(&self) -> Option<&str> {
        let is_confirmed = |answer: &&Answer| answer.kind.has_rules() || answer.kind == AnswerKind::Redirect;
        let confirmed = || self.answers.iter().filter(is_confirmed).max_by_key(|answer| answer.precedence());
        match self.newest()? {
            newest if newest.kind == AnswerKind::NotModified => confirmed()?.target(),
            newest => newest.target(),
        }
    }

    /// The rules of its answers, to be changed.
    pub fn rules_mut(&mut self) -> impl Iterator<Item = &mut StoredRules> {
        self.answers.iter_mut().filter_map(|answer| match &mut answer.content {
            Content::Rules(rules) => Some(rules),
            _ => None,
        })
    }

    /// Adds an answer.
    pub fn fold<C: CompareRules>(&mut self, answer: Answer, rules: &mut C) -> Result<Folded, C::Error> {
        let at = self.answers.partition_point(|known| known.kind < answer.kind);
        let Some(known) = self.answers.get_mut(at).filter(|known| known.kind == answer.kind) else {
            self.answers.insert(at, answer);
            return Ok(Folded::Kept);
        };
        let order = answer.compare(known, rules)?;
        let folded = match (answer.precedence().cmp(&known.precedence()), order, answer.fetched_at) {
            (Ordering::Equal, Ordering::Equal, _) => Folded::Kept,
            (Ordering::Equal, _, None) => Folded::WithoutTime,
            (Ordering::Equal, _, Some(_)) => Folded::SameTime,
            _ => Folded::Older,
        };
        if order == Ordering::Greater {
            *known = answer;
        }
        Ok(folded)
    }

    /// Adds times of failed requests.
    pub fn fold_failures(&mut self, failures: &Failures) {
        self.failures.merge(failures);
    }

    /// Adds the answers kept elsewhere for the same URL. Returns how many pairs without a time only their bytes could order.
    pub fn merge<C: CompareRules>(&mut self, other: Kept, rules: &mut C) -> Result<u64, C::Error> {
        self.failures.merge(&other.failures);
        let mut without_time = 0;
        for answer in other.answers {
            without_time += u64::from(self.fold(answer, rules)? == Folded::WithoutTime);
        }
        Ok(without_time)
    }
}

named! {
    /// The kind of an answer, by its status alone. Which kinds mean what is chosen later, so the newest answer of each kind is
    /// kept. In a tie, the later kind counts: what closes before what opens.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum AnswerKind {
        /// 4xx, except those with a kind of their own.
        Unavailable = "unavailable",
        /// 401 or 403.
        Refused = "refused",
        /// 429.
        TooManyRequests = "too-many-requests",
        /// 3xx, except 304.
        Redirect = "redirect",
        /// 304: the client's copy is current.
        NotModified = "not-modified",
        /// 5xx, a status without a meaning, a body that did not arrive whole, or no answer at all.
        Failed = "failed",
        /// 2xx with a body that looks like an HTML page.
        HtmlPage = "html-page",
        /// 2xx with any other body.
        RobotsTxt = "robots-txt",
    }
}

/// The status for a client that already has the answer.
const NOT_MODIFIED: u16 = 304;

impl AnswerKind {
    /// The kind of an answer that arrived whole. One with a file is [`AnswerKind::RobotsTxt`], whatever its body looks like.
    pub fn of_status(status: Option<u16>) -> AnswerKind {
        match status {
            Some(200..=299) => AnswerKind::RobotsTxt,
            Some(NOT_MODIFIED) => AnswerKind::NotModified,
            Some(300..=399) => AnswerKind::Redirect,
            Some(401 | 403) => AnswerKind::Refused,
            Some(429) => AnswerKind::TooManyRequests,
            Some(400..=499) => AnswerKind::Unavailable,
            _ => AnswerKind::Failed,
        }
    }

    /// Whether answers of this kind have a body that is read as a robots.txt.
    pub fn has_rules(self) -> bool {
        matches!(self, AnswerKind::RobotsTxt | AnswerKind::HtmlPage)
    }

    /// The bit of this kind in a set of kinds.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}
