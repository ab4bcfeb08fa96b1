//! Writes bytes to a file, and keeps track of how far it got.
//!
//! After a full disk, users want to know how much of a file was written, so system errors are wrapped in [`Unwritten`].

use std::fs::File;
use std::io::{self, IoSlice, Write};

use super::error::Unwritten;

/// The most pieces that the system takes in one call.
#[cfg(unix)]
const PIECES: usize = 1024;

/// Writes these pieces one after the other, starting at offset `at`.
pub(super) fn write_at(file: &File, mut pieces: &mut [IoSlice<'_>], mut at: u64) -> io::Result<()> {
    IoSlice::advance_slices(&mut pieces, 0);
    while !pieces.is_empty() {
        #[cfg(unix)]
        let written = rustix::io::pwritev(file, &pieces[..pieces.len().min(PIECES)], at).map_err(io::Error::from);
        #[cfg(windows)]
        let written = std::os::windows::fs::FileExt::seek_write(file, &pieces[0], at);
        match written {
            Ok(0) => return Err(Unwritten::wrap(at, io::ErrorKind::WriteZero.into())),
            Ok(length) => {
                IoSlice::advance_slices(&mut pieces, length);
                at += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Unwritten::wrap(at, error)),
        }
    }
    Ok(())
}

/// A new file written from front to back; its errors are [`Unwritten`].
#[derive(Debug)]
pub(crate) struct FrontToBack<W> {
    pub file: W,
    at: u64,
}

impl<W: Write> FrontToBack<W> {
    pub fn new(file: W) -> FrontToBack<W> {
        FrontToBack { file, at: 0 }
    }
}

impl<W: Write> Write for FrontToBack<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes).map_err(|error| match error.kind() {
            // The caller tries again.
            io::ErrorKind::Interrupted => error,
            _ => Unwritten::wrap(self.at, error),
        })?;
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| Unwritten::wrap(self.at, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(error: &io::Error) -> u64 {
        error.get_ref().unwrap().downcast_ref::<Unwritten>().unwrap().at
    }

    fn at(file: &File, pieces: &[&[u8]], at: u64) -> io::Result<()> {
        write_at(file, &mut pieces.iter().map(|piece| IoSlice::new(piece)).collect::<Vec<_>>(), at)
    }

    #[test]
    fn all_bytes_reach_their_place() {
        let file = tempfile::NamedTempFile::new().unwrap();
        at(file.as_file(), &[b"tw", b"", b"o"], 3).and_then(|()| at(file.as_file(), &[b"", b"one"], 0)).unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), b"onetwo");
        // More pieces than the system takes in one call.
        let pieces: Vec<[u8; 2]> = (0..3000u16).map(u16::to_be_bytes).collect();
        at(file.as_file(), &pieces.iter().map(|piece| &piece[..]).collect::<Vec<_>>(), 6).unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), [&b"onetwo"[..], &pieces.concat()].concat());
    }

    /// `/dev/full` behaves like a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_error_has_the_place() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let error = at(&full, &[b"bytes"], 5000).unwrap_err();
        assert_eq!((error.kind(), place(&error)), (io::ErrorKind::StorageFull, 5000));
        assert!(error.to_string().starts_with("at byte 5000: "), "{error}");
        assert!(at(&full, &[b""], 7).is_ok());
    }

    #[test]
    fn what_was_written_before_counts() {
        let mut bytes = [0; 10];
        let mut file = FrontToBack::new(&mut bytes[..]);
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
        assert_eq!(place(&FrontToBack::new(Full).write_all(b"ten bytes").unwrap_err()), 8);
    }
}
