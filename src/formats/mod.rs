//! File and value formats that know nothing of robots.txt.

pub(crate) mod bytes;
pub(crate) mod coding;
#[cfg(feature = "parquet")]
pub(crate) mod columnar;
#[cfg(feature = "batch")]
pub mod compression;
#[cfg(feature = "batch")]
pub(crate) mod counting_writer;
pub mod durable;
pub(crate) mod error;
pub(crate) mod external_sort;
#[cfg(feature = "batch")]
pub(crate) mod fit;
#[cfg(feature = "parquet")]
mod int96;
#[cfg(feature = "batch")]
pub(crate) mod json;
pub(crate) mod lock_file;
#[cfg(feature = "batch")]
pub(crate) mod made_ahead;
pub(crate) mod marks;
pub(crate) mod memory;
pub(crate) mod memory_budget;
#[cfg(feature = "parquet")]
pub(crate) mod pages;
pub(crate) mod replace;
pub(crate) mod seekable;
#[cfg(feature = "batch")]
pub(crate) mod spill;
pub(crate) mod standard_input;
pub(crate) mod standard_output;
pub(crate) mod summed;
#[cfg(feature = "batch")]
pub(crate) mod text_file;
#[cfg(feature = "parquet")]
pub(crate) mod thrift;
pub(crate) mod time;
#[cfg(feature = "batch")]
pub(crate) mod time_text;
#[cfg(feature = "batch")]
pub(crate) mod toml;
#[cfg(feature = "parquet")]
pub(crate) mod value_column;
pub(crate) mod visible;
pub(crate) mod write_lock;

#[cfg(feature = "batch")]
pub(crate) use json::path_of;
#[cfg(feature = "cli")]
pub(crate) use replace::is_descriptor;
pub use replace::is_stream;
pub use standard_input::STANDARD_INPUT;
pub(crate) use standard_input::is_standard_input;
pub use time::time;
pub(crate) use visible::{line_of, shortened, shown, visible};
