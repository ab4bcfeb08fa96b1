//! Messages on standard error.

use std::fmt;
use std::io::{self, Write};

use crate::formats::visible::{visible, visible_except};

/// Writes a message of one line, whatever is in it, in one call, so that no other program's output gets in between. If that fails,
/// nobody can be told; what counts is in the output, the receipt and the exit status.
pub(super) fn say(message: impl fmt::Display) {
    say_lines(visible(message));
}

/// Writes a message of several lines. The values in it must be [`visible`], so that all line feeds are ours.
pub(super) fn say_lines(message: impl fmt::Display) {
    let _ = io::stderr().lock().write_all(format!("{}\n", visible_except(&['\n'], message)).as_bytes());
}
