//! Workers and their turns: who judges which chunk, and in what order their lines are placed.

use std::borrow::Cow;
use std::sync::Mutex;

use super::FilterError;
use super::chunks::{Chunks, Task};
use super::form::Form;
use super::frame::{Compressor, FrameFormat};
use super::gather::{Gathered, Gatherer};
use super::judge::Judge;
use super::needed::{Needed, WaitingOrigins};
use super::output::{Block, Output, Place};
use super::sequence::{Sequence, lock};
use super::totals::Totals;
use super::worker::Worker;

/// Where the lines go.
pub(super) struct Destinations {
    pub output: Output,
    pub needed: Needed,
    pub form: Form,
    /// How frames are compressed, if lines go into frames.
    pub frames: Option<FrameFormat>,
    /// Whether each list has files of its own.
    pub per_input: bool,
}

/// What all workers share.
pub(super) struct Turns<'l> {
    chunks: Chunks<'l>,
    per_input: bool,
    crawlers: usize,
    form: Option<Form>,
    frames: Option<FrameFormat>,
    /// The first turn of a chunk, where lines go into frames.
    gatherer: Sequence<Gatherer>,
    turn: Sequence<Turn>,
    failure: Mutex<Option<FilterError>>,
}

/// What is done in the order of the chunks.
struct Turn {
    output: Option<Output>,
    needed: Option<Needed>,
    totals: Totals,
}

/// A worker and what it has to make frames with.
struct Hand<'j, 'p> {
    worker: Worker<'j, 'p>,
    compressor: Option<Compressor>,
}

impl<'l> Turns<'l> {
    pub fn new(chunks: Chunks<'l>, crawlers: usize, destinations: Option<Destinations>) -> Turns<'l> {
        let form = destinations.as_ref().map(|destinations| destinations.form);
        let totals = Totals::new(chunks.lists().len(), crawlers, form);
        let mut turn = Turn { output: None, needed: None, totals };
        let (mut frames, mut per_input) = (None, false);
        if let Some(destinations) = destinations {
            (frames, per_input) = (destinations.frames, destinations.per_input);
            turn.output = Some(destinations.output);
            turn.needed = Some(destinations.needed);
        }
        let gatherer = Sequence::new(Gatherer::new(form.map_or(0, |form| form.files(crawlers))));
        let (turn, failure) = (Sequence::new(turn), Mutex::new(None));
        Turns { chunks, per_input, crawlers, form, frames, gatherer, turn, failure }
    }

    /// Stops the run, with the first failure as its result.
    fn fail(&self, failure: FilterError) {
        lock(&self.failure).get_or_insert(failure);
        self.chunks.stop();
        self.gatherer.stop();
        self.turn.stop();
    }

    /// What the run came to.
    pub fn finish(self) -> Result<(Option<Output>, Option<Needed>, Totals), FilterError> {
        if let Some(failure) = lock(&self.failure).take() {
            return Err(failure);
        }
        let waiting = self.gatherer.out_of_turn(Gatherer::rest);
        let frames = self.framed(waiting, &mut self.compressor()?)?;
        let Turn { mut output, needed, mut totals } = self.turn.into_inner();
        if let Some(output) = &mut output {
            totals.add_written(&frames);
            output.reserve(&frames).iter().try_for_each(Place::write)?;
            output.end()?;
        }
        Ok((output, needed, totals))
    }

    fn compressor(&self) -> Result<Option<Compressor>, FilterError> {
        Ok(self.frames.map(Compressor::new).transpose()?)
    }

    /// The blocks that the chunk of a task makes, of the lines in its `buffers`; `None` if the run has failed meanwhile.
    fn blocks<'b>(
        &self,
        task: &Task,
        buffers: &'b mut [Vec<u8>],
        compressor: &mut Option<Compressor>,
    ) -> Result<Option<Vec<Block<'b>>>, FilterError> {
        let (Some(form), set) = (self.form, self.set(task)) else { return Ok(Some(Vec::new())) };
        if compressor.is_none() {
            let plain = buffers.iter().enumerate().map(|(file, text)| {
                let tally = form.tally(text, self.crawlers);
                Block { set, file, octets: Cow::Borrowed(text), tally }
            });
            return Ok(Some(plain.collect()));
        }
        let Some(mut gatherer) = self.gatherer.turn_of(task.ticket) else { return Ok(None) };
        let gathered = gatherer.take(set, buffers);
        gatherer.pass();
        self.framed(gathered, compressor).map(Some)
    }

    /// Blocks of lines that go into frames.
    fn framed(
        &self,
        gathered: Vec<Gathered>,
        compressor: &mut Option<Compressor>,
    ) -> Result<Vec<Block<'static>>, FilterError> {
        let (Some(form), Some(compressor)) = (self.form, compressor) else { return Ok(Vec::new()) };
        let block = |Gathered { set, file, text }: Gathered| {
            let octets = Cow::Owned(compressor.frame(&text)?);
            Ok(Block { set, file, octets, tally: form.tally(&text, self.crawlers) })
        };
        gathered.into_iter().map(block).collect()
    }

    /// The set of files that the lines of a chunk go to.
    fn set(&self, task: &Task) -> usize {
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

/// Judges chunks until there are none left.
pub(super) fn work(turns: &Turns<'_>, judges: &[Judge<'_>]) {
    let _guard = StopOnPanic(turns);
    if let Err(failure) = work_through(turns, judges) {
        turns.fail(failure);
    }
}

fn work_through(turns: &Turns<'_>, judges: &[Judge<'_>]) -> Result<(), FilterError> {
    let mut hand = Hand { worker: Worker::new(judges, turns.form), compressor: turns.compressor()? };
    let mut buffer = Vec::new();
    while let Some(task) = turns.chunks.next(&mut buffer)? {
        let more_follows = !turns.per_input && task.list + 1 < turns.chunks.lists().len();
        hand.worker.judge(turns.chunks.octets(&task, &buffer), more_follows);
        place(turns, &task, &mut hand)?;
    }
    let benches = &hand.worker.benches;
    turns.turn.out_of_turn(|turn| {
        // What is counted of URLs is the same for all crawlers, but for paths that one of them need not look at.
        turn.totals.dot_segments += benches.first().map_or(0, |bench| bench.dot_segments);
        turn.totals.normalised += benches.iter().map(|bench| bench.normalised).max().unwrap_or(0);
    });
    Ok(())
}

/// Takes room for a chunk's lines in its turn, and writes them.
fn place(turns: &Turns<'_>, task: &Task, hand: &mut Hand<'_, '_>) -> Result<(), FilterError> {
    let mut buffers = std::mem::take(&mut hand.worker.judged.buffers);
    let judged = &mut hand.worker.judged;
    let Some(blocks) = turns.blocks(task, &mut buffers, &mut hand.compressor)? else { return Ok(()) };
    let Some(mut turn) = turns.turn.turn_of(task.ticket) else { return Ok(()) };
    let before = turn.totals.input.lines;
    turn.totals.add(task.list, judged);
    turn.totals.add_written(&blocks);
    turn.add_waiting(std::mem::take(&mut judged.waiting), before)?;
    let places = turn.output.as_mut().map(|output| output.reserve(&blocks)).unwrap_or_default();
    turn.pass();
    places.iter().try_for_each(Place::write)?;
    judged.buffers = buffers;
    Ok(())
}

impl Turn {
    /// Adds the origins with deferred lines of a chunk that so many lines stand before.
    fn add_waiting(&mut self, mut waiting: WaitingOrigins, before: u64) -> Result<(), FilterError> {
        let (Some(output), Some(needed)) = (&self.output, &mut self.needed) else { return Ok(()) };
        for origin in waiting.values_mut() {
            origin.first += before;
        }
        needed.add(waiting).map_err(|error| FilterError::Output { path: output.directory().to_owned(), error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::filter::{Choices, Partition};
    use crate::policy::Captures;
    use crate::robots::Agents;

    const LINES: &str = "http://a.example/1\nhttp://a.example/2\nhttp://a.example/3\n";

    /// What the run says when somebody changes the deferred lines between judging and writing.
    fn balance(change: impl Fn(&str) -> String) -> bool {
        let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy().unwrap();
        let crawler = policy.crawler(None).unwrap();
        let judges = [Judge::new(&policy, &crawler, Choices::default())];
        let mut worker = Worker::new(&judges, Some(Form::Partitions));
        worker.judge(LINES.as_bytes(), false);
        let deferred = &mut worker.judged.buffers[Partition::Deferred as usize];
        assert_eq!(deferred, LINES.as_bytes());
        *deferred = change(LINES).into_bytes();
        let mut totals = Totals::new(1, 1, Some(Form::Partitions));
        totals.add(0, &worker.judged);
        let blocks = worker.judged.buffers.iter().enumerate().map(|(file, text)| {
            let tally = Form::Partitions.tally(text, 1);
            Block { set: 0, file, octets: Cow::Borrowed(text), tally }
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
        assert!(!balance(|lines| lines.trim_end().to_owned()), "without its last octet");
    }
}
