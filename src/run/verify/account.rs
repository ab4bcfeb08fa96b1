//! Reads a receipt, and checks whether it is consistent, before any other file is read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use crate::error::run::{Error, ErrorKind};
use crate::formats::error::json_problem;
use crate::formats::{seekable, shown};
use crate::judge::tally::{LINE_HASH, Tally};
use crate::outcome::Partition;
use crate::output::folder::{RECEIPT, is_file_of_run};
use crate::output::receipt::{FilePart, LeftOutPart, Part, PartitionPart, Receipt};
use crate::run::balance;

/// The contradictions in a receipt, in sentences.
pub(crate) fn contradictions(receipt: &Receipt) -> Vec<String> {
    let mut found: Vec<String> = unexpected_names(receipt).into_iter().collect();
    found.extend(contradictions_of_partitions(receipt));
    found.extend(contradictions_of_parts(receipt));
    if receipt.lists.iter().map(|list| list.skipped.len() as u64).sum::<u64>() != receipt.skipped {
        found.push("the skipped parts of the lists do not add up".to_owned());
    }
    if receipt.options.shard.is_some() && !receipt.shards.is_empty() {
        found.push("a shard must not contain shards".to_owned());
    }
    if receipt.balanced != Some(true) {
        found.push("it does not state that the run was balanced".to_owned());
    }
    found
}

/// The contradictions between the partitions of each crawler and the input.
fn contradictions_of_partitions(receipt: &Receipt) -> Vec<String> {
    let mut found = Vec::new();
    let left_out = receipt.left_out();
    for (crawler, partitions) in by_crawler(receipt) {
        let whom = if crawler.is_empty() { String::new() } else { format!(" of {crawler}") };
        let judged = partitions.iter().map(|(_, part)| part.judged);
        let parts: Vec<Tally> =
            judged.chain(left_out.iter().filter_map(|left_out| left_out.part)).map(|part| part.tally()).collect();
        if let Some(difference) = balance::difference(&receipt.input.tally(), receipt.added_line_feeds, &parts) {
            let there = left_out.iter().filter(|left_out| left_out.part.is_some());
            let others: String = there.map(|left_out| format!(" and {}", left_out.lines)).collect();
            found.push(format!("the partitions{whom}{others} do not add up to the input: {difference}"));
        }
        for (name, part) in partitions {
            if part.reasons.values().sum::<u64>() != part.judged.lines {
                found.push(format!("the reasons of {name} do not add up to its lines"));
            }
            if part.written.is_some_and(|written| written != part.judged) {
                found.push(format!("the lines written to {name} are not those read"));
            }
        }
    }
    found
}

/// The contradictions between what is said of the run, and of its files and lists.
fn contradictions_of_parts(receipt: &Receipt) -> Vec<String> {
    let mut found = Vec::new();
    for (name, lines, files) in written(receipt) {
        let unexpected = files.iter().find(|file| receipt.shards.is_empty() && !is_file_of_run(&file.name));
        found.extend(unexpected.map(|file| format!("no run writes a file named {:?}", file.name)));
        if let Some(difference) = lines.difference(&appended(files.iter().map(|file| &file.lines))) {
            found.push(format!("the files of {name} do not add up to it: {difference}"));
        }
    }
    let inputs = appended(receipt.lists.iter().map(|list| &list.input));
    if let Some(difference) = receipt.input.difference(&inputs) {
        found.push(format!("the lists do not add up to the input: {difference}"));
    }
    for LeftOutPart { lines, part, of_list, is_asked } in &receipt.left_out() {
        let of_lists: Vec<Part> = receipt.lists.iter().filter_map(of_list).collect();
        if let Some(difference) = part.unwrap_or_default().difference(&appended(of_lists.iter())) {
            found.push(format!("the {lines} of the lists do not add up to those of the run: {difference}"));
        }
        if part.is_some() && !is_asked {
            found.push(format!("{lines} were left out, but the options do not ask for that"));
        }
    }
    found.extend(changes_problem(receipt));
    for (name, part) in &receipt.partitions {
        let of_lists = appended(receipt.lists.iter().filter_map(|list| list.partitions.get(name)));
        if let Some(difference) = part.judged.difference(&of_lists) {
            found.push(format!("the lines of {name} in the lists do not add up to it: {difference}"));
        }
    }
    found
}

/// The problem of partitions, of the run or of a list, that are not those of its crawlers. Under any other name they would not be
/// checked.
fn unexpected_names(receipt: &Receipt) -> Option<String> {
    let names = receipt.splits().partitions();
    let wanted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let differ = |whose: &str, found: BTreeSet<&str>| {
        let missing = wanted.difference(&found).next().map(|name| format!("{name} is missing"));
        let unexpected = || found.difference(&wanted).next().map(|name| format!("{name:?} is not one of them"));
        missing.or_else(unexpected).map(|what| format!("the partitions{whose} are not those of its crawlers: {what}"))
    };
    let of_lists = receipt.lists.iter().find_map(|list| {
        let found = list.partitions.keys().map(String::as_str).collect();
        differ(&format!(" of the list {}", list.path), found)
    });
    differ("", receipt.partitions.keys().map(String::as_str).collect()).or(of_lists)
}

/// The parts that must have been written, by the lines that were read, and the files that should hold them.
fn written(receipt: &Receipt) -> Vec<(&str, Part, &[FilePart])> {
    match receipt.options.form.is_whole() {
        false => {
            let of_run: BTreeSet<String> = written_partitions(receipt).into_iter().collect();
            let written = receipt.partitions.iter().filter(|(name, _)| of_run.contains(*name));
            written.map(|(name, part)| (name.as_str(), part.judged, &part.files[..])).collect()
        }
        true => {
            vec![("verdicts", judged(receipt), receipt.verdicts.as_ref().map_or(&[], |verdicts| &verdicts.files))]
        }
    }
}

/// The judged lines, as they must be in one file: the input without those left out. The order checksum of the rest does not follow
/// from those of the input and of the lines left out, so the one that was written is taken.
fn judged(receipt: &Receipt) -> Part {
    let input = Tally { bytes: receipt.input.bytes.wrapping_add(receipt.added_line_feeds), ..receipt.input.tally() };
    let left_out: Vec<Tally> =
        receipt.left_out().iter().filter_map(|left_out| left_out.part).map(|part| part.tally()).collect();
    if left_out.is_empty() {
        return Part::of(&input, true);
    }
    let order = receipt.verdicts.as_ref().map_or(0, |verdicts| verdicts.written.tally().order);
    let without = |rest: Tally, out: &Tally| Tally {
        lines: rest.lines.wrapping_sub(out.lines),
        bytes: rest.bytes.wrapping_sub(out.bytes),
        sum: rest.sum.wrapping_sub(out.sum),
        order,
    };
    Part::of(&left_out.iter().fold(input, without), true)
}

/// The names of the partitions with files: those by the policy of the run.
fn written_partitions(receipt: &Receipt) -> Vec<String> {
    let splits = receipt.splits();
    let mut names = splits.partitions();
    names.truncate(Partition::COUNT * splits.by_one_policy());
    names
}

/// How the changes contradict the partitions by both policies: those that a partition lost and won are the difference between its
/// lines by one and by the other.
fn changes_problem(receipt: &Receipt) -> Option<String> {
    let splits = receipt.splits();
    if receipt.changes.is_some() != splits.is_compared() {
        return Some("it does not have the changes that its options ask for".to_owned());
    }
    let changes = receipt.changes.as_ref()?;
    let names = splits.partitions();
    let (now, was) = names.split_at(names.len() / 2);
    let known: BTreeMap<String, [usize; 2]> = splits.changes().into_iter().collect();
    let mut balance = vec![0; now.len()];
    for (name, &lines) in changes {
        let Some(&[was, now]) = known.get(name) else {
            return Some(format!("{name:?} is not a change between its partitions"));
        };
        balance[now] += i128::from(lines);
        balance[was] -= i128::from(lines);
    }
    let lines = |name: &String| receipt.partitions.get(name).map_or(0, |part| i128::from(part.judged.lines));
    let all = now.iter().zip(was).zip(balance);
    let (wrong, _) =
        all.map(|((now, was), balance)| (now, lines(now) - lines(was) != balance)).find(|(_, differs)| *differs)?;
    Some(format!("the changes do not add up to the difference between {wrong} by both policies"))
}

fn by_crawler(receipt: &Receipt) -> BTreeMap<&str, Vec<(&String, &PartitionPart)>> {
    let mut crawlers: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (name, part) in &receipt.partitions {
        let crawler = name.split_once('.').map_or("", |(_, crawler)| crawler);
        crawlers.entry(crawler).or_default().push((name, part));
    }
    crawlers
}

/// The tally of consecutive parts.
fn appended<'p>(parts: impl Iterator<Item = &'p Part>) -> Tally {
    balance::consecutive(&parts.map(Part::tally).collect::<Vec<_>>())
}

/// Reads and checks the receipt in a folder.
pub(crate) fn read_receipt(directory: &Path) -> Result<Receipt, Error> {
    read_receipt_file(&directory.join(RECEIPT))
}

/// Reads and checks the receipt at a path.
pub(crate) fn read_receipt_file(path: &Path) -> Result<Receipt, Error> {
    let bytes = seekable::ensure(path).and_then(|()| fs::read(path)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::Receipt.of(format!(
            "{} does not exist: this is not the folder of a complete run; an interrupted run has no receipt until it is complete",
            shown(path)
        )),
        _ => ErrorKind::Receipt.with_file("read", path)(error),
    })?;
    let malformed =
        |problem: String| ErrorKind::Receipt.of(format!("{} is not a receipt of robosieve: {problem}", shown(path)));
    let receipt: Receipt = serde_json::from_slice(&bytes).map_err(|error| malformed(json_problem(&error)))?;
    if receipt.line_hash != LINE_HASH {
        let (path, found, version) = (shown(path), &receipt.line_hash, &receipt.robosieve);
        return Err(ErrorKind::Receipt.of(format!(
            "{path} has checksums of another kind ({found}); verify it with robosieve {version}, which wrote it"
        )));
    }
    if receipt.agents.is_empty() {
        return Err(malformed("it names no crawler: `agents` is empty".to_owned()));
    }
    match receipt.crawlers() {
        Err(error) => Err(malformed(error.to_string())),
        Ok(_) => Ok(receipt),
    }
}
