//! What a command judges by: policy files, sources, crawlers and a dialect.

use clap::builder::TypedValueParser;
use std::path::{Path, PathBuf};

use super::values::one_of;
use crate::cli::error::{Failure, not_compiled, not_merged};
use crate::cli::help::ROBOTS_TXT;
use crate::cli::sources::{self, read_once};
use crate::dialect::Dialect;
use crate::error::policy::Error;
use crate::policy::source::{self, FetchedAt, FieldNames, Options, PassedOver, Robots};
use crate::policy::{Captures, Overrides, Policy, Trust};
use crate::robots::Agents;

/// A policy file in place of robots.txt files.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = ROBOTS_TXT)]
pub struct PolicyArgs {
    /// A file made by `compile`, instead of --robots
    ///
    /// Repeatable: the answers of all count.
    #[arg(long, value_name = "FILE", conflicts_with = "columns")]
    pub policy: Vec<PathBuf>,
    /// Do not verify the checksum of the policy file
    ///
    /// That takes time for many GiB. The structure is checked in any case; after other damage, verdicts may be wrong.
    #[arg(long, requires = "policy", conflicts_with = "robots", hide_short_help = true)]
    pub trust_checksum: bool,
}

impl PolicyArgs {
    /// Opens the policy of these files, if there are any.
    pub fn open_files(&self, paths: &[PathBuf]) -> Result<Option<Policy>, Failure> {
        if paths.is_empty() { Ok(None) } else { layered(paths, self.trust_checksum).map(Some) }
    }
}

/// What a command says that has neither rules nor a policy.
pub const NO_SOURCE: &str = "no rules given: use --robots SOURCE (a folder, JSON Lines, WARC, Parquet), or a compiled policy with --policy FILE";

/// What a command judges by: policy files, or sources of robots.txt files to make a policy of, and the operator's overrides.
#[derive(Debug, clap::Args)]
#[command(mut_arg("fetched_at", |arg| arg.conflicts_with("policy")))]
#[command(next_help_heading = ROBOTS_TXT)]
pub struct JudgedByArgs {
    /// robots.txt files: a folder, JSON Lines, WARC
    ///
    /// Also Parquet or, with --origin, one file; repeatable; - is standard input. A folder's files are named after hosts or
    /// percent-encoded origins; the fields of JSON Lines and Parquet are url or origin, status, location, body or body_base64,
    /// fetched_at, expires, unreachable_since, and headers.
    #[arg(long, conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin of the single robots.txt given by --robots
    #[arg(long, requires = "robots", value_name = "ORIGIN", hide_short_help = true)]
    pub origin: Option<String>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The operator's overrides for origins (TOML)
    ///
    /// A table for each, with crawl-delay, verdict ("allow-all" or "forbid-all"), robots-txt or robots-txt-file, and paused-until.
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl JudgedByArgs {
    /// Checks that there is a policy, or sources and crawlers to make one.
    pub fn check(&self, crawlers: &CrawlerArgs) -> Result<(), Failure> {
        match self.policy.policy.is_empty() {
            true if self.robots.is_empty() => Err(NO_SOURCE.into()),
            true if crawlers.agent.is_empty() && crawlers.agents_file.is_none() => {
                let message = "no crawler given: use --agent NAME (* for every crawler), --agents-file FILE, or a policy with \
                               --policy FILE";
                Err(message.into())
            }
            _ => Ok(()),
        }
    }

    /// The policy of the files that are given, if any are, with the overrides.
    pub fn opened(&self) -> Result<Option<Policy>, Failure> {
        let policy = self.policy.open_files(&self.policy.policy)?;
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
    /// Another policy, whose answers count, too; repeatable
    #[arg(long = "policy", help_heading = ROBOTS_TXT, value_name = "FILE")]
    pub others: Vec<PathBuf>,
    /// Do not verify the checksum of the policy file
    ///
    /// That takes time for many GiB. The structure is checked in any case; after other damage, the output may be wrong.
    #[arg(long, help_heading = ROBOTS_TXT, hide_short_help = true)]
    pub trust_checksum: bool,
}

impl PolicyFileArgs {
    pub fn files(&self) -> Vec<PathBuf> {
        [&self.path].into_iter().chain(&self.others).cloned().collect()
    }

    pub fn open(&self) -> Result<Policy, Failure> {
        layered(&self.files(), self.trust_checksum)
    }
}

/// Opens policy files as one policy, of which each is a layer.
fn layered(paths: &[PathBuf], trust_checksum: bool) -> Result<Policy, Failure> {
    let policies = paths.iter().map(|path| mapped(path, trust_checksum)).collect::<Result<Vec<_>, _>>()?;
    Policy::layered(policies).map_err(not_merged)
}

/// Maps a policy file: several runs share its memory, and a file larger than the memory can be used.
pub fn mapped(path: &Path, trust_checksum: bool) -> Result<Policy, Error> {
    let trust = if trust_checksum { Trust::Checksum } else { Trust::Nothing };
    // SAFETY: the program's documents ask users not to write into a policy that is in use; its own commands replace one by a
    // rename.
    unsafe { Policy::map_with(path, trust) }
}

/// The crawlers: those named by options, then those of a file, each once.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = ROBOTS_TXT)]
pub struct CrawlerArgs {
    /// The crawler's product token, or *; repeatable
    ///
    /// Googlebot-News,Googlebot is one crawler: the first name that has a group of its own counts, then `*`. Not needed if --policy
    /// has only one.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<Agents>,
    /// More crawlers, by the names in a file
    ///
    /// One a line, or JSON: a list, or an object with an object for each. Names that are no product tokens are cut, with a warning.
    #[arg(long, value_name = "FILE")]
    pub agents_file: Option<PathBuf>,
}

impl CrawlerArgs {
    /// Those that sources are read for.
    pub fn of_sources(&self, dialect: &Dialect) -> Result<Vec<Agents>, Failure> {
        sources::all(&self.agent, self.agents_file.as_deref(), dialect)
    }

    /// Those of a policy.
    pub fn of_policy(&self, dialect: &Dialect) -> Result<Vec<Agents>, Failure> {
        sources::of_policy(&self.agent, self.agents_file.as_deref(), dialect)
    }
}

/// The dialect of robots.txt files. A policy already has one.
#[derive(Debug, clap::Args)]
pub struct DialectArgs {
    /// How robots.txt is read
    #[arg(
        long,
        help_heading = ROBOTS_TXT,
        long_help = dialects(),
        conflicts_with = "policy",
        default_value = "rfc9309",
        value_name = "NAME",
        hide_possible_values = true,
        value_parser = dialect()
    )]
    pub dialect: &'static Dialect,
}

/// The names of the dialects.
pub fn dialects() -> String {
    format!("How robots.txt is read: {}", Dialect::names().join(", "))
}

pub fn dialect() -> impl TypedValueParser<Value = &'static Dialect> {
    one_of(Dialect::ALL.iter().map(|dialect| (dialect.name, dialect)))
}

/// How to read sources.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = ROBOTS_TXT)]
pub struct ReadingArgs {
    /// Other keys of JSON Lines, columns of Parquet
    ///
    /// For example status=code,body=content. fetched_at= is for no such field, status= for a status of 200 everywhere.
    #[arg(long, value_name = "FIELD=NAME,...")]
    pub columns: Option<FieldNames>,
    /// When answers without a time were fetched: an RFC 3339 time, or mtime, when their file was modified
    ///
    /// Without it, any answer with a time replaces them.
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
            captures.add_overrides(&Overrides::read(path)?).map_err(not_compiled)?;
        }
        read_once(paths.iter().map(PathBuf::as_path))?;
        let options = self.options(skip_bad);
        match (origin, paths) {
            (Some(origin), [single]) => source::add_single(single, origin, &options, &mut captures)?,
            (Some(_), several) => {
                let given = several.len();
                let message = format!("--origin needs exactly one source, a single robots.txt; {given} were given");
                return Err(message.into());
            }
            (None, several) => source::add(several, &options, &mut captures)?,
        }
        captures.passed_over().iter().for_each(tell);
        Ok(captures)
    }
}
