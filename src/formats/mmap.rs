//! Files as memory: the only place that maps any.
//!
//! A file that is mapped can be changed by another program. Callers rely on nothing but this:
//!
//! - A [map](map) is read-only and private to this process. Its bytes are only compared, hashed, copied, written, or used as numbers
//!   whose ranges are checked, so any values are valid at any time; offsets come from the slice's own length.
//! - A list that is changed or cut short is noticed before anything of a chunk is kept, by its length and time. A policy
//!   file is replaced by renaming another one to its name, which leaves the mapped one as it is.
//! - Reading a page that the file has no bytes for any more raises SIGBUS. It ends a program that does not catch it; the
//!   one here does, and has the pages of lists [replaced](crate::input::fill_lost_pages).

#[cfg(unix)]
use memmap2::UncheckedAdvice;
use memmap2::{Mmap, MmapMut};
use std::fs::File;
use std::io;
use std::ops::Range;

/// All bytes of a file.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: see above: bytes that change can give wrong results, which is noticed, and SIGBUS, but no caller relies on
    // them to stay as they are.
    unsafe { Mmap::map(file) }
}

/// All bytes of a file without a name, to be written to. No other program may have the file.
pub(crate) fn map_mut(file: &File) -> io::Result<MmapMut> {
    // SAFETY: no other program can open a file without a name, so only this map changes its bytes, and none shortens it.
    unsafe { MmapMut::map_mut(file) }
}

/// Lets go of pages of a map that were read for the last time. They are still there when they are read again, but the system
/// has to look them up again.
///
/// Each worker does so with what it has read, because unmapping a whole list at its end keeps one core busy while all others
/// wait: 27 ms for 360 MB.
pub(crate) fn let_go(map: &Mmap, part: Range<usize>) {
    // The page that the part ends in is still read.
    let end = part.end / PAGES * PAGES;
    #[cfg(unix)]
    if part.start < end {
        // SAFETY: the map is read-only, so there are no changes that could be lost with a page.
        let advised = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, part.start, end - part.start) };
        // Where it is not possible, the pages stay.
        drop(advised);
    }
    #[cfg(not(unix))]
    let _ = (map, end);
}

/// A multiple of the sizes that pages have.
const PAGES: usize = 64 << 10;
