//! How long a page is, as its header claims.
//!
//! A header is a structure in Thrift's compact protocol. The library makes room for what it claims without telling it to
//! anybody, so the lengths are looked for here before. Each octet must mean the same here and there, or a header could claim
//! one length here and another one there: what headers of pages do not have is refused.

use std::io::{self, Read};

/// How many octets a page has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lengths {
    pub decompressed: u64,
    pub stored: u64,
}

impl Lengths {
    /// Those that a header claims, which begins here.
    pub fn claimed(header: impl Read) -> io::Result<Lengths> {
        Header(header).lengths()
    }
}

/// Kinds of fields.
const BOOLEANS: [u8; 2] = [1, 2];
const OCTET: u8 = 3;
const NUMBER: u8 = 5;
const NUMBERS: [u8; 3] = [4, NUMBER, 6];
const DOUBLE: u8 = 7;
const OCTETS: u8 = 8;
const STRUCTURE: u8 = 12;

/// How deep structures that nobody knows may stand in each other.
const DEPTH: u8 = 8;

struct Header<R>(R);

impl<R: Read> Header<R> {
    fn lengths(mut self) -> io::Result<Lengths> {
        let (mut lengths, mut last) = (Lengths::default(), 0);
        while let Some((kind, number)) = self.field(last)? {
            match (number, kind) {
                (2, NUMBER) => lengths.decompressed = self.length()?,
                (3, NUMBER) => lengths.stored = self.length()?,
                (1 | 4, NUMBER) => self.skip(kind, 0)?,
                // Of data, of an index, of a dictionary, of data in the second version.
                (5, STRUCTURE) => self.skip_structure(4, DEPTH)?,
                (6, STRUCTURE) => self.skip_structure(0, DEPTH)?,
                (7, STRUCTURE) => self.skip_structure(2, DEPTH)?,
                (8, STRUCTURE) => self.skip_structure(6, DEPTH)?,
                (1..=8, _) => return Err(foreign()),
                _ => self.skip(kind, DEPTH)?,
            }
            last = number;
        }
        Ok(lengths)
    }

    /// The kind of the next field and its number, unless the structure ends. Numbers only grow: one that stands written out
    /// could be that of a field before, and nobody writes it so.
    fn field(&mut self, last: i16) -> io::Result<Option<(u8, i16)>> {
        let octet = self.octet()?;
        match (octet & 0xf, i16::from(octet >> 4)) {
            (0, _) => Ok(None),
            (_, 0) => Err(foreign()),
            (kind, distance) => Ok(Some((kind, last.checked_add(distance).ok_or_else(foreign)?))),
        }
    }

    /// Goes past a structure whose first fields are so many numbers: the library reads them as such without asking.
    fn skip_structure(&mut self, numbers: i16, depth: u8) -> io::Result<()> {
        let mut last = 0;
        while let Some((kind, number)) = self.field(last)? {
            if number <= numbers && kind != NUMBER {
                return Err(foreign());
            }
            self.skip(kind, depth)?;
            last = number;
        }
        Ok(())
    }

    /// Goes past a field of this kind. There are no collections in headers; those of the library can claim to have more
    /// elements than octets.
    fn skip(&mut self, kind: u8, depth: u8) -> io::Result<()> {
        let octets = match kind {
            _ if BOOLEANS.contains(&kind) => 0,
            _ if NUMBERS.contains(&kind) => return self.number().map(|_| ()),
            OCTET => 1,
            DOUBLE => 8,
            OCTETS => self.number()?,
            STRUCTURE if depth > 0 => return self.skip_structure(0, depth - 1),
            _ => return Err(foreign()),
        };
        io::copy(&mut self.0.by_ref().take(octets), &mut io::sink()).map(|_| ())
    }

    /// A number of octets, which has no sign.
    fn length(&mut self) -> io::Result<u64> {
        let number = self.number()?;
        if number % 2 == 0 && number / 2 <= i32::MAX as u64 { Ok(number / 2) } else { Err(foreign()) }
    }

    /// A number of 64 bits, its sign in the last one.
    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for place in (0..u64::BITS).step_by(7) {
            let octet = self.octet()?;
            number |= u64::from(octet & 0x7f) << place;
            if octet < 0x80 {
                return Ok(number);
            }
        }
        Err(foreign())
    }

    fn octet(&mut self) -> io::Result<u8> {
        let mut octet = [0];
        self.0.read_exact(&mut octet)?;
        Ok(octet[0])
    }
}

fn foreign() -> io::Error {
    io::Error::other(
        "the header of a page of it is malformed: it has a field that such headers do not have, or out of order",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data page of 300 octets, 5 compressed.
    const DATA: [u8; 6] = [0x15, 0x00, 0x15, 0xd8, 0x04, 0x15];

    fn claimed(rest: &[u8]) -> io::Result<Lengths> {
        Lengths::claimed([&DATA, rest].concat().as_slice())
    }

    #[test]
    fn a_page_says_at_its_start_how_large_it_is() {
        let lengths = Lengths { decompressed: 300, stored: 5 };
        let of_data = [0x2c, 0x15, 0x02, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06];
        // Statistics: octets, a number, and a truth.
        let statistics = [0x1c, 0x18, 0x03, b'a', b'b', b'c', 0x26, 0x06, 0x41, 0x00];
        for (checksum, of_data) in [
            (&[0x15, 0x7f][..], [&[0x1c], &of_data[1..], &[0x00]].concat()),
            (&[], [&of_data[..], &[0x00]].concat()),
            (&[], [&of_data[..], &statistics, &[0x00]].concat()),
            // A dictionary; data in the second version; and what nobody knows yet.
            (&[], vec![0x4c, 0x15, 0x02, 0x15, 0x04, 0x11, 0x00]),
            (&[], vec![0x5c, 0x15, 0x02, 0x15, 0x00, 0x15, 0x02, 0x15, 0x00, 0x15, 0x00, 0x15, 0x00, 0x12, 0x00]),
            (&[], vec![0x6c, 0x1c, 0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x13, 0x00, 0x00, 0x00]),
        ] {
            let header = [&[0x0a], checksum, &of_data, &[0x00]].concat();
            assert_eq!(claimed(&header).unwrap(), lengths, "{header:x?}");
            for end in 0..header.len() {
                assert!(claimed(&header[..end]).is_err(), "{:x?}", &header[..end]);
            }
        }
        let most = [0x15, 0x04, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x00];
        let lengths = Lengths { decompressed: i32::MAX as u64, stored: i32::MAX as u64 };
        assert_eq!(Lengths::claimed(&most[..]).unwrap(), lengths);
    }

    #[test]
    fn what_could_be_read_otherwise_is_refused() {
        let refused = |rest: &[u8]| claimed(rest).unwrap_err().to_string().contains("header of a page");
        // A length again, by its number.
        assert!(refused(&[0x0a, 0x05, 0x04, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x00]));
        assert!(refused(&[0x0a, 0x2c, 0x05, 0x02, 0x02, 0x00, 0x00]));
        // Below zero, and more than the library keeps of it.
        assert!(refused(&[0x09, 0x00]) && refused(&[0x80, 0x80, 0x80, 0x80, 0x20, 0x00]) && refused(&[0xff; 20]));
        // Octets where a number or a structure belongs, which the library does not notice.
        assert!(refused(&[0x0a, 0x18, 0x02, b'a', b'b', 0x00]) && refused(&[0x0a, 0x25, 0x02, 0x00]));
        assert!(refused(&[0x0a, 0x2c, 0x18, 0x02, b'a', b'b', 0x00, 0x00]));
        // Two thousand million truths, and structures that do not end.
        assert!(refused(&[0x0a, 0xb9, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00]));
        assert!(refused(&[&[0x0a, 0xbc][..], &[0x1c; 10_000]].concat()));
        for other in [&b""[..], &[0x15], &[0x15, 0xff, 0xff]] {
            assert!(Lengths::claimed(other).is_err(), "{other:?}");
        }
    }
}
