//! Memory for checking.

/// Memory for checking, reused from automaton to automaton.
#[derive(Debug, Default)]
pub struct CheckSpace {
    /// Words where records begin; words that are targets; records whose chain of defaults is known to end.
    pub(crate) begins: Words,
    pub(crate) led_to: Words,
    pub(crate) ends: Words,
    /// Records with an explicit default that leads to another such record.
    pub(crate) explicit: Vec<u32>,
    /// For each node of the second engine, whether something reaches it.
    pub(crate) reached: Vec<bool>,
}

/// A set of words of a table, one bit each.
#[derive(Debug, Default)]
pub(crate) struct Words(Vec<u64>);

impl Words {
    pub(crate) fn clear(&mut self, words: usize) {
        self.0.clear();
        self.0.resize(words.div_ceil(64), 0);
    }

    /// Sets a word that may be beyond the table; returns false if it is too far beyond to be set.
    #[inline]
    pub(crate) fn insert(&mut self, word: usize) -> bool {
        let bits = self.0.get_mut(word / 64);
        bits.map(|bits| *bits |= 1 << (word % 64)).is_some()
    }

    pub(crate) fn has(&self, word: usize) -> bool {
        self.0.get(word / 64).is_some_and(|bits| bits >> (word % 64) & 1 == 1)
    }

    /// The first word that is in this set and not in the other.
    pub(crate) fn first_without(&self, other: &Words) -> Option<usize> {
        let mut differences = self.0.iter().zip(&other.0).map(|(bits, others)| bits & !others).enumerate();
        differences.find(|(_, bits)| *bits != 0).map(|(at, bits)| 64 * at + bits.trailing_zeros() as usize)
    }
}
