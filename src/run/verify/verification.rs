//! Proves a whole run.

use std::fmt;
use std::path::{Path, PathBuf};

use super::account::read_receipt;
use super::files::{Checked, Role};
use super::{account, files};
use crate::error::run::Error;
use crate::formats::fit::{self, Row};
use crate::formats::{shown, visible};
use crate::output::folder::RECEIPT;
use crate::output::receipt::{Part, Receipt};
use crate::run::join;
use crate::run::stored::StoredRun;

/// The result of proving a receipt again.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verification {
    /// The files read again, in the order of the receipt.
    pub(crate) files: Vec<Checked>,
    /// The contradictions in the receipt.
    pub(crate) contradictions: Vec<String>,
}

impl Verification {
    /// Whether everything is as the receipt says.
    pub fn is_proven(&self) -> bool {
        self.contradictions.is_empty() && self.files.iter().all(|file| file.problem.is_none())
    }
}

/// Proves the receipt in `directory` again, by its files and, with `inputs`, by the lists; `threads` is the number of threads, 0
/// for one per processor.
///
/// # Errors
///
/// If the receipt cannot be read. A file or a list that is missing, damaged or unreadable is a
/// problem of the [`Verification`]: its lines are not there.
pub fn verify(directory: &Path, inputs: bool, threads: usize) -> Result<Verification, Error> {
    Ok(proved(&read_receipt(directory)?, directory, inputs, threads))
}

/// The files in the folder of a run that its receipt does not name, but that readers of its output count, with the reason.
pub fn uncounted(receipt: &Receipt, directory: &Path) -> Vec<(PathBuf, String)> {
    let extra = files::extra(receipt, directory).into_iter();
    extra.filter_map(|file| Some((file.path, file.problem?))).collect()
}

fn proved(receipt: &Receipt, directory: &Path, inputs: bool, threads: usize) -> Verification {
    if !receipt.shards.is_empty() {
        return proved_by_shards(receipt, directory, inputs, threads);
    }
    let contradictions = account::contradictions(receipt);
    let mut files = files::outputs(StoredRun::new(receipt, directory, threads));
    files.extend(files::extra(receipt, directory));
    if inputs {
        files.extend(files::lists(receipt, threads));
    }
    Verification { files, contradictions }
}

/// A joined receipt is proved by those of its shards, and by joining them again.
fn proved_by_shards(receipt: &Receipt, directory: &Path, inputs: bool, threads: usize) -> Verification {
    let mut verification = Verification { files: Vec::new(), contradictions: account::contradictions(receipt) };
    let mut shards = Vec::new();
    for folder in receipt.shards.iter().map(|folder| directory.join(folder)) {
        let problem = match read_receipt(&folder) {
            Ok(shard) if shard.shards.is_empty() => {
                let Verification { files, contradictions } = proved(&shard, &folder, inputs, threads);
                verification.files.extend(files);
                let of_shard = contradictions.into_iter().map(|problem| format!("{}: {problem}", shown(&folder)));
                verification.contradictions.extend(of_shard);
                shards.push((folder, shard));
                continue;
            }
            // A joined receipt may name itself, or another that does. This is not followed.
            Ok(_) => "a shard must not contain shards; this was joined from shards, and is not followed".to_owned(),
            Err(error) => error.to_string(),
        };
        verification.files.push(Checked::unreadable(folder.join(RECEIPT), problem));
    }
    verification.files.push(files::robots_needed(receipt, directory));
    if shards.len() < receipt.shards.len() {
        return verification;
    }
    let Receipt { origins_needed, seconds, urls_per_second, .. } = *receipt;
    let robots_needed = receipt.robots_needed.clone();
    let same = |joined| Receipt { origins_needed, robots_needed, seconds, urls_per_second, ..joined } == *receipt;
    match join::joined(&shards, &receipt.shards).map(same) {
        Ok(true) => {}
        Ok(false) => verification.contradictions.push("it does not match the receipts of its shards".to_owned()),
        Err(error) => verification.contradictions.push(error.to_string()),
    }
    verification
}

impl fmt::Display for Verification {
    /// A table of the files that were read, in 80 columns if their paths allow it, and the conclusion.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["role", "lines", "bytes"].map(str::to_owned).to_vec();
        let mut rows = vec![Row { name: "file".to_owned(), cells: head, text: vec!["proof".to_owned()] }];
        rows.extend(self.files.iter().map(row));
        f.write_str(&fit::table(&rows))?;
        for contradiction in &self.contradictions {
            writeln!(f, "the receipt contradicts itself: {}", visible(contradiction))?;
        }
        if self.is_proven() {
            f.write_str("proven: every line read is in the output the right number of times, in order")
        } else {
            f.write_str("NOT proven")
        }
    }
}

/// A file in the table.
pub(super) fn row(file: &Checked) -> Row {
    let number = |of: fn(&Part) -> u64| file.found.as_ref().map_or("-".to_owned(), |part| of(part).to_string());
    let mut proof = match (&file.problem, &file.found) {
        (Some(problem), _) => visible(problem).to_string(),
        (None, None) if file.role == Role::Extra => {
            "the receipt does not name it; readers of this folder skip it".to_owned()
        }
        (None, None) => "not stored, cannot be read again".to_owned(),
        (None, Some(_)) => "matches the receipt".to_owned(),
    };
    if file.skipped > 0 {
        proof.push_str(&format!("; parts that the run skipped: {}", file.skipped));
    }
    Row {
        name: shown(&file.path).to_string(),
        cells: vec![file.role.to_string(), number(|part| part.lines), number(|part| part.bytes)],
        text: vec![proof],
    }
}
