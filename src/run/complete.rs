//! The end of a run: its totals are checked, the receipt is written, and files get their names.

use std::collections::BTreeMap;

use super::checkpointer::Checkpointer;
use super::needed::asked;
use super::newly_seen::SeenPlace;
use super::pipeline::{Finished, Pipeline};
use super::plan::Plan;
use super::totals::{ListTotals, Totals, Whole};
use crate::formats::exact_path::base64_of;
use crate::input::list::List;
use crate::judge::tally::{Changes, LINE_HASH, Tally};
use crate::outcome::Partition;
use crate::output::folder::NEEDED;
use crate::output::missing_robots::Waiting;
use crate::output::partitions::Output;
use crate::output::receipt::{
    FilePart, Hex, ListPart, Part, PartitionPart, RECEIPT_VERSION, Receipt, ReceiptOptions, VerdictsPart, reasons,
};
use crate::output::splits::Splits;
use crate::policy::Policy;
use crate::run::error::FilterError;

/// Checks the totals of the run, writes the receipt, and gives the files their names.
pub(super) fn complete(
    plan: &Plan<'_>,
    pipeline: Pipeline<'_>,
    checkpointer: Option<&Checkpointer>,
) -> Result<Receipt, FilterError> {
    let progress = pipeline.progress;
    let Finished { mut output, needed, totals, speed, policy, newly } = pipeline.finish()?;
    let proven =
        plan.lists.iter().try_for_each(List::unchanged).map_err(FilterError::from).and_then(|()| totals.balanced());
    let whole = proven.map_err(|failure| match checkpointer {
        Some(checkpointer) => checkpointer.note_kept(failure),
        None => failure,
    })?;
    let mut receipt = receipt(plan, &policy, &totals, &whole, output.as_ref());
    if let (Some(output), Some(needed)) = (&mut output, needed) {
        let asked = |origin: &str, _: &Waiting| asked(&policy, origin);
        receipt.set_robots_needed(&output.write_file(NEEDED, |mut file| needed.write(asked, &mut file))?);
    }
    let seen = plan.seen.as_ref().zip(newly);
    if let Some((place, newly)) = seen {
        place.unchanged()?;
        let (_, memory) = plan.memory.first_pass(1);
        receipt.seen_file = Some(place.write(newly, plan.options.unique.unwrap_or_default(), memory)?);
    }
    receipt.speed = speed;
    receipt.seconds = checkpointer.map_or_else(|| progress.snapshot().seconds, Checkpointer::seconds);
    receipt.urls_per_second = receipt.input.lines as f64 / receipt.seconds;
    if let Some(output) = &mut output {
        output.write_receipt(&receipt)?;
        let last = plan.seen.as_ref().map(SeenPlace::path);
        output.commit(last, |names| checkpointer.map_or(Ok(()), |checkpointer| checkpointer.complete(names)))?;
    } else if let Some(place) = &plan.seen {
        place.commit()?;
    }
    Ok(receipt)
}

/// The receipt of a run, without its duration.
fn receipt(plan: &Plan<'_>, policy: &Policy, totals: &Totals, whole: &Whole, output: Option<&Output>) -> Receipt {
    let (options, destination) = (plan.options.clone(), plan.destination());
    let splits = plan.splits();
    let names = splits.partitions();
    let written = destination.is_some();
    let files =
        |place: usize| output.into_iter().flat_map(move |output| output.written(place)).map(FilePart::of).collect();
    let form = options.form;
    let of_run = Partition::COUNT * splits.by_one_policy();
    let is_written = |place| !form.is_whole() && place < of_run && destination.is_some_and(|to| to.writes(place));
    let verdicts = (written && form.is_whole())
        .then(|| VerdictsPart { written: Part::of(&totals.written(0), true), files: files(0) });
    let partition = |(place, name): (usize, &String)| {
        let (sorted, partition) = (&whole.crawlers[place / Partition::COUNT], Partition::ALL[place % Partition::COUNT]);
        let part = PartitionPart {
            judged: Part::of(&sorted.tallies[partition as usize], written),
            written: is_written(place).then(|| Part::of(&totals.written(place), true)),
            files: if is_written(place) { files(place) } else { Vec::new() },
            reasons: reasons(partition, &sorted.counts),
        };
        (name.clone(), part)
    };
    let list_part = |(list, totals)| list_part(list, totals, &names, &options, written);
    let part = |tally: &Tally| Part::of(tally, written);
    Receipt {
        robosieve: env!("CARGO_PKG_VERSION").into(),
        version: RECEIPT_VERSION,
        line_hash: LINE_HASH.into(),
        agents: plan.all_agents().map(ToString::to_string).collect(),
        dialect: policy.dialect().name.into(),
        input: Part::of(&whole.input, written),
        duplicates: options.unique.map(|_| part(&whole.duplicates)),
        seen: options.seen.map(|_| part(&whole.seen)),
        seen_file: None,
        unchanged: options.only_changed.then(|| part(&whole.unchanged)),
        partitions: names.iter().enumerate().map(partition).collect(),
        changes: splits.is_compared().then(|| changes(&splits, &totals.changes)),
        verdicts,
        lists: plan.lists.iter().zip(&totals.lists).map(list_part).collect(),
        options: options.clone(),
        balanced: written.then_some(true),
        added_line_feeds: totals.added_line_feeds,
        skipped: totals.skipped(),
        urls_with_tabs: totals.odd.tabs,
        dot_segments: totals.odd.dot_segments,
        rewritten_paths: totals.odd.rewritten,
        normalised_paths: totals.odd.normalised,
        www_fallbacks: totals.odd.www_fallbacks,
        origins_needed: None,
        robots_needed: None,
        shards: Vec::new(),
        policy_checksum: Hex(policy.checksum()),
        policy: policy.statistics().clone(),
        seconds: 0.0,
        urls_per_second: 0.0,
        speed: Vec::new(),
    }
}

/// The lines that changed, by name, as far as there are any.
fn changes(splits: &Splits, counted: &[Changes]) -> BTreeMap<String, u64> {
    let lines =
        |[was, now]: [usize; 2]| counted[now / Partition::COUNT].0[was % Partition::COUNT][now % Partition::COUNT];
    let all = splits.changes().into_iter().map(|(name, places)| (name, lines(places)));
    all.filter(|(_, lines)| *lines > 0).collect()
}

/// A list's part of the receipt; `names` are those of the partitions.
fn list_part(list: &List, totals: &ListTotals, names: &[String], options: &ReceiptOptions, written: bool) -> ListPart {
    let head = &list.head[..list.head_length];
    let partitions = names.iter().zip(totals.crawlers.as_flattened());
    ListPart {
        path: list.path.display().to_string(),
        path_base64: base64_of(&list.path),
        file: list.file_state(),
        range: list.shard_range(),
        format: list.format().into(),
        compression: list.compression,
        head: (!list.head.is_empty()).then(|| Part::of(&Tally::of_text(head, |line| line), written)),
        input: Part::of(&totals.input, written),
        duplicates: options.unique.map(|_| Part::of(&totals.duplicates, written)),
        seen: options.seen.map(|_| Part::of(&totals.seen, written)),
        unchanged: options.only_changed.then(|| Part::of(&totals.unchanged, written)),
        skipped: totals.skipped.clone(),
        partitions: partitions.map(|(name, tally)| (name.clone(), Part::of(tally, written))).collect(),
    }
}
