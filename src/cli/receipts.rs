//! `robosieve verify` and `robosieve join`.

use indicatif::HumanCount;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use super::args::{JoinArgs, ReportArgs, VerifyArgs};
use super::destination;
use super::error::Failure;
use super::journal::watch_work;
use super::say::{print, say, say_lines};
use super::sources::say_passed_over;
use crate::dialect::Dialect;
use crate::formats::error::FileError;
use crate::formats::shown;
use crate::output::Receipt;
use crate::policy::{Captures, Crawlers, Policy};
use crate::run;
use crate::show::report::{REPORT, REPORT_PAGE, Report};

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

pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let mut report = Report::read(&args.directory, args.top)?;
    if let Some(policy) = policy(args, &report.receipt)? {
        let (read, all) = (AtomicU64::new(0), HumanCount(report.blocked_lines()));
        let text = || format!("{} of {all} blocked lines read again", HumanCount(read.load(Ordering::Relaxed)));
        watch_work(text, || report.explain_counting(&policy, args.threads, &read))?;
        let strange = report.not_blocked();
        if strange > 0 {
            say(format_args!(
                "robosieve: {strange} lines that the run blocked are not blocked by this policy; is it the run's policy?"
            ));
        }
    }
    let path = args.out.clone().unwrap_or_else(|| args.directory.join(REPORT));
    destination::ensure(&path, &REPORT_PAGE, &[])?;
    report.write_file(&path).map_err(FileError::of("write", &path))?;
    say(shown(&path));
    Ok(ExitCode::SUCCESS)
}

/// The policy, if one is given, for the crawlers and in the dialect of the run.
fn policy(args: &ReportArgs, receipt: &Receipt) -> Result<Option<Policy>, Failure> {
    if let Some(policy) = args.policy.open()? {
        return Ok(Some(policy));
    }
    if args.robots.is_empty() {
        return Ok(None);
    }
    let unreadable = |problem: &dyn std::fmt::Display| Failure::Receipt { problem: problem.to_string() };
    let dialect = Dialect::named(&receipt.dialect).map_err(|error| unreadable(&error))?;
    let agents = receipt.crawlers().map_err(|error| unreadable(&error))?;
    let (origin, overrides) = (args.origin.as_deref(), args.overrides.as_deref());
    let sources = args.reading.sources(&args.robots, origin, overrides, false, &say_passed_over);
    Ok(Some(sources.read(Captures::new(Crawlers::new(agents)?, dialect))?.policy()?))
}
