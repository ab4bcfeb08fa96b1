//! Reads the records that earlier runs left.

use serde::de::DeserializeOwned;
use std::io::{self, BufReader};
use std::path::Path;

use crate::formats::regular_file;

/// Reads the record at `path`, if there is one.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match regular_file::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(file) => Ok(Some(serde_json::from_reader(BufReader::new(file))?)),
    }
}
