//! Stand-in for the WARC module in a program built without it.

use hashbrown::HashSet;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use super::SourceError;
use super::intake::Intake;
use crate::formats::compression::Compression;

/// Archives, of which there are none.
#[derive(Default)]
pub(super) struct Archives {}

impl Archives {
    /// Returns an error: WARC is not supported.
    pub fn add(
        &mut self,
        path: &Path,
        _text: impl BufRead,
        _compression: Option<Compression>,
        _intake: &mut Intake<'_>,
    ) -> Result<(), SourceError> {
        Err(without(path))
    }

    /// Returns false: no file is an archive.
    pub fn is_damaged(_path: &Path, _compression: Compression, _memory: u64) -> io::Result<bool> {
        Ok(false)
    }

    /// Returns an error: WARC is not supported.
    pub fn add_for_pages(&mut self, path: &Path, _intake: &Intake<'_>) -> Result<(), SourceError> {
        Err(without(path))
    }

    /// Returns nothing: there are no archives.
    pub fn with_other_pages(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Adds nothing.
    pub fn finish(
        self,
        _intake: &mut Intake<'_>,
        _next_pages: impl FnMut(&mut Intake<'_>) -> HashSet<u128>,
    ) -> Result<(), SourceError> {
        Ok(())
    }
}

fn without(path: &Path) -> SourceError {
    SourceError::Without { path: path.to_owned(), what: "WARC archive", feature: "warc" }
}
