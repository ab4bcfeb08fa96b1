//! The general engine `regex-automata`, with a plain reading of robots.txt in front.

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use crate::Result;
use crate::rules::{ROBOTS, Rule, normal, rules_for};
use crate::table::{Peer, Target};

/// The maximum size of a dense DFA, and of the memory to build it, in bytes.
const BOUND: usize = 1 << 20;

/// `regex-automata`: all rules of an agent in one dense DFA, ordered by rank; where it gets too large, the rules one by one.
pub struct DenseDfa {
    dfa: Option<dense::DFA<Vec<u32>>>,
    rules: Vec<Rule>,
}

impl Peer for DenseDfa {
    const NAME: &'static str = "dense-dfa";

    fn compile(agent: &str, body: &'static [u8]) -> Result<Self> {
        let rules = rules_for(agent, body);
        let dfa = if rules.is_empty() { None } else { dfa(&rules) };
        Ok(Self { dfa, rules })
    }

    fn allows(&self, _: &str, target: &Target<'_>) -> bool {
        let path = &*normal(target.path.as_bytes());
        let Some(dfa) = &self.dfa else { return path == ROBOTS || first(&self.rules, path) };
        let found = dfa.try_search_fwd(&Input::new(path).anchored(Anchored::Yes)).expect("no byte makes it give up");
        found.is_none_or(|found| self.rules[found.pattern().as_usize()].allow) || path == ROBOTS
    }
}

/// Whether the first rule that matches allows, tried one by one.
fn first(rules: &[Rule], path: &[u8]) -> bool {
    rules.iter().find(|rule| rule.matches(path)).is_none_or(|rule| rule.allow)
}

fn dfa(rules: &[Rule]) -> Option<dense::DFA<Vec<u32>>> {
    let literal = |text: &Vec<u8>| text.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    let regex = |rule: &Rule| {
        let parts: Vec<String> = rule.parts.iter().map(literal).collect();
        parts.join(".*") + if rule.anchored { "\\z" } else { "" }
    };
    let regexes: Vec<String> = rules.iter().map(regex).collect();
    let config = dense::Config::new()
        .match_kind(MatchKind::LeftmostFirst)
        .start_kind(StartKind::Anchored)
        .dfa_size_limit(Some(BOUND))
        .determinize_size_limit(Some(BOUND));
    let syntax = syntax::Config::new().unicode(false).utf8(false).dot_matches_new_line(true);
    let mut builder = dense::Builder::new();
    builder.configure(config).syntax(syntax).thompson(thompson::Config::new().utf8(false));
    builder.build_many(&regexes).ok()
}
