//! A file that shrinks while it is mapped.
//!
//! Reading a page of a mapping that the file has no octets for any more raises SIGBUS, which kills a process without a
//! word. The handler says what happened and ends the process with status 2; no file of the run has its final name then.

/// Says what happened, should a mapped file be cut short while it is read.
#[cfg(unix)]
pub(super) fn report() {
    extern "C" fn handler(_signal: libc::c_int) {
        const MESSAGE: &[u8] = b"robosieve: a list or a policy was cut short by another program while it was read, or \
            the disk is full under what --unique keeps \
            (SIGBUS); no result was written. When it is again what it was, --resume goes on with a run that was begun; \
            otherwise run anew, with --force\n";
        // SAFETY: write and _exit are async-signal-safe, and the message is a live array of the given length.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(2);
        }
    }
    // SAFETY: a zeroed sigaction is a valid value (no flags, empty mask), the handler has the signature that sa_sigaction
    // without SA_SIGINFO is called with, and both pointers are valid for the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

/// Other systems have their own ways to tell.
#[cfg(not(unix))]
pub(super) fn report() {}
