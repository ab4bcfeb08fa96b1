//! The schedule of checkpoints: one thread takes a checkpoint in its turn when it is due, and another thread saves it.

use std::time::Instant;

use crate::monitor::Monitor;

/// The next item to save, and when it is due.
#[derive(Debug)]
pub(super) struct Schedule<T>(Monitor<State<T>>);

#[derive(Debug)]
struct State<T> {
    next: Next<T>,
    /// Whether nothing more will be taken.
    ended: bool,
}

/// The state of the next item.
#[derive(Debug)]
enum Next<T> {
    /// It is due at this time.
    Due(Instant),
    /// A thread is about to take it.
    Claimed,
    /// It was taken.
    Taken(T),
    /// It is being saved.
    Saving,
}

impl<T> Schedule<T> {
    /// The first is due at this time.
    pub fn new(due: Instant) -> Schedule<T> {
        Schedule(Monitor::new(State { next: Next::Due(due), ended: false }))
    }

    /// Whether the next is due. If so, the caller must [take](Schedule::take) it.
    pub fn is_due(&self) -> bool {
        self.0.with(|state| {
            let is_due = matches!(state.next, Next::Due(due) if Instant::now() >= due);
            if is_due {
                state.next = Next::Claimed;
            }
            is_due
        })
    }

    /// Passes an item to the thread that saves it; if `waits`, returns only when it is saved.
    pub fn take(&self, taken: T, waits: bool) {
        self.0.change(|state| state.next = Next::Taken(taken));
        if waits {
            // Another thread may claim the next item before this thread continues, so the wait ends there, too.
            let is_on_its_way = |state: &State<T>| matches!(state.next, Next::Taken(_) | Next::Saving);
            self.0.when(|state| (state.ended || !is_on_its_way(state)).then_some(()));
        }
    }

    /// Waits for the next item to save; `None` once there will be no more.
    pub fn taken(&self) -> Option<T> {
        let taken = self.0.when(|state| match std::mem::replace(&mut state.next, Next::Saving) {
            Next::Taken(taken) => Some(Some(taken)),
            other => {
                state.next = other;
                state.ended.then_some(None)
            }
        });
        taken.flatten()
    }

    /// Records that the item is saved, and that the next is due at this time.
    pub fn saved(&self, due: Instant) {
        self.0.change(|state| state.next = Next::Due(due));
    }

    /// Ends [`Schedule::taken`] once the current item is saved.
    pub fn stop(&self) {
        self.0.change(|state| state.ended = true);
    }
}
