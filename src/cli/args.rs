//! The arguments, as they are given.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

use robosieve::dialect::Dialect;
use robosieve::filter::Fallback;
#[cfg(feature = "parquet")]
use robosieve::policy::source::Columns;
use robosieve::robots::Agents;

/// Split URL lists by robots.txt, and prove that no line was lost
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Filter(Box<FilterArgs>),
    Check(CheckArgs),
}

/// Split URL lists into allowed, blocked, deferred and invalid lines
///
/// Every line of the lists goes, octet for octet and in its order, to exactly one of allowed.txt, blocked.txt,
/// deferred.txt and invalid.txt in the folder given by --out. robots-needed.tsv there lists the robots.txt that deferred
/// lines wait for, and receipt.json, which gets its name last, accounts for every line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve filter --agent examplebot --robots robots/ --out split urls.txt
  zcat urls.gz | robosieve filter --agent examplebot --robots captures.jsonl --out split -")]
pub struct FilterArgs {
    #[command(flatten)]
    pub crawler: CrawlerArgs,
    /// Where robots.txt files come from: a folder (a file's name is a host, or a percent-encoded origin), JSON Lines
    /// (url or origin, status, location, body or body_base64, fetched_at, expires, unreachable_since), a WARC archive,
    /// Parquet, or, with --origin, a single robots.txt; gzip and Zstandard are known by their content
    #[arg(long, required = true, value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin that the single robots.txt given by --robots is for
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Option<String>,
    /// The columns of Parquet sources, where they have other names, such as url=target_uri,fetched_at=date;
    /// status= and fetched_at= say that there is none
    #[cfg(feature = "parquet")]
    #[arg(long, default_value = "url=url,status=status,body=body,fetched_at=fetched_at", value_name = "ROLE=NAME,...")]
    pub columns: Columns,
    /// The folder for the partitions and the receipt
    #[arg(long, value_name = "DIR", required_unless_present = "count", conflicts_with = "count")]
    pub out: Option<PathBuf>,
    /// Judge and count, but write nothing; the receipt goes to standard output
    #[arg(long)]
    pub count: bool,
    /// Replace the files of an earlier run in the folder given by --out
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Give each list partitions of its own, in a folder named by its number and name
    #[arg(long, requires = "out")]
    pub per_input: bool,
    /// Workers [default: one for each processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
    pub threads: usize,
    /// Octets of a chunk, the unit of work
    #[arg(long, default_value_t = 0, hide = true, value_name = "BYTES")]
    pub chunk_size: usize,
    /// What to do with URLs whose robots.txt was never fetched
    #[arg(long, default_value = "defer", value_name = "WHAT")]
    pub on_unfetched: Simple,
    /// What to do with URLs whose robots.txt answers 5xx or not at all, or redirects to somewhere unknown; `use` takes
    /// the last good one
    #[arg(long, default_value = "defer", value_name = "WHAT")]
    pub on_unreachable: WithUse,
    /// What to do with URLs whose robots.txt is older than --max-age; `use` takes it all the same, and counts
    #[arg(long, default_value = "use", value_name = "WHAT")]
    pub on_stale: WithUse,
    /// How old a robots.txt may be: a duration such as 36h or 7d, or `dialect` for the dialect's own lifetime
    /// [default: any age]
    #[arg(long, value_name = "AGE")]
    pub max_age: Option<String>,
    /// The time that age is judged at, as RFC 3339 [default: the time of the run]
    #[arg(long, value_name = "TIME")]
    pub now: Option<jiff::Timestamp>,
    /// The lists, one URL a line; - is standard input
    #[arg(required = true, value_name = "URLS")]
    pub lists: Vec<PathBuf>,
}

/// Judge single URLs, and say why
///
/// Prints the verdict for each URL, the rule that decided, its line, and the agent of its group. Exits with 0 if all are
/// allowed, with 1 if any is blocked, and with 2 on an error, such as an invalid URL.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  robosieve check --agent examplebot --robots robots.txt https://example.com/private/x")]
pub struct CheckArgs {
    #[command(flatten)]
    pub crawler: CrawlerArgs,
    /// The robots.txt; - is standard input. It is taken as that of every URL given
    #[arg(long, value_name = "FILE")]
    pub robots: PathBuf,
    /// The URLs
    #[arg(required = true, value_name = "URL")]
    pub urls: Vec<std::ffi::OsString>,
}

/// The crawler, and how it reads robots.txt.
#[derive(Debug, clap::Args)]
pub struct CrawlerArgs {
    /// The crawler's product token, `*` for everybody, or a list in order of preference
    /// (Googlebot-News,Googlebot: the first with a group of its own counts, then *)
    #[arg(long, value_name = "NAME")]
    pub agent: Agents,
    /// How robots.txt is read
    #[arg(long, default_value = "rfc9309", value_name = "NAME", value_parser = dialect, help = dialect_help())]
    pub dialect: &'static Dialect,
}

fn dialect(name: &str) -> Result<&'static Dialect, String> {
    Dialect::named(name).map_err(|error| error.to_string())
}

fn dialect_help() -> String {
    format!("How robots.txt is read: {}", Dialect::names().join(", "))
}

/// A fallback where there is nothing to use.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Simple {
    Allow,
    Block,
    Defer,
}

/// A fallback where there may be earlier rules.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum WithUse {
    Allow,
    Block,
    Defer,
    Use,
}

impl From<Simple> for Fallback {
    fn from(simple: Simple) -> Fallback {
        match simple {
            Simple::Allow => Fallback::Allow,
            Simple::Block => Fallback::Block,
            Simple::Defer => Fallback::Defer,
        }
    }
}

impl From<WithUse> for Fallback {
    fn from(with_use: WithUse) -> Fallback {
        match with_use {
            WithUse::Allow => Fallback::Allow,
            WithUse::Block => Fallback::Block,
            WithUse::Defer => Fallback::Defer,
            WithUse::Use => Fallback::Use,
        }
    }
}
