//! Processor time, which other work on the machine affects less than wall-clock time.

#![allow(dead_code, reason = "every program uses a part")]

/// Processor time used by this thread, in seconds.
pub fn seconds() -> f64 {
    #[cfg(unix)]
    return read(libc::CLOCK_THREAD_CPUTIME_ID);
    #[cfg(not(unix))]
    since_first_call()
}

/// Processor time used by all threads of this process, in seconds.
pub fn process_seconds() -> f64 {
    #[cfg(unix)]
    return read(libc::CLOCK_PROCESS_CPUTIME_ID);
    #[cfg(not(unix))]
    since_first_call()
}

#[cfg(unix)]
fn read(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec, which outlives it.
    let status = unsafe { libc::clock_gettime(clock, &raw mut time) };
    assert_eq!(status, 0, "there is such a clock");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Wall-clock time, where there is no better clock.
#[cfg(not(unix))]
fn since_first_call() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}
