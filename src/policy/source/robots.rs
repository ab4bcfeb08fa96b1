//! Files that are one robots.txt.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::error::SourceError;
use crate::formats::compression::Reader;
use crate::origin;
use crate::policy::{Answered, Capture};

/// The text of a file that is one robots.txt.
pub(super) struct Robots {
    body: Arc<[u8]>,
    pub(super) was_compressed: bool,
}

impl Robots {
    /// Reads so many bytes of a file, whose decompressor may take so much memory; nobody reads on.
    pub(crate) fn open(path: &Path, limit: usize, memory: u64) -> Result<Robots, SourceError> {
        let read = || {
            let reader = Reader::within(File::open(path)?, memory)?;
            let was_compressed = reader.compression().is_some();
            let mut body = Vec::new();
            reader.take(limit as u64).read_to_end(&mut body)?;
            Ok(Robots { body: body.into(), was_compressed })
        };
        read().map_err(SourceError::unreadable(path))
    }

    /// The robots.txt of an origin, of which nothing is known but the body.
    pub(crate) fn of(&self, origin: String, exact: bool) -> Capture {
        Capture {
            url: origin::robots_url(&origin),
            origin: Some(origin),
            exact,
            answered: Answered { status: Some(200), ..Answered::default() },
            location: None,
            body: Some(Arc::clone(&self.body)),
        }
    }
}
