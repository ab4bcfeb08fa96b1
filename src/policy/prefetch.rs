//! Asking for memory before it is needed.

/// Asks for the cache line that holds an element; only a hint, whatever `at` is.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let element = slice.as_ptr().wrapping_add(at);
        // SAFETY: the instruction is part of SSE, which every x86_64 has; a prefetch neither reads nor writes what it
        // points to, and may be of any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(element.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}
