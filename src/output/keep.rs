//! The part of a run's checkpointer that the output needs.

use std::fmt;
use std::path::PathBuf;

use crate::output::error::OutputError;

/// Keeps a checkpoint, where there may be one: then partial files stay for it.
pub(crate) trait Keep: fmt::Debug + Send + Sync {
    /// Whether the folder has a checkpoint.
    fn has_kept(&self) -> bool;

    /// All files are durable, and about to get these names.
    fn complete(&self, names: Vec<PathBuf>) -> Result<(), OutputError>;
}
