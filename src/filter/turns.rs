//! Workers and their turns: who judges which chunk, and in what order their lines are placed.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::FilterError;
use super::chunks::{Buffer, Chunks, Task};
use super::form::Form;
use super::judge::Judge;
use super::needed::Needed;
use super::output::{Output, write_at};
use super::progress::Progress;
use super::tally::Tally;
use super::worker::{Judged, Sorted, Worker};

/// What all workers share.
pub(super) struct Turns<'l> {
    chunks: Chunks<'l>,
    progress: &'l Progress,
    per_input: bool,
    turn: Mutex<Turn>,
    passed: Condvar,
}

/// What is done in the order of the chunks.
struct Turn {
    /// The ticket whose turn it is.
    ticket: u64,
    output: Option<Output>,
    needed: Option<Needed>,
    totals: Totals,
    failure: Option<FilterError>,
}

/// What a run came to.
#[derive(Debug, Clone)]
pub(super) struct Totals {
    pub input: Tally,
    /// For each crawler, over the lines as they were read.
    pub crawlers: Vec<Sorted>,
    /// By file, over the lines as they were handed over for writing.
    pub written: Vec<Tally>,
    pub lists: Vec<ListTotals>,
    pub added_line_feeds: u64,
    pub dot_segments: u64,
    pub normalised: u64,
    form: Option<Form>,
}

/// What a list came to.
#[derive(Debug, Clone)]
pub(super) struct ListTotals {
    pub input: Tally,
    /// For each crawler, by partition.
    pub crawlers: Vec<[Tally; 4]>,
}

impl Totals {
    fn new(lists: usize, crawlers: usize, form: Option<Form>) -> Totals {
        Totals {
            input: Tally::default(),
            crawlers: vec![Sorted::default(); crawlers],
            written: vec![Tally::default(); form.map_or(0, |form| form.files(crawlers))],
            lists: vec![ListTotals { input: Tally::default(), crawlers: vec![Default::default(); crawlers] }; lists],
            added_line_feeds: 0,
            dot_segments: 0,
            normalised: 0,
            form,
        }
    }

    /// Adds a chunk, in its turn.
    pub fn add(&mut self, list: usize, judged: &Judged, written: &[Tally]) {
        self.input.append(&judged.input);
        let list = &mut self.lists[list];
        list.input.append(&judged.input);
        for ((total, of_list), sorted) in self.crawlers.iter_mut().zip(&mut list.crawlers).zip(&judged.crawlers) {
            for (partition, tally) in sorted.tallies.iter().enumerate() {
                total.tallies[partition].append(tally);
                of_list[partition].append(tally);
            }
            for (count, chunk) in total.counts.iter_mut().zip(sorted.counts) {
                *count += chunk;
            }
        }
        for (total, tally) in self.written.iter_mut().zip(written) {
            total.append(tally);
        }
        self.added_line_feeds += u64::from(judged.added_line_feed);
    }

    /// Makes sure that what was written is what was read, line by line and in order.
    pub fn balanced(&self) -> Result<(), FilterError> {
        let whole = |sorted: &Sorted| {
            let lines: u64 = sorted.tallies.iter().map(|tally| tally.lines).sum();
            let bytes: u64 = sorted.tallies.iter().map(|tally| tally.bytes).sum();
            let sum = sorted.tallies.iter().fold(0u128, |sum, tally| sum.wrapping_add(tally.sum));
            let input = (self.input.lines, self.input.bytes + self.added_line_feeds, self.input.sum);
            sorted.counts.iter().sum::<u64>() == lines && (lines, bytes, sum) == input
        };
        let expected = self.form.map(|form| form.expected(&self.input, self.added_line_feeds, &self.crawlers));
        if self.crawlers.iter().all(whole) && expected.is_none_or(|expected| expected == self.written) {
            Ok(())
        } else {
            Err(FilterError::Unbalanced)
        }
    }
}

/// Takes a lock whoever held it last: a worker that panics takes the whole run with it, and what it held is not looked at
/// again.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'l> Turns<'l> {
    pub fn new(
        chunks: Chunks<'l>,
        progress: &'l Progress,
        per_input: bool,
        crawlers: usize,
        output: Option<(Output, Needed, Form)>,
    ) -> Turns<'l> {
        let form = output.as_ref().map(|&(_, _, form)| form);
        let totals = Totals::new(chunks.lists().len(), crawlers, form);
        let (output, needed) = output.map(|(output, needed, _)| (output, needed)).unzip();
        Turns {
            chunks,
            progress,
            per_input,
            turn: Mutex::new(Turn { ticket: 0, output, needed, totals, failure: None }),
            passed: Condvar::new(),
        }
    }

    /// Waits for the turn of a ticket; `None` if the run has failed meanwhile.
    fn turn_of(&self, ticket: u64) -> Option<MutexGuard<'_, Turn>> {
        let mut turn = lock(&self.turn);
        while turn.ticket != ticket && turn.failure.is_none() {
            turn = self.passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        turn.failure.is_none().then_some(turn)
    }

    /// Stops the run, with the first failure as its result.
    fn fail(&self, failure: FilterError) {
        lock(&self.turn).failure.get_or_insert(failure);
        self.chunks.stop();
        self.passed.notify_all();
    }

    /// What the run came to.
    pub fn finish(self) -> Result<(Option<Output>, Option<Needed>, Totals), FilterError> {
        let turn = self.turn.into_inner().unwrap_or_else(PoisonError::into_inner);
        match turn.failure {
            Some(failure) => Err(failure),
            None => Ok((turn.output, turn.needed, turn.totals)),
        }
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
    let form = lock(&turns.turn).totals.form;
    let mut worker = Worker::new(judges, form);
    let mut buffer = Buffer::default();
    let result = loop {
        match turns.chunks.next(&mut buffer) {
            Err(failure) => break Err(failure),
            Ok(None) => break Ok(()),
            Ok(Some(task)) => {
                if let Err(failure) = one_chunk(turns, &task, &buffer, &mut worker) {
                    break Err(failure);
                }
            }
        }
    };
    let mut turn = lock(&turns.turn);
    // What is counted of URLs is the same for all crawlers, but for paths that one of them need not look at.
    turn.totals.dot_segments += worker.benches.first().map_or(0, |bench| bench.dot_segments);
    turn.totals.normalised += worker.benches.iter().map(|bench| bench.normalised).max().unwrap_or(0);
    drop(turn);
    if let Err(failure) = result {
        turns.fail(failure);
    }
}

fn one_chunk(
    turns: &Turns<'_>,
    task: &Task<'_>,
    buffer: &Buffer,
    worker: &mut Worker<'_, '_>,
) -> Result<(), FilterError> {
    let more_follows = !turns.per_input && task.list + 1 < turns.chunks.lists().len();
    let layout = &turns.chunks.lists()[task.list].layout;
    worker.judge(task.octets(buffer), layout, task.flaws(buffer), more_follows);
    place(turns, task, worker)
}

/// Takes room for a chunk's lines in its turn, and writes them.
fn place(turns: &Turns<'_>, task: &Task<'_>, worker: &mut Worker<'_, '_>) -> Result<(), FilterError> {
    let written = worker.handed_over();
    let judged = &mut worker.judged;
    let Some(mut turn) = turns.turn_of(task.ticket) else { return Ok(()) };
    let before = turn.totals.input.lines;
    for waiting in judged.waiting.values_mut() {
        waiting.first += before;
    }
    turn.totals.add(task.list, judged, &written);
    turns.progress.chunk(&turn.totals);
    let set = if turns.per_input { task.list } else { 0 };
    let mut room = None;
    if let Turn { output: Some(output), needed: Some(needed), .. } = &mut *turn {
        let failed = |error| FilterError::Output { path: output.directory().to_owned(), error };
        needed.add(std::mem::take(&mut judged.waiting)).map_err(failed)?;
        let files = output.files(set);
        let lengths = judged.buffers.iter().map(Vec::len);
        room = Some((files, output.reserve(set, lengths), output.directory().to_owned()));
    }
    turn.ticket += 1;
    drop(turn);
    turns.passed.notify_all();
    if let Some((files, starts, path)) = room {
        for ((file, buffer), start) in files.iter().zip(&judged.buffers).zip(starts) {
            write_at(file, buffer, start).map_err(|error| FilterError::Output { path: path.clone(), error })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::filter::{Choices, Layout, Partition};
    use crate::policy::Captures;
    use crate::robots::Agents;

    const LINES: &str = "http://a.example/1\nhttp://a.example/2\nhttp://a.example/3\n";

    /// What the run says when somebody changes the deferred lines between judging and writing.
    fn balance(change: impl Fn(&str) -> String) -> bool {
        let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy().unwrap();
        let crawler = policy.crawler(None).unwrap();
        let judges = [Judge::new(&policy, &crawler, Choices::default())];
        let mut worker = Worker::new(&judges, Some(Form::Partitions));
        worker.judge(LINES.as_bytes(), &Layout::WHOLE, &[], false);
        let deferred = &mut worker.judged.buffers[Partition::Deferred as usize];
        assert_eq!(deferred, LINES.as_bytes());
        *deferred = change(LINES).into_bytes();
        let mut totals = Totals::new(1, 1, Some(Form::Partitions));
        let written = worker.handed_over();
        totals.add(0, &worker.judged, &written);
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
