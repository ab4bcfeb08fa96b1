//! A job from start to end: URL lists, split by a policy.
//!
//! [`Job::run`] reads or decompresses each list and cuts it into chunks of whole lines, which workers judge; a
//! layout says where the URL is in a line. Every line goes, byte for byte and in input order, to exactly one
//! [`Partition`](crate::Partition), and its [`Reason`](crate::Reason) is counted. Tallies of the lines as read and of
//! the bytes as written prove that no line was lost. The [`Receipt`] holds both and is renamed last.

pub(crate) mod balance;
mod checkpoint;
pub(crate) mod error;
mod execute;
mod file_sets;
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
pub(crate) mod scan;
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

pub use crate::error::run::{Error, ErrorKind};
#[cfg(unix)]
pub use crate::input::fill_lost_pages;
pub use crate::input::{PathColumns, Shard, UrlField};
pub use crate::judge::line_hash;
pub use crate::output::{FileFormat, FrameCompression, OutputMode, Receipt};
pub(crate) use job::Against;
pub use job::{Destination, Folder, Job, Pipe};
pub use join::join;
#[cfg(feature = "cli")]
pub(crate) use memory::{DEFAULT_MEMORY, LISTS_OF_SET, workers_within};
pub(crate) use memory::{Needs, check_memory};
pub use progress::Progress;
pub(crate) use progress::{Phase, Snapshot};
#[cfg(feature = "cli")]
pub(crate) use seen::BYTES_PER_URL;
#[cfg(feature = "cli")]
pub(crate) use seen_file::{KEYS_FILE, SEEN_FILE};
pub use seen_file::{SeenFile, merge_seen};
pub(crate) use start::{EarlierRun, earlier_run};
pub(crate) use verify::uncounted;
pub use verify::{Verification, verify};
