//! The crate `robotstxt`.

use robotstxt::DefaultMatcher;

use crate::Result;
use crate::table::{Peer, Target, decoded};

/// `robotstxt`: a port of Google's library; like that, it reads the whole file again for every URL.
pub struct Robotstxt(&'static str);

impl Peer for Robotstxt {
    const NAME: &'static str = "robotstxt";

    fn compile(_: &str, body: &'static [u8]) -> Result<Self> {
        Ok(Self(decoded(body)))
    }

    fn allows(&self, agent: &str, target: &Target<'_>) -> bool {
        DefaultMatcher::default().one_agent_allowed_by_robots(self.0, agent, target.url)
    }
}
