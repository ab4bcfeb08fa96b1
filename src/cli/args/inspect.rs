//! The arguments of the commands about policies: `inspect`, `export`, `diff` and `history`.

use clap::ValueHint;
use clap::builder::{PossibleValue, TypedValueParser};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::policy::{PolicyFileArgs, SignalArgs, StatusesArgs, ViewArgs, mapped, trust};
use super::values::{number, one_of, published};
use crate::cli::error::Failure;
use crate::formats::time::timestamp;
use crate::policy::{OpenError, Policy};
use crate::robots::Agents;
use crate::show::diff::Change;
use crate::show::export::{Format, Table};

/// Show what a policy file contains, or its entry for one origin
///
/// Without an origin: the statuses of the origins, their groups, how much of their lifetime is left, the overrides,
/// and the size of each section of the file. With an origin: its state, and for each crawler the group that was chosen
/// and why, its rules with line numbers, how much is blocked, its crawl delay, and its other records. Exits with 0 on success, with 1 if the
/// policy has no entry for the origin, and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "statuses" | "content_signal" => arg.requires("origin").conflicts_with("dot"),
    _ => arg,
}))]
#[command(after_help = "Examples:
  robosieve inspect policy.rsv
  robosieve inspect policy.rsv https://example.com/some/page
  robosieve inspect policy.rsv --json | jq .lifetimes
  robosieve inspect policy.rsv https://example.com --agent examplebot --dot | dot -Tsvg > automaton.svg")]
pub struct InspectArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// The origin, or any URL on it
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
    pub origin: Option<std::ffi::OsString>,
    /// Show only this crawler: one that the policy was compiled for, or a list of them in order of preference [default:
    /// all of them]
    #[arg(long, value_name = "NAME", value_parser = published)]
    pub agent: Option<Agents>,
    /// Print one JSON object, or null if the origin has no entry
    #[arg(long)]
    pub json: bool,
    /// Print the automaton of the crawler's group in Graphviz's DOT language
    #[arg(long, requires = "origin", conflicts_with_all = ["json", "now"])]
    pub dot: bool,
    /// The maximum length of lists, such as the most shared groups and the origins with overrides
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = number, conflicts_with = "origin")]
    pub top: usize,
    /// The time at which ages are judged, as RFC 3339 [default: the time of the run]
    #[arg(long, value_name = "TIME", value_parser = timestamp)]
    pub now: Option<jiff::Timestamp>,
    #[command(flatten)]
    pub view: ViewArgs,
}

/// Export data other than rules from a policy file as a table
///
/// Writes one row per origin (and crawler, or sitemap), in the order of the origins. TSV begins with a line of column
/// names; in a value, a tab is written \t, a line feed \n, a carriage return \r, and a backslash \\; a missing value is
/// an empty field. JSON Lines omit missing values. --statuses is for access, and --content-signal for preferences: they are told as
/// `filter` judges with the same option, and other tables do not depend on it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve export policy.rsv --what delays
  robosieve export policy.rsv --what sitemaps -o sitemaps.tsv --force
  robosieve export policy.rsv --what access --summary
  robosieve export policy.rsv --what access --statuses common-crawl
  robosieve export policy.rsv --what preferences
  robosieve export policy.rsv --what status --format parquet -o status.parquet")]
pub struct ExportArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// The table to export
    #[arg(long, value_name = "TABLE", value_parser = table())]
    pub what: Table,
    /// With --what access: count the origins for each crawler
    #[arg(long)]
    pub summary: bool,
    /// The output format
    #[arg(long, default_value = "tsv", value_name = "FORMAT", value_parser = format())]
    pub format: Format,
    /// Export only this crawler: one that the policy was compiled for, or a list of them in order of preference
    /// [default: all of them]
    #[arg(long, value_name = "NAME", value_parser = published)]
    pub agent: Option<Agents>,
    #[command(flatten)]
    pub view: ViewArgs,
    #[command(flatten)]
    pub file: TableFileArgs,
}

impl ExportArgs {
    /// The table, which must be one that depends on each option that is given.
    pub fn table(&self) -> Result<Table, Failure> {
        let table = match (self.what, self.summary) {
            (Table::Access, true) => Table::AccessSummary,
            (table, _) => table,
        };
        let ViewArgs { statuses: StatusesArgs { statuses }, content_signal: SignalArgs { content_signal } } =
            &self.view;
        let access = Table::Access.name();
        let is_of_access = matches!(table, Table::Access | Table::AccessSummary);
        let is_of_uses = table == Table::Preferences;
        for (option, is_given, of, has_effect) in [
            ("--summary", self.summary, access, is_of_access),
            ("--statuses", statuses.is_some(), access, is_of_access),
            ("--content-signal", content_signal.is_some(), Table::Preferences.name(), is_of_uses),
        ] {
            if is_given && !has_effect {
                return Err(Failure::NotOfTable { option, of, table: table.name() });
            }
        }
        Ok(table)
    }
}

/// The file that a table is written to.
#[derive(Debug, clap::Args)]
pub struct TableFileArgs {
    /// The file to write, named only when complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace an existing text file, whatever it holds
    ///
    /// Without it, only an empty file is replaced, and with --format parquet an earlier table of this command, which has a
    /// mark. No other file is ever replaced.
    #[arg(long, requires = "out")]
    pub force: bool,
}

fn table() -> impl TypedValueParser<Value = Table> {
    let table = |table: Table, help| (PossibleValue::new(table.name()).help(help), table);
    one_of([
        table(
            Table::Delays,
            "Crawl delays: as written, in seconds if in effect, and the pages per day that they allow",
        ),
        table(Table::Sitemaps, "Sitemaps with their line numbers"),
        table(
            Table::Agents,
            "The group that applies to each crawler: its kind, its first User-agent line, and its number of rules",
        ),
        table(
            Table::Status,
            "Status, HTTP status and times of the last answer, status and times of the last good one, and overrides",
        ),
        table(
            Table::Access,
            "Whether none, some or all of an origin's paths are blocked for each crawler, and whether / is",
        ),
        table(
            Table::Preferences,
            "What sites say to each crawler about training and other uses: the line as written, and what it means for each use",
        ),
    ])
}

/// A parser for the formats of tables.
pub fn format() -> impl TypedValueParser<Value = Format> {
    let format = |name, help, format| (PossibleValue::new(name).help(help), format);
    one_of([
        format("tsv", "Tab-separated values", Format::Tsv),
        format("jsonl", "JSON Lines", Format::JsonLines),
        #[cfg(feature = "parquet")]
        format("parquet", "Parquet", Format::Parquet),
    ])
}

/// Tell what changed between two policy files, and by which paths
///
/// Groups are compared by what they match, for all paths that a fetcher can ask for, not by how they are written. The exit status is
/// 1 if something changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve diff old.rsv new.rsv
  robosieve diff old.rsv new.rsv --agent GPTBot --only now-blocked,both
  robosieve diff old.rsv new.rsv --summary
  robosieve diff old.rsv new.rsv --statuses common-crawl --content-signal everybody
  robosieve diff old.rsv new.rsv --format parquet -o changes.parquet")]
pub struct DiffArgs {
    /// The older policy file
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The newer policy file
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// Only this crawler, which both policies were compiled for; may be repeated [default: all that both have]
    #[arg(long, value_name = "NAME", alias = "crawler", value_parser = published)]
    pub agent: Vec<Agents>,
    /// Only these kinds of change, such as now-blocked
    ///
    /// came, went: the origin is in one of the policies only; now-blocked, now-allowed, both: paths that show it; now-deferred,
    /// was-deferred: there is no verdict now, or was none; undecided: rules that are too intricate to compare; status, group,
    /// rewritten: no path can tell; preferences: something else is said about uses of a page, or a line about uses, such as License, came or
    /// went; preferences-undecided: lines about uses that are too intricate to compare. Give several with commas, or repeat the option.
    #[arg(
        long,
        value_name = "CHANGE",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = one_of(Change::ALL.map(|change| (change.name(), change)))
    )]
    pub only: Vec<Change>,
    /// The most paths that are shown of a change
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number)]
    pub paths: usize,
    /// Count the origins for each crawler and kind of change
    #[arg(long)]
    pub summary: bool,
    /// The output format [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    #[command(flatten)]
    pub view: ViewArgs,
    #[command(flatten)]
    pub file: TableFileArgs,
    /// Do not verify the checksums of the policy files
    #[arg(long)]
    pub trust_checksum: bool,
}

impl DiffArgs {
    /// Opens both policies, the older one first.
    pub fn open(&self) -> Result<[Policy; 2], OpenError> {
        let open = |path| mapped(path, trust(self.trust_checksum));
        Ok([open(&self.old)?, open(&self.new)?])
    }

    /// The format of a table; `None` for text.
    pub fn table(&self) -> Option<Format> {
        // A file and a summary are tables.
        let is_table = self.file.out.is_some() || self.summary;
        if self.json { Some(Format::JsonLines) } else { self.format.or(is_table.then_some(Format::Tsv)) }
    }
}

/// Tell when each crawler's access changed, by policy files of different times
///
/// Writes a table: for each origin and crawler whose access changed, a row for each policy by which it is another than by the one before,
/// beginning with the first. access, root and group are those of `export --what access`. With an origin, only its rows, also if
/// nothing changed; the exit status is 1 if no policy has it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve history 2026-01.rsv 2026-06.rsv 2026-11.rsv
  robosieve history 2026-*.rsv https://example.com --agent GPTBot
  robosieve history 2026-*.rsv --format parquet -o history.parquet")]
pub struct HistoryArgs {
    /// Policy files, the oldest first; then an origin, if only that one is asked about
    ///
    /// The last argument is an origin if it has `://` in it.
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// Only this crawler, which all policies were compiled for; may be repeated [default: all that all have]
    #[arg(long, value_name = "NAME", alias = "crawler", value_parser = published)]
    pub agent: Vec<Agents>,
    /// The output format
    #[arg(long, default_value = "tsv", value_name = "FORMAT", value_parser = format())]
    pub format: Format,
    #[command(flatten)]
    pub statuses: StatusesArgs,
    #[command(flatten)]
    pub file: TableFileArgs,
    /// Do not verify the checksums of the policy files
    #[arg(long)]
    pub trust_checksum: bool,
}

impl HistoryArgs {
    /// The paths of the policies, and the origin, if there is one.
    pub fn given(&self) -> (&[PathBuf], Option<&OsStr>) {
        match self.policies.split_last() {
            Some((last, policies)) if last.to_string_lossy().contains("://") => (policies, Some(last.as_os_str())),
            _ => (&self.policies, None),
        }
    }

    /// Opens a policy.
    pub fn open(&self, path: &Path) -> Result<Policy, OpenError> {
        mapped(path, trust(self.trust_checksum))
    }
}
