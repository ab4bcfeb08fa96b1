//! What runs write of themselves, read again by a run: receipts and checkpoints.
//!
//! They are as long as a run has lists and crawlers, so they may take a part of the memory that is known before these are; a
//! longer one is refused before it is read. They are read bit by bit, so that they never are in memory twice.

use serde::de::DeserializeOwned;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::FilterError;
use crate::regular_file;

/// How long records may be for a run that may take so much memory. For each list and crawler, a receipt has no more than
/// this part of what is [counted](super::memory) for them, even where all numbers have as many digits as they can.
pub(super) fn longest(memory: u64) -> u64 {
    memory / 8 * 5
}

/// Reads the record at `path`, if there is one, for a run that may take so much memory. What is not such a record is an error
/// of the inner kind.
///
/// # Errors
///
/// [`FilterError::LongRecord`].
pub(super) fn read<T: DeserializeOwned>(path: &Path, memory: u64) -> Result<io::Result<Option<T>>, FilterError> {
    let open = || {
        let file = regular_file::open(path)?;
        io::Result::Ok((file.metadata()?.len(), file))
    };
    let (length, file) = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Ok(None)),
        Err(error) => return Ok(Err(error)),
        Ok(opened) => opened,
    };
    let longest = longest(memory);
    if length > longest {
        return Err(FilterError::LongRecord { path: path.to_owned(), length, longest });
    }
    Ok(serde_json::from_reader(BufReader::new(file.take(length))).map(Some).map_err(io::Error::from))
}

#[cfg(test)]
mod tests {
    use super::super::memory::of_lists;
    use super::super::outcome::Partition;
    use super::super::receipt::{FilePart, Hex, ListPart, Part};
    use super::super::skipped::SkippedPart;
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_record_has_a_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let read = |memory| read::<Vec<u64>>(&path, memory);
        assert_eq!(read(0).unwrap().unwrap(), None);
        std::fs::write(&path, "[1, 2, 3]\n").unwrap();
        assert_eq!(read(16).unwrap().unwrap(), Some(vec![1, 2, 3]));
        let error = read(15).unwrap_err().to_string();
        assert!(error.contains("record") && error.contains("10 octets") && error.contains("--memory"), "{error}");
        std::fs::write(&path, "[1, 2, 3] 4").unwrap();
        assert!(read(100).unwrap().is_err());
        assert!(super::read::<u64>(folder.path(), 100).unwrap().is_err());
    }

    /// However large its numbers are, what a receipt says of a list is shorter than its part of the memory.
    #[test]
    fn receipts_of_the_same_lists_are_read() {
        let most = Some(Hex(u128::MAX));
        let part = Part { lines: u64::MAX, bytes: u64::MAX, sum: most, order: most };
        let file = serde_json::json!({
            "length": u64::MAX,
            "modified": {"secs_since_epoch": 253_402_300_799_u64, "nanos_since_epoch": 999_999_999},
        });
        for (path, crawlers, own_files) in [
            ("l".to_owned(), 1, false),
            ("some/folder/list".to_owned(), 1, true),
            ("x".repeat(1000), 5, false),
            ("list".to_owned(), 20, false),
            ("some/folder/list".to_owned(), 20, true),
        ] {
            let names: Vec<String> = (0..crawlers).map(|crawler| format!("crawler{crawler:02}")).collect();
            let parts =
                || names.iter().flat_map(|name| Partition::ALL.map(|partition| format!("{}.{name}", partition.name())));
            let list = ListPart {
                path: path.clone(),
                file: Some(serde_json::from_value(file.clone()).unwrap()),
                range: None,
                format: "delimited".into(),
                compression: Some(crate::compression::Compression::Zstd),
                head: Some(part),
                input: part,
                duplicates: Some(part),
                skipped: vec![SkippedPart {
                    at: u64::MAX,
                    file_at: Some(u64::MAX),
                    file_next: Some(u64::MAX),
                    rows: None,
                    problem: "No such file or directory (os error 2)".to_owned(),
                }],
                partitions: parts().map(|name| (name, part)).collect(),
            };
            // As far to the right as it stands in a receipt.
            let mut octets = serde_json::to_string_pretty(&[[&list]]).unwrap().len() as u64;
            if own_files {
                let folder = format!("0000000001-{}.d", path.replace('/', "-"));
                let file = |name: String| FilePart {
                    name: format!("{folder}/{name}.parquet"),
                    file_bytes: u64::MAX,
                    head_bytes: u64::MAX,
                    lines: part,
                };
                let files: Vec<FilePart> = parts().map(file).collect();
                octets += serde_json::to_string_pretty(&[[[files]]]).unwrap().len() as u64;
            }
            let own_files = own_files.then_some(Path::new("out"));
            let counted = of_lists(&[PathBuf::from(&path)], names.iter().map(String::len), own_files);
            assert!(octets <= longest(counted), "{path} {crawlers}: {octets} of {counted}");
        }
    }
}
