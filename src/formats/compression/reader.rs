//! Reads a file, decompressing it on the way: its members, frames or streams, one after the other.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::codec::{Compression, DEFAULT_WINDOW, HEAD, Member};
use super::damage::{Damaged, DamagedMember};
use super::input::{BUFFER, Input, StoredBytes, peeked, read_through};
use crate::formats::coding::{DICTIONARY_MAGIC, ZSTD};
use crate::threads;

/// The largest dictionary allowed, in bytes: the tool that makes them makes none larger.
const DICTIONARY_LIMIT: u64 = 100 << 20;

/// The text of a file, decompressed if it is compressed.
pub struct Reader<'r> {
    text: BufReader<Stream<'r>>,
}

impl Reader<'static> {
    /// Opens the file at `path`.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or read, or its Zstandard dictionary is [`Damaged`](super::Damaged).
    pub fn open(path: &Path) -> io::Result<Reader<'static>> {
        Reader::new(File::open(path)?)
    }
}

impl<'r> Reader<'r> {
    /// Reads the text of `file`.
    ///
    /// # Errors
    ///
    /// If `file` cannot be read, or its Zstandard dictionary is [`Damaged`](super::Damaged).
    pub fn new(file: impl Read + Send + 'r) -> io::Result<Reader<'r>> {
        Reader::within(file, DEFAULT_WINDOW)
    }

    /// Reads the text of `file` with a decompressor that keeps no more than about `memory` bytes. Only Zstandard may need much.
    ///
    /// # Errors
    ///
    /// If `file` cannot be read, or its Zstandard dictionary is [`Damaged`](super::Damaged); reading may later fail with `WindowTooLarge`.
    pub fn within(file: impl Read + Send + 'r, memory: u64) -> io::Result<Reader<'r>> {
        let source = BufReader::with_capacity(BUFFER, StoredBytes::new(file));
        let (start, text) = peeked(source, HEAD)?;
        let mut input = Input { text, offset: 0, memory };
        let stream = match Compression::of(&start) {
            None => Stream::Plain(input),
            Some(compression) => {
                let dictionary = match start.starts_with(&DICTIONARY_MAGIC) {
                    true => dictionary(&mut input).map_err(|error| input.with_offset(error, compression, None))?,
                    false => Vec::new(),
                };
                Stream::Members(Box::new(Members::all(input, compression, dictionary)))
            }
        };
        Ok(Reader { text: BufReader::with_capacity(BUFFER, stream) })
    }

    /// How the file is compressed, if it is.
    pub fn compression(&self) -> Option<Compression> {
        match self.text.get_ref() {
            Stream::Plain(_) => None,
            Stream::Members(members) => Some(members.compression()),
        }
    }
}

impl Read for Reader<'_> {
    /// Gives the same bytes before damage, whatever the sizes of reads. All data is decompressed through one buffer, because a
    /// decompressor that is asked for less or more might fail earlier or later.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if let Stream::Plain(_) = self.text.get_ref() {
            return self.text.read(bytes);
        }
        read_through(self, bytes)
    }
}

impl BufRead for Reader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.text.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.text.consume(bytes);
    }
}

/// The decompressor for the file, if it is compressed.
enum Stream<'r> {
    Plain(Input<'r>),
    Members(Box<Members<'r>>),
}

impl Read for Stream<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        threads::check();
        match self {
            Stream::Plain(input) => input.text.read(bytes),
            Stream::Members(members) => members.read(bytes),
        }
    }
}

/// The dictionary that the file begins with, which may itself be compressed.
pub(super) fn dictionary(input: &mut Input<'_>) -> io::Result<Vec<u8>> {
    let limit = DICTIONARY_LIMIT.min(input.memory / 4);
    let mut head = [0; 8];
    input.read_exact(&mut head)?;
    let length = u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]]));
    let mut dictionary = read_within(input.take(length), limit, "its dictionary")?;
    if (dictionary.len() as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if dictionary.starts_with(ZSTD) {
        dictionary = read_within(ZstdDecoder::with_buffer(dictionary.as_slice())?, limit, "its dictionary")?;
    }
    Ok(dictionary)
}

/// Reads all bytes of `what`, of which there must not be more than `limit`: a device, a pipe, or a small file of much text may
/// never end.
pub(crate) fn read_within(reader: impl Read, limit: u64, what: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 <= limit {
        true => Ok(bytes),
        false => {
            let problem = format!("{what} is longer than {limit} bytes");
            Err(io::Error::new(io::ErrorKind::InvalidData, problem))
        }
    }
}

/// The text of consecutive members, up to the first boundary at or after a given offset.
pub(super) struct Members<'r> {
    compression: Compression,
    /// `None` after a member could not be begun.
    state: Option<MemberState<'r>>,
    /// Reading stops at the first boundary at or after this byte of the file.
    until: Option<u64>,
    dictionary: Vec<u8>,
    /// Where the current member begins in the file, and how many bytes of its text were read.
    member: DamagedMember,
}

enum MemberState<'r> {
    Between(Input<'r>),
    In(Box<dyn Member<'r> + 'r>),
}

impl<'r> Members<'r> {
    /// Reads all members from here on.
    pub fn all(input: Input<'r>, compression: Compression, dictionary: Vec<u8>) -> Members<'r> {
        let member = DamagedMember { start: input.offset, text: 0 };
        Members { compression, state: Some(MemberState::Between(input)), until: None, dictionary, member }
    }

    /// Reads the members from here on, up to the first boundary at or after byte `until` of the file.
    pub fn until(until: u64, input: Input<'r>, compression: Compression) -> Members<'r> {
        Members { until: Some(until), ..Members::all(input, compression, Vec::new()) }
    }

    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// How many bytes of the file were read; at the end, the end boundary.
    pub fn offset(&self) -> u64 {
        self.input().map_or(self.member.start, |input| input.offset)
    }

    fn input(&self) -> Option<&Input<'r>> {
        Some(match self.state.as_ref()? {
            MemberState::Between(input) => input,
            MemberState::In(member) => member.input(),
        })
    }

    /// Begins the next member, if there is one. Returns whether there is a member to read.
    fn begin(&mut self) -> io::Result<bool> {
        let Some(MemberState::Between(input)) = &mut self.state else { return Ok(true) };
        if self.until.is_some_and(|until| input.offset >= until) || !input.has_more(self.compression.codec().padding)? {
            return Ok(false);
        }
        let Some(MemberState::Between(input)) = self.state.take() else { return Ok(false) };
        self.member = DamagedMember { start: input.offset, text: 0 };
        self.state = Some(MemberState::In((self.compression.codec().open)(input, &self.dictionary)?));
        Ok(true)
    }

    fn read_on(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.begin()? {
            let Some(MemberState::In(member)) = &mut self.state else { return Err(io::ErrorKind::InvalidData.into()) };
            let read = member.read(bytes)?;
            if read > 0 || bytes.is_empty() {
                return Ok(read);
            }
            self.state = self.state.take().map(|state| match state {
                MemberState::In(member) => MemberState::Between(member.into_input()),
                between @ MemberState::Between(_) => between,
            });
        }
        Ok(0)
    }
}

impl Read for Members<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self.read_on(bytes) {
            Ok(read) => {
                self.member.text += read as u64;
                Ok(read)
            }
            Err(error) => {
                let member = Some(self.member).filter(|_| self.dictionary.is_empty());
                Err(match self.input() {
                    Some(input) => input.with_offset(error, self.compression, member),
                    None => Damaged::error(self.compression, self.offset(), member, error),
                })
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use super::*;
    use crate::formats::compression::{Damaged, WindowTooLarge};

    pub(crate) const TEXT: &[u8] = b"one two three four five six seven eight nine ten eleven twelve\n";

    /// The format with this name in receipts.
    pub(crate) fn compression(id: &str) -> Compression {
        serde_json::from_value(id.into()).unwrap()
    }

    pub(crate) fn stored(content: &[u8]) -> std::fs::File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file
    }

    pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    pub(crate) fn zstd(text: &[u8], dictionary: &[u8]) -> Vec<u8> {
        let mut encoder = ::zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    pub(crate) fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// A skippable frame.
    fn skippable(number: u8, content: &[u8]) -> Vec<u8> {
        [&[0x50 + number, 0x2a, 0x4d, 0x18][..], &(content.len() as u32).to_le_bytes(), content].concat()
    }

    /// Returns one byte at a time, as a slow pipe might.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let most = bytes.len().min(1);
            self.0.read(&mut bytes[..most])
        }
    }

    fn text(file: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        Reader::new(Slow(file))?.read_to_end(&mut text)?;
        let mut at_once = Vec::new();
        Reader::new(file)?.read_to_end(&mut at_once)?;
        assert_eq!(text, at_once);
        Ok(text)
    }

    #[test]
    fn files_are_known_by_their_content_and_read_to_their_end() {
        let twice = [TEXT, TEXT].concat();
        for (file, expected, compression) in [
            (Vec::new(), &b""[..], None),
            (b"a".to_vec(), b"a", None),
            (TEXT.to_vec(), TEXT, None),
            (gzip(TEXT), TEXT, Some(compression("gzip"))),
            ([gzip(TEXT), gzip(b""), gzip(TEXT)].concat(), &twice, Some(compression("gzip"))),
            ([gzip(TEXT), vec![0]].concat(), TEXT, Some(compression("gzip"))),
            ([gzip(TEXT), gzip(TEXT), vec![0; 5000]].concat(), &twice, Some(compression("gzip"))),
            (zstd(TEXT, b""), TEXT, Some(compression("zstd"))),
            (bzip2(TEXT), TEXT, Some(compression("bzip2"))),
            (bzip2(b""), b"", Some(compression("bzip2"))),
            ([bzip2(TEXT), bzip2(b""), bzip2(TEXT)].concat(), &twice, Some(compression("bzip2"))),
            (b"BZh9 is how bzip2 begins".to_vec(), b"BZh9 is how bzip2 begins", None),
            ([zstd(TEXT, b""), skippable(3, b"x"), zstd(TEXT, b"")].concat(), &twice, Some(compression("zstd"))),
            ([skippable(0, b"index"), zstd(TEXT, b"")].concat(), TEXT, Some(compression("zstd"))),
        ] {
            assert_eq!(text(&file).unwrap(), expected);
            assert_eq!(Reader::new(&file[..]).unwrap().compression(), compression);
        }
    }

    #[test]
    fn a_zstandard_file_may_begin_with_its_dictionary() {
        let frames = [zstd(TEXT, TEXT), zstd(TEXT, TEXT)].concat();
        for dictionary in [TEXT.to_vec(), zstd(TEXT, b"")] {
            let file = [skippable(13, &dictionary), frames.clone()].concat();
            assert_eq!(text(&file).unwrap(), [TEXT, TEXT].concat());
            let error = text(&file[..20]).unwrap_err().to_string();
            assert!(error.contains("Zstandard") && error.contains("byte 20"), "{error}");
        }
        // A dictionary in a form of its own, in which it is not.
        let corrupt = [skippable(13, b"\x37\xa4\x30\xec and so on"), frames.clone()].concat();
        let mut reader = Reader::new(&corrupt[..]).unwrap();
        for _ in 0..2 {
            assert!(reader.read(&mut [0; 9]).unwrap_err().to_string().contains("damaged"), "and again");
        }
        assert!(text(&frames).is_err(), "without it");
        assert!(text(&[skippable(13, b"another text, which it was not made with"), frames].concat()).is_err());
    }

    #[test]
    fn a_window_is_no_larger_than_there_is_memory_for() {
        let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(24).unwrap();
        encoder.write_all(&TEXT.repeat(400_000)).unwrap();
        let file = encoder.finish().unwrap();
        let read = |memory| Reader::within(&file[..], memory).unwrap().read_to_end(&mut Vec::new());
        assert_eq!(read(1 << 24).unwrap(), TEXT.len() * 400_000);
        let error = read((1 << 24) - 1).unwrap_err();
        assert!(error.get_ref().is_some_and(|error| error.is::<WindowTooLarge>()), "{error}");
    }

    #[test]
    fn a_file_that_is_cut_short_is_damaged() {
        for half in [gzip(TEXT), zstd(TEXT, b""), bzip2(TEXT)] {
            let file = half.repeat(2);
            // A file cut exactly between the two halves is complete.
            for length in (HEAD..file.len()).filter(|&length| length != file.len() / 2) {
                let error = text(&file[..length]).unwrap_err();
                let damaged = error.get_ref().and_then(|error| error.downcast_ref::<Damaged>()).unwrap();
                assert!(damaged.offset <= length as u64, "{damaged}");
            }
        }
    }

    #[test]
    fn changed_bytes_and_what_follows_are_noticed() {
        for file in [gzip(TEXT), zstd(TEXT, b""), bzip2(TEXT)] {
            for at in file.len() - 4..file.len() {
                let mut changed = file.clone();
                changed[at] ^= 0x10;
                assert!(text(&changed).unwrap_err().to_string().contains("damaged"), "byte {at}");
            }
            assert!(text(&[&file[..], b"more text"].concat()).is_err());
        }
        for after in [&gzip(TEXT)[..], b"text"] {
            let error = text(&[&gzip(TEXT)[..], &[0; 9], after].concat()).unwrap_err().to_string();
            assert!(error.contains("damaged") && error.contains("zeros"), "{error}");
        }
    }

    #[test]
    fn errors_of_the_file_pass_unchanged() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("no more tape"))
            }
        }
        for start in [&gzip(TEXT)[..20], &zstd(TEXT, b"")[..20], &bzip2(TEXT)[..20]] {
            let error = Reader::new(start.chain(Failing)).unwrap().read_to_end(&mut Vec::new()).unwrap_err();
            assert_eq!(error.to_string(), "no more tape");
        }
    }

    #[test]
    fn as_much_is_read_before_damage_however_it_is_read() {
        let text: Vec<u8> = (0..90_000u32).flat_map(|n| format!("{}\n", n.wrapping_mul(n)).into_bytes()).collect();
        for mut file in [gzip(&text), zstd(&text, b""), bzip2(&text)] {
            let middle = file.len() / 2;
            file[middle..middle + 40].fill(0x55);
            let read = |size: usize| {
                let (mut reader, mut all) = (Reader::new(&file[..]).unwrap(), Vec::new());
                let mut bytes = vec![0; size];
                while let Ok(read) = reader.read(&mut bytes) {
                    assert!(read > 0, "the damage was not noticed");
                    all.extend_from_slice(&bytes[..read]);
                }
                all
            };
            let whole = read(1000);
            assert!([7, 65_536, 1 << 20, 1 << 24].into_iter().all(|size| read(size) == whole));
        }
    }
}
