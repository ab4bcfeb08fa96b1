//! The sections of an image as what they are.

use super::layout::RowEntry;
use super::pool::Pool;

/// The sections of an image that is checked.
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
