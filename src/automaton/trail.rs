//! How a walk over all paths came to where it is, to tell by which path.

use super::paths::{PathState, Paths};

/// A note for each pair that was visited: the pair before, and the byte between them.
#[derive(Debug, Default)]
pub(super) struct Trail(Vec<(u32, u8)>);

impl Trail {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes the first pair.
    pub fn begin(&mut self) {
        self.0.push((u32::MAX, 0));
    }

    /// Notes a pair that a byte leads to from another one.
    #[inline]
    pub fn add(&mut self, before: usize, byte: u8) {
        self.0.push((before as u32, byte));
    }

    /// The bytes that lead to a pair.
    fn to(&self, at: usize) -> Vec<u8> {
        let mut path = Vec::new();
        let mut at = at;
        while let Some(&(before, byte)) = self.0.get(at).filter(|(before, _)| *before != u32::MAX) {
            path.push(byte);
            at = before as usize;
        }
        path.reverse();
        path
    }
}

/// A path that was found: it goes to a pair, and then by a byte to where it can end in a few more, or it ends at the pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundPath {
    pub at: usize,
    pub then: Option<(u8, PathState)>,
}

impl FoundPath {
    /// The path in full.
    pub fn path(self, trail: &Trail, paths: &Paths) -> Vec<u8> {
        let mut path = trail.to(self.at);
        if let Some((byte, state)) = self.then {
            path.push(byte);
            paths.end(state, &mut path);
        }
        path
    }
}
