//! Chunks: what is judged at a time, handed out in the order of the lists.
//!
//! A chunk is a range of a mapped list, or octets that were read from a stream; it ends with a line. Whoever takes one
//! gets a ticket with it, and tickets count chunks from 0: what has to be done in the order of the input is done in the
//! order of tickets.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::FilterError;
use super::list::{List, Reading, chunk_end, fill};
use super::sequence::lock;
use super::worker::LONGEST_CHUNK;

/// The chunks of all lists.
pub(super) struct Chunks<'l> {
    lists: &'l [List],
    chunk_size: usize,
    input: Mutex<Input<'l>>,
    /// Whether no more are handed out. Apart from the input, which is locked by whoever waits for a stream.
    stopped: AtomicBool,
    /// Whether somebody outside wants no more to be handed out.
    interrupt: Option<Arc<AtomicBool>>,
}

/// What has not been read yet.
struct Input<'l> {
    list: usize,
    /// Where the next chunk begins in the list's text.
    at: u64,
    reading: Option<Reading<'l>>,
    /// What a stream's last chunk left over.
    left: Vec<u8>,
    tickets: u64,
}

/// A chunk that was handed out.
pub(super) struct Task<'l> {
    /// Its number.
    pub ticket: u64,
    /// The list that it is of.
    pub list: usize,
    /// Where it begins in the list's text.
    pub at: u64,
    /// A part of a mapped list; `None`: the octets are in the buffer of whoever took it.
    mapped: Option<&'l [u8]>,
}

/// Where the first chunk of a list begins.
fn start(list: &List) -> u64 {
    list.range().start as u64
}

impl<'l> Chunks<'l> {
    /// Of all these lists, in order.
    pub fn new(lists: &'l [List], chunk_size: usize) -> Chunks<'l> {
        Chunks::from(lists, chunk_size, 0, lists.first().map_or(0, start))
    }

    /// From the place `at` of this list on.
    pub fn from(lists: &'l [List], chunk_size: usize, list: usize, at: u64) -> Chunks<'l> {
        let input = Input { list, at, reading: None, left: Vec::new(), tickets: 0 };
        let (input, stopped) = (Mutex::new(input), AtomicBool::new(false));
        Chunks { lists, chunk_size, input, stopped, interrupt: None }
    }

    /// Hands out no more once this is set.
    pub fn until(self, interrupt: Option<Arc<AtomicBool>>) -> Chunks<'l> {
        Chunks { interrupt, ..self }
    }

    /// Whether it was set, while there was more to hand out.
    pub fn is_interrupted(&self) -> bool {
        self.is_asked_to_stop() && lock(&self.input).list < self.lists.len()
    }

    fn is_asked_to_stop(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// The lists.
    pub fn lists(&self) -> &'l [List] {
        self.lists
    }

    /// Hands out no more.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// The next chunk; octets of a stream go to `buffer`.
    pub fn next(&self, buffer: &mut Vec<u8>) -> Result<Option<Task<'l>>, FilterError> {
        let mut input = lock(&self.input);
        while !self.stopped.load(Ordering::Relaxed) && !self.is_asked_to_stop() && input.list < self.lists.len() {
            let Input { list: place, at, reading, left, .. } = &mut *input;
            let (place, at, list) = (*place, *at, &self.lists[*place]);
            let unreadable = |error| FilterError::List { path: list.path.clone(), error };
            if reading.is_none() {
                let mut begun = list.read().map_err(unreadable)?;
                if let Reading::Stream(stream) = &mut begun {
                    // A run that goes on has had these octets.
                    io::copy(&mut stream.by_ref().take(at), &mut io::sink()).map_err(unreadable)?;
                }
                *reading = Some(begun);
            }
            let mapped = match reading.as_mut().expect("begun above") {
                Reading::Mapped(text) => {
                    let start = at as usize;
                    let chunk = &text[start..chunk_end(text, start, self.chunk_size)];
                    (!chunk.is_empty()).then_some(Some(chunk))
                }
                Reading::Stream(stream) => {
                    fill(stream, self.chunk_size, left, buffer).map_err(unreadable)?.then_some(None)
                }
            };
            match mapped {
                Some(mapped) => {
                    let length = mapped.map_or(buffer.len(), <[u8]>::len);
                    if length > LONGEST_CHUNK {
                        return Err(FilterError::LineTooLong { path: list.path.clone() });
                    }
                    let task = Task { ticket: input.tickets, list: place, at, mapped };
                    input.tickets += 1;
                    input.at += length as u64;
                    return Ok(Some(task));
                }
                None => {
                    input.list += 1;
                    input.at = self.lists.get(input.list).map_or(0, start);
                    input.reading = None;
                }
            }
        }
        Ok(None)
    }
}

impl Task<'_> {
    /// Its octets, if it was taken with this `buffer`.
    pub fn octets<'b>(&'b self, buffer: &'b [u8]) -> &'b [u8] {
        self.mapped.unwrap_or(buffer)
    }
}
