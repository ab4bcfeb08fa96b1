//! The contents of an image, and how far it is trusted.

use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;
use crate::policy::Statistics;
use crate::policy::columns::Columns;

/// How far the bytes of a policy are trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Not at all: the checksum over all of them is computed, and every index is looked at.
    Nothing,
    /// The checksum is not computed. Every index is still looked at, so that nothing worse than a wrong verdict can
    /// come of damage.
    Checksum,
}

/// The section META, in JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub dialect: String,
    pub agents: Columns,
    pub statistics: Statistics,
}

/// The contents of an image.
#[derive(Debug)]
pub(crate) struct Content {
    pub dialect: &'static Dialect,
    pub columns: Columns,
    pub statistics: Statistics,
}
