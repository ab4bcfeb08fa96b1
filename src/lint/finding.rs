//! Findings and their collection.

use serde::Serialize;

use super::citation::{Citation, citation};
use super::kind::{FindingKind, Severity};
use crate::dialect::Dialect;
use crate::formats::visible;
use crate::robots::{self};

/// Another line that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Related {
    /// The line, counted from 1.
    pub line: u32,
    /// Its text, cut if it is long.
    pub text: String,
}

/// One thing that the author probably did not mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// How severe it is.
    pub severity: Severity,
    /// The line, counted from 1; 0 for the whole file.
    pub line: u32,
    /// The text of the line, cut if it is long.
    pub text: String,
    /// The defect, in one sentence.
    pub reason: String,
    /// The author's probable meaning, if it can be guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// The other line involved, such as the rule that always wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Related>,
    /// The document that says so.
    #[serde(flatten)]
    pub citation: Citation,
}

/// The maximum number of findings kept. Further ones are only counted, so that a report never outgrows memory.
const MAX: usize = 100_000;

/// The findings for one file in one dialect.
#[derive(Debug)]
pub(super) struct Findings<'d> {
    dialect: &'d Dialect,
    list: Vec<Finding>,
    left_off: usize,
}

impl<'d> Findings<'d> {
    pub fn new(dialect: &'d Dialect) -> Findings<'d> {
        Findings { dialect, list: Vec::new(), left_off: 0 }
    }

    /// Adds a finding, unless there is nothing to cite for it.
    pub fn add(&mut self, kind: FindingKind, line: u32, reason: impl Into<String>) {
        self.add_with(kind, line, reason, None, None);
    }

    /// Adds a finding with a proposal and a related line, unless there is nothing to cite for it.
    pub fn add_with(
        &mut self,
        kind: FindingKind,
        line: u32,
        reason: impl Into<String>,
        proposal: Option<String>,
        related: Option<Related>,
    ) {
        let Some(citation) = citation(kind, self.dialect) else { return };
        if self.list.len() == MAX {
            self.left_off += 1;
            return;
        }
        // One that was cut is of no use.
        let proposal = proposal.filter(|proposal| !proposal.contains(CUT));
        let (severity, text, reason) = (kind.severity(), String::new(), reason.into());
        self.list.push(Finding { kind, severity, line, text, reason, proposal, related, citation });
    }

    /// Those so far, in any order.
    pub fn so_far(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter()
    }

    /// The findings in file order, with the texts of their lines, and the number left off.
    pub fn in_order(mut self, text: &[u8]) -> (Vec<Finding>, usize) {
        self.list.sort_by_key(|finding| (finding.line, finding.kind));
        let mut lines = robots::lines(text, self.dialect).peekable();
        for finding in &mut self.list {
            while lines.next_if(|line| line.number < finding.line).is_some() {}
            if let Some(line) = lines.peek().filter(|line| line.number == finding.line) {
                finding.text = excerpt(line.text);
            }
        }
        (self.list, self.left_off)
    }
}

/// The maximum number of bytes shown of a line.
const EXCERPT: usize = 160;

/// What stands for the rest of a line.
const CUT: char = '…';

/// Text of a file for people: cut if it is long, without what a terminal would obey.
pub(super) fn excerpt(text: &[u8]) -> String {
    let text = text.trim_ascii();
    let shown = visible(String::from_utf8_lossy(&text[..text.len().min(EXCERPT)]));
    if text.len() > EXCERPT { format!("{shown}{CUT}") } else { shown.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::NoteKind;

    #[test]
    fn the_finding_for_a_note_has_its_name() {
        for note in NoteKind::ALL {
            assert_eq!(FindingKind::from(note).name(), note.name());
        }
    }

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        assert_eq!(excerpt(b" Allow: /a\xc3\xa9\t"), "Allow: /aé");
        assert_eq!(excerpt(b"a\x1b[2Jb\0\xff"), "a\\u{1b}[2Jb\\u{0}\u{fffd}");
        let long = excerpt(&[b'a'; 1 << 20]);
        assert_eq!((long.chars().count(), long.ends_with('…')), (EXCERPT + 1, true));
    }

    #[test]
    fn findings_beyond_the_limit_are_counted() {
        let dialect = Dialect::DEFAULT;
        let mut findings = Findings::new(dialect);
        (0..MAX as u32 + 7).for_each(|line| findings.add(FindingKind::MissingColon, line, "x"));
        let (list, left_off) = findings.in_order(b"");
        assert_eq!((list.len(), left_off), (MAX, 7));
    }
}
