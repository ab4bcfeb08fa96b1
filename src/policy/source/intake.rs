//! The intake of all sources into [`Captures`].
//!
//! Captures are added in batches, which bounds the memory for bodies and lets them be compiled in parallel, beside the
//! source that is read on. On the way
//! it is noted where redirects lead: archives hold pages of all kinds, and only those that a redirect of some source
//! leads to are of interest.

use hashbrown::HashSet;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::passed_over::PassedOver;
use super::urls::page;
use crate::dialect::{Dialect, StatusMeaning};
use crate::formats::compression::DEFAULT_WINDOW;
use crate::policy::{Capture, Captures, WriteError};

/// How many bytes, or how many captures, are held before they are added. As much again is being read of each of the batches
/// before.
const BATCH_BYTES: usize = 16 << 20;
const BATCH: usize = 8192;

/// The bytes that a body counts for each crawler at least, however short it is.
const OF_COLUMN: usize = 4 << 10;

/// The most bytes of a text that is read as a whole, such as a line of JSON.
const TEXT: usize = 1 << 30;

/// The most bytes of texts that are decompressed ahead.
const AHEAD: u64 = 1 << 30;

/// The most row groups of a file that are read side by side, each for so many bytes of the budget.
#[cfg(feature = "parquet")]
const ROW_GROUPS: usize = 8;
#[cfg(feature = "parquet")]
const OF_ROW_GROUP: u64 = 64 << 20;

/// A byte order mark is not counted in every dialect's limit, and one byte more tells that the limit is passed.
const BEYOND_LIMIT: usize = 4;

/// Captures on their way.
pub(super) struct Intake<'c> {
    captures: &'c mut Captures,
    batch: Vec<Capture>,
    bytes: usize,
    /// Bytes that a batch may have.
    most: usize,
    targets: HashSet<u128>,
    fresh_targets: HashSet<u128>,
    failure: Option<WriteError>,
}

/// The key of a URL among the targets of redirects.
pub(super) fn target_key(url: &str) -> u128 {
    xxh3_128(url.as_bytes())
}

impl<'c> Intake<'c> {
    pub fn new(captures: &'c mut Captures) -> Intake<'c> {
        let (targets, fresh_targets) = (HashSet::new(), HashSet::new());
        let most = usize::try_from(captures.memory() / 128).map_or(BATCH_BYTES, |share| share.min(BATCH_BYTES));
        Intake { captures, batch: Vec::new(), bytes: 0, most, targets, fresh_targets, failure: None }
    }

    /// The most bytes of a text that is read as a whole.
    pub fn text_limit(&self) -> usize {
        usize::try_from(self.captures.memory() / 32).map_or(TEXT, |share| share.min(TEXT))
    }

    pub fn dialect(&self) -> &'static Dialect {
        self.captures.dialect()
    }

    /// The most bytes of a body that matter: the dialect does not read on.
    pub fn body_limit(&self) -> usize {
        self.dialect().file_limit.saturating_add(BEYOND_LIMIT)
    }

    /// The memory of each decompressor, in bytes, when so many files are read at a time.
    pub fn decompressor(&self, files: usize) -> u64 {
        DEFAULT_WINDOW.min(self.captures.memory() / 8 / files as u64)
    }

    /// The memory for texts that are decompressed ahead.
    pub fn room_ahead(&self) -> u64 {
        AHEAD.min(self.captures.memory() / 8)
    }

    /// How many row groups of a file are read side by side. No matter how many threads there are: what is told first of
    /// a file with several errors does not depend on them.
    #[cfg(feature = "parquet")]
    pub fn side_by_side(&self) -> usize {
        usize::try_from(self.captures.memory() / OF_ROW_GROUP).map_or(ROW_GROUPS, |groups| groups.clamp(1, ROW_GROUPS))
    }

    /// Adds captures that belong together: if they share a body, it is read once.
    pub fn add(&mut self, captures: impl IntoIterator<Item = Capture>) {
        for capture in captures {
            self.note_target(&capture);
            let columns = self.captures.columns().count();
            self.bytes += capture.url.len() + capture.location.as_ref().map_or(0, String::len);
            let before = self.batch.last().and_then(|last| last.body.as_ref());
            let body = capture.body.as_ref().filter(|body| !before.is_some_and(|before| Arc::ptr_eq(before, body)));
            self.bytes += body.map_or(0, |body| body.len() + columns * OF_COLUMN);
            self.batch.push(capture);
            if self.bytes >= self.most || self.batch.len() >= BATCH {
                self.flush();
            }
        }
    }

    /// Adds what is still held, and waits until all of it is in its place.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.flush();
        self.check()?;
        self.captures.settle()
    }

    fn flush(&mut self) {
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        if self.failure.is_none() {
            self.failure = self.captures.add_ahead(batch).err();
        }
    }

    /// Whether captures could be added so far. Apart from adding them, because sources have errors of their own; each
    /// asks often enough not to read on for long in vain.
    pub fn check(&mut self) -> Result<(), WriteError> {
        self.failure.take().map_or(Ok(()), Err)
    }

    fn note_target(&mut self, capture: &Capture) {
        let Some(status) = capture.answered.status else { return };
        if self.dialect().status_meaning(status) != StatusMeaning::Redirect {
            return;
        }
        // A robots.txt is added anyway.
        let is_other = |url: &String| page(url).is_ok_and(|(_, origin)| origin.is_none());
        if let Some(target) = capture.target().filter(is_other) {
            let key = target_key(&target);
            if self.targets.insert(key) {
                self.fresh_targets.insert(key);
            }
        }
    }

    /// The URLs that redirects lead to, and that were not among those returned before, by [`target_key`].
    #[cfg(feature = "warc")]
    pub fn take_targets(&mut self) -> HashSet<u128> {
        std::mem::take(&mut self.fresh_targets)
    }

    /// Keeps what was passed over in a source, if anything was.
    pub fn passed_over(&mut self, passed: PassedOver) {
        if !passed.is_empty() {
            self.captures.keep_passed_over(passed);
        }
    }

    /// Counts a file that names no origin.
    pub fn count_unnamed_file(&mut self) {
        self.captures.count_unnamed_file();
    }

    /// Counts of what was met in WARC files.
    #[cfg(feature = "warc")]
    pub fn warc_counts(&mut self) -> &mut super::WarcCounts {
        self.captures.warc_counts()
    }
}
