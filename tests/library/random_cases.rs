//! How many random cases a property has: as it says, or the number in the environment variable `PROPTEST_CASES`. If `SAMPLE_SEED` is
//! set, a quarter of them, which are those of this seed.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

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
