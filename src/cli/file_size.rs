//! The limit on the size of files (`ulimit -f`).

/// Lets writing beyond the limit fail as on a full disk. By default, a signal ends the program then, which could neither say so
/// nor remove its unfinished files.
#[cfg(unix)]
pub(super) fn fail_beyond_limit() {
    // SAFETY: to ignore a signal runs no code of this program, and has no preconditions.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(super) fn fail_beyond_limit() {}
