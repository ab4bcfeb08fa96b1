//! The result of checking one file.

use std::path::PathBuf;

use crate::output::receipt::Part;

/// A file that was read again.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Checked {
    /// Its path; for a list, as in the receipt.
    pub path: PathBuf,
    /// Its role.
    pub role: Role,
    /// Its contents; `None` if it was not read.
    pub found: Option<Part>,
    /// How it differs from the receipt, or why it cannot be read.
    pub problem: Option<String>,
    /// For a list, how many parts the run left out because they could not be read; they are left out again.
    pub left_out: usize,
}

impl Checked {
    /// An output that was read; `problem` is how it differs from the receipt.
    pub(crate) fn output(path: PathBuf, found: Part, problem: Option<String>) -> Checked {
        Checked { path, role: Role::Output, found: Some(found), problem, left_out: 0 }
    }

    /// A file that the receipt does not name; `is_read` says whether readers of the folder count it.
    pub(crate) fn extra(path: PathBuf, is_read: bool) -> Checked {
        let problem = is_read.then(|| "the receipt does not name it, but readers of this folder count it".to_owned());
        Checked { path, role: Role::Extra, found: None, problem, left_out: 0 }
    }

    /// An output that cannot be read.
    pub(crate) fn unreadable(path: PathBuf, problem: String) -> Checked {
        Checked { path, role: Role::Output, found: None, problem: Some(problem), left_out: 0 }
    }
}

/// The role of a file in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// The run wrote it.
    Output,
    /// The run read it.
    List,
    /// It is beside the output, where readers may take it for a part of it.
    Extra,
}
