//! Messages on standard error.

use std::fmt;
use std::io::{self, Write};

/// Writes a line in one call, so that no other program's output gets in between. If that fails, nobody can be told; what
/// counts is in the output, the receipt and the exit status.
pub(super) fn say(line: impl fmt::Display) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
