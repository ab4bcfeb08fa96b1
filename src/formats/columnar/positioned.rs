//! A file that many threads read at once, each at its own offset.

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::Arc;

use crate::formats::file_at::FileAt;

/// A file that is read at given offsets.
pub(super) type Positioned = FileAt<Arc<File>>;

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<Positioned>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(self.from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // A damaged file can claim more bytes than there is memory for.
        let within = start.checked_add(length as u64).is_some_and(|end| end <= self.length);
        if !within {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} are beyond the end of the file")));
        }
        let mut bytes = vec![0; length];
        self.from(start).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_one_reads_does_not_move_another() {
        let file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut &file, b"0123456789").unwrap();
        let file = FileAt::new(Arc::new(file), 10);
        let (mut one, mut other) = (file.get_read(2).unwrap(), file.get_read(5).unwrap());
        let mut read = [0; 3];
        one.read_exact(&mut read[..1]).unwrap();
        other.read_exact(&mut read[1..2]).unwrap();
        one.read_exact(&mut read[2..]).unwrap();
        assert_eq!(&read, b"253");
        assert_eq!(file.get_bytes(7, 3).unwrap(), &b"789"[..]);
        assert!(file.get_bytes(7, 4).is_err());
        assert!(file.get_bytes(u64::MAX, 2).is_err());
    }
}
