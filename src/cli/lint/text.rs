//! Findings for people.

use std::path::Path;

use super::found::Found;
use crate::formats::shown;
use crate::lint::{Finding, FindingKind};

/// A finding, with the text of the file below it.
pub(super) fn finding(path: &Path, found: &Found<'_>) -> String {
    let Finding { kind, severity, line, text, reason, proposal, .. } = found.finding;
    let place = if *line == 0 { String::new() } else { format!(":{line}") };
    let (severity, kind, cited) = (severity.name(), kind.name(), found.citations());
    let mut out = format!("{}{place}: {severity}: {kind}: {reason} {cited}", shown(path));
    if !text.is_empty() {
        out.push_str(&format!("\n    {text}"));
    }
    if let Some(proposal) = proposal {
        let lines = proposal.replace('\n', "\n                    ");
        out.push_str(&format!("\n    probably meant: {lines}"));
    }
    out
}

/// A kind with its severity, meaning and example.
pub(super) fn kind(kind: FindingKind) -> String {
    let explained = kind.explained();
    let mut out = format!("{}: {}: {}", kind.severity().name(), kind.name(), explained.meaning);
    for line in explained.example.unwrap_or_default().lines() {
        out.push_str(&format!("\n    {line}"));
    }
    out
}
