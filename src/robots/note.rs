//! The parser's notes on dropped lines. A robots.txt is never refused, but nothing is dropped silently.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

named! {
    /// Why something in a robots.txt is not a rule, or not the rule as written.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[non_exhaustive]
    pub enum NoteKind {
        /// An `Allow`, `Disallow` or `Content-Usage` line before the first group, or outside every record (RFC 9309 2.2.2).
        RuleOutsideGroup = "rule-outside-group",
        /// A rule whose value begins with neither `/` nor `*`, if the dialect requires one of them.
        RuleWithoutSlash = "rule-without-slash",
        /// An `Allow` line, if the dialect has none.
        AllowIgnored = "allow-ignored",
        /// A line with content before its comment but no colon.
        MissingColon = "missing-colon",
        /// A known misspelling of a key, if the dialect reads only the correct form.
        MisspeltKey = "misspelt-key",
        /// A record with a key that no document defines.
        UnknownRecord = "unknown-record",
        /// A `User-agent` line of which only the leading token counts, or nothing at all.
        AgentCut = "agent-cut",
        /// An agent that an earlier group already names.
        AgentRepeated = "agent-repeated",
        /// The end of a line, cut at the dialect's limit or at a NUL that ends the line.
        LineCut = "line-cut",
        /// The end of the file, cut at the dialect's limit.
        FileCut = "file-cut",
        /// Invalid UTF-16, replaced by U+FFFD.
        EncodingMended = "encoding-mended",
        /// The file looks like an HTML page.
        LooksLikeHtml = "looks-like-html",
    }
}

/// One dropped item and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Why it was dropped.
    pub kind: NoteKind,
    /// The line, counted from 1; 0 if the note concerns the whole file.
    pub line: u32,
}

/// How often each kind of note occurred, over many files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoteCounts([u64; NoteKind::ALL.len()]);

impl NoteCounts {
    /// Counts `notes`.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn add_all(&mut self, notes: &[Note]) {
        for note in notes {
            self.0[note.kind as usize] += 1;
        }
    }

    /// Adds to the count of the kind with this number, if there is one.
    pub(crate) fn add(&mut self, kind: u64, count: u64) -> Option<()> {
        let known = self.0.get_mut(usize::try_from(kind).ok()?)?;
        *known = known.saturating_add(count);
        Some(())
    }

    /// Whether nothing was dropped or cut.
    pub fn is_empty(&self) -> bool {
        *self == NoteCounts::default()
    }

    /// Adds the counts of another set of files.
    pub fn merge(&mut self, other: &NoteCounts) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    /// The kinds that occurred, and how often.
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
    fn counts_come_back_by_name() {
        let mut counts = NoteCounts::default();
        counts.add_all(&[NoteKind::FileCut, NoteKind::FileCut, NoteKind::AgentCut].map(|kind| Note { kind, line: 1 }));
        let text = serde_json::to_string(&counts).unwrap();
        assert_eq!(text, r#"{"agent-cut":1,"file-cut":2}"#);
        assert_eq!(serde_json::from_str::<NoteCounts>(&text).unwrap(), counts);
    }
}
