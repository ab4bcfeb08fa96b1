//! Replaces a file atomically.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use crate::formats::is_stream;

/// Writes a file next to its final name, then renames it. Readers of an earlier file of that name keep it, and no reader
/// ever sees half a file.
pub(crate) fn replace<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    if is_stream(path) {
        return stream(path, write);
    }
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::IsADirectory))?;
    let folder = &folder_of(path);
    let mut builder = tempfile::Builder::new();
    let prefix = format!(".{}.", name.to_string_lossy());
    builder.prefix(&prefix).suffix(".partial");
    // The library's error has the temporary name, which means nothing to a user who gave the final one.
    let mut code = None;
    let mut create = |path: &Path| {
        let file = File::options().read(true).write(true).create_new(true).open(path);
        file.inspect_err(|error| code = error.raw_os_error())
    };
    let partial = builder.make_in(folder, &mut create);
    let mut partial = partial.map_err(|error| code.map_or(error, io::Error::from_raw_os_error))?;
    let written = write(partial.as_file_mut())?;
    partial.as_file_mut().flush()?;
    partial.as_file().sync_all()?;
    partial.persist(path).map_err(|error| error.error)?;
    // The renaming, too, must survive a power failure, where the platform can promise that.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(written)
}

/// Writes to a stream once the output is complete.
fn stream<T, E: From<io::Error>>(path: &Path, write: impl FnOnce(&mut File) -> Result<T, E>) -> Result<T, E> {
    let mut whole = tempfile::tempfile()?;
    let written = write(&mut whole)?;
    whole.rewind()?;
    io::copy(&mut whole, &mut File::options().write(true).open(path)?)?;
    Ok(written)
}

/// The folder of a file; for a stream, the folder of temporary files.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        _ if is_stream(path) => std::env::temp_dir(),
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_show_temporary_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("file");
        let error = replace(&path, |_| Ok::<_, io::Error>(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains("missing") && !error.to_string().contains("partial"), "{error}");
    }
}
