//! A job from start to end: URL lists, split by a policy.
//!
//! [`Job::run`] reads, maps or decompresses each list and cuts it into chunks of whole lines, which workers judge; a
//! layout says where the URL is in a line. Every line goes, byte for byte and in input order, to exactly one
//! [`Partition`](crate::Partition), and its [`Reason`](crate::Reason) is counted. Tallies of the lines as read and of
//! the bytes as written prove that no line was lost. The [`Receipt`] holds both and is renamed last: `Output::commit`
//! (`output/partitions.rs`) calls `output/folder/commit.rs`, which renames the files in the order in which they were
//! created.

pub(crate) mod balance;
mod checkpoint;
pub(crate) mod error;
mod execute;
pub(crate) mod job;
pub(crate) mod join;
mod known_lines;
pub(crate) mod memory;
pub(crate) mod needed;
mod newly_seen;
pub(crate) mod pipeline;
mod plan;
pub(crate) mod progress;
pub(crate) mod queue;
mod render;
mod repeats;
pub(crate) mod schedule;
pub(crate) mod seen;
pub(crate) mod seen_file;
mod shape;
pub(crate) mod start;
pub(crate) mod stored;
pub(crate) mod totals;
pub(crate) mod unique;
pub(crate) mod verify;
pub(crate) mod worker;

pub use crate::formats::compression::Compression;
#[cfg(unix)]
pub use crate::input::fill_lost_pages;
pub use crate::input::{
    Column, Delimiter, DelimiterError, FileState, ListError, ListNamesError, ListRange, NameEnd, Shard, ShardError,
    SkippedPart, SkippedRows, UrlField, UrlFieldError, UrlParts, lists_named_in,
};
pub use crate::judge::line_hash;
pub use crate::output::{
    FileFormat, FilePart, FrameCompression, Hex, ListPart, OutputError, OutputMode, Part, PartitionPart, Receipt,
    ReceiptOptions, Sample, SeenPart, TabbedLines, VerdictsPart,
};
pub use error::{FilterError, JoinError};
pub use job::{Against, Destination, Folder, Job, LongRun, Newer, Pipe};
pub use join::join;
pub use memory::DEFAULT_MEMORY;
#[cfg(feature = "cli")]
pub(crate) use memory::{LISTS_OF_SET, workers_within};
#[cfg_attr(feature = "internals", visibility::make(pub))]
pub(crate) use memory::{Needs, check_memory};
pub use progress::{Counted, Phase, Progress, Resumed, Snapshot};
#[cfg(feature = "cli")]
pub(crate) use seen::BYTES_PER_URL;
#[cfg(feature = "cli")]
pub(crate) use seen_file::{KEYS_FILE, SEEN_FILE};
pub use seen_file::{SeenError, SeenFile, merge_seen};
pub use start::{EarlierRun, earlier_run};
pub use verify::{Checked, Role, Verification, VerifyError, uncounted, verify};
