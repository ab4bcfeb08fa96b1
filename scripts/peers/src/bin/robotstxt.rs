//! `robotstxt`, the port of Google's library, with the host cut out by hand.

use peers::matchers::Robotstxt;

fn main() -> std::process::ExitCode {
    peers::exit_with(peers::run::main::<Robotstxt>())
}
