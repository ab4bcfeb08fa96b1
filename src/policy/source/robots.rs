//! Files that contain one robots.txt.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use crate::dialect::Dialect;
use crate::formats::compression::{Compression, Reader};
use crate::policy::Capture;

/// Most files are shorter, so one read is enough. A reader for compressed text clears half a MiB of buffers for each file.
const USUAL: usize = 16 << 10;

/// The length of a byte order mark, which not every dialect counts in its limit, plus one byte to show that the limit is
/// exceeded.
const BEYOND_LIMIT: usize = 4;

/// The most bytes of a robots.txt that matter to any of these dialects: they read no further.
pub fn body_limit<'d>(dialects: impl IntoIterator<Item = &'d Dialect>) -> usize {
    let longest = dialects.into_iter().map(|dialect| dialect.file_limit).max();
    longest.unwrap_or(0).saturating_add(BEYOND_LIMIT)
}

/// The text of a file that contains one robots.txt.
#[derive(Debug, Clone)]
pub struct Robots {
    /// The text, decompressed, or its beginning if it is longer than the limit.
    pub body: Arc<[u8]>,
    pub(super) was_compressed: bool,
}

impl Robots {
    /// Reads at most `limit` bytes of a file's text, so that a device or a pipe ends, too. A decompressor may use `memory` bytes.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is damaged before the limit.
    pub fn read(mut file: impl Read, limit: usize, memory: u64) -> io::Result<Robots> {
        let mut body = Vec::with_capacity(USUAL);
        file.by_ref().take(limit as u64).read_to_end(&mut body)?;
        let was_compressed = Compression::of(&body).is_some();
        if was_compressed {
            let reader = Reader::within(Cursor::new(std::mem::take(&mut body)).chain(file), memory)?;
            reader.take(limit as u64).read_to_end(&mut body)?;
        }
        // It is copied, and may have grown to twice its length.
        body.shrink_to_fit();
        Ok(Robots { body: body.into(), was_compressed })
    }

    /// Reads the file at `path`.
    pub(crate) fn open(path: &Path, limit: usize, memory: u64) -> io::Result<Robots> {
        Robots::read(File::open(path)?, limit, memory)
    }

    /// A capture of this robots.txt for an origin, with nothing known but the body.
    pub(crate) fn of(&self, origin: String, exact: bool) -> Capture {
        Capture { exact, body: Some(Arc::clone(&self.body)), ..Capture::found(&origin, "") }
    }
}
