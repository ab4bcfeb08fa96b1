//! Rows of a table, [decoded ahead](crate::formats::made_ahead) by threads that have nothing else to do.
//!
//! A piece is some consecutive rows of a row group. If a helper cannot read a piece, the reader tries it itself, so that an error
//! and its place do not depend on the helpers: rows are read in batches that begin at the same rows in any piece.

use super::parquet::{ParquetList, RowRange};
use crate::formats::made_ahead::{Help, Made, MadeAhead};
use crate::input::buffer::Buffer;

/// Rows of a piece: a few pages, of which the first and last are also decoded for the neighbouring pieces.
pub(super) const ROWS: usize = 64 << 10;

/// The most bytes of lines that a piece may have to be kept.
const LONGEST: usize = 12 << 20;

/// The pieces of a table.
pub(crate) struct ParquetAhead<'t> {
    table: &'t ParquetList,
    pieces: Vec<RowRange>,
    ahead: MadeAhead<Buffer>,
}

/// The lines of a piece; none if not all of them could be read.
impl Made for Buffer {
    fn bytes(&self) -> u64 {
        self.bytes.capacity() as u64
    }
}

impl<'t> ParquetAhead<'t> {
    /// The pieces of a table, with `room` bytes for their lines; `None` if there is nothing to read ahead.
    pub fn new(table: &'t ParquetList, room: u64) -> Option<ParquetAhead<'t>> {
        let rows =
            table.file.metadata().row_groups().iter().map(|group| usize::try_from(group.num_rows()).unwrap_or(0));
        let of_group = |(group, all): (usize, usize)| {
            (0..all).step_by(ROWS).map(move |first| {
                let rows = ROWS.min(all - first);
                RowRange { group, first, rows, ends: first + rows == all }
            })
        };
        let pieces: Vec<RowRange> = rows.enumerate().flat_map(of_group).collect();
        let ahead = MadeAhead::new(pieces.len() as u64, LONGEST as u64, room);
        (pieces.len() > 1 && room >= LONGEST as u64).then_some(ParquetAhead { table, pieces, ahead })
    }

    /// The piece that begins with this row of a group.
    fn piece_at(&self, group: usize, first: usize) -> Option<usize> {
        self.pieces.binary_search_by_key(&(group, first), |range| (range.group, range.first)).ok()
    }

    /// Takes the piece that begins with this row of a group, for the reader, if a helper could make it.
    pub(super) fn take(&self, group: usize, first: usize) -> Option<Buffer> {
        let made = self.ahead.take(self.piece_at(group, first)? as u64, |other| self.make(other));
        made.filter(|lines| !lines.bytes.is_empty())
    }
}

impl Help for ParquetAhead<'_> {
    fn claim(&self) -> Option<u64> {
        self.ahead.claim()
    }

    fn make(&self, piece: u64) {
        let range = self.pieces[piece as usize];
        self.ahead.make(piece, || {
            // Allocate once, instead of doubling.
            let mut lines = Buffer { bytes: Vec::with_capacity(LONGEST), flaws: Vec::new() };
            match self.table.lines(&[range], LONGEST, &mut lines) {
                Ok(()) => {
                    lines.bytes.shrink_to_fit();
                    lines
                }
                // The reader will meet the same damage in its turn.
                Err(_) => Buffer::default(),
            }
        });
    }
}
