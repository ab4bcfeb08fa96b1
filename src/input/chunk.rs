//! A chunk of a list: whole lines, and how they are read.

use crate::input::chunks::{Buffer, Chunks, Task};
use crate::input::layout::Layout;
use crate::outcome::Reason;

/// Whole lines, and how they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'c> {
    /// Only the last line of a list may be without LF.
    pub text: &'c [u8],
    pub layout: &'c Layout,
    /// Bytes of the byte order mark before the URL of the first line.
    pub mark: usize,
    /// Lines that have no URL whatever they say, by their numbers.
    pub flaws: &'c [(u64, Reason)],
    /// The lines of the chunk that they are without, by their numbers in it.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub left_out: &'c [usize],
}

/// The chunk of a task, read into this `buffer`.
pub(crate) fn chunk_of<'c>(chunks: &'c Chunks<'_>, task: &'c Task<'_>, buffer: &'c Buffer) -> Chunk<'c> {
    let (list, text) = (&chunks.lists()[task.list], task.bytes(buffer));
    let (mark, flaws) = (list.mark(task.at, text), task.flaws(buffer));
    Chunk { text, layout: &list.layout, mark, flaws, left_out: &[] }
}
