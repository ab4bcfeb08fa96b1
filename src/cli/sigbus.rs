//! Handles files that shrink while they are mapped.
//!
//! Reading a mapped page that the file no longer covers raises SIGBUS, which kills a process without a message. If the
//! file is a list, the run can end by itself, and name the list and what is kept. Otherwise the handler says what may
//! have happened and ends the process with status 2; no file of the run has its final name then.

/// Installs the handler. If part of a list is lost, it returns, and the run ends by itself; otherwise it ends the
/// process.
#[cfg(unix)]
pub(super) fn report() {
    /// The codes of a SIGBUS that a thread gets for a page it reads: BUS_ADRALN to BUS_MCEERR_AR.
    const FAULTS: std::ops::RangeInclusive<libc::c_int> = 1..=4;

    extern "C" fn handler(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
        // SAFETY: a handler with SA_SIGINFO gets a valid pointer to the signal's data, which contains an address for
        // every SIGBUS from the system. These are the system's codes; any other sender of the signal uses other codes.
        let is_filled =
            unsafe { FAULTS.contains(&(*info).si_code) && crate::input::fill_lost_pages((*info).si_addr().addr()) };
        if is_filled {
            return;
        }
        const MESSAGE: &[u8] = b"robosieve: a policy file was truncated while in use, or the disk is full under the file of \
            --unique (SIGBUS); no result was written. Restore the file or free space, then use --resume; otherwise run again with \
            --force\n";
        // SAFETY: write and _exit are async-signal-safe, and the message is a live array of the given length.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(2);
        }
    }
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handler;
    // SAFETY: a zeroed sigaction is a valid value (no flags, empty mask), the handler has the signature with which
    // sa_sigaction is called under SA_SIGINFO, and both pointers are valid for the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

/// Other systems report this in their own ways.
#[cfg(not(unix))]
pub(super) fn report() {}
