//! Ctrl-C, and other programs' polite requests to end.
//!
//! The first one only asks: a run that keeps checkpoints completes the chunks that it has begun, makes them durable, and
//! says how to go on. A second one ends the program where it is; what was durable stays so.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit status of a run that was interrupted, as shells have it for SIGINT.
pub const STATUS: u8 = 130;

/// What is set when the program is asked to end.
pub fn request() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Without a handler, the signal ends the program at once, as always. The order matters: the first signal must not
        // find that it was asked before.
        let _ = flag::register_conditional_shutdown(signal, i32::from(STATUS), Arc::clone(&asked));
        let _ = flag::register(signal, Arc::clone(&asked));
    }
    asked
}
