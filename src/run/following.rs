//! The policy of a run that may be replaced between two chunks.

use crate::judge::matcher::Matcher;
use crate::policy::Policy;

/// Asked before each chunk whether another policy judges from now on: its matchers, one for each crawler of the job.
pub type Newer<'n> = dyn FnMut() -> Option<Vec<Matcher>> + Send + 'n;

/// The policy of the chunk whose turn it is.
pub(super) struct Following<'n> {
    newer: &'n mut Newer<'n>,
    /// How often the policy was replaced.
    number: u64,
    /// The matchers of the last policy; empty until there is another than the first.
    matchers: Vec<Matcher>,
}

impl<'n> Following<'n> {
    pub fn new(newer: &'n mut Newer<'n>) -> Following<'n> {
        Following { newer, number: 0, matchers: Vec::new() }
    }

    /// The policy of the next chunk, with its number, unless it is the one with this number.
    pub fn newer_than(&mut self, number: u64) -> Option<(u64, Vec<Matcher>)> {
        if let Some(matchers) = (self.newer)() {
            self.number += 1;
            self.matchers = matchers;
        }
        (self.number != number).then(|| (self.number, self.matchers.clone()))
    }

    /// The last policy, if it is not the first.
    pub fn policy(&self) -> Option<Policy> {
        self.matchers.first().map(|matcher| matcher.policy().clone())
    }
}
