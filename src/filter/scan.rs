//! Lists read as they are, judged by nobody: what a proof computes again.
//!
//! Workers take chunks as in a run, but nobody waits for a turn: what a chunk came to is small, and stays aside until
//! those before it are there.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use rayon::ThreadPoolBuilder;

use super::FilterError;
use super::chunks::{Buffer, Chunks};
use super::list::List;
use super::sequence::lock;

/// What chunks came to, put together in their order.
struct Scanned<T> {
    /// The ticket of the next chunk to be appended.
    next: u64,
    /// Chunks whose predecessors are still on the way, each with its list.
    early: BTreeMap<u64, (usize, T)>,
    lists: Vec<T>,
}

/// What each list comes to: `of` its chunks, put together by `append`. `of` is told whether a chunk begins its list.
pub(super) fn scan<T: Default + Send>(
    lists: &[List],
    threads: usize,
    chunk_size: usize,
    of: impl Fn(&[u8], bool) -> T + Sync,
    append: impl Fn(&mut T, &T) + Sync,
) -> Result<Vec<T>, FilterError> {
    let read = AtomicU64::new(0);
    let chunks = Chunks::new(lists, chunk_size, &read);
    let first = lists.iter().map(|_| T::default()).collect();
    let scanned = Mutex::new(Scanned { next: 0, early: BTreeMap::new(), lists: first });
    let work = || {
        let mut buffer = Buffer::default();
        while let Some(task) = chunks.next(&mut buffer)? {
            let part = of(task.octets(&buffer), task.at == 0);
            let mut scanned = lock(&scanned);
            let Scanned { next, early, lists } = &mut *scanned;
            early.insert(task.ticket, (task.list, part));
            while let Some((list, part)) = early.remove(next) {
                append(&mut lists[list], &part);
                *next += 1;
            }
        }
        Ok(())
    };
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let ended: Vec<Result<(), FilterError>> = pool.broadcast(|_| work().inspect_err(|_| chunks.stop()));
    ended.into_iter().collect::<Result<(), _>>()?;
    lists.iter().try_for_each(List::unchanged)?;
    Ok(scanned.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).lists)
}
