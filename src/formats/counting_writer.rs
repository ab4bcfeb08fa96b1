//! Writes files sequentially, and counts the bytes written to each.
//!
//! After a full disk, users want to know how much of a file was written, so system errors say so.

use std::io::{self, IoSlice, Write};

/// A file that is written sequentially; its errors say at which byte.
#[derive(Debug)]
pub(crate) struct CountingWriter<W> {
    pub file: W,
    pub at: u64,
}

impl<W: Write> CountingWriter<W> {
    pub fn new(file: W) -> CountingWriter<W> {
        CountingWriter::at(file, 0)
    }

    /// For a file whose next byte is written at this offset.
    pub fn at(file: W, at: u64) -> CountingWriter<W> {
        CountingWriter { file, at }
    }

    /// Writes these pieces one after the other.
    pub fn write_pieces(&mut self, mut pieces: &mut [IoSlice<'_>]) -> io::Result<()> {
        IoSlice::advance_slices(&mut pieces, 0);
        while !pieces.is_empty() {
            match self.write_vectored(pieces) {
                Ok(0) => return Err(failed_at(self.at, &io::ErrorKind::WriteZero.into())),
                Ok(length) => IoSlice::advance_slices(&mut pieces, length),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn count(&mut self, written: io::Result<usize>) -> io::Result<usize> {
        let written = written.map_err(|error| match error.kind() {
            // The caller tries again.
            io::ErrorKind::Interrupted => error,
            _ => failed_at(self.at, &error),
        })?;
        self.at += written as u64;
        Ok(written)
    }
}

fn failed_at(at: u64, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("at byte {at}: {error}"))
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.count(written)
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let written = self.file.write_vectored(pieces);
        self.count(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| failed_at(self.at, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write<W: Write>(file: &mut CountingWriter<W>, pieces: &[&[u8]]) -> io::Result<()> {
        file.write_pieces(&mut pieces.iter().map(|piece| IoSlice::new(piece)).collect::<Vec<_>>())
    }

    #[test]
    fn all_pieces_are_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut out = CountingWriter::new(file.as_file());
        write(&mut out, &[b"", b"one"]).and_then(|()| write(&mut out, &[b"tw", b"", b"o"])).unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), b"onetwo");
        // More pieces than the system takes in one call.
        let pieces: Vec<[u8; 2]> = (0..3000u16).map(u16::to_be_bytes).collect();
        write(&mut out, &pieces.iter().map(|piece| &piece[..]).collect::<Vec<_>>()).unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), [&b"onetwo"[..], &pieces.concat()].concat());
    }

    #[test]
    fn what_was_written_before_counts() {
        let mut bytes = [0; 10];
        let mut file = CountingWriter::new(&mut bytes[..]);
        file.write_all(b"seven..").unwrap();
        // A full slice takes fewer bytes, which is not an error.
        assert_eq!((file.write(b"four").unwrap(), file.at), (3, 10));

        struct Full;
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                if bytes.len() > 4 { Ok(4) } else { Err(io::ErrorKind::StorageFull.into()) }
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = CountingWriter::new(Full).write_all(b"ten bytes").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().starts_with("at byte 8: "), "{error}");
    }
}
