//! How many files may be open at once.
//!
//! All lists of a run are opened at its start, and systems often allow no more than 1,024 open files, or 256, although a
//! process may raise that limit itself.

/// Raises the limit to what the system lets a process have; where it does not, it stays as it is.
#[cfg(unix)]
pub(super) fn raise_limit() {
    // SAFETY: a zeroed rlimit is a valid value, and the pointers are valid for both calls.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 && limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(super) fn raise_limit() {}
