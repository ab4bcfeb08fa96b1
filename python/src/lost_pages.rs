//! Lists that another program truncates during a run.
//!
//! Reading a page of a mapped list beyond the new end of its file raises SIGBUS, which kills the interpreter. From the first
//! run on, a handler fills the page with zeros instead, and the run fails with the name of the list. Every other SIGBUS
//! goes to the handler that was there before.

/// Installs the handler, once.
#[cfg(unix)]
pub fn watch() {
    use std::mem::{MaybeUninit, zeroed};
    use std::ptr;
    use std::sync::OnceLock;

    /// The previous action for the signal.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
    /// The codes of a SIGBUS caused by a thread's own access to memory: from BUS_ADRALN to BUS_MCEERR_AR.
    const FAULTS: std::ops::RangeInclusive<libc::c_int> = 1..=4;

    extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
        // SAFETY: a handler with SA_SIGINFO gets a valid siginfo, and with these codes it contains an address.
        let is_filled =
            unsafe { FAULTS.contains(&(*info).si_code) && robosieve::run::fill_lost_pages((*info).si_addr().addr()) };
        if !is_filled && let Some(before) = BEFORE.get() {
            // SAFETY: sigaction is async-signal-safe, and its argument is a value it returned. The thread repeats the access,
            // and so raises the signal again.
            unsafe { libc::sigaction(signal, before, ptr::null_mut()) };
        }
    }
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handler;
    BEFORE.get_or_init(|| {
        let mut before = MaybeUninit::zeroed();
        // SAFETY: a zeroed sigaction is a valid value, the handler has the signature that SA_SIGINFO requires, both pointers are
        // valid for the call, and all bytes of `before` are set.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigaction(libc::SIGBUS, &action, before.as_mut_ptr());
            before.assume_init()
        }
    });
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub fn watch() {}
