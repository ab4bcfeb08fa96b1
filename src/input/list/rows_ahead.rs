//! Rows of a table that are decoded ahead of the one who reads them, by threads that have nothing else to do.
//!
//! A table is cut into pieces, rows of a row group that stand after each other. Whoever helps takes a piece that nobody has,
//! and makes its lines. A piece that cannot be read is left to the reader, who goes through its row group from the start, so
//! that what is wrong, and where, does not depend on who helped.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

use super::parquet::{Span, TableFile};
use crate::lock::lock;
use crate::outcome::Reason;

/// Rows of a piece: a few pages, of which the first and the last are decoded for the pieces beside it, too.
pub(super) const ROWS: usize = 64 << 10;

/// The longest lines of a piece that are kept, together.
const LONGEST: usize = 12 << 20;

/// So many pieces are decoded ahead of the one that is read.
const AHEAD: usize = 32;

/// The pieces of a table.
pub(crate) struct RowsAhead<'t> {
    table: &'t TableFile,
    pieces: Vec<Span>,
    /// What the lines of pieces may take together.
    room: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The piece that is read.
    due: usize,
    /// The first piece that nobody has taken.
    next: usize,
    /// Pieces that a thread has taken; `None` while it decodes one.
    taken: BTreeMap<usize, Option<Made>>,
    /// What their lines take.
    bytes: usize,
}

/// The lines of a piece.
#[derive(Default)]
pub(super) struct Made {
    /// Whether they could be read.
    is_whole: bool,
    pub text: Vec<u8>,
    /// The numbers of those whose URLs are not what they were.
    pub flaws: Vec<(u64, Reason)>,
}

impl<'t> RowsAhead<'t> {
    /// Those of a table, with so much `room`; `None` where there is nothing to read ahead.
    pub fn new(table: &'t TableFile, room: u64) -> Option<RowsAhead<'t>> {
        let rows =
            table.file.metadata().row_groups().iter().map(|group| usize::try_from(group.num_rows()).unwrap_or(0));
        let of_group = |(group, all): (usize, usize)| {
            (0..all).step_by(ROWS).map(move |first| {
                let rows = ROWS.min(all - first);
                Span { group, first, rows, ends: first + rows == all }
            })
        };
        let pieces: Vec<Span> = rows.enumerate().flat_map(of_group).collect();
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let (state, changed) = (Mutex::default(), Condvar::new());
        (pieces.len() > 1 && room >= LONGEST).then_some(RowsAhead { table, pieces, room, state, changed })
    }

    /// The piece that begins with this row of a group.
    fn piece_at(&self, group: usize, first: usize) -> Option<usize> {
        self.pieces.binary_search_by_key(&(group, first), |span| (span.group, span.first)).ok()
    }

    /// Takes a piece that nobody has, if there is one, and room for it.
    pub fn claim(&self) -> Option<u64> {
        self.claim_in(&mut lock(&self.state))
    }

    fn claim_in(&self, state: &mut State) -> Option<u64> {
        // Of the piece that is read, its reader sees to.
        let piece = state.next.max(state.due + 1);
        let at_work = state.taken.values().filter(|made| made.is_none()).count();
        let has_room = state.bytes + (at_work + 1).saturating_mul(LONGEST) <= self.room;
        if !has_room || piece >= self.pieces.len() || piece > state.due + AHEAD {
            return None;
        }
        state.next = piece + 1;
        state.taken.insert(piece, None);
        Some(piece as u64)
    }

    /// Decodes a piece that was claimed.
    pub fn make(&self, piece: u64) {
        let piece = piece as usize;
        let mut keep = Keep { ahead: self, piece, made: Made::default() };
        // Not twice as much each time.
        let (mut text, mut flaws) = (Vec::with_capacity(LONGEST), Vec::new());
        let span = self.pieces[piece];
        // The reader meets the same damage in its turn.
        let is_whole = self.table.lines(&[span], LONGEST, &mut text, &mut flaws).is_ok();
        if is_whole {
            text.shrink_to_fit();
            keep.made = Made { is_whole, text, flaws };
        }
    }

    /// The reader stands at this row of a group: the lines from there on, if somebody has made them, or is at it, or why not.
    pub(super) fn take(&self, group: usize, first: usize) -> Taken {
        let Some(piece) = self.piece_at(group, first) else { return Taken::Nobody };
        let mut state = lock(&self.state);
        state.due = piece;
        loop {
            while let Some((&passed, _)) = state.taken.range(..piece).find(|(_, made)| made.is_some()) {
                state.forget(passed);
            }
            match state.taken.get(&piece) {
                None => return Taken::Nobody,
                Some(None) => match self.claim_in(&mut state) {
                    Some(other) => {
                        drop(state);
                        self.make(other);
                        state = lock(&self.state);
                    }
                    None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                },
                Some(Some(_)) => {
                    let made = state.forget(piece).filter(|made| made.is_whole);
                    return made.map_or(Taken::Unreadable, Taken::Made);
                }
            }
        }
    }
}

/// What became of a piece.
pub(super) enum Taken {
    Made(Made),
    /// It has to be read from the start of its group.
    Unreadable,
    /// Nobody has taken it.
    Nobody,
}

impl State {
    fn forget(&mut self, piece: usize) -> Option<Made> {
        let made = self.taken.remove(&piece)??;
        self.bytes -= made.text.capacity();
        Some(made)
    }
}

/// Hands in the lines of a piece on drop, also after a panic, so that nobody waits for ever.
struct Keep<'a, 't> {
    ahead: &'a RowsAhead<'t>,
    piece: usize,
    made: Made,
}

impl Drop for Keep<'_, '_> {
    fn drop(&mut self) {
        let made = std::mem::take(&mut self.made);
        let mut state = lock(&self.ahead.state);
        if self.piece < state.due {
            state.taken.remove(&self.piece);
        } else {
            state.bytes += made.text.capacity();
            state.taken.insert(self.piece, Some(made));
        }
        self.ahead.changed.notify_all();
    }
}
