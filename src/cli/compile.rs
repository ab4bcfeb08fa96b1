//! `robosieve compile` and `robosieve merge`.

use indicatif::HumanCount;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::{CrawlerArgs, MEMORY, ReadingArgs, bytes, dialect, dialects, mapped};
use super::destination;
use super::error::{Failure, not_merged};
use super::help::{LONG_RUNS, MESSAGES, OUTPUT, ROBOTS_TXT};
use super::say::{say, say_lines};
use super::sources::{say_passed_over, ties};
use super::watch::watch_work;
use crate::dialect::Dialect;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::fit::wrapped;
use crate::formats::shown;
use crate::output::counted;
use crate::policy::source::PassedOver;
use crate::policy::{self, Captures, CompileProgress, Crawlers, Merged, Overrides, POLICY_FILE, Statistics};

/// Compile robots.txt files into a policy file
///
/// `filter --policy` and `check --policy` can then use the file any number of times. It gets its name only when it is complete, and
/// replaces an earlier policy of that name; a run that is already reading that one is not disturbed. The same sources make the same
/// file, byte for byte. FORMAT.md documents the format.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve compile --agent examplebot robots/ captures.jsonl -o policy.rsv
  robosieve compile --agent Googlebot-News,Googlebot --agent '*' robots -o p.rsv
  robosieve compile --agents-file ai-crawlers.txt robots/ -o policy.rsv")]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "agent" => arg.required_unless_present("agents_file").help("A crawler's product token, or *; repeatable").long_help(
        "A crawler's product token, or *; repeatable\n\n\
        Up to 1,024. Googlebot-News,Googlebot is one crawler with several names, in order of preference. `filter --agent` selects a \
        crawler by the same name; a list given there is assembled from crawlers with one name each."),
    _ => arg,
}))]
pub struct CompileArgs {
    /// robots.txt files: folders, JSON Lines, WARC, Parquet
    ///
    /// Or, with --origin, one file; - is standard input. A folder's files are named after hosts or percent-encoded origins; the
    /// fields of JSON Lines and Parquet are url or origin, status, location, body or body_base64, fetched_at, expires,
    /// unreachable_since, and headers.
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub crawlers: CrawlerArgs,
    /// How robots.txt is read
    #[arg(
        long,
        help_heading = ROBOTS_TXT,
        long_help = dialects(),
        default_value = "rfc9309",
        value_name = "NAME",
        hide_possible_values = true,
        value_parser = dialect()
    )]
    pub dialect: &'static Dialect,
    /// The origin of the single robots.txt given as SOURCE
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "ORIGIN", hide_short_help = true)]
    pub origin: Option<String>,
    /// The operator's overrides for origins (TOML)
    ///
    /// A table for each, with crawl-delay, verdict ("allow-all" or "forbid-all"), robots-txt or robots-txt-file, and paused-until.
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// The policy file to write
    #[arg(short, long, help_heading = OUTPUT, value_name = "FILE")]
    pub out: PathBuf,
    /// The memory budget, such as 512M or 2GiB
    ///
    /// Answers that do not fit go to temporary files beside the policy. Pages of Parquet for which there is no room are an error,
    /// or passed over with --skip-bad. Memory-mapped files do not count.
    #[arg(long, help_heading = LONG_RUNS, value_name = "SIZE", default_value = MEMORY, value_parser = bytes)]
    pub memory: u64,
    /// Pass over what is damaged in sources
    ///
    /// A line of JSON Lines or a row of Parquet that is no response, and the rest of a file in which nothing more can be found:
    /// each is an error otherwise. All are counted, and told with an example.
    #[arg(long, help_heading = LONG_RUNS)]
    pub skip_bad: bool,
    /// Print nothing but errors
    #[arg(short, long, help_heading = MESSAGES)]
    pub quiet: bool,
}

/// Merge policy files into one
///
/// The result is, byte for byte, the policy that `compile` would make of all their sources at once, whatever the order and the
/// number of files: of each URL, the newest answer of each kind counts. The stricter one of two overrides that contradict each
/// other counts. The files must be for the same crawlers, in the same order, and of the same dialect.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve merge policy.rsv today.rsv -o policy.rsv
  robosieve merge part-*.rsv -o policy.rsv")]
pub struct MergeArgs {
    /// The policy files
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// Replace the overrides of all policies by these (TOML)
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    /// The policy file to write; may be one of those merged
    #[arg(short, long, help_heading = OUTPUT, value_name = "FILE")]
    pub out: PathBuf,
    /// Print nothing but errors
    #[arg(short, long, help_heading = MESSAGES)]
    pub quiet: bool,
}

pub fn compile(args: &CompileArgs) -> Result<ExitCode, Failure> {
    let mut inputs = args.sources.clone();
    inputs.extend(args.overrides.clone());
    destination::ensure(&args.out, &POLICY_FILE, &inputs)?;
    let columns = Crawlers::new(args.crawlers.of_sources(args.dialect)?)?;
    let out = destination::lock(&args.out, args.quiet)?;
    let captures = Captures::for_file(&out, columns, args.dialect).with_memory(args.memory);
    let progress = captures.progress();
    let written = || {
        let tell = |passed: &PassedOver| {
            if !args.quiet {
                say_passed_over(passed)
            }
        };
        let (sources, overrides) = ((&*args.sources, args.origin.as_deref()), args.overrides.as_deref());
        let written = args.reading.read(sources, overrides, args.skip_bad, captures, tell)?.write(&out);
        written.map_err(|error| unwritten(&args.out, error))
    };
    if args.quiet {
        written()?;
    } else {
        report(&args.out, &watch_work(|| work(&progress), written)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// The failure that a policy could not be written.
fn unwritten(path: &Path, error: Error) -> Failure {
    error.within(format_args!("cannot write the policy {}: ", shown(path))).into()
}

fn work(progress: &CompileProgress) -> String {
    match (progress.origins(), progress.written()) {
        (0, _) => format!("{} answers read", HumanCount(progress.read())),
        (origins, stored) if stored < origins => {
            format!("{} of {} origins stored", HumanCount(stored), HumanCount(origins))
        }
        (origins, _) => format!("all {} origins stored; writing the policy", HumanCount(origins)),
    }
}

fn report(path: &Path, statistics: &Statistics) {
    if let Some(ties) = ties(statistics) {
        say(format_args!("robosieve: warning: {ties}"));
    }
    let notes: u64 = statistics.notes.iter().map(|(_, count)| count).sum();
    if notes > 0 {
        let lines = counted(notes, "line or part", "lines or parts");
        let had_none = format!("{lines} of robots.txt files had no effect;");
        say_lines(wrapped([had_none.as_str(), "`robosieve inspect` lists their kinds"]));
    }
    let size = std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    let origins = counted(statistics.origins, "origin", "origins");
    let groups = counted(statistics.automata, "distinct group", "distinct groups");
    say_lines(wrapped([format!("{}:", shown(path)), format!("{origins}, {groups}, {size} bytes")]));
}

/// How many origins whose overrides contradict each other are named.
const NAMED: usize = 3;

pub fn merge(args: &MergeArgs) -> Result<ExitCode, Failure> {
    // The result may replace one of the policies.
    let others: Vec<_> = args.overrides.iter().cloned().collect();
    destination::ensure(&args.out, &POLICY_FILE, &others)?;
    let out = destination::lock(&args.out, args.quiet)?;
    let policies = args.policies.iter().map(|path| mapped(path, false)).collect::<Result<Vec<_>, _>>()?;
    let overrides = args.overrides.as_deref().map(Overrides::read).transpose()?;
    let merged = policy::merge(&policies, overrides.as_ref(), &out).map_err(|error| match error.kind() {
        ErrorKind::Differ => not_merged(error),
        _ => unwritten(&args.out, error),
    })?;
    if !args.quiet {
        tell(&merged);
        report(&args.out, &merged.statistics);
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells what the policies disagree about.
fn tell(merged: &Merged) {
    let contradictions = &merged.contradictions;
    if !contradictions.is_empty() {
        let origins = counted(contradictions.len() as u64, "origin", "origins");
        let (named, more) =
            (contradictions.iter().take(NAMED), if contradictions.len() > NAMED { ", ..." } else { "" });
        let named = named.map(String::as_str).collect::<Vec<_>>().join(", ");
        say(format_args!("the overrides of {origins} contradict each other; the stricter ones count: {named}{more}"));
    }
}
