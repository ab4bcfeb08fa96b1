//! Judged chunks on their way to the output, in the order of the input.
//!
//! A worker hands in a judged chunk and takes the next one. The worker that hands in the chunk that is due writes it, and all
//! that are due after it, while the others keep judging. A written chunk is left there for the next worker that comes, which frees
//! or reuses its memory. Only one thread writes at a time, because two that write to one file
//! wait for each other in the kernel. A worker waits only if as many chunks are waiting as memory allows, and never with the
//! chunk that is due.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex};

use crate::lock::{into_inner, lock, wait};

/// Chunks waiting for their turn, and the state that is changed in that order.
#[derive(Debug)]
pub(super) struct Queue<T, S> {
    waiting: Mutex<WaitingChunks<T>>,
    changed: Condvar,
    /// The most chunks that may wait.
    most: usize,
    state: Mutex<S>,
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
    stopped: bool,
}

impl<T, S> Queue<T, S> {
    /// An empty queue, in which at most `most` chunks wait.
    pub fn new(state: S, most: usize) -> Queue<T, S> {
        let waiting =
            WaitingChunks { due: 0, chunks: BTreeMap::new(), written: Vec::new(), writing: false, stopped: false };
        Queue { waiting: Mutex::new(waiting), changed: Condvar::new(), most, state: Mutex::new(state) }
    }

    /// Hands in the chunk of a ticket, and writes all chunks that are due, unless another worker is writing. Returns a chunk that
    /// was written, if there is one.
    pub fn hand_in<E>(
        &self,
        ticket: u64,
        chunk: T,
        mut write: impl FnMut(&mut S, &mut T) -> Result<(), E>,
    ) -> Result<Option<T>, E> {
        let mut waiting = lock(&self.waiting);
        while !waiting.stopped && ticket != waiting.due && waiting.chunks.len() >= self.most {
            waiting = wait(&self.changed, waiting);
        }
        waiting.chunks.insert(ticket, chunk);
        while !waiting.writing && !waiting.stopped {
            let due = waiting.due;
            let Some(mut chunk) = waiting.chunks.remove(&due) else { break };
            waiting.writing = true;
            drop(waiting);
            write(&mut lock(&self.state), &mut chunk)?;
            waiting = lock(&self.waiting);
            waiting.due += 1;
            waiting.writing = false;
            waiting.written.push(chunk);
            self.changed.notify_all();
        }
        Ok(waiting.written.pop())
    }

    /// Takes all chunks that were written.
    pub fn take_written(&self) -> Vec<T> {
        std::mem::take(&mut lock(&self.waiting).written)
    }

    /// Waits until the chunk of a ticket is written, or until nothing more will be.
    pub fn wait_for(&self, ticket: u64) {
        let mut waiting = lock(&self.waiting);
        while !waiting.stopped && waiting.due <= ticket {
            waiting = wait(&self.changed, waiting);
        }
    }

    /// Stops writing.
    pub fn stop(&self) {
        lock(&self.waiting).stopped = true;
        self.changed.notify_all();
    }

    /// Whether the queue was stopped.
    pub fn is_stopped(&self) -> bool {
        lock(&self.waiting).stopped
    }

    /// The final state.
    pub fn into_inner(self) -> S {
        into_inner(self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_written_in_the_order_of_their_tickets() {
        for most in [0, 1, 5] {
            let queue: Queue<u64, Vec<u64>> = Queue::new(Vec::new(), most);
            std::thread::scope(|scope| {
                for first in (0..8).rev() {
                    let queue = &queue;
                    scope.spawn(move || {
                        for ticket in (first..400).step_by(8) {
                            let write = |written: &mut Vec<u64>, chunk: &mut u64| {
                                written.push(*chunk);
                                Ok::<_, ()>(())
                            };
                            queue.hand_in(ticket, ticket, write).unwrap();
                        }
                    });
                }
            });
            assert!(queue.into_inner().into_iter().eq(0..400));
        }
    }

    #[test]
    fn waiting_workers_learn_that_nothing_more_is_written() {
        let queue: Queue<(), ()> = Queue::new((), 0);
        std::thread::scope(|scope| {
            let handing_in = scope.spawn(|| queue.hand_in(1, (), |_, ()| Err("stopped")));
            let waiting = scope.spawn(|| queue.wait_for(0));
            queue.stop();
            assert_eq!(handing_in.join().expect("no panic"), Ok(None));
            waiting.join().expect("no panic");
        });
        assert_eq!(queue.hand_in(0, (), |_, ()| Err("stopped")), Ok(None));
        assert!(queue.is_stopped());
    }
}
