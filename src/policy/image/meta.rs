//! The content of an image, and how far to trust it.

use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;
use crate::policy::Statistics;
use crate::policy::columns::Columns;

/// How far to trust the bytes of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Not at all: compute the checksum over all of them and check every index.
    Nothing,
    /// Skip the checksum. Every index is still checked, so damage can cause nothing worse than a wrong verdict.
    Checksum,
}

/// The META section, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub dialect: String,
    pub agents: Columns,
    pub statistics: Statistics,
}

/// The content of an image.
#[derive(Debug)]
pub(crate) struct Content {
    pub dialect: &'static Dialect,
    pub columns: Columns,
    pub statistics: Statistics,
}
