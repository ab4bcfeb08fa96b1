//! `robosieve lint`.

use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use super::args::{Dialects, LintArgs};
use super::failure::Failure;
use super::printer::Printer;
use super::read::read;
use robosieve::Dialect;
use robosieve::lint::{self, Finding, Report};

pub fn run(args: &LintArgs) -> Result<ExitCode, Failure> {
    let dialects = dialects(&args.dialect);
    let mut printer = Printer::new();
    let (mut found, mut failed) = (false, false);
    for path in &args.files {
        // The other files are reported all the same.
        let file = match read(path) {
            Ok(file) => file,
            Err(failure) => {
                failed = true;
                let _ = writeln!(io::stderr(), "robosieve: {failure}");
                continue;
            }
        };
        for dialect in &dialects {
            let report = lint::lint(&file, dialect);
            found |= !report.findings.is_empty();
            for finding in &report.findings {
                printer.line(&if args.json { json(path, dialect, finding)? } else { text(path, dialect, finding) })?;
            }
            bounds(path, dialect, &report);
        }
    }
    printer.finish()?;
    Ok(match (failed, found) {
        (true, _) => ExitCode::from(2),
        (false, true) => ExitCode::from(1),
        (false, false) => ExitCode::SUCCESS,
    })
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

/// A finding as a line for people, with what stands in the file below it.
fn text(path: &Path, dialect: &Dialect, finding: &Finding) -> String {
    let Finding { kind, line, text, reason, proposal, citation, .. } = finding;
    let place = if *line == 0 { String::new() } else { format!(":{line}") };
    let section = if citation.section.is_empty() { String::new() } else { format!(", {}", citation.section) };
    let borrowed = if citation.borrowed { "; its own text is silent" } else { "" };
    let mut out = format!(
        "{}{place}: {}: {reason} [{}: {}{section}{borrowed}]",
        path.display(),
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

/// A finding as a line for machines.
fn json(path: &Path, dialect: &Dialect, finding: &Finding) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Line<'f> {
        file: String,
        dialect: &'static str,
        #[serde(flatten)]
        finding: &'f Finding,
    }
    serde_json::to_string(&Line { file: path.display().to_string(), dialect: dialect.name, finding })
}

/// Says what was not done, because the file is too large or too hostile.
fn bounds(path: &Path, dialect: &Dialect, report: &Report) {
    let say = |what: String| {
        // Nobody may be there to read it; the findings stand for themselves.
        let _ = writeln!(io::stderr(), "robosieve: {}: {}: {what}", path.display(), dialect.name);
    };
    if report.left_off > 0 {
        say(format!("{} more findings were left off", report.left_off));
    }
    if report.not_searched > 0 {
        say(format!("{} rules were not compared with all others, there are too many wildcards", report.not_searched));
    }
}
