//! Captures that are read together, while their source is read on.
//!
//! A batch is dealt out to the threads of a pool, some captures at a time. A thread of the pool that waits for a batch reads
//! captures meanwhile.

use hashbrown::HashMap;
use rayon::{ThreadPool, Yield};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

use super::capture::{Capture, Reading};
use super::columns::Columns;
use crate::dialect::Dialect;

/// So many captures are read by one thread at a time: a millisecond's work.
const AT_ONCE: usize = 16;

/// Captures that are being read.
pub(super) struct Batch {
    work: Arc<Work>,
    /// How many captures of the start mean what the last one of the batch before did.
    pub repeats: usize,
    /// How many captures each group has that shares a body, after those.
    pub lengths: Vec<usize>,
    /// Which reading is each group's, by numbers that are first met in their order.
    pub which: Vec<usize>,
    parts: Vec<Option<Vec<Reading>>>,
    missing: usize,
    done: Receiver<Part>,
}

/// The work for the threads of the pool.
struct Work {
    captures: Vec<Capture>,
    /// The captures that are read: the first one of each group whose body no other group before has.
    firsts: Vec<usize>,
    columns: Arc<Columns>,
    dialect: &'static Dialect,
}

/// The number of a part of the work, and what came of it.
type Part = (usize, thread::Result<Vec<Reading>>);

/// A body, and the status that it came with.
type Body<'c> = (&'c Arc<[u8]>, Option<u16>);

/// The body of a capture and its status, if they say all that it means.
pub(super) fn body_alone(capture: &Capture) -> Option<Body<'_>> {
    capture.body.as_ref().filter(|_| capture.location.is_none()).map(|body| (body, capture.answered.status))
}

/// Whether captures of these [bodies](body_alone) share one, which is read once: those of one file of a folder do, and revisits of one original.
pub(super) fn share_body(one: Option<Body<'_>>, other: Option<Body<'_>>) -> bool {
    one.zip(other).is_some_and(|((one, status), (other, of_other))| Arc::ptr_eq(one, other) && status == of_other)
}

impl Batch {
    /// Lets `pool`, or the one that everybody shares, read captures, but for so many that repeat the one before.
    ///
    /// Many sites have the same file as others; in the corpus, 34 of 596. Of those in a batch, one is read.
    pub fn begin(
        captures: Vec<Capture>,
        repeats: usize,
        columns: &Arc<Columns>,
        dialect: &'static Dialect,
        pool: Option<&ThreadPool>,
    ) -> Batch {
        let lengths: Vec<usize> = captures[repeats..]
            .chunk_by(|one, other| share_body(body_alone(one), body_alone(other)))
            .map(<[Capture]>::len)
            .collect();
        let (mut at, mut firsts, mut known) = (repeats, Vec::new(), HashMap::new());
        let mut which = Vec::with_capacity(lengths.len());
        for length in &lengths {
            let next = firsts.len();
            let number = body_alone(&captures[at]).map_or(next, |alone| *known.entry(alone).or_insert(next));
            if number == next {
                firsts.push(at);
            }
            which.push(number);
            at += length;
        }
        drop(known);
        let parts = firsts.len().div_ceil(AT_ONCE);
        let work = Arc::new(Work { captures, firsts, columns: Arc::clone(columns), dialect });
        let (sender, done) = channel();
        for part in 0..parts {
            let (work, sender) = (Arc::clone(&work), sender.clone());
            let read = move || read(work, part, &sender);
            match pool {
                Some(pool) => pool.spawn_fifo(read),
                None => rayon::spawn_fifo(read),
            }
        }
        let no_parts = (0..parts).map(|_| None).collect();
        Batch { work, repeats, lengths, which, parts: no_parts, missing: parts, done }
    }

    /// Whether all of it is read.
    pub fn is_read(&mut self) -> bool {
        while self.missing > 0 {
            match self.done.try_recv() {
                Ok(part) => self.keep(part),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return false,
            }
        }
        true
    }

    /// The captures and the readings, when there are all of them.
    pub fn wait(&mut self) -> (Vec<Capture>, Vec<Reading>) {
        while !self.is_read() {
            // Where there is nothing to do, others are at the last of it.
            if rayon::yield_now() != Some(Yield::Executed) {
                let part = self.done.recv().expect("each part is told of");
                self.keep(part);
            }
        }
        let readings = self.parts.iter_mut().flatten().flat_map(std::mem::take).collect();
        let work = Arc::get_mut(&mut self.work).expect("who tells of a part has let go of the work");
        (std::mem::take(&mut work.captures), readings)
    }

    fn keep(&mut self, (number, readings): Part) {
        self.parts[number] = Some(readings.unwrap_or_else(|panic| panic::resume_unwind(panic)));
        self.missing -= 1;
    }
}

/// Reads a part of the work, and tells of it.
fn read(work: Arc<Work>, part: usize, done: &Sender<Part>) {
    let readings = panic::catch_unwind(AssertUnwindSafe(|| {
        let firsts = work.firsts.chunks(AT_ONCE).nth(part).unwrap_or_default();
        firsts.iter().map(|&at| work.captures[at].read(&work.columns, work.dialect)).collect()
    }));
    drop(work);
    // After an error, no thread waits for the batch.
    let _ = done.send((part, readings));
}
