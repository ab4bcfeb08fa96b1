//! State that workers change in the order of the chunks.

use crate::lock::lock;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// State that tickets change one after the other.
#[derive(Debug)]
pub(super) struct Sequence<T> {
    ordered: Mutex<Ordered<T>>,
    passed: Condvar,
}

#[derive(Debug)]
struct Ordered<T> {
    /// The ticket whose turn it is.
    ticket: u64,
    stopped: bool,
    state: T,
}

/// The state, during the turn of a ticket.
#[derive(Debug)]
pub(super) struct InTurn<'s, T> {
    ordered: MutexGuard<'s, Ordered<T>>,
    passed: &'s Condvar,
}

impl<T> Sequence<T> {
    pub fn new(state: T) -> Sequence<T> {
        Sequence { ordered: Mutex::new(Ordered { ticket: 0, stopped: false, state }), passed: Condvar::new() }
    }

    /// Waits for the turn of a ticket; `None` if there will be no more turns.
    pub fn turn_of(&self, ticket: u64) -> Option<InTurn<'_, T>> {
        let mut ordered = lock(&self.ordered);
        while ordered.ticket != ticket && !ordered.stopped {
            ordered = self.passed.wait(ordered).unwrap_or_else(PoisonError::into_inner);
        }
        (!ordered.stopped).then_some(InTurn { ordered, passed: &self.passed })
    }

    /// Changes the state out of turn.
    pub fn out_of_turn<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut lock(&self.ordered).state)
    }

    /// Ends all turns.
    pub fn stop(&self) {
        lock(&self.ordered).stopped = true;
        self.passed.notify_all();
    }

    /// The final state.
    pub fn into_inner(self) -> T {
        self.ordered.into_inner().unwrap_or_else(PoisonError::into_inner).state
    }
}

impl<T> InTurn<'_, T> {
    /// Passes the turn on to the next ticket. A turn that is dropped is not passed on: then something failed, and the worker that
    /// noticed stops the sequence.
    pub fn pass(mut self) {
        self.ordered.ticket += 1;
        let passed = self.passed;
        drop(self);
        passed.notify_all();
    }
}

impl<T> Deref for InTurn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.ordered.state
    }
}

impl<T> DerefMut for InTurn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.ordered.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_the_order_of_the_tickets() {
        let sequence = Sequence::new(Vec::new());
        std::thread::scope(|scope| {
            for first in (0..8).rev() {
                let sequence = &sequence;
                scope.spawn(move || {
                    for ticket in (first..400).step_by(8) {
                        let mut turn = sequence.turn_of(ticket).expect("not stopped");
                        turn.push(ticket);
                        turn.pass();
                    }
                });
            }
        });
        assert!(sequence.into_inner().into_iter().eq(0..400));
    }

    #[test]
    fn waiting_workers_learn_that_there_are_no_more_turns() {
        let sequence = Sequence::new(());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| sequence.turn_of(1).is_none());
            sequence.stop();
            assert!(waiting.join().expect("no panic"));
        });
        assert!(sequence.turn_of(0).is_none());
    }
}
