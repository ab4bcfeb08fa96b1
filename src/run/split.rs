//! A run: lists in, partitions and a receipt out.
//!
//! Every worker takes the next chunk, judges it, and [hands it in](super::queue). One worker at a time writes what is due, in the
//! order of the chunks, so the order of the lines is that of the input whatever the number of workers; the others judge on.
//! Memory is a few chunks a worker, of which there are as many as [have room](super::memory).
//!
//! Where files are compressed, a chunk has an earlier turn as well: what it has for each file is gathered with what came
//! before ([`gather`](super::gather)), the worker compresses what is enough for a frame, and then hands in the frames.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::AtomicU64;

use super::checkpoint::RunState;
use super::complete::complete;
use super::job::Job;
use super::pipeline::{Pipeline, work};
use super::plan::Plan;
use super::progress::Progress;
use super::start::{Start, start};
use super::unique::Unique;
use crate::input::list::List;
use crate::output::receipt::Receipt;
use crate::policy::Policy;
use crate::run::error::FilterError;

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
    let plan = Plan::new(policy, job)?;
    let workers = plan.options.threads;
    let pool = ThreadPoolBuilder::new().num_threads(workers).build()?;
    // Nobody else writes to the folder until all is done, even what is done when the run has failed.
    let (start, _lock) = start(&plan)?;
    let (outlets, state) = match start {
        Start::Done(receipt) => return Ok(*receipt),
        Start::Judging(outlets, state) => (*outlets, state.map(|state| *state)),
    };
    let unique = plan.options.unique.then(|| unique(&plan, state.as_ref(), &pool)).transpose()?;
    let checkpointer = outlets.as_ref().and_then(|outlets| outlets.checkpointer.clone());
    let matchers = plan.matchers();
    let chunks = plan.chunks(state.as_ref().map(|state| &state.reached), progress.source());
    progress.begin(plan.lists.iter().map(List::source_length).sum(), matchers.len());
    if let Some(state) = &state {
        progress.resume(&state.totals, state.reached.left_out(&plan.lists));
    }
    let pipeline = Pipeline::new(&plan, chunks, progress, outlets, state, unique);
    std::thread::scope(|scope| {
        scope.spawn(|| pipeline.keep());
        pool.broadcast(|_| work(&pipeline, &matchers, plan.memory.rules_of_worker(workers, plan.options.format)));
        pipeline.judged();
    });
    complete(&plan, pipeline, checkpointer.as_deref())
}

/// Prepares to leave out lines whose URLs were there before, also among those that an interrupted run had judged.
fn unique(plan: &Plan<'_>, state: Option<&RunState>, pool: &ThreadPool) -> Result<Unique, FilterError> {
    let folder = plan.folder().map_or_else(std::env::temp_dir, |folder| folder.directory.clone());
    let read = AtomicU64::new(0);
    let before = state.map(|state| plan.chunks(None, &read).before(state.reached.position()));
    Unique::new(&plan.lists, &folder, before.as_ref(), pool)
}
