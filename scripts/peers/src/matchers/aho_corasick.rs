//! The general engine `aho-corasick`, with a plain reading of robots.txt in front.

use aho_corasick::AhoCorasick;

use crate::Result;
use crate::rules::{ROBOTS, Rule, normal, rules_for};
use crate::table::{Peer, Target};

/// `aho-corasick`: finds the longest text of each rule in the path, then tries the rules whose text was found, by rank.
pub struct AhoCorasickVerified {
    finder: AhoCorasick,
    rules: Vec<Rule>,
}

impl Peer for AhoCorasickVerified {
    const NAME: &'static str = "aho-corasick";

    fn compile(agent: &str, body: &'static [u8]) -> Result<Self> {
        let rules = rules_for(agent, body);
        let longest = |rule: &Rule| rule.parts.iter().max_by_key(|part| part.len()).cloned().unwrap_or_default();
        let texts: Vec<Vec<u8>> = rules.iter().map(longest).collect();
        Ok(Self { finder: AhoCorasick::new(&texts)?, rules })
    }

    fn allows(&self, _: &str, target: &Target<'_>) -> bool {
        let path = &*normal(target.path.as_bytes());
        let mut found: Vec<usize> =
            self.finder.find_overlapping_iter(path).map(|found| found.pattern().as_usize()).collect();
        found.sort_unstable();
        found.dedup();
        let first = found.iter().map(|&rank| &self.rules[rank]).find(|rule| rule.matches(path));
        first.is_none_or(|rule| rule.allow) || path == ROBOTS
    }
}
