//! `robosieve merge`.

use std::process::ExitCode;

use super::args::{MergeArgs, mapped};
use super::compile::report;
use super::destination;
use super::error::Failure;
use super::say::say;
use crate::output::counted;
use crate::policy::{self, MergeError, Merged, Overrides, POLICY_FILE, Trust};

/// How many origins whose overrides contradict each other are named.
const NAMED: usize = 3;

pub fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    // The result may replace one of the policies.
    let others: Vec<_> = args.overrides.iter().cloned().collect();
    destination::ensure(&args.out, &POLICY_FILE, &others)?;
    let out = destination::lock(&args.out, args.quiet)?;
    let policies = args.policies.iter().map(|path| mapped(path, Trust::Nothing)).collect::<Result<Vec<_>, _>>()?;
    let overrides = args.overrides.as_deref().map(Overrides::read).transpose()?;
    let merged = policy::merge(&policies, overrides.as_ref(), &out).map_err(|error| match error {
        MergeError::Write(error) => Failure::Write { path: args.out.clone(), error },
        other => Failure::Merge(other),
    })?;
    if !args.quiet {
        tell(&merged);
        report(&args.out, &merged.statistics);
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells what the policies disagree about.
fn tell(merged: &Merged) {
    if merged.without_time > 0 {
        let answers = counted(merged.without_time, "answer without a time differs", "answers without a time differ");
        say(format_args!("{answers} from another for the same URL; one of each two is kept, whichever is newer"));
    }
    let contradictions = &merged.contradictions;
    if !contradictions.is_empty() {
        let origins = counted(contradictions.len() as u64, "origin", "origins");
        let (named, more) =
            (contradictions.iter().take(NAMED), if contradictions.len() > NAMED { ", ..." } else { "" });
        let named = named.map(String::as_str).collect::<Vec<_>>().join(", ");
        say(format_args!("the overrides of {origins} contradict each other; the stricter ones count: {named}{more}"));
    }
}
