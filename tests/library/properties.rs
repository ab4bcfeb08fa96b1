//! Properties: every engine against the oracle in every dialect, origins and paths against the `url` crate, our automata against
//! two general ones, and lint against the oracle.
//!
//! Each property runs on 4,096 cases, or on the number in the environment variable `PROPTEST_CASES`.

use proptest::prelude::*;

mod access;
mod dialects;
mod differ;
mod fetched;
mod lint;
mod origins;
mod preferences;
mod spots;
mod strategies;
mod urls;
mod witnesses;

/// The number of cases. Failures are not saved to files: each one found becomes a named test.
fn config() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if asked { default } else { ProptestConfig { cases: 4096, ..default } }
}
