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

    /// Whether a record is one.
    pub(crate) fn is_one(record: &SideRecord<'_>) -> bool {
        matches!(record.key, SideKey::ContentUsage | SideKey::ContentSignal)
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
