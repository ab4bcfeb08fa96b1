//! File and value formats that know nothing of robots.txt.

pub(crate) mod archive;
pub(crate) mod bytes;
#[cfg(feature = "parquet")]
pub(crate) mod columnar;
pub mod compression;
pub(crate) mod error;
pub(crate) mod fit;
pub(crate) mod json;
pub(crate) mod lock_file;
pub(crate) mod made_ahead;
pub(crate) mod mmap;
pub(crate) mod plain;
pub(crate) mod prefetch;
pub(crate) mod regular_file;
pub(crate) mod replaceable;
pub(crate) mod time;
pub(crate) mod unnamed;
pub(crate) mod visible;

pub use replaceable::is_stream;
pub use time::time;
pub(crate) use visible::{line_of, shortened, shown, visible};
