//! A small random number generator for tests, seeded so that the cases are the same in every run.

/// The state of the generator; the initial value is the seed.
pub(crate) struct Rng(pub u64);

impl Rng {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// A random element of `all`.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A random string of up to `most` of these characters.
    pub fn text(&mut self, bytes: &[u8], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| char::from(self.of(bytes))).collect()
    }
}
