//! Random numbers that are a pure function of a key, and a keyed permutation of an index range.
//!
//! Nothing here keeps state between lines: line 999,999,999 of a list is made without making the
//! lines before it. The generator is SplitMix64 (Steele, Lea and Flood, 2014): a counter stepped by
//! the golden ratio, and a finaliser.

/// 2^64 divided by the golden ratio, the step of SplitMix64's counter.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64's finaliser: a bijection of 64 bits in which every input bit affects every output
/// bit.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The key of item `n` of the stream `parent`.
pub fn key(parent: u64, n: u64) -> u64 {
    mix(parent ^ mix(n.wrapping_add(GOLDEN)))
}

/// Maps 64 random bits to `0..n`, by the high half of the product.
pub fn scale(bits: u64, n: u64) -> u64 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u64
}

/// A short stream of draws from one key.
pub struct Draw(u64);

impl Draw {
    /// The stream of `key`.
    pub fn new(key: u64) -> Self {
        Self(key)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A number in `0..n`.
    pub fn below(&mut self, n: u64) -> u64 {
        scale(self.bits(), n)
    }

    /// True `of_10000` times in ten thousand.
    pub fn chance(&mut self, of_10000: u64) -> bool {
        self.below(10_000) < of_10000
    }

    /// One item of a list, all equally likely.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    /// One text of a list.
    pub fn text<'a>(&mut self, list: &[&'a [u8]]) -> &'a [u8] {
        list[self.below(list.len() as u64) as usize]
    }
}

/// A keyed bijection of `0..len`: a Feistel network over two halves of about the square root of
/// `len`.
///
/// A round adds a hash of one half to the other, modulo that half's size, which can always be
/// undone. The product of the two sizes is a little more than `len`; a result beyond `len` is
/// permuted again ("cycle walking"), which happens with probability below `1 / sqrt(len)`.
pub struct Permutation {
    len: u64,
    left: u64,
    right: u64,
    keys: [u64; 6],
}

impl Permutation {
    /// The permutation of `0..len` for `seed`.
    pub fn new(seed: u64, len: u64) -> Self {
        let left = (len as f64).sqrt().ceil().max(1.0) as u64;
        let right = len.div_ceil(left).max(1);
        let keys = std::array::from_fn(|round| key(seed, round as u64));
        Self { len, left, right, keys }
    }

    /// The image of index `i`.
    pub fn apply(&self, i: u64) -> u64 {
        debug_assert!(i < self.len);
        let mut value = i;
        loop {
            value = self.rounds(value);
            if value < self.len {
                return value;
            }
        }
    }

    /// One pass through the network.
    fn rounds(&self, value: u64) -> u64 {
        let (mut l, mut r) = (value / self.right, value % self.right);
        for pair in self.keys.chunks_exact(2) {
            l = add_modulo(l, scale(mix(r ^ pair[0]), self.left), self.left);
            r = add_modulo(r, scale(mix(l ^ pair[1]), self.right), self.right);
        }
        l * self.right + r
    }
}

/// `a + b` modulo `n`, for `a` and `b` below `n`.
fn add_modulo(a: u64, b: u64, n: u64) -> u64 {
    let sum = a + b;
    if sum >= n { sum - n } else { sum }
}

#[cfg(test)]
mod tests {
    use super::Permutation;

    #[test]
    fn a_permutation_hits_every_index_once() {
        for len in [1, 2, 3, 10, 99, 100, 101, 4096, 10_007] {
            let permutation = Permutation::new(7, len);
            let mut seen = vec![false; len as usize];
            for i in 0..len {
                let slot = &mut seen[permutation.apply(i) as usize];
                assert!(!*slot, "{len}: {i} collides");
                *slot = true;
            }
        }
    }
}
