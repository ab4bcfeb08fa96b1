//! Memory-mapped files; no other module maps a file.
//!
//! Another program can change a mapped file, and a [map](map) then shows other bytes:
//!
//! - The bytes of a list are only compared, hashed, copied or written, so any values are valid at any time; offsets come from
//!   the slice's own length. A list that is changed or cut short is noticed, by its length and time, before anything of a chunk
//!   is kept.
//! - A policy file is checked when it is opened, and its numbers are relied on from then on: fronts are probed without further
//!   checks. It must not be changed in place while it is open, as a shared library must not. robosieve replaces a policy by
//!   renaming another file to its name, which leaves the mapped file unchanged.
//! - Reading a page whose bytes are gone from the file raises SIGBUS, which ends a program that does not catch it. This program
//!   catches it, and has the pages of lists [replaced](crate::input::fill_lost_pages).

#[cfg(unix)]
use memmap2::UncheckedAdvice;
use memmap2::{Mmap, MmapMut, MmapOptions};
use std::fs::File;
use std::io;
use std::ops::Range;

/// Maps all bytes of a file.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: as above: a list may change, since no caller relies on its bytes to stay the same; users must not change a policy
    // in place.
    unsafe { Mmap::map(file) }
}

/// Maps a part of a file privately: what is written to it changes no file, and only the pages that are written take memory.
pub(crate) fn map_private(file: &File, part: Range<u64>) -> io::Result<MmapMut> {
    let mut options = MmapOptions::new();
    let length = usize::try_from(part.end - part.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // SAFETY: as for `map`: users must not change a policy in place.
    unsafe { options.offset(part.start).len(length).map_copy(file) }
}

/// Maps all bytes of an unnamed file for writing. No other program may have the file open.
pub(crate) fn map_mut(file: &File) -> io::Result<MmapMut> {
    // SAFETY: no other program can open an unnamed file, so only this map changes its bytes, and nothing shortens it.
    unsafe { MmapMut::map_mut(file) }
}

/// `length` zero bytes of memory, in huge pages if the system has them: each saves 511 page faults. Out of memory, it aborts as a
/// `Vec` does.
///
/// # Panics
///
/// If `length` is 0.
pub(crate) fn memory(length: usize) -> MmapMut {
    assert!(length > 0, "a map is not empty");
    let Ok(map) = aligned(length) else {
        std::alloc::handle_alloc_error(std::alloc::Layout::array::<u8>(length).expect("less than all memory"))
    };
    // Only a hint.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    map
}

#[cfg(not(target_os = "linux"))]
fn aligned(length: usize) -> io::Result<MmapMut> {
    MmapMut::map_anon(length)
}

/// Linux aligns a map to huge pages only if its length is a multiple of theirs, so it is made longer and then cut.
#[cfg(target_os = "linux")]
fn aligned(length: usize) -> io::Result<MmapMut> {
    const HUGE: usize = 2 << 20;
    let mut map = MmapMut::map_anon(length.next_multiple_of(HUGE))?;
    // SAFETY: a map that shrinks stays where it is, and nothing refers to it yet.
    unsafe { map.remap(length, memmap2::RemapOptions::new()) }?;
    Ok(map)
}

/// The same memory, for reading only.
pub(crate) fn read_only(memory: MmapMut) -> Mmap {
    memory.make_read_only().expect("a process may protect memory of its own")
}

/// Unmaps pages that will not be read again. A later read still works, but faults them in anew.
///
/// Each worker unmaps what it has read, because unmapping a whole list at its end keeps one core busy while all others wait: 27
/// ms for 360 MB.
pub(crate) fn release(map: &Mmap, part: Range<usize>) {
    // The page in which the part ends is still needed.
    let end = part.end / PAGES * PAGES;
    #[cfg(unix)]
    if part.start < end {
        // SAFETY: the map is read-only, so no changes can be lost with a page.
        let advised = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, part.start, end - part.start) };
        // If this fails, the pages stay mapped.
        drop(advised);
    }
    #[cfg(not(unix))]
    let _ = (map, end);
}

/// A multiple of every page size.
const PAGES: usize = 64 << 10;
