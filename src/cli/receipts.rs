//! `robosieve verify`, `robosieve join` and `robosieve report`: what was written by a run.

use clap::ValueHint;
use indicatif::HumanCount;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use super::args::{JudgedByArgs, NO_SOURCE, number, workers};
use super::destination;
use super::error::{Failure, not_compiled};
use super::help::{LISTS, LONG_RUNS, MESSAGES, OUTPUT, ROBOTS_TXT};
use super::say::{print, say, say_lines};
use super::sources::{say_passed_over, say_ties};
use super::watch::watch_work;
use crate::dialect::Dialect;
use crate::error::Problem;
use crate::formats::marks::POLICY_MARK;
use crate::formats::replace::begins_with;
use crate::formats::{seekable, shown};
use crate::outcome::Partition;
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
    #[arg(long, help_heading = LISTS)]
    pub inputs: bool,
    /// The number of workers [default: one per processor]
    #[arg(long, help_heading = LONG_RUNS, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
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
    #[arg(short, long, help_heading = OUTPUT, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Copy the partitions, too: those of an undivided run
    ///
    /// Texts become one file each; tables remain separate files, numbered consecutively.
    #[arg(long, help_heading = OUTPUT)]
    pub concat: bool,
    /// Replace the files of an earlier run in --out
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long, help_heading = MESSAGES)]
    pub quiet: bool,
    /// The folders of the shards, in any order
    #[arg(required = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub shards: Vec<PathBuf>,
}

/// Write an HTML report on a run: where lines went, why, how fast
///
/// Writes one file, which loads nothing else: what changed since the run before (with --against), where the lines went, and which
/// choices of yours decided. With the policy of the run (or the robots.txt sources it was made from), also which robots.txt and rules
/// cost the most lines, which origins are unreachable and since when, and which overrides decided on the most lines. For that, blocked
/// and deferred lines are read again, and allowed ones if choices or overrides allowed some; a line costs several times what it cost in
/// the run. Above 131,072 origins or rules, only frequent ones are counted, and the report says how accurately.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve report split
  robosieve report split --policy policy.rsv
  robosieve report today --policy new.rsv --against yesterday --against old.rsv
  robosieve report split --robots robots/ --robots captures.jsonl -o today.html")]
#[command(mut_arg("overrides", |arg| arg.help("The overrides that the run used").long_help(None)))]
#[command(mut_arg("robots", |arg| arg.help("The run's robots.txt files, as for `filter`").long_help(None)))]
pub struct ReportArgs {
    /// The output folder of the run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    #[command(flatten)]
    pub rules: JudgedByArgs,
    /// An earlier policy or run; repeatable
    ///
    /// A run is given by its folder or its receipt.
    /// The counts of an earlier run are compared with those of this run. An earlier policy is compared with that of this run, as `diff`
    /// does, for the crawlers and by the choices of the run; several policy files count as if they had been merged.
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "PATH")]
    pub against: Vec<PathBuf>,
    /// The file to write [default: report.html in DIR]
    #[arg(short, long, help_heading = OUTPUT, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The most rows of a table of frequent items
    #[arg(long, help_heading = OUTPUT, default_value_t = 20, value_name = "N", value_parser = number)]
    pub top: usize,
    /// The number of workers [default: one per processor]
    #[arg(long, help_heading = LONG_RUNS, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
    pub threads: usize,
}

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
    // First, because a mistake in them should not show after an hour of reading.
    let older = earlier(args, &mut report)?;
    let policy = policy(args, &report.receipt)?;
    if let Some(policy) = &policy {
        let (read, all) = (AtomicU64::new(0), HumanCount(report.lines_to_read(policy)));
        let text = || format!("{} of {all} lines read again", HumanCount(read.load(Ordering::Relaxed)));
        watch_work(text, || report.explain(policy, args.threads, &read))?;
        for partition in [Partition::Blocked, Partition::Deferred] {
            let (strange, name) = (report.elsewhere(partition), partition.name());
            if strange > 0 {
                say(format_args!(
                    "robosieve: {strange} lines that the run {name} are not {name} by this policy; is it the run's policy?"
                ));
            }
        }
    }
    match (&older, &policy) {
        (Some(older), Some(policy)) => report.compare_policy(older, policy)?,
        (Some(_), None) => {
            let message = "--against names a policy, so the policy of the run is needed, too: give it with --policy FILE or \
                           --robots SOURCE";
            return Err(message.into());
        }
        (None, _) => {}
    }
    let path = args.out.clone().unwrap_or_else(|| args.directory.join(REPORT));
    destination::ensure(&path, &REPORT_PAGE, &args.against)?;
    report.write_file(&path).map_err(Problem::with_file("write", &path))?;
    say(shown(&path));
    Ok(ExitCode::SUCCESS)
}

/// Compares the run with the earlier one that is given, if one is; returns the earlier policy, if one is given.
fn earlier(args: &ReportArgs, report: &mut Report) -> Result<Option<Policy>, Failure> {
    let (mut policies, mut runs) = (Vec::new(), Vec::new());
    for path in &args.against {
        if is_run(path)? { runs.push(path) } else { policies.push(path.clone()) }
    }
    match runs[..] {
        [] => {}
        [run] => report.compare_run(run)?,
        [..] => {
            let given = runs.len();
            let message = format!(
                "--against names {given} earlier runs; a run is compared with one, so give one folder or receipt"
            );
            return Err(message.into());
        }
    }
    args.rules.policy.open_files(&policies)
}

/// Whether a path given as something earlier is of a run, by its folder or its receipt, rather than of a policy.
fn is_run(path: &Path) -> Result<bool, Failure> {
    if path.is_dir() {
        return Ok(true);
    }
    let begins_with = |mark: &[u8]| seekable::open(path).and_then(|mut file| begins_with(&mut file, mark));
    let unreadable = Problem::with_file("read", path);
    match (begins_with(&POLICY_MARK).map_err(&unreadable)?, begins_with(b"{").map_err(&unreadable)?) {
        (true, _) => Ok(false),
        (_, true) => Ok(true),
        _ => Err(format!(
            "--against: {} is neither a policy file nor the folder or receipt of a run; if it was one, it is damaged",
            shown(path)
        )
        .into()),
    }
}

/// The policy, if one is given, for the crawlers and in the dialect of the run.
fn policy(args: &ReportArgs, receipt: &Receipt) -> Result<Option<Policy>, Failure> {
    if let Some(policy) = args.rules.opened()? {
        return Ok(Some(policy));
    }
    if args.rules.robots.is_empty() && args.rules.overrides.is_some() {
        return Err(NO_SOURCE.into());
    }
    if args.rules.robots.is_empty() {
        return Ok(None);
    }
    let unreadable = |problem: &dyn std::fmt::Display| format!("the receipt cannot be understood: {problem}");
    let dialect = Dialect::named(&receipt.dialect).map_err(|error| unreadable(&error))?;
    let agents = receipt.crawlers().map_err(|error| unreadable(&error))?;
    let captures = args.rules.read(false, Captures::new(Crawlers::new(agents)?, dialect), say_passed_over)?;
    let policy = captures.policy().map_err(not_compiled)?;
    say_ties(&policy);
    Ok(Some(policy))
}
