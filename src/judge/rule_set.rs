//! One robots.txt for one crawler, compiled: the verdict on a path.

use std::cell::RefCell;

use crate::automaton::{self, Compiled, Scratch};
use crate::dialect::Dialect;
use crate::robots::{self, Agents, GroupOrigin, Note, Robots, SideKey};
use crate::rules::chosen::{ChosenRules, Explanation, KeptRule, is_always_allowed};
use crate::rules::{Patterns, Verdict};

/// The rules of one robots.txt for one crawler, compiled.
///
/// ```
/// use robosieve::{RuleSet, Dialect, Verdict};
///
/// let file = b"User-agent: *\nDisallow: /shop\nAllow: /shop/*.html$\n";
/// let rules = RuleSet::compile(file, &"examplebot".parse()?, Dialect::DEFAULT);
/// assert_eq!(rules.verdict(b"/shop/cart"), Verdict::Blocked);
/// assert_eq!(rules.explain(b"/shop/a.html").rule.unwrap().line, 3);
/// # Ok::<(), robosieve::robots::AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RuleSet {
    chosen: ChosenRules,
    side_records: Vec<KeptRecord>,
    automaton: Vec<u32>,
    compiled: Compiled,
    notes: Vec<Note>,
}

/// A record kept beside the rules, such as `Crawl-delay`, as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRecord {
    /// Which record it is.
    pub key: SideKey,
    /// The value as written.
    pub value: Vec<u8>,
    /// The line, counted from 1.
    pub line: u32,
}

impl RuleSet {
    /// Reads a robots.txt as served with status 200 and compiles the rules for `agents`.
    pub fn compile(file: &[u8], agents: &Agents, dialect: &Dialect) -> RuleSet {
        let mut notes = Vec::new();
        let text = robots::decode(file, dialect, &mut notes);
        let robots = Robots::parse(&text, dialect);
        notes.extend_from_slice(&robots.notes);
        notes.extend(robots.agent_notes(dialect));
        let selection = robots.select(agents, dialect);
        let chosen = ChosenRules::of(&robots, &selection, agents, dialect);
        let mut automaton = Vec::new();
        let compiled = automaton::compile(&chosen.patterns, &mut automaton);
        let side_records = selection
            .side_records(&robots)
            .map(|record| KeptRecord { key: record.key, value: record.value.to_vec(), line: record.line })
            .collect();
        RuleSet { chosen, side_records, automaton, compiled, notes }
    }

    /// The verdict on a path with its query, as it stands in the URL, without the fragment.
    pub fn verdict(&self, path: &[u8]) -> Verdict {
        thread_local!(static SCRATCH: RefCell<Scratch> = RefCell::default());
        SCRATCH.with_borrow_mut(|scratch| self.verdict_with(path, scratch))
    }

    /// The same, with scratch space of the caller's, for many paths.
    pub fn verdict_with(&self, path: &[u8], scratch: &mut Scratch) -> Verdict {
        let path = self.chosen.dialect.encoding.path(path);
        match automaton::verdict(&self.automaton, &path, scratch) {
            Verdict::Blocked if is_always_allowed(&path, &self.chosen.dialect) => Verdict::Allowed,
            verdict => verdict,
        }
    }

    /// The verdict and the rule that decided it, see [`ChosenRules::explain`].
    pub fn explain(&self, path: &[u8]) -> Explanation<'_> {
        self.chosen.explain(path)
    }

    /// The rules as they stand in the file.
    pub fn chosen(&self) -> &ChosenRules {
        &self.chosen
    }

    /// Whose groups the rules are from.
    pub fn origin(&self) -> GroupOrigin {
        self.chosen.origin
    }

    /// The `User-agent` lines for which the groups were chosen: value and line.
    pub fn agent_lines(&self) -> &[(String, u32)] {
        &self.chosen.agent_lines
    }

    /// The rules, in the order of the file.
    pub fn rules(&self) -> &[KeptRule] {
        &self.chosen.rules
    }

    /// The side records of the chosen groups and those outside every group, in the order of the file.
    pub fn side_records(&self) -> &[KeptRecord] {
        &self.side_records
    }

    /// The ranked patterns.
    pub fn patterns(&self) -> &Patterns {
        &self.chosen.patterns
    }

    /// What was compiled.
    pub fn compiled(&self) -> Compiled {
        self.compiled
    }

    /// What was dropped or cut in the file.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}
