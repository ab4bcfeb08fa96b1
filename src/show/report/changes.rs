//! The section about what changed since the run before: between two policies, and between two runs.

use std::collections::BTreeMap;

use super::facts::{Explained, Report};
use super::html::{Cell, caption, number, paragraph, section, source, table, warning};
use super::policy_changes::PolicyChanges;
use crate::show::diff::{Change, Seen};

/// What changed, in a few words.
pub(super) fn headline(report: &Report) -> String {
    let of_run = report.run_before.as_ref().and_then(|before| before.headline(&report.receipt));
    let of_policy = report.policy_changes.as_ref().map(|changes| {
        let Seen { origins, changed } = changes.seen;
        format!("{} of {} origins of the policies", number(changed), number(origins))
    });
    let of_lines = report.receipt.changes.as_ref().map(|changes| format!("{} verdicts", number(sum(changes))));
    let known: Vec<String> = of_run.into_iter().chain(of_policy).chain(of_lines).collect();
    if known.is_empty() && report.run_before.is_none() { "not known".to_owned() } else { known.join("; ") }
}

/// The lines that changed, of all kinds.
fn sum(changes: &BTreeMap<String, u64>) -> u64 {
    changes.values().fold(0, |sum, lines| sum.saturating_add(*lines))
}

/// The section of the page.
pub(super) fn changes(report: &Report) -> String {
    let mut content = String::new();
    if let Some(before) = &report.run_before {
        content.push_str(&before.compared(&report.receipt));
        if report.policy_changes.is_none() {
            let told = "Receipts count no origins: give the earlier policy, too, to see which robots.txt changed.";
            content.push_str(&paragraph(told));
        }
    }
    if let (Some(changes), Some(explained)) = (&report.policy_changes, &report.explained) {
        content.push_str(&since_policy(report, changes, explained));
    }
    if let Some(changes) = &report.receipt.changes {
        let rows = changes.iter().map(|(name, &lines)| [Cell::Code(name.clone()), Cell::Number(lines)]);
        content.push_str(&table("Lines that changed since the older policy of the run", &["change", "lines"], rows));
        let lines = sum(changes);
        let told = format!("The run itself compared two policies: {} verdicts changed.", number(lines));
        content.push_str(&(paragraph(&told) + &source("From the receipt.")));
    }
    if content.is_empty() {
        let hint = "Not known: give the receipt or the policy of the run before with --against to see it.";
        content = paragraph(hint);
    }
    section("changes", "What changed since the run before", &content)
}

/// What differs between two policies.
fn since_policy(report: &Report, changes: &PolicyChanges, explained: &Explained) -> String {
    let Seen { origins, changed } = changes.seen;
    let mut content =
        paragraph(&format!("Of {} origins in either policy, {} changed.", number(origins), number(changed)));
    if !explained.is_same {
        let told = "The policy given as that of the run is another, so this may not be what changed for the run.";
        content.push_str(&warning(told));
    }
    let name = |crawler: u16| changes.names.get(usize::from(crawler)).cloned().unwrap_or_default();
    let rows = changes.counts.iter().map(|(&(crawler, change), &origins)| {
        [Cell::Words(name(crawler)), Cell::Term(change.name().to_owned(), meaning(change)), Cell::Number(origins)]
    });
    content.push_str(&table("Changed origins", &["crawler", "change", "origins"], rows));
    let error = explained.lines.iter().map(|lines| lines.costs.error()).sum();
    let caption = caption(
        "Changes, those of the most blocked or deferred lines first",
        changes.changes as usize,
        report.most,
        error,
    );
    // One crawler needs no column.
    let crawlers = usize::from(changes.names.len() > 1);
    let rows = changes.first.iter().map(|changed| {
        let names = changed.crawlers.iter().map(|&crawler| name(crawler)).collect::<Vec<_>>().join(", ");
        let change = Cell::Term(changed.change.0.name().to_owned(), meaning(changed.change.0));
        let origin = Cell::Origin(changed.origin.0.clone(), String::new());
        let cells = [origin, change, Cell::Number(changed.lines), Cell::Code(changed.example.clone())];
        cells.into_iter().chain([Cell::Words(names)]).take(4 + crawlers)
    });
    content.push_str(&table(&caption, &["origin", "change", "lines", "for example", "crawlers"], rows));
    let told = "From both policies, by the choices of the run, as diff compares them; lines are those of this run that are blocked or \
                deferred now, once for each crawler. filter --against counts the lines whose verdict changed.";
    content + &source(told)
}

/// The meaning of a change.
fn meaning(change: Change) -> &'static str {
    match change {
        Change::Came => "the origin is in the newer policy only",
        Change::Went => "the origin is in the older policy only",
        Change::NowDeferred => "there was a verdict on each path, and now there is none",
        Change::WasDeferred => "there was no verdict, and now there is one on each path",
        Change::NowBlocked => "paths are blocked that were allowed",
        Change::NowAllowed => "paths are allowed that were blocked",
        Change::Both => "some paths are blocked that were allowed, and others are allowed that were blocked",
        Change::Undecided => "the rules differ, but are too intricate to find a path with another verdict",
        Change::Status => "the origin has another status, but no path can tell",
        Change::Group => "another group applies, but no path can tell",
        Change::Rewritten => "the rules are written otherwise, but no path can tell",
        Change::Preferences => "something else is said about uses of a page",
        Change::PreferencesUndecided => "the lines about uses differ, but are too intricate to compare",
    }
}
