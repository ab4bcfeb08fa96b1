//! What changed since the run before: between two policies, and between two runs.

use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::facts::{Explained, Report};
use super::html::{Cell, number, paragraph, section, source, table, text};
use super::page::caption;
use super::run_before::{self, since_run};
use crate::policy::Policy;
use crate::show::diff::{Change, Diff, DiffError, OriginChange, Seen};

/// What changed between an earlier policy and that of the run.
#[derive(Debug, Clone)]
pub(crate) struct PolicyChanges {
    /// The names of the crawlers, by number.
    names: Vec<String>,
    seen: Seen,
    /// How many origins changed, by crawler and kind.
    counts: BTreeMap<(u16, Change), u64>,
    /// The changes; an origin has one for each that some crawlers share.
    changes: u64,
    /// The first of them, by lines of the run.
    first: Vec<ChangedOrigin>,
}

/// A change of an origin. The greatest has the most blocked and deferred lines; among equals, it is the first by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ChangedOrigin {
    lines: u64,
    origin: Reverse<String>,
    change: Reverse<Change>,
    crawlers: Vec<u16>,
    example: String,
}

impl PolicyChanges {
    /// Compares an earlier policy with that of the run, for the crawlers and by the choices of the run.
    pub fn of(was: &Policy, now: &Policy, report: &Report, explained: &Explained) -> Result<PolicyChanges, DiffError> {
        let splits = report.receipt.splits();
        let diff = Diff::comparing(was, now, splits.agents())?.choices(report.receipt.options.choices).shown(1);
        let costs: Vec<HashMap<&str, u64>> = explained.lines.iter().map(|lines| lines.by_origin()).collect();
        let mut found = PolicyChanges {
            names: diff.names(),
            seen: Seen::default(),
            counts: BTreeMap::new(),
            changes: 0,
            first: vec![],
        };
        let mut first = BinaryHeap::new();
        let Ok(seen) = diff.compare(|change| {
            change
                .crawlers()
                .iter()
                .for_each(|&crawler| *found.counts.entry((crawler, change.change())).or_default() += 1);
            found.changes += 1;
            first.push(Reverse(ChangedOrigin::of(change, &costs)));
            if first.len() > report.most {
                first.pop();
            }
            Ok::<(), std::convert::Infallible>(())
        });
        found.seen = seen;
        found.first = first.into_sorted_vec().into_iter().map(|Reverse(origin)| origin).collect();
        Ok(found)
    }
}

impl ChangedOrigin {
    /// A change, with the lines of the run by crawler and origin.
    fn of(change: &OriginChange<'_>, costs: &[HashMap<&str, u64>]) -> ChangedOrigin {
        let origin = String::from_utf8_lossy(change.origin()).into_owned();
        let lines = |&crawler: &u16| costs.get(usize::from(crawler))?.get(&*origin).copied();
        let lines = change.crawlers().iter().filter_map(lines).sum();
        let said = |said: &str| if said.is_empty() { "nothing".to_owned() } else { said.to_owned() };
        let example = match (change.differences().next(), change.statuses) {
            (Some(([], was, now)), _) => format!("{} -> {}", said(was), said(now)),
            (Some((path, was, now)), _) => format!("{}: {} -> {}", String::from_utf8_lossy(path), said(was), said(now)),
            (None, [was, now]) if was != now => {
                format!("{} -> {}", was.unwrap_or("not there"), now.unwrap_or("not there"))
            }
            _ => String::new(),
        };
        let (change, crawlers) = (Reverse(change.change()), change.crawlers().to_vec());
        ChangedOrigin { lines, origin: Reverse(origin), change, crawlers, example }
    }
}

/// What changed, in a few words.
pub(super) fn headline(report: &Report) -> String {
    let of_run = report.run_before.as_ref().and_then(|before| run_before::headline(report, before));
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
        content.push_str(&since_run(report, before));
    }
    if let (Some(changes), Some(explained)) = (&report.policy_changes, &report.explained) {
        content.push_str(&since_policy(report, changes, explained));
    }
    if let Some(changes) = &report.receipt.changes {
        let rows = changes.iter().map(|(name, &lines)| [Cell::Code(name.clone()), Cell::Number(lines)]);
        let columns = [("change", false), ("lines", true)];
        content.push_str(&table("Lines that changed since the older policy of the run", &columns, rows));
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
        let warning = "The policy given as that of the run is another, so this may not be what changed for the run.";
        content.push_str(&format!("<p class=\"warning\">{}</p>\n", text(warning)));
    }
    let name = |crawler: u16| changes.names.get(usize::from(crawler)).cloned().unwrap_or_default();
    let rows = changes.counts.iter().map(|(&(crawler, change), &origins)| {
        [Cell::Words(name(crawler)), Cell::Term(change.name().to_owned(), meaning(change)), Cell::Number(origins)]
    });
    let columns = [("crawler", false), ("change", false), ("origins", true)];
    content.push_str(&table("Changed origins", &columns, rows));
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
    let columns = [("origin", false), ("change", false), ("lines", true), ("for example", false), ("crawlers", false)];
    content.push_str(&table(&caption, &columns[..4 + crawlers], rows));
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
