//! The sources of a policy.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::policy::source::{self, Options};
use crate::policy::{Captures, Overrides, Policy};

/// The sources that a policy is made from.
pub struct Sources<'a> {
    /// Folders and files; with an origin, a single robots.txt.
    pub paths: &'a [PathBuf],
    /// The origin that the single robots.txt is for.
    pub origin: Option<&'a str>,
    /// How they are read.
    pub options: Options,
    /// The operator's own word for origins.
    pub overrides: Option<&'a Path>,
    /// Whether what is passed over is not told.
    pub quiet: bool,
}

impl Sources<'_> {
    /// Adds all of them to `captures`; returns these.
    pub fn read(&self, mut captures: Captures) -> Result<Captures, Failure> {
        // First, because a slip of the operator's should not be told after an hour of reading.
        if let Some(path) = self.overrides {
            captures.add_overrides(&Overrides::read(path)?)?;
        }
        match (self.origin, self.paths) {
            (Some(origin), [single]) => source::add_single(single, origin, &mut captures)?,
            (Some(_), several) => return Err(Failure::OneRobots { given: several.len() }),
            (None, several) => source::add(several, &self.options, &mut captures)?,
        }
        if !self.quiet {
            for passed in captures.passed_over() {
                // Nobody may be there to read it; the receipt has the counts.
                let _ = writeln!(io::stderr(), "robosieve: warning: {passed}");
            }
        }
        Ok(captures)
    }
}

/// A policy under the operator's own word for origins, if there is one.
pub fn with_overrides(policy: Policy, overrides: Option<&Path>) -> Result<Policy, Failure> {
    match overrides {
        Some(path) => Ok(policy.with_overrides(&Overrides::read(path)?, &std::env::temp_dir())?),
        None => Ok(policy),
    }
}
