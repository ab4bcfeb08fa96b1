//! The short table of a run, for people.

use std::fmt;

use super::receipt::{Part, Receipt, counted};
use crate::formats::visible;

impl fmt::Display for Receipt {
    /// A short table of the run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.partitions.keys().map(String::len).max().unwrap_or(0).max(10);
        writeln!(f, "{:<width$} {:>15} {:>7} {:>18}  reasons", "partition", "lines", "share", "bytes")?;
        let all = self.input.lines.max(1) as f64;
        for (name, part) in &self.partitions {
            let reasons: Vec<String> =
                part.reasons.iter().map(|(reason, n)| format!("{} {n}", visible(reason))).collect();
            let Part { lines, bytes, .. } = part.judged;
            let share = 100.0 * lines as f64 / all;
            let name = visible(name).to_string();
            writeln!(f, "{name:<width$} {lines:>15} {share:>6.2}% {bytes:>18}  {}", reasons.join(", "))?;
        }
        for (name, part, why) in [
            ("duplicates", self.duplicates, "duplicate URLs"),
            ("seen", self.seen, "seen by earlier runs"),
            ("unchanged", self.unchanged, "the same by both policies"),
        ] {
            let Some(Part { lines, bytes, .. }) = part else { continue };
            let share = 100.0 * lines as f64 / all;
            writeln!(f, "{name:<width$} {lines:>15} {share:>6.2}% {bytes:>18}  {why}, left out")?;
        }
        let Part { lines, bytes, .. } = self.input;
        writeln!(f, "{:<width$} {lines:>15} {:>7} {bytes:>18}", "input", "")?;
        if let Some(changes) = &self.changes {
            let changes: Vec<String> = changes.iter().map(|(name, n)| format!("{} {n}", visible(name))).collect();
            writeln!(f, "changed: {}", if changes.is_empty() { "no line".to_owned() } else { changes.join(", ") })?;
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
            writeln!(
                f,
                "{lines} of robots.txt files had no effect; the receipt lists their kinds, `robosieve lint` the lines"
            )?;
        }
        for (name, count) in self.policy.warc.flaws() {
            writeln!(f, "WARC: {name} {count}")?;
        }
        let proof = match self.balanced {
            Some(true) if self.skipped > 0 => "; every line that could be read is accounted for",
            Some(true) => "; every line is accounted for",
            _ => "",
        };
        write!(
            f,
            "{}, {}; {:.3} s, {:.2} million URLs a second{proof}",
            counted(self.policy.origins, "origin", "origins"),
            counted(self.policy.automata, "distinct group", "distinct groups"),
            self.seconds,
            self.urls_per_second / 1e6
        )
    }
}
