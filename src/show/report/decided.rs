//! The section about who decided on the lines: the sites, the operator's choices, or the operator's overrides.

use std::cmp::Reverse;

use super::crawlers::{crawlers, heading};
use super::facts::Report;
use super::html::{Cell, caption, number, paragraph, section, source, table};
use super::meanings::reason_meaning;
use crate::formats::time;
use crate::judge::choices::{Choices, Fallback, MaxAge};
use crate::outcome::{Partition, Reason};
use crate::output::receipt::PartitionPart;
use crate::policy::{OverrideState, Ruling};

/// Who decided on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Authority {
    /// The site, by its robots.txt or by having none.
    Site,
    /// A choice of the operator: as the receipt names it, with its value.
    Choice(String),
    /// An override of the operator.
    Override,
    /// Nobody: it has no valid URL.
    Nobody,
}

impl Authority {
    /// Who put lines into a partition for a reason.
    fn of(partition: Partition, reason: Reason, choices: &Choices) -> Authority {
        let choice = |name: &str, fallback: Fallback| Authority::Choice(format!("{name} {}", fallback.name()));
        match reason {
            _ if partition == Partition::Invalid => Authority::Nobody,
            Reason::Override | Reason::Paused => Authority::Override,
            Reason::Unfetched => choice("on-unfetched", choices.on_unfetched),
            Reason::Unreachable
            | Reason::RedirectUnresolved
            | Reason::Incomplete
            | Reason::NotText
            | Reason::NotModified => Authority::of_failure(partition, reason, choices),
            Reason::LastGood => choice("on-unreachable", choices.on_unreachable),
            Reason::LongUnreachable => {
                let seconds = choices.unreachable_as_unavailable.unwrap_or_default();
                Authority::Choice(format!("unreachable-as-unavailable {seconds}"))
            }
            Reason::HtmlPage => choice("on-html", choices.on_html),
            Reason::Stale => {
                let age = match choices.max_age {
                    Some(MaxAge::Seconds(seconds)) => format!("max-age {seconds}"),
                    _ => "max-age of the dialect".to_owned(),
                };
                Authority::Choice(format!("on-stale {}, {age}", choices.on_stale.name()))
            }
            Reason::Preference => Authority::Choice(format!("require {}", choices.require)),
            Reason::Unavailable if partition != Partition::Allowed => Authority::Choice(statuses(partition, choices)),
            Reason::Forbidden if partition != Partition::Blocked => Authority::Choice(statuses(partition, choices)),
            _ => Authority::Site,
        }
    }

    /// Who put lines into a partition because a robots.txt could not be had. Where a status has a meaning of its own, only the policy
    /// knows which of the two it was.
    fn of_failure(partition: Partition, reason: Reason, choices: &Choices) -> Authority {
        let fallback = choices.on_unreachable;
        let is_by_fallback = fallback.partition().unwrap_or(Partition::Deferred) == partition;
        let by_fallback = is_by_fallback.then(|| format!("on-unreachable {}", fallback.name()));
        let by_status = Some(statuses(partition, choices)).filter(|_| reason == Reason::Unreachable);
        let by_status = by_status.filter(|statuses| statuses.contains('='));
        let both: Vec<String> = by_fallback.into_iter().chain(by_status).collect();
        Authority::Choice(both.join(" or "))
    }
}

/// The statuses that mean a partition, as the operator chose.
fn statuses(partition: Partition, choices: &Choices) -> String {
    let of = |(status, meaning): (String, Fallback)| {
        (meaning.partition() == Some(partition)).then(|| format!("{status}={}", meaning.name()))
    };
    format!("statuses {}", choices.statuses.iter().filter_map(of).collect::<Vec<_>>().join(","))
}

/// The section of the page.
pub(super) fn decided(report: &Report) -> String {
    let mut content = String::new();
    for (agent, parts) in crawlers(&report.receipt) {
        content.push_str(&heading(&report.receipt, &agent));
        content.push_str(&authorities(report, &parts));
    }
    if report.receipt.www_fallbacks > 0 {
        let lines = number(report.receipt.www_fallbacks);
        content.push_str(&paragraph(&format!(
            "{lines} times a line was judged by its origin's sibling with or without www., by the choice www-fallback."
        )));
    }
    content.push_str(&source("From the receipt; choices are named as under Options, and include the defaults."));
    content.push_str(&overrides(report));
    section("decided", "Who decided", &content)
}

/// The lines of a crawler that each authority decided on.
#[derive(Debug, Default)]
struct Sums {
    sites: u64,
    choices: u64,
    overrides: u64,
    nobody: u64,
    /// Of reasons of a later version.
    unknown: u64,
    /// What choices and overrides decided: the partition, the choice, the reason, and the lines.
    rows: Vec<(&'static str, String, Reason, u64)>,
}

impl Sums {
    fn of(parts: &[(&'static str, PartitionPart)], choices: &Choices) -> Sums {
        let mut sums = Sums::default();
        for (name, part) in parts {
            let Some(partition) = Partition::from_name(name.as_bytes()) else { continue };
            for (reason, &lines) in &part.reasons {
                let known = Reason::from_name(reason.as_bytes());
                let authority = known.map(|reason| (Authority::of(partition, reason, choices), reason));
                let (sum, what) = match authority {
                    Some((Authority::Site, _)) => (&mut sums.sites, None),
                    Some((Authority::Choice(choice), reason)) => (&mut sums.choices, Some((choice, reason))),
                    Some((Authority::Override, reason)) => (&mut sums.overrides, Some(("override".to_owned(), reason))),
                    Some((Authority::Nobody, _)) => (&mut sums.nobody, None),
                    None => (&mut sums.unknown, None),
                };
                *sum = sum.saturating_add(lines);
                sums.rows.extend(what.map(|(what, reason)| (*name, what, reason, lines)));
            }
        }
        sums.rows.sort_by_key(|(_, _, _, lines)| Reverse(*lines));
        sums
    }
}

/// Who decided, in a few words.
pub(super) fn headline(report: &Report) -> String {
    let [(_, parts)] = &crawlers(&report.receipt)[..] else { return "each crawler has its own numbers".to_owned() };
    let Sums { sites, choices, overrides, .. } = Sums::of(parts, &report.receipt.options.choices);
    let [sites, choices, overrides] = [sites, choices, overrides].map(number);
    format!("sites {sites} lines, your choices {choices}, your overrides {overrides}")
}

/// The lines that each authority decided on for a crawler.
fn authorities(report: &Report, parts: &[(&'static str, PartitionPart)]) -> String {
    let Sums { sites, choices, overrides, nobody, unknown, rows } = Sums::of(parts, &report.receipt.options.choices);
    let [of_sites, of_choices, of_overrides, of_nobody] = [sites, choices, overrides, nobody].map(number);
    let told = format!(
        "Sites decided {of_sites} lines by their robots.txt or by having none, your choices {of_choices}, your overrides \
         {of_overrides}; {of_nobody} have no valid URL."
    );
    let unknown = (unknown > 0).then(|| format!(" Of {} lines the reason is unknown.", number(unknown)));
    let told = told + &unknown.unwrap_or_default();
    let all = report.receipt.input.lines;
    let rows = rows.into_iter().map(|(name, what, reason, lines)| {
        let outcome = Cell::Outcome(name, reason.name().to_owned(), reason_meaning(reason));
        [Cell::Code(what), outcome, Cell::Number(lines), Cell::Share(lines, all)]
    });
    paragraph(&told) + &table("Choices and overrides by lines", &["choice", "outcome", "lines", "of all lines"], rows)
}

/// The overrides that decided on the most lines.
fn overrides(report: &Report) -> String {
    let Some(explained) = &report.explained else {
        return paragraph(
            "Which overrides they were, and lines judged by an override with a robots.txt of its own, are not in the \
             receipt: give the policy of the run to see them.",
        );
    };
    let Some(lines) = explained.lines.first().map(|lines| &lines.overridden) else { return String::new() };
    if lines.len() == 0 {
        return paragraph("No override of the policy decides on a line of this run.");
    }
    let caption = caption("Overrides by the lines of their origins", lines.len(), report.most, lines.error());
    let rows = lines.most_frequent(report.most).into_iter().map(|(origin, lines, state)| {
        let all = report.receipt.input.lines;
        let given = words(state.operator_override, report.receipt.options.choices.now);
        [Cell::Origin(origin.clone(), String::new()), Cell::Words(given), Cell::Number(lines), Cell::Share(lines, all)]
    });
    table(&caption, &["origin", "override", "lines", "of all lines"], rows)
        + &source("Overrides are of the policy; lines are those of the run, read again.")
}

/// An override at a time.
fn words(given: OverrideState, now: i64) -> String {
    match (given.paused_until.filter(|until| now < *until), given.ruling) {
        (Some(until), _) => format!("paused until {}", time(until)),
        (None, ruling) => ruling.map(Ruling::name).unwrap_or_default().to_owned(),
    }
}
