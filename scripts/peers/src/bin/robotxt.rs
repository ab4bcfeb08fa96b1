//! `robotxt`, with the host cut out by hand.

use peers::matchers::Robotxt;

fn main() -> std::process::ExitCode {
    peers::exit_with(peers::run::main::<Robotxt>())
}
