//! Threads of a pool.
//!
//! Nothing here uses rayon's global pool, whose threads live as long as the process. Most of rayon's functions start that pool when they
//! are called outside any other, so they are called in this file only. In a thread of a pool, be it that of the call or one of the
//! caller's own, they share the work among its threads; outside, [`both`], [`map`] and [`sort_by_key`] do all of it themselves.

use rayon::prelude::*;
use rayon::{ThreadPoolBuilder, Yield};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, Builder, JoinHandle};

use super::stop::{check, flag, for_call};

pub(crate) use rayon::Scope;

/// The number of threads that was asked for. 0 stands for the number in the environment variable `RAYON_NUM_THREADS`, as in other
/// programs that use rayon, or for all processors.
pub(crate) fn asked(threads: usize) -> usize {
    let in_environment = || std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok();
    match threads {
        0 => in_environment()
            .filter(|&threads| threads > 0)
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)),
        threads => threads,
    }
}

/// How many threads to start, `most` at most, for work that takes one about this many milliseconds; 0 if that is too little.
/// Starting and joining a thread takes a twentieth of a millisecond.
pub(crate) fn worth_starting(milliseconds: usize, most: usize) -> usize {
    match milliseconds.min(most) {
        0 | 1 => 0,
        several => Some(several.min(asked(0))).filter(|&threads| threads > 1).unwrap_or(0),
    }
}

/// Does `work` in a pool of this many threads, which have ended when it returns. Does it in this thread if that is in a pool
/// already, if the number is 0, or if the system grants no threads.
pub(crate) fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    if threads == 0 || in_pool() {
        return work();
    }
    // A pool that is dropped only asks its threads to end. Locals are dropped in reverse order, so these are joined after that.
    let mut started = Started(Vec::with_capacity(threads));
    let asked = flag();
    let start = |thread: rayon::ThreadBuilder| -> io::Result<()> {
        let asked = asked.clone();
        started.0.push(Builder::new().spawn(|| for_call(asked, || thread.run()))?);
        Ok(())
    };
    let pool = ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start).build();
    match &pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// Threads of a pool, joined when this is dropped.
struct Started(Vec<JoinHandle<()>>);

impl Drop for Started {
    fn drop(&mut self) {
        for thread in self.0.drain(..) {
            // A pool keeps the panics of its work for its caller.
            let _ = thread.join();
        }
    }
}

/// Whether this thread is in a pool.
fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// The number of threads that share work given here.
pub(crate) fn number() -> usize {
    if in_pool() { rayon::current_num_threads() } else { 1 }
}

/// Does both, at the same time in a pool.
pub(crate) fn both<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    if in_pool() { rayon::join(one, other) } else { (one(), other()) }
}

/// What `of` makes of each item, in order; in a pool, of several at a time.
pub(crate) fn map<I, T, R>(items: I, of: impl Fn(T) -> R + Send + Sync) -> Vec<R>
where
    I: IntoIterator<Item = T> + IntoParallelIterator<Item = T, Iter: IndexedParallelIterator>,
    T: Send,
    R: Send,
{
    let of = |item| {
        check();
        of(item)
    };
    if in_pool() { items.into_par_iter().map(of).collect() } else { items.into_iter().map(of).collect() }
}

/// Sorts by a key. Equal items may change places.
pub(crate) fn sort_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    if in_pool() { items.par_sort_unstable_by_key(key) } else { items.sort_unstable_by_key(key) }
}

/// Work that a thread of the pool does soon, for a caller that waits for it. Outside a pool it is done at once.
pub(crate) struct Soon<T> {
    sent: Receiver<thread::Result<T>>,
    done: Option<thread::Result<T>>,
}

impl<T: Send + 'static> Soon<T> {
    /// Work to be done, oldest first.
    pub fn begin(work: impl FnOnce() -> T + Send + 'static) -> Soon<T> {
        let (sender, sent) = channel();
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(work));
            // After an error, nobody waits for it any more.
            let _ = sender.send(done);
        };
        if in_pool() {
            rayon::spawn_fifo(work)
        } else {
            work()
        }
        Soon { sent, done: None }
    }

    /// Whether it is done.
    pub fn is_done(&mut self) -> bool {
        self.done = self.done.take().or_else(|| self.sent.try_recv().ok());
        self.done.is_some()
    }

    /// Waits until it is done, and does other work of the pool meanwhile.
    ///
    /// # Panics
    ///
    /// If the work did.
    pub fn wait(mut self) -> T {
        while !self.is_done() {
            // With nothing left to take, another thread is on it: block.
            if !help() {
                self.done = self.sent.recv().ok();
            }
        }
        self.done.expect("it is done").unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Does work that waits in this thread's pool, if there is any. Returns whether it did.
fn help() -> bool {
    rayon::yield_now() == Some(Yield::Executed)
}

/// Does `work` in this thread, while other threads of its pool do what it spawns; then waits for that. Only for a thread
/// [in a pool](in_pool).
pub(crate) fn scope<'s, T>(work: impl FnOnce(&Scope<'s>) -> T) -> T {
    debug_assert!(in_pool(), "the global pool would do it");
    rayon::in_place_scope(work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn a_pool_shares_its_work_and_no_pool_is_made_within_another() {
        assert!(!in_pool());
        assert_eq!((number(), on(0, number)), (1, 1));
        assert_eq!(on(3, || (number(), on(7, number), in_pool())), (3, 3, true));
        let meet = Barrier::new(2);
        on(2, || both(|| meet.wait(), || meet.wait()));
        assert_eq!(on(2, || map(&[1, 2, 3][..], |number| { number * 2 })), [2, 4, 6]);
        assert_eq!(
            map(&mut [1, 2, 3][..], |number| {
                *number += 1;
                *number
            }),
            [2, 3, 4]
        );
    }

    #[test]
    fn a_panic_in_a_pool_is_passed_on() {
        assert!(catch_unwind(|| on(2, || panic!("in a pool"))).is_err());
    }
}
