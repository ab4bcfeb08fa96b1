//! Whether a receipt fits together, before any file is looked at.

use std::collections::BTreeMap;

use crate::filter::form::Form;
use crate::filter::output;
use crate::filter::receipt::{FilePart, Hex, Part, PartitionPart, Receipt};
use crate::filter::tally::Tally;

/// What in the receipt does not fit together, in sentences.
pub(in crate::filter) fn contradictions(receipt: &Receipt) -> Vec<String> {
    let mut found = Vec::new();
    for (crawler, partitions) in by_crawler(receipt) {
        let whom = if crawler.is_empty() { String::new() } else { format!(" of {crawler}") };
        let parts: Vec<&Part> = partitions.iter().map(|(_, part)| &part.judged).collect();
        let wanted = Part { bytes: receipt.input.bytes + receipt.added_line_feeds, ..receipt.input };
        if let Some(difference) = difference_in_any_order(&wanted, &parts) {
            found.push(format!("the partitions{whom} do not add up to the input: {difference}"));
        }
        for (name, part) in partitions {
            if part.reasons.values().sum::<u64>() != part.judged.lines {
                found.push(format!("the reasons of {name} do not add up to its lines"));
            }
            if part.written.is_some_and(|written| written != part.judged) {
                found.push(format!("of {name}, something else was written than was read"));
            }
        }
    }
    let appended = |parts: &mut dyn Iterator<Item = &Part>| {
        let mut whole = Tally::default();
        parts.for_each(|part| whole.append(&part.tally()));
        whole
    };
    for (name, lines, files) in written(receipt) {
        let strange = files.iter().find(|file| receipt.shards.is_empty() && !output::is_file_of_run(&file.name));
        found.extend(strange.map(|file| format!("no run writes a file that is called {:?}", file.name)));
        if let Some(difference) = lines.difference(&appended(&mut files.iter().map(|file| &file.lines))) {
            found.push(format!("the files of {name} do not add up to it: {difference}"));
        }
    }
    let inputs = appended(&mut receipt.lists.iter().map(|list| &list.input));
    if let Some(difference) = receipt.input.difference(&inputs) {
        found.push(format!("the lists do not add up to the input: {difference}"));
    }
    for (name, part) in &receipt.partitions {
        let of_lists = appended(&mut receipt.lists.iter().filter_map(|list| list.partitions.get(name)));
        if let Some(difference) = part.judged.difference(&of_lists) {
            found.push(format!("{name} of the lists does not add up to {name}: {difference}"));
        }
    }
    if receipt.balanced != Some(true) {
        found.push("it does not say that the run was balanced".to_owned());
    }
    found
}

/// What must have been written, by the lines that were read, and the files that are said to hold it.
fn written(receipt: &Receipt) -> Vec<(&str, Part, &[FilePart])> {
    match receipt.options.form {
        Form::Partitions => {
            receipt.partitions.iter().map(|(name, part)| (name.as_str(), part.judged, &part.files[..])).collect()
        }
        Form::Verdicts => {
            let lines = Part { bytes: receipt.input.bytes + receipt.added_line_feeds, ..receipt.input };
            vec![("verdicts", lines, receipt.verdicts.as_ref().map_or(&[], |verdicts| &verdicts.files))]
        }
    }
}

/// The partitions, for each crawler.
fn by_crawler(receipt: &Receipt) -> BTreeMap<&str, Vec<(&String, &PartitionPart)>> {
    let mut crawlers: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (name, part) in &receipt.partitions {
        let crawler = name.split_once('.').map_or("", |(_, crawler)| crawler);
        crawlers.entry(crawler).or_default().push((name, part));
    }
    crawlers
}

/// As [`Part::difference`], where parts are not beginnings of a whole, so that their order cannot be compared.
fn difference_in_any_order(wanted: &Part, parts: &[&Part]) -> Option<String> {
    let mut sum = Tally { order: wanted.tally().order, ..Tally::default() };
    for part in parts {
        sum.lines += part.lines;
        sum.bytes += part.bytes;
        sum.sum = sum.sum.wrapping_add(part.sum.map_or(0, |Hex(sum)| sum));
    }
    wanted.difference(&sum)
}
