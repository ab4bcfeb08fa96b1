//! A plain reading of a list of answers: what an origin comes to. It keeps all answers, and asks again for everything.

use robosieve::internals::Axes;
use robosieve::internals::dialect::StatusMeaning;
use robosieve::internals::policy::{FinalStatuses, LastGood, OriginState, OverrideState, Times};
use robosieve::policy::{Answered, Capture, OriginStatus};
use robosieve::{BodyFlaw, Dialect};

const MONTH: i64 = 30 * 86_400;

/// What is at the end of redirects.
#[derive(Debug, Clone)]
struct End<'a> {
    status: OriginStatus,
    answer: Option<&'a Capture>,
    page: bool,
    times: Vec<Times>,
    /// The URLs on the way.
    urls: Vec<String>,
}

/// The newest answer of each kind, the newest first: an older redirect, for example, is forgotten.
fn kept<'a>(answers: &'a [Capture], url: &str) -> Vec<&'a Capture> {
    let mut all: Vec<&Capture> = answers.iter().filter(|answer| answer.url == url).collect();
    all.sort_by_key(|answer| std::cmp::Reverse(order(answer)));
    let mut kinds = Vec::new();
    all.retain(|answer| {
        let is_first = !kinds.contains(&kind(answer));
        kinds.push(kind(answer));
        is_first
    });
    all
}

/// What makes an answer the newest: its time, in a tie an exact name, then the kind.
fn order(answer: &Capture) -> (Option<i64>, bool, usize) {
    let kind = KINDS.iter().position(|&name| name == kind(answer)).unwrap();
    (answer.answered.fetched_at, answer.exact, kind)
}

fn is_page(answer: &Capture) -> bool {
    answer.body.as_deref().is_some_and(|body| body.starts_with(b"<!"))
}

fn is_image(answer: &Capture) -> bool {
    answer.body.as_deref().is_some_and(|body| body.starts_with(b"GIF89a"))
}
/// What counts in a tie: the later kind.
const KINDS: [&str; 9] = ["4xx", "refused", "408", "429", "3xx", "304", "failed", "page", "file"];

pub fn kind(answer: &Capture) -> &'static str {
    match answer.answered.status {
        Some(200..=299) if answer.flaw.is_some() || is_image(answer) => "failed",
        Some(200..=299) if is_page(answer) => "page",
        Some(200..=299) => "file",
        Some(304) => "304",
        Some(300..=399) => "3xx",
        Some(401 | 403) => "refused",
        Some(408 | 425) => "408",
        Some(429) => "429",
        Some(400..=499) => "4xx",
        _ => "failed",
    }
}

fn times(answer: &Capture) -> Times {
    Times { fetched_at: answer.answered.fetched_at, expires: answer.answered.expires }
}

/// The file that the newest 304 of a URL confirms, and that 304.
fn confirmed<'a>(answers: &'a [Capture], url: &str, hops: u8, dialect: &Dialect) -> Option<(&'a Capture, &'a Capture)> {
    let kept = kept(answers, url);
    let confirming = *kept.iter().find(|answer| kind(answer) == "304")?;
    for earlier in kept.iter().filter(|earlier| earlier.answered.fetched_at <= confirming.answered.fetched_at) {
        match kind(earlier) {
            "file" | "page" => return Some((earlier, confirming)),
            "3xx" if hops > 0 => {
                let end = follow(answers, earlier, hops - 1, dialect);
                if let Some(file) = end.answer.filter(|_| end.status == OriginStatus::RobotsTxt) {
                    return Some((file, confirming));
                }
            }
            _ => {}
        }
    }
    None
}

fn follow<'a>(answers: &'a [Capture], answer: &'a Capture, hops: u8, dialect: &Dialect) -> End<'a> {
    let (mut answer, mut so_far, mut urls) = (answer, Vec::new(), Vec::new());
    for left in (0..=hops).rev() {
        if kind(answer) != "3xx" {
            let confirmed = confirmed(answers, &answer.url, left, dialect);
            let is_meant = |(file, by): &(&Capture, &Capture)| {
                answer == *by || answer == *file && answer.answered.fetched_at <= by.answered.fetched_at
            };
            let (status, answer, by) = match confirmed.filter(is_meant) {
                Some((file, by)) => (OriginStatus::RobotsTxt, file, by),
                None => (status(answer, dialect), answer, answer),
            };
            so_far.push(times(by));
            return End { status, answer: Some(answer), page: kind(answer) == "page", times: so_far, urls };
        }
        so_far.push(times(answer));
        let target = answer.location.as_deref().and_then(|url| kept(answers, url).first().copied());
        let Some(target) = target else {
            return End { status: OriginStatus::RedirectUnresolved, answer: None, page: false, times: so_far, urls };
        };
        urls.push(target.url.clone());
        answer = target;
    }
    let status = match dialect.redirects().beyond {
        StatusMeaning::Unavailable => OriginStatus::Unavailable,
        _ => OriginStatus::RedirectUnresolved,
    };
    End { status, answer: None, page: false, times: so_far, urls }
}

/// The status at the end of redirects; of too many, the one with the same meaning.
fn last_status(end: &End<'_>) -> Option<u16> {
    match end.answer {
        Some(answer) => answer.answered.status,
        None => Some(404).filter(|_| end.status == OriginStatus::Unavailable),
    }
}

fn status(answer: &Capture, dialect: &Dialect) -> OriginStatus {
    match kind(answer) {
        "file" | "page" => OriginStatus::RobotsTxt,
        "failed" if answer.flaw == Some(BodyFlaw::Incomplete) => OriginStatus::Incomplete,
        "failed" if answer.flaw.is_some() || is_image(answer) => OriginStatus::NotText,
        "failed" => OriginStatus::Unreachable,
        "304" => OriginStatus::NotModified,
        _ => match dialect.status_meaning(answer.answered.status.unwrap()) {
            StatusMeaning::Unavailable => OriginStatus::Unavailable,
            StatusMeaning::Forbidden => OriginStatus::Forbidden,
            _ => OriginStatus::Unreachable,
        },
    }
}

/// The age of the oldest hop.
fn oldest(hops: &[Times], dialect: &Dialect) -> Times {
    let mut lifetime = dialect.lifetime();
    lifetime.expires_header = true;
    let fetched_at = hops.iter().map(|hop| hop.fetched_at).min().flatten();
    let ends: Vec<Option<i64>> = hops.iter().map(|hop| hop.until(lifetime)).collect();
    let expires = match hops {
        [only] => only.expires,
        _ if hops.iter().all(|hop| hop.expires.is_none()) => None,
        _ => ends.iter().copied().min().flatten(),
    };
    Times { fetched_at, expires }
}

/// Whether the dialect counts an answer among failures.
fn is_failure(answer: &Capture, dialect: &Dialect) -> bool {
    matches!(kind(answer), "failed" | "408" | "429") && status(answer, dialect).is_unreachable()
}

/// The first failure after `good` from which on no month passed without one, as far as three months before the last one.
fn since(answers: &[Capture], url: &str, good: Option<i64>, dialect: &Dialect) -> Option<Option<i64>> {
    let failed = answers.iter().filter(|answer| answer.url == url && is_failure(answer, dialect));
    let mut days = Vec::new();
    for answer in failed {
        let Answered { fetched_at, unreachable_since, .. } = answer.answered;
        let Some(at) = fetched_at.or(unreachable_since) else { continue };
        let first = unreachable_since.unwrap_or(at).min(at);
        days.push(at);
        days.extend((0..).map(|month| first + month * MONTH / 2).take_while(|&day| day <= at));
        days.extend(good.map(|good| good + 1).filter(|day| (first..=at).contains(day)));
    }
    days.retain(|&day| good.is_none_or(|good| day > good));
    days.sort_unstable();
    let mut since = *days.last()?;
    for &day in days.iter().rev() {
        if since - day > MONTH {
            break;
        }
        since = day;
    }
    Some(Some(since))
}

/// The state of an origin, and the statuses of the answers that decide.
pub fn state(answers: &[Capture], origin: &str, dialect: &'static Dialect) -> (OriginState, FinalStatuses) {
    let url = format!("{origin}/robots.txt");
    let all = kept(answers, &url);
    let newest = all[0];
    let end = follow(answers, newest, dialect.redirects().hops, dialect);
    let mut statuses = FinalStatuses { last: last_status(&end), last_good: None };
    let End { status, page, times: hops, urls, .. } = end;
    let age = oldest(&hops, dialect);
    let mut state = OriginState {
        origin_status: status,
        answered: Answered::default().status(newest.answered.status).fetched_at(age.fetched_at).expires(age.expires),
        last_good: None,
        html_page: page,
        operator_override: OverrideState::default(),
    };
    if status.is_definite() {
        return (state, statuses);
    }
    let chain: Vec<String> = [url].into_iter().chain(urls).collect();
    let mut good: Option<(Times, OriginStatus, bool)> = None;
    let mut in_a_tie = (false, 0);
    for url in &chain {
        for answer in kept(answers, url).into_iter().filter(|answer| !matches!(kind(answer), "failed" | "304")) {
            let end = follow(answers, answer, dialect.redirects().hops, dialect);
            let age = oldest(&end.times, dialect);
            // A 304 after it says that there is a robots.txt.
            let refuted = !matches!(kind(answer), "file" | "page" | "3xx")
                && kept(answers, url).iter().any(|later| kind(later) == "304" && order(later) > order(answer));
            let (_, exact, rank) = order(answer);
            let is_newer = !refuted
                && good.is_none_or(|(times, ..)| (age.fetched_at, (exact, rank)) >= (times.fetched_at, in_a_tie));
            if end.status.is_definite() && is_newer {
                in_a_tie = (exact, rank);
                statuses.last_good = last_status(&end);
                good = Some((age, end.status, end.page));
            }
        }
    }
    state.html_page = false;
    if let Some((times, origin_status, page)) = good {
        state.last_good = Some(LastGood { origin_status, times });
        state.html_page = page;
    }
    if status.is_unreachable() {
        let good = good.and_then(|(times, ..)| times.fetched_at);
        let since = since(answers, chain.last().unwrap(), good, dialect).flatten();
        state.answered.unreachable_since = since.filter(|_| since != state.answered.fetched_at);
    }
    (state, statuses)
}
