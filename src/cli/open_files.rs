//! How many files may be open at once.
//!
//! All lists of a run are opened at its start, and systems often allow no more than 1,024 open files, or 256, although a
//! process may raise that limit itself.

/// Raises the limit to what the system lets a process have; where it does not, it stays as it is.
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
