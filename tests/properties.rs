//! Properties: every engine against the oracle for every dialect, origins against the `url` crate, and two general
//! automata as witnesses of ours; lint against the oracle.
//!
//! Each property is tried on 4,096 cases, or on as many as the environment variable `PROPTEST_CASES` says.

use proptest::prelude::*;

#[path = "properties/dialects.rs"]
mod dialects;
#[path = "properties/lint.rs"]
mod lint;
#[path = "oracle/mod.rs"]
mod oracle;
#[path = "properties/origins.rs"]
mod origins;
#[path = "properties/spots.rs"]
mod spots;
#[path = "oracle/strategies.rs"]
mod strategies;
mod support;
#[path = "oracle/urls.rs"]
mod urls;
#[path = "properties/witnesses.rs"]
mod witnesses;

/// The number of cases; failures are not written to files, because what is found becomes a test with a name.
fn config() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if asked { default } else { ProptestConfig { cases: 4096, ..default } }
}
