//! Waiting between threads: a value that threads change, and whose changes they wait for.
//!
//! Every thread of a run that waits for another one waits in a monitor: for the next chunk, for a chunk's turn, for room in the
//! queue, for a checkpoint, for a piece that a helper makes. `tests/waiting.rs` tries them in many orders of their steps.

use crate::lock::{Condvar, Mutex, lock, wait};

/// A value that threads change, and whose changes they wait for.
#[derive(Debug, Default)]
pub(crate) struct Monitor<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State<T> {
    value: T,
    stopped: bool,
}

impl<T> Monitor<T> {
    /// A monitor of this value.
    pub fn new(value: T) -> Monitor<T> {
        Monitor { state: Mutex::new(State { value, stopped: false }), changed: Condvar::new() }
    }

    /// Looks at the value, or changes what nobody waits for.
    pub fn with<R>(&self, of: impl FnOnce(&mut T) -> R) -> R {
        of(&mut lock(&self.state).value)
    }

    /// Changes the value, whether the monitor is stopped or not, and wakes all who wait.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let changed = change(&mut lock(&self.state).value);
        self.changed.notify_all();
        changed
    }

    /// Waits until the value is `ready`, and wakes all who wait for what that changes; `None` once the monitor is stopped.
    pub fn when<R>(&self, mut ready: impl FnMut(&mut T) -> Option<R>) -> Option<R> {
        let mut state = lock(&self.state);
        while !state.stopped {
            if let Some(result) = ready(&mut state.value) {
                drop(state);
                self.changed.notify_all();
                return Some(result);
            }
            state = wait(&self.changed, state);
        }
        None
    }

    /// Waits until the value is ready, and changes nothing; `None` once the monitor is stopped.
    pub fn until(&self, is_ready: impl Fn(&T) -> bool) -> Option<()> {
        let mut state = lock(&self.state);
        while !state.stopped && !is_ready(&state.value) {
            state = wait(&self.changed, state);
        }
        (!state.stopped).then_some(())
    }

    /// Like [`Monitor::when`], but does not wait: `None` if the value is not ready.
    pub fn now<R>(&self, ready: impl FnOnce(&mut T) -> Option<R>) -> Option<R> {
        let mut state = lock(&self.state);
        let result = if state.stopped { None } else { ready(&mut state.value) };
        drop(state);
        if result.is_some() {
            self.changed.notify_all();
        }
        result
    }

    /// Ends all waiting.
    pub fn stop(&self) {
        lock(&self.state).stopped = true;
        self.changed.notify_all();
    }

    /// Whether the monitor was stopped.
    pub fn is_stopped(&self) -> bool {
        lock(&self.state).stopped
    }
}
