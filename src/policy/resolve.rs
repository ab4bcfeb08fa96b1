//! Derives an origin's state from all answers: follows redirects, and finds the last good answer if the newest failed.

use std::cmp::Reverse;

use super::state::{Answered, LastGood, OriginState, OriginStatus, Times};
use super::url_answers::{StoredAnswer, StoredRules, UrlAnswers};
use crate::dialect::{AnswerKind, Dialect, Lifetime, StatusMeaning};
use crate::robots::BodyFlaw;

#[derive(Clone, Copy)]
struct Resolver<'k> {
    hops: &'k Hops,
    dialect: &'static Dialect,
}

/// The resolved answer of an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    pub state: OriginState,
    pub rules: StoredRules,
    /// The statuses of the answers that decide.
    pub statuses: FinalStatuses,
}

/// The statuses at the ends of an origin's redirects. A chain longer than the dialect follows has the status of an
/// answer with the same meaning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FinalStatuses {
    /// The status of the last answer.
    pub last: Option<u16>,
    /// The status of the last good answer, if there is one and the last answer is not a verdict.
    pub last_good: Option<u16>,
}

/// The status of an answer that means that there is no robots.txt.
const NOT_FOUND: u16 = 404;

impl Resolved {
    /// The origin whose robots.txt has these answers; `known` returns those of another URL.
    pub fn of(kept: &UrlAnswers, dialect: &'static Dialect, known: impl FnMut(&str) -> Option<UrlAnswers>) -> Resolved {
        // The last good answer may be as many redirects away from the last URL of a chain.
        let hops = Hops::from(kept, 2 * (usize::from(dialect.redirects.hops) + 1), known);
        Resolver { hops: &hops, dialect }.resolve(kept)
    }

    /// An origin whose robots.txt was never requested.
    fn unfetched() -> Resolved {
        let (rules, statuses) = Default::default();
        Resolved { state: OriginState::unfetched(), rules, statuses }
    }
}

/// The redirects from an answer, followed to their end.
struct RedirectChain<'k> {
    visited: Vec<&'k UrlAnswers>,
    times: Times,
    origin_status: OriginStatus,
    /// The answer at the end, if there is one.
    end: Option<&'k StoredAnswer>,
}

impl RedirectChain<'_> {
    fn status(&self) -> Option<u16> {
        let too_long = (self.origin_status == OriginStatus::Unavailable).then_some(NOT_FOUND);
        self.end.map_or(too_long, |end| end.status)
    }
}

impl<'k> Resolver<'k> {
    /// Resolves the origin whose robots.txt has these answers.
    fn resolve(&self, kept: &'k UrlAnswers) -> Resolved {
        let Some(newest) = kept.newest() else { return Resolved::unfetched() };
        let way = self.follow(kept, newest);
        let statuses = FinalStatuses { last: way.status(), last_good: None };
        let RedirectChain { visited, times, origin_status, end } = way;
        let answered = Answered {
            status: newest.status,
            fetched_at: times.fetched_at,
            expires: times.expires,
            unreachable_since: None,
        };
        let mut resolved = Resolved {
            state: OriginState::new(origin_status, answered),
            rules: end.map(StoredAnswer::rules).unwrap_or_default(),
            statuses,
        };
        if origin_status.is_definite() {
            resolved.state.html_page = end.is_some_and(|end| end.kind == AnswerKind::HtmlPage);
            return resolved;
        }
        let chain: Vec<&UrlAnswers> = [kept].into_iter().chain(visited).collect();
        let good = self.last_good(&chain);
        if origin_status.is_unreachable() {
            let failures = chain[chain.len() - 1].failures();
            let since = failures.since(good.as_ref().and_then(|good| good.times.fetched_at));
            resolved.state.answered.unreachable_since = since.filter(|_| since != times.fetched_at);
        }
        if let Some(way) = good {
            resolved.statuses.last_good = way.status();
            let RedirectChain { times, origin_status, end, .. } = way;
            resolved.state.last_good = Some(LastGood { origin_status, times });
            resolved.state.html_page = end.is_some_and(|end| end.kind == AnswerKind::HtmlPage);
            resolved.rules = end.map(StoredAnswer::rules).unwrap_or_default();
        }
        resolved
    }

    /// Follows the redirects of an answer at a URL to their end.
    fn follow(&self, kept: &'k UrlAnswers, answer: &'k StoredAnswer) -> RedirectChain<'k> {
        self.follow_within(self.dialect.redirects.hops, kept, answer)
    }

    fn follow_within(&self, hops: u8, at: &'k UrlAnswers, answer: &'k StoredAnswer) -> RedirectChain<'k> {
        let ended = |times, origin_status, end| RedirectChain { visited: Vec::new(), times, origin_status, end };
        if answer.kind != AnswerKind::Redirect {
            let (by, origin_status, end) = self.meaning(hops, at, answer);
            return ended(by.times(), origin_status, Some(end));
        }
        let target = answer.target().and_then(|url| self.hops.get(url));
        let Some((target, newest)) = target.and_then(|target| Some((target, target.newest()?))) else {
            return ended(answer.times(), OriginStatus::RedirectUnresolved, None);
        };
        let mut way = match (hops.checked_sub(1), self.dialect.redirects.beyond) {
            (Some(hops), _) => self.follow_within(hops, target, newest),
            (None, StatusMeaning::Unavailable) => ended(answer.times(), OriginStatus::Unavailable, None),
            (None, _) => ended(answer.times(), OriginStatus::RedirectUnresolved, None),
        };
        way.visited.insert(0, target);
        way.times = together(answer.times(), way.times, self.dialect);
        way
    }

    /// The meaning of an answer at a URL that is no redirect: the answer whose times count, the status, and the answer whose
    /// rules count.
    fn meaning(
        &self,
        hops: u8,
        at: &'k UrlAnswers,
        answer: &'k StoredAnswer,
    ) -> (&'k StoredAnswer, OriginStatus, &'k StoredAnswer) {
        let confirming = at.of_kind(AnswerKind::NotModified);
        if let Some(confirming) = confirming
            && answer.fetched_at <= confirming.fetched_at
            && let Some(file) = self.confirmed(hops, at, confirming)
            && (answer == confirming || answer == file)
        {
            return (confirming, OriginStatus::RobotsTxt, file);
        }
        (answer, status_alone(answer.kind, answer.status, answer.flaw, self.dialect), answer)
    }

    /// The file that a 304 of a URL confirms: the newest one before it that the URL served or redirected to, whatever else came
    /// between (RFC 9110 15.4.5: the crawler has it).
    fn confirmed(&self, hops: u8, at: &'k UrlAnswers, confirming: &'k StoredAnswer) -> Option<&'k StoredAnswer> {
        let is_before = |answer: &&StoredAnswer| answer.fetched_at <= confirming.fetched_at;
        let is_file = |answer: &&StoredAnswer| answer.kind.has_rules() || answer.kind == AnswerKind::Redirect;
        let mut earlier: Vec<&StoredAnswer> = at.answers().iter().filter(is_file).filter(is_before).collect();
        earlier.sort_by_key(|answer| Reverse(answer.precedence()));
        earlier.into_iter().find_map(|answer| match answer.kind {
            AnswerKind::Redirect => {
                let way = self.follow_within(hops.checked_sub(1)?, at, answer);
                way.end.filter(|_| way.origin_status == OriginStatus::RobotsTxt)
            }
            _ => Some(answer),
        })
    }

    /// The newest good answer at the URLs of a chain whose newest answers yield no verdict.
    fn last_good(&self, chain: &[&'k UrlAnswers]) -> Option<RedirectChain<'k>> {
        let answers = chain.iter().flat_map(|kept| kept.answers().iter().map(|answer| (*kept, answer)));
        let earlier = answers.filter(|(kept, answer)| match answer.kind {
            AnswerKind::RobotsTxt | AnswerKind::HtmlPage | AnswerKind::Redirect => true,
            // A 304 after it says that there is a robots.txt; the 304 itself is not before it.
            _ => kept.of_kind(AnswerKind::NotModified).is_none_or(|later| later.precedence() < answer.precedence()),
        });
        let ways = earlier.map(|(kept, answer)| (self.follow(kept, answer), (answer.exact, answer.kind)));
        let good = ways.filter(|(way, _)| way.origin_status.is_definite());
        good.max_by_key(|(way, in_a_tie)| (way.times.fetched_at, *in_a_tie)).map(|(way, _)| way)
    }
}

/// The meaning of a single answer under a dialect; a redirect counts as unresolved.
pub(crate) fn status_alone(
    kind: AnswerKind,
    status: Option<u16>,
    flaw: Option<BodyFlaw>,
    dialect: &Dialect,
) -> OriginStatus {
    match kind {
        AnswerKind::RobotsTxt | AnswerKind::HtmlPage => OriginStatus::RobotsTxt,
        AnswerKind::NotModified => OriginStatus::NotModified,
        AnswerKind::Redirect => OriginStatus::RedirectUnresolved,
        AnswerKind::Failed if flaw == Some(BodyFlaw::Incomplete) => OriginStatus::Incomplete,
        AnswerKind::Failed if flaw == Some(BodyFlaw::NotText) => OriginStatus::NotText,
        _ => match dialect.status_meaning(status.unwrap_or(0)) {
            StatusMeaning::Unavailable => OriginStatus::Unavailable,
            StatusMeaning::Forbidden => OriginStatus::Forbidden,
            _ => OriginStatus::Unreachable,
        },
    }
}

/// The times of two answers together: of the older one, and of the one that expires first.
fn together(one: Times, other: Times, dialect: &Dialect) -> Times {
    let lifetime = Lifetime { expires_header: true, ..dialect.lifetime };
    let expires = match (one.expires, other.expires) {
        (None, None) => None,
        // One without `Expires` ends with its lifetime, if its time is known.
        _ => one.until(lifetime).zip(other.until(lifetime)).map(|(one, other)| one.min(other)),
    };
    Times { fetched_at: one.fetched_at.min(other.fetched_at), expires }
}

/// The redirect chain from a URL, in order, with the answers of each URL.
#[derive(Debug, Default)]
struct Hops(Vec<(String, UrlAnswers)>);

impl Hops {
    /// Follows the redirects of a URL through the known answers, to at most `most` URLs.
    fn from(kept: &UrlAnswers, most: usize, mut known: impl FnMut(&str) -> Option<UrlAnswers>) -> Hops {
        let mut hops = Hops::default();
        let target = |kept: &UrlAnswers| Some(kept.of_kind(AnswerKind::Redirect)?.target()?.to_owned());
        let mut next = target(kept);
        while let Some(url) = next.take().filter(|url| hops.0.len() < most && hops.get(url).is_none())
            && let Some(kept) = known(&url)
        {
            next = target(&kept);
            hops.0.push((url, kept));
        }
        hops
    }

    /// The answers of a URL, if it is one of them.
    fn get(&self, url: &str) -> Option<&UrlAnswers> {
        self.0.iter().find(|(hop, _)| hop == url).map(|(_, kept)| kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::url_answers::Content;

    fn redirect(target: &str) -> UrlAnswers {
        let content = Content::Target(Some(target.into()));
        let (kind, exact, status, flaw) = (AnswerKind::Redirect, true, Some(301), None);
        let answer = StoredAnswer { kind, exact, status, flaw, fetched_at: None, expires: None, content, notes: None };
        UrlAnswers::of([answer].into_iter().collect(), Default::default())
    }

    /// Where the dialect knows no `Expires`, what has one tells of it all the same.
    #[test]
    fn the_answers_on_a_way_expire_with_the_first_of_them() {
        for dialect in Dialect::ALL {
            let lifetime = dialect.lifetime.seconds as i64;
            let oldest = |answers: &[(Option<i64>, Option<i64>)]| {
                let times = answers.iter().map(|&(fetched_at, expires)| Times { fetched_at, expires });
                let oldest = times.reduce(|one, other| together(one, other, dialect)).unwrap();
                (oldest.fetched_at, oldest.expires)
            };
            assert_eq!(oldest(&[(Some(1), Some(9))]), (Some(1), Some(9)));
            assert_eq!(oldest(&[(Some(3), Some(9)), (Some(2), Some(8)), (Some(4), Some(10))]), (Some(2), Some(8)));
            assert_eq!(oldest(&[(Some(3), None), (Some(2), None)]), (Some(2), None));
            assert_eq!(oldest(&[(Some(3), Some(i64::MAX)), (Some(2), None)]), (Some(2), Some(2 + lifetime)));
            assert_eq!(oldest(&[(Some(3), Some(9)), (None, None)]), (None, None), "of no known time");
        }
    }

    #[test]
    fn redirects_are_followed_to_their_end_into_a_loop_or_so_far() {
        let next = |url: &str| url.parse::<u32>().ok().filter(|&number| number < 9).map(|number| number + 1);
        let chain = Hops::from(&redirect("1"), 100, |url| Some(redirect(&next(url)?.to_string())));
        assert_eq!(chain.0.iter().map(|(url, _)| url.as_str()).collect::<String>(), "12345678");
        assert!(chain.get("8").is_some() && chain.get("9").is_none() && chain.get("0").is_none());
        let round = Hops::from(&redirect("1"), 100, |url| Some(redirect(if url == "1" { "2" } else { "1" })));
        assert_eq!(round.0.len(), 2);
        let far = Hops::from(&redirect("1"), 5, |url| Some(redirect(&(url.parse::<u32>().ok()? + 1).to_string())));
        assert_eq!(far.0.len(), 5);
        assert_eq!(Hops::from(&UrlAnswers::default(), 5, |_| unreachable!("nothing leads on")).0.len(), 0);
    }
}
