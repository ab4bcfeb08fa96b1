//! Reads a list without judging it, to compute its tally again.
//!
//! Workers take chunks as in a run, but never wait for a turn: the result of a chunk is small, and is kept until the chunks
//! before it are done.

use std::collections::BTreeMap;
use std::path::Path;
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use super::chunks::{Chunk, Chunks, Cut, Position, each_chunk};
use super::error::ListError;
use super::list::List;
use crate::formats::error::FileError;
use crate::formats::seekable;
use crate::lock::{into_inner, lock};
use crate::threads;

/// The part of a list to read.
#[derive(Debug, Clone)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// The text before this byte.
    Before(u64),
    /// Of a table, the rows that are not skipped.
    Rows,
}

/// The results of chunks, combined in order.
struct Scanned<T> {
    /// The ticket of the next chunk to be appended.
    next: u64,
    /// Chunks that were done before their predecessors.
    early: BTreeMap<u64, T>,
    whole: T,
}

/// Opens a file that a run wrote as a list to be scanned.
pub(crate) fn opened(path: &Path) -> Result<List, ListError> {
    seekable::ensure(path).map_err(FileError::of("read the list", path))?;
    List::open(path)
}

/// The result of a list, or of `extent` of it, below its head line: `of` is called for every chunk, with whether it begins the
/// list, and `append` combines the results in order.
pub(crate) fn scan<T: Default + Send>(
    list: &List,
    extent: Extent,
    threads: usize,
    chunk_size: usize,
    of: impl Fn(&[u8], bool) -> T + Sync,
    append: impl Fn(&mut T, T) + Sync,
) -> Result<T, ListError> {
    let read = AtomicU64::new(0);
    let mut cut = Cut::all(slice::from_ref(list), chunk_size, &read);
    let mut until = u64::MAX;
    match extent {
        Extent::Whole => {}
        Extent::Before(end) => (cut.before, until) = (Position { list: 0, at: end }, end),
        Extent::Rows => cut.by_rows = true,
    }
    let chunks = Chunks::new(cut);
    let scanned = Mutex::new(Scanned { next: 0, early: BTreeMap::new(), whole: T::default() });
    let each = |chunk: &mut Chunk<'_>, (): &mut ()| -> Result<bool, ListError> {
        let text = chunk.text();
        let wanted = until.saturating_sub(chunk.at).min(text.len() as u64);
        let part = of(&text[..wanted as usize], chunk.at == 0);
        let Scanned { next, early, whole } = &mut *lock(&scanned);
        early.insert(chunk.ticket, part);
        while let Some(part) = early.remove(next) {
            append(whole, part);
            *next += 1;
        }
        Ok(true)
    };
    // Text may be this much shorter when it is compressed.
    let most_chunks = list.source_length().map_or(1, |length| 1 + length.saturating_mul(8) / chunk_size as u64);
    let threads = threads::asked(threads).min(usize::try_from(most_chunks).unwrap_or(usize::MAX));
    each_chunk(&chunks, threads, || (), || (), each)?;
    list.unchanged()?;
    Ok(into_inner(scanned).whole)
}
