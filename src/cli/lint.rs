//! `robosieve lint`.

use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fmt, io};

use super::args::{Dialects, LintArgs};
use super::error::Failure;
use super::say::{Printer, say};
use super::sources;
use crate::dialect::Dialect;
use crate::formats::error::FileError;
use crate::formats::{json, shown};
use crate::lint::{self, Finding, Report, Severity};
use crate::output::counted;

pub fn run(args: &LintArgs) -> Result<ExitCode, Failure> {
    let dialects = dialects(&args.dialect);
    let (mut printer, mut counts, mut failed) = (Printer::new(), Counts::default(), false);
    for path in &args.files {
        // The other files are still reported.
        let files = files(path).unwrap_or_else(|failure| {
            failed = true;
            say(format_args!("robosieve: {failure}"));
            Vec::new()
        });
        for path in files {
            match sources::robots_txt(&path, dialects.iter().copied()) {
                Ok(robots) => lint_file(&path, &robots.body, &dialects, args, (&mut printer, &mut counts))?,
                Err(failure) => {
                    failed = true;
                    say(format_args!("robosieve: {failure}"));
                }
            }
        }
    }
    printer.finish()?;
    if !args.json {
        say(&counts);
    }
    Ok(match (failed, counts.total() > 0) {
        (true, _) => ExitCode::from(2),
        (false, true) => ExitCode::from(1),
        (false, false) => ExitCode::SUCCESS,
    })
}

/// The number of findings by severity.
#[derive(Default)]
struct Counts {
    files: u64,
    errors: u64,
    warnings: u64,
    notes: u64,
}

impl Counts {
    fn total(&self) -> u64 {
        self.errors + self.warnings + self.notes
    }

    fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = counted(self.files, "file", "files");
        if self.total() == 0 {
            return write!(f, "{files}, no findings");
        }
        let findings = counted(self.total(), "finding", "findings");
        let parts = [
            counted(self.errors, "error", "errors"),
            counted(self.warnings, "warning", "warnings"),
            counted(self.notes, "note", "notes"),
        ];
        write!(f, "{files}, {findings}: {}", parts.join(", "))
    }
}

/// The files of a folder, sorted by name, without hidden ones; any other path as it is.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let list = || {
        let entries = std::fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        let is_hidden = |entry: &std::fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
        let paths = entries.into_iter().filter(|entry| !is_hidden(entry)).map(|entry| entry.path());
        let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        files.sort();
        Ok(files)
    };
    Ok(list().map_err(FileError::of("read", path))?)
}

/// Reports on one file.
fn lint_file(
    path: &Path,
    file: &[u8],
    dialects: &[&'static Dialect],
    args: &LintArgs,
    (printer, counts): (&mut Printer, &mut Counts),
) -> Result<(), Failure> {
    counts.files += 1;
    for dialect in dialects {
        let report = lint::check(file, dialect);
        for finding in &report.findings {
            counts.add(finding.severity);
            printer.line(&if args.json { json(path, dialect, finding)? } else { text(path, dialect, finding) })?;
        }
        report_limits(path, dialect, &report);
    }
    Ok(())
}

/// The dialects asked for, each once.
fn dialects(asked: &[Dialects]) -> Vec<&'static Dialect> {
    let mut dialects: Vec<&'static Dialect> = Vec::new();
    for asked in asked {
        let more = match asked {
            Dialects::All => Dialect::ALL.iter().collect(),
            Dialects::One(dialect) => vec![*dialect],
        };
        for dialect in more {
            if !dialects.contains(&dialect) {
                dialects.push(dialect);
            }
        }
    }
    dialects
}

/// A finding for people, with the text of the file below it.
fn text(path: &Path, dialect: &Dialect, finding: &Finding) -> String {
    let Finding { kind, severity, line, text, reason, proposal, citation, .. } = finding;
    let place = if *line == 0 { String::new() } else { format!(":{line}") };
    let section = if citation.section.is_empty() { String::new() } else { format!(", {}", citation.section) };
    let borrowed = if citation.borrowed { "; its own text does not say" } else { "" };
    let mut out = format!(
        "{}{place}: {}: {}: {reason} [{}: {}{section}{borrowed}]",
        shown(path),
        severity.name(),
        kind.name(),
        dialect.name,
        citation.document
    );
    if !text.is_empty() {
        out.push_str(&format!("\n    {text}"));
    }
    if let Some(proposal) = proposal {
        out.push_str(&format!("\n    probably meant: {proposal}"));
    }
    out
}

/// A finding as a line of JSON.
fn json(path: &Path, dialect: &Dialect, finding: &Finding) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct FindingLine<'f> {
        file: String,
        dialect: &'static str,
        #[serde(flatten)]
        finding: &'f Finding,
    }
    json::to_string(&FindingLine { file: path.display().to_string(), dialect: dialect.name, finding })
}

/// Reports what was cut short because the file is too large or too hostile.
fn report_limits(path: &Path, dialect: &Dialect, report: &Report) {
    let of = format!("robosieve: {}: {}", shown(path), dialect.name);
    if report.left_off > 0 {
        say(format_args!("{of}: {} more findings are not shown", report.left_off));
    }
    if report.not_searched > 0 {
        say(format_args!("{of}: {} rules were not compared with all others: too many wildcards", report.not_searched));
    }
}
