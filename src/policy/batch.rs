//! Batches of captures that are read while their source is still being read.
//!
//! The threads of a pool share the work on a batch, a few captures at a time. A pool thread that waits for a batch reads
//! captures in the meantime. Outside a pool, the thread that begins a batch reads it.

use hashbrown::HashMap;
use std::sync::Arc;

use super::capture::{Capture, Reading};
use super::crawlers::Crawlers;
use crate::dialect::Dialect;
use crate::threads::Soon;

/// How many captures a thread reads at a time: about a millisecond's work.
const AT_ONCE: usize = 16;

/// Captures being read.
pub(super) struct Batch {
    work: Arc<Work>,
    /// The number of each capture's reading. Numbers are assigned in order of first use.
    which: Vec<usize>,
    parts: Vec<Soon<Vec<Reading>>>,
}

/// The work shared by the threads of the pool.
struct Work {
    captures: Vec<Capture>,
    /// The indices of the captures to read: the first with each body.
    firsts: Vec<usize>,
    columns: Arc<Crawlers>,
    dialect: &'static Dialect,
}

/// A body and the status it came with.
type Body = (Arc<[u8]>, Option<u16>);

/// The body and status of a capture, if they determine its meaning.
fn body_alone(capture: &Capture) -> Option<Body> {
    let body = capture.body.as_ref().filter(|_| capture.location.is_none() && !capture.incomplete)?;
    Some((Arc::clone(body), capture.answered.status))
}

/// Whether two [bodies](body_alone) are one allocation with one status: true for the captures of one file in a folder, and for
/// revisits of one original.
fn share_body(one: &Option<Body>, other: &Option<Body>) -> bool {
    one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| Arc::ptr_eq(&one.0, &other.0) && one.1 == other.1)
}

impl Batch {
    /// Starts reading captures.
    ///
    /// Many sites have the same file as another site (in the corpus, 34 of 596). A file that repeats within a batch is read
    /// once; across batches of thousands, a file that all sites have is read once for each batch.
    pub fn begin(captures: Vec<Capture>, columns: &Arc<Crawlers>, dialect: &'static Dialect) -> Batch {
        let (mut firsts, mut known, mut before) = (Vec::new(), HashMap::new(), None);
        let mut which: Vec<usize> = Vec::with_capacity(captures.len());
        for (at, capture) in captures.iter().enumerate() {
            let (body, next) = (body_alone(capture), firsts.len());
            let number = match (&body, which.last()) {
                // Saves hashing the body.
                (_, Some(&last)) if share_body(&before, &body) => last,
                (Some(body), _) => *known.entry(body.clone()).or_insert(next),
                (None, _) => next,
            };
            if number == next {
                firsts.push(at);
            }
            which.push(number);
            before = body;
        }
        let parts = firsts.len().div_ceil(AT_ONCE);
        let work = Arc::new(Work { captures, firsts, columns: Arc::clone(columns), dialect });
        let of_part = |part| {
            let work = Arc::clone(&work);
            Soon::begin(move || work.read(part))
        };
        let parts = (0..parts).map(of_part).collect();
        Batch { work, which, parts }
    }

    /// Whether all captures are read.
    pub fn is_read(&mut self) -> bool {
        self.parts.iter_mut().all(Soon::is_done)
    }

    /// Waits until all captures are read; returns them, the number of each one's reading, and the readings.
    pub fn wait(mut self) -> (Vec<Capture>, Vec<usize>, Vec<Reading>) {
        let readings = self.parts.into_iter().flat_map(Soon::wait).collect();
        let work = Arc::get_mut(&mut self.work).expect("readers drop the work before they are done");
        (std::mem::take(&mut work.captures), self.which, readings)
    }
}

impl Work {
    /// Reads the captures of a part.
    fn read(&self, part: usize) -> Vec<Reading> {
        let firsts = self.firsts.chunks(AT_ONCE).nth(part).unwrap_or_default();
        firsts.iter().map(|&at| self.captures[at].read(&self.columns, self.dialect)).collect()
    }
}
