//! `robosieve verify`, `robosieve join` and `robosieve report`: what was written by a run.

use clap::ValueHint;
use indicatif::HumanCount;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use super::args::{JudgedByArgs, number, workers};
use super::destination;
use super::error::Failure;
use super::say::{print, say, say_lines};
use super::sources::{say_passed_over, say_ties};
use super::watch::watch_work;
use crate::dialect::Dialect;
use crate::formats::error::FileError;
use crate::formats::shown;
use crate::output::Receipt;
use crate::policy::{Captures, Crawlers, Policy};
use crate::run;
use crate::show::report::{REPORT, REPORT_PAGE, Report};

/// Verify the receipt of a run
///
/// Reads every file that the receipt in DIR names, recomputes its lines, bytes and checksums, and checks that partitions, lists and
/// reasons each add up to the input. Of tables (Parquet) it proves the lines, or the URLs of rows, and their verdicts, but not the
/// other columns. Exits with 0 if everything matches, with 1 if not (the table shows which file is changed, damaged or missing),
/// and with 2 if the receipt itself cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve verify split
  robosieve verify split --inputs")]
pub struct VerifyArgs {
    /// The output folder of the run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    /// Read the lists again, too
    ///
    /// Relative paths count from where the run was started. A list that came through a pipe is gone, and its line says so. Parts
    /// skipped by --skip-bad are skipped again.
    #[arg(long)]
    pub inputs: bool,
    /// The number of workers [default: one per processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
    pub threads: usize,
}

/// Combine the receipts of all shards of a job
///
/// Checks that the folders are those of all runs with --shard of one job: the same lists, policy and options, each part once, no
/// line left out or read twice. Writes one receipt, with the checksums of an undivided run, and one robots-needed.tsv to the folder
/// given by --out. It names the folders relative to its own, so that all can be moved together. Exits with 0 on success, and with 2
/// if something is missing or does not fit.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve join --out all part-*
  robosieve join --out all --concat part-*")]
pub struct JoinArgs {
    /// The folder for the receipt
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Copy the partitions, too: those of an undivided run
    ///
    /// Texts become one file each; tables remain separate files, numbered consecutively.
    #[arg(long)]
    pub concat: bool,
    /// Replace the files of an earlier run in --out
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// The folders of the shards, in any order
    #[arg(required = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub shards: Vec<PathBuf>,
}

/// Write an HTML report on a run: where lines went, why, how fast
///
/// Writes one file, which loads nothing else. With the policy of the run (or the robots.txt sources it was made from), the blocked
/// lines are read again, and the report shows which origins and rules blocked them; a line costs several times what it cost in the
/// run. Above 131,072 origins or rules, only frequent ones are counted, and the report says how accurately.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve report split
  robosieve report split --policy policy.rsv
  robosieve report split --robots robots/ --robots captures.jsonl -o today.html")]
#[command(mut_arg("overrides", |arg| arg.help("The overrides that the run used").long_help(None)))]
#[command(mut_arg("robots", |arg| arg.help("The run's robots.txt files, as for `filter`").long_help(None)))]
pub struct ReportArgs {
    /// The output folder of the run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    #[command(flatten)]
    pub rules: JudgedByArgs,
    /// The file to write [default: report.html in DIR]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The most rows of a table of frequent items
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = number)]
    pub top: usize,
    /// The number of workers [default: one per processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
    pub threads: usize,
}

pub fn verify(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let verification = run::verify_receipt(&args.directory, args.inputs, args.threads)?;
    print(&verification.to_string())?;
    Ok(if verification.is_proven() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

pub fn join(args: &JoinArgs) -> Result<ExitCode, Failure> {
    let receipt = run::join_shards(&args.shards, &args.out, args.concat, args.force)?;
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
        watch_work(text, || report.explain(&policy, args.threads, &read))?;
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
    if let Some(policy) = args.rules.opened()? {
        return Ok(Some(policy));
    }
    if args.rules.robots.is_empty() && args.rules.overrides.is_some() {
        return Err(Failure::NoSource);
    }
    if args.rules.robots.is_empty() {
        return Ok(None);
    }
    let unreadable = |problem: &dyn std::fmt::Display| Failure::Receipt { problem: problem.to_string() };
    let dialect = Dialect::named(&receipt.dialect).map_err(|error| unreadable(&error))?;
    let agents = receipt.crawlers().map_err(|error| unreadable(&error))?;
    let captures = args.rules.read(false, Captures::new(Crawlers::of_agents(agents)?, dialect), say_passed_over)?;
    let policy = captures.into_policy()?;
    say_ties(&policy);
    Ok(Some(policy))
}
