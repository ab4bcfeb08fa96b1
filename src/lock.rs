//! Locks whose holder may have panicked. A worker that panics ends the whole run, so what it held is never used again, and
//! poison needs no handling.

use std::sync::PoisonError;

pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

/// Locks a mutex, even if it is poisoned.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a change, even of a poisoned mutex.
pub(crate) fn wait<'g, T>(change: &Condvar, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
    change.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// What a mutex protects, even if it is poisoned.
pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function if the thread panics meanwhile, so that others do not wait for it forever.
pub(crate) struct OnPanic<F: Fn()>(pub F);

impl<F: Fn()> Drop for OnPanic<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}
