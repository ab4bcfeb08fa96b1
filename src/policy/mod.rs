//! What robots.txt says for many origins: the policy.
//!
//! [`Captures`] gathers answers from sources, keeps the newest of each URL (and the last good one beside a failure),
//! and follows redirects among them. [`Captures::policy`] makes the [`Policy`]: an index from origins to records, and
//! the automata of all distinct groups, each stored once.

mod capture;
mod captures;
mod index;
pub mod source;
mod standing;

pub use capture::Capture;
pub use captures::{CaptureCounts, Captures};
pub use index::{Index, Record, TooManyOrigins, hash};
pub use standing::{Answered, Standing};

use serde::Serialize;

use crate::dialect::Dialect;
use crate::robots::{Agents, NoteCounts};

pub(crate) use index::prefetch;

/// The rules of many origins for one crawler, ready to judge URLs.
#[derive(Debug, Clone)]
pub struct Policy {
    dialect: &'static Dialect,
    agents: Agents,
    index: Index,
    automata: Vec<u32>,
    answered: Vec<Answered>,
    statistics: Statistics,
}

/// How a policy came about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Captures read, and what became of them.
    pub captures: CaptureCounts,
    /// Origins with an entry.
    pub origins: u64,
    /// Distinct automata.
    pub automata: u64,
    /// Of these, the ones whose verdict is the same for every path.
    pub constant: u64,
    /// Of these, DFAs.
    pub dfa: u64,
    /// Of these, the ones that go by pointers, because a DFA would outgrow its budget.
    pub pointers: u64,
    /// Octets that all automata take.
    pub automata_bytes: u64,
    /// What was dropped or cut in the robots.txt files, with counts.
    pub notes: NoteCounts,
}

impl Policy {
    /// The dialect it was made for.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// The crawler it was made for.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The origins.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The automaton that begins at this word.
    #[inline]
    pub fn automaton(&self, at: u32) -> &[u32] {
        &self.automata[at as usize..]
    }

    /// Asks for the first words of an automaton; only a hint.
    #[inline]
    pub(crate) fn prefetch_automaton(&self, at: u32) {
        // The head, the first record and the root that it falls back to are within two cache lines, mostly.
        for line in 0..2 {
            prefetch(&self.automata, at as usize + 16 * line);
        }
    }

    /// When and how the origin of this number answered.
    pub fn answered(&self, number: u32) -> &Answered {
        &self.answered[number as usize]
    }

    /// How it came about.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}
