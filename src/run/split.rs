//! A run: lists in, partitions and a receipt out.
//!
//! Every worker takes the next chunk, judges it into buffers of its own, waits for its turn, takes room in the output
//! files, passes the turn on, and writes at the places it took. Turns go in the order of the chunks, so the order of
//! the lines is that of the input whatever the number of workers; only the turn itself is one worker's at a time, and
//! memory is one chunk's a worker, of which there are as many as [have room](super::memory). A worker only ever waits for
//! one that is already busy with an earlier chunk.
//!
//! Where files are compressed, a chunk has an earlier turn as well: what it has for each file is gathered with what came
//! before ([`gather`](super::gather)), the worker compresses what is enough for a frame, and then takes its turn with the
//! frames.

use rayon::ThreadPoolBuilder;
use std::sync::atomic::AtomicU64;

use super::checkpoint::Border;
use super::job::{Destination, Job};
use super::keeper::Keeper;
use super::memory::{Crew, Memory};
use super::progress::Progress;
use super::start::{Start, start};
use super::totals::{ListTotals, Totals};
use super::turns::{Turns, work};
use super::unique::Unique;
use crate::input::chunks::Chunks;
use crate::input::error::FilterError;
use crate::input::list::{List, Patience};
use crate::judge::matcher::Judge;
use crate::judge::tally::{LINE_HASH, Tally};
use crate::outcome::Partition;
use crate::output::form::Form;
use crate::output::format::Format;
use crate::output::names::{NEEDED, RECEIPT};
use crate::output::naming::partition_names;
use crate::output::partitions::Output;
use crate::output::receipt::{
    FilePart, Hex, ListPart, Part, PartitionPart, RECEIPT_VERSION, Receipt, ReceiptOptions, VerdictsPart, reasons,
};
use crate::policy::{Crawler, Policy};

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
    let memory = Memory::new(job.long_run.memory, job.crawlers.len(), job.explain)?;
    let lists = lists(job, memory)?;
    let chunk_size = (job.chunk_size > 0).then_some(job.chunk_size);
    let crew = memory.crew(asked_workers(job), chunk_size, format(job))?;
    let pool = ThreadPoolBuilder::new().num_threads(crew.workers).build()?;
    let options = options(job, crew);
    // Nobody else writes to the folder until all is done, even what is done when the run has failed.
    let (start, _lock) = start(policy, job, &options, &lists, memory)?;
    let (destinations, border) = match start {
        Start::Done(receipt) => return Ok(*receipt),
        Start::Judging(destinations, border) => (*destinations, border.map(|border| *border)),
    };
    let unique = || {
        let folder = job.destination.as_ref().and_then(Destination::folder);
        let folder = folder.map_or_else(std::env::temp_dir, |folder| folder.directory.clone());
        let read = AtomicU64::new(0);
        let before = border.as_ref().map(|border| {
            let chunks = as_read(Chunks::new(&lists, options.chunk_size, &read), job, memory);
            chunks.before(border.list, border.at)
        });
        Unique::new(&lists, &folder, before.as_ref(), &pool)
    };
    let unique = job.unique.then(unique).transpose()?;
    let keeper = destinations.as_ref().and_then(|destinations| destinations.keeper.clone());
    let judges: Vec<Judge<'_>> = job.crawlers.iter().map(|crawler| Judge::new(policy, crawler, job.choices)).collect();
    let chunks = match &border {
        Some(border) => Chunks::from(&lists, options.chunk_size, progress.source(), (border.list, border.at)),
        None => Chunks::new(&lists, options.chunk_size, progress.source()),
    };
    let patience = match job.destination {
        Some(Destination::Pipe(_)) => Patience::UntilLine,
        _ => Patience::UntilFull,
    };
    let chunks = as_read(chunks, job, memory).with_patience(patience);
    progress.begin(lists.iter().map(List::source_length).sum(), judges.len());
    if let Some(border) = &border {
        progress.resume(&border.totals, left_out(&lists, border));
    }
    let turns = Turns::new((chunks, crew.workers), progress, judges.len(), destinations, border, unique);
    std::thread::scope(|scope| {
        scope.spawn(|| turns.keep());
        pool.broadcast(|_| work(&turns, &judges, memory.rules_of_worker(crew.workers, format(job))));
        turns.judged();
    });
    complete(policy, job, options, &lists, turns, keeper.as_deref())
}

/// The lists of a job, or the parts of them that it is to read.
fn lists(job: &Job, memory: Memory) -> Result<Vec<List>, FilterError> {
    let mut lists = List::open_all(&job.lists, &job.url_field, memory.decompressor(), job.long_run.skip_bad)?;
    // To leave out everything is not what anybody asks for.
    let problems: Option<Vec<&str>> = lists.iter().map(List::unreadable).collect();
    if let (Some([problem, ..]), [first, ..]) = (problems.as_deref(), &lists[..]) {
        return Err(FilterError::AllUnreadable { path: first.path.clone(), problem: (*problem).to_owned() });
    }
    if let Some(shard) = job.long_run.shard {
        if job.unique {
            return Err(FilterError::UniqueShard);
        }
        shard.cut(&mut lists)?;
    }
    Ok(lists)
}

/// The same chunks, read as a job wants it.
fn as_read<'l>(chunks: Chunks<'l>, job: &Job, memory: Memory) -> Chunks<'l> {
    let chunks = chunks.with_lines_up_to(memory.longest_line()).by_rows(!format(job).is_text());
    chunks.until(job.long_run.interrupt.clone())
}

/// What the files of a job are.
pub(crate) fn format(job: &Job) -> Format {
    let folder = job.destination.as_ref().and_then(Destination::folder);
    folder.map_or(Format::Text, |folder| folder.format)
}

/// How many workers are wanted.
fn asked_workers(job: &Job) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    if job.threads == 0 { processors() } else { job.threads }
}

/// Bytes of the lists' files that a run that goes on does not read again: what is not mapped is read from its start.
fn left_out(lists: &[List], border: &Border) -> u64 {
    let (done, rest) = lists.split_at(border.list.min(lists.len()));
    let mapped = rest.first().filter(|list| list.mapped().is_some());
    let of_the_next = mapped.map_or(0, |list| border.at.saturating_sub(list.range().start as u64));
    done.iter().filter_map(List::source_length).sum::<u64>() + of_the_next
}

/// Makes sure of what the run came to, and gives the files their names.
fn complete(
    policy: &Policy,
    job: &Job,
    options: ReceiptOptions,
    lists: &[List],
    turns: Turns<'_>,
    keeper: Option<&Keeper>,
) -> Result<Receipt, FilterError> {
    let progress = turns.progress;
    let (mut output, needed, totals) = turns.finish()?;
    let speed = progress.judged();
    let proven = lists.iter().try_for_each(List::unchanged).and_then(|()| totals.balanced());
    proven.map_err(|failure| match keeper {
        Some(keeper) => keeper.word_of(failure),
        None => failure,
    })?;
    let mut receipt =
        receipt(policy, &job.crawlers, options, lists, &totals, job.destination.as_ref(), output.as_ref());
    if let (Some(output), Some(needed)) = (&mut output, needed) {
        let status = |origin: &str, _: &_| policy.lookup().get(origin.as_bytes())?.state().answered.status;
        receipt.has_needed(&output.write_file(NEEDED, |mut file| needed.write(status, &mut file))?);
    }
    receipt.speed = speed;
    receipt.seconds = keeper.map_or_else(|| progress.snapshot().seconds, Keeper::seconds);
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

/// What is asked for, as the receipt has it.
fn options(job: &Job, crew: Crew) -> ReceiptOptions {
    let destination = job.destination.as_ref();
    let folder = destination.and_then(Destination::folder);
    ReceiptOptions {
        choices: job.choices,
        url_field: job.url_field.clone(),
        form: destination.map_or(Form::Partitions, Destination::form),
        format: format(job),
        compress: folder.and_then(|folder| folder.compress),
        split_size: folder.and_then(|folder| folder.split_size),
        explain: job.explain,
        unique: job.unique,
        threads: crew.workers,
        chunk_size: crew.chunk_size,
        per_input: folder.is_some_and(|folder| folder.per_input),
        shard: job.long_run.shard,
    }
}

fn receipt(
    policy: &Policy,
    crawlers: &[Crawler],
    options: ReceiptOptions,
    lists: &[List],
    totals: &Totals,
    destination: Option<&Destination>,
    output: Option<&Output>,
) -> Receipt {
    let names = partition_names(&crawlers.iter().map(Crawler::agents).collect::<Vec<_>>());
    let written = destination.is_some();
    let files =
        |place: usize| output.into_iter().flat_map(move |output| output.written(place)).map(FilePart::of).collect();
    let form = options.form;
    let is_written = |place| form == Form::Partitions && destination.is_some_and(|to| to.writes(place));
    let verdicts = (written && form == Form::Verdicts)
        .then(|| VerdictsPart { written: Part::of(&totals.written[0], true), files: files(0) });
    let partition = |(place, name): (usize, &String)| {
        let (sorted, partition) = (&totals.crawlers[place / 4], Partition::ALL[place % 4]);
        let part = PartitionPart {
            judged: Part::of(&sorted.tallies[place % 4], written),
            written: is_written(place).then(|| Part::of(&totals.written[place], true)),
            files: if is_written(place) { files(place) } else { Vec::new() },
            reasons: reasons(partition, &sorted.counts),
        };
        (name.clone(), part)
    };
    let unique = options.unique;
    let list_part = |(list, totals)| list_part(list, totals, &names, unique, written);
    let duplicates = |tally: &Tally| unique.then(|| Part::of(tally, written));
    Receipt {
        robosieve: env!("CARGO_PKG_VERSION").into(),
        version: RECEIPT_VERSION,
        line_hash: LINE_HASH.into(),
        agents: crawlers.iter().map(|crawler| crawler.agents().to_string()).collect(),
        dialect: policy.dialect().name.into(),
        input: Part::of(&totals.input, written),
        duplicates: duplicates(&totals.duplicates),
        partitions: names.iter().enumerate().map(partition).collect(),
        verdicts,
        lists: lists.iter().zip(&totals.lists).map(list_part).collect(),
        options,
        balanced: written.then_some(true),
        added_line_feeds: totals.added_line_feeds,
        skipped: totals.skipped(),
        dot_segments: totals.dot_segments,
        normalised_paths: totals.normalised,
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

/// What a receipt says of a list whose lines went to the partitions of these names.
fn list_part(list: &List, totals: &ListTotals, names: &[String], unique: bool, written: bool) -> ListPart {
    let head = &list.head[..list.head_length];
    let partitions = names.iter().zip(totals.crawlers.as_flattened());
    ListPart {
        path: list.path.display().to_string(),
        file: list.file_state(),
        range: list.shard_range(),
        format: list.format().into(),
        compression: list.compression,
        head: (!list.head.is_empty()).then(|| Part::of(&Tally::of_text(head, |line| line), written)),
        input: Part::of(&totals.input, written),
        duplicates: unique.then(|| Part::of(&totals.duplicates, written)),
        skipped: totals.skipped.clone(),
        partitions: partitions.map(|(name, tally)| (name.clone(), Part::of(tally, written))).collect(),
    }
}
