//! `robosieve verify` and `robosieve join`.

use std::process::ExitCode;

use super::args::{JoinArgs, VerifyArgs};
use super::error::Failure;
use super::say::{print, say, say_lines};
use crate::formats::shown;
use crate::run;

pub fn verify(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let verification = run::verify(&args.directory, args.inputs, args.threads)?;
    print(&verification.to_string())?;
    Ok(if verification.is_proven() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

pub fn join(args: &JoinArgs) -> Result<ExitCode, Failure> {
    let receipt = run::join(&args.shards, &args.out, args.concat, args.force)?;
    for (path, problem) in run::uncounted(&receipt, &args.out) {
        say(format_args!("robosieve: warning: {}: {problem}", shown(&path)));
    }
    if !args.quiet {
        say_lines(receipt);
    }
    Ok(ExitCode::SUCCESS)
}
