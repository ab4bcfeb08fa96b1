//! A job from start to end: URL lists, split by a policy.
//!
//! [`Job::run`] maps each list, or decompresses it as it goes, cuts it into chunks of whole lines and has workers judge them; a
//! layout says where in a line the URL is. Every line goes, byte for byte and in input order, to exactly one
//! [`Partition`](crate::Partition), for a [`Reason`](crate::Reason) that is counted. Tallies of the lines as read and of the bytes
//! as written prove that none was lost. The [`Receipt`] holds both, and is the last file to get its name.

pub(crate) mod checkpoint;
pub(crate) mod error;
mod execute;
pub(crate) mod job;
pub(crate) mod join;
mod key_runs;
pub(crate) mod memory;
pub(crate) mod needed;
mod newly_seen;
mod opaque;
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

pub use crate::input::{Shard, UrlField};
pub use crate::judge::line_hash;
pub use crate::output::{FileFormat, FrameCompression, OutputMode, Receipt};
pub(crate) use error::{FilterError, JoinError};
pub(crate) use job::{Against, LongRun};
pub use job::{Destination, Folder, Job, Pipe};
pub use join::join;
pub(crate) use memory::{Needs, check_memory};
pub use opaque::{Error, ErrorKind};
pub use progress::Progress;
pub(crate) use progress::{Counted, Phase, Snapshot};
pub(crate) use seen_file::SeenError;
#[cfg(feature = "cli")]
pub(crate) use seen_file::{KEYS_FILE, SEEN_FILE};
pub use seen_file::{SeenFile, merge_seen};
pub(crate) use start::{EarlierRun, earlier_run};
pub use verify::{Verification, verify};
pub(crate) use verify::{VerifyError, uncounted};
#[cfg(feature = "cli")]
pub(crate) use {join::join_shards, seen_file::merge_files, verify::verify_receipt};
