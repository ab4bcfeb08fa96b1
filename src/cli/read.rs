//! Reads whole files.

use crate::formats::compression::Reader;
use crate::input::STANDARD_INPUT;
use std::io::{self, Read};
use std::path::Path;

use super::error::Failure;

/// Reads a whole file, or standard input, and decompresses it if it is compressed.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        let mut file = Vec::new();
        if path.as_os_str() == STANDARD_INPUT {
            Reader::new(io::stdin())?.read_to_end(&mut file)?;
        } else {
            Reader::open(path)?.read_to_end(&mut file)?;
        }
        Ok(file)
    };
    read().map_err(|error| Failure::Unreadable { path: path.to_owned(), error })
}
