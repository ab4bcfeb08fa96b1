//! The rules of a group as written in the file, with their lines. Explanations need them. They are stored apart from the
//! automata, because files with identical automata may have their rules on different lines.
//!
//! The agent lines are all lines that selected the group for any of its crawlers. When the rules are read for one
//! crawler, the lines that name it are selected again.
//!
//! ```text
//! rules   number of agent lines | those | number of rules | those
//! agent   line, less the one before | length of the value | value
//! rule    twice the line, less the one before; plus 1 for Allow | length of the value | value
//! ```
//!
//! All numbers are encoded as in [`bytes`](crate::formats::bytes).

use std::ops::Range;

use crate::automaton;
use crate::dialect::Dialect;
use crate::formats::bytes::{Reader, TOO_SHORT, push_number, push_text};
use crate::robots::{AgentName, Agents, Robots, Rule, Selection, lines_for};
use crate::rules::chosen::{ChosenRules, KeptRule};
use crate::rules::{Patterns, deciding_rule};

/// Encodes rules that were chosen, and the `User-agent` lines for which they were, in the order of the file.
pub(crate) fn encode(robots: &Robots<'_>, selection: &Selection, lines: &[AgentName<'_>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    push_number(lines.len() as u64, &mut out);
    let mut before = 0;
    for agent in lines {
        push_number(u64::from(agent.line - before), &mut out);
        push_text(agent.value, &mut out);
        before = agent.line;
    }
    push_number(selection.rules(robots).count() as u64, &mut out);
    before = 0;
    for rule in selection.rules(robots) {
        push_number(u64::from(rule.line - before) << 1 | u64::from(rule.allow), &mut out);
        push_text(rule.value, &mut out);
        before = rule.line;
    }
    out
}

/// Decodes the output of [`encode`], passing on each agent, and each rule with where its value ends.
fn read<'o>(
    bytes: &'o [u8],
    agent: impl FnMut(AgentName<'o>),
    mut rule: impl FnMut(Rule<'o>, usize),
) -> Result<(), &'static str> {
    let mut reader = Reader(bytes);
    read_agents(&mut reader, agent)?;
    let mut line = 0;
    for _ in 0..reader.number()? {
        let number = reader.number()?;
        line = later(line, number >> 1)?;
        let one = Rule { allow: number & 1 == 1, value: reader.text()?, line };
        rule(one, bytes.len() - reader.0.len());
    }
    if reader.0.is_empty() { Ok(()) } else { Err("bytes follow the rules") }
}

/// Decodes the first part, the agents.
fn read_agents<'o>(reader: &mut Reader<'o>, mut agent: impl FnMut(AgentName<'o>)) -> Result<(), &'static str> {
    let mut line = 0;
    for _ in 0..reader.number()? {
        line = later(line, reader.number()?)?;
        agent(AgentName { value: reader.text()?, line });
    }
    Ok(())
}

/// The line this many lines after another.
fn later(line: u32, by: u64) -> Result<u32, &'static str> {
    u32::try_from(u64::from(line).saturating_add(by)).map_err(|_| TOO_SHORT)
}

/// Checks that bytes are valid output of [`encode`].
pub(super) fn check(bytes: &[u8]) -> Result<(), &'static str> {
    read(bytes, |_| (), |_, _| ())
}

/// A summary of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline<'p> {
    /// The first `User-agent` line for which the group was chosen.
    pub first_agent: Option<AgentName<'p>>,
    /// How many rules it has.
    pub rules: u64,
}

/// Summarises a group, given checked bytes.
pub(super) fn outline(bytes: &[u8]) -> Outline<'_> {
    let (mut first_agent, mut rules) = (None, 0);
    // Checked bytes decode without errors.
    let _ = read(bytes, |agent| first_agent = first_agent.or(Some(agent)), |_, _| rules += 1);
    Outline { first_agent, rules }
}

/// Whether two groups, given checked bytes, have the same rules in the same order, whatever lines they are on.
pub(super) fn have_same_rules(one: &[u8], other: &[u8]) -> bool {
    let of = |bytes| rules(bytes).into_iter().map(|rule| (rule.allow, rule.value));
    one == other || of(one).eq(of(other))
}

/// Decodes checked bytes into the rules chosen for a crawler; `own` says whether the group is the crawler's own.
pub(crate) fn decode(bytes: &[u8], own: bool, agents: &Agents, dialect: &Dialect) -> ChosenRules {
    let agent_lines = agent_lines(bytes);
    let (origin, lines) = lines_for(&agent_lines, own, agents, dialect);
    let rules = rules(bytes).iter().map(KeptRule::of).collect();
    ChosenRules::new(origin, lines.map(|agent| agent.kept()).collect(), rules, dialect)
}

/// The automaton of a group with its front, given checked bytes.
pub(super) fn compiled(bytes: &[u8], dialect: &Dialect) -> Vec<u32> {
    let mut automaton = Vec::new();
    automaton::compile_item(&Patterns::rank(rules(bytes).iter(), dialect), &mut automaton);
    automaton
}

fn rules(bytes: &[u8]) -> Vec<Rule<'_>> {
    let mut rules = Vec::new();
    // Checked bytes decode without errors.
    let _ = read(bytes, |_| (), |rule, _| rules.push(rule));
    rules
}

/// The rules of one group after another, as they are written in their files.
#[derive(Debug, Default)]
pub struct WrittenRules {
    /// The checked output of [`encode`].
    bytes: Vec<u8>,
    rules: Vec<RulePlace>,
}

#[derive(Debug)]
struct RulePlace {
    value: Range<usize>,
    line: u32,
    allow: bool,
}

impl WrittenRules {
    /// Reads the rules of another group, given checked bytes.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.rules.clear();
        let place = |rule: Rule<'_>, end| {
            self.rules.push(RulePlace { value: end - rule.value.len()..end, line: rule.line, allow: rule.allow });
        };
        // Checked bytes decode without errors.
        let _ = read(bytes, |_| (), place);
    }

    /// The rule that decides on a path in normal form, if one matches.
    pub fn deciding(&self, path: &[u8], dialect: &Dialect) -> Option<Rule<'_>> {
        let rule =
            |place: &RulePlace| Rule { allow: place.allow, value: &self.bytes[place.value.clone()], line: place.line };
        deciding_rule(self.rules.iter().map(rule), path, dialect).map(|number| rule(&self.rules[number]))
    }

    /// The last `User-agent` line above a rule, among the lines that selected the group; `own` and the rest are as for
    /// [`decode`].
    pub fn agent_above(&self, rule: &Rule<'_>, own: bool, agents: &Agents, dialect: &Dialect) -> Option<AgentName<'_>> {
        let agent_lines = agent_lines(&self.bytes);
        let (_, lines) = lines_for(&agent_lines, own, agents, dialect);
        lines.take_while(|agent| agent.line < rule.line).last()
    }
}

/// The `User-agent` lines for which a group was chosen, given checked bytes.
fn agent_lines(bytes: &[u8]) -> Vec<AgentName<'_>> {
    let mut lines = Vec::new();
    // Checked bytes decode without errors.
    let _ = read_agents(&mut Reader(bytes), |agent| lines.push(agent));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rule_set::RuleSet;

    const FILE: &[u8] = b"User-agent: a\nUser-agent: b/2\nDisallow: /\xff\n\nUser-agent: *\nAllow: /x\n\n\n\
                          User-agent: B\nAllow: /y*$\nDisallow: /\n";

    #[test]
    fn chosen_rules_come_back() {
        let dialect = Dialect::DEFAULT;
        let robots = Robots::parse(FILE, dialect);
        for (list, own) in [("c,b", true), ("a", true), ("c", false)] {
            let agents: Agents = list.parse().unwrap();
            let selection = robots.select(&agents, dialect);
            let lines: Vec<_> = selection.agent_lines(&robots, &agents, dialect).copied().collect();
            let bytes = encode(&robots, &selection, &lines);
            let named: Vec<_> = lines.iter().map(AgentName::kept).collect();
            let rules: Vec<_> = selection.rules(&robots).map(KeptRule::of).collect();
            let expected = ChosenRules::new(selection.origin, named.clone(), rules, dialect);
            assert_eq!(decode(&bytes, own, &agents, dialect), expected, "{list}");
            assert_eq!(*RuleSet::compile(FILE, &agents, dialect).chosen(), expected, "{list}");
            let all: Vec<_> = robots.agents.to_vec();
            if own {
                let shared = decode(&encode(&robots, &selection, &all), own, &agents, dialect);
                assert_eq!(shared, expected, "lines of other crawlers are passed over: {list}");
            }
            assert_eq!(check(&bytes), Ok(()));
            let outline = outline(&bytes);
            assert_eq!(outline.rules, expected.rules.len() as u64);
            let first = outline.first_agent.map(|agent| agent.kept());
            assert_eq!(first.as_ref(), named.first());
            for length in 0..bytes.len() {
                assert!(check(&bytes[..length]).is_err(), "{list} {length}");
            }
            assert!(check(&[&bytes[..], &[0]].concat()).is_err());
        }
        assert_eq!(check(&[0, 0]), Ok(()), "neither agents nor rules");
    }

    #[test]
    fn the_same_rules_may_be_on_other_lines() {
        let of = |file: &str| {
            let robots = Robots::parse(file.as_bytes(), Dialect::DEFAULT);
            encode(&robots, &robots.select(&Agents::everybody(), Dialect::DEFAULT), &[])
        };
        let one = of("User-agent: *\nDisallow: /a\nAllow: /b\n");
        assert!(have_same_rules(&one, &of("# A comment.\nUser-agent: *\n\nDisallow: /a\nAllow: /b\n")));
        for other in ["Disallow: /b\nAllow: /a\n", "Allow: /b\nDisallow: /a\n", "Disallow: /a\n"] {
            assert!(!have_same_rules(&one, &of(&format!("User-agent: *\n{other}"))), "{other}");
        }
    }
}
