//! The crate `robotxt`.

use robotxt::Robots;

use crate::Result;
use crate::table::{Peer, Target};

/// `robotxt`: parses the file once, and compares rule by rule in order of precedence.
pub struct Robotxt(Robots);

impl Peer for Robotxt {
    const NAME: &'static str = "robotxt";

    fn compile(agent: &str, body: &'static [u8]) -> Result<Self> {
        Ok(Self(Robots::parse(body, agent)))
    }

    fn allows(&self, _: &str, target: &Target<'_>) -> bool {
        self.0.is_allowed(&target.path)
    }
}
