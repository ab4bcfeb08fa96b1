//! Handles Ctrl-C, SIGTERM, and the loss of the terminal.
//!
//! The first signal is only a request: a run that keeps checkpoints completes the chunks it has begun, makes them
//! durable, and says how to resume. A second signal ends the program at once; what is durable stays so.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit status of an interrupted run, as shells have it for SIGINT.
pub const STATUS: u8 = 130;

/// A flag that is set when the program is asked to end.
pub fn request() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    let mut signals = vec![SIGINT, SIGTERM];
    #[cfg(unix)]
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    for signal in signals {
        // If a handler cannot be registered, the signal ends the program at once, as by default. The order matters: the
        // first signal must find the flag still unset.
        let _ = flag::register_conditional_shutdown(signal, i32::from(STATUS), Arc::clone(&asked));
        let _ = flag::register(signal, Arc::clone(&asked));
    }
    asked
}

/// Whether a signal was ignored when the program started, as under `nohup`.
#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: a zeroed sigaction is a valid value to overwrite; without a new action the call only reads the old one;
    // and the pointer is valid for the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}
