//! Work in the order of the chunks: turns that workers wait for, and a queue of judged chunks for the output.
//!
//! A worker hands in a judged chunk and takes the next one. The worker that hands in the due chunk writes it, and all
//! chunks that are due after it, while the others keep judging. Written chunks stay in the queue until a worker hands
//! in its next chunk and frees or reuses their memory. Only one thread writes at a time, because two threads that write
//! to one file wait for each other in the kernel. A worker waits only if the queue is full, and never with the due
//! chunk.

use std::collections::BTreeMap;

use crate::lock::{Mutex, into_inner, lock};
use crate::monitor::Monitor;

/// Chunks waiting for their turn, and the state that is changed in that order.
#[derive(Debug)]
pub(super) struct Queue<T, S> {
    waiting: Monitor<WaitingChunks<T>>,
    /// The most chunks that may wait.
    most: usize,
    state: Mutex<S>,
    /// The turns of chunks before they are handed in.
    pub turns: Turns,
}

#[derive(Debug)]
struct WaitingChunks<T> {
    /// The ticket that is due.
    due: u64,
    chunks: BTreeMap<u64, T>,
    /// Chunks that were written.
    written: Vec<T>,
    /// Whether a worker is writing.
    writing: bool,
}

impl<T> WaitingChunks<T> {
    /// The due chunk, to be written, if it was handed in and no other worker is writing.
    fn take_due(&mut self) -> Option<T> {
        let chunk = if self.writing { None } else { self.chunks.remove(&self.due) };
        self.writing |= chunk.is_some();
        chunk
    }

    fn written(&mut self, chunk: T) {
        self.due += 1;
        self.writing = false;
        self.written.push(chunk);
    }
}

impl<T, S> Queue<T, S> {
    /// An empty queue, in which at most `most` chunks wait.
    pub fn new(state: S, most: usize) -> Queue<T, S> {
        let waiting = WaitingChunks { due: 0, chunks: BTreeMap::new(), written: Vec::new(), writing: false };
        Queue { waiting: Monitor::new(waiting), most, state: Mutex::new(state), turns: Turns::default() }
    }

    /// Hands in the chunk of a ticket, and writes all chunks that are due, unless another worker is writing. Returns a chunk that
    /// was written, if there is one.
    pub fn hand_in<E>(
        &self,
        ticket: u64,
        chunk: T,
        mut write: impl FnMut(&mut S, &mut T) -> Result<(), E>,
    ) -> Result<Option<T>, E> {
        let mut chunk = Some(chunk);
        self.waiting.when(|waiting| {
            let has_room = ticket == waiting.due || waiting.chunks.len() < self.most;
            waiting.chunks.insert(ticket, chunk.take_if(|_| has_room)?);
            Some(())
        });
        while let Some(mut due) = self.waiting.now(WaitingChunks::take_due) {
            write(&mut lock(&self.state), &mut due)?;
            self.waiting.change(|waiting| waiting.written(due));
        }
        Ok(self.waiting.with(|waiting| waiting.written.pop()))
    }

    /// Takes all chunks that were written.
    pub fn take_written(&self) -> Vec<T> {
        self.waiting.with(|waiting| std::mem::take(&mut waiting.written))
    }

    /// Waits until the chunk of a ticket is written, or until nothing more will be.
    pub fn wait_for(&self, ticket: u64) {
        self.waiting.when(|waiting| (waiting.due > ticket).then_some(()));
    }

    /// Ends all turns, and stops writing.
    pub fn stop(&self) {
        self.turns.stop();
        self.waiting.stop();
    }

    /// Whether the queue was stopped.
    pub fn is_stopped(&self) -> bool {
        self.waiting.is_stopped()
    }

    /// The final state.
    pub fn into_inner(self) -> S {
        into_inner(self.state)
    }
}

/// A step of a chunk before it is handed in, at which each has its turn in the order of the chunks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Asks for the policy that judges it.
    Following,
    /// Leaves out lines whose URLs have occurred before, or notes those of a first pass.
    LeavingOut,
    /// Joins lines that wait for those of later chunks.
    Gathering,
}

/// Whose turn it is at each step. All who wait for a turn wait here, and learn here that there will be no more.
#[derive(Debug, Default)]
pub(super) struct Turns(Monitor<[u64; Step::Gathering as usize + 1]>);

impl Turns {
    /// Waits for the turn of a ticket at a step, changes the state that only this step changes, and passes the turn on to the next
    /// ticket; `None` if there will be no more turns.
    pub fn take<T, R>(&self, step: Step, ticket: u64, state: &Mutex<T>, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.until(|due| due[step as usize] == ticket)?;
        // Nobody else waits for this lock: the turn is passed on after it.
        let changed = change(&mut lock(state));
        self.0.change(|due| due[step as usize] += 1);
        Some(changed)
    }

    /// Ends all turns.
    pub fn stop(&self) {
        self.0.stop();
    }
}
