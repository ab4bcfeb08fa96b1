//! `robosieve export`, and the files of tables.

use clap::builder::{PossibleValue, TypedValueParser};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::args::{PolicyFileArgs, ViewArgs, one_of, published};
use super::destination;
use super::error::Failure;
use super::help::{OUTPUT, ROBOTS_TXT};
use super::sources::crawlers_or_all;
use crate::error::Problem;
use crate::formats::{seekable, standard_output};
use crate::robots::Agents;
use crate::show::export::{self, Export, Format, Table};

/// Export data other than rules from a policy file as a table
///
/// Writes one row per origin (and crawler, or sitemap), in the order of the origins. TSV begins with a line of column names; in a
/// value, a tab is written \t, a line feed \n, a carriage return \r, and a backslash \\; a missing value is an empty field. JSON
/// Lines omit missing values. Choices are for access, and --content-signal for preferences: these tables are told as `filter`
/// judges with the same options.
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
    /// delays, sitemaps, agents, status, access, preferences
    #[arg(long, help_heading = OUTPUT, long_help = tables(), value_name = "TABLE", hide_possible_values = true, value_parser = table())]
    pub what: Table,
    /// With --what access: count the origins per crawler
    #[arg(long, help_heading = OUTPUT)]
    pub summary: bool,
    #[command(flatten)]
    pub format: TableFormatArgs,
    /// One crawler of the policy, or a list [default: all]
    ///
    /// A list is in order of preference.
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "NAME", value_parser = published)]
    pub agent: Option<Agents>,
    #[command(flatten)]
    pub file: TableFileArgs,
    #[command(flatten)]
    pub view: ViewArgs,
}

impl ExportArgs {
    /// The table, which must be one that depends on each option that is given.
    pub fn table(&self) -> Result<Table, Failure> {
        let table = match (self.what, self.summary) {
            (Table::Access, true) => Table::AccessSummary,
            (table, _) => table,
        };
        let ViewArgs { of_origins, content_signal } = &self.view;
        let is_of_access = matches!(table, Table::Access | Table::AccessSummary);
        let of_access = self.summary.then_some("--summary").into_iter().chain(of_origins.given());
        let of_access = of_access.filter(|_| !is_of_access).map(|option| (option, Table::Access));
        let of_uses = content_signal.content_signal.map(|_| ("--content-signal", Table::Preferences));
        match of_access.chain(of_uses.filter(|_| table != Table::Preferences)).next() {
            Some((option, of)) => Err(format!("{option} is for --what {}, not {}", of.name(), table.name()).into()),
            None => Ok(table),
        }
    }
}

/// The format of a table.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT)]
pub struct TableFormatArgs {
    /// tsv, jsonl or parquet [default: tsv]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, value_parser = format())]
    pub format: Option<Format>,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

impl TableFormatArgs {
    /// The format, if one is given.
    pub fn given(&self) -> Option<Format> {
        if self.json { Some(Format::JsonLines) } else { self.format }
    }

    pub fn or_tsv(&self) -> Format {
        self.given().unwrap_or(Format::Tsv)
    }
}

/// The file that a table is written to.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT)]
pub struct TableFileArgs {
    /// The file to write [default: standard output]
    ///
    /// It has its name only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace an existing text file, whatever it holds
    ///
    /// Without it, only an empty file is replaced, and with --format parquet an earlier table of this command, which has a mark. No
    /// other file is ever replaced.
    #[arg(long, requires = "out")]
    pub force: bool,
}

impl TableFileArgs {
    /// Checks that a table in this format may be written.
    pub fn ensure(&self, format: Format, inputs: &[PathBuf]) -> Result<(), Failure> {
        let Some(path) = &self.out else { return Ok(()) };
        let is_text = || seekable::open(path).and_then(|mut file| export::is_text(&mut file)).unwrap_or(false);
        destination::ensure_or(path, &export::file_kind(format, self.force), inputs, |kind| match is_text() {
            true => {
                "exists, and text does not show who made it; choose another name, or replace it with --force".to_owned()
            }
            false => destination::refusal(kind),
        })
    }

    /// Writes a table in this format, to the file or to standard output.
    pub fn write<T>(
        &self,
        format: Format,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
    ) -> Result<T, Failure> {
        let Some(path) = &self.out else {
            let mut out = standard_output::open()?;
            let written = write(&mut out)?;
            out.flush()?;
            return Ok(written);
        };
        let written = export::write_file(path, format, self.force, |file| write(file));
        Ok(written.map_err(Problem::with_file("write", path))?)
    }
}

/// The tables that have a name, each with what it tells.
const TABLES: [(Table, &str); 6] = [
    (Table::Delays, "as written, in seconds if in effect, and the pages per day that they allow"),
    (Table::Sitemaps, "with their line numbers"),
    (Table::Agents, "the group that applies to each crawler, its first User-agent line, and its number of rules"),
    (Table::Status, "status, HTTP status and times of the last answer and the last good one, and overrides"),
    (Table::Access, "whether none, some or all paths are blocked for each crawler, and whether / is"),
    (Table::Preferences, "what sites say to each crawler about training and other uses, and what it means"),
];

/// A parser for the names of tables.
fn table() -> impl TypedValueParser<Value = Table> {
    one_of(TABLES.map(|(table, help)| (PossibleValue::new(table.name()).help(help), table)))
}

fn tables() -> String {
    let each = TABLES.map(|(table, help)| format!("{}: {help}", table.name()));
    format!("The table: {}", each.join("; "))
}

/// A parser for the formats of tables.
fn format() -> impl TypedValueParser<Value = Format> {
    let format = |name, help, format| (PossibleValue::new(name).help(help), format);
    one_of([
        format("tsv", "Tab-separated values", Format::Tsv),
        format("jsonl", "JSON Lines", Format::JsonLines),
        #[cfg(feature = "parquet")]
        format("parquet", "Parquet", Format::Parquet),
    ])
}

pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let table = args.table()?;
    let format = args.format.or_tsv();
    args.file.ensure(format, &args.policy.files())?;
    let choices = args.view.choices(args.view.of_origins.time())?;
    let policy = args.policy.open()?;
    let crawlers = crawlers_or_all(args.agent.as_ref(), &policy)?;
    let export = Export::new(&policy, table, &crawlers).choices(choices);
    args.file.write(format, |out| export.write(format, out))?;
    Ok(ExitCode::SUCCESS)
}
