//! The section about origins that are unreachable, and since when.

use super::facts::{AGES, DAY, Report, UnreachableOrigins};
use super::html::{Cell, caption, number, paragraph, section, source, status, table};
use crate::formats::time;
use crate::outcome::Reason;

/// How many origins are unreachable, in a few words.
pub(super) fn headline(report: &Report) -> String {
    match &report.explained {
        Some(explained) => {
            let UnreachableOrigins { all, first, .. } = explained.unreachable;
            let since = first.map_or_else(String::new, |first| format!(", the first since {}", time(first)));
            format!("{} origins{since}", number(all))
        }
        None => format!("{} robots.txt that lines wait for", number(waiting(report).0)),
    }
}

/// The section of the page.
pub(super) fn unreachable(report: &Report) -> String {
    let now = report.receipt.options.choices.now;
    let Some(explained) = &report.explained else { return section("unreachable", HEADING, &without_policy(report)) };
    let counts = explained.unreachable;
    let all = explained.summary.origins();
    let mut content = paragraph(&format!(
        "{} of {} origins of the policy were unreachable at {}.",
        number(counts.all),
        number(all),
        time(now)
    ));
    let ages = AGES.iter().map(|(_, words)| *words).zip(counts.ages).chain([("an unknown time", counts.unknown)]);
    let rows = ages.filter(|(_, origins)| *origins > 0);
    let rows = rows.map(|(words, origins)| [Cell::Words(words.to_owned()), Cell::Number(origins)]);
    content.push_str(&table("For how long", &["unreachable for", "origins"], rows));
    let Some(lines) = explained.lines.first().map(|lines| &lines.unreachable) else {
        return section("unreachable", HEADING, &content);
    };
    let caption = caption("Those with lines in this run", lines.len(), report.most, lines.error());
    let rows = lines.most_frequent(report.most).into_iter().map(|(origin, lines, state)| {
        let since = state.answered.failing_since();
        let since = since.map_or_else(|| "unknown".to_owned(), |since| format!("{}, {}", time(since), age(now, since)));
        let status = Cell::Words(status(state.answered.status));
        [Cell::Origin(origin.clone(), String::new()), Cell::Number(lines), Cell::Words(since), status]
    });
    content.push_str(&table(&caption, &["origin", "lines", "since", "status"], rows));
    if report.receipt.options.choices.www_fallback {
        let told = "An origin that was judged by its sibling with or without www. is shown with the times of that.";
        content.push_str(&paragraph(told));
    }
    content.push_str(&source("Times and statuses are of the policy; lines are those of the run that an override does not decide on, read again."));
    section("unreachable", HEADING, &content)
}

const HEADING: &str = "Unreachable, and since when";

/// How long ago it was, in whole days or hours.
fn age(now: i64, since: i64) -> String {
    let age = now.saturating_sub(since).max(0);
    let (number, unit) = if age >= DAY { (age / DAY, "day") } else { (age / 3600, "hour") };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

/// The unreachable ones among the robots.txt to fetch, and the lines that wait for them.
fn waiting(report: &Report) -> (u64, u64) {
    let is_failure = |reason| matches!(reason, Reason::Unreachable | Reason::Incomplete);
    let failed = report.waiting.reasons.iter().filter(|(cause, _)| is_failure(cause.reason));
    failed.fold((0, 0), |(files, lines), (_, counts)| (files + counts.origins, counts.lines.saturating_add(lines)))
}

/// What the list of robots.txt to fetch has, which has no times of earlier failures.
fn without_policy(report: &Report) -> String {
    let (files, lines) = waiting(report);
    let what = format!("{} lines wait for {} robots.txt that were unreachable.", number(lines), number(files));
    let hint = "Since when is not among the files of a run: give its policy to see it.";
    paragraph(&what) + &paragraph(hint) + &source("From robots-needed.tsv.")
}
