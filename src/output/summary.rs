//! The short table of a run, for people.

use std::fmt;

use super::receipt::{Part, Receipt, counted};
use crate::formats::fit::{self, Row};
use crate::formats::visible;

impl fmt::Display for Receipt {
    /// A short table of the run, in 80 columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fit::table(&self.rows_of_summary()))?;
        if let Some(changes) = &self.changes {
            let changes = if changes.is_empty() { vec!["no line".to_owned()] } else { listed(changes) };
            writeln!(f, "{}", fit::wrapped([vec!["changed:".to_owned()], changes].concat()))?;
        }
        if self.skipped > 0 {
            let (part, parts) =
                ("part of a list could not be read and was", "parts of lists could not be read and were");
            writeln!(f, "{} skipped", counted(self.skipped, part, parts))?;
        }
        if let Some(needed) = self.origins_needed.filter(|&needed| needed > 0) {
            writeln!(f, "{needed} robots.txt to fetch, in robots-needed.tsv")?;
        }
        let notes: u64 = self.policy.notes.iter().map(|(_, count)| count).sum();
        if notes > 0 {
            let lines = counted(notes, "line or part", "lines or parts");
            let had_none = format!("{lines} of robots.txt files had no effect;");
            let where_to = "the receipt lists their kinds, `robosieve lint` the lines";
            writeln!(f, "{}", fit::wrapped([had_none.as_str(), where_to]))?;
        }
        for (name, count) in self.policy.warc.flaws() {
            writeln!(f, "WARC: {name} {count}")?;
        }
        f.write_str(&self.conclusion())
    }
}

impl Receipt {
    /// The lines of each partition, those left out, and all.
    fn rows_of_summary(&self) -> Vec<Row> {
        let all = self.input.lines.max(1) as f64;
        let row = |name: &str, Part { lines, bytes, .. }: Part, text| {
            let share = format!("{:.2}%", 100.0 * lines as f64 / all);
            Row { name: visible(name).to_string(), cells: vec![lines.to_string(), share, bytes.to_string()], text }
        };
        let head = ["lines", "share", "bytes"].map(str::to_owned).to_vec();
        let mut rows = vec![Row { name: "partition".to_owned(), cells: head, text: vec!["reasons".to_owned()] }];
        rows.extend(self.partitions.iter().map(|(name, part)| row(name, part.judged, listed(&part.reasons))));
        for (name, part, why) in [
            ("duplicates", self.duplicates, "duplicate URLs, left out"),
            ("seen", self.seen, "seen by earlier runs, left out"),
            ("unchanged", self.unchanged, "the same by both policies, left out"),
        ] {
            rows.extend(part.map(|part| row(name, part, vec![why.to_owned()])));
        }
        let Part { lines, bytes, .. } = self.input;
        let cells = vec![lines.to_string(), String::new(), bytes.to_string()];
        rows.push(Row { name: "input".to_owned(), cells, text: Vec::new() });
        rows
    }

    /// What judged the lines, how fast, and whether all came out.
    fn conclusion(&self) -> String {
        let origins = counted(self.policy.origins, "origin", "origins");
        let groups = counted(self.policy.automata, "distinct group", "distinct groups");
        let speed = format!("{:.3} s, {:.2} million URLs a second", self.seconds, self.urls_per_second / 1e6);
        let proof = match self.balanced {
            Some(true) if self.skipped > 0 => "every line that could be read is accounted for",
            Some(true) => "every line is accounted for",
            _ => return fit::wrapped([format!("{origins}, {groups};"), speed]),
        };
        fit::wrapped([format!("{origins}, {groups};"), format!("{speed};"), proof.to_owned()])
    }
}

/// Counts by name, as pieces of a text.
fn listed<'c>(counts: impl IntoIterator<Item = (&'c (impl AsRef<str> + 'c), &'c u64)>) -> Vec<String> {
    let listed = counts.into_iter().map(|(name, count)| format!("{} {count}", visible(name.as_ref())));
    fit::comma_separated(listed.collect())
}
