//! The page as a whole.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::facts::Report;
use super::html::{number, percent, text};
use super::sections;
use crate::formats::regular_file;
use crate::formats::replaceable::{FileKind, begins_with};
use crate::formats::time;
use crate::outcome::Partition;
use crate::output::folder::REPORT_START as START;
use crate::output::receipt::{PartitionPart, Receipt, counted};
use crate::policy::replace;

/// The content security policy: the page fetches nothing, whatever it contains.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

impl Report {
    /// Writes the page to a file, which gets its name only when it is complete.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or if it exists and is not a report; then it is not replaced.
    pub fn write_file(&self, path: &Path) -> io::Result<()> {
        // A pipe in the run's folder may have no reader.
        match regular_file::ensure(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        replace(path, &REPORT_PAGE, |file: &mut File| file.write_all(page(self).as_bytes()))
    }
}

/// Pages about runs.
pub(crate) const REPORT_PAGE: FileKind =
    FileKind { name: "a report", is_ours: |file| begins_with(file, START.as_bytes()) };

/// The HTML of the page.
fn page(report: &Report) -> String {
    let receipt = &report.receipt;
    let agents = text(&receipt.agents.join(" and "));
    let title = format!("robots.txt for {agents}: {} lines", number(receipt.input.lines));
    let sections = [
        sections::partitions(report),
        sections::blocked(report),
        sections::origins(report),
        sections::speed(report),
        sections::lists(report),
        sections::engines(report),
        sections::options(report),
    ];
    format!(
        "{START}<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n{}{}</header>\n\
         <main>\n{}</main>\n{}<script>\n{}</script>\n</body>\n</html>\n",
        include_str!("page.css"),
        subtitle(receipt),
        figures(report),
        sections.concat(),
        footer(report),
        include_str!("page.js"),
    )
}

/// A line that identifies the run.
fn subtitle(receipt: &Receipt) -> String {
    let lists = match receipt.lists.as_slice() {
        [one] => one.path.clone(),
        several => counted(several.len() as u64, "list", "lists"),
    };
    let date = time(receipt.options.choices.now);
    let policy = &receipt.policy_checksum.to_string()[..8];
    let summary = format!("{lists}; dialect {}; policy {policy}...; judged at {date}", receipt.dialect);
    format!("<p class=\"run\">{}</p>\n", text(&summary))
}

/// The key figures: the share of each partition, and numbers about the run.
fn figures(report: &Report) -> String {
    let receipt = &report.receipt;
    let proof = match receipt.balanced {
        Some(true) => "every line",
        Some(false) => "NOT every line",
        None => "nothing was written",
    };
    let part = |name: &str, part: &PartitionPart| {
        let class = Partition::ALL.into_iter().map(Partition::name).find(|known| name.starts_with(known));
        let share = percent(part.judged.lines, receipt.input.lines);
        let swatch = format!("<span class=\"swatch {}\"></span>", class.unwrap_or_default());
        let lines = if part.judged.lines == 1 { "line" } else { "lines" };
        let lines = format!("{} {lines}", number(part.judged.lines));
        format!("<div><dt>{swatch}{}</dt><dd>{share:.2}%</dd><dd class=\"of\">{lines}</dd></div>\n", text(name))
    };
    let mut parts: Vec<_> = receipt.partitions.iter().collect();
    parts.sort_by_key(|(name, _)| ["blocked", "allowed"].iter().position(|first| name.starts_with(first)).unwrap_or(2));
    let parts: String = parts.into_iter().map(|(name, of)| part(name, of)).collect();
    let figures = [
        ("Lines", number(receipt.input.lines)),
        ("Accounted for", proof.to_owned()),
        ("Origins in the policy", number(receipt.policy.origins)),
        ("robots.txt to fetch", receipt.origins_needed.map_or_else(|| "-".to_owned(), number)),
        ("Seconds", format!("{:.3}", receipt.seconds)),
        ("Lines a second", number(receipt.urls_per_second as u64)),
    ];
    let figures: String =
        figures.iter().map(|(name, value)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", text(value))).collect();
    format!("<dl class=\"figures\">\n{parts}{figures}</dl>\n")
}

fn footer(report: &Report) -> String {
    let receipt = &report.receipt;
    let sums = receipt.input.sum.zip(receipt.input.order);
    let sums =
        sums.map_or_else(String::new, |(sum, order)| format!(" Checksums of the input: sum {sum}, order {order}."));
    let version = text(&receipt.robosieve);
    format!("<footer>Run by robosieve {version}, page by robosieve {}.{sums}</footer>\n", env!("CARGO_PKG_VERSION"))
}
