//! A run: lists in, partitions and a receipt out.
//!
//! Every worker takes the next chunk, judges it, and [hands it in](super::queue). One worker at a time writes the
//! chunks that are due, in order, so lines stay in input order for any number of workers; the others keep judging. Each
//! worker needs memory for a few chunks, so the [memory budget](super::memory) limits the number of workers.
//!
//! If lines wait for lines of later chunks, to fill a frame of compressed text or a row group, each chunk has an
//! earlier turn, in the [shape](super::shape) of the output. If enough lines wait, the worker makes the frame or the
//! group, and hands it in with the chunk.
//!
//! At the end, the run checks its totals, writes the receipt, and renames its files. This module also has the run of a
//! shard that only writes the keys of its URLs.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use super::checkpoint::Checkpointer;
use super::error::interrupted;
use super::job::{Destination, Job, Newer};
use super::memory::{JobMemory, KEY_SETS, Needs};
use super::needed::asked;
use super::newly_seen::SeenPlace;
use super::pipeline::{Finished, OrderedState, Pipeline};
use super::plan::{Plan, lists};
use super::progress::Progress;
use super::queue::Turns;
use super::repeats::{PassLimits, first_pass};
use super::seen::Hashing;
use super::seen_file::{KEYS_FILE, SeenFile, Unwritten, write_keys};
use super::start::start;
use super::totals::{ListTotals, Totals, Whole};
use super::unique::{LeftOutTallies, Unique};
use super::worker::Worker;
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::json::base64_of;
use crate::formats::replace::{folder_of, replace};
use crate::formats::standard_output;
use crate::input::chunks::{Chunks, Cut, Parallelism};
use crate::input::list::List;
use crate::judge::same_url::SameUrl;
use crate::judge::tally::{Changes, LINE_HASH, Tally};
use crate::outcome::Partition;
use crate::output::folder::NEEDED;
use crate::output::form::{FileFormat, Splits};
use crate::output::missing_robots::Waiting;
use crate::output::partitions::Output;
use crate::output::receipt::{
    FilePart, Hex, ListPart, Part, PartitionPart, RECEIPT_VERSION, Receipt, ReceiptOptions, VerdictsPart, reasons,
};
use crate::policy::Policy;
use crate::run::scan::each_chunk;
use crate::threads;

impl Job {
    /// Splits its lists by `policy`, and reports to `progress`.
    ///
    /// # Errors
    ///
    /// If a list cannot be read or changed meanwhile, if the output cannot be written, or if the lines written are
    /// not those read. Then no file has its final name.
    pub fn run(&self, policy: &Policy, progress: &Progress) -> Result<Receipt, Error> {
        ended(progress, || split(policy, self, progress, None, standard_output::writer()))
    }

    /// Like [`Job::run`], but the lines of a [`Pipe`](super::Pipe) go to `out`, in place of standard output.
    ///
    /// ```
    /// use robosieve::policy::{Captures, source};
    /// use robosieve::run::{Destination, Job, Pipe, Progress};
    /// use robosieve::{Agents, Dialect, Partition};
    /// use std::io::{Read, Seek};
    ///
    /// let mut captures = Captures::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
    /// source::add(&["datasets/sites"], &source::Options::default(), &mut captures)?;
    /// let policy = captures.policy()?;
    ///
    /// let job = Job::new(["datasets/urls.txt"], vec![policy.crawler(None)?]);
    /// let job = job.destination(Destination::Pipe(Pipe::Only(vec![Partition::Blocked])));
    /// let mut lines = tempfile::tempfile()?;
    /// let receipt = job.run_into(&policy, &Progress::new(), Box::new(lines.try_clone()?))?;
    ///
    /// let mut text = String::new();
    /// lines.rewind()?;
    /// lines.read_to_string(&mut text)?;
    /// assert!(receipt.partitions().any(|part| part == ("blocked", text.lines().count() as u64)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Job::run`], and if the lines go elsewhere.
    pub fn run_into(&self, policy: &Policy, progress: &Progress, out: Box<dyn Write + Send>) -> Result<Receipt, Error> {
        if !matches!(self.destination, Some(Destination::Pipe(_))) {
            let message =
                "only a run that prints lines can print them elsewhere; this one has a folder, or only counts";
            return Err(ErrorKind::Job.of(message));
        }
        ended(progress, || split(policy, self, progress, None, out))
    }

    /// Like [`Job::run`], but calls `newer` before each chunk for a newer policy. One policy judges a whole chunk, and
    /// later chunks are never judged by an older policy. Only for jobs that print lines, because a receipt names one
    /// policy.
    ///
    /// # Errors
    ///
    /// As [`Job::run`], and if the lines do not go to standard output.
    pub fn run_following(&self, policy: &Policy, progress: &Progress, newer: &mut Newer<'_>) -> Result<Receipt, Error> {
        if !matches!(self.destination, Some(Destination::Pipe(_))) {
            let message = "a receipt names one policy, so only a run that prints lines can go on with another";
            return Err(ErrorKind::Job.of(message));
        }
        ended(progress, || split(policy, self, progress, Some(newer), standard_output::writer()))
    }
}

/// The result of `run`, after which the progress ends. An error of a file of seen URLs is about the job's file, unless it is about the
/// keys of shards.
fn ended<T>(progress: &Progress, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    progress.of(run).map_err(|error| match (error.kind(), error.problem().about) {
        (ErrorKind::Seen, None) => error.about(About::Seen),
        _ => error,
    })
}

fn split(
    policy: &Policy,
    job: &Job,
    progress: &Progress,
    newer: Option<&mut Newer<'_>>,
    out: Box<dyn Write + Send>,
) -> Result<Receipt, Error> {
    // One time for the whole run, which the receipt names.
    let job = &job.clone().choices(job.choices.timed());
    let plan = Plan::new(policy, job)?;
    let workers = plan.options.threads;
    // No other run writes to the folder until everything is done, including the cleanup after a failure.
    let (start, _lock) = start(&plan, out)?;
    let begun = match start {
        ControlFlow::Continue(begun) => begun,
        ControlFlow::Break(receipt) => return Ok(receipt),
    };
    let state = &begun.state;
    progress.begin(plan.lists.iter().map(List::source_length).sum(), plan.splits().count());
    let unique = plan.options.unique.map(|same| progress.comparing(|| unique(&plan, same, state, workers, progress)));
    let unique = unique.transpose().map_err(|failure| match &begun.checkpointer {
        Some(checkpointer) if failure.kind() == ErrorKind::Interrupted || failure.is_about(About::Untrusted) => {
            checkpointer.note_kept(failure)
        }
        _ => failure,
    })?;
    let chunks = Chunks::from(plan.cut(progress.source()), &state.reached.begun, state.reached.next);
    progress.resume(&state.totals, state.reached.source_read(&plan.lists));
    let newer = newer.map(|newer| newer as &mut Newer<'_>);
    let pipeline = Pipeline::new(&plan, chunks, progress, begun, unique, newer);
    pipeline.run(workers)?;
    complete(&plan, progress, pipeline.finish()?)
}

/// Prepares to leave out lines whose URLs have occurred before, including lines that an interrupted run had judged.
fn unique(
    plan: &Plan<'_>,
    same: SameUrl,
    state: &OrderedState,
    threads: usize,
    progress: &Progress,
) -> Result<Unique, Error> {
    let folder = plan.folder().map_or_else(std::env::temp_dir, |folder| folder.directory.clone());
    let again = AtomicU64::new(0);
    let read = if plan.reads_twice() { &again } else { progress.source() };
    let is_resumed = state.reached.next > 0;
    let before = || is_resumed.then(|| Chunks::new(Cut { before: state.reached.position(), ..plan.cut(read) }));
    if !plan.reads_twice() {
        return Unique::new(same, &folder, before().as_ref(), threads);
    }
    let limits = PassLimits::new(folder, threads, plan.memory);
    // What can be read must not depend on the pass.
    let cut = plan.cut(progress.source());
    let chunks = Chunks::new(Cut { with_columns: cut.with_columns && plan.job.skip_bad, ..cut });
    let judged: Vec<u64> = state.totals.lists.iter().map(|list| list.input.lines).collect();
    let shards = plan.shard_keys.as_ref();
    match (&plan.seen, before()) {
        // The run no longer knows which of the earlier lines are allowed.
        (Some(place), Some(before)) => {
            let unique = Unique::of_two_passes(same, &chunks, limits, Some(place), shards, vec![0; plan.lists.len()])?;
            judge_again(plan, &before, &unique, threads)?;
            unique.were_read(&judged, &plan.lists)?;
            Ok(unique)
        }
        (place, _) => Unique::of_two_passes(same, &chunks, limits, place.as_ref(), shards, judged),
    }
}

/// Judges the lines that an interrupted run had judged, only to store the allowed URLs for later runs.
fn judge_again(plan: &Plan<'_>, chunks: &Chunks<'_>, unique: &Unique, threads: usize) -> Result<(), Error> {
    let (matchers, older, turns) = (plan.matchers(), plan.older_matchers(), Turns::default());
    let allowed_if = plan.job.allowed_if;
    let new = || Worker::new(matchers.clone(), older.clone(), allowed_if, None, false, plan.worker_caches());
    each_chunk(
        chunks,
        threads,
        || turns.stop(),
        new,
        |chunk, worker| {
            let list = &plan.lists[chunk.list];
            if !worker.leave_out(Some(unique), &turns, chunk, list, plan.is_only_changed())? {
                return Ok(false);
            }
            worker.judge(chunk, false, false);
            worker.keep_allowed(unique, chunk)?;
            Ok(true)
        },
    )?;
    if chunks.is_interrupted() { Err(interrupted()) } else { Ok(()) }
}

/// Checks the totals of the run, writes the receipt, and gives the files their names.
fn complete(plan: &Plan<'_>, progress: &Progress, finished: Finished) -> Result<Receipt, Error> {
    let Finished { state, checkpointer, speed, policy, newly } = finished;
    let OrderedState { mut sink, needed, totals, .. } = state;
    let (mut output, checkpointer) = (sink.folder(), checkpointer.as_ref());
    let proven = plan.lists.iter().try_for_each(List::unchanged).and_then(|()| totals.balanced());
    let whole = proven.map_err(|failure| match checkpointer {
        Some(checkpointer) => checkpointer.note_kept(failure),
        None => failure,
    })?;
    let mut receipt = receipt(plan, &policy, &totals, &whole, output.as_deref());
    if let (Some(output), Some(needed)) = (&mut output, needed) {
        let asked = |origin: &str, _: &Waiting| asked(&policy, origin);
        receipt.set_robots_needed(&output.write_file(NEEDED, |mut file| needed.write(asked, &mut file))?);
    }
    let seen = plan.seen.as_ref().zip(newly);
    if let Some((place, newly)) = seen {
        place.unchanged()?;
        let same = plan.options.unique.unwrap_or_default();
        receipt.seen_file = Some(place.write(newly, same, plan.memory.share(KEY_SETS))?);
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
            reasons: reasons(partition, sorted),
        };
        (name.clone(), part)
    };
    let mut dropped = output.map(Output::dropped_keys).unwrap_or_default();
    let list_part = |(place, (list, totals))| ListPart {
        dropped_metadata: dropped.remove(&place).unwrap_or_default(),
        ..list_part(list, totals, &names, &options, written)
    };
    let [duplicates, seen, unchanged] = left_out_parts(&whole.left_out, &options, written);
    Receipt {
        robosieve: env!("CARGO_PKG_VERSION").into(),
        version: RECEIPT_VERSION,
        line_hash: LINE_HASH.into(),
        agents: plan.all_agents().map(ToString::to_string).collect(),
        dialect: policy.dialect().name.into(),
        input: Part::of(&whole.input, written),
        duplicates,
        seen,
        seen_file: None,
        unchanged,
        partitions: names.iter().enumerate().map(partition).collect(),
        changes: splits.is_compared().then(|| changes(&splits, &totals.changes)),
        verdicts,
        lists: plan.lists.iter().zip(&totals.lists).enumerate().map(list_part).collect(),
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

/// The numbers of changed lines, by the name of the change; without zeros.
fn changes(splits: &Splits, counted: &[Changes]) -> BTreeMap<String, u64> {
    let lines =
        |[was, now]: [usize; 2]| counted[now / Partition::COUNT].0[was % Partition::COUNT][now % Partition::COUNT];
    let all = splits.changes().into_iter().map(|(name, places)| (name, lines(places)));
    all.filter(|(_, lines)| *lines > 0).collect()
}

/// The receipt's parts for lines left out, for each reason that the job asks for.
fn left_out_parts(left_out: &LeftOutTallies, options: &ReceiptOptions, written: bool) -> [Option<Part>; 3] {
    let asked = options.leaves_out();
    std::array::from_fn(|why| asked[why].then(|| Part::of(&left_out[why], written)))
}

/// A list's part of the receipt; `names` are the names of the partitions.
fn list_part(list: &List, totals: &ListTotals, names: &[String], options: &ReceiptOptions, written: bool) -> ListPart {
    let head = &list.head[..list.head_length];
    let partitions = names.iter().zip(totals.crawlers.as_flattened());
    let [duplicates, seen, unchanged] = left_out_parts(&totals.left_out, options, written);
    ListPart {
        path: list.path.display().to_string(),
        path_base64: base64_of(&list.path),
        file: list.file_state(),
        range: list.shard_range(),
        format: list.format().into(),
        compression: list.compression,
        head: (!list.head.is_empty()).then(|| Part::of(&Tally::of_text(head, |line| line), written)),
        input: Part::of(&totals.input, written),
        duplicates,
        seen,
        unchanged,
        skipped: totals.skipped.clone(),
        dropped_metadata: Vec::new(),
        tabbed: totals.tabbed,
        partitions: partitions.map(|(name, tally)| (name.clone(), Part::of(tally, written))).collect(),
    }
}

impl Job {
    /// Writes the keys of all URLs in its lists, by [`Job::unique`](field@Job::unique), to a file at `out`, whatever
    /// their verdicts, and reports to `progress` how much it has read. It uses only this field, and those for reading
    /// lists, memory and threads. It replaces an earlier file of keys, but not a file of seen URLs.
    ///
    /// With the files of all [shards](Job::shard) in one folder, [`Job::keys`](field@Job::keys) lets each shard leave out URLs
    /// that an earlier shard has.
    ///
    /// # Errors
    ///
    /// If a list cannot be read or changed meanwhile, or if the file cannot be written; then nothing is.
    pub fn write_keys(&self, out: &Path, progress: &Progress) -> Result<SeenFile, Error> {
        ended(progress, || self.keys_file(out, progress))
    }

    fn keys_file(&self, out: &Path, progress: &Progress) -> Result<SeenFile, Error> {
        let same = self.unique.unwrap_or_default();
        let memory = JobMemory::new(self.memory, Needs::new([], None, false, None))?;
        let lists = lists(self, memory)?;
        let chunk_size = (self.chunk_size > 0).then_some(self.chunk_size);
        let plan = memory.worker_plan(threads::asked(self.threads), chunk_size, FileFormat::Text)?;
        progress.begin(lists.iter().map(List::source_length).sum(), 0);
        let chunks = Chunks::new(Cut {
            longest: memory.longest_line(),
            interrupt: self.interrupt.clone(),
            parallelism: Parallelism { lists: plan.workers, in_order: true },
            memory: memory.decompressors(),
            ..Cut::all(&lists, plan.chunk_size, progress.source())
        });
        let limits = PassLimits::new(folder_of(out), plan.workers, memory);
        let keys = progress.comparing(|| first_pass(&chunks, Hashing::of_files(same), &limits))?.keys;
        progress.judged();
        let written = replace(out, &KEYS_FILE, |file| {
            write_keys(file, same, self.shard, vec![keys.in_order(memory.share(KEY_SETS))])
        });
        written.map_err(|problem: Unwritten| problem.of(out))?;
        SeenFile::open(out)
    }
}
