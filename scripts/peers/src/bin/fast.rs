//! The compiled matcher of `fast-robots`, with the host cut out by hand.

use peers::matchers::Fast;

fn main() -> std::process::ExitCode {
    peers::exit_with(peers::run::main::<Fast>())
}
