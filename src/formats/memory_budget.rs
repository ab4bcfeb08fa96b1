//! A memory budget: what is not given a share of it has no memory.
//!
//! A cache or a buffer that may become large is made from a [`Share`], which nothing but a budget hands out. So nobody can add one in
//! each worker that the budget does not know: its type is a [`Cache`], and takes its share from the [`CacheMemory`] of the worker.

/// A part of a budget.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    /// How many of how many equal pieces of the budget it has.
    pub pieces: u64,
    pub of: u64,
}

impl Part {
    pub const WHOLE: Part = Part { pieces: 1, of: 1 };

    /// The bytes of this part, if there are so many.
    pub const fn bytes_of(self, bytes: u64) -> u64 {
        // As exact as a product of numbers below 2^64 allows.
        (bytes as u128 * self.pieces as u128 / self.of as u128) as u64
    }

    /// Whether these parts together are no more than there is.
    pub const fn fit(parts: &[Part]) -> bool {
        // A number that all of the usual fractions divide.
        const WHOLE: u64 = 1 << 20;
        let (mut sum, mut at) = (0, 0);
        while at < parts.len() {
            sum += (WHOLE * parts[at].pieces).div_ceil(parts[at].of);
            at += 1;
        }
        sum <= WHOLE
    }
}

/// Bytes that parts are taken from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryBudget(u64);

/// Bytes that a budget has set aside for one thing. It cannot be copied.
#[derive(Debug)]
pub(crate) struct Share(u64);

/// A cache that each worker has: it works with any share, only better with more, up to a useful size.
pub(crate) trait Cache {
    /// More bytes than these are of no use to it.
    const MOST: u64;

    /// An empty cache that stays within a share.
    fn within(share: Share) -> Self;
}

/// The memory of the caches of a worker.
#[derive(Debug)]
pub(crate) struct CacheMemory(u64);

impl MemoryBudget {
    /// A budget of so many bytes.
    pub const fn new(bytes: u64) -> MemoryBudget {
        MemoryBudget(bytes)
    }

    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// The share of a part.
    pub fn share(self, part: Part) -> Share {
        Share(part.bytes_of(self.0))
    }
}

impl Share {
    pub fn bytes(&self) -> u64 {
        self.0
    }

    /// The same as the length of something in memory.
    pub fn length(&self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// The share of each of so many threads.
    pub fn of_each(self, threads: usize) -> Share {
        Share(self.0 / threads.max(1) as u64)
    }

    /// So many equal shares.
    pub fn split<const N: usize>(self) -> [Share; N] {
        std::array::from_fn(|_| Share(self.0 / N as u64))
    }

    #[cfg(test)]
    pub fn for_test(bytes: u64) -> Share {
        Share(bytes)
    }

    /// The memory of a worker's caches, if this is its share.
    pub fn for_caches(self) -> CacheMemory {
        CacheMemory(self.0)
    }
}

impl CacheMemory {
    /// For callers of the library that judge without a job: each cache has its useful size.
    pub fn outside_jobs() -> CacheMemory {
        CacheMemory(u64::MAX)
    }

    /// A cache, with what is of use to it, but no more than half of what is left, so that there is some for others.
    pub fn cache<C: Cache>(&mut self) -> C {
        let bytes = C::MOST.min(self.0 / 2);
        self.0 -= bytes;
        C::within(Share(bytes))
    }

    /// The memory left, for caches that replace those taken from it before.
    pub fn for_new_caches(&self) -> CacheMemory {
        CacheMemory(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bytes<const MOST: u64>(u64);

    impl<const MOST: u64> Cache for Bytes<MOST> {
        const MOST: u64 = MOST;

        fn within(share: Share) -> Self {
            Bytes(share.bytes())
        }
    }

    #[test]
    fn parts_fit_if_they_are_no_more_than_the_whole() {
        let part = |pieces, of| Part { pieces, of };
        assert!(Part::fit(&[part(1, 2), part(1, 4), part(1, 7)]));
        assert!(Part::fit(&[part(1, 2), part(4, 8)]));
        assert!(!Part::fit(&[part(1, 2), part(3, 8), part(1, 7)]));
        assert_eq!(MemoryBudget::new(u64::MAX).share(part(3, 4)).bytes(), u64::MAX / 4 * 3 + 2);
    }

    #[test]
    fn caches_take_no_more_than_there_is() {
        for bytes in [0, 1, 100, 1000, 1 << 40] {
            let mut memory = Share(bytes).for_caches();
            let (one, other): (Bytes<300>, Bytes<900>) = (memory.cache(), memory.cache());
            assert!(one.0 <= 300 && other.0 <= 900 && one.0 + other.0 <= bytes, "{bytes}");
            assert_eq!((one.0, other.0), if bytes > 4000 { (300, 900) } else { (one.0, other.0) });
        }
        assert_eq!(Share(100).of_each(3).bytes(), 33);
        assert_eq!(Share(100).split().map(|share| share.bytes()), [50; 2]);
    }
}
