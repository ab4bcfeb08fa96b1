//! Sources of robots.txt files.
//!
//! A source is a directory (one file for each host or origin), a single robots.txt with its origin given separately, a file of answers
//! (JSON Lines, a WARC archive or Parquet), or answers in memory. Any file may be compressed (gzip, Zstandard or bzip2). Its kind is
//! recognised by the beginning of its text; its name does not matter. Each source yields [`Capture`](super::Capture)s into
//! [`Captures`](super::Captures).

pub(crate) mod add;
mod answer;
mod directory;
pub(crate) mod error;
mod fetched_at;
pub(crate) mod fields;
mod form;
#[cfg(feature = "parquet")]
mod header_column;
pub(crate) mod headers;
mod intake;
mod json_lines;
mod kind;
mod opened;
#[cfg(feature = "parquet")]
mod parquet;
mod passed_over;
pub(crate) mod robots;
#[cfg(feature = "warc")]
mod warc;

#[cfg(feature = "cli")]
pub(crate) use add::add_single;
#[cfg(feature = "cli")]
pub(crate) use add::add_sources;
pub use add::{Options, add, add_answers};
#[cfg(feature = "cli")]
pub(crate) use add::{Whole, add_for_any, whole};
pub use answer::Answer;
pub(super) use answer::{Captured, TimeBounds};
pub(crate) use answer::{bare_origin, page};
pub(crate) use error::{RecordProblem, SourceError};
pub use fetched_at::FetchedAt;
pub use fields::FieldNames;
pub(crate) use form::TextForm;
pub use kind::SourceKind;
pub use passed_over::PassedOver;
pub(crate) use robots::Robots;
