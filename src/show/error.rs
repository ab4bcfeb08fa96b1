//! Why there are no metrics.

use std::io;
use std::path::PathBuf;

/// A problem of a file of metrics.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetricsError {
    /// It cannot be read or written.
    #[error("cannot write the metrics {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It cannot be replaced as a whole.
    #[error("{} is a folder, a pipe or a device; metrics go to a file, which is replaced as a whole each time", path.display())]
    NoFile {
        /// The file that is there.
        path: PathBuf,
    },
    /// Something else is in it.
    #[error("{} holds something else than metrics of robosieve, and would be replaced; choose another name", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}
