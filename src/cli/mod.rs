//! The command line.
//!
//! [`args`] is plain data; each command turns it into what the library wants, and prints what came of it. Exit status:
//! 0 done, 1 the answer is "no" (`check` found a URL that is not allowed, `lint` something to report, `inspect` no
//! entry, `verify` something that is not as the receipt says), 2 an
//! error, 130 a run that was interrupted and can be resumed. A closed pipe is no error.

mod args;
mod check;
mod compile;
mod completions;
mod export;
mod failure;
mod filter;
mod inspect;
mod interrupt;
mod join;
mod journal;
mod lint;
mod lists;
mod man;
mod merge;
mod open_files;
mod printer;
mod report;
mod sigbus;
mod sources;
mod verify;

pub use args::Args;
pub use failure::Failure;
pub use journal::usage;

use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use args::Command;
use robosieve::compression::Reader;
use robosieve::filter::STANDARD_INPUT;
use robosieve::policy::{Crawler, Policy};
use robosieve::robots::Agents;

/// Runs a command.
pub fn run(args: Args) -> Result<ExitCode, Failure> {
    sigbus::report();
    open_files::raise_limit();
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

/// The crawler of a policy that is asked for, else all that it is for.
fn crawlers(asked: Option<&Agents>, policy: &Policy) -> Result<Vec<Crawler>, Failure> {
    let asked: Vec<&Agents> = asked.map_or_else(|| policy.columns().all().iter().collect(), |agents| vec![agents]);
    Ok(asked.into_iter().map(|agents| policy.crawler(Some(agents))).collect::<Result<_, _>>()?)
}

/// A whole file, or the standard input, decompressed if it is compressed.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        let mut file = Vec::new();
        if path.as_os_str() == STANDARD_INPUT {
            Reader::new(io::stdin())?.read_to_end(&mut file)?;
        } else {
            Reader::open(path)?.read_to_end(&mut file)?;
        }
        Ok(file)
    };
    read().map_err(|error| Failure::Unreadable { path: path.to_owned(), error })
}
