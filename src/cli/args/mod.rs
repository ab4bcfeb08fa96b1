//! The arguments, as they are given.

mod documentation;
mod long_runs;
mod output;
mod receipts;
mod report;
mod watching;

pub use documentation::{CompletionsArgs, ManArgs};
pub use long_runs::LongRunArgs;
pub use output::OutputArgs;
pub use receipts::{JoinArgs, VerifyArgs};
pub use report::ReportArgs;
pub use watching::{Log, WatchingArgs};

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum, ValueHint};
use output::octets;
use std::path::PathBuf;

use robosieve::dialect::Dialect;
use robosieve::filter::{Column, Delimiter, Fallback};
use robosieve::policy::source::Options;
#[cfg(feature = "parquet")]
use robosieve::policy::source::ParquetColumns;
use robosieve::policy::{OpenError, Policy, Trust};
use robosieve::robots::Agents;

/// Split URL lists by robots.txt, and prove that no line was lost
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Examples:
  robosieve filter --agent examplebot --robots robots/ --out split urls.txt
  robosieve compile --agent examplebot robots/ captures.jsonl -o policy.rsv
  robosieve check --policy policy.rsv https://example.com/private/x

Each command has examples of its own: robosieve help filter"
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Filter(Box<FilterArgs>),
    Check(CheckArgs),
    Compile(CompileArgs),
    Merge(MergeArgs),
    Inspect(InspectArgs),
    Export(ExportArgs),
    Report(ReportArgs),
    Lint(LintArgs),
    Verify(VerifyArgs),
    Join(JoinArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Split URL lists into allowed, blocked, deferred and invalid lines
///
/// Every line of the lists goes, octet for octet and in its order, to exactly one of allowed.txt, blocked.txt,
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
    /// Octets of a chunk of lines, the unit of work, which a row group of --format parquet is made of (k, M and G are powers
    /// of 1024) [default: 1M, with --format parquet 16M, if --memory has room for that; 1M and 4M with 1 GiB]
    #[arg(long, value_name = "BYTES", value_parser = octets)]
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

/// Judge single URLs, and say why
///
/// Prints the verdict for each URL, the rule that decided, its line, and the agent of its group. Exits with 0 if all are
/// allowed, with 1 if any is blocked, or deferred because its policy has no verdict now, and with 2 on an error, such as
/// an invalid URL.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve check --agent examplebot --robots robots.txt https://example.com/private/x
  robosieve check --policy policy.rsv https://example.com/private/x")]
pub struct CheckArgs {
    #[command(flatten)]
    pub crawler: CrawlerArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The robots.txt; - is standard input. It is taken as that of every URL given
    #[arg(long, required_unless_present = "policy", conflicts_with = "policy", value_name = "FILE")]
    pub robots: Option<PathBuf>,
    /// The URLs
    #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<std::ffi::OsString>,
}

/// Compile robots.txt files into a policy file
///
/// The file is made once, and `filter --policy` and `check --policy` use it as often as wanted, without reading a
/// robots.txt again. It gets its name when it is complete, and replaces an earlier file of that name; whoever reads that
/// one goes on reading it. The same sources make the same file, octet for octet. FORMAT.md documents it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve compile --agent examplebot robots/ captures.jsonl -o policy.rsv
  robosieve compile --agent examplebot --agent 'Googlebot-News,Googlebot' --agent '*' robots/ -o policy.rsv")]
pub struct CompileArgs {
    /// The crawlers, each with an --agent of its own, up to 64: a product token, `*` for everybody, or a list in order
    /// of preference. Each gets a column of the policy, and `filter --agent` chooses one by the same name. A list given
    /// here is one crawler of several names; a list given to `filter` is put together from crawlers of one name each
    #[arg(long, required = true, value_name = "NAME")]
    pub agent: Vec<Agents>,
    /// How robots.txt is read
    #[arg(long, default_value = "rfc9309", value_name = "NAME", value_parser = dialect())]
    pub dialect: &'static Dialect,
    /// The origin that the single robots.txt given as SOURCE is for
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Option<String>,
    /// The operator's own word for origins, which stands above their robots.txt, as TOML: a table for each origin with
    /// crawl-delay, verdict ("allow-all" or "forbid-all"), robots-txt or robots-txt-file, and paused-until
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    /// The policy file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Where robots.txt files come from: a folder (a file's name is a host, or a percent-encoded origin), JSON Lines
    /// (url or origin, status, location, body or body_base64, fetched_at, expires, unreachable_since), a WARC archive,
    /// Parquet, or, with --origin, a single robots.txt; gzip, Zstandard and bzip2 are known by their content
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
}

/// Merge two policy files into one, with the newest entry of each origin
///
/// So a day's captures update a policy without its old sources. Of each origin the entry counts whose last answer is
/// newer, that of NEW where both are of one time or have none. A failure erases no rules: the newest good answer of both
/// files stands beside it. A redirect that could not be resolved in NEW is not looked for in OLD; its origin keeps the last
/// good answer too. What the operator says of an origin in NEW counts, else what OLD has. The files must be for the same
/// crawlers, in the same order, and of one dialect.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  robosieve merge policy.rsv today.rsv -o policy.rsv")]
pub struct MergeArgs {
    /// The older policy file
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The newer one
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// The policy file that is made; it may be one of the two
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Say what is in a policy file, or what it knows of an origin
///
/// Without an origin: how the origins stand, which groups they have, how much of their lifetime is left, what the operator
/// says, and how large the parts of the file are. With one: its state, and for each crawler the group that was chosen, why,
/// its rules with their lines, its crawl delay, and what else stands beside them. Exits with 0, with 1 if the policy has
/// no entry for the origin, and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve inspect policy.rsv
  robosieve inspect policy.rsv https://example.com/some/page
  robosieve inspect policy.rsv --json | jq .lifetimes
  robosieve inspect policy.rsv https://example.com --agent examplebot --dot | dot -Tsvg > automaton.svg")]
pub struct InspectArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// The origin, or any URL of it
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
    pub origin: Option<std::ffi::OsString>,
    /// Only this crawler: one that the policy was compiled for, or a list of them in order of preference
    /// [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<Agents>,
    /// Print one JSON object; without an entry for the origin, null
    #[arg(long)]
    pub json: bool,
    /// Print the automaton of the crawler's group in Graphviz's language
    #[arg(long, requires = "origin", conflicts_with = "json")]
    pub dot: bool,
    /// How many entries lists have: of the most shared groups, and of the origins that the operator has something to say of
    #[arg(long, default_value_t = 10, value_name = "N", conflicts_with = "origin")]
    pub top: usize,
    /// The time that age is judged at, as RFC 3339 [default: the time of the run]
    #[arg(long, value_name = "TIME")]
    pub now: Option<jiff::Timestamp>,
}

/// Write a table of what a policy file knows beside the rules
///
/// One row an origin (and crawler, or sitemap), in the order of the origins. TSV begins with the names of the columns; in a
/// value, a tab is written \t, a line feed \n, a carriage return \r, a backslash \\; where there is no value, nothing
/// stands. JSON Lines leave out what there is no value for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve export policy.rsv --what delays
  robosieve export policy.rsv --what status --format parquet -o status.parquet")]
pub struct ExportArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// Which table
    #[arg(long, value_name = "TABLE")]
    pub what: What,
    /// How it is written
    #[arg(long, default_value = "tsv", value_name = "FORMAT")]
    pub format: ExportFormat,
    /// Only for this crawler: one that the policy was compiled for, or a list of them in order of preference
    /// [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<Agents>,
    /// The file; it gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A table.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum What {
    /// Crawl delays: as written, in seconds as far as they are in effect, and the pages a day that they leave
    Delays,
    /// Sitemaps with their lines
    Sitemaps,
    /// Whose group applies to each crawler, its User-agent line, and how many rules it has
    Agents,
    /// Standing, HTTP status and times of the last answer and of the last good one, and the operator's word
    Status,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ExportFormat {
    /// Tab-separated values
    Tsv,
    /// JSON Lines
    Jsonl,
    /// Parquet
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Report what the author of a robots.txt probably did not mean
///
/// Reads each file as a crawler of the dialect does, and tells by line what is ignored, what is read otherwise than it
/// looks, and what has no effect, with the text that says so. Exits with 0 if there is nothing, with 1 if there is
/// anything, and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve lint robots.txt
  robosieve lint --dialect all --json robots/* | jq -r .kind | sort | uniq -c")]
pub struct LintArgs {
    /// How robots.txt is read; as often as needed
    #[arg(long, value_name = "NAME", default_value = "rfc9309", value_parser = dialects())]
    pub dialect: Vec<Dialects>,
    /// Print a JSON object for each finding, one a line
    #[arg(long)]
    pub json: bool,
    /// The robots.txt files; - is standard input
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
    let names = Dialect::names().into_iter().chain(["all"]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "all" => Ok(Dialects::All),
        name => Dialect::named(name).map(Dialects::One),
    })
}

/// What has to be known of sources besides where they are.
#[derive(Debug, clap::Args)]
pub struct ReadingArgs {
    /// The columns of Parquet sources, where they have other names, such as url=target_uri,fetched_at=date;
    /// status= and fetched_at= say that there is none
    #[cfg(feature = "parquet")]
    #[arg(long, default_value = "url=url,status=status,body=body,fetched_at=fetched_at", value_name = "ROLE=NAME,...")]
    pub columns: ParquetColumns,
}

impl ReadingArgs {
    /// The same for the library.
    pub fn options(&self) -> Options {
        Options {
            #[cfg(feature = "parquet")]
            columns: self.columns.clone(),
        }
    }
}

/// The crawler, and how it reads robots.txt.
#[derive(Debug, clap::Args)]
pub struct CrawlerArgs {
    /// The crawler's product token, `*` for everybody, or a list in order of preference
    /// (Googlebot-News,Googlebot: the first with a group of its own counts, then *). With --policy, a crawler that it
    /// was compiled for, or a list of them; needless if there is only one
    #[arg(long, required_unless_present = "policy", value_name = "NAME")]
    pub agent: Option<Agents>,
    #[command(flatten)]
    pub dialect: DialectArgs,
}

/// The dialect of robots.txt files, which a policy has already.
#[derive(Debug, clap::Args)]
pub struct DialectArgs {
    /// How robots.txt is read
    #[arg(
        long,
        conflicts_with = "policy",
        default_value = "rfc9309",
        value_name = "NAME",
        value_parser = dialect()
    )]
    pub dialect: &'static Dialect,
}

impl CrawlerArgs {
    /// The crawler, where robots.txt files are read.
    pub fn agents(&self) -> &Agents {
        self.agent.as_ref().expect("required unless there is a policy")
    }
}

/// A policy instead of robots.txt files.
#[derive(Debug, clap::Args)]
pub struct PolicyArgs {
    /// A policy file, as `compile` makes it, instead of robots.txt files
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Do not compute the checksum of the policy file, which takes time if it has many GiB. Its structure is looked at
    /// all the same, so a damaged file does no harm; but damage that keeps the structure goes unseen, and verdicts may
    /// be wrong
    #[arg(long, requires = "policy", conflicts_with = "robots")]
    pub trust_checksum: bool,
}

impl PolicyArgs {
    /// The policy, if one is given.
    pub fn open(&self) -> Result<Option<Policy>, OpenError> {
        self.policy.as_ref().map(|path| Policy::open(path, trust(self.trust_checksum))).transpose()
    }
}

/// A policy that is looked into.
#[derive(Debug, clap::Args)]
pub struct PolicyFileArgs {
    /// The policy file, as `compile` makes it
    #[arg(value_name = "POLICY")]
    pub path: PathBuf,
    /// Do not compute the checksum of the policy file, which takes time if it has many GiB. Its structure is looked at
    /// all the same, so a damaged file does no harm; but damage that keeps the structure goes unseen, and what is told
    /// may be wrong
    #[arg(long)]
    pub trust_checksum: bool,
}

impl PolicyFileArgs {
    /// The policy.
    pub fn open(&self) -> Result<Policy, OpenError> {
        Policy::open(&self.path, trust(self.trust_checksum))
    }
}

fn trust(checksum: bool) -> Trust {
    if checksum { Trust::Checksum } else { Trust::Nothing }
}

/// A number of workers. Each has buffers of its own, so far more than there can be processors would only take memory.
fn workers() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::new().range(..=4096)
}

fn dialect() -> impl TypedValueParser<Value = &'static Dialect> {
    PossibleValuesParser::new(Dialect::names()).try_map(|name| Dialect::named(&name))
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
