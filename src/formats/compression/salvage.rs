//! Reads on after damage in a compressed file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use super::codec::{Compression, HEAD};
use super::damage::Damaged;
use super::input::{BUFFER, Input};
use super::reader::{Members, dictionary};
use crate::formats::coding::DICTIONARY_MAGIC;
use crate::formats::seekable::FileAt;

/// Bytes searched for a member at a time.
const WINDOW: u64 = 512 << 10;

/// How much text is decompressed at a time up to damage. A decompressor that meets damage loses what it has made for the same
/// call.
const STEP: usize = 64;

/// The most text of a damaged member that is read a second time.
const MOST: usize = 16 << 20;

/// A compressed file of which parts may be damaged.
pub(crate) struct Salvage<'f> {
    file: FileAt<&'f File>,
    compression: Compression,
    memory: u64,
    dictionary: Vec<u8>,
}

impl<'f> Salvage<'f> {
    /// A file that is compressed so, with a decompressor that may use `memory` bytes.
    pub fn new(file: &'f File, compression: Compression, memory: u64) -> io::Result<Salvage<'f>> {
        let file = FileAt::new(file, file.metadata()?.len());
        let mut start = Vec::new();
        file.from(0).take(DICTIONARY_MAGIC.len() as u64).read_to_end(&mut start)?;
        let dictionary = match start == DICTIONARY_MAGIC {
            true => dictionary(&mut Input::from(file.from(0), 0, memory))?,
            false => Vec::new(),
        };
        Ok(Salvage { file, compression, memory, dictionary })
    }

    /// The text of the damaged member that was not read, up to the damage.
    pub fn rest(&self, damaged: &Damaged) -> Vec<u8> {
        let Some(member) = damaged.member else { return Vec::new() };
        let input = Input::from(self.file.from(member.start), member.start, self.memory);
        let mut text = Members::until(member.start + 1, input, self.compression);
        let (mut rest, mut step) = (Vec::new(), [0; STEP]);
        let is_behind = io::copy(&mut text.by_ref().take(member.text), &mut io::sink()).is_ok();
        while is_behind && rest.len() < MOST {
            match text.read(&mut step) {
                Ok(length) if length > 0 => rest.extend_from_slice(&step[..length]),
                _ => break,
            }
        }
        rest
    }

    /// The text from the first member after a damaged one on that begins with `mark`.
    pub fn after(&self, damaged: &Damaged, mark: &[u8]) -> io::Result<Option<impl BufRead + use<'f>>> {
        self.find(damaged.member.map_or(damaged.offset, |member| member.start + 1), mark)
    }

    /// Whether the first member of the file is damaged.
    pub fn begins_damaged(&self) -> bool {
        let input = Input::from(self.file.from(0), 0, self.memory);
        let mut text = Members::until(1, input, self.compression);
        io::copy(&mut text, &mut io::sink()).is_err_and(|error| Damaged::of(&error).is_some())
    }

    /// The text from the first member at or after byte `at` of the file on that begins with `mark`.
    pub fn find(&self, mut at: u64, mark: &[u8]) -> io::Result<Option<impl BufRead + use<'f>>> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            self.file.from(at).take(WINDOW + HEAD as u64).read_to_end(&mut bytes)?;
            match self.compression.first_head(&bytes) {
                Some(found) if self.begins_with(at + found as u64, mark) => {
                    return Ok(Some(self.text(at + found as u64)));
                }
                Some(found) => at += found as u64 + 1,
                None if bytes.len() as u64 <= WINDOW => return Ok(None),
                None => at += WINDOW,
            }
        }
    }

    /// Whether a member at `at` can be read and begins with `mark`.
    fn begins_with(&self, at: u64, mark: &[u8]) -> bool {
        let mut start = Vec::new();
        self.text(at).take(mark.len() as u64).read_to_end(&mut start).is_ok() && start == mark
    }

    fn text(&self, at: u64) -> BufReader<Members<'f>> {
        let input = Input::from(self.file.from(at), at, self.memory);
        let members = Members::all(input, self.compression, self.dictionary.clone());
        BufReader::with_capacity(BUFFER, members)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::Reader;
    use super::super::reader::tests::{bzip2, compression, gzip, stored, zstd};
    use super::*;

    fn text(number: u32) -> Vec<u8> {
        let lines = (0..40).map(|n| format!("{} of member {number}\n", (n * number + 7).wrapping_mul(2_654_435_761)));
        [b"MARK ".to_vec(), lines.collect::<String>().into_bytes()].concat()
    }

    /// The text before any damage, with what is salvaged of the damaged member, and the text after it.
    fn salvaged(content: &[u8], compression: Compression) -> (Vec<u8>, Vec<u8>) {
        let (file, mut before, mut after) = (stored(content), Vec::new(), Vec::new());
        let salvage = Salvage::new(&file, compression, 1 << 24).unwrap();
        let Err(error) = Reader::new(content).unwrap().read_to_end(&mut before) else { return (before, after) };
        let damaged = error.get_ref().unwrap().downcast_ref::<Damaged>().unwrap();
        before.extend(salvage.rest(damaged));
        if let Some(mut text) = salvage.after(damaged, b"MARK ").unwrap() {
            text.read_to_end(&mut after).unwrap();
        }
        (before, after)
    }

    type Compress = fn(&[u8]) -> Vec<u8>;

    #[test]
    fn wherever_a_member_is_damaged_the_others_are_read() {
        let compressed: [(Compression, Compress); 3] =
            [(compression("gzip"), gzip), (compression("zstd"), |text| zstd(text, b"")), (compression("bzip2"), bzip2)];
        for (compression, compress) in compressed {
            let [first, second, third] = [1, 2, 3].map(|number| compress(&text(number)));
            for at in 0..second.len() {
                let mut damaged = second.clone();
                damaged[at] ^= 0x15;
                let (before, after) = salvaged(&[&first[..], &damaged, &third].concat(), compression);
                if after.is_empty() {
                    // Some bytes of a head do not matter.
                    assert!(before == [text(1), text(2), text(3)].concat(), "{compression:?}, {at}");
                    continue;
                }
                assert!(after == text(3), "{compression:?}, {at}");
                assert!(before.starts_with(&text(1)), "{compression:?}, {at}");
            }
            let cut = [&first[..], &second[..second.len() / 2], &third].concat();
            assert!(salvaged(&cut, compression).1 == text(3), "{compression:?}");
            assert!(salvaged(&[&first[..], &second[..20]].concat(), compression).1.is_empty(), "{compression:?}");
        }
    }

    #[test]
    fn the_text_before_damage_is_read_to_the_last_step() {
        let (first, mut second) = (gzip(&text(1)), gzip(&text(2)));
        let end = second.len();
        second[end - 30..].fill(0xff);
        let (before, _) = salvaged(&[first, second].concat(), compression("gzip"));
        let all = [text(1), text(2)].concat();
        assert!(
            all.starts_with(&before[..before.len() - STEP]) && before.len() > all.len() * 8 / 10,
            "{}",
            before.len()
        );
    }

    #[test]
    fn frames_with_a_dictionary_are_read_on() {
        let dictionary = text(9);
        let frame = [&DICTIONARY_MAGIC[..], &(dictionary.len() as u32).to_le_bytes(), &dictionary].concat();
        let [first, mut second, third] = [1, 2, 3].map(|number| zstd(&text(number), &dictionary));
        second[20] ^= 0x55;
        let (before, after) = salvaged(&[frame, first, second, third].concat(), compression("zstd"));
        assert!(before.starts_with(&text(1)) && after == text(3));
    }
}
