//! Processor time, which other work on the machine affects less than wall-clock time.

/// Processor time used by this thread, in seconds.
pub fn seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec, which outlives it.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "there is such a clock");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
