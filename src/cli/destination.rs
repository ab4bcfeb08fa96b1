//! Checks of output files: a command overwrites nothing that a user made.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::Failure;
use crate::formats::is_stream;
use crate::policy::source::SourceKind;

/// A kind of file that a command writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Policy,
    /// A table that begins with these bytes.
    Table(&'static [u8]),
    ManualPage,
}

/// The first bytes of our manual pages.
const MANUAL_PAGE: &[u8] = b".ie \\n(.g .ds Aq";

/// The number of bytes read to identify a file.
const START: u64 = 64;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Policy => "policy file",
            Kind::Table(_) => "table of this format",
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

/// Checks that a file may be written: it does not exist, is empty, is not a regular file, or is of the kind being
/// written; and it is not one of the inputs.
pub fn ensure(path: &Path, kind: Kind, inputs: &[PathBuf]) -> Result<(), Failure> {
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(()) };
    // Pipes and devices hold nothing to lose, and writing to a folder fails by itself.
    if !metadata.is_file() {
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
