//! A chunk of a list.

use crate::input::buffer::Buffer;
use crate::input::chunks::{Chunks, Task};
use crate::input::layout::Layout;
use crate::outcome::Reason;

/// Whole lines of a list, and how to read them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'c> {
    /// Only the last line of a list may lack its LF.
    pub text: &'c [u8],
    pub layout: &'c Layout,
    /// Length of the byte order mark before the first line's URL.
    pub mark: usize,
    /// Lines that are invalid whatever they contain, by line number.
    pub flaws: &'c [(u64, Reason)],
    /// Lines already dropped from the chunk, by their numbers before that.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub left_out: &'c [usize],
}

/// The chunk of a task that was read into `buffer`.
pub(crate) fn chunk_of<'c>(chunks: &'c Chunks<'_>, task: &'c Task<'_>, buffer: &'c Buffer) -> Chunk<'c> {
    let (list, text) = (&chunks.lists()[task.list], task.bytes(buffer));
    let (mark, flaws) = (list.mark(task.at, text), task.flaws(buffer));
    Chunk { text, layout: &list.layout, mark, flaws, left_out: &[] }
}
