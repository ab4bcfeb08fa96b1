//! Sources of robots.txt files.
//!
//! A source is a directory (one file for each host or origin), a single robots.txt with its origin given separately, a file of answers
//! (JSON Lines, a WARC archive or Parquet), or answers in memory. Any file may be compressed (gzip, Zstandard or bzip2). Its kind is
//! recognised by the beginning of its text; its name does not matter. Each source yields [`Capture`](super::Capture)s into
//! [`Captures`](super::Captures). Without the feature `batch`, there are only answers in memory.

#[cfg(feature = "batch")]
pub(crate) mod add;
mod answer;
#[cfg(feature = "batch")]
mod directory;
pub(crate) mod error;
mod fetched_at;
pub(crate) mod fields;
mod form;
#[cfg(feature = "parquet")]
mod header_column;
#[cfg(feature = "batch")]
pub(crate) mod headers;
mod in_memory;
mod intake;
#[cfg(feature = "batch")]
mod json_lines;
mod kind;
#[cfg(feature = "batch")]
mod opened;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod passed_over;
#[cfg(feature = "batch")]
pub(crate) mod robots;
#[cfg(feature = "warc")]
mod warc;

#[cfg(feature = "batch")]
pub use add::add;
#[cfg(feature = "cli")]
pub(crate) use add::add_single;
#[cfg(feature = "cli")]
pub(crate) use add::{Whole, add_for_any, whole};
pub use answer::Answer;
pub(super) use answer::{Captured, TimeBounds};
pub(crate) use answer::{bare_origin, page};
pub use fetched_at::FetchedAt;
pub use fields::FieldNames;
pub use in_memory::add_answers;
pub use kind::SourceKind;
pub use options::Options;
pub use passed_over::PassedOver;
#[cfg(feature = "batch")]
pub(crate) use robots::Robots;
