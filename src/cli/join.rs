//! `robosieve join`.

use std::process::ExitCode;

use super::args::JoinArgs;
use super::error::Failure;
use super::say::{say, say_lines};
use crate::formats::shown;
use crate::run;

pub fn run(args: &JoinArgs) -> Result<ExitCode, Failure> {
    let receipt = run::join(&args.shards, &args.out, args.concat, args.force)?;
    for (path, problem) in run::uncounted(&receipt, &args.out) {
        say(format_args!("robosieve: warning: {}: {problem}", shown(&path)));
    }
    if !args.quiet {
        say_lines(receipt);
    }
    Ok(ExitCode::SUCCESS)
}
