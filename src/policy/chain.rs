//! The URLs that an origin's redirects lead through, and which of them to ask next.

use super::Policy;
use super::answer::Kept;
use crate::origin;

/// A URL on the way from an origin's robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hop {
    pub url: String,
    /// Its answers; `None` if it was never asked.
    pub kept: Option<Kept>,
}

impl Policy {
    /// The URLs that an origin's redirects lead through, beginning with its robots.txt, as far as the dialect follows them, and the
    /// next one, which shows that there are too many.
    pub(crate) fn chain(&self, origin: &str) -> Vec<Hop> {
        let mut next = Some(origin::robots_url(origin));
        let mut chain = Vec::new();
        for _ in 0..self.dialect().redirects.hops + 2 {
            let Some(url) = next else { break };
            let kept = self.kept(&url).filter(|kept| !kept.answers().is_empty());
            let is_of_web = |url: &&str| url.starts_with("http://") || url.starts_with("https://");
            next = kept.as_ref().and_then(Kept::leads_to).filter(is_of_web).map(str::to_owned);
            chain.push(Hop { url, kept });
        }
        chain
    }
}

/// The URL to ask for an origin that waits: of its chain, the one that was asked longest ago; one that was never asked before all
/// others. So each URL has its turn: neither a target that failed nor a redirect that leads elsewhere by now is asked in vain forever.
/// In a tie, the last one, whose answer decided.
pub(crate) fn to_ask(chain: &[Hop]) -> Option<&str> {
    let asked = |hop: &&Hop| {
        let kept = hop.kept.as_ref();
        kept.map(|kept| kept.newest().and_then(|newest| newest.fetched_at))
    };
    chain.iter().rev().min_by_key(asked).map(|hop| &*hop.url)
}

/// The URL at the end of a chain, if it was never asked.
pub(crate) fn unasked(chain: &[Hop]) -> Option<&str> {
    chain.last().filter(|hop| hop.kept.is_none()).map(|hop| &*hop.url)
}
