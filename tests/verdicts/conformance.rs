//! The conformance cases: every verdict on every engine, every other fact where the library has an equivalent.
//!
//! The cases come from other projects and lie next to the repository. `conformance/ledger.tsv` lists those on which a
//! dialect of ours rightly differs, with the reason; a listed case that passes fails the test too.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{say, shared};
use facts::Outcome;
use ledger::Ledger;
use record::Record;
use robosieve::Dialect;

mod facts;
mod ledger;
mod record;
mod side;
mod verdicts;

/// The results of all runs; a record runs under each dialect it applies to.
#[derive(Default)]
struct Tally {
    records: usize,
    /// By the dialect's name and whether the run was a verdict.
    passed: BTreeMap<(&'static str, bool), usize>,
    ledger: usize,
    /// The verdicts of the strict set that hold under `rfc9309`, and the size of that set.
    strict: (usize, usize),
    not_applicable: BTreeMap<(String, &'static str), usize>,
    failed: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.records += other.records;
        self.ledger += other.ledger;
        self.strict = (self.strict.0 + other.strict.0, self.strict.1 + other.strict.1);
        other.passed.iter().for_each(|(key, count)| *self.passed.entry(*key).or_default() += count);
        other
            .not_applicable
            .iter()
            .for_each(|(key, count)| *self.not_applicable.entry(key.clone()).or_default() += count);
        self.failed.extend_from_slice(&other.failed);
    }

    fn passed(&self) -> usize {
        self.passed.values().sum()
    }

    fn not_applicable(&self) -> usize {
        self.not_applicable.values().sum()
    }

    fn line(&self, name: &str) -> String {
        let (passed, not_applicable, failed) = (self.passed(), self.not_applicable(), self.failed.len());
        let Tally { records, ledger, .. } = self;
        format!("  {name:<34} {records:>5} {passed:>6} {ledger:>6} {not_applicable:>8} {failed:>6}")
    }

    /// Counts one run, looking it up in the ledger.
    fn count(&mut self, record: &Record, dialect: &'static str, result: Result<(), String>, ledger: &mut Ledger) {
        let is_verdict = record.kind == "verdict";
        let strict = is_verdict && dialect == Dialect::DEFAULT.name && record.is_strict();
        self.strict.0 += usize::from(strict && result.is_ok());
        self.strict.1 += usize::from(strict);
        match (result, ledger.reason(&record.id, dialect)) {
            (Ok(()), None) => *self.passed.entry((dialect, is_verdict)).or_default() += 1,
            (Err(error), Some(_)) if strict && !record.may_differ() => {
                self.failed.push(format!("{} is beyond dispute, no ledger excuses it: {error}", record.id));
            }
            (Err(_), Some(_)) => self.ledger += 1,
            (Ok(()), Some(reason)) => {
                self.failed.push(format!("{} under {dialect} passes, but the ledger has it: {reason}", record.id));
            }
            (Err(error), None) => self.failed.push(format!("{} ({}) under {dialect}: {error}", record.id, record.kind)),
        }
    }
}

#[test]
fn every_record_holds_or_is_in_the_ledger() {
    let Some(folder) = shared("conformance") else { return };
    let mut ledger = Ledger::read();
    let mut total = Tally::default();
    say("conformance, runs of every record (a verdict is run under each dialect that has an answer to it):");
    say(&format!("  {:<34} {:>5} {:>6} {:>6} {:>8} {:>6}", "file", "cases", "passed", "ledger", "not run", "failed"));
    for file in files(&folder) {
        let tally = run(&file, &mut ledger);
        say(&tally.line(&file.file_stem().expect("a name").to_string_lossy()));
        total.add(&tally);
    }
    say(&total.line("total"));
    report(&total);
    assert_eq!(ledger.unmet(), [] as [String; 0], "the ledger has ids that no record has");
    assert!(total.failed.is_empty(), "{} runs failed", total.failed.len());
}

/// Prints passes by dialect, runs skipped with reasons, and failures.
fn report(total: &Tally) {
    let (hold, all) = total.strict;
    say(&format!(
        "  {hold} of {all} verdicts beyond dispute hold under rfc9309; the others ask for a list of agents, or for dot segments as \
         written"
    ));
    for ((dialect, is_verdict), count) in &total.passed {
        say(&format!("  {count:>5} {} hold under {dialect}", if *is_verdict { "verdicts" } else { "facts" }));
    }
    for ((kind, reason), count) in &total.not_applicable {
        say(&format!("  {count:>5} not run, {kind}: {reason}"));
    }
    total.failed.iter().for_each(|failure| say(&format!("  FAILED {failure}")));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    files
}

fn run(file: &Path, ledger: &mut Ledger) -> Tally {
    let (mut tally, mut known) = (Tally::default(), verdicts::Known::new());
    for record in record::read(file) {
        tally.records += 1;
        if record.kind == "verdict" {
            for (dialect, allowed) in verdicts::runs(&record) {
                tally.count(&record, dialect.name, verdicts::check(&record, dialect, allowed, &mut known), ledger);
            }
            continue;
        }
        let dialect = facts::dialect(&record).name;
        match facts::check(&record) {
            Outcome::Holds => tally.count(&record, dialect, Ok(()), ledger),
            Outcome::Differs(how) => tally.count(&record, dialect, Err(how), ledger),
            Outcome::NotApplicable(reason) => {
                *tally.not_applicable.entry((record.kind.clone(), reason)).or_default() += 1;
            }
        }
    }
    tally
}
