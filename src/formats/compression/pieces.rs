//! A file of many members, frames or streams, decompressed by many threads.
//!
//! Where members begin can only be guessed: by bytes that all of them begin with. So a file is cut into pieces of one length.
//! Who [helps](Pieces::claim) takes a piece that nobody has, looks for the first such bytes in it, and decompresses what
//! begins there up to the first border after the piece. Whoever reads the text goes from border to border, and takes what
//! was made of a piece only if it begins at the very border that he stands at; otherwise he decompresses the piece himself.
//! So a false beginning costs time, and changes nothing: not the text, not what is wrong with it, and not where.

use memchr::memmem;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::input::{BUFFER, Input};
use super::kind::{Compression, DICTIONARY_MAGIC};
use super::members::Members;

/// Bytes of a piece.
const PIECE: u64 = 512 << 10;

/// The longest text of a piece that is kept.
const LONGEST: u64 = 8 << 20;

/// Bytes that are decompressed at a time.
const STEP: usize = 1 << 20;

/// So many pieces are looked at ahead of the one that is read.
const AHEAD: u64 = 32;

/// A file that can be read from any place, by many at once.
pub(crate) trait Anywhere: Sync {
    /// Its bytes from a place on.
    fn bytes_from(&self, at: u64) -> Box<dyn Read + Send + '_>;
}

/// The members from a border on.
type Part<'f> = Members<Box<dyn Read + Send + 'f>>;

/// The pieces of a file.
pub(crate) struct Pieces<'f> {
    file: &'f dyn Anywhere,
    length: u64,
    /// Bytes of a piece.
    piece: u64,
    compression: Compression,
    /// What each decompressor may take.
    memory: u64,
    /// The longest text of a piece that is kept.
    longest: u64,
    /// What the texts of pieces may take together.
    room: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The piece that is read.
    due: u64,
    /// The first piece that nobody has taken.
    next: u64,
    /// Pieces that a thread has taken; `None` while it decompresses one.
    taken: BTreeMap<u64, Option<Made>>,
    /// What their texts take.
    bytes: u64,
    /// Memory of texts that were read, to be used again: the system takes long to find pages for each.
    spares: Vec<Vec<u8>>,
}

/// The text of a piece; empty if no readable member begins in it.
#[derive(Default)]
struct Made {
    /// The borders where the text begins and ends.
    start: u64,
    end: u64,
    text: Vec<u8>,
}

impl<'f> Pieces<'f> {
    /// Those of a file of this length, with so much `memory` for a decompressor and `room` for all texts; `None` where it
    /// cannot be read in pieces.
    pub fn new(
        file: &'f dyn Anywhere,
        length: u64,
        compression: Compression,
        memory: u64,
        room: u64,
    ) -> io::Result<Option<Pieces<'f>>> {
        let mut start = [0; 4];
        file.bytes_from(0).take(4).read_exact(&mut start)?;
        // What needs a dictionary cannot be read by itself.
        if length <= 2 * PIECE || start == DICTIONARY_MAGIC {
            return Ok(None);
        }
        let (state, changed) = (Mutex::default(), Condvar::new());
        Ok(Some(Pieces {
            file,
            length,
            piece: PIECE,
            compression,
            memory,
            longest: LONGEST.min(room / 2),
            room,
            state,
            changed,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a piece that nobody has, if there is one, and room for it.
    pub fn claim(&self) -> Option<u64> {
        self.claim_in(&mut self.lock())
    }

    fn claim_in(&self, state: &mut State) -> Option<u64> {
        // Of the piece that is read, its reader sees to.
        let piece = state.next.max(state.due + 1);
        let of_one = self.longest + STEP as u64 + self.memory;
        let at_work = state.taken.values().filter(|made| made.is_none()).count() as u64;
        let has_room = state.bytes + (at_work + 1) * of_one <= self.room;
        if !has_room || piece * self.piece >= self.length || piece > state.due + AHEAD {
            return None;
        }
        state.next = piece + 1;
        state.taken.insert(piece, None);
        Some(piece)
    }

    /// Decompresses a piece that was claimed.
    pub fn make(&self, piece: u64) {
        let mut keep = Keep { pieces: self, piece, made: Made::default() };
        // The reader meets the same damage in its turn.
        if let Ok(Some(made)) = self.made(piece) {
            keep.made = made;
        }
    }

    fn made(&self, piece: u64) -> io::Result<Option<Made>> {
        let Some(start) = self.head(piece)? else { return Ok(None) };
        let mut part = self.part(start, piece);
        let mut text = self.spare();
        while text.len() as u64 <= self.longest {
            // Not twice as much each time.
            if text.capacity() - text.len() < STEP {
                text.reserve_exact(STEP);
            }
            if part.by_ref().take(STEP as u64).read_to_end(&mut text)? == 0 {
                return Ok(Some(Made { start, end: part.offset(), text }));
            }
        }
        Ok(None)
    }

    /// What begins at a border, up to the first border after a piece.
    fn part(&self, at: u64, piece: u64) -> Part<'f> {
        let input = Input::from(self.file.bytes_from(at), at, self.memory);
        Members::new(input, self.compression, (piece + 1) * self.piece)
    }

    /// Memory for a text.
    fn spare(&self) -> Vec<u8> {
        let mut state = self.lock();
        let mut text = state.spares.pop().unwrap_or_default();
        state.bytes -= text.capacity() as u64;
        text.clear();
        text
    }

    /// Takes the memory of a text back.
    fn give_back(&self, text: Vec<u8>) {
        let mut state = self.lock();
        if state.bytes + text.capacity() as u64 <= self.room / 4 {
            state.bytes += text.capacity() as u64;
            state.spares.push(text);
        }
    }

    /// Where in a piece a member may begin first.
    fn head(&self, piece: u64) -> io::Result<Option<u64>> {
        let start = piece * self.piece;
        let mut bytes = Vec::with_capacity(self.piece as usize + HEAD);
        // A head may stand across the end.
        self.file.bytes_from(start).take(self.piece + HEAD as u64 - 1).read_to_end(&mut bytes)?;
        // What to look for, and how many bytes of a head stand before it.
        let marks: &[(&[u8], usize)] = match self.compression {
            Compression::Gzip => &[(&[0x1f, 0x8b, 0x08], 0)],
            Compression::Zstd => &[(&[0xb5, 0x2f, 0xfd], 1), (&[0x2a, 0x4d, 0x18], 1)],
            Compression::Bzip2 => &[(b"BZh", 0)],
        };
        let first = |&(mark, before): &(&[u8], usize)| {
            let heads = memmem::find_iter(&bytes, mark).filter_map(|at| at.checked_sub(before));
            let mut heads =
                heads.filter(|&at| bytes.get(at..at + HEAD).is_some_and(|bytes| is_head(self.compression, bytes)));
            heads.next()
        };
        Ok(marks.iter().filter_map(first).min().map(|at| start + at as u64))
    }

    /// The text of the piece that begins at a border; `None` if the reader has to decompress it.
    fn take(&self, at: u64) -> Option<Made> {
        let piece = at / self.piece;
        let mut state = self.lock();
        state.due = piece;
        loop {
            let passed = state.taken.range(..piece).filter(|(_, made)| made.is_some()).map(|(&at, _)| at);
            for passed in passed.collect::<Vec<_>>() {
                state.forget(passed);
            }
            match state.taken.get(&piece) {
                Some(None) => match self.claim_in(&mut state) {
                    Some(other) => {
                        drop(state);
                        self.make(other);
                        state = self.lock();
                    }
                    None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                },
                Some(Some(_)) => return state.forget(piece).filter(|made| made.start == at && made.end > at),
                None => return None,
            }
        }
    }
}

impl State {
    fn forget(&mut self, piece: u64) -> Option<Made> {
        let made = self.taken.remove(&piece)??;
        self.bytes -= made.text.capacity() as u64;
        Some(made)
    }
}

/// Hands in the text of a piece on drop, also after a panic, so that nobody waits for ever.
struct Keep<'p, 'f> {
    pieces: &'p Pieces<'f>,
    piece: u64,
    made: Made,
}

impl Drop for Keep<'_, '_> {
    fn drop(&mut self) {
        let made = std::mem::take(&mut self.made);
        let mut state = self.pieces.lock();
        if self.piece < state.due {
            state.taken.remove(&self.piece);
        } else {
            state.bytes += made.text.capacity() as u64;
            state.taken.insert(self.piece, Some(made));
        }
        self.pieces.changed.notify_all();
    }
}

/// So many bytes tell where something may begin.
const HEAD: usize = 10;

/// Whether a member, frame or stream may begin with these bytes.
fn is_head(compression: Compression, bytes: &[u8]) -> bool {
    Compression::of(bytes) == Some(compression) && (compression != Compression::Gzip || bytes[3] & 0xe0 == 0)
}

/// The text of a file in pieces.
pub(crate) struct InPieces<'f> {
    pieces: Arc<Pieces<'f>>,
    source: &'f AtomicU64,
    /// The border that was reached, and what follows it.
    at: u64,
    now: Now<'f>,
}

enum Now<'f> {
    Between,
    Made(Made, usize),
    /// With how much of the file was counted.
    Part(Box<BufReader<Part<'f>>>, u64),
}

impl<'f> InPieces<'f> {
    /// From the start on; `source` gets the bytes that are taken from the file.
    pub fn new(pieces: Arc<Pieces<'f>>, source: &'f AtomicU64) -> InPieces<'f> {
        InPieces { pieces, source, at: 0, now: Now::Between }
    }
}

impl Read for InPieces<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(bytes)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for InPieces<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        loop {
            let end = match &mut self.now {
                Now::Made(made, at) if *at < made.text.len() => break,
                Now::Made(made, _) => {
                    self.pieces.give_back(std::mem::take(&mut made.text));
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
                Now::Between if self.at >= self.pieces.length => break,
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

#[cfg(test)]
mod tests {
    use super::super::reader::Reader;
    use super::super::reader::tests::{bzip2, gzip, zstd};
    use super::*;

    impl Anywhere for Vec<u8> {
        fn bytes_from(&self, at: u64) -> Box<dyn Read + Send + '_> {
            Box::new(&self[at as usize..])
        }
    }

    fn text(number: u32) -> Vec<u8> {
        let lines = (0..number % 3000).map(|n| format!("{}\n", n.wrapping_mul(2_654_435_761) ^ number));
        lines.collect::<String>().into_bytes()
    }

    /// The text of a file up to what is wrong with it, and that, read while so many others help.
    fn read(file: &Vec<u8>, compression: Compression, helpers: usize) -> (Vec<u8>, Option<String>, u64) {
        let pieces = Pieces {
            file,
            length: file.len() as u64,
            piece: 4096,
            compression,
            memory: 1 << 23,
            longest: 100_000,
            room: 1 << 30,
            state: Mutex::default(),
            changed: Condvar::new(),
        };
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
        // Stored data keeps the heads of the members inside it, which are no members of the file.
        let stored = |text: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
            io::Write::write_all(&mut encoder, text).unwrap();
            encoder.finish().unwrap()
        };
        let nested = all(&|text| if text.len() > 9000 { stored(&gzip(text).repeat(4)) } else { gzip(text) });
        let skippable = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let framed = all(&|text| [&skippable[..], &zstd(text, b""), &skippable].concat());
        vec![
            (all(&gzip), Compression::Gzip),
            ([all(&gzip), gzip(&long), all(&gzip), vec![0; 9000]].concat(), Compression::Gzip),
            (gzip(&long), Compression::Gzip),
            (nested, Compression::Gzip),
            (all(&|text| zstd(text, b"")), Compression::Zstd),
            ([framed, zstd(&long, b""), all(&|text| zstd(text, b""))].concat(), Compression::Zstd),
            (all(&bzip2), Compression::Bzip2),
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

    /// The reader takes the texts of pieces, and decompresses few parts itself.
    #[test]
    fn pieces_are_used() {
        let (file, compression) = files().swap_remove(0);
        let pieces = Pieces::new(&file, file.len() as u64, compression, 1 << 20, 1 << 30).unwrap();
        assert!(pieces.is_none(), "it is too small");
        let file = file.repeat(12);
        let pieces = Arc::new(Pieces::new(&file, file.len() as u64, compression, 1 << 20, 1 << 30).unwrap().unwrap());
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
        let state = pieces.lock();
        assert_eq!(state.bytes, state.spares.iter().map(|spare| spare.capacity() as u64).sum::<u64>());
    }
}
