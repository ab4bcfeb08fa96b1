//! Files that contain one robots.txt.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::kind::SourceKind;
use crate::formats::coding::{self, Body, FRAMING};
use crate::policy::Capture;
use crate::robots::{self, BodyProblem};

/// Most files are shorter, so one read is enough.
const USUAL: usize = 16 << 10;

/// A file that contains one robots.txt.
#[derive(Debug, Clone)]
pub struct Robots {
    /// The text, decompressed, or its beginning if it is longer than the limit; or why it is not a robots.txt.
    pub text: Result<Arc<[u8]>, BodyProblem>,
    /// The kind of source that the file is, decompressed.
    pub kind: SourceKind,
    pub(super) was_compressed: bool,
}

impl Robots {
    /// Reads at most `limit` bytes of a file's text, so that reading ends even for a device or a pipe. The file is
    /// decoded like a body that a server sent.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(mut file: impl Read, limit: usize) -> io::Result<Robots> {
        let mut raw = Vec::with_capacity(USUAL);
        file.by_ref().take(limit as u64).read_to_end(&mut raw)?;
        let was_compressed = coding::is_marked(&raw);
        if was_compressed && raw.len() == limit {
            file.take(FRAMING as u64).read_to_end(&mut raw)?;
        }
        let body = coding::decode_by_marks(Body::whole(Cow::Owned(raw)), limit);
        let kind = SourceKind::of_text(&body.bytes);
        Ok(Robots { text: robots::text_of(body, &[], limit).map(|text| text.into()), kind, was_compressed })
    }

    /// Reads the file at `path`.
    pub(crate) fn open(path: &Path, limit: usize) -> io::Result<Robots> {
        Robots::read(File::open(path)?, limit)
    }

    /// A capture of this robots.txt for an origin, with nothing known but the body.
    pub(crate) fn of(&self, origin: String, exact: bool) -> Capture {
        let flaw = self.text.as_ref().err().and_then(|problem| problem.flaw());
        Capture { exact, body: self.text.clone().ok(), flaw, ..Capture::found(&origin, "") }
    }
}
