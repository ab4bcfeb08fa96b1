//! Why a file is no table of URLs.

use crate::input::layout::UrlFieldError;

/// Why a file is no table of URLs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    /// It cannot be read.
    #[error("{0}")]
    Malformed(String),
    /// The URLs are not where they were said to be.
    #[error(transparent)]
    UrlField(#[from] UrlFieldError),
}
