//! The crawlers that a command is for.

use crate::policy::{Crawler, CrawlerError, Policy};
use crate::robots::Agents;

/// The crawlers asked for; if none is, the only one of the policy.
pub(super) fn asked(agents: &[Agents], policy: &Policy) -> Result<Vec<Crawler>, CrawlerError> {
    match agents {
        [] => Ok(vec![policy.crawler(None)?]),
        several => several.iter().map(|agents| policy.crawler(Some(agents))).collect(),
    }
}

/// The crawler asked for; if none is, all crawlers of the policy.
pub(super) fn asked_or_all(agents: Option<&Agents>, policy: &Policy) -> Result<Vec<Crawler>, CrawlerError> {
    asked(agents.map_or(policy.columns().all(), std::slice::from_ref), policy)
}
