//! Runs the commands.

use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

use super::args::{Args, Command};
use super::error::Failure;
use super::journal::usage;
use super::say::say;
use super::{
    check, compile, completions, export, file_size, filter, inspect, join, lint, man, merge, open_files, panics,
    report, sigbus, verify,
};

/// Runs the program. `args` are its name and its arguments. Errors go to standard error; the exit status is 0 done, 1
/// the answer is "no", 2 an error, 130 interrupted.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let given: Vec<OsString> = args.into_iter().collect();
    let args = match Args::try_parse_from(&given) {
        Ok(args) => args,
        Err(problem) => return usage(&problem, &given),
    };
    match run(args) {
        Ok(status) => status,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            say(format_args!("robosieve: {failure}"));
            ExitCode::from(failure.status())
        }
    }
}

fn run(args: Args) -> Result<ExitCode, Failure> {
    sigbus::report();
    file_size::fail_beyond_limit();
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
