//! `robosieve merge`.

use std::process::ExitCode;

use super::args::MergeArgs;
use super::compile::report;
use super::failure::Failure;
use robosieve::policy::{self, MergeError, Policy, Trust};

pub fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    let [old, new] = [&args.old, &args.new].map(|path| Policy::open(path, Trust::Nothing));
    let statistics = policy::merge(&old?, &new?, &args.output).map_err(|error| match error {
        MergeError::Write(error) => Failure::Write { path: args.output.clone(), error },
        other => Failure::Merge(other),
    })?;
    report(&args.output, &statistics);
    Ok(ExitCode::SUCCESS)
}
