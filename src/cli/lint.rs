//! `robosieve lint`: lints files one by one, puts together what several dialects say of a line, and prints the findings: for people, as
//! JSON Lines, or as SARIF 2.1.0, which code hosts show beside the lines.

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use hashbrown::HashMap;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde::Serialize;
use serde_json::json;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::one_of;
use super::error::Failure;
use super::help::{OUTPUT, ROBOTS_TXT};
use super::lint_files;
use super::say::{Printer, say};
use crate::dialect::Dialect;
use crate::formats::{json, shown};
use crate::lint::{self, Citation, Finding, FindingKind, Report, Severity};
use crate::output::counted;
use crate::policy::source::FieldNames;

/// Report lines of a robots.txt that its author did not mean
///
/// Reads each file as a crawler of the dialect does, and reports what is ignored, what is read differently than it looks, and what
/// has no effect. Each finding cites the text that says so, and is an error (read differently than it is written), a warning
/// (without effect, or not for all crawlers) or a note (could be better). Exits with 0 if there are no findings, with 1 if there
/// are any that --severity asks for, and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve lint robots.txt
  robosieve lint --severity warning --format sarif robots.txt > robots.sarif
  robosieve lint responses.warc.gz
  robosieve lint --dialect all --json robots/* | jq -r .kind | sort | uniq -c")]
pub struct LintArgs {
    /// The dialect, or `all`; repeatable
    #[arg(
        long,
        help_heading = ROBOTS_TXT,
        long_help = format!("The dialect, or `all`; repeatable: {}", Dialect::names().join(", ")),
        value_name = "NAME",
        default_value = "rfc9309",
        hide_possible_values = true,
        value_parser = dialects()
    )]
    pub dialect: Vec<&'static [Dialect]>,
    /// Least to count: error, warning, note
    ///
    /// For the exit status; all findings are printed.
    #[arg(long, help_heading = OUTPUT, value_name = "LEVEL", default_value = "note", hide_possible_values = true,
        value_parser = one_of(Severity::ALL.map(|severity| (severity.name(), severity))))]
    pub severity: Severity,
    /// text, jsonl or sarif
    ///
    /// jsonl is an object a line for each finding; sarif is SARIF 2.1.0, for code hosts. In text, what several dialects say of a
    /// line is one finding.
    #[arg(long, help_heading = OUTPUT, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: LintFormat,
    /// The same as --format jsonl
    #[arg(long, help_heading = OUTPUT, conflicts_with = "format")]
    pub json: bool,
    /// Other keys of JSON Lines, columns of Parquet
    ///
    /// As for `compile`.
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "FIELD=NAME,...", hide_short_help = true)]
    pub columns: Option<FieldNames>,
    /// Print all kinds of findings, with examples
    ///
    /// Each with its severity and meaning.
    #[arg(long, help_heading = OUTPUT, conflicts_with_all = ["files", "format", "json"])]
    pub kinds: bool,
    /// robots.txt files, or folders of them; - is standard input
    ///
    /// Of WARC archives, JSON Lines and Parquet, as for `compile`, the newest robots.txt of each origin is read. Other JSON, a
    /// table, other files that are no text, and a named pipe are refused.
    #[arg(required_unless_present = "kinds", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// How `lint` prints findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// Lines for people; what several dialects say of a line is one finding
    Text,
    /// A JSON object per line for each finding
    Jsonl,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

/// Parses a dialect, or all of them.
fn dialects() -> impl TypedValueParser<Value = &'static [Dialect]> {
    let each = Dialect::ALL.iter().map(|dialect| (dialect.name, std::slice::from_ref(dialect)));
    one_of(each.chain([("all", Dialect::ALL)]))
}

pub fn run(args: &LintArgs) -> Result<ExitCode, Failure> {
    let mut printer = Printer::new()?;
    if args.kinds {
        for kind in FindingKind::all() {
            printer.line(&kind_line(kind))?;
        }
        printer.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut dialects: Vec<&Dialect> = Vec::new();
    for dialect in args.dialect.iter().copied().flatten() {
        if !dialects.contains(&dialect) {
            dialects.push(dialect);
        }
    }
    let format = if args.json { LintFormat::Jsonl } else { args.format };
    let (mut counts, mut failed) = (Counts::default(), false);
    if format == LintFormat::Sarif {
        printer.line(&sarif_head()?)?;
    }
    for path in &args.files {
        // The other files are still reported.
        let read = lint_files::each(path, &dialects, args.columns.as_ref(), |name, body| {
            lint_file(name, body, &dialects, format, (&mut printer, &mut counts))
        });
        for failure in read? {
            failed = true;
            say(format_args!("robosieve: {failure}"));
        }
    }
    if format == LintFormat::Sarif {
        printer.line(SARIF_TAIL)?;
    }
    printer.finish()?;
    if format == LintFormat::Text {
        say(&counts);
    }
    Ok(match (failed, counts.from(args.severity) > 0) {
        (true, _) => ExitCode::from(2),
        (false, true) => ExitCode::from(1),
        (false, false) => ExitCode::SUCCESS,
    })
}

#[derive(Default)]
struct Counts {
    files: u64,
    /// The number of findings by severity.
    findings: [u64; Severity::ALL.len()],
}

impl Counts {
    /// How many findings are as severe as this, or more.
    fn from(&self, least: Severity) -> u64 {
        self.findings[..=least as usize].iter().sum()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, all) = (counted(self.files, "file", "files"), self.from(Severity::Note));
        if all == 0 {
            return write!(f, "{files}, no findings");
        }
        let of =
            |severity: Severity| counted(self.findings[severity as usize], severity.name(), &format!("{severity}s"));
        write!(f, "{files}, {}: {}", counted(all, "finding", "findings"), Severity::ALL.map(of).join(", "))
    }
}

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
                counts.findings[finding.severity as usize] += 1;
                printer.line(&json_line(name, dialect, finding)?)?;
            }
        }
    } else {
        for found in together(&reports) {
            let line = match format {
                LintFormat::Sarif => sarif_result(name, &found, counts.from(Severity::Note) == 0)?,
                _ => text_line(name, &found),
            };
            counts.findings[found.finding.severity as usize] += 1;
            printer.line(&line)?;
        }
    }
    reports.iter().for_each(|(dialect, report)| report_limits(name, dialect, report));
    Ok(())
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

/// A finding of one or several dialects.
struct Found<'r> {
    /// As the first of them has it.
    pub finding: &'r Finding,
    /// What each of them cites.
    cited: Vec<(&'r Dialect, Citation)>,
}

/// The findings of all reports on one file, in file order. What several of them say of a line is one finding.
fn together<'r>(reports: &'r [(&'r Dialect, Report)]) -> Vec<Found<'r>> {
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

fn json_line(path: &Path, dialect: &Dialect, finding: &Finding) -> Result<String, serde_json::Error> {
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
fn text_line(path: &Path, found: &Found<'_>) -> String {
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

fn kind_line(kind: FindingKind) -> String {
    let mut out = format!("{}: {}: {}", kind.severity().name(), kind.name(), kind.meaning());
    for line in kind.example().unwrap_or_default().lines() {
        out.push_str(&format!("\n    {line}"));
    }
    out
}

/// The bytes that a reference to a file escapes: all but those that a path consists of.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What begins a log of SARIF: the program with all kinds of findings. Results follow, one a line, and then [`SARIF_TAIL`].
fn sarif_head() -> Result<String, serde_json::Error> {
    let rules: Vec<_> = FindingKind::all()
        .map(|kind| {
            let (name, level) = (kind.name(), kind.severity().name());
            json!({"id": name, "shortDescription": {"text": kind.meaning()}, "defaultConfiguration": {"level": level}})
        })
        .collect();
    let driver = json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let driver = json::to_string(&driver)?;
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    Ok(format!(
        "{{\"$schema\":\"{schema}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"results\":["
    ))
}

const SARIF_TAIL: &str = "]}]}";

/// A finding as a result, with a comma before it if it is not the first. What concerns a whole file is at its first line, because
/// a place is needed.
fn sarif_result(path: &Path, found: &Found<'_>, is_first: bool) -> Result<String, serde_json::Error> {
    let place = |line: u32| json!({"physicalLocation": {"artifactLocation": {"uri": uri(path)}, "region": {"startLine": line.max(1)}}});
    let Finding { kind, severity, line, reason, proposal, related, .. } = found.finding;
    let meant = proposal.as_ref().map_or(String::new(), |proposal| format!("\nProbably meant: {proposal}"));
    let mut result = json!({
        "ruleId": kind.name(),
        "ruleIndex": *kind as usize,
        "level": severity.name(),
        "message": {"text": format!("{reason} {}{meant}", found.citations())},
        "locations": [place(*line)],
    });
    if let Some(related) = related {
        let mut other = place(related.line);
        other["message"] = json!({"text": related.text});
        result["relatedLocations"] = json!([other]);
    }
    Ok(format!("{}{}", if is_first { "" } else { "," }, json::to_string(&result)?))
}

/// A reference to a file: a URL as it is, a path relative to where the program runs.
fn uri(path: &Path) -> String {
    match path.to_str() {
        Some(url) if url.contains("://") => url.to_owned(),
        Some(text) if cfg!(windows) => percent_encode(text.replace('\\', "/").as_bytes(), ESCAPED).to_string(),
        _ => percent_encode(path.as_os_str().as_encoded_bytes(), ESCAPED).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_references() {
        for (path, expected) in [
            ("a b/é.txt", "a%20b/%C3%A9.txt"),
            ("a%3A:c", "a%253A%3Ac"),
            ("https://a.example/robots.txt", "https://a.example/robots.txt"),
        ] {
            assert_eq!(uri(Path::new(path)), expected);
        }
        #[cfg(unix)]
        assert_eq!(
            uri(Path::new(std::os::unix::ffi::OsStrExt::from_bytes(b"no\xe9%".as_slice()) as &std::ffi::OsStr)),
            "no%E9%25"
        );
    }
}
