//! A small generator for tests, so that the cases are the same at every run.

/// The state of the generator, which is its seed at first.
pub(crate) struct Dice(pub u64);

impl Dice {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// One of all.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A text of these characters, and of `most` at the most.
    pub fn text(&mut self, bytes: &[u8], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| char::from(self.of(bytes))).collect()
    }
}
