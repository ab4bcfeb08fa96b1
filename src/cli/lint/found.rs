//! What several dialects say of one line, for people and as JSON Lines.

use hashbrown::HashMap;
use serde::Serialize;
use std::path::Path;

use crate::dialect::Dialect;
use crate::formats::{json, shown};
use crate::lint::{Citation, Finding, FindingKind, Report};

/// A finding of one or several dialects.
pub(super) struct Found<'r> {
    /// As the first of them has it.
    pub finding: &'r Finding,
    /// What each of them cites.
    cited: Vec<(&'r Dialect, Citation)>,
}

/// The findings of all reports on one file, in file order. What several of them say of a line is one finding.
pub(super) fn together<'r>(reports: &'r [(&'r Dialect, Report)]) -> Vec<Found<'r>> {
    let mut all: Vec<Found<'r>> = Vec::new();
    let mut places = HashMap::new();
    for (dialect, report) in reports {
        for finding in &report.findings {
            let key = (finding.line, finding.kind, &finding.reason, &finding.proposal);
            let place = *places.entry(key).or_insert(all.len());
            if place == all.len() {
                all.push(Found { finding, cited: Vec::new() });
            }
            all[place].cited.push((dialect, finding.citation));
        }
    }
    all.sort_by_key(|found| (found.finding.line, found.finding.kind));
    all
}

impl Found<'_> {
    /// What the dialects cite: one bracket for those that cite the same.
    pub fn citations(&self) -> String {
        let mut groups: Vec<(Citation, Vec<&str>)> = Vec::new();
        for (dialect, citation) in &self.cited {
            match groups.iter_mut().find(|(other, _)| other == citation) {
                Some((_, names)) => names.push(dialect.name),
                None => groups.push((*citation, vec![dialect.name])),
            }
        }
        let bracket = |(citation, names): &(Citation, Vec<&str>)| {
            let section = if citation.section.is_empty() { String::new() } else { format!(", {}", citation.section) };
            let borrowed = match (citation.borrowed, names.len()) {
                (false, _) => "",
                (true, 1) => "; its own text does not say",
                (true, _) => "; their own texts do not say",
            };
            format!("[{}: {}{section}{borrowed}]", names.join(", "), citation.document)
        };
        groups.iter().map(bracket).collect::<Vec<_>>().join(" ")
    }
}

/// A finding as a line of JSON.
pub(super) fn json_line(path: &Path, dialect: &Dialect, finding: &Finding) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct FindingLine<'f> {
        file: String,
        dialect: &'static str,
        #[serde(flatten)]
        finding: &'f Finding,
    }
    json::to_string(&FindingLine { file: path.display().to_string(), dialect: dialect.name, finding })
}

/// A finding, with the text of the file below it.
pub(super) fn text_line(path: &Path, found: &Found<'_>) -> String {
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
pub(super) fn kind_line(kind: FindingKind) -> String {
    let explained = kind.explained();
    let mut out = format!("{}: {}: {}", kind.severity().name(), kind.name(), explained.meaning);
    for line in explained.example.unwrap_or_default().lines() {
        out.push_str(&format!("\n    {line}"));
    }
    out
}
