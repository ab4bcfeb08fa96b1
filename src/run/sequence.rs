//! State that workers change in the order of the chunks.

use crate::lock::{into_inner, lock, wait};
use std::sync::{Condvar, Mutex};

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

impl<T> Sequence<T> {
    pub fn new(state: T) -> Sequence<T> {
        Sequence { ordered: Mutex::new(Ordered { ticket: 0, stopped: false, state }), passed: Condvar::new() }
    }

    /// Waits for the turn of a ticket, changes the state, and passes the turn on to the next ticket; `None` if there will be no
    /// more turns.
    pub fn in_turn<R>(&self, ticket: u64, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut ordered = lock(&self.ordered);
        while ordered.ticket != ticket && !ordered.stopped {
            ordered = wait(&self.passed, ordered);
        }
        if ordered.stopped {
            return None;
        }
        let changed = change(&mut ordered.state);
        ordered.ticket += 1;
        drop(ordered);
        self.passed.notify_all();
        Some(changed)
    }

    /// Ends all turns.
    pub fn stop(&self) {
        lock(&self.ordered).stopped = true;
        self.passed.notify_all();
    }

    /// The final state.
    pub fn into_inner(self) -> T {
        into_inner(self.ordered).state
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
                        sequence.in_turn(ticket, |passed: &mut Vec<u64>| passed.push(ticket)).expect("not stopped");
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
            let waiting = scope.spawn(|| sequence.in_turn(1, |()| ()).is_none());
            sequence.stop();
            assert!(waiting.join().expect("no panic"));
        });
        assert!(sequence.in_turn(0, |()| ()).is_none());
    }
}
