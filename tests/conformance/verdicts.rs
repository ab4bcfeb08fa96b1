//! Verdicts: which dialects a record is run under, and what it must say there.

use robosieve::Dialect;

use crate::record::Record;
use crate::support::{Engines, verdict};

/// The dialects that a verdict is run under, each with the outcome it must have.
///
/// Google's own answer is known for every record. What names one of our other dialects must hold there; all the rest is
/// asked under `rfc9309`, where the ledger has what differs.
pub fn runs(record: &Record) -> Vec<(&'static Dialect, bool)> {
    let google = record.google_cpp.as_deref().expect("every verdict has Google's answer");
    let mut runs = vec![(Dialect::named("google").expect("a dialect"), google == "allowed")];
    let expected = record.expect.as_str().expect("a word") == "allowed";
    runs.push(match record.named_dialect() {
        Some(dialect) if dialect.name != "google" => (dialect, expected),
        _ => (Dialect::DEFAULT, expected),
    });
    runs
}

/// Whether all engines give the outcome.
///
/// # Errors
///
/// What they said instead.
pub fn check(record: &Record, dialect: &'static Dialect, allowed: bool) -> Result<(), String> {
    let mut engines = Engines::all(&record.robots(), &record.agents(dialect), dialect);
    let path = record.path(dialect);
    let got = engines.verdict(&path)?;
    if got == verdict(allowed) { Ok(()) } else { Err(format!("{got:?} on {}", path.escape_ascii())) }
}
