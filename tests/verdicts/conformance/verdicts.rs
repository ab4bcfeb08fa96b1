//! Verdicts: the dialects to run a record under, and the outcome each must have.

use std::collections::HashMap;

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

/// The engines of each robots.txt, crawler and dialect: several records ask about the same.
pub type Known = HashMap<(Vec<u8>, Vec<String>, &'static str), Engines>;

/// Checks that all engines give this outcome.
///
/// # Errors
///
/// A message with the outcome they gave instead.
pub fn check(record: &Record, dialect: &'static Dialect, allowed: bool, known: &mut Known) -> Result<(), String> {
    let (robots, agents) = (record.robots(), record.agents(dialect));
    let of = (robots, agents.tokens().to_vec(), dialect.name);
    let engines = known.entry(of).or_insert_with_key(|(robots, ..)| Engines::all(robots, &agents, dialect));
    let path = record.path(dialect);
    let got = engines.verdict(&path)?;
    if got == verdict(allowed) { Ok(()) } else { Err(format!("{got:?} on {}", path.escape_ascii())) }
}
