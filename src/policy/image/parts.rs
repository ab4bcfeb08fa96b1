//! Typed views of the sections of an image.

use super::layout::RowEntry;
use super::pool::Pool;

/// The sections of a checked image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'p> {
    pub lookup: &'p [u8],
    pub records: &'p [u8],
    pub rows: &'p [RowEntry],
    /// The pool of automata.
    pub automata: &'p [u8],
    pub rules: Pool<'p>,
    pub side: Pool<'p>,
}
