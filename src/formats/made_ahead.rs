//! Pieces that one thread reads in order, made ahead by idle threads.
//!
//! A helper [claims](MadeAhead::claim) the next free piece and makes it. The reader [takes](MadeAhead::take) pieces in order,
//! and makes those itself that no helper has claimed. Pieces made and not yet taken fit a budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::monitor::Monitor;

/// How many pieces may be made ahead of the reader.
const AHEAD: u64 = 32;

/// A finished piece; the default is a piece whose helper failed.
pub(crate) trait Made: Default {
    fn bytes(&self) -> u64;
}

/// Pieces that any thread can help to make.
pub(crate) trait Help: Send + Sync {
    /// Claims a free piece, if there is one and room for it.
    fn claim(&self) -> Option<u64>;

    fn make(&self, piece: u64);
}

/// The pieces of a text of any kind.
pub(crate) type Ahead<'l> = Arc<dyn Help + 'l>;

/// The pieces that helpers have claimed.
pub(crate) struct MadeAhead<M> {
    pieces: u64,
    /// The most memory that making a piece takes, including its result.
    of_one: u64,
    /// The memory for all pieces together.
    room: u64,
    state: Monitor<PieceStates<M>>,
}

#[derive(Default)]
struct PieceStates<M> {
    due: u64,
    /// The first piece that no thread has claimed.
    next: u64,
    /// Claimed pieces; `None` while a helper makes one.
    claimed: BTreeMap<u64, Option<M>>,
    /// Bytes of finished pieces and of spare buffers.
    bytes: u64,
    /// Buffers to be reused: the system takes long to find new pages for each piece.
    spares: Vec<Vec<u8>>,
}

impl<M: Made> MadeAhead<M> {
    /// Starts with none of the `pieces` claimed. Making one takes at most `of_one` bytes; all of them share `room` bytes.
    pub fn new(pieces: u64, of_one: u64, room: u64) -> MadeAhead<M> {
        MadeAhead { pieces, of_one, room, state: Monitor::default() }
    }

    /// Claims the next free piece, if there is one and room for it.
    pub fn claim(&self) -> Option<u64> {
        self.state.with(|state| self.claim_in(state))
    }

    fn claim_in(&self, state: &mut PieceStates<M>) -> Option<u64> {
        // The reader makes the piece it needs now.
        let piece = state.next.max(state.due + 1);
        let at_work = state.claimed.values().filter(|made| made.is_none()).count() as u64;
        let has_room = state.bytes.saturating_add((at_work + 1).saturating_mul(self.of_one)) <= self.room;
        if !has_room || piece >= self.pieces || piece > state.due + AHEAD {
            return None;
        }
        state.next = piece + 1;
        state.claimed.insert(piece, None);
        Some(piece)
    }

    pub fn make(&self, piece: u64, make: impl FnOnce() -> M) {
        let mut hand_in = HandIn { ahead: self, piece, made: M::default() };
        hand_in.made = make();
    }

    /// Takes the piece that the reader needs now; `None` if no helper has claimed it. While its helper is still at work, the
    /// reader makes other pieces: `help` makes a claimed one.
    pub fn take(&self, piece: u64, help: impl Fn(u64)) -> Option<M> {
        self.state.with(|state| state.due = piece);
        loop {
            let step = self.state.when(|state| {
                while let Some((&passed, _)) = state.claimed.range(..piece).find(|(_, made)| made.is_some()) {
                    state.forget(passed);
                }
                match state.claimed.get(&piece) {
                    None => Some(Err(None)),
                    Some(Some(_)) => Some(Err(state.forget(piece))),
                    Some(None) => self.claim_in(state).map(Ok),
                }
            });
            match step? {
                Ok(other) => help(other),
                Err(made) => return made,
            }
        }
    }

    /// An empty buffer for making a piece, reused if possible.
    pub fn spare(&self) -> Vec<u8> {
        self.state.with(|state| {
            let mut spare = state.spares.pop().unwrap_or_default();
            state.bytes -= spare.capacity() as u64;
            spare.clear();
            spare
        })
    }

    /// Takes back a buffer that is no longer needed.
    pub fn give_back(&self, spare: Vec<u8>) {
        self.state.with(|state| {
            if state.bytes + spare.capacity() as u64 <= self.room / 4 {
                state.bytes += spare.capacity() as u64;
                state.spares.push(spare);
            }
        });
    }

    /// Whether no memory is in use except spare buffers.
    #[cfg(test)]
    pub fn has_only_spares(&self) -> bool {
        let of_spares = |state: &PieceStates<M>| state.spares.iter().map(|spare| spare.capacity() as u64).sum::<u64>();
        self.state.with(|state| state.bytes == of_spares(state))
    }
}

impl<M: Made> PieceStates<M> {
    fn forget(&mut self, piece: u64) -> Option<M> {
        let made = self.claimed.remove(&piece)??;
        self.bytes -= made.bytes();
        Some(made)
    }
}

/// Hands in the result of a piece on drop, even after a panic, so that no reader waits forever.
struct HandIn<'a, M: Made> {
    ahead: &'a MadeAhead<M>,
    piece: u64,
    made: M,
}

impl<M: Made> Drop for HandIn<'_, M> {
    fn drop(&mut self) {
        let made = std::mem::take(&mut self.made);
        self.ahead.state.change(|state| {
            if self.piece < state.due {
                state.claimed.remove(&self.piece);
            } else {
                state.bytes += made.bytes();
                state.claimed.insert(self.piece, Some(made));
            }
        });
    }
}
