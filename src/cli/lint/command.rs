//! Lints files one by one.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use super::{files, found, sarif};
use crate::cli::args::{Dialects, LintArgs, LintFormat};
use crate::cli::error::Failure;
use crate::cli::say::{Printer, say};
use crate::dialect::Dialect;
use crate::formats::shown;
use crate::lint::{self, FindingKind, Report, Severity};
use crate::output::counted;

pub fn run(args: &LintArgs) -> Result<ExitCode, Failure> {
    let mut printer = Printer::new();
    if args.kinds {
        for kind in FindingKind::all() {
            printer.line(&found::kind_line(kind))?;
        }
        printer.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let dialects = dialects(&args.dialect);
    let format = if args.json { LintFormat::Jsonl } else { args.format };
    let (mut counts, mut failed) = (Counts::default(), false);
    if format == LintFormat::Sarif {
        printer.line(&sarif::head()?)?;
    }
    for path in &args.files {
        // The other files are still reported.
        let read = files::each(path, &dialects, args.columns.as_ref(), |name, body| {
            lint_file(name, body, &dialects, format, (&mut printer, &mut counts))
        });
        for failure in read? {
            failed = true;
            say(format_args!("robosieve: {failure}"));
        }
    }
    if format == LintFormat::Sarif {
        printer.line(sarif::TAIL)?;
    }
    printer.finish()?;
    if format == LintFormat::Text {
        say(&counts);
    }
    Ok(match (failed, counts.are_any(args.severity)) {
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

    /// Whether there are findings as severe as this, or more.
    fn are_any(&self, severity: Severity) -> bool {
        let less = match severity {
            Severity::Error => self.warnings + self.notes,
            Severity::Warning => self.notes,
            Severity::Note => 0,
        };
        self.total() > less
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

/// Reports on one file.
fn lint_file(
    name: &Path,
    file: &[u8],
    dialects: &[&'static Dialect],
    format: LintFormat,
    (printer, counts): (&mut Printer, &mut Counts),
) -> Result<(), Failure> {
    counts.files += 1;
    let reports: Vec<(&Dialect, Report)> =
        dialects.iter().map(|&dialect| (dialect, lint::check(file, dialect))).collect();
    if format == LintFormat::Jsonl {
        for (dialect, report) in &reports {
            for finding in &report.findings {
                counts.add(finding.severity);
                printer.line(&found::json_line(name, dialect, finding)?)?;
            }
        }
    } else {
        for found in found::together(&reports) {
            let line = match format {
                LintFormat::Sarif => sarif::result(name, &found, counts.total() == 0)?,
                _ => found::text_line(name, &found),
            };
            counts.add(found.finding.severity);
            printer.line(&line)?;
        }
    }
    reports.iter().for_each(|(dialect, report)| report_limits(name, dialect, report));
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

/// Reports what was cut short because the file is too large or too hostile.
fn report_limits(path: &Path, dialect: &Dialect, report: &Report) {
    let of = format!("robosieve: {}: {}", shown(path), dialect.name);
    if report.left_off > 0 {
        say(format_args!("{of}: {} more findings are not shown", report.left_off));
    }
    if report.undecided > 0 {
        let questions = counted(report.undecided as u64, "question", "questions");
        say(format_args!("{of}: {questions} about the effect of lines not decided: too many rules or wildcards"));
    }
    if report.not_searched > 0 {
        say(format_args!("{of}: {} rules were not compared with all others: too many wildcards", report.not_searched));
    }
}
