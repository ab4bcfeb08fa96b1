//! Which files a command may replace: those of the same kind that it made itself, by a mark in them. A file that a user made stays.
//! A destination that takes bytes and keeps none has no name to be replaced, and holds nothing of the user's.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::error::NotReplaced;
use super::regular_file;

/// A kind of file that is written under a name given by the user.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileKind {
    /// Its name, with an article: `a policy file`.
    pub name: &'static str,
    /// Whether a file that is not empty is of this kind, and ours.
    pub is_ours: fn(&mut File) -> io::Result<bool>,
}

impl FileKind {
    /// Checks that a file of this kind may get a name: nothing has it, or an empty file, one of this kind, or a pipe or device, which
    /// holds nothing.
    ///
    /// # Errors
    ///
    /// [`NotReplaced`] if a file of another kind has the name; also if it is a folder, or cannot be read.
    pub fn ensure_replaceable(&self, path: &Path) -> io::Result<()> {
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            metadata => metadata?,
        };
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if is_stream(path) || metadata.len() == 0 || (self.is_ours)(&mut regular_file::open(path)?)? {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, NotReplaced { kind: self.name }))
    }
}

/// Whether a file begins with these bytes.
pub(crate) fn begins_with(file: &mut File, mark: &[u8]) -> io::Result<bool> {
    Ok(start(file, mark.len())? == mark)
}

/// The first bytes of a file, at most this many.
pub(crate) fn start(file: &mut File, most: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.take(most as u64).read_to_end(&mut start)?;
    Ok(start)
}

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
