//! The name of standard input, where files are named.

use std::path::Path;

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Whether a path stands for standard input. A file of that name is `./-`.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}
