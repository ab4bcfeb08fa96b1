//! Ends a call that another thread asks to stop.
//!
//! A call that may take long is made within [`stoppable`], with a flag. Where such a call goes through many items, it asks [`check`]
//! for each: once the flag is set, its threads unwind as after a panic, silently, so that temporary files and locks are dropped on the
//! way. The threads that a call starts ask the same flag, because only this folder starts any.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// The flag of the call that a thread works for, if there is one.
pub(crate) type Flag = Option<Arc<AtomicBool>>;

thread_local!(static FLAG: RefCell<Flag> = const { RefCell::new(None) });

/// A call ended because its flag was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Does `work`, which ends early once `flag` is set.
///
/// # Errors
///
/// [`Stopped`] if it ended for that.
///
/// # Panics
///
/// If `work` does.
pub fn stoppable<T>(flag: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let done = catch_unwind(AssertUnwindSafe(|| for_call(Some(Arc::clone(flag)), work)));
    done.map_err(|panic| if is_stop(&*panic) { Stopped } else { resume_unwind(panic) })
}

/// The flag of this thread's call.
pub(super) fn flag() -> Flag {
    FLAG.with_borrow(Clone::clone)
}

/// Does `work` for the call of this flag.
pub(super) fn for_call<T>(flag: Flag, work: impl FnOnce() -> T) -> T {
    struct Restore(Flag);
    impl Drop for Restore {
        fn drop(&mut self) {
            FLAG.set(self.0.take());
        }
    }
    let _before = Restore(FLAG.replace(flag));
    work()
}

/// Whether this is not a panic, but the end of a call that was asked to stop.
pub(crate) fn is_stop(panic: &(dyn std::any::Any + Send)) -> bool {
    panic.is::<Stopped>()
}

/// Unwinds if the call of this thread is asked to stop.
///
/// # Panics
///
/// That unwinding is none: [`stoppable`] ends it.
#[inline]
pub fn check() {
    if FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Relaxed))) {
        stop();
    }
}

#[cold]
fn stop() {
    // What is dropped while a thread unwinds may call `check`, and must not unwind again: that aborts.
    if !thread::panicking() {
        resume_unwind(Box::new(Stopped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::{at_once, map, on, with_one_beside};

    #[test]
    fn every_thread_of_a_call_ends_once_it_is_asked_to() {
        let asked = Arc::new(AtomicBool::new(true));
        let long = || loop {
            check();
        };
        assert_eq!(stoppable(&asked, long), Err::<(), _>(Stopped));
        assert_eq!(stoppable(&asked, || on(2, long)), Err::<(), _>(Stopped));
        assert_eq!(stoppable(&asked, || at_once(2, long)).err(), Some(Stopped));
        assert_eq!(stoppable(&asked, || with_one_beside(long, || (), || ())).err(), Some(Stopped));
        assert_eq!(stoppable(&asked, || map(vec![1, 2], |number| number)).err(), Some(Stopped));
        assert_eq!(stoppable(&asked, || on(2, || map(vec![1, 2], |number| number))).err(), Some(Stopped));
        asked.store(false, Relaxed);
        assert_eq!(stoppable(&asked, || on(2, || map(vec![1, 2], |number| number))), Ok(vec![1, 2]));
        asked.store(true, Relaxed);
        check();
    }

    #[test]
    fn a_panic_is_none() {
        let asked = Arc::new(AtomicBool::new(true));
        assert!(catch_unwind(|| stoppable(&asked, || panic!("by itself"))).is_err());
    }
}
