//! A receipt, proved again.
//!
//! What a receipt says has to fit together ([`account`]): partitions add up to the input, lists add up to it too, reasons
//! add up to partitions. Then its files are read again ([`files`]), and each must come to the lines, octets and checksums
//! that the receipt has for it. Together that proves that every line of the input stands in exactly one partition, in
//! order, without looking at the input: its checksums are those of the lines as they were read. Where the lists are still
//! there, they can be read as well.

pub(super) mod account;
pub(super) mod files;
mod verdicts;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::FilterError;
use super::join;
use super::output::RECEIPT;
use super::receipt::{Part, Receipt};
use super::tally::LINE_HASH;
use crate::regular_file;
use crate::robots::AgentError;

/// What was found when a receipt was proved again.
#[derive(Debug, Clone)]
pub struct Verification {
    /// What was read again, in the order of the receipt.
    pub files: Vec<Checked>,
    /// What in the receipt does not fit together.
    pub contradictions: Vec<String>,
}

/// A file that was read again.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Its path; of a list, as the receipt has it.
    pub path: PathBuf,
    /// What it is.
    pub role: Role,
    /// What was found in it; `None` if it was not read.
    pub found: Option<Part>,
    /// What is not as the receipt says.
    pub problem: Option<String>,
    /// Of a list, how many parts could not be read and were left out by the run; they are left out again.
    pub left_out: usize,
}

impl Checked {
    /// An output that was read, and what is not as the receipt says.
    fn output(path: PathBuf, found: Part, problem: Option<String>) -> Checked {
        Checked { path, role: Role::Output, found: Some(found), problem, left_out: 0 }
    }

    /// An output that cannot be read.
    fn unreadable(path: PathBuf, problem: String) -> Checked {
        Checked { path, role: Role::Output, found: None, problem: Some(problem), left_out: 0 }
    }
}

/// What a file is to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It was written.
    Output,
    /// It was read.
    List,
}

/// Why a receipt can be neither proved nor disproved.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// No receipt.
    #[error(
        "{} is not there: that is no folder of a complete run; a run that was interrupted has no receipt before it is complete",
        path.display()
    )]
    NoReceipt {
        /// Where it should be.
        path: PathBuf,
    },
    /// A file that cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A receipt that is none.
    #[error("{} is no receipt of robosieve: {error}", path.display())]
    Malformed {
        /// The receipt.
        path: PathBuf,
        /// What is wrong, with its line.
        error: serde_json::Error,
    },
    /// A receipt with names of crawlers that are none.
    #[error("{} is no receipt of robosieve: {error}", path.display())]
    Agents {
        /// The receipt.
        path: PathBuf,
        /// What is wrong.
        error: AgentError,
    },
    /// A receipt without crawlers: there is no run for nobody.
    #[error("{} is no receipt of robosieve: it names no crawler, `agents` is empty", path.display())]
    NoAgents {
        /// The receipt.
        path: PathBuf,
    },
    /// Checksums of another kind.
    #[error("{} has checksums of another kind ({found}); robosieve {version} made it, use that one", path.display())]
    OtherHash {
        /// The receipt.
        path: PathBuf,
        /// The kind.
        found: String,
        /// The version that made it.
        version: String,
    },
    /// A list or an output that cannot be read, or changed meanwhile.
    #[error(transparent)]
    Filter(#[from] FilterError),
}

impl Verification {
    /// Whether everything is as the receipt says.
    pub fn is_proven(&self) -> bool {
        self.contradictions.is_empty() && self.files.iter().all(|file| file.problem.is_none())
    }
}

/// Proves the receipt in `directory` again, by its files and, with `inputs`, by the lists; `threads` of 0 are as many as
/// there are processors.
///
/// # Errors
///
/// [`VerifyError`] where the receipt cannot be read. A file or a list that is missing, damaged or cannot be read is a
/// [`Checked::problem`]: its lines are not there.
pub fn verify(directory: &Path, inputs: bool, threads: usize) -> Result<Verification, VerifyError> {
    let receipt = read_receipt(directory)?;
    if !receipt.shards.is_empty() {
        return verify_shards(&receipt, directory, inputs, threads);
    }
    let contradictions = account::contradictions(&receipt);
    let mut files = files::outputs(&receipt, directory, threads)?;
    if inputs {
        files.extend(files::lists(&receipt, threads)?);
    }
    Ok(Verification { files, contradictions })
}

/// A receipt that was joined is proved by those of its shards, and by joining them again.
fn verify_shards(
    receipt: &Receipt,
    directory: &Path,
    inputs: bool,
    threads: usize,
) -> Result<Verification, VerifyError> {
    let mut verification = Verification { files: Vec::new(), contradictions: account::contradictions(receipt) };
    let mut shards = Vec::new();
    for folder in receipt.shards.iter().map(|folder| directory.join(folder)) {
        let of_shard = match read_receipt(&folder) {
            // A joined receipt may name itself, or another that does: nobody should follow that.
            Ok(of_shard) if !of_shard.shards.is_empty() => {
                let problem = "a shard has no shards itself; this was joined, and is not followed".to_owned();
                verification.files.push(Checked::unreadable(folder.join(RECEIPT), problem));
                continue;
            }
            Ok(of_shard) => of_shard,
            Err(error) => {
                verification.files.push(Checked::unreadable(folder.join(RECEIPT), error.to_string()));
                continue;
            }
        };
        let Verification { files, contradictions } = verify(&folder, inputs, threads)?;
        verification.files.extend(files);
        let contradictions = contradictions.into_iter();
        verification.contradictions.extend(contradictions.map(|problem| format!("{}: {problem}", folder.display())));
        shards.push((folder, of_shard));
    }
    verification.files.push(files::robots_needed(receipt, directory));
    if shards.len() < receipt.shards.len() {
        return Ok(verification);
    }
    let Receipt { origins_needed, seconds, urls_per_second, .. } = *receipt;
    let robots_needed = receipt.robots_needed.clone();
    let same = |joined| Receipt { origins_needed, robots_needed, seconds, urls_per_second, ..joined } == *receipt;
    match join::joined(&shards, &receipt.shards).map(same) {
        Ok(true) => {}
        Ok(false) => verification.contradictions.push("it is not what the receipts of its shards come to".to_owned()),
        Err(error) => verification.contradictions.push(error.to_string()),
    }
    Ok(verification)
}

/// The receipt in a folder.
pub(crate) fn read_receipt(directory: &Path) -> Result<Receipt, VerifyError> {
    let path = directory.join(RECEIPT);
    let octets = regular_file::ensure(&path).and_then(|()| fs::read(&path)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => VerifyError::NoReceipt { path: path.clone() },
        _ => VerifyError::Unreadable { path: path.clone(), error },
    })?;
    let receipt: Receipt =
        serde_json::from_slice(&octets).map_err(|error| VerifyError::Malformed { path: path.clone(), error })?;
    if receipt.line_hash != LINE_HASH {
        let (found, version) = (receipt.line_hash.into_owned(), receipt.robosieve.into_owned());
        return Err(VerifyError::OtherHash { path, found, version });
    }
    if receipt.agents.is_empty() {
        return Err(VerifyError::NoAgents { path });
    }
    match receipt.agents.iter().try_for_each(|agents| agents.parse::<crate::robots::Agents>().map(|_| ())) {
        Err(error) => Err(VerifyError::Agents { path, error }),
        Ok(()) => Ok(receipt),
    }
}

impl fmt::Display for Verification {
    /// A table of what was read, and the conclusion.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.files.iter().map(|file| file.path.display().to_string().len()).max().unwrap_or(0).max(4);
        writeln!(f, "{:<width$} {:<6} {:>15} {:>18}  proof", "file", "role", "lines", "bytes")?;
        for file in &self.files {
            let path = file.path.display().to_string();
            let number = |of: fn(&Part) -> u64| file.found.as_ref().map_or("-".to_owned(), |part| of(part).to_string());
            let (lines, bytes) = (number(|part| part.lines), number(|part| part.bytes));
            let proof = match (&file.problem, &file.found) {
                (Some(problem), _) => problem.clone(),
                (None, None) => "not kept, cannot be read again".to_owned(),
                (None, Some(_)) => "as the receipt says".to_owned(),
            };
            let left_out = match file.left_out {
                0 => String::new(),
                parts => format!("; parts that the run left out: {parts}"),
            };
            let role = match file.role {
                Role::Output => "output",
                Role::List => "list",
            };
            writeln!(f, "{path:<width$} {role:<6} {lines:>15} {bytes:>18}  {proof}{left_out}")?;
        }
        for contradiction in &self.contradictions {
            writeln!(f, "the receipt contradicts itself: {contradiction}")?;
        }
        if self.is_proven() {
            f.write_str("proven: every line that was read stands in the output as often as it should, in order")
        } else {
            f.write_str("NOT proven")
        }
    }
}
