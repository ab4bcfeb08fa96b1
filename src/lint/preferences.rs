//! Findings about what a file says about uses of pages.

use super::FindingKind;
use super::finding::{Findings, excerpt};
use crate::preferences::{Preference, PreferenceLine, PreferenceSource, Use};
use crate::robots::{SideKey, SideRecord};

/// Checks the value of a line, if it says something about uses.
pub(super) fn check(line: u32, key: SideKey, value: &[u8], findings: &mut Findings<'_>) {
    let Some(read) = PreferenceLine::of(&SideRecord { key, value, line, group: None }) else { return };
    let is_usage = read.source == PreferenceSource::ContentUsage;
    let broken: Vec<&str> = Use::all()
        .filter(|&use_| read.says(use_) == Preference::Broken)
        .filter_map(|use_| read.source.label(use_))
        .collect();
    if !broken.is_empty() {
        let (kind, form) = match is_usage {
            true => (FindingKind::BrokenContentUsage, "labels with =y or =n, such as train-ai=n, search=y"),
            false => (FindingKind::BrokenContentSignal, "signals with =yes or =no, such as ai-train=no, search=yes"),
        };
        let reason = format!("what it says of {} cannot be read; write {form}", broken.join(", "));
        findings.add(kind, line, reason);
    }
    let kind = if is_usage { FindingKind::UnknownContentUsage } else { FindingKind::UnknownContentSignal };
    for label in read.unknown_labels(value) {
        let reason = format!("{} is not known, and says nothing", excerpt(label.as_bytes()));
        findings.add(kind, line, reason);
    }
}
