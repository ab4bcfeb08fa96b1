//! The arguments of `filter`.

use clap::ValueEnum;
use robosieve::input::{Column, Delimiter};
use robosieve::judge::Fallback;
use robosieve::robots::Agents;
use std::path::PathBuf;

use super::crawler::DialectArgs;
use super::long_runs::LongRunArgs;
use super::output::{OutputArgs, bytes};
use super::policy::PolicyArgs;
use super::reading::ReadingArgs;
use super::watching::WatchingArgs;
use super::workers::workers;

/// Split URL lists into allowed, blocked, deferred and invalid lines
///
/// Every line of the lists goes, byte for byte and in its order, to exactly one of allowed.txt, blocked.txt,
/// deferred.txt and invalid.txt in the folder given by --out. robots-needed.tsv there lists the robots.txt that deferred
/// lines wait for, and receipt.json, which gets its name last, accounts for every line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve filter --agent examplebot --robots robots/ --out split urls.txt
  zcat urls.gz | robosieve filter --agent examplebot --robots captures.jsonl --out split -
  robosieve filter --policy policy.rsv --out split urls.txt
  zcat urls.gz | robosieve filter --policy policy.rsv --only allowed - | head
  robosieve filter --policy policy.rsv --out split 'lists/**/*.zst'
  find lists -name '*.gz' | robosieve filter --policy policy.rsv --out split --files-from -")]
pub struct FilterArgs {
    /// The crawler: a product token, `*` for everybody, or a list in order of preference
    /// (Googlebot-News,Googlebot: one crawler of several names; the first with a group of its own counts, then *). Given
    /// several times, each is a crawler of its own, and every line is split for each of them: allowed.NAME.txt,
    /// blocked.NAME.txt and so on (`default` for *). With --policy, crawlers that it was compiled for, or lists of them;
    /// needless if there is only one
    #[arg(long, required_unless_present = "policy", value_name = "NAME")]
    pub agent: Vec<Agents>,
    #[command(flatten)]
    pub dialect: DialectArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// Where robots.txt files come from: a folder (a file's name is a host, or a percent-encoded origin), JSON Lines
    /// (url or origin, status, location, body or body_base64, fetched_at, expires, unreachable_since), a WARC archive,
    /// Parquet, or, with --origin, a single robots.txt; gzip, Zstandard and bzip2 are known by their content
    #[arg(long, required_unless_present = "policy", conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin that the single robots.txt given by --robots is for
    #[arg(long, requires = "robots", value_name = "ORIGIN")]
    pub origin: Option<String>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// The operator's own word for origins, which stands above their robots.txt, as TOML: a table for each origin with
    /// crawl-delay, verdict ("allow-all" or "forbid-all"), robots-txt or robots-txt-file, and paused-until
    #[arg(long, conflicts_with = "policy", value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub long_run: LongRunArgs,
    /// Workers [default: one for each processor]. Files do not depend on how many there are
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers())]
    pub threads: usize,
    /// Bytes of a chunk of lines, the unit of work, which a row group of --format parquet is made of (k, M and G are powers
    /// of 1024) [default: 1M, with --format parquet 16M, if --memory has room for that; 1M and 4M with 1 GiB]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub chunk_size: Option<u64>,
    /// What to do with URLs whose robots.txt was never fetched
    #[arg(long, default_value = "defer", value_name = "WHAT")]
    pub on_unfetched: Simple,
    /// What to do with URLs whose robots.txt answers 5xx or not at all, or redirects to somewhere unknown; `use` takes
    /// the last good one
    #[arg(long, default_value = "defer", value_name = "WHAT")]
    pub on_unreachable: WithUse,
    /// How long a robots.txt must have answered 5xx or not at all to count as if there were none, so that everything is
    /// allowed: a duration such as 30d, which RFC 9309 gives as an example. It stands above --on-unreachable, and counts
    /// to --now [default: it never does]
    #[arg(long, value_name = "AGE")]
    pub unreachable_as_unavailable: Option<String>,
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
    #[command(flatten)]
    pub watching: WatchingArgs,
    /// The lines of the lists have fields with this character between them (\t is a tab), and one of them is the URL.
    /// Between , or ; a field may stand in quotes, as RFC 4180 has it, but a record must be on one line. The whole line
    /// is kept. CDX and CDXJ, the indexes of web archives, are known by their content and need no option
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<Delimiter>,
    /// Which field is the URL: its number, or its name in the first line [default: 1]. Of a Parquet file, the column
    /// [default: url, or else the parts of Common Crawl's index: url_protocol, url_host_name, url_port, url_path,
    /// url_query]
    #[arg(long, value_name = "N|NAME")]
    pub column: Option<Column>,
    /// The first line of each list is a head line: it is not judged, but every file of the output begins with it. A
    /// --column that is given by name says so, too
    #[arg(long)]
    pub header: bool,
    /// A file that names more lists, one path a line; - is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// The lists, one URL a line; - is standard input. A pattern such as 'lists/*.gz' or '**/urls?.txt', which the shell
    /// has not expanded, stands for the files it matches, in alphabetical order. gzip, Zstandard and bzip2 are known by
    /// their content, and so is Parquet, of which every row is a line, its URL
    #[arg(required_unless_present = "files_from", value_name = "URLS")]
    pub lists: Vec<PathBuf>,
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
