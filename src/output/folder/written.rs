//! What a run has written to a file.

use serde::{Deserialize, Serialize};

use crate::judge::tally::Tally;

/// What a run has written to a file so far.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Written {
    /// Its name, with its folder.
    pub name: String,
    /// The offset of its lines.
    pub head: u64,
    /// The offset of the next byte.
    pub end: u64,
    /// Its lines, without the columns before them, and before compression.
    pub tally: Tally,
    /// The number of blocks written to it.
    #[serde(default)]
    pub blocks: u64,
    /// The maximum length of its footer, in bytes.
    #[serde(default)]
    pub footer: u64,
}
