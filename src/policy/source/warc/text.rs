//! The text of an archive, which goes on after damage in compressed data.

use std::io::{self, BufRead, Cursor, Read};

use crate::formats::compression::{Damaged, DamagedMember, Salvage};

/// The beginning of every record.
pub(super) const MARK: &[u8] = b"WARC/";

/// The text of an archive, which may be damaged.
pub(super) trait Text: BufRead {
    /// Passes over the damage in compressed data with which the text ended. Returns whether it goes on with a record.
    fn pass_damage(&mut self) -> io::Result<bool>;
}

/// The text of an archive. If its compressed data is damaged, the text ends there with an error, and can be resumed with the
/// next member whose text begins as a record does.
pub(super) struct ArchiveText<'t> {
    text: Box<dyn BufRead + 't>,
    /// The file, if it is compressed.
    salvage: Option<Salvage<'t>>,
    damage: Option<Damage>,
}

/// Damage that was met.
struct Damage {
    /// The text before it that was lost with it.
    rest: Cursor<Vec<u8>>,
    place: Damaged,
}

impl<'t> ArchiveText<'t> {
    /// A text, and the compressed file that it comes from, if it does.
    pub fn new(text: impl BufRead + 't, salvage: Option<Salvage<'t>>) -> ArchiveText<'t> {
        ArchiveText { text: Box::new(text), salvage, damage: None }
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
        let read = self.fill_buf()?.read(bytes)?;
        self.consume(read);
        Ok(read)
    }
}

impl Text for ArchiveText<'_> {
    fn pass_damage(&mut self) -> io::Result<bool> {
        let (Some(Damage { place, .. }), Some(salvage)) = (&self.damage, &self.salvage) else { return Ok(false) };
        let Some(text) = salvage.after(place, MARK)? else { return Ok(false) };
        (self.text, self.damage) = (Box::new(text), None);
        Ok(true)
    }
}
