//! A parsed robots.txt: groups of agents and rules, and side records.

use std::ops::Range;

use super::note::Note;
use super::record::SideKey;

/// The value of one `User-agent` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentName<'a> {
    /// The value as written, without surrounding blanks.
    pub value: &'a [u8],
    /// The line, counted from 1.
    pub line: u32,
}

/// One `Allow` or `Disallow` line that is a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule<'a> {
    /// Whether it is an `Allow` line.
    pub allow: bool,
    /// The pattern as written, without surrounding blanks; never empty.
    pub value: &'a [u8],
    /// The line, counted from 1.
    pub line: u32,
}

/// A record that is neither an agent nor a rule, kept for the operator, for example `Crawl-delay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideRecord<'a> {
    /// Which record it is.
    pub key: SideKey,
    /// The value as written, without surrounding blanks.
    pub value: &'a [u8],
    /// The line, counted from 1; 0 if the operator set the record.
    pub line: u32,
    /// The group that contains it, an index into [`Robots::groups`]; `None` before the first group, and always for keys that
    /// belong to no group.
    pub group: Option<u32>,
}

impl SideRecord<'_> {
    /// Whether the operator set it, rather than a file.
    pub fn is_operators(&self) -> bool {
        self.line == 0
    }
}

/// A group (1994: a record): the agents it names and the rules they share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its agents, as a range of [`Robots::agents`].
    pub agents: Range<usize>,
    /// Its rules, as a range of [`Robots::rules`].
    pub rules: Range<usize>,
}

/// A parsed robots.txt, borrowing from the (decoded) file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Robots<'a> {
    /// The groups, in file order.
    pub groups: Vec<Group>,
    /// The agents of all groups, in file order.
    pub agents: Vec<AgentName<'a>>,
    /// The rules of all groups, in file order.
    pub rules: Vec<Rule<'a>>,
    /// The side records, in file order.
    pub side_records: Vec<SideRecord<'a>>,
    /// The lines dropped or cut, in file order.
    pub notes: Vec<Note>,
}
