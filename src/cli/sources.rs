//! The sources of a policy.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use robosieve::policy::source::{self, Options};
use robosieve::policy::{Captures, Overrides};

/// What a policy is made from.
pub struct Sources<'a> {
    /// Folders and files; with an origin, a single robots.txt.
    pub paths: &'a [PathBuf],
    /// The origin that the single robots.txt is for.
    pub origin: Option<&'a str>,
    /// What has to be known of them besides.
    pub options: Options,
    /// The operator's own word for origins.
    pub overrides: Option<&'a Path>,
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
        Ok(captures)
    }
}
