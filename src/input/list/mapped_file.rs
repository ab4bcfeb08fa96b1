//! An uncompressed file: its text is memory-mapped, and cut in place. Bytes of it are lost when the file is cut short.
//!
//! Any program may write into a list while it is read. So for everything that reads the text of a chunk, its bytes are like the
//! answers of a stranger: each may differ from the last one. Nothing that was read is relied on for what is read later:
//!
//! - Offsets are read once. `Lines::find` derives the ends of lines from a mask of each block, stores them, and counts the same
//!   mask; all later steps take the places of lines from there, never from another look at the LFs. `place` checks once more that
//!   these ascend and end with the text. Places of fields and paths are found within a line's stored range and stored, too
//!   (`LineUrls`, `BatchArrays`); whatever a later step reads there, it reads within them.
//! - The key of a URL, and its length, come from one load of 40 bytes, and go into `BatchArrays`. What is looked up, compared and hashed
//!   is that copy; the place of an automaton comes from the policy's entry.
//! - Whether a front probes for prefixes or triples is stored when the path is read; each probe may see another path, and is right
//!   for any: it indexes the front by masked numbers, and the path by its stored length. Walks, the slow way, layouts and
//!   explanations are safe code: indexes into the policy are checked, and no byte of a list is one into anything else.
//! - No `str` is made of a list's bytes in place, because code may rely on its being UTF-8 after another read: what must be UTF-8
//!   is copied first, and the copy is checked (`origin::canonical`, layouts). A `str` borrowed by `serde_json` is only taken as bytes.
//! - Buffers get as many bytes as the stored places say, whatever the bytes are.
//!
//! So a change can make outcomes and copies wrong, or disagree, but does no harm to memory, and no step panics for it. What was
//! read is not kept then: `prove` compares copies with the text, and a changed length or time of the file ends the run
//! ([`Regular::unchanged`](super::regular::Regular::unchanged)). The test `judge/changing.rs` changes a list between every two
//! steps, and between every two reads in them.
//!
//! Strictly, Rust's rules forbid any change behind a shared slice. Compilers make use of that only where a value is read twice
//! in their view, so that the second read may be dropped, or the first repeated; neither is worse than the changes above.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use super::decoded::Decoder;
use super::line_ends::{Buffer, chunk_end};
#[cfg(unix)]
use super::lost_pages::Region;
use super::reader::{Begin, Content, ListReader, Next, Text, Wanted, start};
use super::regular::Regular;
use crate::formats::memory;
use crate::input::error::{ListError, unreadable};
use crate::input::layout::UrlField;

/// A file whose text is memory-mapped.
pub(super) struct MappedFile {
    pub map: Mapped,
    pub file: Regular,
}

impl Content for MappedFile {
    fn file(&self) -> Option<&Regular> {
        Some(&self.file)
    }

    fn mapped(&self) -> Option<&[u8]> {
        Some(&self.map)
    }

    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>> {
        start(&mut &self.map[..], url_field)
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let Begin { path, at, end, skips_bad, source, .. } = begin;
        if skips_bad {
            // Read the file, not the map: a failure is then an I/O error instead of a signal.
            let part = self.file.part(at, end as u64, source).map_err(|error| unreadable(path, error))?;
            return Ok(Box::new(Decoder::new(path, Box::new(part))));
        }
        Ok(Box::new(MappedReader { text: &self.map[..end], at: at as usize, source }))
    }

    fn seekable(self: Box<Self>) -> io::Result<Regular> {
        Ok(self.file)
    }

    fn release(&self, part: Range<usize>) {
        self.map.release(part);
    }

    fn lost(&self) -> Option<usize> {
        self.map.lost()
    }
}

/// Cuts a mapped text in place.
struct MappedReader<'l> {
    /// The whole text, up to where it is to be read.
    text: &'l [u8],
    at: usize,
    source: &'l AtomicU64,
}

impl<'l> ListReader<'l> for MappedReader<'l> {
    fn next(&mut self, wanted: Wanted, _: &mut Buffer) -> Result<Next<Text<'l>>, ListError> {
        let chunk = &self.text[self.at..chunk_end(self.text, self.at, wanted.size)];
        self.at += chunk.len();
        self.source.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        Ok(if chunk.is_empty() { Next::End } else { Next::Chunk(Text::Mapped(chunk)) })
    }
}

/// The bytes of a file, memory-mapped.
pub(crate) struct Mapped {
    map: Mmap,
    /// Lets a signal handler find the map.
    #[cfg(unix)]
    region: &'static Region,
}

impl Mapped {
    /// Maps all of a file, and tells the system that it is read in order, so that it reads ahead.
    pub fn of(file: &File) -> io::Result<Mapped> {
        // SAFETY: the file may change, and nobody relies on its bytes: see above.
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
