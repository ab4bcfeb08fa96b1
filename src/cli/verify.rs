//! `robosieve verify`.

use std::process::ExitCode;

use super::args::VerifyArgs;
use super::error::Failure;
use super::printer::print;
use crate::run;

pub fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let verification = run::verify(&args.directory, args.inputs, args.threads)?;
    print(&verification.to_string())?;
    Ok(if verification.is_proven() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
