//! Sources of robots.txt files.
//!
//! A source is a directory (one file for each host or origin), a single robots.txt with its origin given separately, a
//! file of answers: JSON Lines, a WARC archive or Parquet, or answers in memory. Any file may be compressed (gzip, Zstandard or bzip2). Its
//! kind is recognised by the beginning of its text; its name does not matter. Each source yields
//! [`Capture`](super::Capture)s into [`Captures`](super::Captures).

mod add;
mod answer;
mod directory;
mod error;
mod fetched_at;
mod field;
mod fields;
mod intake;
mod json_lines;
mod kind;
mod memory;
#[cfg(feature = "parquet")]
mod parquet;
mod part;
mod passed_over;
mod robots;
#[cfg(any(feature = "parquet", feature = "warc"))]
mod seekable;
mod time_bounds;
mod urls;
#[cfg(feature = "warc")]
mod warc;
mod warc_counts;
#[cfg(not(feature = "warc"))]
mod without_warc;

pub use add::{Options, add, add_single};
pub use answer::Answer;
#[cfg(not(feature = "warc"))]
pub use error::RecordProblem;
pub use error::{FieldNamesError, NoColumn, SourceError};
pub use fetched_at::FetchedAt;
pub use field::Field;
pub use fields::FieldNames;
pub use kind::SourceKind;
pub use memory::add_answers;
pub use part::{Part, add_pages, add_part};
pub use passed_over::PassedOver;
#[cfg_attr(feature = "internals", visibility::make(pub))]
pub(crate) use robots::{Robots, body_limit};
pub(crate) use urls::bare_origin;
#[cfg(feature = "warc")]
pub use warc::RecordProblem;
pub use warc_counts::WarcCounts;
