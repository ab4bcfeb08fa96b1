//! Ctrl-C, other programs' polite requests to end, and a terminal that is gone.
//!
//! The first one only asks: a run that keeps checkpoints completes the chunks that it has begun, makes them durable, and
//! says how to go on. A second one ends the program where it is; what was durable stays so.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit status of a run that was interrupted, as shells have it for SIGINT.
pub const STATUS: u8 = 130;

/// The flag that is set when the program is asked to end.
pub fn request() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    let mut signals = vec![SIGINT, SIGTERM];
    #[cfg(unix)]
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    for signal in signals {
        // Without a handler, the signal ends the program at once, as always. The order matters: the first signal must not
        // find that it was asked before.
        let _ = flag::register_conditional_shutdown(signal, i32::from(STATUS), Arc::clone(&asked));
        let _ = flag::register(signal, Arc::clone(&asked));
    }
    asked
}

/// Whether a signal was set to do nothing when the program began, as `nohup` does.
#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: a zeroed sigaction is a valid value to be filled, without a new action the old one is only read, and the
    // pointer is valid for the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}
