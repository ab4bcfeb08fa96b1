//! A process may fork between two calls of the library: those of the child work, too.
//!
//! One test in a process of its own, because the child has only the thread that forked.
#![cfg(unix)]

#[path = "threads/calls.rs"]
mod calls;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Seconds after which a child counts as hanging.
const PATIENCE: libc::c_uint = 120;

#[test]
fn a_forked_child_makes_every_call() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    calls::each(folders[0].path(), |_| ());
    // SAFETY: no other thread of this process holds a lock that the child will want: the library's threads have ended, and that
    // of the test harness waits for this one.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: these calls have no preconditions. The signal ends a child that hangs; nothing may return to the harness.
        unsafe {
            libc::alarm(PATIENCE);
            let made = catch_unwind(AssertUnwindSafe(|| calls::each(folders[1].path(), |_| ())));
            libc::_exit(if made.is_ok() { 0 } else { 101 });
        }
    }
    let mut status = 0;
    // SAFETY: the pointer is valid for the call, and the process is a child of this one.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(waited, child, "{}", std::io::Error::last_os_error());
    assert!(!libc::WIFSIGNALED(status), "the child was ended by signal {}: it waited forever", libc::WTERMSIG(status));
    assert_eq!(libc::WEXITSTATUS(status), 0, "a call failed in the child");
}
