//! A policy file.

use crate::policy::{OpenError, Policy, Trust};
use std::path::PathBuf;

/// A policy instead of robots.txt files.
#[derive(Debug, clap::Args)]
pub struct PolicyArgs {
    /// A policy file, as `compile` makes it, instead of --robots
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Do not compute the checksum of the policy file
    ///
    /// It takes time if the file has many GiB. Its structure is looked at all the same, so a damaged file does no harm; but
    /// damage that keeps the structure goes unseen, and verdicts may be wrong.
    #[arg(long, requires = "policy", conflicts_with = "robots", hide_short_help = true)]
    pub trust_checksum: bool,
}

impl PolicyArgs {
    /// The policy, if one is given.
    pub fn open(&self) -> Result<Option<Policy>, OpenError> {
        self.policy.as_ref().map(|path| Policy::open_with(path, trust(self.trust_checksum))).transpose()
    }
}

/// A policy that is looked into.
#[derive(Debug, clap::Args)]
pub struct PolicyFileArgs {
    /// The policy file, as `compile` makes it
    #[arg(value_name = "POLICY")]
    pub path: PathBuf,
    /// Do not compute the checksum of the policy file
    ///
    /// It takes time if the file has many GiB. Its structure is looked at all the same, so a damaged file does no harm; but
    /// damage that keeps the structure goes unseen, and what is told may be wrong.
    #[arg(long)]
    pub trust_checksum: bool,
}

impl PolicyFileArgs {
    /// The policy.
    pub fn open(&self) -> Result<Policy, OpenError> {
        Policy::open_with(&self.path, trust(self.trust_checksum))
    }
}

fn trust(checksum: bool) -> Trust {
    if checksum { Trust::Checksum } else { Trust::Nothing }
}
