//! A number of workers.

use clap::builder::{RangedU64ValueParser, TypedValueParser};

/// A parser for the number of workers. Each has its own buffers, so far more workers than processors would only take
/// memory.
pub(super) fn workers() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::new().range(..=4096)
}
