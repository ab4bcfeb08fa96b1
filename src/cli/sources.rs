//! The sources of a policy.

use std::path::PathBuf;

use super::failure::Failure;
use robosieve::Dialect;
use robosieve::policy::{Captures, Columns, source};

/// Reads all sources; with an origin, the only one is a single robots.txt.
pub fn captures(
    columns: impl Into<Columns>,
    dialect: &'static Dialect,
    sources: &[PathBuf],
    origin: Option<&str>,
) -> Result<Captures, Failure> {
    let mut captures = Captures::new(columns, dialect);
    match (origin, sources) {
        (Some(origin), [single]) => source::add_single(single, origin, &mut captures)?,
        (Some(_), several) => return Err(Failure::OneRobots { given: several.len() }),
        (None, several) => several.iter().try_for_each(|path| source::add(path, &mut captures))?,
    }
    Ok(captures)
}
