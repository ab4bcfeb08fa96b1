//! Batches of captures that are read while their source is still being read.
//!
//! The threads of a pool share the work on a batch, a few captures at a time. A pool thread that waits for a batch reads
//! captures in the meantime. Outside a pool, the thread that waits for a batch reads it.

use hashbrown::HashMap;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use super::capture::{Capture, Reading};
use super::columns::Columns;
use crate::dialect::Dialect;
use crate::threads;

/// How many captures a thread reads at a time: about a millisecond's work.
const AT_ONCE: usize = 16;

/// Captures being read.
pub(super) struct Batch {
    work: Arc<Work>,
    /// The number of each capture's reading. Numbers are assigned in order of first use.
    pub which: Vec<usize>,
    parts: Vec<Option<Vec<Reading>>>,
    missing: usize,
    /// The parts that no thread of a pool was given.
    left: Range<usize>,
    done: Receiver<PartResult>,
}

/// The work shared by the threads of the pool.
struct Work {
    captures: Vec<Capture>,
    /// The indices of the captures to read: the first with each body.
    firsts: Vec<usize>,
    columns: Arc<Columns>,
    dialect: &'static Dialect,
}

/// The number of a part of the work, and its result.
type PartResult = (usize, thread::Result<Vec<Reading>>);

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
    /// Starts reading captures, if this thread is in a pool.
    ///
    /// Many sites have the same file as another site (in the corpus, 34 of 596). A file that repeats within a batch is read
    /// once; across batches of thousands, a file that all sites have is read once for each batch.
    pub fn begin(captures: Vec<Capture>, columns: &Arc<Columns>, dialect: &'static Dialect) -> Batch {
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
        let (sender, done) = channel();
        let given = if threads::in_pool() { parts } else { 0 };
        for part in 0..given {
            let (work, sender) = (Arc::clone(&work), sender.clone());
            threads::soon(move || {
                let readings = panic::catch_unwind(AssertUnwindSafe(|| work.read(part)));
                drop(work);
                // After an error, no thread waits for the batch any more.
                let _ = sender.send((part, readings));
            });
        }
        let no_parts = (0..parts).map(|_| None).collect();
        Batch { work, which, parts: no_parts, missing: parts, left: given..parts, done }
    }

    /// Whether all captures are read.
    pub fn is_read(&mut self) -> bool {
        while self.missing > 0 {
            match self.done.try_recv() {
                Ok(part) => self.keep(part),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return false,
            }
        }
        true
    }

    /// Waits until all captures are read; returns them with their readings.
    pub fn wait(&mut self) -> (Vec<Capture>, Vec<Reading>) {
        for part in std::mem::take(&mut self.left) {
            let readings = self.work.read(part);
            self.keep((part, Ok(readings)));
        }
        while !self.is_read() {
            // With nothing left to take, other threads are on the last parts: block.
            if !threads::help() {
                let part = self.done.recv().expect("every part sends a result");
                self.keep(part);
            }
        }
        let readings = self.parts.iter_mut().flatten().flat_map(std::mem::take).collect();
        let work = Arc::get_mut(&mut self.work).expect("each reader drops the work before it sends its part");
        (std::mem::take(&mut work.captures), readings)
    }

    fn keep(&mut self, (number, readings): PartResult) {
        self.parts[number] = Some(readings.unwrap_or_else(|panic| panic::resume_unwind(panic)));
        self.missing -= 1;
    }
}

impl Work {
    /// Reads the captures of a part.
    fn read(&self, part: usize) -> Vec<Reading> {
        let firsts = self.firsts.chunks(AT_ONCE).nth(part).unwrap_or_default();
        firsts.iter().map(|&at| self.captures[at].read(&self.columns, self.dialect)).collect()
    }
}
