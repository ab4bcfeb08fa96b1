//! Reads the receipt of a run.

use std::path::Path;
use std::{fs, io};

use super::error::VerifyError;
use crate::formats::error::FileError;
use crate::formats::regular_file;
use crate::judge::tally::LINE_HASH;
use crate::output::folder::RECEIPT;
use crate::output::receipt::Receipt;

/// Reads and checks the receipt in a folder.
pub(crate) fn read_receipt(directory: &Path) -> Result<Receipt, VerifyError> {
    let path = directory.join(RECEIPT);
    let bytes = regular_file::ensure(&path).and_then(|()| fs::read(&path)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => VerifyError::NoReceipt { path: path.clone() },
        _ => FileError::of("read", &path)(error).into(),
    })?;
    let receipt: Receipt = serde_json::from_slice(&bytes)
        .map_err(|error| VerifyError::Malformed { path: path.clone(), problem: error.to_string() })?;
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
