//! `robosieve diff` and `robosieve history`.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::{OriginChoicesArgs, ViewArgs, mapped, number, one_of, published};
use super::error::Failure;
use super::export::{TableFileArgs, TableFormatArgs};
use super::help::{OUTPUT, ROBOTS_TXT};
use super::say::say;
use super::sources::origin_of;
use crate::error::policy::Error;
use crate::formats::{standard_output, visible};
use crate::policy::Policy;
use crate::robots::Agents;
use crate::show::diff::{Change, Diff, Difference, History, OriginChange, Seen, Table};
use crate::show::export::Format;

/// How the policy files are opened.
#[derive(Debug, clap::Args)]
pub struct TrustArgs {
    /// Do not verify the checksums of the policy files
    #[arg(long, help_heading = ROBOTS_TXT, hide_short_help = true)]
    pub trust_checksum: bool,
}

impl TrustArgs {
    fn open(&self, path: &Path) -> Result<Policy, Error> {
        mapped(path, self.trust_checksum)
    }
}

/// Tell what changed between two policy files, and by which paths
///
/// Groups are compared by what they match, for all paths that a fetcher can ask for, not by how they are written. Choices are those
/// of `filter` with --against: ages are judged of the newer policy only. Exits with 0 if nothing changed, with 1 if something did,
/// and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve diff old.rsv new.rsv
  robosieve diff old.rsv new.rsv --agent GPTBot --only now-blocked,both
  robosieve diff old.rsv new.rsv --summary
  robosieve diff old.rsv new.rsv --statuses common-crawl
  robosieve diff old.rsv new.rsv --format parquet -o changes.parquet")]
#[command(mut_arg("format", |arg| arg.help("tsv, jsonl or parquet [default: text]")))]
pub struct DiffArgs {
    /// The older policy file
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The newer policy file
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// Only this crawler; repeatable [default: all common ones]
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "NAME", value_parser = published)]
    pub agent: Vec<Agents>,
    /// Only these kinds of change, such as now-blocked
    ///
    /// came, went: the origin is in one of the policies only. now-blocked, now-allowed, both: paths show it. now-deferred,
    /// was-deferred: there is no verdict now, or was none. status, group, rewritten: no path can tell. preferences: what is said
    /// about uses of a page changed. undecided, preferences-undecided: too intricate to compare. Give several with commas, or
    /// repeat the option.
    #[arg(
        long,
        help_heading = OUTPUT,
        value_name = "CHANGE",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = one_of(Change::ALL.map(|change| (change.name(), change)))
    )]
    pub only: Vec<Change>,
    /// The most paths that are shown of a change
    #[arg(long, help_heading = OUTPUT, value_name = "N", default_value_t = 3, value_parser = number)]
    pub paths: usize,
    /// Count the origins for each crawler and kind of change
    #[arg(long, help_heading = OUTPUT)]
    pub summary: bool,
    #[command(flatten)]
    pub format: TableFormatArgs,
    #[command(flatten)]
    pub file: TableFileArgs,
    #[command(flatten)]
    pub trust: TrustArgs,
    #[command(flatten)]
    pub view: ViewArgs,
}

impl DiffArgs {
    /// The format of a table; `None` for text.
    pub fn table(&self) -> Option<Format> {
        // A file and a summary are tables.
        let is_table = self.file.out.is_some() || self.summary;
        self.format.given().or(is_table.then_some(Format::Tsv))
    }
}

/// Tell when each crawler's access changed, by several policies
///
/// Writes a table: for each origin and crawler whose access changed, a row for the first policy, and for each by which it is
/// another than by the one before. policy is its file, as it was given; blocked, root and group are those of `export --what
/// access`. Ages are judged of the last policy only. With an origin, only its rows, also if nothing changed; the exit status is 1
/// if no policy has it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve history 2026-01.rsv 2026-06.rsv 2026-11.rsv
  robosieve history 2026-*.rsv https://example.com --agent GPTBot
  robosieve history 2026-*.rsv --format parquet -o history.parquet")]
pub struct HistoryArgs {
    /// Policy files, the oldest first; then one origin, if any
    ///
    /// The last argument is an origin if it has `://` in it.
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// Only this crawler; repeatable [default: all common ones]
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "NAME", value_parser = published)]
    pub agent: Vec<Agents>,
    #[command(flatten)]
    pub format: TableFormatArgs,
    #[command(flatten)]
    pub file: TableFileArgs,
    #[command(flatten)]
    pub trust: TrustArgs,
    #[command(flatten)]
    pub choices: OriginChoicesArgs,
}

impl HistoryArgs {
    /// The paths of the policies, and the origin, if there is one.
    pub fn given(&self) -> (&[PathBuf], Option<&OsStr>) {
        match self.policies.split_last() {
            Some((last, policies)) if last.to_string_lossy().contains("://") => (policies, Some(last.as_os_str())),
            _ => (&self.policies, None),
        }
    }
}

pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let format = args.table();
    if let Some(format) = format {
        args.file.ensure(format, &[args.old.clone(), args.new.clone()])?;
    }
    let choices = args.view.choices(args.view.of_origins.time())?;
    let [was, now] = [args.trust.open(&args.old)?, args.trust.open(&args.new)?];
    let diff = Diff::new(&was, &now, &args.agent)?.choices(choices).only(args.only.clone()).shown(args.paths);
    let left_out = diff.left_out();
    if args.agent.is_empty() && !left_out.is_empty() {
        say(format_args!("robosieve: only one of the policies was compiled for {}", left_out.join(", ")));
    }
    let table = if args.summary { Table::Summary } else { Table::Changes };
    let seen = match format {
        Some(format) => args.file.write(format, |out| diff.write(table, format, out))?,
        None => text(&diff, &mut BufWriter::new(standard_output::open()?.lock()))?,
    };
    Ok(ExitCode::from(u8::from(seen.changed > 0)))
}

pub fn history(args: &HistoryArgs) -> Result<ExitCode, Failure> {
    let (paths, given) = args.given();
    if paths.is_empty() {
        return Err("an origin alone has no history: name policy files before it".into());
    }
    let origin = given.map(origin_of).transpose()?;
    let format = args.format.or_tsv();
    args.file.ensure(format, paths)?;
    let choices = args.choices.choices(args.choices.time())?;
    let policies = paths.iter().map(|path| args.trust.open(path)).collect::<Result<Vec<_>, _>>()?;
    // Tables tell policies apart by their files, which people know.
    let named = paths.iter().zip(&policies).map(|(path, policy)| (path.to_string_lossy().into_owned(), policy));
    let history = History::new(&named.collect::<Vec<_>>(), &args.agent)?.choices(choices);
    let origins = args.file.write(format, |out| history.write(origin.as_deref(), format, out))?;
    if let (Some(origin), 0) = (&origin, origins) {
        say(format_args!("robosieve: {origin} is in none of the policies"));
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints each change, and how many origins changed.
fn text(diff: &Diff<'_>, out: &mut impl Write) -> io::Result<Seen> {
    let (names, mut last) = (diff.names(), Vec::new());
    let seen = diff.each(|change| {
        if last != change.origin {
            last = change.origin.to_vec();
            writeln!(out, "{}", visible(&String::from_utf8_lossy(change.origin)))?;
        }
        one(change, &names, out)
    })?;
    writeln!(out, "{} of {} origins changed", seen.changed, seen.origins)?;
    out.flush()?;
    Ok(seen)
}

/// Prints a change of an origin.
fn one(change: &OriginChange<'_>, names: &[String], out: &mut impl Write) -> io::Result<()> {
    let agents: Vec<&str> = change.crawlers.iter().map(|&crawler| &*names[usize::from(crawler)]).collect();
    write!(out, "  {} for {}", change.change.name(), agents.join(", "))?;
    let [group_was, group_now] = change.groups.map(|group| group.name());
    if group_was != group_now {
        write!(out, "; group {group_was} -> {group_now}")?;
    }
    if let [Some(was), Some(now)] = change.statuses
        && was != now
    {
        write!(out, "; status {was} -> {now}")?;
    }
    writeln!(out)?;
    let differences = &change.differences;
    for difference in &differences.shown {
        let Difference { path, was, now } = difference;
        let of = if path.is_empty() { String::new() } else { format!("{}: ", String::from_utf8_lossy(path)) };
        let [was, now] = [was, now].map(|said| if said.is_empty() { "nothing" } else { said });
        writeln!(out, "    {} -> {}", visible(&format!("{of}{was}")), visible(now))?;
    }
    match (differences.count - differences.shown.len() as u64, differences.are_all) {
        (0, true) => Ok(()),
        (0, false) => writeln!(out, "    perhaps more: the rules are too intricate to tell"),
        (more, true) => writeln!(out, "    and {more} more"),
        (more, false) => writeln!(out, "    and {more} more, or more than that: the rules are too intricate to tell"),
    }
}
