//! Workers and their pipeline: which worker judges which chunk, and in what order lines are placed.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Mutex;

use super::checkpoint::RunState;
use super::checkpointer::{Checkpointer, PendingCheckpoint};
use super::following::{Following, Newer};
use super::gather::{Gathered, Gatherer};
use super::needed::NeededList;
use super::plan::Plan;
use super::progress::Progress;
use super::queue::Queue;
use super::reached::Reached;
use super::sequence::Sequence;
use super::totals::Totals;
use super::unique::{Unique, UniqueLines};
use super::worker::{Judged, Worker};
use crate::input::buffer::Buffer;
use crate::input::chunk::{Chunk, chunk_of};
use crate::input::chunks::{Chunks, Task};
use crate::input::skipped::Skipped;
use crate::judge::matcher::Matcher;
use crate::judge::place::Pieces;
use crate::judge::tally::Tally;
use crate::lock::{OnPanic, lock};
use crate::output::block::Block;
use crate::output::error::OutputError;
use crate::output::folder::NEEDED;
use crate::output::form::Rows;
use crate::output::frame::Compressor;
use crate::output::missing_robots::{MissingRobots, WaitingOrigins};
use crate::output::partitions::Output;
use crate::output::samples::Sample;
use crate::output::sink::Sink;
use crate::output::table::{FileRows, FullGroup, RowSource, Table, TakenRows, WaitingRows};
use crate::policy::Policy;
use crate::run::error::FilterError;
use crate::threads;

/// Where the lines go, and how far an interrupted run came.
#[derive(Default)]
pub(super) struct Outlets {
    pub sink: Sink,
    /// Collects the robots.txt files to fetch, if they are wanted.
    pub needed: Option<MissingRobots>,
    /// The same, written while the run goes on.
    pub listed: Option<NeededList>,
    /// If lines become rows: the table of each set of files.
    pub tables: Vec<Table>,
    /// The rows that wait, from the start or from that state.
    pub waiting: Option<WaitingRows>,
    /// The state to start from, if the run was interrupted.
    pub state: Option<RunState>,
}

/// The results of a run.
pub(super) struct Finished {
    /// The files, if any were written.
    pub output: Option<Output>,
    pub needed: Option<MissingRobots>,
    pub totals: Totals,
    /// How fast lines were judged.
    pub speed: Vec<Sample>,
    /// The policy that judged the last lines.
    pub policy: Policy,
}

/// The state shared by all workers.
pub(super) struct Pipeline<'l> {
    plan: &'l Plan<'l>,
    chunks: Chunks<'l>,
    pub progress: &'l Progress,
    rows: Option<Rows>,
    /// Whether the list of robots.txt to fetch is wanted.
    notes_waiting: bool,
    /// If lines become rows: the table of each set of files.
    tables: Vec<Table>,
    /// A chunk's first turn, if the policy may be replaced.
    following: Option<Sequence<Following<'l>>>,
    /// A chunk's next turn, if duplicates are left out.
    unique: Option<Unique>,
    /// A chunk's turn before the last, if lines go into frames.
    gatherer: Sequence<Gatherer>,
    /// The same, if lines become rows.
    waiting: Option<Sequence<WaitingRows>>,
    queue: Queue<PendingChunk<'l>, OrderedState>,
    /// Buffers and texts of chunks that are written.
    spares: Mutex<Vec<Spare>>,
    checkpointer: Option<&'l Checkpointer>,
    failure: Mutex<Option<FilterError>>,
}

/// The state that is changed in the order of the chunks.
struct OrderedState {
    sink: Sink,
    needed: Option<MissingRobots>,
    listed: Option<NeededList>,
    totals: Totals,
    reached: Reached,
}

/// A judged chunk, handed in to be written.
struct PendingChunk<'l> {
    list: usize,
    /// Where it begins in its list.
    at: u64,
    /// Where it ends in its list.
    end: u64,
    /// The parts of lists left out before it.
    skipped: Vec<Skipped>,
    /// Lists that ended before it.
    ended: Vec<usize>,
    /// Its text, if runs of lines are written straight from it.
    text: Option<&'l [u8]>,
    judged: Judged,
    /// The policy that judged it, if the robots.txt to fetch are listed at once.
    policy: Option<Policy>,
    blocks: Blocks,
    /// What waits after the chunk, if a checkpoint is due there.
    at_checkpoint: Option<WaitingParts>,
}

/// What waits after a chunk: lines for frames, or rows for row groups.
struct WaitingParts {
    gathered: Gatherer,
    rows: TakenRows,
}

impl WaitingParts {
    fn none() -> WaitingParts {
        WaitingParts { gathered: Gatherer::new(0), rows: TakenRows::default() }
    }
}

/// What remains of a chunk after it is written.
struct Spare {
    /// Buffers to be reused.
    buffers: Vec<Pieces>,
    /// The list, and the part of its text that will not be read again.
    list: usize,
    text: Range<usize>,
}

/// The blocks of a chunk.
enum Blocks {
    /// The chunk's buffers, unchanged, for this set of files, with the tally of each.
    Buffers(usize, Vec<Tally>),
    /// Frames or rows; none if nothing is written.
    Made(Vec<Block<'static>>),
}

/// The number of bits for a line's number within its list.
const LINES_OF_LIST: u32 = 40;

/// A worker, with its memory for leaving out duplicates and for making frames.
struct WorkerState {
    worker: Worker,
    /// The number of the policy that it judges by, if policies may be replaced.
    number: u64,
    unique_lines: UniqueLines,
    compressor: Option<Compressor>,
}

impl<'l> Pipeline<'l> {
    /// A pipeline for the chunks of a plan, which reports each chunk to `progress`. It keeps checkpoints, if there is a
    /// `checkpointer`, and drops duplicates, if there is `unique`. It asks `newer` for the policy of each
    /// chunk.
    pub fn new(
        plan: &'l Plan<'l>,
        chunks: Chunks<'l>,
        progress: &'l Progress,
        outlets: Outlets,
        checkpointer: Option<&'l Checkpointer>,
        unique: Option<Unique>,
        newer: Option<&'l mut Newer<'l>>,
    ) -> Pipeline<'l> {
        let rows = plan.rows();
        let Outlets { sink, needed, listed, tables, waiting, state } = outlets;
        let (reached, totals, gatherer) = match state {
            Some(RunState { reached, totals, gathered, .. }) => (reached, totals, gathered),
            None => {
                let totals = Totals::new(plan.lists.len(), plan.job.crawlers.len(), plan.sets(), rows);
                (Reached::default(), totals, Gatherer::new(rows.map_or(0, Rows::files)))
            }
        };
        Pipeline {
            plan,
            chunks,
            progress,
            rows,
            notes_waiting: needed.is_some() || listed.is_some(),
            tables,
            following: newer.map(|newer| Sequence::new(Following::new(newer))),
            unique,
            gatherer: Sequence::new(gatherer),
            waiting: waiting.map(Sequence::new),
            queue: Queue::new(OrderedState { sink, needed, listed, totals, reached }, plan.most_waiting()),
            spares: Mutex::default(),
            checkpointer,
            failure: Mutex::new(None),
        }
    }

    /// Makes checkpoints durable until [`Pipeline::end_checkpoints`], if the run keeps any.
    pub fn keep(&self) {
        if let Some(Err(failure)) = self.checkpointer.map(Checkpointer::keep) {
            self.fail(failure.into());
        }
    }

    /// Ends the keeping of checkpoints: no more lines are written.
    pub fn end_checkpoints(&self) {
        if let Some(checkpointer) = self.checkpointer {
            checkpointer.stop();
        }
    }

    /// Judges no further chunks, because a list cannot be read on, but completes those already handed out.
    fn end_input(&self, failure: FilterError) {
        lock(&self.failure).get_or_insert(failure);
        self.chunks.stop();
    }

    /// Stops the run, with the first failure as its result.
    fn fail(&self, failure: FilterError) {
        lock(&self.failure).get_or_insert(failure);
        self.chunks.stop();
        if let Some(following) = &self.following {
            following.stop();
        }
        if let Some(unique) = &self.unique {
            unique.stop();
        }
        self.gatherer.stop();
        if let Some(waiting) = &self.waiting {
            waiting.stop();
        }
        self.queue.stop();
        self.end_checkpoints();
    }

    /// Ends the run and returns its results.
    pub fn finish(self) -> Result<Finished, FilterError> {
        let failure = lock(&self.failure).take();
        let failure = failure.or_else(|| self.chunks.is_interrupted().then_some(FilterError::Interrupted));
        if let Some(failure) = failure {
            return Err(self.save_progress(failure));
        }
        let mut compressor = self.compressor()?;
        let followed = self.following.and_then(|following| following.into_inner().policy());
        let policy = followed.unwrap_or_else(|| self.plan.policy.clone());
        let OrderedState { mut sink, needed, mut totals, .. } = self.queue.into_inner();
        totals.skip(&self.chunks.left_out().skipped);
        self.progress.skipped(totals.skipped());
        let mut write = |blocks: Vec<Block<'_>>| {
            totals.add_written(&blocks);
            if let Sink::Folder(output) = &mut sink { output.write(&blocks) } else { Ok(()) }
        };
        match (self.rows, &mut compressor, self.waiting) {
            (Some(rows), Some(compressor), _) => write(framed(rows, self.gatherer.into_inner().rest(), compressor)?)?,
            (.., Some(waiting)) => {
                let mut rest = waiting.into_inner().rest();
                while !rest.is_empty() {
                    // No more at once than the workers could hold.
                    let some = rest.drain(..rest.len().min(self.plan.options.threads)).collect();
                    write(last_groups(&self.tables, some)?)?;
                }
            }
            _ => {}
        }
        totals.end();
        let speed = self.progress.judged();
        let Sink::Folder(mut output) = sink else {
            return Ok(Finished { output: None, needed, totals, speed, policy });
        };
        output.end()?;
        Ok(Finished { output: Some(*output), needed, totals, speed, policy })
    }

    /// The failure, with a note of what is kept of the run: all chunks handed out, if nothing went wrong with them, otherwise
    /// those up to the last checkpoint.
    fn save_progress(self, failure: FilterError) -> FilterError {
        let Some(checkpointer) = self.checkpointer else { return failure };
        // Nothing is kept of a run that has done nothing.
        let is_stopped = self.queue.is_stopped();
        let mut ordered = self.queue.into_inner();
        let is_begun = checkpointer.has_checkpoint() || ordered.totals.input.lines > 0;
        if !is_begun || is_stopped || failure.invalidates_checkpoint() {
            return checkpointer.note_kept(failure);
        }
        let rows = self.waiting.map(|waiting| waiting.into_inner().checkpoint()).transpose();
        let saved = rows.and_then(|rows| {
            let parts = WaitingParts { gathered: self.gatherer.into_inner(), rows: rows.unwrap_or_default() };
            ordered.checkpoint(parts, checkpointer.seconds()).map_or(Ok(()), |taken| checkpointer.save(taken))
        });
        checkpointer.note_kept(saved.err().map_or(failure, FilterError::from))
    }

    fn compressor(&self) -> Result<Option<Compressor>, FilterError> {
        Ok(self.plan.options.compress.map(Compressor::new).transpose().map_err(OutputError::Compress)?)
    }

    /// The rows of a task's chunk, if lines become rows.
    fn rows(&self, task: &Task<'_>, lines: Chunk<'_>, worker: &mut Worker) -> Result<Vec<FileRows>, FilterError> {
        let set = self.plan.set_of(task.list);
        let (outcomes, mut causes) = worker.rows(lines.text);
        let mut rows = self.tables[set].rows(set, &RowSource::of(task, lines), outcomes, &mut causes)?;
        rows.iter_mut().try_for_each(FileRows::compact)?;
        Ok(rows)
    }

    /// The row groups that a chunk's rows complete, as blocks, and the rows that wait after it, if a checkpoint is due there;
    /// `None` if the run has failed meanwhile.
    fn row_groups(
        &self,
        task: &Task<'_>,
        rows: Vec<FileRows>,
    ) -> Result<Option<(Blocks, Option<WaitingParts>)>, FilterError> {
        let Some(waiting) = &self.waiting else { return Ok(None) };
        let taken = waiting.in_turn(task.ticket, |waiting| {
            let full = waiting.take(rows, &self.plan.sets_of(&task.ended))?;
            let is_due = self.checkpointer.is_some_and(Checkpointer::is_due);
            Ok::<_, OutputError>((full, is_due.then(|| waiting.checkpoint()).transpose()?))
        });
        let Some((full, taken)) = taken.transpose()? else { return Ok(None) };
        let blocks = full.into_iter().map(|group| self.tables[group.set].row_group(group)).collect::<Result<_, _>>()?;
        let at_checkpoint = taken.map(|rows| WaitingParts { rows, ..WaitingParts::none() });
        Ok(Some((Blocks::Made(blocks), at_checkpoint)))
    }

    /// The blocks of a chunk's lines, and the lines waiting for frames after it, if a checkpoint is due there; `None` if the run
    /// has failed meanwhile.
    fn blocks(
        &self,
        task: &Task<'_>,
        judged: &mut Judged,
        compressor: &mut Option<Compressor>,
    ) -> Result<Option<(Blocks, Option<WaitingParts>)>, FilterError> {
        let (Some(rows), set) = (self.rows, self.plan.set_of(task.list)) else {
            return Ok(Some((Blocks::Made(Vec::new()), None)));
        };
        let Some(compressor) = compressor else {
            return Ok(Some((Blocks::Buffers(set, judged.tallies(rows)), None)));
        };
        let gathered = self.gatherer.in_turn(task.ticket, |gatherer| {
            let texts = judged.buffers.iter_mut().map(|pieces| &mut pieces.copies);
            let gathered = gatherer.take(set, &self.plan.sets_of(&task.ended), texts);
            let is_due = self.checkpointer.is_some_and(Checkpointer::is_due);
            (gathered, is_due.then(|| gatherer.clone()))
        });
        let Some((gathered, at_checkpoint)) = gathered else { return Ok(None) };
        let at_checkpoint = at_checkpoint.map(|gathered| WaitingParts { gathered, ..WaitingParts::none() });
        Ok(Some((Blocks::Made(framed(rows, gathered, compressor)?), at_checkpoint)))
    }
}

/// Compresses gathered lines into frames, as blocks of files with these rows.
fn framed(
    rows: Rows,
    gathered: Vec<Gathered>,
    compressor: &mut Compressor,
) -> Result<Vec<Block<'static>>, OutputError> {
    let block = |Gathered { set, file, text }: Gathered| {
        let pieces = vec![Cow::Owned(compressor.frame(&text).map_err(OutputError::Compress)?)];
        Ok(Block { set, file, pieces, tally: rows.tally(file, &text) })
    };
    gathered.into_iter().map(block).collect()
}

/// Encodes the last rows of some files, as blocks, all at once.
fn last_groups(tables: &[Table], rest: Vec<FullGroup>) -> Result<Vec<Block<'static>>, OutputError> {
    let at_once = if rest.len() > 1 { rest.len() } else { 0 };
    let encode = |group: FullGroup| tables[group.set].row_group(group);
    threads::on(at_once, || threads::map(rest, encode)).into_iter().collect()
}

/// Judges chunks until there are none left, keeping `kept_rules` bytes of rules for each crawler to explain lines.
pub(super) fn work(pipeline: &Pipeline<'_>, matchers: &[Matcher], kept_rules: usize) {
    let _guard = OnPanic(|| pipeline.fail(FilterError::Unbalanced));
    if let Err(failure) = work_through(pipeline, matchers, kept_rules) {
        pipeline.fail(failure);
    }
}

fn work_through(pipeline: &Pipeline<'_>, matchers: &[Matcher], kept_rules: usize) -> Result<(), FilterError> {
    let worker = Worker::new(matchers, pipeline.rows, pipeline.notes_waiting, kept_rules);
    let mut state =
        WorkerState { worker, number: 0, unique_lines: UniqueLines::default(), compressor: pipeline.compressor()? };
    let as_rows = !pipeline.tables.is_empty();
    let mut buffer = Buffer::default();
    loop {
        let mut task = match pipeline.chunks.next(&mut buffer) {
            Ok(Some(task)) => task,
            Ok(None) => return Ok(()),
            Err(failure) => {
                pipeline.end_input(failure.into());
                return Ok(());
            }
        };
        pipeline.chunks.read(&mut task, &mut buffer)?;
        // After the chunk was read, so that lines are judged by the policy that was there before they were.
        if !state.follow(pipeline, task.ticket) {
            return Ok(());
        }
        let chunk = chunk_of(&pipeline.chunks, &task, &buffer);
        // Every row counts as ending in a line feed.
        let more_follows = as_rows || !pipeline.plan.options.per_input && task.list + 1 < pipeline.chunks.lists().len();
        let remaining = match &pipeline.unique {
            Some(unique) => unique.remaining(task.ticket, chunk, &mut state.unique_lines, pipeline.rows.is_some())?,
            None => Some(chunk),
        };
        let Some(remaining) = remaining else { return Ok(()) };
        // Lines can be written straight from the mapped list if they are written unchanged and none is left out.
        let stays = task.mapped().filter(|_| pipeline.unique.is_none() && pipeline.plan.options.compress.is_none());
        state.worker.judge(&remaining, stays.is_some(), more_follows);
        let rows = as_rows.then(|| pipeline.rows(&task, remaining, &mut state.worker));
        // Lines may be written only if the list has not changed since it was opened, or a checkpoint could keep lines that were
        // never in it.
        pipeline.chunks.lists()[task.list].unchanged()?;
        let rows = rows.transpose()?;
        state.worker.count_left_out(&state.unique_lines);
        hand_in(pipeline, &mut task, stays, rows, &mut state)?;
        if task.is_long {
            pipeline.queue.wait_for(task.ticket);
            lock(&pipeline.spares).drain(..).for_each(|spare| drop(spare.buffers(pipeline)));
            // The next long chunk may begin only when this memory is freed.
            buffer.release();
            state.worker.release();
            state.unique_lines = UniqueLines::default();
        }
    }
}

/// Hands in the judged chunk of a task, with its rows if lines become rows.
fn hand_in<'l>(
    pipeline: &Pipeline<'l>,
    task: &mut Task<'l>,
    text: Option<&'l [u8]>,
    rows: Option<Vec<FileRows>>,
    state: &mut WorkerState,
) -> Result<(), FilterError> {
    let mut judged = std::mem::take(&mut state.worker.judged);
    let prepared = match rows {
        Some(rows) => pipeline.row_groups(task, rows)?,
        None => pipeline.blocks(task, &mut judged, &mut state.compressor)?,
    };
    let Some((blocks, at_checkpoint)) = prepared else { return Ok(()) };
    let skipped = std::mem::take(&mut task.skipped);
    let ended = std::mem::take(&mut task.ended);
    let pending = PendingChunk {
        list: task.list,
        at: task.at,
        end: task.end,
        skipped,
        ended,
        text,
        judged,
        policy: state.worker.policy().filter(|_| pipeline.notes_waiting).cloned(),
        blocks,
        at_checkpoint,
    };
    pipeline.queue.hand_in(task.ticket, pending, |ordered, pending| write(pipeline, ordered, pending))?;
    let spare = lock(&pipeline.spares).pop();
    state.worker.judged.buffers = spare.map_or_else(Vec::new, |spare| spare.buffers(pipeline));
    Ok(())
}

/// Counts a chunk in its turn, and writes its lines.
fn write(pipeline: &Pipeline<'_>, ordered: &mut OrderedState, pending: PendingChunk<'_>) -> Result<(), FilterError> {
    let PendingChunk { list, at, end, skipped, ended, text, mut judged, policy, blocks, mut at_checkpoint } = pending;
    let blocks: Vec<Block<'_>> = match blocks {
        Blocks::Made(blocks) => blocks,
        Blocks::Buffers(set, tallies) => {
            let files = judged.buffers.iter().map(|pieces| pieces.of(text.unwrap_or_default()).map(Cow::Borrowed));
            let files = files.zip(tallies).enumerate();
            files.map(|(file, (pieces, tally))| Block { set, file, pieces: pieces.collect(), tally }).collect()
        }
    };
    let lists = pipeline.chunks.lists();
    ended.iter().for_each(|&list| ordered.reached.ended(list, lists));
    ordered.reached.chunk(list, end, lists);
    ordered.totals.skip(&skipped);
    // Lists may be read at the same time, but all lines of one are numbered before those of the next.
    let before = ((list as u64) << LINES_OF_LIST) + ordered.totals.lists[list].input.lines;
    ordered.totals.add(list, &judged);
    ordered.totals.add_written(&blocks);
    let waiting = std::mem::take(&mut judged.waiting);
    match (&mut ordered.listed, policy) {
        // Before the lines: who has read a line finds in the list what it waits for.
        (Some(listed), Some(policy)) => listed.add(&policy, waiting)?,
        _ => ordered.add_waiting(waiting, before)?,
    }
    pipeline.progress.chunk(&ordered.totals);
    let written = ordered.sink.write(&blocks);
    if text.is_some() {
        // Lines written straight from a mapped list must still be those that were read.
        lists[list].unchanged()?;
    }
    written?;
    if let Some(output) = ordered.sink.folder() {
        output.close(&pipeline.plan.sets_of(&ended));
    }
    if let Some(checkpointer) = pipeline.checkpointer {
        let is_taken_here = pipeline.plan.options.compress.is_none() && pipeline.waiting.is_none();
        if is_taken_here && checkpointer.is_due() {
            at_checkpoint = Some(WaitingParts::none());
        }
        if let Some(taken) = at_checkpoint.and_then(|parts| ordered.checkpoint(parts, checkpointer.seconds())) {
            checkpointer.take(taken);
        }
    }
    drop(blocks);
    lock(&pipeline.spares).push(Spare { buffers: judged.buffers, list, text: at as usize..end as usize });
    Ok(())
}

impl WorkerState {
    /// Judges the chunk of a ticket by the policy that is there in its turn. Returns whether the run goes on.
    fn follow(&mut self, pipeline: &Pipeline<'_>, ticket: u64) -> bool {
        let Some(following) = &pipeline.following else { return true };
        let Some(newer) = following.in_turn(ticket, |following| following.newer_than(self.number)) else {
            return false;
        };
        if let Some((number, matchers)) = newer {
            self.number = number;
            self.worker.judge_by(matchers);
        }
        true
    }
}

impl Spare {
    /// The buffers. Also unmaps the text, which takes time that the worker that writes should not spend.
    fn buffers(self, pipeline: &Pipeline<'_>) -> Vec<Pieces> {
        pipeline.chunks.lists()[self.list].release(self.text);
        self.buffers
    }
}

impl OrderedState {
    /// Adds the origins of a chunk's deferred lines; `before` is the number of lines before the chunk.
    fn add_waiting(&mut self, mut waiting: WaitingOrigins, before: u64) -> Result<(), FilterError> {
        let (Some(output), Some(needed)) = (self.sink.folder(), &mut self.needed) else {
            return Ok(());
        };
        waiting.shift_by(before);
        let failed = |error| OutputError::Unwritable { path: output.directory().join(NEEDED), error };
        Ok(needed.add(waiting).map_err(failed)?)
    }

    /// The whole state after the chunk whose turn it is, including the parts that wait.
    fn checkpoint(&mut self, parts: WaitingParts, seconds: f64) -> Option<PendingCheckpoint> {
        let (output, needed) = (self.sink.folder()?, self.needed.as_ref()?);
        let state = RunState {
            reached: self.reached.clone(),
            seconds,
            totals: self.totals.clone(),
            files: output.state(),
            gathered: parts.gathered,
            rows: parts.rows.rows,
            needed: needed.state(),
        };
        let mut files = output.touched();
        files.extend(needed.files().into_iter().chain(parts.rows.added));
        Some(PendingCheckpoint { state: Box::new(state), files, outdated: parts.rows.outdated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::input::layout::Layout;
    use crate::judge::decision::Choices;
    use crate::outcome::Partition;
    use crate::output::form::Form;
    use crate::output::format::Format;
    use crate::policy::Captures;
    use crate::robots::Agents;

    const LINES: &str = "http://a.example/1\nhttp://a.example/2\nhttp://a.example/3\n";

    /// Whether the totals balance when the deferred lines are changed between judging and writing.
    fn balance(change: impl Fn(&str) -> String) -> bool {
        let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy().unwrap();
        let crawler = policy.crawler(None).unwrap();
        let matchers = [Matcher::new(&policy, crawler, Choices::at(0))];
        let rows = Rows { form: Form::Partitions, format: Format::Text, explain: false, crawlers: 1 };
        let mut worker = Worker::new(&matchers, Some(rows), true, 0);
        worker.judge(
            &Chunk { text: LINES.as_bytes(), layout: &Layout::Whole, mark: 0, flaws: &[], left_out: &[] },
            false,
            false,
        );
        let deferred = &mut worker.judged.buffers[Partition::Deferred as usize].copies;
        assert_eq!(deferred, LINES.as_bytes());
        *deferred = change(LINES).into_bytes();
        let mut totals = Totals::new(1, 1, 1, Some(rows));
        totals.add(0, &worker.judged);
        let blocks = worker.judged.buffers.iter().enumerate().map(|(file, pieces)| {
            let tally = rows.tally(file, &pieces.copies);
            Block { set: 0, file, pieces: vec![Cow::Borrowed(&pieces.copies[..])], tally }
        });
        totals.add_written(&blocks.collect::<Vec<_>>());
        totals.end();
        totals.balanced().is_ok()
    }

    #[test]
    fn a_line_that_is_dropped_doubled_or_swapped_is_caught() {
        assert!(balance(str::to_owned));
        assert!(!balance(|lines| lines.replace("http://a.example/2\n", "")), "dropped");
        assert!(!balance(|lines| lines.replace("2\n", "2\nhttp://a.example/2\n")), "doubled");
        assert!(!balance(|lines| lines.replace("2\n", "4\n")), "swapped for another");
        assert!(!balance(|_| "http://a.example/2\nhttp://a.example/1\nhttp://a.example/3\n".to_owned()), "swapped");
        assert!(!balance(|lines| lines.trim_end().to_owned()), "without its last byte");
    }
}
