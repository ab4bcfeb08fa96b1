//! The arguments of `lint`.

use crate::dialect::Dialect;
use clap::builder::TypedValueParser;
use std::path::PathBuf;

use super::values::one_of;

/// Report lines of a robots.txt that its author probably did not mean
///
/// Reads each file as a crawler of the dialect does, and reports line by line what is ignored, what is read differently
/// than it looks, and what has no effect. Each finding cites the text that says so, and has a severity: an error is
/// read differently than it is written, a warning has no effect or not for all crawlers, a note could be better. Ends
/// with a count. Exits with 0 if there are no findings, with 1 if there are any, and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve lint robots.txt
  robosieve lint --dialect all --json robots/* | jq -r .kind | sort | uniq -c")]
pub struct LintArgs {
    /// The dialect in which files are read; may be repeated
    #[arg(long, value_name = "NAME", default_value = "rfc9309", value_parser = dialects())]
    pub dialect: Vec<Dialects>,
    /// Print a JSON object per line for each finding
    #[arg(long)]
    pub json: bool,
    /// The robots.txt files, or folders of them; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// One dialect, or all of them.
#[derive(Debug, Clone, Copy)]
pub enum Dialects {
    All,
    One(&'static Dialect),
}

fn dialects() -> impl TypedValueParser<Value = Dialects> {
    let each = Dialect::ALL.iter().map(|dialect| (dialect.name, Dialects::One(dialect)));
    one_of(each.chain([("all", Dialects::All)]))
}
