//! The error of policies: their crawlers and sources, merging them, and reading and writing their files.

use super::ValueError;

opaque! {
    /// A policy that cannot be made, opened, merged or compared, or that has no answer.
    ///
    /// ```
    /// use robosieve::Policy;
    /// use robosieve::policy::ErrorKind;
    ///
    /// assert_eq!(Policy::from_bytes(b"").unwrap_err().kind(), ErrorKind::NoPolicy);
    /// ```
    pub struct Error;

    /// What went wrong with a policy.
    pub enum ErrorKind {
        /// A file cannot be read or written. The [source](std::error::Error::source) is the system's error.
        File,
        /// The bytes are no policy, or are damaged.
        NoPolicy,
        /// The policy is of an older or newer version of the file format.
        Version,
        /// A source of robots.txt files is malformed, or has none.
        Source,
        /// Overrides are malformed.
        Overrides,
        /// The policy has no answer for a crawler, or cannot have all these crawlers.
        Crawler,
        /// Policies do not fit together: their dialects or crawlers differ.
        Differ,
        /// More than a policy can hold, or a capture that is none.
        Capture,
    }
}

impl From<ValueError> for Error {
    fn from(error: ValueError) -> Error {
        ErrorKind::Crawler.of(error)
    }
}
