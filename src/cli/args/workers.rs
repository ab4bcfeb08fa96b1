//! A number of workers.

use clap::builder::{RangedU64ValueParser, TypedValueParser};

/// A number of workers. Each has buffers of its own, so far more than there can be processors would only take memory.
pub(super) fn workers() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::new().range(..=4096)
}
