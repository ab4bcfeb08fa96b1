//! Workers and their turns: who judges which chunk, and in what order their lines are placed.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use super::checkpoint::Border;
use super::gather::{Gathered, Gatherer};
use super::keeper::{Keeper, Taken};
use super::progress::Progress;
use super::queue::Queue;
use super::sequence::Sequence;
use super::totals::Totals;
use super::unique::{Kept, Unique};
use super::worker::{Judged, Worker};
use crate::input::chunk::{Chunk, chunk_of};
use crate::input::chunks::{Buffer, Chunks, Task};
use crate::input::error::FilterError;
use crate::input::skipped::Skipped;
use crate::judge::matcher::Judge;
use crate::judge::tally::Tally;
use crate::lock::lock;
use crate::output::block::Block;
use crate::output::form::Rows;
use crate::output::frame::{Compressor, FrameFormat};
use crate::output::keep::Keep;
use crate::output::names::NEEDED;
use crate::output::needed::{Needed, WaitingOrigins};
use crate::output::partitions::{Output, Place};
use crate::output::sink::Sink;
use crate::output::table::{Source, Table};

/// Where the lines go.
pub(super) struct Destinations {
    pub sink: Sink,
    /// The robots.txt to fetch, if somebody wants to know.
    pub needed: Option<Needed>,
    pub rows: Rows,
    /// How frames are compressed, if lines go into frames.
    pub frames: Option<FrameFormat>,
    /// If lines become rows: the tables of each set of files.
    pub tables: Vec<Table>,
    /// Whether each list has files of its own.
    pub per_input: bool,
    /// Who keeps checkpoints, if the run can go on from one.
    pub keeper: Option<Arc<Keeper>>,
}

/// What all workers share.
pub(super) struct Turns<'l> {
    chunks: Chunks<'l>,
    pub progress: &'l Progress,
    per_input: bool,
    rows: Option<Rows>,
    /// Whether somebody wants to know which robots.txt are to be fetched.
    notes_waiting: bool,
    frames: Option<FrameFormat>,
    /// If lines become rows: the tables of each set of files.
    tables: Vec<Table>,
    /// The first turn of a chunk, where lines are left out.
    unique: Option<Unique>,
    /// The turn of a chunk before the last one, where lines go into frames.
    gatherer: Sequence<Gatherer>,
    queue: Queue<Handed, Turn>,
    /// Buffers of chunks that are written, to be filled again.
    spares: Mutex<Vec<Vec<Vec<u8>>>>,
    keeper: Option<Arc<Keeper>>,
    failure: Mutex<Option<FilterError>>,
}

/// What is done in the order of the chunks.
struct Turn {
    sink: Option<Sink>,
    needed: Option<Needed>,
    totals: Totals,
    /// The list that the next chunk is of, and where in its text.
    list: usize,
    at: u64,
}

/// A judged chunk, handed in to be written.
struct Handed {
    list: usize,
    /// Where it ends in the text of its list.
    end: u64,
    /// What was left out of lists before it.
    skipped: Vec<Skipped>,
    judged: Judged,
    blocks: Blocks,
    /// What waits for its frames after the chunk, if a checkpoint is due there.
    border: Option<Gatherer>,
}

/// The blocks that a chunk makes.
enum Blocks {
    /// The buffers of the chunk, as they are, for this set of files, with the tally of each.
    Buffers(usize, Vec<Tally>),
    /// Frames or rows; none where nothing is written.
    Made(Vec<Block<'static>>),
}

/// A worker, and what it has to leave lines out and to make frames with.
struct Hand<'j, 'p> {
    worker: Worker<'j, 'p>,
    kept: Kept,
    compressor: Option<Compressor>,
}

impl<'l> Turns<'l> {
    /// Of these chunks, for so many crawlers, telling `progress` of each; from the `border` on where the run was interrupted,
    /// and without what is not `unique` if lines are left out.
    pub fn new(
        (chunks, workers): (Chunks<'l>, usize),
        progress: &'l Progress,
        crawlers: usize,
        destinations: Option<Destinations>,
        border: Option<Border>,
        unique: Option<Unique>,
    ) -> Turns<'l> {
        let rows = destinations.as_ref().map(|destinations| destinations.rows);
        let files = rows.map_or(0, Rows::files);
        let (mut turn, gatherer) = match border {
            Some(Border { list, at, totals, gathered, .. }) => {
                (Turn { sink: None, needed: None, totals, list, at }, gathered)
            }
            None => {
                let totals = Totals::new(chunks.lists().len(), crawlers, rows);
                (Turn { sink: None, needed: None, totals, list: 0, at: 0 }, Gatherer::new(files))
            }
        };
        let (mut frames, mut per_input, mut keeper, mut notes_waiting) = (None, false, None, false);
        let mut tables = Vec::new();
        if let Some(destinations) = destinations {
            (frames, per_input, keeper) = (destinations.frames, destinations.per_input, destinations.keeper);
            (notes_waiting, tables) = (destinations.needed.is_some(), destinations.tables);
            turn.sink = Some(destinations.sink);
            turn.needed = destinations.needed;
        }
        let (gatherer, queue, failure) = (Sequence::new(gatherer), Queue::new(turn, workers), Mutex::new(None));
        Turns {
            chunks,
            progress,
            per_input,
            rows,
            notes_waiting,
            frames,
            tables,
            unique,
            gatherer,
            queue,
            spares: Mutex::default(),
            keeper,
            failure,
        }
    }

    /// Makes checkpoints durable until [`Turns::judged`], if there is anything to go on with.
    pub fn keep(&self) {
        if let Some(Err(failure)) = self.keeper.as_ref().map(|keeper| keeper.keep()) {
            self.fail(failure);
        }
    }

    /// No more lines are written.
    pub fn judged(&self) {
        if let Some(keeper) = &self.keeper {
            keeper.stop();
        }
    }

    /// Judges no further chunks, but completes those that were handed out: a list cannot be read on.
    fn end_input(&self, failure: FilterError) {
        lock(&self.failure).get_or_insert(failure);
        self.chunks.stop();
    }

    /// Stops the run, with the first failure as its result.
    fn fail(&self, failure: FilterError) {
        lock(&self.failure).get_or_insert(failure);
        self.chunks.stop();
        if let Some(unique) = &self.unique {
            unique.stop();
        }
        self.gatherer.stop();
        self.queue.stop();
        self.judged();
    }

    /// What the run came to.
    pub fn finish(self) -> Result<(Option<Output>, Option<Needed>, Totals), FilterError> {
        let failure = lock(&self.failure).take();
        let failure = failure.or_else(|| self.chunks.is_interrupted().then_some(FilterError::Interrupted));
        if let Some(failure) = failure {
            return Err(self.kept(failure));
        }
        let waiting = self.gatherer.out_of_turn(Gatherer::rest);
        let frames = self.framed(waiting, &mut self.compressor()?)?;
        let Turn { sink, needed, mut totals, .. } = self.queue.into_inner();
        totals.skip(&self.chunks.left_out());
        self.progress.skipped(totals.skipped());
        let Some(Sink::Folder(mut output)) = sink else { return Ok((None, needed, totals)) };
        totals.add_written(&frames);
        output.reserve(&frames)?.iter().try_for_each(Place::write)?;
        output.end()?;
        Ok((Some(*output), needed, totals))
    }

    /// The failure, with word of what is kept of the run: all chunks that were handed out, if nothing went wrong with
    /// those, else those up to the last checkpoint.
    fn kept(self, failure: FilterError) -> FilterError {
        let Some(keeper) = self.keeper else { return failure };
        // Of a run that has done nothing, nothing is kept.
        let begun = keeper.has_kept() || self.queue.out_of_turn(|turn| turn.totals.input.lines > 0);
        let begun = begun && !failure.is_distrust();
        if begun && !self.queue.is_stopped() {
            let gathered = self.gatherer.into_inner();
            let mut turn = self.queue.into_inner();
            if let Some(taken) = turn.taken(gathered, keeper.seconds())
                && let Err(failure) = keeper.save(taken)
            {
                return keeper.word_of(failure);
            }
        }
        keeper.word_of(failure)
    }

    fn compressor(&self) -> Result<Option<Compressor>, FilterError> {
        Ok(self.frames.map(Compressor::new).transpose()?)
    }

    /// The blocks that the chunk of a task makes, if lines become rows.
    fn rows(&self, task: &Task<'_>, left: Chunk<'_>, worker: &mut Worker<'_, '_>) -> Result<Blocks, FilterError> {
        let (set, list) = (self.set(task), &self.chunks.lists()[task.list]);
        let source = match task.spans() {
            Some(spans) => Source::Rows { list, spans, left_out: left.left_out },
            None => Source::Text(left),
        };
        let mut parts = worker.rows(left.text);
        let (outcomes, causes) = (parts.outcomes, parts.causes);
        let mut again = |crawler, line| parts.tell_again(crawler, line);
        Ok(Blocks::Made(self.tables[set].blocks(set, &source, outcomes, causes, &mut again)?))
    }

    /// The blocks that the lines of a chunk make, and what waits for its frames after it, if a checkpoint is due there;
    /// `None` if the run has failed meanwhile.
    fn blocks(
        &self,
        task: &Task<'_>,
        judged: &mut Judged,
        compressor: &mut Option<Compressor>,
    ) -> Result<Option<(Blocks, Option<Gatherer>)>, FilterError> {
        let (Some(rows), set) = (self.rows, self.set(task)) else { return Ok(Some((Blocks::Made(Vec::new()), None))) };
        if compressor.is_none() {
            return Ok(Some((Blocks::Buffers(set, judged.tallies(rows)), None)));
        }
        let Some(mut gatherer) = self.gatherer.turn_of(task.ticket) else { return Ok(None) };
        let gathered = gatherer.take(set, &mut judged.buffers);
        let border = self.is_checkpoint_due().then(|| gatherer.clone());
        gatherer.pass();
        Ok(Some((Blocks::Made(self.framed(gathered, compressor)?), border)))
    }

    /// Whether a checkpoint is to be taken after the chunk whose turn it is.
    fn is_checkpoint_due(&self) -> bool {
        self.keeper.as_ref().is_some_and(|keeper| keeper.is_due())
    }

    /// Blocks of lines that go into frames.
    fn framed(
        &self,
        gathered: Vec<Gathered>,
        compressor: &mut Option<Compressor>,
    ) -> Result<Vec<Block<'static>>, FilterError> {
        let (Some(rows), Some(compressor)) = (self.rows, compressor) else { return Ok(Vec::new()) };
        let block = |Gathered { set, file, text }: Gathered| {
            let bytes = Cow::Owned(compressor.frame(&text)?);
            Ok(Block { set, file, bytes, tally: rows.tally(file, &text) })
        };
        gathered.into_iter().map(block).collect()
    }

    /// The set of files that the lines of a chunk go to.
    fn set(&self, task: &Task<'_>) -> usize {
        if self.per_input { task.list } else { 0 }
    }
}

/// Stops the run if a worker panics, so that the others do not wait for its turn for ever.
struct StopOnPanic<'t, 'l>(&'t Turns<'l>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(FilterError::Unbalanced);
        }
    }
}

/// Judges chunks until there are none left; to explain lines, `kept_rules` bytes of rules are kept for each crawler.
pub(super) fn work(turns: &Turns<'_>, judges: &[Judge<'_>], kept_rules: usize) {
    let _guard = StopOnPanic(turns);
    if let Err(failure) = work_through(turns, judges, kept_rules) {
        turns.fail(failure);
    }
}

fn work_through(turns: &Turns<'_>, judges: &[Judge<'_>], kept_rules: usize) -> Result<(), FilterError> {
    let mut worker = Worker::new(judges, turns.rows, turns.notes_waiting);
    worker.keep_rules(kept_rules);
    let mut hand = Hand { worker, kept: Kept::default(), compressor: turns.compressor()? };
    let as_rows = !turns.tables.is_empty();
    if as_rows {
        hand.worker.keep_outcomes();
    }
    let mut buffer = Buffer::default();
    loop {
        let mut task = match turns.chunks.next(&mut buffer) {
            Ok(Some(task)) => task,
            Ok(None) => return Ok(()),
            Err(failure) => {
                turns.end_input(failure);
                return Ok(());
            }
        };
        turns.chunks.read(&mut task, &mut buffer)?;
        let chunk = chunk_of(&turns.chunks, &task, &buffer);
        // A row has no end that could be missing.
        let more_follows = as_rows || !turns.per_input && task.list + 1 < turns.chunks.lists().len();
        let left = match &turns.unique {
            Some(unique) => unique.left(task.ticket, chunk, &mut hand.kept, turns.rows.is_some())?,
            None => Some(chunk),
        };
        let Some(left) = left else { return Ok(()) };
        hand.worker.judge(&left, more_follows);
        let rows = as_rows.then(|| turns.rows(&task, left, &mut hand.worker));
        // Its bytes were read for the last time. Only what was read of a list as it stood may be written, or a checkpoint
        // could keep lines that never were in it.
        turns.chunks.lists()[task.list].unchanged()?;
        let rows = rows.transpose()?;
        hand.worker.leave_out(&hand.kept);
        hand_in(turns, &mut task, rows, &mut hand)?;
        if task.is_long() {
            turns.queue.wait_for(task.ticket);
            lock(&turns.spares).clear();
            // The next such chunk may go its way only then.
            buffer.release();
            hand.worker.release();
            hand.kept = Kept::default();
        }
    }
}

/// Hands in the chunk of a task that was judged, with the rows that its lines became, if they did.
fn hand_in(
    turns: &Turns<'_>,
    task: &mut Task<'_>,
    rows: Option<Blocks>,
    hand: &mut Hand<'_, '_>,
) -> Result<(), FilterError> {
    let mut judged = std::mem::take(&mut hand.worker.judged);
    let prepared = match rows {
        Some(rows) => Some((rows, None)),
        None => turns.blocks(task, &mut judged, &mut hand.compressor)?,
    };
    let Some((blocks, border)) = prepared else { return Ok(()) };
    let skipped = std::mem::take(&mut task.skipped);
    let handed = Handed { list: task.list, end: task.end, skipped, judged, blocks, border };
    turns.queue.hand_in(task.ticket, handed, |turn, ticket, handed| write(turns, turn, ticket, handed))?;
    hand.worker.judged.buffers = lock(&turns.spares).pop().unwrap_or_default();
    Ok(())
}

/// Counts a chunk in its turn, and writes its lines.
fn write(turns: &Turns<'_>, turn: &mut Turn, ticket: u64, handed: Handed) -> Result<(), FilterError> {
    let Handed { list, end, skipped, mut judged, blocks, mut border } = handed;
    let blocks: Vec<Block<'_>> = match blocks {
        Blocks::Made(blocks) => blocks,
        Blocks::Buffers(set, tallies) => {
            let files = judged.buffers.iter().zip(tallies).enumerate();
            files.map(|(file, (text, tally))| Block { set, file, bytes: Cow::Borrowed(text), tally }).collect()
        }
    };
    (turn.list, turn.at) = (list, end);
    turn.totals.skip(&skipped);
    let before = turn.totals.input.lines;
    turn.totals.add(list, &judged);
    turn.totals.add_written(&blocks);
    turn.add_waiting(std::mem::take(&mut judged.waiting), before)?;
    turns.progress.chunk(&turn.totals);
    let places = turn.sink.as_mut().map(|sink| sink.take(&blocks)).transpose()?.unwrap_or_default();
    if let Some(keeper) = &turns.keeper {
        keeper.begin(ticket);
        if turns.frames.is_none() && keeper.is_due() {
            border = Some(Gatherer::new(0));
        }
        if let Some(taken) = border.and_then(|gathered| turn.taken(gathered, keeper.seconds())) {
            keeper.take(ticket, taken);
        }
    }
    places.iter().try_for_each(Place::write)?;
    if let Some(keeper) = &turns.keeper {
        keeper.end(ticket);
    }
    drop(places);
    drop(blocks);
    lock(&turns.spares).push(judged.buffers);
    Ok(())
}

impl Turn {
    /// Adds the origins with deferred lines of a chunk that so many lines stand before.
    fn add_waiting(&mut self, mut waiting: WaitingOrigins, before: u64) -> Result<(), FilterError> {
        let (Some(output), Some(needed)) = (self.sink.as_mut().and_then(Sink::folder), &mut self.needed) else {
            return Ok(());
        };
        for origin in waiting.values_mut() {
            origin.first += before;
        }
        needed.add(waiting).map_err(|error| FilterError::Output { path: output.directory().join(NEEDED), error })
    }

    /// All that there is to know after the chunk whose turn it is, with the lines that wait for their frames.
    fn taken(&mut self, gathered: Gatherer, seconds: f64) -> Option<Taken> {
        let (output, needed) = (self.sink.as_mut()?.folder()?, self.needed.as_ref()?);
        let border = Border {
            list: self.list,
            at: self.at,
            seconds,
            totals: self.totals.clone(),
            files: output.state(),
            gathered,
            needed: needed.state(),
        };
        Some(Taken { border, files: output.touched(), spilled: needed.files().to_vec() })
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

    /// What the run says when somebody changes the deferred lines between judging and writing.
    fn balance(change: impl Fn(&str) -> String) -> bool {
        let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy().unwrap();
        let crawler = policy.crawler(None).unwrap();
        let judges = [Judge::new(&policy, &crawler, Choices::default())];
        let rows = Rows { form: Form::Partitions, format: Format::Text, explain: false, crawlers: 1 };
        let mut worker = Worker::new(&judges, Some(rows), true);
        worker.judge(
            &Chunk { text: LINES.as_bytes(), layout: &Layout::WHOLE, mark: 0, flaws: &[], left_out: &[] },
            false,
        );
        let deferred = &mut worker.judged.buffers[Partition::Deferred as usize];
        assert_eq!(deferred, LINES.as_bytes());
        *deferred = change(LINES).into_bytes();
        let mut totals = Totals::new(1, 1, Some(rows));
        totals.add(0, &worker.judged);
        let blocks = worker.judged.buffers.iter().enumerate().map(|(file, text)| {
            let tally = rows.tally(file, text);
            Block { set: 0, file, bytes: Cow::Borrowed(text), tally }
        });
        totals.add_written(&blocks.collect::<Vec<_>>());
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
