//! The command line.
//!
//! [`args`] is plain data; each command turns it into what the library wants, and prints what came of it. Exit status:
//! 0 done, 1 the answer is "no" (`check` found a URL that is not allowed), 2 an error. A closed pipe is no error.

mod args;
mod check;
mod compile;
mod failure;
mod filter;
mod merge;
mod sigbus;
mod sources;

pub use args::Args;
pub use failure::Failure;

use std::process::ExitCode;

use args::Command;

/// Runs a command.
pub fn run(args: Args) -> Result<ExitCode, Failure> {
    sigbus::report();
    match args.command {
        Command::Filter(args) => filter::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Compile(args) => compile::run(&args),
        Command::Merge(args) => merge::run(&args),
    }
}
