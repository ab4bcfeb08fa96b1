//! Where the URL of a line was found.

use std::ops::Range;

/// The URL of a line.
pub(crate) enum Found {
    /// A part of the line.
    Within(Range<usize>),
    /// A part of what was decoded.
    Decoded(Range<usize>),
}
