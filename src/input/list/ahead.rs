//! The pieces of a list that helpers can make ahead of its reader.

use std::sync::Arc;

use super::ParquetAhead;
use crate::formats::compression::Pieces;

/// The pieces of a list that helpers can make ahead.
#[derive(Clone)]
pub(crate) enum Ahead<'l> {
    /// Members of a compressed file.
    Members(Arc<Pieces<'l>>),
    /// Rows of a table.
    Parquet(Arc<ParquetAhead<'l>>),
}

impl Ahead<'_> {
    /// Claims a free piece, if there is one and room for it.
    pub fn claim(&self) -> Option<u64> {
        match self {
            Ahead::Members(pieces) => pieces.claim(),
            Ahead::Parquet(rows) => rows.claim(),
        }
    }

    /// Makes a claimed piece.
    pub fn make(&self, piece: u64) {
        match self {
            Ahead::Members(pieces) => pieces.make(piece),
            Ahead::Parquet(rows) => rows.make(piece),
        }
    }
}
