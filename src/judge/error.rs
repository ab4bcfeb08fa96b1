//! Errors of matchers and of choices.

use crate::policy::CrawlerError;
use crate::robots::AgentError;

/// Why a policy has no matcher for an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatcherError {
    /// The agent is not a product token, nor a list of them.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The policy was not made for this agent.
    #[error(transparent)]
    Crawler(#[from] CrawlerError),
}

/// A maximum age that is neither a duration nor `dialect`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; or `dialect`")]
pub struct MaxAgeError(pub(super) String);
