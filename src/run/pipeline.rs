//! Workers and their pipeline: which worker judges which chunk, and in what order lines are written.

use super::checkpoint::{Checkpointer, PendingCheckpoint, ReadPositions, RunState};
use super::error::{interrupted, unbalanced};
use super::job::{Following, Newer};
use super::needed::NeededList;
use super::newly_seen::NewlySeen;
use super::plan::Plan;
use super::progress::Progress;
use super::queue::{Queue, Step};
use super::shape::{BlockBuilder, Held, Turn};
use super::totals::Totals;
use super::unique::Unique;
use super::worker::{Judged, Worker};
use crate::error::run::{Error, ErrorKind};
use crate::error::{About, Problem};
use crate::input::chunks::{Chunk, Chunks};
use crate::input::list::{Buffer, List};
use crate::judge::matcher::Matcher;
use crate::judge::pieces::Pieces;
use crate::lock::{Mutex, OnPanic, into_inner, lock};
use crate::output::error::unwritable;
use crate::output::folder::NEEDED;
use crate::output::form::{Block, OutputOptions};
use crate::output::missing_robots::{MissingRobots, WaitingOrigins};
use crate::output::partitions::{Output, Sink};
use crate::output::receipt::Sample;
use crate::output::table::FileRows;
use crate::policy::Policy;
use crate::threads;

/// A run before its next chunk, be that its first or the next one after those of an interrupted run.
pub(super) struct Begun {
    pub state: OrderedState,
    pub shape: Box<dyn BlockBuilder>,
    /// If the run can be resumed.
    pub checkpointer: Option<Checkpointer>,
}

/// The results of a run.
pub(super) struct Finished {
    pub state: OrderedState,
    pub checkpointer: Option<Checkpointer>,
    /// How fast lines were judged.
    pub speed: Vec<Sample>,
    /// The policy that judged the last lines.
    pub policy: Policy,
    /// The URLs that are stored for later runs.
    pub newly: Option<NewlySeen>,
}

/// The state shared by all workers.
pub(super) struct Pipeline<'l> {
    plan: &'l Plan<'l>,
    chunks: Chunks<'l>,
    progress: &'l Progress,
    style: Option<OutputOptions>,
    /// A matcher for each crawler by the policy that verdicts are compared with; none if they are not.
    older: Vec<Matcher>,
    /// Whether the list of robots.txt to fetch is wanted.
    notes_waiting: bool,
    /// A chunk's first turn, if the policy may be replaced.
    following: Option<Mutex<Following<'l>>>,
    /// A chunk's next turn, if duplicates are left out.
    unique: Option<Unique>,
    /// How lines become blocks; if they wait there, a chunk's turn before the last.
    shape: Box<dyn BlockBuilder>,
    queue: Queue<JudgedChunk<'l>, OrderedState>,
    checkpointer: Option<Checkpointer>,
    failure: Mutex<Option<Error>>,
}

/// The state that is changed in the order of the chunks.
pub(super) struct OrderedState {
    pub sink: Sink,
    /// Collects the robots.txt files to fetch, if they are wanted.
    pub needed: Option<MissingRobots>,
    /// The same, written while the run is in progress.
    pub listed: Option<NeededList>,
    pub totals: Totals,
    pub reached: ReadPositions,
}

/// A judged chunk, handed in to be written.
type JudgedChunk<'l> = (Chunk<'l>, Judged);

/// The number of bits for a line's number within its list.
const LINES_OF_LIST: u32 = 40;

impl<'l> Pipeline<'l> {
    /// A pipeline for the chunks of a plan, which reports each chunk to `progress`. It leaves out duplicates, if there is `unique`,
    /// and asks `newer` for the policy of each chunk.
    pub fn new(
        plan: &'l Plan<'l>,
        chunks: Chunks<'l>,
        progress: &'l Progress,
        Begun { state, shape, checkpointer }: Begun,
        unique: Option<Unique>,
        newer: Option<&'l mut Newer<'l>>,
    ) -> Pipeline<'l> {
        Pipeline {
            plan,
            chunks,
            progress,
            style: plan.style(),
            older: plan.older_matchers(),
            notes_waiting: state.needed.is_some() || state.listed.is_some(),
            following: newer.map(|newer| Mutex::new(Following::new(newer, &plan.job.crawlers))),
            unique,
            shape,
            queue: Queue::new(state, plan.most_waiting()),
            checkpointer,
            failure: Mutex::new(None),
        }
    }

    /// Judges all chunks by this many workers, and makes checkpoints durable meanwhile, if the run keeps any.
    pub fn run(&self, workers: usize) -> Result<(), Error> {
        let matchers = self.plan.matchers();
        let judge = || drop(threads::at_once(workers, || work(self, &matchers)));
        let Some(checkpointer) = &self.checkpointer else {
            judge();
            return Ok(());
        };
        let keep = || checkpointer.keep().unwrap_or_else(|failure| self.fail(failure));
        threads::with_one_beside(keep, || checkpointer.stop(), judge)
            .map_err(|error| ErrorKind::System.of(Problem::from(error).within("cannot start a thread: ")))
    }

    /// Stops handing out chunks, because the rest of a list cannot be read, but completes those already handed out.
    fn end_input(&self, failure: Error) {
        lock(&self.failure).get_or_insert(failure);
        self.chunks.stop();
    }

    /// Stops the run, with the first failure as its result.
    fn fail(&self, failure: Error) {
        lock(&self.failure).get_or_insert(failure);
        self.chunks.stop();
        self.queue.stop();
        self.checkpointer.iter().for_each(Checkpointer::stop);
    }

    /// Ends the run and returns its results.
    pub fn finish(self) -> Result<Finished, Error> {
        let failure = lock(&self.failure).take();
        let failure = failure.or_else(|| self.chunks.is_interrupted().then(interrupted));
        if let Some(failure) = failure {
            return Err(self.save_progress(failure));
        }
        let newly = self.unique.map(|unique| unique.end(self.chunks.lists())).transpose();
        let newly = newly.map_err(|failure| match &self.checkpointer {
            Some(checkpointer) if failure.is_about(About::Untrusted) => checkpointer.note_kept(failure),
            _ => failure,
        })?;
        let newly = newly.flatten();
        let followed = self.following.and_then(|following| into_inner(following).policy());
        let policy = followed.unwrap_or_else(|| self.plan.policy.clone());
        let mut state = self.queue.into_inner();
        state.totals.skip(&self.chunks.take_ended().skipped);
        self.progress.skipped(state.totals.skipped());
        self.shape.end(&mut |blocks: Vec<Block<'_>>| {
            state.totals.add_written(&blocks);
            state.sink.folder().map_or(Ok(()), |output| output.write(&blocks))
        })?;
        let speed = self.progress.judged();
        state.sink.folder().map_or(Ok(()), Output::end)?;
        Ok(Finished { state, checkpointer: self.checkpointer, speed, policy, newly })
    }

    /// The failure, with a note that the run can be resumed: after all chunks that were handed out, if none of them
    /// failed, otherwise after the last checkpoint.
    fn save_progress(self, failure: Error) -> Error {
        let Some(checkpointer) = self.checkpointer else { return failure };
        // A run that has judged nothing has nothing to resume.
        let is_stopped = self.queue.is_stopped();
        let mut ordered = self.queue.into_inner();
        let is_begun = checkpointer.has_checkpoint() || ordered.totals.lines() > 0;
        if !is_begun || is_stopped || failure.is_about(About::Untrusted) {
            return checkpointer.note_kept(failure);
        }
        let saved = self.shape.held().and_then(|held| {
            ordered.checkpoint(held, checkpointer.seconds()).map_or(Ok(()), |taken| checkpointer.save(taken))
        });
        checkpointer.note_kept(saved.err().unwrap_or(failure))
    }

    /// The turn of a chunk in the shape.
    fn turn<'t>(&'t self, chunk: &Chunk<'_>, is_due: &'t dyn Fn() -> bool) -> Turn<'t> {
        let (set, ended) = (self.plan.sets.of_list(chunk.list), self.plan.sets.ended(&chunk.ended));
        Turn { turns: &self.queue.turns, ticket: chunk.ticket, set, ended, is_due }
    }
}

/// Judges chunks until there are none left.
pub(super) fn work(pipeline: &Pipeline<'_>, matchers: &[Matcher]) {
    let _guard = OnPanic(|| pipeline.fail(unbalanced()));
    if let Err(failure) = work_through(pipeline, matchers) {
        pipeline.fail(failure);
    }
}

fn work_through(pipeline: &Pipeline<'_>, matchers: &[Matcher]) -> Result<(), Error> {
    let Pipeline { plan, chunks, queue, unique, style, .. } = pipeline;
    let (matchers, older, allowed_if) = (matchers.to_vec(), pipeline.older.clone(), plan.job.allowed_if);
    let mut worker = Worker::new(matchers, older, allowed_if, *style, pipeline.notes_waiting, plan.worker_caches());
    // The number of the policy that it judges by, if policies may be replaced.
    let mut number = 0;
    let shape = &*pipeline.shape;
    let mut spare = Buffer::default();
    loop {
        let mut chunk = match chunks.next(&mut spare) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(()),
            Err(failure) => {
                pipeline.end_input(failure);
                return Ok(());
            }
        };
        chunks.read(&mut chunk, &mut spare)?;
        // After the chunk was read, because a policy that was in place before a line was written must judge that line.
        if !follow(pipeline, chunk.ticket, &mut number, &mut worker)? {
            return Ok(());
        }
        let list = &chunks.lists()[chunk.list];
        let more_follows = shape.ends_lines() || !plan.options.per_input && chunk.list + 1 < chunks.lists().len();
        if !worker.leave_out(unique.as_ref(), &queue.turns, &mut chunk, list, plan.is_only_changed())? {
            return Ok(());
        }
        worker.judge(&chunk, chunk.is_mapped() && !shape.holds_lines(), more_follows);
        let rows = shape.prepare(plan.sets.of_list(chunk.list), &chunk, &mut worker);
        // Lines may be written only if the list has not changed since it was opened, or a checkpoint could keep lines that were
        // never in it.
        list.unchanged()?;
        let rows = rows?;
        if let Some(unique) = unique {
            worker.keep_allowed(unique, &chunk)?;
        }
        spare = chunk.end_judging();
        let (ticket, is_long, permit) = (chunk.ticket, chunk.is_long, chunk.take_permit());
        hand_in(pipeline, chunk, rows, &mut worker)?;
        if is_long {
            queue.wait_for(ticket);
            queue.take_written().into_iter().for_each(|written| drop(buffers(pipeline, written)));
            // The next long chunk may begin only when this memory is freed.
            spare.release();
            worker = worker.anew(plan.worker_caches());
            drop(permit);
        }
    }
}

/// Hands in a judged chunk, with its rows if lines become rows, and takes the buffers of one that was written.
fn hand_in<'l>(
    pipeline: &Pipeline<'l>,
    chunk: Chunk<'l>,
    rows: Vec<FileRows>,
    worker: &mut Worker,
) -> Result<(), Error> {
    let mut judged = std::mem::take(&mut worker.judged);
    let is_due = || pipeline.checkpointer.as_ref().is_some_and(Checkpointer::is_due);
    if !pipeline.shape.blocks(pipeline.turn(&chunk, &is_due), rows, &mut judged)? {
        return Ok(());
    }
    judged.policy = worker.policy().filter(|_| pipeline.notes_waiting).cloned();
    let ticket = chunk.ticket;
    let written = pipeline.queue.hand_in(ticket, (chunk, judged), |ordered, due| write(pipeline, ordered, due))?;
    worker.judged.buffers = written.map_or_else(Vec::new, |written| buffers(pipeline, written));
    Ok(())
}

/// Counts a chunk in its turn, and writes its lines.
fn write(
    pipeline: &Pipeline<'_>,
    ordered: &mut OrderedState,
    (chunk, judged): &mut JudgedChunk<'_>,
) -> Result<(), Error> {
    let lists = pipeline.chunks.lists();
    let (waiting, policy) = (std::mem::take(&mut judged.waiting), judged.policy.take());
    let held = judged.held.take();
    let blocks = judged.blocks(pipeline.plan.sets.of_list(chunk.list), chunk.text());
    let before = ordered.count(chunk, judged, &blocks, lists);
    match (&mut ordered.listed, policy) {
        // Before the lines, so that a reader of a line finds the robots.txt that it waits for in the list.
        (Some(listed), Some(policy)) => listed.add(&policy, waiting)?,
        _ => ordered.add_waiting(waiting, before)?,
    }
    pipeline.progress.chunk(judged, chunk.skipped.len());
    let written = ordered.sink.write(&blocks);
    drop(blocks);
    judged.made = None;
    if judged.stays {
        // Lines written straight from a mapped list must still be those that were read.
        lists[chunk.list].unchanged()?;
    }
    written?;
    if let Some(output) = ordered.sink.folder() {
        output.close(&pipeline.plan.sets.ended(&chunk.ended));
    }
    let Some(checkpointer) = &pipeline.checkpointer else { return Ok(()) };
    let is_due_here = !pipeline.shape.holds_lines() && checkpointer.is_due();
    let held = if is_due_here { Some(Held::nothing()) } else { held };
    if let Some(taken) = held.and_then(|held| ordered.checkpoint(held, checkpointer.seconds())) {
        checkpointer.take(taken);
    }
    Ok(())
}

/// Takes the policy that is current in a ticket's turn to judge its chunk. Returns whether the run continues.
fn follow(pipeline: &Pipeline<'_>, ticket: u64, number: &mut u64, worker: &mut Worker) -> Result<bool, Error> {
    let Some(following) = &pipeline.following else { return Ok(true) };
    let newer_than = |following: &mut Following<'_>| following.newer_than(*number);
    let newer = pipeline.queue.turns.take(Step::Following, ticket, following, newer_than);
    let Some(newer) = newer else { return Ok(false) };
    if let Some((now, matchers)) = newer? {
        *number = now;
        worker.judge_by(matchers);
    }
    Ok(true)
}

/// The buffers of a chunk that was written. Also unmaps its text, which takes time that the worker that writes should not spend.
fn buffers(pipeline: &Pipeline<'_>, (chunk, judged): JudgedChunk<'_>) -> Vec<Pieces> {
    chunk.release(&pipeline.chunks.lists()[chunk.list]);
    judged.buffers
}

impl OrderedState {
    /// Before the first chunk, without the robots.txt files to fetch.
    pub fn new(plan: &Plan<'_>, sink: Sink) -> OrderedState {
        let totals = Totals::new(plan.lists.len(), &plan.splits(), plan.sets.sets.len(), plan.style());
        OrderedState { sink, needed: None, listed: None, totals, reached: ReadPositions::default() }
    }

    /// Counts a chunk and the blocks of its lines. Returns the number of its first line among all lines.
    fn count(&mut self, chunk: &Chunk<'_>, judged: &Judged, blocks: &[Block<'_>], lists: &[List]) -> u64 {
        let &Chunk { list, end, ref skipped, ref ended, .. } = chunk;
        ended.iter().for_each(|&list| self.reached.ended(list, lists));
        self.reached.chunk(list, end, lists);
        self.totals.skip(skipped);
        // Lists may be read at the same time, but all lines of one are numbered before those of the next.
        let before = ((list as u64) << LINES_OF_LIST) + self.totals.lists[list].input.lines;
        self.totals.add(list, judged);
        self.totals.add_written(blocks);
        before
    }

    /// Adds the origins of a chunk's deferred lines; `before` is the number of lines before the chunk.
    fn add_waiting(&mut self, mut waiting: WaitingOrigins, before: u64) -> Result<(), Error> {
        let (Some(output), Some(needed)) = (self.sink.folder(), &mut self.needed) else {
            return Ok(());
        };
        waiting.shift_by(before);
        needed.add(&waiting).map_err(unwritable(&output.directory().join(NEEDED)))
    }

    /// The whole state after the chunk whose turn it is, including what waits.
    fn checkpoint(&mut self, held: Held, seconds: f64) -> Option<PendingCheckpoint> {
        let (output, needed) = (self.sink.folder()?, self.needed.as_ref()?);
        let state = RunState {
            reached: self.reached.clone(),
            seconds,
            totals: self.totals.clone(),
            files: output.state(),
            gathered: held.gathered,
            rows: held.rows.rows,
            needed: needed.state(),
        };
        let mut files = output.touched();
        files.extend(needed.files().into_iter().chain(held.rows.added));
        Some(PendingCheckpoint { state: Box::new(state), files, outdated: held.rows.outdated })
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::dialect::Dialect;
    use crate::formats::memory_budget::CacheMemory;
    use crate::input::layout::Layout;
    use crate::judge::choices::Choices;
    use crate::outcome::Partition;
    use crate::output::form::Splits;
    use crate::policy::Captures;
    use crate::robots::Agents;

    const LINES: &str = "http://a.example/1\nhttp://a.example/2\nhttp://a.example/3\n";

    /// Whether the totals balance when the deferred lines are changed between judging and writing.
    fn balance(change: impl Fn(&str) -> String) -> bool {
        let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy().unwrap();
        let crawler = policy.crawler(None).unwrap();
        let matchers = vec![Matcher::new(&policy, crawler, Choices::at(0))];
        let style = OutputOptions { crawlers: 1, ..OutputOptions::default() };
        let mut worker = Worker::new(matchers, Vec::new(), None, Some(style), true, CacheMemory::outside_jobs());
        worker.judge(&Chunk::of_lines(LINES.as_bytes(), &Layout::Whole, 0), false, false);
        let deferred = &mut worker.judged.buffers[Partition::Deferred as usize].copies;
        assert_eq!(deferred, LINES.as_bytes());
        *deferred = change(LINES).into_bytes();
        let splits = Splits::new(vec![Agents::everybody()], None, false);
        let mut totals = Totals::new(1, &splits, 1, Some(style));
        totals.add(0, &worker.judged);
        let blocks = worker.judged.buffers.iter().enumerate().map(|(file, pieces)| {
            let tally = style.tally(file, &pieces.copies);
            Block { set: 0, file, pieces: vec![Cow::Borrowed(&pieces.copies[..])], tally }
        });
        totals.add_written(&blocks.collect::<Vec<_>>());
        totals.balanced().is_ok()
    }

    #[test]
    fn a_line_that_is_lost_doubled_or_swapped_is_caught() {
        assert!(balance(str::to_owned));
        assert!(!balance(|lines| lines.replace("http://a.example/2\n", "")), "lost");
        assert!(!balance(|lines| lines.replace("2\n", "2\nhttp://a.example/2\n")), "doubled");
        assert!(!balance(|lines| lines.replace("2\n", "4\n")), "swapped for another");
        assert!(!balance(|_| "http://a.example/2\nhttp://a.example/1\nhttp://a.example/3\n".to_owned()), "swapped");
        assert!(!balance(|lines| lines.trim_end().to_owned()), "without its last byte");
    }
}
