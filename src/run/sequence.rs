//! State that workers change in the order of the chunks.

use crate::monitor::Monitor;

/// State that tickets change one after the other.
#[derive(Debug)]
pub(super) struct Sequence<T>(Monitor<Ordered<T>>);

#[derive(Debug)]
struct Ordered<T> {
    /// The ticket whose turn it is.
    due: u64,
    state: T,
}

impl<T> Sequence<T> {
    pub fn new(state: T) -> Sequence<T> {
        Sequence(Monitor::new(Ordered { due: 0, state }))
    }

    /// Waits for the turn of a ticket, changes the state, and passes the turn on to the next ticket; `None` if there will be no
    /// more turns.
    pub fn in_turn<R>(&self, ticket: u64, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut change = Some(change);
        self.0.when(|ordered| {
            let change = change.take_if(|_| ordered.due == ticket)?;
            ordered.due += 1;
            Some(change(&mut ordered.state))
        })
    }

    /// Ends all turns.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// The final state.
    pub fn into_inner(self) -> T {
        self.0.into_inner().state
    }
}
