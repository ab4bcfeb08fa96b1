//! `robosieve verify` and `robosieve join`.

use std::process::ExitCode;

use super::args::{JoinArgs, VerifyArgs};
use super::failure::Failure;
use super::printer::print;
use super::say::say;
use crate::run;

pub fn verify(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let verification = run::verify(&args.directory, args.inputs, args.threads)?;
    print(&verification.to_string())?;
    Ok(if verification.is_proven() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

pub fn join(args: &JoinArgs) -> Result<ExitCode, Failure> {
    let receipt = run::join(&args.shards, &args.out, args.concat, args.force)?;
    if !args.quiet {
        say(receipt);
    }
    Ok(ExitCode::SUCCESS)
}
