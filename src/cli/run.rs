//! Each command, run.

use std::process::ExitCode;

use super::args::{Args, Command};
use super::failure::Failure;
use super::{
    check, compile, completions, export, filter, inspect, join, lint, man, merge, open_files, panics, report, sigbus,
    verify,
};

/// Runs a command.
pub fn run(args: Args) -> Result<ExitCode, Failure> {
    sigbus::report();
    open_files::raise_limit();
    panics::hide_caught();
    match args.command {
        Command::Filter(args) => Ok(filter::run(&args)),
        Command::Check(args) => check::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Compile(args) => compile::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Join(args) => join::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
