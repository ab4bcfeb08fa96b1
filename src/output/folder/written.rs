//! The content of a file.

use serde::{Deserialize, Serialize};

use crate::judge::tally::Tally;

/// The content of a file, once all places that were reserved are written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Written {
    /// Its name, with that of its folder.
    pub name: String,
    /// Where its lines begin.
    pub head: u64,
    /// Where its next byte goes.
    pub end: u64,
    /// Its lines, without what was put before them and before they were compressed.
    pub tally: Tally,
    /// The blocks of lines that went there.
    #[serde(default)]
    pub blocks: u64,
    /// How many bytes its footer will have at most.
    #[serde(default)]
    pub footer: u64,
}
