//! A pass over chunks that writes nothing: before a run judges, beside it, or over what it wrote.

use super::{Chunk, Chunks};
use crate::input::error::ListError;
use crate::input::list::Buffer;
use crate::lock::OnPanic;
use crate::threads;

/// Reads all chunks on several threads, as far as nobody asks to stop. `each` gets a chunk with the state of its thread, which
/// `new` makes, and returns whether to go on. If one fails or panics, no more chunks are handed out, and `stop` ends what threads wait
/// for.
pub(crate) fn each_chunk<S, E: From<ListError> + Send>(
    chunks: &Chunks<'_>,
    threads: usize,
    stop: impl Fn() + Sync,
    new: impl Fn() -> S + Sync,
    each: impl Fn(&mut Chunk<'_>, &mut S) -> Result<bool, E> + Sync,
) -> Result<(), E> {
    let stop = || {
        chunks.stop();
        stop();
    };
    let work = || {
        let (mut buffer, mut state) = (Buffer::default(), new());
        while let Some(mut chunk) = chunks.next(&mut buffer)? {
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
        work().inspect_err(|_: &E| stop())
    });
    ended.into_iter().collect()
}
