//! The crate `fast-robots`.

use fast_robots::{RobotsMatcher, RobotsTxt};

use crate::Result;
use crate::table::{Peer, Target, decoded};

/// `fast-robots`, with its compiled matcher (prefix tries, exact matches, and wildcard rules by literal prefix).
pub struct Fast(RobotsMatcher<'static>);

impl Peer for Fast {
    const NAME: &'static str = "fast-robots";

    /// The matcher borrows from the parsed file, which borrows from the text, so both live as long as the process.
    fn compile(_: &str, body: &'static [u8]) -> Result<Self> {
        let parsed = Box::leak(Box::new(RobotsTxt::parse(decoded(body))));
        Ok(Self(parsed.matcher()))
    }

    fn allows(&self, agent: &str, target: &Target<'_>) -> bool {
        self.0.is_allowed(agent, &target.path)
    }
}
