//! What a command judges by: policy files, sources, crawlers and a dialect.

use clap::builder::TypedValueParser;
use std::path::{Path, PathBuf};

use super::values::one_of;
use crate::cli::error::Failure;
use crate::cli::sources;
use crate::dialect::Dialect;
use crate::judge::{Choices, Statuses};
use crate::policy::source::{self, FetchedAt, FieldNames, Options, PassedOver};
use crate::policy::{Captures, OpenError, Overrides, Policy, Trust};
use crate::preferences::{Requirements, SignalScope};
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
    /// Checks that there is a policy, or sources and crawlers to make one.
    pub fn check(&self, robots: &[PathBuf], agents: &[Agents], named: &Option<PathBuf>) -> Result<(), Failure> {
        match self.policy.is_empty() {
            true if robots.is_empty() => Err(Failure::NoSource),
            true if agents.is_empty() && named.is_none() => Err(Failure::NoAgent),
            _ => Ok(()),
        }
    }

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
        Ok(Some(Policy::layered(policies).map_err(Failure::Merge)?))
    }

    pub fn open_file(&self, path: &Path) -> Result<Policy, OpenError> {
        mapped(path, trust(self.trust_checksum))
    }
}

/// What pages must say about uses, and how that is read.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(mut_arg("content_signal", |arg| arg.hide_short_help(true)))]
pub struct RequiredArgs {
    /// Keep pages only if what their sites say allows a use: train-ai!=n
    ///
    /// A use is train-ai, search or ai-input. USE!=n asks that it is not refused, USE=y that it is said to be fine; several stand
    /// between commas. Content-Usage and Content-Signal lines say it, and any n of them counts. Lines that are allowed but do not meet
    /// it are blocked, with the reason `preference`; what a site says in a way that cannot be read meets neither.
    #[arg(long, value_name = "USE!=n", hide_short_help = true, value_parser = str::parse::<Requirements>)]
    pub require: Option<Requirements>,
    #[command(flatten)]
    pub content_signal: SignalArgs,
}

/// To whom signals speak. Each command that tells or judges preferences has it.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct SignalArgs {
    /// To which crawlers a Content-Signal line speaks: group or everybody [default: group]
    ///
    /// group: to those of the group that it stands in, and before all groups to all; everybody: to all, wherever it stands. It matters
    /// to what is required and shown.
    #[arg(long, value_name = "SCOPE", hide_possible_values = true,
        value_parser = one_of(SignalScope::ALL.map(|scope| (scope.name(), scope))))]
    pub content_signal: Option<SignalScope>,
}

impl SignalArgs {
    /// The scope that is given, or that of the program.
    pub fn scope(self) -> SignalScope {
        self.content_signal.unwrap_or_default()
    }
}

/// What statuses mean. Each command that tells verdicts has it.
#[derive(Debug, Clone, clap::Args)]
pub struct StatusesArgs {
    /// What statuses mean: a TOML file, or a name, such as common-crawl
    ///
    /// A file has a line for each status of a robots.txt that means something else than its dialect says, such as 403 = "defer" or
    /// "4xx" = "allow"; the words are allow, block and defer, the statuses 400 to 599. The names are common-crawl and nutch. Takes
    /// precedence over all but overrides, also over --on-unreachable and --unreachable-as-unavailable of `filter`.
    #[arg(long, value_name = "FILE|NAME")]
    pub statuses: Option<PathBuf>,
}

impl StatusesArgs {
    pub fn read(&self) -> Result<Statuses, Failure> {
        Ok(self.statuses.as_deref().map(Statuses::named_or_read).transpose()?.unwrap_or_default())
    }
}

/// The choices by which a command about policies tells what is in them: those of `filter`.
#[derive(Debug, Clone, clap::Args)]
pub struct ViewArgs {
    #[command(flatten)]
    pub statuses: StatusesArgs,
    #[command(flatten)]
    pub content_signal: SignalArgs,
}

impl ViewArgs {
    /// Converts to the library's type, with ages judged at `now`. Reads the file of statuses, if there is one.
    pub fn choices(&self, now: i64) -> Result<Choices, Failure> {
        let choices = Choices::at(now).statuses(self.statuses.read()?);
        Ok(choices.content_signal(self.content_signal.scope()))
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
        Policy::layered(policies).map_err(Failure::Merge)
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
    ///
    /// One of rfc9309, google, mandelbot, extended-2008, draft-1996 or original-1994.
    #[arg(
        long,
        conflicts_with = "policy",
        default_value = "rfc9309",
        value_name = "NAME",
        hide_possible_values = true,
        value_parser = dialect()
    )]
    pub dialect: &'static Dialect,
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
    /// The file of a folder, a single robots.txt with --origin, and a line, a row or a record without a time say nothing of it. So any
    /// answer that does replaces them, however old, and of two of them, only bytes choose one. With this option they count as of
    /// that time; mtime is that of the file which they are, or are in. Times of their own stay.
    #[arg(long, value_name = "TIME|mtime", hide_short_help = true)]
    pub fetched_at: Option<FetchedAt>,
}

impl ReadingArgs {
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
            captures.add_overrides(&Overrides::read(path)?)?;
        }
        let names = self.columns.clone().unwrap_or_default();
        let options = Options { names, skip_bad, fetched_at: self.fetched_at, ..Options::default() };
        match (origin, paths) {
            (Some(origin), [single]) => source::add_single(single, origin, &options, &mut captures)?,
            (Some(_), several) => return Err(Failure::OneRobots { given: several.len() }),
            (None, several) => source::add(several, &options, &mut captures)?,
        }
        captures.passed_over().iter().for_each(tell);
        Ok(captures)
    }
}
