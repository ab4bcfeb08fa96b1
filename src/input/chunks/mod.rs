//! Chunks: the units of judging, handed out in the order of each list.
//!
//! A chunk is a range of a memory-mapped list, decoded text, or rows of a table; it ends with a line. The worker
//! that takes a chunk gets a ticket with it. Tickets count chunks from 0, and work that must be done in order is done in ticket
//! order.

mod chunk;
mod cut;
mod hand_out;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use chunk::{Chunk, LONGEST_CHUNK, Position};
pub(crate) use cut::{Cut, Parallelism};
pub(crate) use hand_out::Chunks;
