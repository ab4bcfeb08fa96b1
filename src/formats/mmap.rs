//! Memory-mapped files; no other module maps a file.
//!
//! When another program changes a mapped file, its map shows the new bytes. So each caller that maps a file says why that does no
//! harm:
//!
//! - A list may change at any time: see `input/list/mapped_file.rs`.
//! - A policy file must not change while it is mapped, as a shared library must not: its numbers are checked when it is opened, and
//!   relied on from then on. See [`Policy::map`](crate::Policy::map), which leaves that to its caller.
//! - Unnamed files belong to this process alone.
//!
//! Reading a page whose bytes are gone from the file raises SIGBUS, which ends a program that does not catch it. This program
//! catches it, and has the pages of lists [replaced](crate::input::fill_lost_pages).

#[cfg(unix)]
use memmap2::UncheckedAdvice;
use memmap2::{Mmap, MmapMut, MmapOptions};
use std::fs::File;
use std::io;
use std::ops::Range;

/// Maps all bytes of a file.
///
/// # Safety
///
/// Callers must ensure that the file stays the same while it is mapped, or that nobody relies on it.
pub(crate) unsafe fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: as the caller ensures.
    unsafe { Mmap::map(file) }
}

/// Maps a part of a file privately: what is written to it changes no file, and only the pages that are written take memory.
///
/// # Safety
///
/// As for [`map`].
pub(crate) unsafe fn map_private(file: &File, part: Range<u64>) -> io::Result<MmapMut> {
    let mut options = MmapOptions::new();
    let length = usize::try_from(part.end - part.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // SAFETY: as the caller ensures.
    unsafe { options.offset(part.start).len(length).map_copy(file) }
}

/// Maps all bytes of a file for writing.
///
/// # Safety
///
/// Callers must ensure that only this map changes the file.
pub(crate) unsafe fn map_mut(file: &File) -> io::Result<MmapMut> {
    // SAFETY: as the caller ensures.
    unsafe { MmapMut::map_mut(file) }
}

/// `length` zero bytes of memory, in huge pages if the system has them: each saves 511 page faults. Out of memory, it aborts as a
/// `Vec` does.
///
/// # Panics
///
/// If `length` is 0.
pub(crate) fn memory(length: usize) -> MmapMut {
    try_memory(length).unwrap_or_else(|_| {
        std::alloc::handle_alloc_error(std::alloc::Layout::array::<u8>(length).expect("less than all memory"))
    })
}

/// Like [`memory`], for a length that a file claims.
///
/// # Errors
///
/// The system's error if there is not that much memory.
///
/// # Panics
///
/// As [`memory`].
pub(crate) fn try_memory(length: usize) -> io::Result<MmapMut> {
    assert!(length > 0, "a map is not empty");
    let map = aligned(length)?;
    // Only a hint.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
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
