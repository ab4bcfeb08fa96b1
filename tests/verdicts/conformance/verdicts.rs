//! Verdicts: the dialects to run a record under, and the outcome each must have.

use robosieve::Dialect;

use super::record::Record;
use crate::support::{Engines, verdict};

/// The dialects to run a verdict under, each with the outcome it must have.
///
/// Google's own answer is known for every record. A record that names another of our dialects must hold there; all
/// others run under `rfc9309`, and the ledger lists those that differ.
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

/// Checks that all engines give this outcome.
///
/// # Errors
///
/// A message with the outcome they gave instead.
pub fn check(record: &Record, dialect: &'static Dialect, allowed: bool) -> Result<(), String> {
    let mut engines = Engines::all(&record.robots(), &record.agents(dialect), dialect);
    let path = record.path(dialect);
    let got = engines.verdict(&path)?;
    if got == verdict(allowed) { Ok(()) } else { Err(format!("{got:?} on {}", path.escape_ascii())) }
}
