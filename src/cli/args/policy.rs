//! A policy file.

use crate::policy::{OpenError, Policy, Trust};
use std::path::PathBuf;

/// A policy file in place of robots.txt files.
#[derive(Debug, clap::Args)]
pub struct PolicyArgs {
    /// A policy file made by `compile`, instead of --robots
    #[arg(long, value_name = "FILE", conflicts_with = "columns")]
    pub policy: Option<PathBuf>,
    /// Do not verify the checksum of the policy file
    ///
    /// Verification takes time if the file has many GiB. The structure is checked in any case, so a damaged file does
    /// no harm; but damage that keeps the structure intact goes unnoticed, and verdicts may be wrong.
    #[arg(long, requires = "policy", conflicts_with = "robots", hide_short_help = true)]
    pub trust_checksum: bool,
}

impl PolicyArgs {
    /// Opens the policy, if one is given.
    pub fn open(&self) -> Result<Option<Policy>, OpenError> {
        self.policy.as_ref().map(|path| Policy::open_with(path, trust(self.trust_checksum))).transpose()
    }
}

/// A policy file to examine.
#[derive(Debug, clap::Args)]
pub struct PolicyFileArgs {
    /// A policy file made by `compile`
    #[arg(value_name = "POLICY")]
    pub path: PathBuf,
    /// Do not verify the checksum of the policy file
    ///
    /// Verification takes time if the file has many GiB. The structure is checked in any case, so a damaged file does
    /// no harm; but damage that keeps the structure intact goes unnoticed, and the output may be wrong.
    #[arg(long)]
    pub trust_checksum: bool,
}

impl PolicyFileArgs {
    /// Opens the policy.
    pub fn open(&self) -> Result<Policy, OpenError> {
        Policy::open_with(&self.path, trust(self.trust_checksum))
    }
}

fn trust(checksum: bool) -> Trust {
    if checksum { Trust::Checksum } else { Trust::Nothing }
}
