//! Decompresses a file of many members, frames or streams with the idle threads of a pool.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::kind::Compression;
use super::pieces::{InPieces, Pieces};
use super::reader::Reader;
use crate::formats::made_ahead::Help;
use crate::formats::regular_file::FileAt;
use crate::threads::{self, Scope};

/// Bytes of text to read before asking for help again.
const STEP: usize = 64 << 10;

/// Passes the text of a compressed file, from its start, to `read`. Idle threads of the current pool decompress ahead, each
/// with the usual memory, to texts that share `room` bytes. This thread's decompressor has `memory` bytes.
///
/// # Errors
///
/// If the file's first bytes cannot be read.
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
        _ => Pieces::new(file, compression, memory.min(compression.usual_memory()), room)?.map(Arc::new),
    };
    let Some(pieces) = pieces else {
        return Ok(read(&mut Reader::within(file, memory)?));
    };
    let (source, asked) = (AtomicU64::new(0), AtomicUsize::new(0));
    Ok(threads::scope(|scope| {
        let text = InPieces::new(Arc::clone(&pieces), &source);
        read(&mut Helped { text, pieces: &pieces, scope, asked: &asked, passed: STEP })
    }))
}

/// A text in pieces that threads of a scope help to decompress.
struct Helped<'s, 'f> {
    text: InPieces<'f, &'f File>,
    pieces: &'f Arc<Pieces<&'f File>>,
    scope: &'s Scope<'f>,
    /// Helpers that were spawned and have not started.
    asked: &'f AtomicUsize,
    /// Bytes read since helpers were last spawned.
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
        let read = self.fill_buf()?.read(bytes)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Helped<'_, '_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.passed >= STEP {
            self.ask();
        }
        self.text.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.passed += bytes;
        self.text.consume(bytes);
    }
}
