//! The program: its commands, and what runs them.

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use super::args::FilterArgs;
use super::check::{self, CheckArgs};
use super::compile::{self, CompileArgs, MergeArgs};
use super::diff::{self, DiffArgs, HistoryArgs};
use super::documentation::{self, CompletionsArgs, ManArgs};
use super::error::Failure;
use super::export::{self, ExportArgs};
use super::help::with_help;
use super::inspect::{self, InspectArgs};
use super::journal::error_event;
use super::keys::{self, KeysArgs, SeenArgs};
use super::lint::{self, LintArgs};
use super::receipts::{self, JoinArgs, ReportArgs, VerifyArgs};
use super::say::say;
use super::{filter, process};
use crate::formats::{standard_output, visible};

/// Split URL lists by robots.txt and prove that no line was lost
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Examples:
  robosieve filter --agent examplebot --robots robots/ --out split urls.txt
  robosieve compile --agent examplebot robots/ captures.jsonl -o policy.rsv
  robosieve check --policy policy.rsv https://example.com/private/x

Each command has examples of its own: robosieve help filter"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Filter(Box<FilterArgs>),
    Check(CheckArgs),
    Compile(CompileArgs),
    Merge(MergeArgs),
    Inspect(InspectArgs),
    Export(ExportArgs),
    Diff(DiffArgs),
    History(HistoryArgs),
    Report(ReportArgs),
    Lint(LintArgs),
    Verify(VerifyArgs),
    Join(JoinArgs),
    Keys(KeysArgs),
    Seen(SeenArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Runs the program. `args` are its name and its arguments. Errors go to standard error; the exit status is 0 done, 1
/// the answer is "no", 2 an error, 130 interrupted.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let given: Vec<OsString> = args.into_iter().collect();
    let args = match parse(&given) {
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

/// The program, with the help of its commands.
fn program() -> clap::Command {
    Args::command().mut_subcommands(with_help)
}

fn parse(given: &[OsString]) -> Result<Args, clap::Error> {
    let mut program = program();
    let found = program.try_get_matches_from_mut(given)?;
    Args::from_arg_matches(&found).map_err(|problem| problem.format(&mut program))
}

fn run(args: Args) -> Result<ExitCode, Failure> {
    process::set_up();
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
        Command::Completions(args) => documentation::completions(&args, program()),
        Command::Man(args) => documentation::man(&args, program()),
    }
}

/// Prints the error for invalid arguments, as JSON if they ask for that, or the help asked for. Arguments that a terminal would
/// obey are shown as escapes.
fn usage(problem: &clap::Error, given: &[OsString]) -> ExitCode {
    let of_visible = with_visible_words(problem, given);
    let problem = of_visible.as_ref().unwrap_or(problem);
    let asked = given.iter().any(|word| word == "--log=json") || given.windows(2).any(|pair| pair == ["--log", "json"]);
    if asked && problem.use_stderr() {
        let text = problem.render().to_string();
        say(error_event(text.trim_end().strip_prefix("error: ").unwrap_or(&text)));
    } else {
        // In colour.
        let is_result = !problem.use_stderr();
        let out = if is_result { standard_output::open().map(|_| ()) } else { Ok(()) };
        match out.and_then(|()| problem.print()).and_then(|()| io::stdout().flush()) {
            Err(error) if is_result && error.kind() != io::ErrorKind::BrokenPipe => {
                let failure = Failure::from(error);
                say(format_args!("robosieve: {failure}"));
                return ExitCode::from(failure.status());
            }
            _ => {}
        }
    }
    u8::try_from(problem.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// The error for the same arguments, made visible; `None` if they are.
fn with_visible_words(problem: &clap::Error, given: &[OsString]) -> Option<clap::Error> {
    let words: Vec<OsString> = given.iter().map(|word| visible(word.to_string_lossy()).to_string().into()).collect();
    if words == given || !problem.use_stderr() {
        return None;
    }
    let same = parse(&words).err().filter(|other| other.kind() == problem.kind());
    Some(same.unwrap_or_else(|| clap::Error::raw(problem.kind(), format!("{}\n", visible(problem)))))
}
