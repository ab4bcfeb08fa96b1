//! Files that contain one robots.txt.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use super::error::SourceError;
use crate::formats::compression::{Compression, Reader};
use crate::origin;
use crate::policy::{Answered, Capture};

/// Most files are shorter, so one read is enough. A reader for compressed text clears half a MiB of buffers for each file;
/// used for all files, that took a tenth of the time of `filter --robots` before the first line.
const USUAL: usize = 16 << 10;

/// The text of a file that contains one robots.txt.
pub(super) struct Robots {
    body: Arc<[u8]>,
    pub(super) was_compressed: bool,
}

impl Robots {
    /// Reads at most `limit` bytes of a file's text. A decompressor may use `memory` bytes.
    pub(crate) fn open(path: &Path, limit: usize, memory: u64) -> Result<Robots, SourceError> {
        let read = || {
            let mut file = File::open(path)?;
            let mut body = Vec::with_capacity(USUAL);
            file.by_ref().take(limit as u64).read_to_end(&mut body)?;
            let was_compressed = Compression::of(&body).is_some();
            if was_compressed {
                let reader = Reader::within(Cursor::new(std::mem::take(&mut body)).chain(file), memory)?;
                reader.take(limit as u64).read_to_end(&mut body)?;
            }
            Ok(Robots { body: body.into(), was_compressed })
        };
        read().map_err(SourceError::unreadable(path))
    }

    /// A capture of this robots.txt for an origin, with nothing known but the body.
    pub(crate) fn of(&self, origin: String, exact: bool) -> Capture {
        Capture {
            url: origin::robots_url(&origin),
            origin: Some(origin),
            exact,
            answered: Answered { status: Some(200), ..Answered::default() },
            location: None,
            body: Some(Arc::clone(&self.body)),
            incomplete: false,
        }
    }
}
