//! The compared crates, each used as its documentation recommends.

use std::borrow::Cow;

use fast_robots::{RobotsMatcher, RobotsTxt};
use robotstxt::DefaultMatcher;
use robotxt::Robots;
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

/// The text of a file for crates that need UTF-8; invalid bytes are replaced.
fn decoded(body: &'static [u8]) -> &'static str {
    match String::from_utf8_lossy(body) {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => text.leak(),
    }
}
