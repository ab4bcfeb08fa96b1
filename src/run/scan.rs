//! Passes over chunks that write nothing: before a run judges, beside it, or over what it wrote.
//!
//! Workers take chunks as in a run, but never wait for a turn. Where the results of chunks are combined in order, they are small, and
//! kept until the chunks before them are done.

use std::mem::take;
use std::path::Path;
use std::slice;
use std::sync::atomic::AtomicU64;

use super::queue::Queue;
use crate::error::run::{Error, ErrorKind};
use crate::formats::seekable;
use crate::input::chunks::{Chunk, Chunks, Cut, Position};
use crate::input::list::{Buffer, List};
use crate::lock::OnPanic;
use crate::threads;

/// Reads all chunks on several threads, as far as nobody asks to stop. `each` gets a chunk with the state of its thread, which
/// `new` makes, and returns whether to go on. If one fails or panics, no more chunks are handed out, and `stop` ends what threads wait
/// for.
pub(crate) fn each_chunk<S>(
    chunks: &Chunks<'_>,
    threads: usize,
    stop: impl Fn() + Sync,
    new: impl Fn() -> S + Sync,
    each: impl Fn(&mut Chunk<'_>, &mut S) -> Result<bool, Error> + Sync,
) -> Result<(), Error> {
    let stop = || {
        chunks.stop();
        stop();
    };
    let work = || {
        let (mut buffer, mut state) = (Buffer::default(), new());
        while let Some(mut chunk) = chunks.next(&mut buffer)? {
            threads::check();
            chunks.read(&mut chunk, &mut buffer)?;
            if !each(&mut chunk, &mut state)? {
                return Ok(());
            }
            buffer = chunk.end_judging();
            chunk.release(&chunks.lists()[chunk.list]);
            if chunk.is_long {
                // The next long chunk may begin only when this memory is freed.
                buffer.release();
                state = new();
            }
        }
        Ok(())
    };
    let ended = threads::at_once(threads, || {
        let _guard = OnPanic(stop);
        work().inspect_err(|_| stop())
    });
    ended.into_iter().collect()
}

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

/// Opens a file that a run wrote as a list to be scanned.
pub(crate) fn opened(path: &Path) -> Result<List, Error> {
    seekable::ensure(path).map_err(ErrorKind::List.with_file("read the list", path))?;
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
) -> Result<T, Error> {
    let read = AtomicU64::new(0);
    let mut cut = Cut::all(slice::from_ref(list), chunk_size, &read);
    let mut until = u64::MAX;
    match extent {
        Extent::Whole => {}
        Extent::Before(end) => (cut.before, until) = (Position { list: 0, at: end }, end),
        Extent::Rows => cut.by_rows = true,
    }
    let chunks = Chunks::new(cut);
    let scanned = Queue::new(T::default(), usize::MAX);
    let each = |chunk: &mut Chunk<'_>, (): &mut ()| -> Result<bool, Error> {
        let text = chunk.text();
        let wanted = until.saturating_sub(chunk.at).min(text.len() as u64);
        let part = of(&text[..wanted as usize], chunk.at == 0);
        scanned.hand_in(chunk.ticket, part, |whole, part| {
            append(whole, take(part));
            Ok::<_, Error>(())
        })?;
        Ok(true)
    };
    // Text may be this much shorter when it is compressed.
    let most_chunks = list.source_length().map_or(1, |length| 1 + length.saturating_mul(8) / chunk_size as u64);
    let threads = threads::asked(threads).min(usize::try_from(most_chunks).unwrap_or(usize::MAX));
    each_chunk(&chunks, threads, || (), || (), each)?;
    list.unchanged()?;
    Ok(scanned.into_inner())
}
