//! A file of many members, frames or streams, decompressed by many threads: those of a pool that have nothing else to do
//! ([`with_help`]), or whoever calls [`Pieces::claim`] and `make`.
//!
//! Where members begin can only be guessed, from bytes that all of them begin with. So a file is cut into pieces of equal
//! length. A helper claims a free piece, searches it for the first such bytes, and decompresses from there up
//! to the first boundary after the piece. The reader of the text goes from boundary to boundary. It uses a helper's text only if
//! that begins at the very boundary it has reached; otherwise it decompresses the piece itself. A wrong guess therefore costs time
//! but changes nothing: not the text, not the error, not where the error is.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::codec::{Compression, HEAD};
use super::input::{BUFFER, Input, read_through};
use super::reader::{Members, Reader};
use crate::formats::coding::DICTIONARY_MAGIC;
use crate::formats::made_ahead::{Help, Made, MadeAhead};
use crate::formats::seekable::FileAt;
use crate::threads::{self, Scope};

const PIECE: u64 = 512 << 10;

const LONGEST: u64 = 8 << 20;

const STEP: usize = 1 << 20;

pub(crate) struct Pieces<F> {
    file: FileAt<F>,
    piece: u64,
    compression: Compression,
    memory: u64,
    longest: u64,
    ahead: MadeAhead<PieceText>,
}

/// The text of a piece; empty if no readable member begins in it.
#[derive(Default)]
struct PieceText {
    /// The boundaries at which the text begins and ends.
    start: u64,
    end: u64,
    text: Vec<u8>,
}

impl Made for PieceText {
    fn bytes(&self) -> u64 {
        self.text.capacity() as u64
    }
}

impl<F: Deref<Target = File> + Clone + Send + Sync> Pieces<F> {
    /// The pieces of a file, with `memory` bytes for each decompressor and `room` bytes for all texts; `None` if
    /// the file cannot be read in pieces.
    pub fn new(file: FileAt<F>, compression: Compression, memory: u64, room: u64) -> io::Result<Option<Pieces<F>>> {
        let mut start = [0; 4];
        file.from(0).read_exact(&mut start)?;
        // Frames that need a dictionary cannot be read on their own.
        if file.length <= 2 * PIECE || start == DICTIONARY_MAGIC {
            return Ok(None);
        }
        let longest = LONGEST.min(room / 2);
        let ahead = MadeAhead::new(file.length.div_ceil(PIECE), of_one(longest, memory), room);
        Ok(Some(Pieces { file, piece: PIECE, compression, memory, longest, ahead }))
    }

    fn made(&self, piece: u64) -> io::Result<Option<PieceText>> {
        let Some(start) = self.head(piece)? else { return Ok(None) };
        let mut part = self.part(start, piece);
        let mut text = self.ahead.spare();
        while text.len() as u64 <= self.longest {
            // Do not double the buffer.
            if text.capacity() - text.len() < STEP {
                text.reserve_exact(STEP);
            }
            if part.by_ref().take(STEP as u64).read_to_end(&mut text)? == 0 {
                return Ok(Some(PieceText { start, end: part.offset(), text }));
            }
        }
        Ok(None)
    }

    /// The members from a boundary on, up to the first boundary after a piece.
    fn part<'f>(&self, at: u64, piece: u64) -> Members<'f>
    where
        F: 'f,
    {
        let input = Input::from(self.file.from(at), at, self.memory);
        Members::until((piece + 1) * self.piece, input, self.compression)
    }

    /// The first place in a piece where a member may begin.
    fn head(&self, piece: u64) -> io::Result<Option<u64>> {
        let start = piece * self.piece;
        let mut bytes = Vec::with_capacity(self.piece as usize + HEAD);
        // A head may extend beyond the piece.
        self.file.from(start).take(self.piece + HEAD as u64 - 1).read_to_end(&mut bytes)?;
        Ok(self.compression.first_head(&bytes).map(|at| start + at as u64))
    }

    /// The text of the piece that begins at a boundary; `None` if the reader has to decompress it itself.
    fn take(&self, at: u64) -> Option<PieceText> {
        let made = self.ahead.take(at / self.piece, |other| self.make(other));
        made.filter(|made| made.start == at && made.end > at)
    }
}

impl<F: Deref<Target = File> + Clone + Send + Sync> Help for Pieces<F> {
    fn claim(&self) -> Option<u64> {
        self.ahead.claim()
    }

    fn make(&self, piece: u64) {
        // On damage, leave the piece to the reader, which will meet the same damage in its turn.
        self.ahead.make(piece, || self.made(piece).ok().flatten().unwrap_or_default());
    }
}

/// The most memory that a piece takes while it is decompressed.
fn of_one(longest: u64, memory: u64) -> u64 {
    longest.saturating_add(STEP as u64).saturating_add(memory)
}

pub(crate) struct InPieces<'f, F: Deref<Target = File>> {
    pieces: Arc<Pieces<F>>,
    source: &'f AtomicU64,
    /// The boundary reached, and the text that follows it.
    at: u64,
    now: Now<'f>,
}

enum Now<'f> {
    Between,
    Made(PieceText, usize),
    /// With how much of the file was counted.
    Part(Box<BufReader<Members<'f>>>, u64),
}

impl<'f, F: Deref<Target = File>> InPieces<'f, F> {
    /// Starts at the beginning; bytes taken from the file are added to `source`.
    pub fn new(pieces: Arc<Pieces<F>>, source: &'f AtomicU64) -> InPieces<'f, F> {
        InPieces { pieces, source, at: 0, now: Now::Between }
    }
}

impl<'f, F: Deref<Target = File> + Clone + Send + Sync + 'f> Read for InPieces<'f, F> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        read_through(self, bytes)
    }
}

impl<'f, F: Deref<Target = File> + Clone + Send + Sync + 'f> BufRead for InPieces<'f, F> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        loop {
            let end = match &mut self.now {
                Now::Made(made, at) if *at < made.text.len() => break,
                Now::Made(made, _) => {
                    self.pieces.ahead.give_back(std::mem::take(&mut made.text));
                    made.end
                }
                Now::Part(text, counted) => {
                    let is_end = text.fill_buf()?.is_empty();
                    let offset = text.get_ref().offset();
                    self.source.fetch_add(offset - *counted, Ordering::Relaxed);
                    *counted = offset;
                    if !is_end {
                        break;
                    }
                    offset
                }
                Now::Between if self.at >= self.pieces.file.length => break,
                Now::Between => {
                    self.now = match self.pieces.take(self.at) {
                        Some(made) => {
                            self.source.fetch_add(made.end - self.at, Ordering::Relaxed);
                            Now::Made(made, 0)
                        }
                        None => {
                            let part = self.pieces.part(self.at, self.at / self.pieces.piece);
                            Now::Part(Box::new(BufReader::with_capacity(BUFFER, part)), self.at)
                        }
                    };
                    continue;
                }
            };
            (self.at, self.now) = (end, Now::Between);
        }
        match &mut self.now {
            Now::Between => Ok(&[]),
            Now::Made(made, at) => Ok(&made.text[*at..]),
            Now::Part(text, _) => text.fill_buf(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        match &mut self.now {
            Now::Between => {}
            Now::Made(_, at) => *at += bytes,
            Now::Part(text, _) => text.consume(bytes),
        }
    }
}

/// Bytes of text to read before asking for help again.
const UNAIDED: usize = 64 << 10;

/// Passes the text of a compressed file, from its start, to `read`. Idle threads of the current pool decompress ahead, each
/// with the usual memory, to texts that share `room` bytes. This thread's decompressor has `memory` bytes.
pub(crate) fn with_help<T>(
    file: &File,
    compression: Compression,
    memory: u64,
    room: u64,
    read: impl FnOnce(&mut dyn BufRead) -> T,
) -> io::Result<T> {
    let file = FileAt::new(file, file.metadata()?.len());
    let pieces = match threads::number() {
        1 => None,
        _ => Pieces::new(file, compression, memory.min(compression.codec().usual_memory), room)?.map(Arc::new),
    };
    let Some(pieces) = pieces else {
        return Ok(read(&mut Reader::within(file, memory)?));
    };
    let (source, asked) = (AtomicU64::new(0), AtomicUsize::new(0));
    Ok(threads::scope(|scope| {
        let text = InPieces::new(Arc::clone(&pieces), &source);
        read(&mut Helped { text, pieces: &pieces, scope, asked: &asked, passed: UNAIDED })
    }))
}

/// A text in pieces that threads of a scope help to decompress.
struct Helped<'s, 'f> {
    text: InPieces<'f, &'f File>,
    pieces: &'f Arc<Pieces<&'f File>>,
    scope: &'s Scope<'f>,
    /// Helpers that were spawned and have not started.
    asked: &'f AtomicUsize,
    passed: usize,
}

impl Helped<'_, '_> {
    /// Spawns a helper for each other thread of the pool. A helper claims its piece when it runs, not when it is spawned, so
    /// the reader never waits for a piece that no thread works on.
    fn ask(&mut self) {
        self.passed = 0;
        let (pieces, asked) = (self.pieces, self.asked);
        while asked.load(Ordering::Relaxed) + 1 < threads::number() {
            asked.fetch_add(1, Ordering::Relaxed);
            self.scope.spawn(move |_| {
                asked.fetch_sub(1, Ordering::Relaxed);
                if let Some(piece) = pieces.claim() {
                    pieces.make(piece);
                }
            });
        }
    }
}

impl Read for Helped<'_, '_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        read_through(self, bytes)
    }
}

impl BufRead for Helped<'_, '_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.passed >= UNAIDED {
            self.ask();
        }
        self.text.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.passed += bytes;
        self.text.consume(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::Reader;
    use super::super::reader::tests::{bzip2, compression, gzip, stored, zstd};
    use super::*;

    fn text(number: u32) -> Vec<u8> {
        let lines = (0..number % 3000).map(|n| format!("{}\n", n.wrapping_mul(2_654_435_761) ^ number));
        lines.collect::<String>().into_bytes()
    }

    /// Reads a file with this many helpers: its text up to any damage, the error, and the bytes taken from the file.
    fn read(file: &[u8], compression: Compression, helpers: usize) -> (Vec<u8>, Option<String>, u64) {
        let (length, piece) = (file.len() as u64, 4096);
        let (longest, memory) = (100_000, 1 << 23);
        let ahead = MadeAhead::new(length.div_ceil(piece), of_one(longest, memory), 1 << 30);
        let file = stored(file);
        let file = FileAt::new(&file, length);
        let pieces = Pieces { file, piece, compression, memory, longest, ahead };
        let (pieces, source, ended) = (Arc::new(pieces), AtomicU64::new(0), AtomicU64::new(0));
        let mut text = Vec::new();
        let problem = std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|| {
                    while ended.load(Ordering::Relaxed) == 0 {
                        pieces.claim().map_or_else(std::thread::yield_now, |piece| pieces.make(piece));
                    }
                });
            }
            let mut reader = InPieces::new(Arc::clone(&pieces), &source);
            let read = reader.read_to_end(&mut text);
            ended.store(1, Ordering::Relaxed);
            read.err().map(|error| error.to_string())
        });
        (text, problem, source.into_inner())
    }

    fn files() -> Vec<(Vec<u8>, Compression)> {
        let numbers: Vec<u32> = (0..60u32).map(|n| n * 7919 % 9001).collect();
        let all = |compressed: &dyn Fn(&[u8]) -> Vec<u8>| {
            numbers.iter().flat_map(|&n| compressed(&text(n))).collect::<Vec<u8>>()
        };
        let long: Vec<u8> = (1..80).flat_map(|n| text(n * 3000 - 1)).collect();
        // Stored data contains the heads of its inner members, which are not members of the file.
        let stored = |text: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
            io::Write::write_all(&mut encoder, text).unwrap();
            encoder.finish().unwrap()
        };
        let nested = all(&|text| if text.len() > 9000 { stored(&gzip(text).repeat(4)) } else { gzip(text) });
        let skippable = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let framed = all(&|text| [&skippable[..], &zstd(text, b""), &skippable].concat());
        vec![
            (all(&gzip), compression("gzip")),
            ([all(&gzip), gzip(&long), all(&gzip), vec![0; 9000]].concat(), compression("gzip")),
            (gzip(&long), compression("gzip")),
            (nested, compression("gzip")),
            (all(&|text| zstd(text, b"")), compression("zstd")),
            ([framed, zstd(&long, b""), all(&|text| zstd(text, b""))].concat(), compression("zstd")),
            (all(&bzip2), compression("bzip2")),
        ]
    }

    #[test]
    fn the_text_is_that_of_one_reader_however_many_help() {
        for (file, compression) in files() {
            let mut expected = Vec::new();
            Reader::new(&file[..]).unwrap().read_to_end(&mut expected).unwrap();
            for helpers in [0, 1, 4] {
                let (text, problem, taken) = read(&file, compression, helpers);
                assert!(text == expected && problem.is_none(), "{compression:?} {helpers} {problem:?}");
                assert_eq!(taken, file.len() as u64);
            }
        }
    }

    #[test]
    fn damage_is_the_same_however_many_help() {
        for (mut file, compression) in files() {
            let middle = file.len() / 2;
            file[middle..middle + 60].fill(0x55);
            for file in [file.clone(), file[..middle - 1].to_vec()] {
                let expected = read(&file, compression, 0);
                assert!(expected.1.as_ref().is_some_and(|problem| problem.contains("damaged")), "{:?}", expected.1);
                assert!(read(&file, compression, 4) == expected, "{compression:?}");
            }
        }
    }

    /// The reader uses the texts of helpers, and decompresses few parts itself.
    #[test]
    fn pieces_are_used() {
        let (file, compression) = files().swap_remove(0);
        let pieces = |file| Pieces::new(file, compression, 1 << 20, 1 << 30).unwrap();
        let (small, content) = (stored(&file), file.repeat(12));
        assert!(pieces(FileAt::new(&small, file.len() as u64)).is_none(), "it is too small");
        let file = stored(&content);
        let pieces = Arc::new(pieces(FileAt::new(&file, content.len() as u64)).unwrap());
        while let Some(piece) = pieces.claim() {
            pieces.make(piece);
        }
        let source = AtomicU64::new(0);
        let mut reader = InPieces::new(Arc::clone(&pieces), &source);
        let (mut all, mut own) = (0, 0);
        loop {
            let read = reader.fill_buf().unwrap().len();
            if read == 0 {
                break;
            }
            all += read;
            own += if matches!(reader.now, Now::Part(..)) { read } else { 0 };
            reader.consume(read);
        }
        assert!(own > 0 && own < all / 3, "{own} of {all}");
        assert!(pieces.ahead.has_only_spares());
    }
}
