//! Prefetching: cache misses of one step overlap if the step before says what it will read.

/// Prefetches the cache line of an element. Only a hint, valid for any `at`.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let element = slice.as_ptr().wrapping_add(at);
        // SAFETY: the instruction is part of SSE, which every x86_64 has; a prefetch neither reads nor writes
        // the memory at the pointer, so any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(element.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}
