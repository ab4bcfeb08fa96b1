//! Threads of one call, without a pool.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::{self, Builder};

use super::stop::{flag, for_call};

/// Does the same work on this many threads at once, and returns the results. This thread is one of them, and works alone if the
/// system grants no others; those have ended when it returns.
///
/// # Panics
///
/// If one of them panics, once all have ended.
pub fn at_once<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    let asked = flag();
    let all: Vec<thread::Result<T>> = thread::scope(|scope| {
        let others =
            (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, || for_call(asked.clone(), &work)).ok());
        let others: Vec<_> = others.collect();
        let own = catch_unwind(AssertUnwindSafe(&work));
        std::iter::once(own).chain(others.into_iter().map(|other| other.join())).collect()
    });
    all.into_iter().map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

/// Does `work` in this thread, and `beside` meanwhile in one of its own, which `end` lets return and which has ended when this
/// returns.
///
/// # Errors
///
/// The system's error if it grants no thread; then no work is done.
///
/// # Panics
///
/// If either panics, once both have ended.
pub(crate) fn with_one_beside<T>(
    beside: impl FnOnce() + Send,
    end: impl FnOnce(),
    work: impl FnOnce() -> T,
) -> io::Result<T> {
    let asked = flag();
    let (worked, ended) = thread::scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, || for_call(asked, beside))?;
        let worked = catch_unwind(AssertUnwindSafe(work));
        end();
        io::Result::Ok((worked, thread.join()))
    })?;
    ended.and(worked).map_or_else(|panic| resume_unwind(panic), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    #[test]
    fn a_panic_is_passed_on_when_all_threads_have_ended() {
        let ended = AtomicUsize::new(0);
        let (meet, first) = (Barrier::new(3), AtomicUsize::new(0));
        let work = || {
            meet.wait();
            assert!(first.fetch_add(1, SeqCst) > 0, "the first one fails");
            ended.fetch_add(1, SeqCst);
        };
        assert!(catch_unwind(AssertUnwindSafe(|| at_once(3, work))).is_err());
        assert_eq!(ended.into_inner(), 2);
        let asked = AtomicUsize::new(0);
        let beside = || {
            while asked.load(SeqCst) == 0 {
                thread::yield_now()
            }
        };
        let failed = || with_one_beside(beside, || asked.store(1, SeqCst), || panic!("at work"));
        assert!(catch_unwind(AssertUnwindSafe(failed)).is_err());
    }
}
