//! One crawler's counts of the lines of a chunk.

use serde::{Deserialize, Serialize};

use crate::judge::tally::Tally;
use crate::outcome::{Outcome, Partition};

/// The lines of a chunk for one crawler, counted as read.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct CrawlerCounts {
    /// By partition number.
    pub tallies: [Tally; Partition::COUNT],
    #[serde(with = "counts")]
    pub counts: [u64; Outcome::COUNT],
}

/// Serialises an array that is too long for serde's own implementations.
pub(crate) mod counts {
    use super::Outcome;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(counts: &[u64; Outcome::COUNT], serializer: S) -> Result<S::Ok, S::Error> {
        counts.as_slice().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u64; Outcome::COUNT], D::Error> {
        let counts = Vec::<u64>::deserialize(deserializer)?;
        counts
            .try_into()
            .map_err(|counts: Vec<u64>| D::Error::invalid_length(counts.len(), &"a count for each outcome"))
    }
}

impl Default for CrawlerCounts {
    fn default() -> CrawlerCounts {
        CrawlerCounts { tallies: Default::default(), counts: [0; Outcome::COUNT] }
    }
}
