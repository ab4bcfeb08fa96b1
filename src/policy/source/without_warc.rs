//! Stand-ins for the WARC modules in a program built without them.

use std::io::BufRead;
use std::path::Path;

use super::SourceError;
use super::intake::Intake;
use crate::formats::compression::Compression;

/// The beginning of an archive.
pub(super) const START: &[u8] = b"WARC/";

/// An archive that cannot be read.
pub(super) enum Archive {}

/// Archives, of which there are none.
#[derive(Default)]
pub(super) struct Archives {}

impl Archive {
    /// Returns an error: WARC is not supported.
    pub fn new(
        path: &Path,
        _text: impl BufRead,
        _compression: Option<Compression>,
        _memory: u64,
    ) -> Result<Archive, SourceError> {
        Err(SourceError::Without { path: path.to_owned(), what: "WARC archive", feature: "warc" })
    }
}

impl Archives {
    /// Cannot be called.
    pub fn add(&mut self, archive: Archive, _intake: &mut Intake<'_>) -> Result<(), SourceError> {
        match archive {}
    }

    /// Adds nothing.
    pub fn finish(self, _intake: &mut Intake<'_>) -> Result<(), SourceError> {
        Ok(())
    }
}
