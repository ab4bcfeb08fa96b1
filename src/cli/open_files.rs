//! The limit on open files.
//!
//! A run opens all its lists at the start. Systems often allow no more than 1,024 open files, or 256, although a
//! process may raise that limit itself.

/// Raises the limit to the maximum that the system allows; if that fails, it stays as it is.
#[cfg(unix)]
pub(super) fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(super) fn raise_limit() {}
