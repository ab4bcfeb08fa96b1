//! The result of the proof for one file.

use std::path::PathBuf;

use crate::output::receipt::Part;

/// A file that was read again.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Its path; of a list, as the receipt has it.
    pub path: PathBuf,
    /// Its role.
    pub role: Role,
    /// Its content; `None` if it was not read.
    pub found: Option<Part>,
    /// Its difference from the receipt.
    pub problem: Option<String>,
    /// Of a list, how many parts could not be read and were left out by the run; they are left out again.
    pub left_out: usize,
}

impl Checked {
    /// An output that was read, and what is not as the receipt says.
    pub(crate) fn output(path: PathBuf, found: Part, problem: Option<String>) -> Checked {
        Checked { path, role: Role::Output, found: Some(found), problem, left_out: 0 }
    }

    /// An output that cannot be read.
    pub(crate) fn unreadable(path: PathBuf, problem: String) -> Checked {
        Checked { path, role: Role::Output, found: None, problem: Some(problem), left_out: 0 }
    }
}

/// The role of a file in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It was written.
    Output,
    /// It was read.
    List,
}
