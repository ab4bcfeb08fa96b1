//! What becomes of lines without a definite verdict.

use serde::{Deserialize, Serialize};

use crate::outcome::Partition;

named! {
    /// What to do with lines that have no definite verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Fallback {
        /// Allow them.
        Allow = "allow",
        /// Block them.
        Block = "block",
        /// Defer them.
        Defer = "defer",
        /// Judge them by the rules at hand: the last good ones, or the stale ones.
        Use = "use",
    }
}

impl Fallback {
    /// The partition of the lines; `None` for `Use`.
    pub(super) fn partition(self) -> Option<Partition> {
        match self {
            Fallback::Allow => Some(Partition::Allowed),
            Fallback::Block => Some(Partition::Blocked),
            Fallback::Defer => Some(Partition::Deferred),
            Fallback::Use => None,
        }
    }
}
