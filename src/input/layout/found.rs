//! Where the URL of a line was found.

use std::ops::Range;

/// The URL of a line.
pub(crate) enum Found {
    /// A range of the line.
    Within(Range<usize>),
    /// A range of the decoded bytes.
    Decoded(Range<usize>),
}
