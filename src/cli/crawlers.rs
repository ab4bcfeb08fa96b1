//! The crawlers that a command is for.

use crate::policy::{Crawler, Policy};
use crate::robots::Agents;

use super::failure::Failure;

/// The crawler asked for, or else all crawlers of the policy.
pub(super) fn crawlers(asked: Option<&Agents>, policy: &Policy) -> Result<Vec<Crawler>, Failure> {
    let asked: Vec<&Agents> = asked.map_or_else(|| policy.columns().all().iter().collect(), |agents| vec![agents]);
    Ok(asked.into_iter().map(|agents| policy.crawler(Some(agents))).collect::<Result<_, _>>()?)
}
