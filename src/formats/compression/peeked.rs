//! Readers whose first bytes have been looked at.

use std::io::{self, BufRead, Chain, Cursor, Read};

/// The first bytes of a reader, at most `most`, and a reader that still returns all bytes.
pub(crate) fn peeked<R: BufRead>(mut reader: R, most: usize) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut start = Vec::new();
    reader.by_ref().take(most as u64).read_to_end(&mut start)?;
    Ok((start.clone(), Cursor::new(start).chain(reader)))
}

/// A reader whose first bytes have been looked at.
pub(crate) type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;
