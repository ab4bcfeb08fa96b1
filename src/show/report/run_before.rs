//! What changed since an earlier run, by the counts of both receipts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::crawlers::{OfPartition, crawlers, heading, options};
use super::html::{Cell, difference, paragraph, source, table};
use super::meanings::reason_meaning;
use crate::error::run::{Error, ErrorKind};
use crate::formats::{shown, time};
use crate::outcome::Reason;
use crate::output::receipt::{Part, Receipt};
use crate::robots::Agents;
use crate::run::verify::{contradictions, read_receipt, read_receipt_file};

/// An earlier run.
#[derive(Debug, Clone)]
pub(crate) struct RunBefore {
    /// The path of its receipt or its folder, as it was given.
    name: String,
    receipt: Box<Receipt>,
}

impl RunBefore {
    /// Reads the receipt of an earlier run, which is in its folder or named itself, to compare it with that of a run.
    pub fn read(path: &Path, now: &Receipt) -> Result<RunBefore, Error> {
        let receipt = if path.is_dir() { read_receipt(path)? } else { read_receipt_file(path)? };
        let problem = contradictions(&receipt).into_iter().next().or_else(|| incomparable(&receipt, now));
        if let Some(problem) = problem {
            let path = shown(path);
            return Err(ErrorKind::Receipt
                .of(format!("{path}: its receipt cannot be compared with that of the run: {problem}")));
        }
        Ok(RunBefore { name: shown(path).to_string(), receipt: Box::new(receipt) })
    }

    /// How the partitions of a run have changed, in a few words.
    pub(super) fn headline(&self, now: &Receipt) -> Option<String> {
        let was = &*self.receipt;
        let [(_, [of_was, of_now])] = &both(was, now)[..] else { return None };
        let changed = |((partition, was), (_, now)): (&OfPartition, &OfPartition)| {
            let [was, now] = [was, now].map(|part| part.judged.lines);
            (was != now).then(|| format!("{} {partition}", difference(was, now)))
        };
        let changes: Vec<String> = of_was.iter().zip(of_now).filter_map(changed).collect();
        Some(if changes.is_empty() { "as many lines in each partition".to_owned() } else { changes.join(", ") })
    }

    /// What differs between the counts of this run and a later one.
    pub(super) fn compared(&self, now: &Receipt) -> String {
        let was = &*self.receipt;
        let at = time(was.options.choices.now);
        let policy = if was.policy_checksum == now.policy_checksum { "the same policy" } else { "another policy" };
        let mut content = paragraph(&format!("The run before judged by {policy}, at {at}."));
        let rows = numbers(was).into_iter().zip(numbers(now)).filter(|((_, was), (_, now))| (*was, *now) != (0, 0));
        let rows = rows.map(|((name, was), (_, now))| {
            [Cell::Words(name.to_owned()), Cell::Number(was), Cell::Number(now), Cell::Difference(was, now)]
        });
        content.push_str(&table("Both runs in numbers", &["of the run", "before", "now", "change"], rows));
        for (name, parts) in both(was, now) {
            content.push_str(&heading(now, &name));
            content.push_str(&lines_of_both(&parts));
        }
        content.push_str(&left_out(was, now));
        let rows = differing_options(was, now).into_iter();
        let rows = rows.map(|[name, was, now]| [Cell::Words(name), Cell::Code(was), Cell::Code(now)]);
        content.push_str(&table("Options that differ", &["option", "before", "now"], rows));
        content + &source(&format!("From the receipt of this run, and that of {}.", self.name))
    }
}

/// Why the counts of two runs cannot be compared, if they cannot.
fn incomparable(was: &Receipt, now: &Receipt) -> Option<String> {
    if was.options.allowed_if != now.options.allowed_if {
        return Some("one of the two runs split lines once for all of its crawlers".to_owned());
    }
    if was.options.allowed_if.is_some() && was.agents != now.agents || both(was, now).is_empty() {
        let [was, now] = [was, now].map(|receipt| receipt.agents.join("; "));
        return Some(format!("the earlier run was for other crawlers: for {was}, and this one for {now}"));
    }
    None
}

/// The crawlers of both runs: the name, and the partitions in each.
fn both(was: &Receipt, now: &Receipt) -> Vec<(String, [Vec<OfPartition>; 2])> {
    let (of_was, all) = (was.splits(), crawlers(was));
    let earlier = |agents| Some(all[of_was.agents().iter().position(|known| known.is_same(agents))?].1.clone());
    let of_now = now.splits();
    let pairs = crawlers(now).into_iter().zip(of_now.agents());
    pairs.filter_map(|((name, parts), agents)| Some((name, [earlier(agents)?, parts]))).collect()
}

/// The numbers of a run that are not of a partition.
fn numbers(receipt: &Receipt) -> [(&'static str, u64); 8] {
    let lines = |part: Option<Part>| part.map_or(0, |part| part.lines);
    [
        ("lines read", receipt.input.lines),
        ("lists", receipt.lists.len() as u64),
        ("duplicates left out", lines(receipt.duplicates)),
        ("seen lines left out", lines(receipt.seen)),
        ("unchanged lines left out", lines(receipt.unchanged)),
        ("parts of lists skipped", receipt.skipped),
        ("origins in the policy", receipt.policy.origins),
        ("robots.txt to fetch", receipt.origins_needed.unwrap_or_default()),
    ]
}

/// The lines of a crawler's partitions and reasons in two runs.
fn lines_of_both([of_was, of_now]: &[Vec<OfPartition>; 2]) -> String {
    let mut rows = Vec::new();
    for ((partition, was), (_, now)) in of_was.iter().zip(of_now) {
        let row = |what, [was, now]: [u64; 2]| [what, Cell::Number(was), Cell::Number(now), Cell::Difference(was, now)];
        rows.push(row(Cell::Partition(partition), [was, now].map(|part| part.judged.lines)));
        let reasons: BTreeSet<_> = was.reasons.keys().chain(now.reasons.keys()).collect();
        for reason in reasons {
            let meaning = Reason::from_name(reason.as_bytes()).map_or("", reason_meaning);
            let lines = [was, now].map(|part| part.reasons.get(reason).copied().unwrap_or_default());
            if lines[0] != lines[1] {
                rows.push(row(Cell::Outcome(partition, reason.to_string(), meaning), lines));
            }
        }
    }
    table("Lines by partition, and by each reason whose number changed", &["lines", "before", "now", "change"], rows)
}

/// Names the crawlers that only one of the runs had.
fn left_out(was: &Receipt, now: &Receipt) -> String {
    let [of_was, of_now] = [was, now].map(Receipt::splits);
    let of_one = |agents: &[Agents], others: &[Agents]| {
        let is_of_one = |one: &&Agents| !others.iter().any(|other| other.is_same(one));
        agents.iter().filter(is_of_one).map(Agents::to_string).collect::<Vec<_>>().join("; ")
    };
    let [of_was, of_now] = [of_was.agents(), of_now.agents()];
    let told = [("before", of_one(of_was, of_now)), ("now", of_one(of_now, of_was))];
    let told = told.into_iter().filter(|(_, names)| !names.is_empty());
    told.map(|(when, names)| paragraph(&format!("Only the run {when} was for {names}."))).collect()
}

/// Options that do not show in the counts, or are told otherwise.
const NOT_COMPARED: [&str; 3] = ["threads", "chunk-size", "now"];

/// The options that differ, with both values; `-` where a receipt does not have one.
fn differing_options(was: &Receipt, now: &Receipt) -> Vec<[String; 3]> {
    let [was, now] = [was, now].map(|receipt| {
        let mut options = options(receipt);
        options.insert("dialect".to_owned(), receipt.dialect.to_string());
        options
    });
    let names: BTreeSet<&String> = was.keys().chain(now.keys()).collect();
    let names =
        names.into_iter().filter(|name| !NOT_COMPARED.contains(&name.as_str()) && was.get(*name) != now.get(*name));
    let value = |of: &BTreeMap<String, String>, name: &String| of.get(name).cloned().unwrap_or_else(|| "-".to_owned());
    names.map(|name| [name.clone(), value(&was, name), value(&now, name)]).collect()
}
