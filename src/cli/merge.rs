//! `robosieve merge`.

use std::process::ExitCode;

use super::args::MergeArgs;
use super::compile::report;
use super::destination;
use super::error::Failure;
use crate::policy::{self, MergeError, POLICY_FILE, Policy};

pub fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    // The result may replace the older policy.
    destination::ensure(&args.out, &POLICY_FILE, std::slice::from_ref(&args.new))?;
    let [old, new] = [&args.old, &args.new].map(Policy::open);
    let statistics = policy::merge(&old?, &new?, &args.out).map_err(|error| match error {
        MergeError::Write(error) => Failure::Write { path: args.out.clone(), error },
        other => Failure::Merge(other),
    })?;
    if !args.quiet {
        report(&args.out, &statistics);
    }
    Ok(ExitCode::SUCCESS)
}
