//! A policy file.

use crate::policy::{OpenError, Policy, Trust};
use std::path::{Path, PathBuf};

use crate::cli::error::Failure;

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
        if self.policy.is_empty() {
            return Ok(None);
        }
        let policies = self.policy.iter().map(|path| self.open_file(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(Policy::layered(policies).map_err(Failure::Merge)?))
    }

    /// Opens one of the files.
    pub fn open_file(&self, path: &Path) -> Result<Policy, OpenError> {
        mapped(path, trust(self.trust_checksum))
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
    /// All policy files.
    pub fn files(&self) -> Vec<PathBuf> {
        [&self.path].into_iter().chain(&self.others).cloned().collect()
    }

    /// Opens the policy.
    pub fn open(&self) -> Result<Policy, Failure> {
        let open = |path: &PathBuf| mapped(path, trust(self.trust_checksum));
        let policies = self.files().iter().map(open).collect::<Result<Vec<_>, _>>()?;
        // All of their origins are shown, so they are merged.
        Ok(Policy::layered(policies).map_err(Failure::Merge)?.flattened(&std::env::temp_dir())?)
    }
}

/// Maps a policy file: several runs share its memory, and a file larger than the memory can be used.
pub fn mapped(path: &Path, trust: Trust) -> Result<Policy, OpenError> {
    // SAFETY: the program's documents ask users not to write into a policy that is in use; its own commands replace one by a
    // rename.
    unsafe { Policy::map_with(path, trust) }
}

fn trust(checksum: bool) -> Trust {
    if checksum { Trust::Checksum } else { Trust::Nothing }
}
