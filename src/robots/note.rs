//! Notes of the parser on lines that it drops: a robots.txt is never refused, but nothing of it goes missing in silence.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// Why something in a robots.txt is no rule, or not the one that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// An `Allow` or `Disallow` line before the first group, or outside every record (RFC 9309 2.2.2).
    RuleOutsideGroup,
    /// A rule whose value begins with neither `/` nor `*`, where the dialect wants one of them.
    RuleWithoutSlash,
    /// An `Allow` line where the dialect has none.
    AllowIgnored,
    /// A line without a colon that has something before its comment.
    MissingColon,
    /// A key known to be a misspelling, where the dialect reads only the right one.
    MisspeltKey,
    /// A record with a key that no text knows.
    UnknownRecord,
    /// A `User-agent` line of which only the leading token counts, or nothing.
    AgentCut,
    /// An agent that an earlier group names too.
    AgentRepeated,
    /// The rest of a line beyond the dialect's limit, or after a NUL that ends it.
    LineCut,
    /// The rest of the file beyond the dialect's limit.
    FileCut,
    /// UTF-16 that does not decode; the bytes in question became U+FFFD.
    EncodingMended,
    /// The file looks like an HTML page.
    LooksLikeHtml,
}

impl NoteKind {
    /// All kinds, in the order of [`NoteCounts`].
    pub const ALL: [NoteKind; 12] = [
        NoteKind::RuleOutsideGroup,
        NoteKind::RuleWithoutSlash,
        NoteKind::AllowIgnored,
        NoteKind::MissingColon,
        NoteKind::MisspeltKey,
        NoteKind::UnknownRecord,
        NoteKind::AgentCut,
        NoteKind::AgentRepeated,
        NoteKind::LineCut,
        NoteKind::FileCut,
        NoteKind::EncodingMended,
        NoteKind::LooksLikeHtml,
    ];

    /// The name in a receipt, for example `rule-outside-group`.
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::RuleOutsideGroup => "rule-outside-group",
            NoteKind::RuleWithoutSlash => "rule-without-slash",
            NoteKind::AllowIgnored => "allow-ignored",
            NoteKind::MissingColon => "missing-colon",
            NoteKind::MisspeltKey => "misspelt-key",
            NoteKind::UnknownRecord => "unknown-record",
            NoteKind::AgentCut => "agent-cut",
            NoteKind::AgentRepeated => "agent-repeated",
            NoteKind::LineCut => "line-cut",
            NoteKind::FileCut => "file-cut",
            NoteKind::EncodingMended => "encoding-mended",
            NoteKind::LooksLikeHtml => "looks-like-html",
        }
    }
}

/// One thing that was dropped, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Why it was dropped.
    pub kind: NoteKind,
    /// The line, counted from 1.
    pub line: u32,
}

/// How often each kind of note was made, over many files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoteCounts([u64; NoteKind::ALL.len()]);

impl NoteCounts {
    /// Counts `notes`.
    pub fn add_all(&mut self, notes: &[Note]) {
        for note in notes {
            self.0[note.kind as usize] += 1;
        }
    }

    /// Adds the counts of another set of files.
    pub fn merge(&mut self, other: &NoteCounts) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    /// How often a kind occurred.
    pub fn of(&self, kind: NoteKind) -> u64 {
        self.0[kind as usize]
    }

    /// The kinds that occurred, with how often.
    pub fn iter(&self) -> impl Iterator<Item = (NoteKind, u64)> + '_ {
        NoteKind::ALL.iter().map(|&kind| (kind, self.0[kind as usize])).filter(|&(_, count)| count > 0)
    }
}

impl Serialize for NoteCounts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(kind, count)| (kind.name(), count)))
    }
}

impl<'de> Deserialize<'de> for NoteCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NoteCounts, D::Error> {
        let named = BTreeMap::<String, u64>::deserialize(deserializer)?;
        Ok(NoteCounts(NoteKind::ALL.map(|kind| named.get(kind.name()).copied().unwrap_or(0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_stand_at_their_own_index() {
        for (index, kind) in NoteKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, index);
        }
    }

    #[test]
    fn counts_come_back_by_name() {
        let mut counts = NoteCounts::default();
        counts.add_all(&[NoteKind::FileCut, NoteKind::FileCut, NoteKind::AgentCut].map(|kind| Note { kind, line: 1 }));
        let text = serde_json::to_string(&counts).unwrap();
        assert_eq!(text, r#"{"agent-cut":1,"file-cut":2}"#);
        assert_eq!(serde_json::from_str::<NoteCounts>(&text).unwrap(), counts);
    }
}
