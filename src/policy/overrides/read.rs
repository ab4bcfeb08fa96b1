//! Reads overrides files and the replacement files that they name.

use std::fs;
use std::path::Path;

use super::by_origin::Overrides;
use super::error::OverridesError;
use super::parse::{line_of, parse};

impl Overrides {
    /// Reads a file and the replacements that it names; their paths are relative to its folder.
    ///
    /// # Errors
    ///
    /// [`OverridesError`] if a file cannot be read, or anything in this one is not understood.
    pub fn read(path: &Path) -> Result<Overrides, OverridesError> {
        let bytes = fs::read(path).map_err(|error| OverridesError::Unreadable { path: path.to_owned(), error })?;
        parse(&bytes, path.parent().unwrap_or(Path::new(""))).map_err(|(at, problem)| {
            let line = line_of(&bytes, at);
            OverridesError::Wrong { path: path.to_owned(), line, offset: at, problem }
        })
    }
}
