//! Destinations that take bytes and keep none: they have no name to be replaced, and hold nothing of the user's.

use std::path::Path;

/// Where the system names a program's open files. One of these may be a regular file, if a shell redirects the output to it; it
/// is written to, not replaced.
const DESCRIPTORS: [&str; 4] = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];

/// Whether a path is a pipe, a device, or one of the program's open files.
pub fn is_stream(path: &Path) -> bool {
    DESCRIPTORS.iter().any(|names| path.starts_with(names))
        || std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_are_no_streams_wherever_they_are() {
        for path in ["/dev/null", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/2"] {
            assert!(is_stream(Path::new(path)), "{path}");
        }
        for path in ["/dev", "/dev/shm", "/dev/shm/nothing", "/dev/nothing", "nothing", "Cargo.toml"] {
            assert!(!is_stream(Path::new(path)), "{path}");
        }
    }
}
