//! A run: lists in, partitions and a receipt out.
//!
//! Every worker takes the next chunk, judges it, and [hands it in](super::queue). One worker at a time writes the chunks that are
//! due, in order, so lines stay in the order of the input for any number of workers; the others keep judging. Each worker needs
//! memory for a few chunks, and there are as many workers as [have room](super::memory).
//!
//! If lines wait for those of later chunks, for a frame of compressed text or for a row group, each chunk has an earlier turn, in the
//! [shape](super::shape) of the output. Where enough lines wait, the worker makes the frame or the group; then it hands in the chunk
//! with it.

use std::io::{self, Write};
use std::sync::atomic::AtomicU64;

use super::checkpoint::RunState;
use super::complete::complete;
use super::each_chunk::each_chunk;
use super::following::Newer;
use super::job::{Destination, Job};
use super::left_out::LeavingOut;
use super::pipeline::{Pipeline, work};
use super::plan::Plan;
use super::progress::Progress;
use super::repeats::Means;
use super::start::{Start, start};
use super::unique::{Unique, UniqueLines};
use super::worker::Worker;
use crate::input::chunks::{Chunks, Cut};
use crate::input::list::List;
use crate::judge::same_url::SameUrl;
use crate::output::receipt::Receipt;
use crate::policy::Policy;
use crate::run::error::FilterError;
use crate::threads;

impl Job {
    /// Splits its lists by `policy`, and reports to `progress`.
    ///
    /// # Errors
    ///
    /// [`FilterError`] if a list cannot be read or changed meanwhile, if the output cannot be written, or if the lines written are
    /// not those read. Then no file has its final name.
    pub fn run(&self, policy: &Policy, progress: &Progress) -> Result<Receipt, FilterError> {
        let result = split(policy, self, progress, None, Box::new(io::stdout()));
        progress.end();
        result
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
    /// assert_eq!(text.lines().count() as u64, receipt.partitions["blocked"].judged.lines);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Job::run`]; [`FilterError::PrintsNothing`] if the lines go elsewhere. An error of `out` is in
    /// [`OutputError::StandardOutput`](super::OutputError::StandardOutput).
    pub fn run_into(
        &self,
        policy: &Policy,
        progress: &Progress,
        out: Box<dyn Write + Send>,
    ) -> Result<Receipt, FilterError> {
        if !matches!(self.destination, Some(Destination::Pipe(_))) {
            return Err(FilterError::PrintsNothing);
        }
        let result = split(policy, self, progress, None, out);
        progress.end();
        result
    }

    /// Like [`Job::run`], but asks `newer` before each chunk whether another policy judges from now on. A chunk is judged by one
    /// policy, and chunks after it by none that is older. Only for jobs that print lines: a receipt names one policy.
    ///
    /// # Errors
    ///
    /// As [`Job::run`]; [`FilterError::Followed`] if the lines do not go to standard output.
    pub fn run_following(
        &self,
        policy: &Policy,
        progress: &Progress,
        newer: &mut Newer<'_>,
    ) -> Result<Receipt, FilterError> {
        if !matches!(self.destination, Some(Destination::Pipe(_))) {
            return Err(FilterError::Followed);
        }
        let result = split(policy, self, progress, Some(newer), Box::new(io::stdout()));
        progress.end();
        result
    }
}

fn split(
    policy: &Policy,
    job: &Job,
    progress: &Progress,
    newer: Option<&mut Newer<'_>>,
    out: Box<dyn Write + Send>,
) -> Result<Receipt, FilterError> {
    let plan = Plan::new(policy, job)?;
    let workers = plan.options.threads;
    // No other run writes to the folder until everything is done, including the cleanup after a failure.
    let (start, _lock) = start(&plan, out)?;
    let (outlets, checkpointer) = match start {
        Start::Done(receipt) => return Ok(*receipt),
        Start::Judging(begun) => *begun,
    };
    let state = outlets.state.as_ref();
    progress.begin(plan.lists.iter().map(List::source_length).sum(), plan.splits().count());
    let unique = plan.options.unique.map(|same| progress.comparing(|| unique(&plan, same, state, workers, progress)));
    let unique = unique.transpose();
    let unique = unique.map_err(|failure| match &checkpointer {
        Some(checkpointer) if matches!(failure, FilterError::Interrupted) => checkpointer.note_kept(failure),
        _ => failure,
    })?;
    let matchers = plan.matchers();
    let cut = plan.cut(progress.source());
    let chunks = match state {
        Some(state) => Chunks::from(cut, &state.reached.begun, state.reached.next),
        None => Chunks::new(cut),
    };
    if let Some(state) = state {
        progress.resume(&state.totals, state.reached.source_read(&plan.lists));
    }
    let newer = newer.map(|newer| newer as &mut Newer<'_>);
    let pipeline = Pipeline::new(&plan, chunks, progress, outlets, checkpointer.as_ref(), unique, newer);
    let kept_rules = plan.memory.rules_per_worker(workers, plan.options.format);
    let judge = || drop(threads::at_once(workers, || work(&pipeline, &matchers, kept_rules)));
    match checkpointer {
        Some(_) => threads::with_one_beside(|| pipeline.keep(), || pipeline.end_checkpoints(), judge)
            .map_err(FilterError::Thread)?,
        None => judge(),
    }
    complete(&plan, pipeline, checkpointer.as_ref())
}

/// Prepares to leave out lines whose URLs have occurred before, also among lines that an interrupted run had judged.
fn unique(
    plan: &Plan<'_>,
    same: SameUrl,
    state: Option<&RunState>,
    threads: usize,
    progress: &Progress,
) -> Result<Unique, FilterError> {
    let folder = plan.folder().map_or_else(std::env::temp_dir, |folder| folder.directory.clone());
    let again = AtomicU64::new(0);
    let read = if plan.reads_twice() { &again } else { progress.source() };
    let before = || state.map(|state| Chunks::new(Cut { before: state.reached.position(), ..plan.cut(read) }));
    if !plan.reads_twice() {
        return Unique::new(same, &folder, before().as_ref(), threads);
    }
    let (buffered, set) = plan.memory.first_pass(threads);
    let means = Means { folder, threads, buffered, set };
    // What can be read must not depend on the pass.
    let cut = plan.cut(progress.source());
    let chunks = Chunks::new(Cut { with_columns: cut.with_columns && plan.job.long_run.skip_bad, ..cut });
    let judged = |list: usize| state.map_or(0, |state| state.totals.lists[list].input.lines);
    let judged: Vec<u64> = (0..plan.lists.len()).map(judged).collect();
    let shards = plan.shard_keys.as_ref();
    match (&plan.seen, before()) {
        // Which of the lines before are allowed is not known any more.
        (Some(place), Some(before)) => {
            let unique = Unique::of_two_passes(same, &chunks, means, Some(place), shards, vec![0; plan.lists.len()])?;
            judge_again(plan, &before, &unique, threads)?;
            unique.with_new_turns(&judged, &plan.lists)
        }
        (place, _) => Unique::of_two_passes(same, &chunks, means, place.as_ref(), shards, judged),
    }
}

/// Judges the lines that an interrupted run had judged, only to keep the allowed ones for later runs.
fn judge_again(plan: &Plan<'_>, chunks: &Chunks<'_>, unique: &Unique, threads: usize) -> Result<(), FilterError> {
    let (matchers, older) = (plan.matchers(), plan.older_matchers());
    let new = || {
        let worker = Worker::new(&matchers, None, false, 0).allowed_if(plan.job.allowed_if).against(older.clone());
        (worker, UniqueLines::default(), LeavingOut::default())
    };
    each_chunk(
        chunks,
        threads,
        || unique.stop(),
        new,
        |chunk, (worker, unique_lines, leaving_out)| {
            if !unique.leave_out_repeated(chunk, &plan.lists[chunk.list], unique_lines, false)? {
                return Ok(false);
            }
            if plan.is_only_changed() {
                worker.leave_out_unchanged(chunk, leaving_out);
            }
            worker.judge(chunk, false, false);
            unique.keep_allowed(chunk, || worker.is_allowed(), unique_lines)?;
            Ok(true)
        },
    )?;
    if chunks.is_interrupted() { Err(FilterError::Interrupted) } else { Ok(()) }
}
