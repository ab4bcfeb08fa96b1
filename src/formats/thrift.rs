//! Reads what the headers and the footer of a Parquet file say, in Thrift's compact protocol, without trusting it: only a few numbers
//! are taken, and all else is passed over.

use std::io::{self, Read};

/// The deepest structure that is passed over; real ones have a few levels.
const DEEPEST: usize = 32;

/// A type of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind(u8);

impl Kind {
    pub const STRUCT: Kind = Kind(12);

    /// Whether it is a whole number.
    pub fn is_integer(self) -> bool {
        matches!(self.0, 4..=6)
    }
}

/// A text in the compact protocol.
pub(crate) struct Compact<R> {
    text: R,
    /// How many bytes were read.
    pub read: u64,
}

impl<R: Read> Compact<R> {
    pub fn new(text: R) -> Compact<R> {
        Compact { text, read: 0 }
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.text.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(wrong())
    }

    /// A whole number.
    pub fn integer(&mut self) -> io::Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The next field of a structure: its number and the type of its value, which must be read or [passed over](Compact::pass);
    /// `None` at the end. `last` is the number of the field before.
    pub fn field(&mut self, last: &mut i64) -> io::Result<Option<(i64, Kind)>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        *last = match byte >> 4 {
            0 => self.integer()?,
            more => *last + i64::from(more),
        };
        Ok(Some((*last, Kind(byte & 15))))
    }

    /// Passes over the value of a field.
    pub fn pass(&mut self, kind: Kind) -> io::Result<()> {
        self.pass_within(kind, DEEPEST)
    }

    fn pass_within(&mut self, Kind(kind): Kind, depth: usize) -> io::Result<()> {
        let deeper = depth.checked_sub(1).ok_or_else(wrong)?;
        match kind {
            // The type of a field says which; in a list, each has a byte.
            1 | 2 => Ok(()),
            3 => self.byte().map(|_| ()),
            4..=6 => self.varint().map(|_| ()),
            7 => self.pass_bytes(8),
            8 => {
                let length = self.varint()?;
                self.pass_bytes(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                (0..count).try_for_each(|_| self.pass_element(Kind(head & 15), deeper))
            }
            11 => {
                let count = self.varint()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.pass_element(Kind(kinds >> 4), deeper)?;
                    self.pass_element(Kind(kinds & 15), deeper)
                })
            }
            12 => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.pass_within(kind, deeper)?;
                }
                Ok(())
            }
            _ => Err(wrong()),
        }
    }

    fn pass_element(&mut self, kind: Kind, depth: usize) -> io::Result<()> {
        if let Kind(1 | 2) = kind { self.byte().map(|_| ()) } else { self.pass_within(kind, depth) }
    }

    fn pass_bytes(&mut self, length: u64) -> io::Result<()> {
        let passed = io::copy(&mut self.text.by_ref().take(length), &mut io::sink())?;
        self.read += passed;
        if passed == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

fn wrong() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a header is malformed")
}
