//! `texting_robots`, the `url` crate, a hash map from origin to policy, and buffered writers.

use peers::matchers::Texting;

fn main() -> std::process::ExitCode {
    peers::exit_with(peers::run::main::<Texting>())
}
