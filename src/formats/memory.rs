//! Memory that the system maps: files, huge pages, and unnamed files for large tables. No other module maps a file.
//!
//! When another program changes a mapped file, its map shows the new bytes. So each caller that maps a file says why that does no
//! harm:
//!
//! - A list may change at any time: see `Mapped` in `input/list/regular.rs`.
//! - A policy file must not change while it is mapped, as a shared library must not: its numbers are checked when it is opened, and
//!   relied on from then on. See [`Policy::map`](crate::Policy::map), which leaves that to its caller.
//! - Unnamed files belong to this process alone.
//!
//! Reading a page whose bytes are gone from the file raises SIGBUS, which ends a program that does not catch it. This program
//! catches it, and has the pages of lists [replaced](crate::input::fill_lost_pages).
//!
//! The pages of a mapped file belong to the page cache, which the system writes back and drops when it needs memory; they are
//! never anonymous memory. So a table of any size in an unnamed file fits beside what a process may hold, and is as fast as memory
//! while there is memory for it.

use allocator_api2::alloc::{AllocError, Allocator, Global, Layout};
use hashbrown::{HashMap, HashTable};
#[cfg(unix)]
use memmap2::UncheckedAdvice;
use memmap2::{Mmap, MmapMut, MmapOptions};
use std::fs::File;
use std::ops::{Deref, DerefMut, Range};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, io};

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

pub(crate) fn read_only(memory: MmapMut) -> Mmap {
    memory.make_read_only().expect("a process may protect memory of its own")
}

/// Unmaps pages that will not be read again. A later read still works, but faults them in anew.
///
/// Each worker unmaps what it has read, because unmapping a whole list at its end keeps one core busy while all others wait.
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

/// Prefetches the cache line of an element: cache misses of one step overlap if the step before says what it will read. Only a
/// hint, valid for any `at`.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let element = slice.as_ptr().wrapping_add(at);
        // SAFETY: the instruction is part of SSE, which every x86_64 has; a prefetch neither reads nor writes
        // the memory at the pointer, so any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(element.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}

/// `bytes` zeros in a mapped, unnamed file of `folder`.
///
/// # Errors
///
/// The system's error, for a full disk, too: a page that is written later needs no more room.
pub(crate) fn zeros(folder: &Path, bytes: u64) -> io::Result<MmapMut> {
    let file = tempfile::tempfile_in(folder)?;
    reserve(&file, 0..bytes)?;
    // SAFETY: the file has no name, so only this process has it, and only by this map.
    unsafe { map_mut(&file) }
}

/// Gives a file that ends where the range begins these bytes, allocated on disk, so that a full disk is reported here and not by a
/// SIGBUS when a page is written. Nothing else may write to the file or seek in it.
pub(crate) fn reserve(file: &File, bytes: Range<u64>) -> io::Result<()> {
    let length = bytes.end - bytes.start;
    #[cfg(target_os = "linux")]
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), bytes.start, length) {
        // The file system has no faster way.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
        made => return Ok(made?),
    }
    write_zeros(file, length)
}

fn write_zeros(mut file: &File, bytes: u64) -> io::Result<()> {
    io::copy(&mut io::Read::take(io::repeat(0), bytes), &mut file).map(|_| ())
}

/// Memory for tables: anonymous up to a limit for each, beyond it an unnamed file. Clones share their files.
#[derive(Clone)]
pub(crate) struct FileMemory(Arc<Files>);

struct Files {
    folder: Box<Path>,
    limit: usize,
    /// The files in use, by the address where they are mapped, and why the last one could not be made.
    maps: Mutex<(HashMap<usize, MmapMut>, Option<io::Error>)>,
}

/// The alignment of a map: that of the smallest page.
const PAGE: usize = 4096;

impl FileMemory {
    /// Memory with files in `folder` for what is larger than `limit` bytes.
    pub fn new(folder: &Path, limit: usize) -> FileMemory {
        FileMemory(Arc::new(Files { folder: folder.into(), limit, maps: Mutex::default() }))
    }

    fn maps(&self) -> MutexGuard<'_, (HashMap<usize, MmapMut>, Option<io::Error>)> {
        self.0.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_filed(&self, layout: Layout) -> bool {
        layout.size() > self.0.limit && layout.align() <= PAGE
    }

    fn refusal(&self) -> io::Error {
        self.maps().1.take().unwrap_or_else(|| io::ErrorKind::OutOfMemory.into())
    }
}

impl fmt::Debug for FileMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileMemory").field("folder", &self.0.folder).field("limit", &self.0.limit).finish()
    }
}

// SAFETY: A block comes from `Global`, or is a map of `layout.size()` bytes of its own, which begins with a page. Either stays
// where it is, and valid, until it is deallocated or the last clone is dropped: maps are kept in a table that all clones share.
// A block is deallocated with the layout it was allocated with, since `allocate` grants no more than was asked for, and growing
// and shrinking are the default of the trait, which allocates anew; so `is_filed` sends it back to where it came from.
unsafe impl Allocator for FileMemory {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if !self.is_filed(layout) {
            return Global.allocate(layout);
        }
        let made = zeros(&self.0.folder, layout.size() as u64);
        let mut maps = self.maps();
        match made {
            Ok(mut map) => {
                let start = NonNull::new(map.as_mut_ptr()).ok_or(AllocError)?;
                maps.0.insert(start.addr().get(), map);
                Ok(NonNull::slice_from_raw_parts(start, layout.size()))
            }
            Err(error) => {
                maps.1 = Some(error);
                Err(AllocError)
            }
        }
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        if self.is_filed(layout) {
            self.maps().0.remove(&block.addr().get());
        } else {
            // SAFETY: the caller allocated it with this layout, and it is from `Global`.
            unsafe { Global.deallocate(block, layout) };
        }
    }
}

#[derive(Debug)]
pub(crate) struct FileVec<T>(allocator_api2::vec::Vec<T, FileMemory>);

impl<T> FileVec<T> {
    pub fn new(memory: &FileMemory) -> FileVec<T> {
        FileVec(allocator_api2::vec::Vec::new_in(memory.clone()))
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) -> io::Result<()> {
        if self.0.len() == self.0.capacity() {
            self.0.try_reserve(1).map_err(|_| self.0.allocator().refusal())?;
        }
        self.0.push(item);
        Ok(())
    }
}

impl<T: Clone> FileVec<T> {
    /// A list of `length` equal items.
    pub fn filled(item: T, length: usize, memory: &FileMemory) -> io::Result<FileVec<T>> {
        let mut list = FileVec::new(memory);
        list.0.try_reserve_exact(length).map_err(|_| memory.refusal())?;
        list.0.resize(length, item);
        Ok(list)
    }
}

impl<T> Deref for FileVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for FileVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

#[derive(Debug)]
pub(crate) struct FileTable<T>(HashTable<T, FileMemory>);

impl<T> FileTable<T> {
    pub fn new(memory: &FileMemory) -> FileTable<T> {
        FileTable(HashTable::new_in(memory.clone()))
    }

    /// Removes all items, and frees their memory.
    pub fn free(&mut self) {
        self.0 = HashTable::new_in(self.0.allocator().clone());
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The item with a hash for which `is_it` is true.
    pub fn find(&self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<&T> {
        self.0.find(hash, is_it)
    }

    /// Adds an item that is not there; `hash` returns the hash of any item.
    pub fn insert(&mut self, item: T, hash: impl Fn(&T) -> u64) -> io::Result<()> {
        self.0.try_reserve(1, &hash).map_err(|_| self.0.allocator().refusal())?;
        self.0.insert_unique(hash(&item), item, hash);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_by_writing_where_there_is_no_call_for_it() {
        let file = tempfile::tempfile().unwrap();
        write_zeros(&file, 70_000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 70_000);
    }

    #[test]
    fn lists_and_tables_move_to_files_as_they_grow() {
        let folder = tempfile::tempdir().unwrap();
        let files = |memory: &FileMemory| memory.maps().0.len();
        for limit in [0, 1000, usize::MAX] {
            let memory = FileMemory::new(folder.path(), limit);
            let (mut list, mut table) = (FileVec::new(&memory), FileTable::new(&memory));
            let hash = |item: &u64| item.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            for item in 0..3000_u64 {
                list.push(item * 3).unwrap();
                assert_eq!(table.find(hash(&item), |&known| known == item), None);
                table.insert(item, hash).unwrap();
            }
            assert!(list.iter().copied().eq((0..3000).map(|item| item * 3)), "{limit}");
            assert!((0..3000).all(|item| table.find(hash(&item), |&known| known == item) == Some(&item)), "{limit}");
            list.sort_unstable_by_key(|&item| std::cmp::Reverse(item));
            assert_eq!((list[0], list[2999]), (2999 * 3, 0));
            assert_eq!(files(&memory), if limit == usize::MAX { 0 } else { 2 }, "{limit}");
            assert_eq!(
                FileVec::filled(7_u8, 5000, &memory).unwrap().iter().map(|&item| usize::from(item)).sum::<usize>(),
                35_000
            );
            drop((list, table));
            assert_eq!(files(&memory), 0, "{limit}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_an_error() {
        let folder = tempfile::tempdir().unwrap().path().join("missing");
        let memory = FileMemory::new(&folder, 100);
        let (mut list, mut table) = (FileVec::new(&memory), FileTable::new(&memory));
        let refused = (0..1000_u64).find_map(|item| list.push(item).err());
        assert_eq!(refused.map(|error| error.kind()), Some(io::ErrorKind::NotFound));
        let refused = (0..1000_u64).find_map(|item| table.insert(item, |&item| item << 57 | item).err());
        assert_eq!(refused.map(|error| error.kind()), Some(io::ErrorKind::NotFound));
        assert!(FileVec::filled(0_u8, 1000, &memory).is_err());
    }
}
