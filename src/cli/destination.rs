//! Files that a command may write: it overwrites nothing that a user made.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::formats::is_stream;
use crate::policy::source::SourceKind;

/// A kind of file that a command writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Policy,
    /// A table that begins so.
    Table(&'static [u8]),
    ManualPage,
}

/// How a manual page of ours begins.
const MANUAL_PAGE: &[u8] = b".ie \\n(.g .ds Aq";

/// So much of a file is looked at.
const START: u64 = 64;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Policy => "policy file",
            Kind::Table(_) => "such table",
            Kind::ManualPage => "manual page of robosieve",
        }
    }

    fn begins(self, start: &[u8]) -> bool {
        match self {
            Kind::Policy => SourceKind::of_text(start) == SourceKind::Policy,
            Kind::Table(expected) => start.starts_with(expected),
            Kind::ManualPage => start.starts_with(MANUAL_PAGE),
        }
    }
}

/// Makes sure that a file may be written: it is not there, or empty, or no regular file, or of the kind that is written;
/// and it is none of what is read meanwhile.
pub fn ensure(path: &Path, kind: Kind, inputs: &[PathBuf]) -> Result<(), Failure> {
    let Ok(there) = std::fs::metadata(path) else { return Ok(()) };
    // Pipes and devices hold nothing, and of a folder the system tells.
    if !there.is_file() {
        return Ok(());
    }
    let same = path.canonicalize().ok();
    if same.is_some() && inputs.iter().any(|input| input.canonicalize().ok() == same) {
        return Err(Failure::IsInput { path: path.to_owned() });
    }
    let start = start(path).map_err(|error| Failure::Output { path: path.to_owned(), error })?;
    if start.is_empty() || is_stream(path) || kind.begins(&start) {
        return Ok(());
    }
    Err(Failure::NotReplaced { path: path.to_owned(), kind: kind.name() })
}

fn start(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(START).read_to_end(&mut start)?;
    Ok(start)
}
