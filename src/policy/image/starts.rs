//! Sets of places where items begin.

/// A set of places.
#[derive(Debug)]
pub(crate) struct Starts(Vec<u64>);

impl Starts {
    /// An empty set, for places below `places`.
    pub fn new(places: usize) -> Starts {
        Starts(vec![0; places.div_ceil(64)])
    }

    /// Adds a place.
    pub fn set(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// Whether a place is in the set.
    pub fn has(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }
}
