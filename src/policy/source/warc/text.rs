//! The text of an archive. Reading can continue after damage in compressed data, and can go back to the start of a
//! record.

use std::io::{self, BufRead, Cursor, Read};

use crate::formats::compression::{Damaged, DamagedMember, Salvage, read_through};

/// The beginning of every record.
pub(super) const MARK: &[u8] = b"WARC/";

/// The text of an archive. If its compressed data is damaged, the text ends there with an error, and can be resumed with the
/// next member whose text begins as a record does.
pub(super) struct ArchiveText<'t> {
    text: Box<dyn BufRead + 't>,
    /// The file, if it is compressed.
    salvage: Option<Salvage<'t>>,
    damage: Option<Damage>,
}

struct Damage {
    /// The text before it that was lost with it.
    rest: Cursor<Vec<u8>>,
    place: Damaged,
}

impl<'t> ArchiveText<'t> {
    /// A text, and the compressed file that it comes from, if there is one.
    pub fn new(text: impl BufRead + 't, salvage: Option<Salvage<'t>>) -> ArchiveText<'t> {
        ArchiveText { text: Box::new(text), salvage, damage: None }
    }

    /// Passes over damage in compressed data, at which the text ended. Returns whether a record follows.
    pub fn pass_damage(&mut self) -> io::Result<bool> {
        let (Some(Damage { place, .. }), Some(salvage)) = (&self.damage, &self.salvage) else { return Ok(false) };
        let Some(text) = salvage.after(place, MARK)? else { return Ok(false) };
        (self.text, self.damage) = (Box::new(text), None);
        Ok(true)
    }
}

impl BufRead for ArchiveText<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.damage.is_none()
            && let Err(error) = self.text.fill_buf()
        {
            let mut place = error.downcast::<Damaged>()?;
            let rest = self.salvage.as_ref().map_or_else(Vec::new, |salvage| salvage.rest(&place));
            place.member = place.member.map(|member| DamagedMember { text: member.text + rest.len() as u64, ..member });
            self.damage = Some(Damage { rest: Cursor::new(rest), place });
        }
        match &mut self.damage {
            None => self.text.fill_buf(),
            Some(Damage { rest, place }) if rest.position() == rest.get_ref().len() as u64 => Err(place.again()),
            Some(Damage { rest, .. }) => rest.fill_buf(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        match &mut self.damage {
            None => self.text.consume(bytes),
            Some(Damage { rest, .. }) => rest.consume(bytes),
        }
    }
}

impl Read for ArchiveText<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        read_through(self, bytes)
    }
}

/// The most bytes after a mark that can be read again.
const MOST: usize = 4 << 20;

/// A text that stores the bytes since a mark, so that they can be read again.
#[derive(Debug)]
pub(super) struct Replay<R> {
    text: R,
    kept: Vec<u8>,
    /// The positions of the mark and of the next byte in the stored bytes.
    mark: usize,
    at: usize,
    /// Whether more bytes follow the mark than are stored.
    is_too_far: bool,
    /// The offset of the next byte in the text.
    position: u64,
}

impl<R: BufRead> Replay<R> {
    pub fn new(text: R) -> Replay<R> {
        Replay { text, kept: Vec::new(), mark: 0, at: 0, is_too_far: false, position: 0 }
    }

    /// The offset of the next byte in the text.
    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn text(&mut self) -> &mut R {
        &mut self.text
    }

    pub fn mark(&mut self) {
        if self.at == self.kept.len() {
            self.kept.clear();
            self.at = 0;
        }
        (self.mark, self.is_too_far) = (self.at, false);
    }

    /// Goes back to the mark; if that is too far, stays here.
    pub fn rewind(&mut self) {
        if !self.is_too_far {
            self.position -= (self.at - self.mark) as u64;
            self.at = self.mark;
        }
    }

    /// Forgets everything before.
    pub fn forget(&mut self) {
        self.at = self.kept.len();
        self.mark();
    }
}

impl<R: BufRead> BufRead for Replay<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at < self.kept.len() { Ok(&self.kept[self.at..]) } else { self.text.fill_buf() }
    }

    fn consume(&mut self, bytes: usize) {
        self.position += bytes as u64;
        if self.at < self.kept.len() {
            self.at += bytes;
            return;
        }
        if !self.is_too_far && self.kept.len() - self.mark + bytes <= MOST {
            // The bytes were looked at, so this does not read.
            if let Ok(next) = self.text.fill_buf() {
                self.kept.extend_from_slice(&next[..bytes.min(next.len())]);
            }
            self.at = self.kept.len();
        } else if bytes > 0 {
            self.kept.clear();
            (self.mark, self.at, self.is_too_far) = (0, 0, true);
        }
        self.text.consume(bytes);
    }
}

impl<R: BufRead> Read for Replay<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        read_through(self, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(text: &mut Replay<&[u8]>, length: usize) -> String {
        let mut bytes = vec![0; length];
        text.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_text_is_read_again_from_its_mark() {
        let mut text = Replay::new(&b"abcdefghij"[..]);
        assert_eq!(next(&mut text, 2), "ab");
        text.mark();
        assert_eq!(next(&mut text, 4), "cdef");
        text.rewind();
        assert_eq!((text.position(), next(&mut text, 1)), (2, "c".to_owned()));
        text.mark();
        assert_eq!(next(&mut text, 5), "defgh");
        text.rewind();
        assert_eq!((text.position(), next(&mut text, 7)), (3, "defghij".to_owned()));
        text.forget();
        text.rewind();
        assert!(text.fill_buf().unwrap().is_empty() && text.position() == 10);
    }

    #[test]
    fn more_than_is_kept_is_not_read_again() {
        let long = vec![b'a'; MOST + 10];
        let mut text = Replay::new(&long[..]);
        text.mark();
        next(&mut text, MOST);
        text.rewind();
        assert_eq!(text.position(), 0);
        next(&mut text, MOST + 1);
        text.rewind();
        assert_eq!(text.position(), MOST as u64 + 1);
        text.mark();
        next(&mut text, 3);
        text.rewind();
        assert_eq!(text.position(), MOST as u64 + 1);
    }
}
