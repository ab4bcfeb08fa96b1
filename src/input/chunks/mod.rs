//! Chunks: the units of judging, handed out in the order of each list.
//!
//! A chunk is a range of a mapped list, bytes that were read from a stream, or rows of a table; it ends with a line. The worker that
//! takes one gets a ticket with it, and tickets count chunks from 0: what has to be done in order is done in the order of
//! tickets. Several lists may be read at once (`lanes`).

mod alone;
mod buffer;
mod cut;
mod hand_out;
mod lane;
mod lanes;
mod store;
mod task;

pub(crate) use buffer::Buffer;
pub(crate) use hand_out::Chunks;
pub(crate) use lanes::SideBySide;
pub(crate) use task::{LONGEST_CHUNK, Task};
