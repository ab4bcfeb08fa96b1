//! The rules of one robots.txt for one crawler, with verdicts and explanations.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt;

use crate::dialect::{Dialect, RobotsTxtPath};
use crate::robots::{GroupOrigin, Rule, SideKey};
use crate::rules::{Patterns, Verdict, deciding_rule};

/// The path that some dialects always allow.
const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// The rules chosen for a crawler, as written in its robots.txt. Explanations are made from these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenRules {
    pub(crate) dialect: Dialect,
    /// Whether the groups are the crawler's own or those of `*`.
    pub(crate) origin: GroupOrigin,
    /// The `User-agent` lines that selected the groups: value and line number.
    pub(crate) agent_lines: Vec<(String, u32)>,
    /// In file order.
    pub(crate) rules: Vec<KeptRule>,
    pub(crate) patterns: Patterns,
}

/// A rule as written in its robots.txt. An [`Explanation`] or a [`Cause`](crate::Cause) has the one that decided; for a page that
/// is refused for its uses, the cause has the line that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptRule {
    /// Whether it is an `Allow` line.
    pub allow: bool,
    /// The pattern as written.
    pub value: Vec<u8>,
    /// The line, counted from 1.
    pub line: u32,
    /// The record that says something about uses, if it is no rule.
    pub(crate) about_uses: Option<SideKey>,
}

impl KeptRule {
    pub(crate) fn of(rule: &Rule<'_>) -> KeptRule {
        KeptRule { allow: rule.allow, value: rule.value.to_vec(), line: rule.line, about_uses: None }
    }

    fn as_rule(&self) -> Rule<'_> {
        Rule { allow: self.allow, value: &self.value, line: self.line }
    }

    /// The key of the line: `Allow` or `Disallow`, or that of the record about uses.
    pub fn key(&self) -> &'static str {
        match (self.about_uses, self.allow) {
            (Some(side), _) => side.usual(),
            (None, true) => "Allow",
            (None, false) => "Disallow",
        }
    }
}

impl fmt::Display for KeptRule {
    /// For example, `line 3: Disallow: /private`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: {}", self.line, self.key(), String::from_utf8_lossy(&self.value))
    }
}

/// The line, its key, and its value as text, as `robosieve check --json` and `inspect --json` have them.
impl Serialize for KeptRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rule = serializer.serialize_struct("KeptRule", 3)?;
        rule.serialize_field("line", &self.line)?;
        rule.serialize_field("key", self.key())?;
        rule.serialize_field("value", &String::from_utf8_lossy(&self.value))?;
        rule.end()
    }
}

/// The verdict of one robots.txt on a path, and what decided it. For a URL judged by a policy, see [`Cause`](crate::Cause).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Explanation<'r> {
    /// The verdict.
    pub verdict: Verdict,
    /// The rule that won; `None` if no rule matched or the path needs none.
    pub rule: Option<&'r KeptRule>,
    /// The group of the rule, as the value of the `User-agent` line above it; `None` if no rule decided.
    pub agent: Option<&'r str>,
    /// Whether the path is `/robots.txt` and allowed by the dialect regardless of the rules.
    pub always_allowed: bool,
}

impl ChosenRules {
    /// Ranks the rules of the groups with this origin; `agent_lines` are the `User-agent` lines that selected the groups.
    pub(crate) fn new(
        origin: GroupOrigin,
        agent_lines: Vec<(String, u32)>,
        rules: Vec<KeptRule>,
        dialect: &Dialect,
    ) -> ChosenRules {
        let as_written: Vec<Rule<'_>> = rules.iter().map(KeptRule::as_rule).collect();
        let patterns = Patterns::rank(as_written.iter(), dialect);
        ChosenRules { dialect: dialect.clone(), origin, agent_lines, rules, patterns }
    }

    /// The verdict on a path and query as they appear in the URL, without the fragment, and the rule that decided.
    ///
    /// Tries the rules one by one, so it shares nothing with the automaton but how they are ranked.
    pub fn explain(&self, path: &[u8]) -> Explanation<'_> {
        let path = self.dialect.url_path.judged(path);
        let path = self.dialect.encoding.path(&path);
        let number = deciding_rule(self.rules.iter().map(KeptRule::as_rule), &path, &self.dialect);
        let rule = number.map(|number| &self.rules[number]);
        let is_blocked = rule.is_some_and(|rule| !rule.allow);
        if is_blocked && is_always_allowed(&path, &self.dialect) {
            return Explanation { verdict: Verdict::Allowed, rule: None, agent: None, always_allowed: true };
        }
        let verdict = if is_blocked { Verdict::Blocked } else { Verdict::Allowed };
        let agent = rule.and_then(|rule| self.agent_above(rule));
        Explanation { verdict, rule, agent, always_allowed: false }
    }

    /// The value of the last of these lines above a rule.
    fn agent_above(&self, rule: &KeptRule) -> Option<&str> {
        self.agent_lines.iter().rev().find(|(_, line)| *line < rule.line).map(|(name, _)| name.as_str())
    }
}

/// Whether the dialect allows this path, given in normal form, regardless of the rules.
pub(crate) fn is_always_allowed(path: &[u8], dialect: &Dialect) -> bool {
    dialect.robots_txt == RobotsTxtPath::AlwaysAllowed && path == ROBOTS_TXT
}
