//! Regular files, read or memory-mapped, and how a change to one is detected.

use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

#[cfg(unix)]
use super::lost_pages::Region;
use crate::error::run::Error;
use crate::formats::STANDARD_INPUT;
use crate::formats::compression::{Compression, Pieces, Reader};
use crate::formats::error::CutShort;
use crate::formats::memory;
use crate::formats::seekable::FileAt;
use crate::input::error::{changed, unreadable};

/// The size and time of a file, to detect changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Its length in bytes.
    pub length: u64,
    /// When it was last modified; absent if the system does not say.
    #[serde(with = "crate::formats::time_text::system")]
    pub modified: Option<SystemTime>,
}

impl FileState {
    fn from(metadata: &Metadata) -> FileState {
        FileState { length: metadata.len(), modified: metadata.modified().ok() }
    }

    pub(super) fn of(file: &File) -> io::Result<FileState> {
        file.metadata().map(|metadata| FileState::from(&metadata))
    }

    /// The state of the file at a path, of length 0 if there is none; `None` for anything but a regular file.
    pub(super) fn at(path: &Path) -> Option<FileState> {
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Some(FileState::from(&metadata)),
            Err(_) if path.as_os_str() != STANDARD_INPUT => Some(FileState { length: 0, modified: None }),
            _ => None,
        }
    }
}

/// A regular file that can be read again and checked for changes.
pub(crate) struct Regular {
    file: Reopened,
    pub state: FileState,
    /// Whether it is a copy, which other runs cannot read.
    pub is_copy: bool,
}

/// A file that stays open, or is opened again when it is needed: a process may have fewer files open than a job has lists.
enum Reopened {
    Open(Arc<File>),
    At(PathBuf),
}

/// How many lists stay open. Systems let a process have 256 files or more.
const STAY_OPEN: usize = 100;

impl Regular {
    /// The file at a path, which was opened there; the list with this number in its job.
    pub fn new(file: File, path: &Path, number: usize) -> io::Result<Regular> {
        let state = FileState::of(&file)?;
        let file = if number < STAY_OPEN { Reopened::Open(Arc::new(file)) } else { Reopened::At(path.to_owned()) };
        Ok(Regular { file, state, is_copy: false })
    }

    /// An unnamed file with a copy of a text.
    pub fn copy_of(mut text: impl Read) -> io::Result<Regular> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut text, &mut file)?;
        let state = FileState::of(&file)?;
        Ok(Regular { file: Reopened::Open(Arc::new(file)), state, is_copy: true })
    }

    /// The file itself. One that was opened again may be another that got its name; what is read is then not what
    /// [`unchanged`](Regular::unchanged) accepts.
    pub fn open(&self) -> io::Result<Arc<File>> {
        match &self.file {
            Reopened::Open(file) => Ok(Arc::clone(file)),
            Reopened::At(path) => File::open(path).map(Arc::new),
        }
    }

    /// Checks that the file has not changed since it was opened first; `path` is for the error.
    pub fn unchanged(&self, path: &Path) -> Result<(), Error> {
        let now = self.open().and_then(|file| FileState::of(&file)).map_err(|error| unreadable(path, error))?;
        if now.length < self.state.length {
            let cut = CutShort { at: now.length, had: self.state.length };
            return Err(unreadable(path, io::Error::other(cut)));
        }
        if now == self.state { Ok(()) } else { Err(changed(path)) }
    }

    /// Its decompressed text from the start, with at most `memory` bytes for the decompressor; the bytes taken from the file are added to
    /// `source`.
    pub fn text<'f>(&self, source: &'f AtomicU64, memory: u64) -> io::Result<Reader<'f>> {
        Reader::within(self.counted(0, source)?, memory)
    }

    /// The file as stored, from an offset on.
    pub fn from(&self, at: u64) -> io::Result<FileAt<Arc<File>>> {
        Ok(self.at_start()?.from(at))
    }

    /// A part of the file as stored; the bytes taken from it are added to `source`.
    pub fn part<'f>(&self, start: u64, end: u64, source: &'f AtomicU64) -> io::Result<impl Read + use<'f>> {
        Ok(self.counted(start, source)?.take(end.saturating_sub(start)))
    }

    fn counted<'f>(&self, at: u64, source: &'f AtomicU64) -> io::Result<CountedFile<'f>> {
        Ok(CountedFile { text: self.from(at)?, source })
    }

    /// The pieces of its text, each with at most `memory` bytes for a decompressor and together with `room` bytes.
    pub fn pieces(&self, compression: Compression, memory: u64, room: u64) -> io::Result<Option<Pieces<Arc<File>>>> {
        Pieces::new(self.at_start()?, compression, memory, room)
    }

    fn at_start(&self) -> io::Result<FileAt<Arc<File>>> {
        Ok(FileAt::new(self.open()?, self.state.length))
    }
}

/// A file whose bytes are counted as they are read.
pub(crate) struct CountedFile<'f> {
    text: FileAt<Arc<File>>,
    source: &'f AtomicU64,
}

impl Read for CountedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.text.read(buffer)?;
        self.source.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// The bytes of a file, memory-mapped. Bytes of it are lost when the file is cut short.
/// Any program may write into a list while it is read. So for everything that reads the text of a chunk, its bytes are like the
/// answers of a stranger: each may differ from the last one. Nothing that was read is relied on for what is read later:
///
/// - Offsets are read once. `Lines::find` derives the ends of lines from a mask of each block, stores them, and counts the same
///   mask; all later steps take the places of lines from there, never from another look at the LFs. `pieces` checks once more that
///   these ascend and end with the text. Places of fields and paths are found within a line's stored range and stored, too
///   (`LineUrls`, `BatchArrays`); whatever a later step reads there, it reads within them.
/// - The key of a URL, and its length, come from one load of 40 bytes, and go into `BatchArrays`. What is looked up, compared and hashed
///   is that copy; the place of an automaton comes from the policy's entry.
/// - Whether a front probes for prefixes or triples is stored when the path is read; each probe may see another path, and is right
///   for any: it indexes the front by masked numbers, and the path by its stored length. Walks, the slow way, layouts and
///   explanations are safe code: indexes into the policy are checked, and no byte of a list is one into anything else.
/// - No `str` is made of a list's bytes in place, because code may rely on its being UTF-8 after another read: what must be UTF-8
///   is copied first, and the copy is checked (layouts). A `str` borrowed by `serde_json` or `origin::split` is only taken as bytes.
/// - Buffers get as many bytes as the stored places say, whatever the bytes are.
///
/// So a change can make outcomes and copies wrong, or disagree, but does no harm to memory, and no step panics for it. What was
/// read is not kept then: `prove` compares copies with the text, and a changed length or time of the file ends the run
/// ([`Regular::unchanged`]). The test `judge/changing.rs` changes a list between every two
/// steps, and between every two reads in them.
///
/// Strictly, Rust's rules forbid any change behind a shared slice. Compilers make use of that only where a value is read twice
/// in their view, so that the second read may be dropped, or the first repeated; neither is worse than the changes above. An audit is
/// no proof, so lists are only mapped for callers who ask for it and answer for it: [`Maps`].
pub(crate) struct Mapped {
    map: Mmap,
    /// Lets a signal handler find the map.
    #[cfg(unix)]
    region: &'static Region,
}

/// The promise of a caller that lists do not change while they are mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Maps(());

impl Maps {
    /// Lets lists be mapped.
    ///
    /// # Safety
    ///
    /// Callers must ensure that no process writes into a list or shortens it while it is open.
    pub unsafe fn promised() -> Maps {
        Maps(())
    }
}

impl Mapped {
    /// Maps all of a file, and tells the system that it is read in order, so that it reads ahead.
    pub fn of(file: &File, _: Maps) -> io::Result<Mapped> {
        // SAFETY: the caller of `Maps::promised` ensures that the file does not change; and if it does, nobody relies on its bytes: see
        // above.
        let map = unsafe { memory::map(file) }?;
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Sequential);
        #[cfg(unix)]
        let region = Region::of(&map);
        Ok(Mapped {
            map,
            #[cfg(unix)]
            region,
        })
    }

    /// Releases a part that will not be read again.
    pub fn release(&self, part: Range<usize>) {
        memory::release(&self.map, part);
    }

    /// The first byte found missing; zeros were read from there on.
    pub fn lost(&self) -> Option<usize> {
        #[cfg(unix)]
        return self.region.lost();
        // Nothing replaces lost pages here.
        #[cfg(not(unix))]
        return None;
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

#[cfg(unix)]
impl Drop for Mapped {
    /// Ends the region before the map is gone, because something else may be mapped there afterwards.
    fn drop(&mut self) {
        self.region.end();
    }
}
