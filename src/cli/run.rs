//! Runs the commands.

use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

use super::args::{Args, Command, joined};
use super::error::Failure;
use super::journal::usage;
use super::say::say;
use super::{check, compile, diff, documentation, export, filter, inspect, keys, lint, process, receipts};

/// Runs the program. `args` are its name and its arguments. Errors go to standard error; the exit status is 0 done, 1
/// the answer is "no", 2 an error, 130 interrupted.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let given = joined(args);
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
    process::report_lost_pages();
    process::fail_beyond_size_limit();
    process::raise_open_files();
    process::hide_caught_panics();
    match args.command {
        Command::Filter(args) => Ok(filter::run(&args)),
        Command::Check(args) => check::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Compile(args) => compile::compile(&args),
        Command::Merge(args) => compile::merge(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::History(args) => diff::history(&args),
        Command::Join(args) => receipts::join(&args),
        Command::Keys(args) => keys::keys(&args),
        Command::Seen(args) => keys::seen(&args),
        Command::Verify(args) => receipts::verify(&args),
        Command::Report(args) => receipts::report(&args),
        Command::Completions(args) => documentation::completions(&args),
        Command::Man(args) => documentation::man(&args),
    }
}
