//! The arguments of `diff` and `history`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::inspect::{TableFileArgs, format};
use super::policy::{mapped, trust};
use super::values::{number, one_of};
use crate::policy::{OpenError, Policy};
use crate::robots::Agents;
use crate::show::diff::Change;
use crate::show::export::Format;

/// Tell what changed between two policy files, and by which paths
///
/// Groups are compared by what they match, for all paths that a fetcher can ask for, not by how they are written. The exit status is
/// 1 if something changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve diff old.rsv new.rsv
  robosieve diff old.rsv new.rsv --agent GPTBot --only now-blocked,both
  robosieve diff old.rsv new.rsv --summary
  robosieve diff old.rsv new.rsv --format parquet -o changes.parquet")]
pub struct DiffArgs {
    /// The older policy file
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The newer policy file
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// Only this crawler, which both policies were compiled for; may be repeated [default: all that both have]
    #[arg(long, value_name = "NAME", alias = "crawler")]
    pub agent: Vec<Agents>,
    /// Only these kinds of change, such as now-blocked
    ///
    /// came, went: the origin is in one of the policies only; now-blocked, now-allowed, both: paths that show it; now-deferred,
    /// was-deferred: there is no verdict now, or was none; undecided: rules that are too intricate to compare; status, group,
    /// rewritten: no path can tell; preferences: something else is said about uses of a page. Give several with commas, or repeat the option.
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
    #[arg(long, value_name = "NAME", alias = "crawler")]
    pub agent: Vec<Agents>,
    /// The output format
    #[arg(long, default_value = "tsv", value_name = "FORMAT", value_parser = format())]
    pub format: Format,
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
