//! What a command judges by: policy files, sources, crawlers and a dialect.

use clap::builder::TypedValueParser;
use std::path::{Path, PathBuf};

use super::values::one_of;
use crate::cli::error::Failure;
use crate::cli::sources::{self, read_once};
use crate::dialect::Dialect;
use crate::policy::source::{self, FetchedAt, FieldNames, Options, PassedOver, Robots};
use crate::policy::{Captures, OpenError, Overrides, Policy, Trust};
use crate::robots::Agents;

/// A policy file in place of robots.txt files.
#[derive(Debug, clap::Args)]
pub struct PolicyArgs {
    /// A policy file made by `compile`, instead of --robots; may be repeated
    ///
    /// With several, the answers of all count, as if the files had been merged. Only the origins that the smaller files change are
    /// derived again, so a minute's answers over a large policy cost what the minute costs.
    #[arg(long, value_name = "FILE", conflicts_with = "columns")]
    pub policy: Vec<PathBuf>,
    /// Do not verify the checksum of the policy file
    ///
    /// Verification takes time if the file has many GiB. The structure is checked in any case, so a damaged file does
    /// no harm; but damage that keeps the structure intact goes unnoticed, and verdicts may be wrong.
    #[arg(long, requires = "policy", conflicts_with = "robots", hide_short_help = true)]
    pub trust_checksum: bool,
}

impl PolicyArgs {
    /// Opens the policy, if one is given.
    pub fn open(&self) -> Result<Option<Policy>, Failure> {
        self.open_files(&self.policy)
    }

    /// Opens the policy of these files, if there are any.
    pub fn open_files(&self, paths: &[PathBuf]) -> Result<Option<Policy>, Failure> {
        if paths.is_empty() {
            return Ok(None);
        }
        let policies = paths.iter().map(|path| self.open_file(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(Policy::in_layers(policies).map_err(Failure::Merge)?))
    }

    pub fn open_file(&self, path: &Path) -> Result<Policy, OpenError> {
        mapped(path, trust(self.trust_checksum))
    }
}

/// What a command judges by: policy files, or sources of robots.txt files to make a policy of, and the operator's overrides.
#[derive(Debug, clap::Args)]
#[command(mut_arg("fetched_at", |arg| arg.conflicts_with("policy")))]
pub struct JudgedByArgs {
    /// A source of robots.txt files: folder, JSON Lines, WARC...
    ///
    /// May be repeated; - is standard input. A folder (each file is named after a host or a percent-encoded origin); JSON Lines (url
    /// or origin, status, location, body or body_base64, fetched_at, expires, unreachable_since); a WARC archive; Parquet;
    /// or, with --origin, a single robots.txt. gzip, Zstandard and bzip2 are recognised by their content.
    #[arg(long, conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin of the single robots.txt given by --robots
    #[arg(long, requires = "robots", value_name = "ORIGIN", hide_short_help = true)]
    pub origin: Option<String>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The operator's overrides for origins (TOML)
    ///
    /// They take precedence over robots.txt files, and with --policy also over the overrides it was compiled with. The
    /// file has a table for each origin with crawl-delay, verdict ("allow-all" or "forbid-all"), robots-txt or
    /// robots-txt-file, and paused-until.
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl JudgedByArgs {
    /// Checks that there is a policy, or sources and crawlers to make one.
    pub fn check(&self, agents: &[Agents], named: &Option<PathBuf>) -> Result<(), Failure> {
        match self.policy.policy.is_empty() {
            true if self.robots.is_empty() => Err(Failure::NoSource),
            true if agents.is_empty() && named.is_none() => Err(Failure::NoAgent),
            _ => Ok(()),
        }
    }

    /// The policy of the files that are given, if any are, with the overrides.
    pub fn opened(&self) -> Result<Option<Policy>, Failure> {
        let policy = self.policy.open()?;
        policy.map(|policy| sources::with_overrides(policy, self.overrides.as_deref())).transpose()
    }

    /// Reads the sources and the overrides into `captures`, and returns it. Passes what was passed over to `tell`.
    pub fn read(&self, skip_bad: bool, captures: Captures, tell: impl FnMut(&PassedOver)) -> Result<Captures, Failure> {
        let sources = (&*self.robots, self.origin.as_deref());
        self.reading.read(sources, self.overrides.as_deref(), skip_bad, captures, tell)
    }

    /// The same, but a single robots.txt without an origin counts for the origin `any`, and is returned. Overrides name origins, and
    /// fields are of answers, so with either the source is one of answers.
    pub fn read_for_any(
        &self,
        any: Option<&str>,
        mut captures: Captures,
        tell: impl FnMut(&PassedOver),
    ) -> Result<(Captures, Option<Robots>), Failure> {
        match (&*self.robots, &self.origin, &self.overrides, &self.reading.columns, any) {
            ([single], None, None, None, Some(any)) => {
                let robots = source::add_for_any(single, any, &self.reading.options(false), &mut captures)?;
                captures.passed_over().iter().for_each(tell);
                Ok((captures, robots))
            }
            _ => Ok((self.read(false, captures, tell)?, None)),
        }
    }
}

/// A policy file to examine.
#[derive(Debug, clap::Args)]
pub struct PolicyFileArgs {
    /// A policy file made by `compile`
    #[arg(value_name = "POLICY")]
    pub path: PathBuf,
    /// Another policy file, whose answers count, too; may be repeated
    #[arg(long = "policy", value_name = "FILE")]
    pub others: Vec<PathBuf>,
    /// Do not verify the checksum of the policy file
    ///
    /// Verification takes time if the file has many GiB. The structure is checked in any case, so a damaged file does
    /// no harm; but damage that keeps the structure intact goes unnoticed, and the output may be wrong.
    #[arg(long)]
    pub trust_checksum: bool,
}

impl PolicyFileArgs {
    pub fn files(&self) -> Vec<PathBuf> {
        [&self.path].into_iter().chain(&self.others).cloned().collect()
    }

    pub fn open(&self) -> Result<Policy, Failure> {
        let open = |path: &PathBuf| mapped(path, trust(self.trust_checksum));
        let policies = self.files().iter().map(open).collect::<Result<Vec<_>, _>>()?;
        Policy::in_layers(policies).map_err(Failure::Merge)
    }
}

/// Maps a policy file: several runs share its memory, and a file larger than the memory can be used.
pub fn mapped(path: &Path, trust: Trust) -> Result<Policy, OpenError> {
    // SAFETY: the program's documents ask users not to write into a policy that is in use; its own commands replace one by a
    // rename.
    unsafe { Policy::map_with(path, trust) }
}

pub fn trust(checksum: bool) -> Trust {
    if checksum { Trust::Checksum } else { Trust::Nothing }
}

/// The crawler, and how it reads robots.txt.
#[derive(Debug, clap::Args)]
pub struct CrawlerArgs {
    /// The crawler: a product token, `*`, or a list in order of preference; repeat for more crawlers
    ///
    /// A list such as Googlebot-News,Googlebot is one crawler with several names: the first name that has its own group
    /// is used, then `*`. With --policy, name crawlers that it was compiled for, or lists of them; not needed if there
    /// is only one.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<Agents>,
    #[command(flatten)]
    pub named: AgentsFileArgs,
    #[command(flatten)]
    pub dialect: DialectArgs,
}

/// Crawlers by their names in a file.
#[derive(Debug, clap::Args)]
pub struct AgentsFileArgs {
    /// A file of crawlers' names: one a line, or JSON; they are added to those of --agent
    ///
    /// In a text, a # begins a comment. JSON is a list of names, or an object with an object for each name. A name with other
    /// characters than a product token, such as bigsur.ai, is cut as crawlers cut it in a robots.txt, with a warning; names that are then
    /// equal are one crawler.
    #[arg(long, value_name = "FILE")]
    pub agents_file: Option<PathBuf>,
}

impl CrawlerArgs {
    pub fn all(&self, dialect: &Dialect) -> Result<Vec<Agents>, Failure> {
        self.named.all(&self.agent, dialect)
    }

    /// Those of a policy.
    pub fn of_policy(&self, dialect: &Dialect) -> Result<Vec<Agents>, Failure> {
        sources::of_policy(&self.agent, self.named.agents_file.as_deref(), dialect)
    }
}

impl AgentsFileArgs {
    /// The crawlers named by options, then those of the file, each once.
    pub fn all(&self, named: &[Agents], dialect: &Dialect) -> Result<Vec<Agents>, Failure> {
        sources::all(named, self.agents_file.as_deref(), dialect)
    }
}

/// The dialect of robots.txt files. A policy already has one.
#[derive(Debug, clap::Args)]
pub struct DialectArgs {
    /// The dialect of robots.txt files: rfc9309, google...
    #[arg(
        long,
        long_help = dialects(),
        conflicts_with = "policy",
        default_value = "rfc9309",
        value_name = "NAME",
        hide_possible_values = true,
        value_parser = dialect()
    )]
    pub dialect: &'static Dialect,
}

/// The dialects, each with what it follows.
fn dialects() -> String {
    let known = Dialect::ALL.iter().map(|dialect| format!("- {}: {}", dialect.name, dialect.source));
    format!("The dialect of robots.txt files\n\n{}", known.collect::<Vec<_>>().join("\n"))
}

pub fn dialect() -> impl TypedValueParser<Value = &'static Dialect> {
    one_of(Dialect::ALL.iter().map(|dialect| (dialect.name, dialect)))
}

/// How to read sources.
#[derive(Debug, clap::Args)]
pub struct ReadingArgs {
    /// The keys of JSON Lines and columns of Parquet, if they differ
    ///
    /// For example, url=target_uri,body=content,status=code. The fields are url, origin, status, location, body, body_base64,
    /// fetched_at, expires, unreachable_since and headers. An empty name, as in fetched_at=, means that there is no such
    /// field; with status=, every response is a file with status 200.
    #[arg(long, value_name = "FIELD=NAME,...", hide_short_help = true)]
    pub columns: Option<FieldNames>,
    /// When answers without a time were fetched: a time (RFC 3339), or mtime for when each file was modified
    ///
    /// The files of a folder, a single robots.txt with --origin, and lines, rows and records without a time have no time of their own.
    /// Without this option, any answer with a time replaces them, however old; of two without, the one with the greater bytes is kept.
    /// With it, they count as fetched at TIME, or when their file was last modified (mtime). An answer with a time keeps it.
    #[arg(long, value_name = "TIME|mtime", hide_short_help = true)]
    pub fetched_at: Option<FetchedAt>,
}

impl ReadingArgs {
    fn options(&self, skip_bad: bool) -> Options {
        let names = self.columns.clone().unwrap_or_default();
        Options { names, skip_bad, fetched_at: self.fetched_at, ..Options::default() }
    }

    /// Reads sources, and the operator's overrides, into `captures`, and returns it; with an origin, the source is a single
    /// robots.txt. Passes what was passed over to `tell`.
    pub fn read(
        &self,
        (paths, origin): (&[PathBuf], Option<&str>),
        overrides: Option<&Path>,
        skip_bad: bool,
        mut captures: Captures,
        tell: impl FnMut(&PassedOver),
    ) -> Result<Captures, Failure> {
        // First, because the operator should not learn of a mistake in them after an hour of reading.
        if let Some(path) = overrides {
            captures.add_all_overrides(&Overrides::read_file(path)?)?;
        }
        read_once(paths.iter().map(PathBuf::as_path))?;
        let options = self.options(skip_bad);
        match (origin, paths) {
            (Some(origin), [single]) => source::add_single(single, origin, &options, &mut captures)?,
            (Some(_), several) => return Err(Failure::OneRobots { given: several.len() }),
            (None, several) => source::add_sources(several, &options, &mut captures)?,
        }
        captures.passed_over().iter().for_each(tell);
        Ok(captures)
    }
}
