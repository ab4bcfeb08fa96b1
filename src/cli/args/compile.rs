//! The arguments of `compile`.

use crate::dialect::Dialect;
use crate::robots::Agents;
use std::path::PathBuf;

use super::crawler::dialect;
use super::reading::ReadingArgs;

/// Compile robots.txt files into a policy file
///
/// The file is made once, and `filter --policy` and `check --policy` use it as often as wanted, without reading a
/// robots.txt again. It gets its name when it is complete, and replaces an earlier policy of that name; a run that reads that
/// one goes on reading it. The same sources make the same file, byte for byte. FORMAT.md documents it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve compile --agent examplebot robots/ captures.jsonl -o policy.rsv
  robosieve compile --agent examplebot --agent 'Googlebot-News,Googlebot' --agent '*' robots/ -o policy.rsv")]
pub struct CompileArgs {
    /// The crawlers, each with an --agent of its own, up to 64
    ///
    /// A product token, `*` for everybody, or a list in order of preference. Each gets a column of the policy, and `filter
    /// --agent` chooses one by the same name. A list given here is one crawler of several names; a list given to `filter` is
    /// put together from crawlers of one name each.
    #[arg(long, required = true, value_name = "NAME")]
    pub agent: Vec<Agents>,
    /// The policy file
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// How robots.txt is read
    #[arg(long, default_value = "rfc9309", value_name = "NAME", value_parser = dialect())]
    pub dialect: &'static Dialect,
    /// The origin that the single robots.txt given as SOURCE is for
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Option<String>,
    /// The operator's own word for origins (TOML)
    ///
    /// It stands above their robots.txt: a table for each origin with crawl-delay, verdict ("allow-all" or "forbid-all"),
    /// robots-txt or robots-txt-file, and paused-until.
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Where robots.txt files come from: folders, JSON Lines, WARC archives, Parquet
    ///
    /// A folder (a file's name is a host, or a percent-encoded origin), JSON Lines (url or origin, status, location, body or
    /// body_base64, fetched_at, expires, unreachable_since), a WARC archive, Parquet, or, with --origin, a single robots.txt.
    /// gzip, Zstandard and bzip2 are known by their content.
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
}
