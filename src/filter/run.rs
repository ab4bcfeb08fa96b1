//! A run: lists in, partitions and a receipt out.
//!
//! Every worker takes the next chunk, judges it into buffers of its own, waits for its turn, takes room in the output
//! files, passes the turn on, and writes at the places it took. Turns go in the order of the chunks, so the order of
//! the lines is that of the input whatever the number of workers; only the turn itself is one worker's at a time, and
//! memory is one chunk's a worker. A worker only ever waits for one that is already busy with an earlier chunk.

use rayon::ThreadPoolBuilder;
use std::path::PathBuf;
use std::time::Instant;

use super::FilterError;
use super::chunks::Chunks;
use super::decision::Choices;
use super::form::{Form, partition_names};
use super::judge::Judge;
use super::layout::UrlField;
use super::list::List;
use super::needed::Needed;
use super::outcome::Partition;
use super::output::{NEEDED, Output, RECEIPT, list_folder, would_replace};
use super::progress::Progress;
use super::receipt::{Hex, ListPart, Part, PartitionPart, Receipt, ReceiptOptions, reasons};
use super::shard::Shard;
use super::tally::{LINE_HASH, Tally};
use super::turns::{ListTotals, Totals, Turns, work};
use crate::policy::{Crawler, Policy};

/// Octets of a chunk, unless asked otherwise: it and its copy in the buffers stay in a core's cache.
const CHUNK: usize = 1 << 20;

/// How much memory the origins with deferred lines may take before they go to disk.
pub(super) const NEEDED_LIMIT: usize = 64 << 20;

/// What to do.
#[derive(Debug, Clone)]
pub struct Job {
    /// The lists, in order; `-` is standard input.
    pub lists: Vec<PathBuf>,
    /// Where the URL stands in their lines.
    pub url_field: UrlField,
    /// Where the partitions go; nowhere, if lines are only counted.
    pub destination: Option<Destination>,
    /// Who asks: crawlers of the policy, at least one; for each, the lines are split of their own.
    pub crawlers: Vec<Crawler>,
    /// What to do where there is no definite verdict.
    pub choices: Choices,
    /// Workers; 0: as many as there are processors.
    pub threads: usize,
    /// Octets of a chunk; 0: the default.
    pub chunk_size: usize,
    /// Which part of the lists to read, if not all of them.
    pub shard: Option<Shard>,
}

/// Where the partitions go.
#[derive(Debug, Clone)]
pub struct Destination {
    /// The folder.
    pub directory: PathBuf,
    /// How lines are written.
    pub form: Form,
    /// Whether an earlier run's files in it may be replaced.
    pub force: bool,
    /// Whether each list gets partitions of its own, in a folder `NUMBER-NAME`.
    pub per_input: bool,
}

/// Splits the job's lists by `policy`, and tells `progress` how far it is.
///
/// # Errors
///
/// [`FilterError`] where a list cannot be read or changed while it was, where the output cannot be written, or where
/// what was written is not what was read. Then no file has its final name.
pub fn run(policy: &Policy, job: &Job, progress: &Progress) -> Result<Receipt, FilterError> {
    let result = split(policy, job, progress);
    progress.end();
    result
}

fn split(policy: &Policy, job: &Job, progress: &Progress) -> Result<Receipt, FilterError> {
    let started = Instant::now();
    let mut lists = List::open_all(&job.lists, &job.url_field)?;
    if let Some(shard) = job.shard {
        shard.cut(&mut lists)?;
    }
    let output = job.destination.as_ref().map(|destination| prepare(destination, job, &lists)).transpose()?;
    let per_input = job.destination.as_ref().is_some_and(|destination| destination.per_input);
    let judges: Vec<Judge<'_>> = job.crawlers.iter().map(|crawler| Judge::new(policy, crawler, job.choices)).collect();
    let pool = ThreadPoolBuilder::new().num_threads(job.threads).build()?;
    let threads = pool.current_num_threads();
    let chunk_size = if job.chunk_size == 0 { CHUNK } else { job.chunk_size };
    let form = job.destination.as_ref().map_or(Form::Partitions, |destination| destination.form);
    let output = output.map(|output| {
        let needed = Needed::new(output.directory(), NEEDED_LIMIT);
        (output, needed, form)
    });
    progress.begin(lists.iter().map(List::source_length).sum(), judges.len());
    let turns =
        Turns::new(Chunks::new(&lists, chunk_size, progress.source()), progress, per_input, judges.len(), output);
    pool.broadcast(|_| work(&turns, &judges));
    let (mut output, needed, totals) = turns.finish()?;
    let speed = progress.judged();
    for list in &lists {
        list.unchanged()?;
    }
    totals.balanced()?;

    let (choices, url_field, shard) = (job.choices, job.url_field.clone(), job.shard);
    let options = ReceiptOptions { choices, url_field, form, threads, chunk_size, per_input, shard };
    let mut receipt = receipt(policy, &job.crawlers, options, &lists, &totals, output.is_some());
    if let (Some(output), Some(needed)) = (&mut output, needed) {
        let status = |origin: &str, _: &_| policy.index().get(origin.as_bytes())?.state().answered.status;
        let mut origins = 0;
        output.write_file(NEEDED, |mut file| {
            origins = needed.write(status, &mut file)?;
            Ok(())
        })?;
        receipt.origins_needed = Some(origins);
    }
    receipt.speed = speed;
    receipt.seconds = started.elapsed().as_secs_f64();
    receipt.urls_per_second = receipt.input.lines as f64 / receipt.seconds;
    if let Some(output) = &mut output {
        output.write_file(RECEIPT, |file| {
            serde_json::to_writer_pretty(&mut *file, &receipt)?;
            file.write_all(b"\n")
        })?;
        output.commit()?;
    }
    Ok(receipt)
}

fn prepare(destination: &Destination, job: &Job, lists: &[List]) -> Result<Output, FilterError> {
    let Destination { directory, form, force, per_input } = destination;
    let names = form.file_names(&job.crawlers);
    if let Some(list) = job.lists.iter().find(|list| would_replace(directory, &names, list)) {
        return Err(FilterError::ListInOutput { path: list.clone() });
    }
    if let Some(name) = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
        return Err(FilterError::SameName { name: name.1.clone() });
    }
    let folder = |(place, list): (usize, &List)| (list_folder(place, &list.path), form.head(&job.crawlers, &list.head));
    let folders = if *per_input {
        lists.iter().enumerate().map(folder).collect()
    } else {
        vec![(String::new(), form.head(&job.crawlers, common_head(lists)?))]
    };
    Output::create(directory, &folders, &names, *force)
}

/// The head line of all lists; those without any line do not matter.
fn common_head(lists: &[List]) -> Result<&[u8], FilterError> {
    let mut lists = lists.iter().filter(|list| !list.is_empty);
    let Some(one) = lists.next() else { return Ok(b"") };
    match lists.find(|other| other.head != one.head) {
        Some(other) => Err(FilterError::HeadsDiffer { one: one.path.clone(), other: other.path.clone() }),
        None => Ok(&one.head),
    }
}

fn receipt(
    policy: &Policy,
    crawlers: &[Crawler],
    options: ReceiptOptions,
    lists: &[List],
    totals: &Totals,
    written: bool,
) -> Receipt {
    let names = partition_names(crawlers);
    let partitions_written = written && options.form == Form::Partitions;
    let verdicts = (written && options.form == Form::Verdicts).then(|| Part::of(&totals.written[0], true));
    let partition = |(place, name): (usize, &String)| {
        let (sorted, partition) = (&totals.crawlers[place / 4], Partition::ALL[place % 4]);
        let part = PartitionPart {
            judged: Part::of(&sorted.tallies[place % 4], written),
            written: partitions_written.then(|| Part::of(&totals.written[place], true)),
            reasons: reasons(partition, &sorted.counts),
        };
        (name.clone(), part)
    };
    let list_part = |(list, tallies): (&List, &ListTotals)| ListPart {
        path: list.path.display().to_string(),
        range: list.shard_range(),
        format: list.format().into(),
        compression: list.compression,
        head: (!list.head.is_empty())
            .then(|| Part::of(&Tally::of_text(&list.head[..list.head_length], |line| line), written)),
        input: Part::of(&tallies.input, written),
        partitions: names
            .iter()
            .zip(tallies.crawlers.as_flattened())
            .map(|(name, tally)| (name.clone(), Part::of(tally, written)))
            .collect(),
    };
    Receipt {
        robosieve: env!("CARGO_PKG_VERSION").into(),
        line_hash: LINE_HASH.into(),
        options,
        agents: crawlers.iter().map(|crawler| crawler.agents().to_string()).collect(),
        dialect: policy.dialect().name.into(),
        input: Part::of(&totals.input, written),
        partitions: names.iter().enumerate().map(partition).collect(),
        verdicts,
        lists: lists.iter().zip(&totals.lists).map(list_part).collect(),
        balanced: written.then_some(true),
        added_line_feeds: totals.added_line_feeds,
        dot_segments: totals.dot_segments,
        normalised_paths: totals.normalised,
        origins_needed: None,
        shards: Vec::new(),
        policy_checksum: Hex(policy.checksum()),
        policy: policy.statistics().clone(),
        seconds: 0.0,
        urls_per_second: 0.0,
        speed: Vec::new(),
    }
}
