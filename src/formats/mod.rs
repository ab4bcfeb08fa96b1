//! File and value formats that know nothing of robots.txt.

pub(crate) mod bytes;
pub(crate) mod coding;
#[cfg(feature = "parquet")]
pub(crate) mod columnar;
pub mod compression;
pub(crate) mod error;
pub(crate) mod fit;
pub(crate) mod json;
pub(crate) mod lock_file;
pub(crate) mod made_ahead;
pub(crate) mod marks;
pub(crate) mod memory;
#[cfg(feature = "parquet")]
pub(crate) mod pages;
pub(crate) mod replace;
pub(crate) mod seekable;
pub(crate) mod text_file;
#[cfg(feature = "parquet")]
pub(crate) mod thrift;
pub(crate) mod time;
pub(crate) mod visible;

pub use replace::is_stream;
pub use time::time;
pub(crate) use visible::{line_of, shortened, shown, visible};
