//! Properties: every engine against the oracle in every dialect, origins and paths against the `url` crate, our automata against
//! two general ones, and lint against the oracle.
//!
//! Each property runs on 4,096 cases, or on the number in the environment variable `PROPTEST_CASES`; one about all paths of whole
//! groups or policies on 256. If `SAMPLE_SEED` is set, on a quarter of them, which are those of this seed.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

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

/// With a number of cases, if none is asked for. Failures are not saved to files: each one found becomes a named test.
pub fn config_with(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return default;
    }
    match std::env::var("SAMPLE_SEED") {
        Ok(seed) => {
            let seed = seed.parse().expect("SAMPLE_SEED is a number");
            ProptestConfig { cases: cases / 4, rng_seed: RngSeed::Fixed(seed), ..default }
        }
        Err(_) => ProptestConfig { cases, ..default },
    }
}
