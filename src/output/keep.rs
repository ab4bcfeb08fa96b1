//! What the output needs of a run's checkpointer.

use std::fmt;
use std::path::PathBuf;

use crate::output::error::OutputError;

/// Keeps checkpoints of a run. While one exists, partial files are not deleted.
pub(crate) trait CheckpointKeeper: fmt::Debug + Send + Sync {
    /// Whether the folder has a checkpoint.
    fn has_checkpoint(&self) -> bool;

    /// Records that all files are durable and about to get these names.
    fn complete(&self, names: Vec<PathBuf>) -> Result<(), OutputError>;
}
