//! The crate `texting_robots`.

use texting_robots::Robot;

use crate::Result;
use crate::table::{Peer, Target};

/// `texting_robots`: parses the file once; rules with `$` are regular expressions, all others are compared one by one.
pub struct Texting(Robot);

impl Peer for Texting {
    const NAME: &'static str = "texting_robots";
    const PARSES_URLS: bool = true;

    fn compile(agent: &str, body: &'static [u8]) -> Result<Self> {
        match Robot::new(agent, body) {
            Ok(robot) => Ok(Self(robot)),
            Err(error) => Err(format!("{error:#}").into()),
        }
    }

    /// Takes the path, not the whole URL, which the crate would parse a second time.
    fn allows(&self, _: &str, target: &Target<'_>) -> bool {
        self.0.allowed(&target.path)
    }
}
