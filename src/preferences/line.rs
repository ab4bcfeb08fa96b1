//! One line of a robots.txt that says something about uses.

use super::content_signal;
use super::content_usage;
use super::preference::{Preference, PreferenceSource, Use};
use crate::robots::{SideKey, SideRecord};

/// One line that says something about uses of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PreferenceLine<'r> {
    /// The record.
    pub source: PreferenceSource,
    /// The path that it is for, as written; empty if it is for all.
    pub path: &'r [u8],
    /// The line, counted from 1.
    pub line: u32,
    /// What it says of each use.
    said: [Preference; Use::COUNT],
}

impl<'r> PreferenceLine<'r> {
    /// What a record says; `None` if it is of another kind.
    pub fn of(record: &SideRecord<'r>) -> Option<PreferenceLine<'r>> {
        let (source, path, said) = match record.key {
            SideKey::ContentUsage => {
                let (path, statement) = content_usage::split(record.value);
                (PreferenceSource::ContentUsage, path, content_usage::read(statement))
            }
            SideKey::ContentSignal => (PreferenceSource::ContentSignal, &b""[..], content_signal::read(record.value)),
            _ => return None,
        };
        Some(PreferenceLine { source, path, line: record.line, said })
    }

    /// Whether records with a key are such lines.
    pub(crate) fn is_one(key: SideKey) -> bool {
        matches!(key, SideKey::ContentUsage | SideKey::ContentSignal)
    }

    /// What records say, in full: what follows from them is the same where this is. Empty if they say nothing.
    pub(crate) fn key(records: &[SideRecord<'_>]) -> Vec<u8> {
        let mut key = Vec::new();
        for record in records.iter().filter(|record| PreferenceLine::is_one(record.key)) {
            key.push(record.key as u8);
            key.extend_from_slice(record.value);
            // No line holds one.
            key.push(b'\n');
        }
        key
    }

    /// The labels in its value that are not known, as written.
    pub(crate) fn unknown_labels(&self, value: &[u8]) -> Vec<String> {
        match self.source {
            PreferenceSource::ContentUsage => content_usage::unknown(content_usage::split(value).1),
            PreferenceSource::ContentSignal => content_signal::unknown(value),
        }
    }

    /// What it says of a use.
    pub fn says(&self, use_: Use) -> Preference {
        self.said[use_ as usize]
    }
}
