//! Answers as a policy stores them: for each requested URL, the greatest answer of each kind.
//!
//! An origin's decision is derived from them. The maximum does not depend on the order of answers, so merging policies
//! is a union: `merge(compile(A), compile(B))` is `compile(A and B)`, byte for byte.
//!
//! "Unreachable since" is the first failure after the last good answer, which is not a maximum over answers. So the
//! first and the last failure in each of the newest four windows of 30 days are stored: minima and maxima, which do not
//! depend on the order of answers. A gap of more than 30 days between two failures ends the time of being unreachable:
//! one failure after a month without requests does not prove a month of failures.

use smallvec::SmallVec;
use std::cmp::Ordering;

use super::state::Times;
use crate::dialect::AnswerKind;
use crate::robots::{BodyFlaw, NoteCounts};

/// An answer as it is stored, with the places of its groups; or as it is read, with the groups themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredAnswer<R = StoredRules> {
    pub kind: AnswerKind,
    /// Whether the source named this exact origin rather than just its host.
    pub exact: bool,
    /// The status; none if nothing answered.
    pub status: Option<u16>,
    /// Why its body is no robots.txt, if it has a 2xx.
    pub flaw: Option<BodyFlaw>,
    /// The time of the answer, and the server's `Expires`, in seconds of Unix time.
    pub fetched_at: Option<i64>,
    pub expires: Option<i64>,
    pub content: Content<R>,
    /// The counts of lines dropped or cut, if there are any.
    pub notes: Option<Box<NoteCounts>>,
}

/// The part of an answer that depends on its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content<R = StoredRules> {
    Nothing,
    /// The rules of a robots.txt or an HTML page.
    Rules(R),
    /// The target of a redirect; `None` if its location is invalid.
    Target(Option<Box<str>>),
}

/// A row of groups and a list of side records, by their places in a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StoredRules {
    pub source: u32,
    pub row: u32,
    pub side: u32,
}

/// Compares the contents of stored rules, wherever they are stored.
pub(crate) type CompareRules<'c> = dyn Fn(StoredRules, StoredRules) -> Ordering + 'c;

impl StoredAnswer {
    /// The order among answers of different kinds: the newest wins, then exact names over shorthands, then the kind.
    pub fn precedence(&self) -> impl Ord + use<> {
        (self.fetched_at, self.exact, self.kind)
    }

    /// Compares two answers of one kind: the newest wins, then exact names over shorthands, then the stored bytes. Also
    /// returns whether only the bytes decided.
    pub fn compare(&self, other: &StoredAnswer, rules: &CompareRules<'_>) -> (Ordering, bool) {
        let by_precedence = self.precedence().cmp(&other.precedence());
        if by_precedence.is_ne() {
            return (by_precedence, false);
        }
        let facts = |answer: &StoredAnswer| (answer.status, answer.flaw, answer.expires);
        let by_content = match (&self.content, &other.content) {
            (Content::Rules(one), Content::Rules(two)) => rules(*one, *two),
            (Content::Target(one), Content::Target(two)) => one.cmp(two),
            _ => Ordering::Equal,
        };
        let notes = |answer: &StoredAnswer| answer.notes.as_deref().copied().unwrap_or_default();
        let by_notes = || match self.content {
            Content::Rules(_) => notes(self).cmp(&notes(other)),
            _ => Ordering::Equal,
        };
        let order = facts(self).cmp(&facts(other)).then(by_content).then_with(by_notes);
        (order, by_content.is_ne())
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

    /// The stored rules; if the answer has none, rules without groups and side records.
    pub fn rules(&self) -> StoredRules {
        match self.content {
            Content::Rules(rules) => rules,
            _ => StoredRules::default(),
        }
    }
}

/// The stored answers of one URL: the greatest of each kind, and when requests failed. The order in which answers are
/// folded into it does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UrlAnswers {
    answers: Answers,
    failures: Failures,
    /// The bits of the kinds with ties: another answer of the same time had other contents. A policy does not store
    /// these bits, because they depend on all answers that were folded, not only on the stored ones.
    tied: u64,
}

/// Answers in the order of their kinds. Most URLs have one.
pub(crate) type Answers = SmallVec<[StoredAnswer; 1]>;

impl UrlAnswers {
    /// Answers read from a file, in the order of their kinds.
    pub fn of(answers: Answers, failures: Failures) -> UrlAnswers {
        UrlAnswers { answers, failures, tied: 0 }
    }

    /// Marks the answers of these kinds as tied, and no others.
    pub fn set_tied(&mut self, tied: u64) {
        self.tied = tied;
    }

    /// The kinds with ties: another answer has the same time and other contents, so that only bytes could decide; a bit
    /// each.
    pub fn tied(&self) -> u64 {
        self.tied
    }

    /// The newest answer that is tied with another.
    pub fn newest_tied(&self) -> Option<&StoredAnswer> {
        let is_tied = |answer: &&StoredAnswer| self.tied & answer.kind.bit() != 0;
        self.answers.iter().filter(is_tied).max_by_key(|answer| answer.precedence())
    }

    /// The answers, in the order of their kinds.
    pub fn answers(&self) -> &[StoredAnswer] {
        &self.answers
    }

    pub fn failures(&self) -> &Failures {
        &self.failures
    }

    pub fn of_kind(&self, kind: AnswerKind) -> Option<&StoredAnswer> {
        self.answers.iter().find(|answer| answer.kind == kind)
    }

    pub fn newest(&self) -> Option<&StoredAnswer> {
        self.answers.iter().max_by_key(|answer| answer.precedence())
    }

    /// The target of the newest answer, if it is a redirect; after a 304, the target of the answer that the 304
    /// confirms.
    pub fn leads_to(&self) -> Option<&str> {
        let is_confirmed = |answer: &&StoredAnswer| answer.kind.has_rules() || answer.kind == AnswerKind::Redirect;
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

    /// Folds an answer, and the failures that it tells of. Returns whether it or the stored answer of its kind was older, or not exact.
    pub fn fold(&mut self, answer: StoredAnswer, failures: &Failures, rules: &CompareRules<'_>) -> bool {
        self.failures.merge(failures);
        self.fold_tied(answer, false, rules)
    }

    /// Folds an answer that may be tied with others already.
    fn fold_tied(&mut self, answer: StoredAnswer, tied: bool, rules: &CompareRules<'_>) -> bool {
        let bit = answer.kind.bit();
        let as_tied = if tied { bit } else { 0 };
        let at = self.answers.partition_point(|known| known.kind < answer.kind);
        let Some(known) = self.answers.get_mut(at).filter(|known| known.kind == answer.kind) else {
            self.answers.insert(at, answer);
            self.tied |= as_tied;
            return false;
        };
        let (order, differs) = answer.compare(known, rules);
        let by_precedence = answer.precedence().cmp(&known.precedence());
        match by_precedence {
            Ordering::Less => {}
            Ordering::Equal => self.tied |= if differs { bit } else { as_tied },
            Ordering::Greater => self.tied = self.tied & !bit | as_tied,
        }
        if order == Ordering::Greater {
            *known = answer;
        }
        by_precedence.is_ne()
    }

    /// Adds other answers for the same URL.
    pub fn merge(&mut self, other: UrlAnswers, rules: &CompareRules<'_>) {
        self.failures.merge(&other.failures);
        for answer in other.answers {
            let tied = other.tied & answer.kind.bit() != 0;
            self.fold_tied(answer, tied, rules);
        }
    }
}

impl AnswerKind {
    /// Whether answers of this kind have a body that is read as a robots.txt.
    pub fn has_rules(self) -> bool {
        matches!(self, AnswerKind::RobotsTxt | AnswerKind::HtmlPage)
    }

    /// The bit of this kind in a set of kinds. The rarest have the highest, so that most sets take one byte.
    pub fn bit(self) -> u64 {
        1 << match self {
            AnswerKind::Unavailable => 0,
            AnswerKind::Refused => 1,
            AnswerKind::Redirect => 2,
            AnswerKind::Failed => 3,
            AnswerKind::HtmlPage => 4,
            AnswerKind::RobotsTxt => 5,
            AnswerKind::NotModified => 6,
            AnswerKind::TooManyRequests => 7,
            AnswerKind::TryAgain => 8,
        }
    }
}

/// Length of a window, and of the longest gap, in seconds.
const WINDOW: i64 = 30 * 86_400;

/// How many windows are kept. The newest may have just begun, so the others cover [`LONGEST_UNREACHABLE`].
const WINDOWS: usize = 4;

/// The longest time for which an origin is surely known to have been unreachable, in seconds: three months.
pub const LONGEST_UNREACHABLE: u64 = (WINDOWS as u64 - 1) * WINDOW as u64;

/// The failures of one URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    /// The first and the last failure of each window that has one, in seconds of Unix time; the newest window first.
    windows: Vec<(i64, i64)>,
}

fn window(time: i64) -> i64 {
    time.div_euclid(WINDOW)
}

impl Failures {
    /// A failure at a time, if that is known. If a source says that requests have failed since an earlier time, they have
    /// failed in each window from then on.
    pub fn new(at: Option<i64>, since: Option<i64>) -> Failures {
        let mut failures = Failures::default();
        let Some(last) = at.or(since) else { return failures };
        let first = since.map_or(last, |since| since.min(last));
        for number in (window(first)..=window(last)).rev().take(WINDOWS) {
            let start = number.saturating_mul(WINDOW);
            failures.add((first.max(start), last.min(start.saturating_add(WINDOW - 1))));
        }
        failures
    }

    /// Failures read from a file.
    ///
    /// # Errors
    ///
    /// If they are not as [`Failures::windows`] returns them.
    pub fn of_windows(windows: Vec<(i64, i64)>) -> Result<Failures, &'static str> {
        let is_window = |&(first, last): &(i64, i64)| first <= last && window(first) == window(last);
        let are_sorted = windows.windows(2).all(|two| window(two[0].0) > window(two[1].0));
        match windows.len() <= WINDOWS && windows.iter().all(is_window) && are_sorted {
            true => Ok(Failures { windows }),
            false => Err("failures are not in windows of 30 days, the newest first"),
        }
    }

    /// The first and the last failure of each window, the newest first.
    pub fn windows(&self) -> &[(i64, i64)] {
        &self.windows
    }

    /// Adds failures of the same URL.
    pub fn merge(&mut self, other: &Failures) {
        other.windows.iter().for_each(|&window| self.add(window));
    }

    /// Adds the first and the last failure of a window.
    fn add(&mut self, (first, last): (i64, i64)) {
        let number = window(first);
        let at = self.windows.partition_point(|&(first, _)| window(first) > number);
        match self.windows.get_mut(at).filter(|&&mut (first, _)| window(first) == number) {
            Some(known) => *known = (known.0.min(first), known.1.max(last)),
            None => self.windows.insert(at, (first, last)),
        }
        self.windows.truncate(WINDOWS);
    }

    /// The time since which requests have failed, if the last one did: the first known failure after the last good answer,
    /// with no gap of more than 30 days after it.
    pub fn since(&self, last_good: Option<i64>) -> Option<i64> {
        let mut since = None;
        for &(first, last) in &self.windows {
            let is_later = |time: &i64| last_good.is_none_or(|good| *time > good);
            let follows = since.is_none_or(|since: i64| since.saturating_sub(last) <= WINDOW);
            if !is_later(&last) || !follows {
                break;
            }
            since = Some(first).filter(is_later).or(Some(last));
        }
        since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    fn failed(days: &[i64]) -> Failures {
        days.iter().fold(Failures::default(), |mut all, day| {
            all.merge(&Failures::new(Some(day * DAY), None));
            all
        })
    }

    #[test]
    fn the_first_failure_after_the_last_good_answer_counts() {
        let since = |days: &[i64], good: Option<i64>| failed(days).since(good.map(|day| day * DAY)).map(|at| at / DAY);
        assert_eq!(since(&[], None), None);
        assert_eq!(since(&[5], None), Some(5));
        assert_eq!(since(&[5, 6, 20], None), Some(5));
        assert_eq!(since(&[5, 6, 20], Some(5)), Some(20), "of a window, the first and the last are known");
        assert_eq!(since(&[5, 20], Some(20)), None);
        assert_eq!(since(&[5, 34], None), Some(5), "a gap of 29 days");
        assert_eq!(since(&[5, 36], None), Some(36), "a silent month");
        assert_eq!(since(&[5, 29, 58, 80], None), Some(5));
        assert_eq!(since(&(0..200).collect::<Vec<_>>(), None), Some(90), "four windows");
        assert_eq!(since(&(0..200).collect::<Vec<_>>(), Some(100)), Some(119), "never earlier than the truth");
        assert_eq!(since(&[-5, -40], None), Some(-5));
        assert_eq!(since(&[-5, -31], None), Some(-31));
    }

    /// Rules that are compared by their places.
    const BY_PLACE: &CompareRules<'static> = &|one, other| one.row.cmp(&other.row);

    /// Folded in any order, or merged from parts, a kind has a tie if its newest answers have different contents.
    #[test]
    fn a_tie_is_between_the_newest_answers_of_a_kind() {
        let mut rng = crate::rng::Rng(3);
        let answer = |rng: &mut crate::rng::Rng| {
            let rules = StoredRules { row: rng.below(2) as u32, ..StoredRules::default() };
            let target = ["http://a.test/robots.txt", "http://b.test/robots.txt"][rng.below(2)];
            let (kind, content) = match rng.below(3) {
                0 => (AnswerKind::Redirect, Content::Target(Some(target.into()))),
                1 => (AnswerKind::RobotsTxt, Content::Rules(rules)),
                _ => (AnswerKind::Unavailable, Content::Nothing),
            };
            let (exact, fetched_at) = (rng.below(2) == 0, Some(rng.below(3) as i64));
            StoredAnswer { kind, exact, status: None, flaw: None, fetched_at, expires: None, content, notes: None }
        };
        let folded = |answers: &[StoredAnswer]| {
            let mut folded = UrlAnswers::default();
            answers.iter().for_each(|answer| _ = folded.fold(answer.clone(), &Failures::default(), BY_PLACE));
            folded
        };
        for _ in 0..2000 {
            let answers: Vec<StoredAnswer> = (0..rng.below(8)).map(|_| answer(&mut rng)).collect();
            let is_newest = |one: &&StoredAnswer| {
                let of_kind = answers.iter().filter(|other| other.kind == one.kind);
                of_kind.map(StoredAnswer::precedence).max().is_some_and(|newest| newest == one.precedence())
            };
            let newest: Vec<&StoredAnswer> = answers.iter().filter(is_newest).collect();
            let differs =
                |one: &StoredAnswer| newest.iter().any(|other| other.kind == one.kind && other.content != one.content);
            let tied: u64 = newest.iter().filter(|one| differs(one)).fold(0, |tied, one| tied | one.kind.bit());
            let all = folded(&answers);
            let (one, other) = answers.split_at(rng.below(answers.len() + 1));
            let mut merged = folded(other);
            merged.merge(folded(one), BY_PLACE);
            assert_eq!((all.tied(), &merged), (tied, &all), "{answers:?}");
        }
    }

    #[test]
    fn a_failure_may_be_at_any_time() {
        for time in [i64::MIN, i64::MAX] {
            assert!(Failures::new(Some(time), Some(0)).since(None).is_some());
        }
    }

    #[test]
    fn the_order_does_not_matter() {
        let mut rng = crate::rng::Rng(7);
        for _ in 0..1000 {
            let days: Vec<i64> = (0..rng.below(12)).map(|_| rng.below(400) as i64).collect();
            let expected = failed(&days);
            let mut shuffled = days.clone();
            shuffled.sort_by_key(|day| day * 7919 % 401);
            let (one, other) = shuffled.split_at(shuffled.len() / 2);
            let (mut merged, again) = (failed(other), failed(one));
            merged.merge(&again);
            merged.merge(&again);
            assert_eq!(merged, expected, "{days:?}");
            assert_eq!(Failures::of_windows(expected.windows().to_vec()), Ok(expected));
        }
        assert!(Failures::of_windows(vec![(0, WINDOW)]).is_err());
        assert!(Failures::of_windows(vec![(0, 1), (2, 3)]).is_err());
        assert!(Failures::of_windows(vec![(0, 1), (WINDOW, WINDOW)]).is_err());
    }
}
