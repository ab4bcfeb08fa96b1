//! A file that shrinks while it is mapped.
//!
//! Reading a page of a mapping that the file has no bytes for any more raises SIGBUS, which kills a process without a
//! word. If the file is a list, the run can end by itself, with word of the list and of what is kept. Otherwise the
//! handler says what may have happened and ends the process with status 2; no file of the run has its final name then.

/// Goes on, or says what happened, should a mapped file be cut short while it is read.
#[cfg(unix)]
pub(super) fn report() {
    /// Codes of the SIGBUS that a thread gets for a page that it reads: from BUS_ADRALN to BUS_MCEERR_AR.
    const FAULTS: std::ops::RangeInclusive<libc::c_int> = 1..=4;

    extern "C" fn handler(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
        // SAFETY: a handler with SA_SIGINFO is called with a pointer to what is known of the signal; an address is in it for
        // any SIGBUS of the system. Its codes are these; whatever else sends the signal has others.
        let is_filled =
            unsafe { FAULTS.contains(&(*info).si_code) && crate::input::fill_lost_pages((*info).si_addr().addr()) };
        if is_filled {
            return;
        }
        const MESSAGE: &[u8] = b"robosieve: a policy was cut short by another program while it was read, or \
            the disk is full under what --unique keeps \
            (SIGBUS); no result was written. When the policy is again what it was and there is room, --resume goes on \
            with a run that was begun; otherwise run anew, with --force\n";
        // SAFETY: write and _exit are async-signal-safe, and the message is a live array of the given length.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(2);
        }
    }
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handler;
    // SAFETY: a zeroed sigaction is a valid value (no flags, empty mask), the handler has the signature that sa_sigaction
    // with SA_SIGINFO is called with, and both pointers are valid for the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

/// Other systems have their own ways to tell.
#[cfg(not(unix))]
pub(super) fn report() {}
