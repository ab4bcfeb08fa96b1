//! Properties: every engine against the oracle in every dialect, origins and paths against the `url` crate, our automata against
//! two general ones, and lint against the oracle.
//!
//! Each property runs on 4,096 cases; one about all paths of whole groups or policies on 256.

use proptest::prelude::ProptestConfig;

use crate::random_cases::config_with;

pub mod access;
mod as_fetched;
mod dialects;
mod differ;
mod fetched;
pub mod lint;
mod origins;
mod preferences;
mod spots;
mod strategies;
mod urls;
mod witnesses;

/// The number of cases.
fn config() -> ProptestConfig {
    config_with(4096)
}

/// The number of cases of a property that takes milliseconds for each.
fn costly() -> ProptestConfig {
    config_with(256)
}
