//! Pages of mapped lists that are gone when they are read.
//!
//! Who reads a page of a map that the file has no bytes for any more, because another program cut it short or the disk
//! failed, gets the signal SIGBUS. A handler of it can find the list here by the address, note that it is not whole, and
//! put zeros where nothing can be read, so that the thread that wanted them goes on. Nothing that was made of them may be kept:
//! who reads a list asks afterwards whether something of it is [lost](Region::lost).
//!
//! The handler may run at any moment, so it takes no locks and no memory: regions are only ever added, and stay.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};

use crate::lock::lock;

/// The region that was added last; each leads to the one before.
static LAST: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());

/// Nothing is lost.
const NOTHING: usize = usize::MAX;

/// Where in memory a list is mapped.
pub(super) struct Region {
    start: usize,
    length: usize,
    /// Bytes of a page.
    page: usize,
    /// Whether it still is; another map may begin there later.
    is_mapped: AtomicBool,
    /// The first byte that could not be read.
    lost: AtomicUsize,
    before: Option<&'static Region>,
}

impl Region {
    /// That of a new map, which is added to the others. It takes a few bytes for ever: a handler may be looking at it.
    pub fn of(map: &[u8]) -> &'static Region {
        static ADDING: Mutex<()> = Mutex::new(());
        let _adding = lock(&ADDING);
        let region: &'static Region = Box::leak(Box::new(Region {
            start: map.as_ptr().addr(),
            length: map.len(),
            page: rustix::param::page_size(),
            is_mapped: AtomicBool::new(true),
            lost: AtomicUsize::new(NOTHING),
            before: last(),
        }));
        LAST.store(ptr::from_ref(region).cast_mut(), Ordering::SeqCst);
        region
    }

    /// It is about to be unmapped.
    pub fn end(&self) {
        self.is_mapped.store(false, Ordering::SeqCst);
    }

    /// The first byte that was missing when it was wanted, if there was one, of all that was read until now.
    ///
    /// A thread that read zeros sees them noted: the handler runs in the thread that wants the bytes, before it gets any, and
    /// another thread that finds zeros where they were put gets them of the system after the system has put them there,
    /// which is after they were noted.
    pub fn lost(&self) -> Option<usize> {
        // What was read before must not be read later, by the compiler's leave or the processor's.
        fence(Ordering::SeqCst);
        Some(self.lost.load(Ordering::SeqCst)).filter(|&lost| lost != NOTHING)
    }

    fn holds(&self, address: usize) -> bool {
        address.checked_sub(self.start).is_some_and(|at| at < self.length) && self.is_mapped.load(Ordering::SeqCst)
    }
}

/// The region that was added last.
fn last() -> Option<&'static Region> {
    // SAFETY: it is null, or was made of a reference to a region that was leaked, which is never changed but by atomics.
    unsafe { LAST.load(Ordering::SeqCst).as_ref() }
}

/// To be called by a handler of SIGBUS with the address that could not be read. If a list of a run is mapped there, notes
/// that something of it is lost, puts zeros in place of its bytes from that page on, and returns true: the handler may
/// return then, and the run ends with an error that names the list. Otherwise nothing is done, and the fault is another
/// program's, or that of another file.
///
/// It takes no lock and no memory. A program that has no such handler dies of the signal, as any does.
///
/// # Safety
///
/// The calling thread must be in a handler of a SIGBUS that it got of the system because it wanted to read this address,
/// as the signal's code says. (Otherwise the list may be unmapped by another thread meanwhile.)
pub unsafe fn fill_lost_pages(address: usize) -> bool {
    let mut regions = std::iter::successors(last(), |region| region.before);
    let Some(region) = regions.find(|region| region.holds(address)) else { return false };
    let at = (address - region.start) / region.page * region.page;
    // Before there is anything to be read there.
    region.lost.fetch_min(at, Ordering::SeqCst);
    // All that follows is lost as well, so that one call is enough for a list of any length.
    let (from, length) = (region.start + at, region.length - at);
    let (access, kind) = (ProtFlags::READ, MapFlags::PRIVATE | MapFlags::FIXED);
    // SAFETY: `from` begins a page, because maps begin with one, and all pages from there to the end of the region belong to
    // its map: it is not unmapped meanwhile, because this thread wanted to read it, and so borrows it. So nothing else is replaced, and
    // the pages stay readable as long as the map is there, whose end unmaps them. That bytes of a map may change at any
    // time is what reading one has to bear in any case. The call takes no pointer that could be read or written through,
    // is a plain system call that may be made in a signal handler, and does the same if two threads make it for one page.
    unsafe { mmap_anonymous(ptr::without_provenance_mut(from), length, access, kind) }.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::error::ListError;
    use crate::input::list::List;
    use crate::input::scan::{Extent, scan};
    use std::fs::File;

    extern "C" fn handler(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
        // SAFETY: only the system sends SIGBUS here, with the address that could not be read.
        if !unsafe { fill_lost_pages((*info).si_addr().addr()) } {
            std::process::abort();
        }
    }

    /// Calls [`fill_lost_pages`] from now on.
    fn handle() {
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handler;
        // SAFETY: a zeroed sigaction is a valid value, the handler has the signature that SA_SIGINFO asks for, and both
        // pointers are valid for the call.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
        }
    }

    fn text() -> Vec<u8> {
        b"http://a.example/\n".repeat(20_000)
    }

    #[test]
    fn what_is_lost_is_read_as_zeros_and_noted_once_for_its_list() {
        handle();
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["list", "other"].map(|name| folder.path().join(name));
        std::fs::write(&path, text()).and_then(|()| std::fs::write(&other, text())).unwrap();
        let (list, other) = (List::open(&path).unwrap(), List::open(&other).unwrap());
        let map = list.mapped().unwrap();
        let start = map.as_ptr().addr();
        File::options().write(true).open(&path).unwrap().set_len(100_000).unwrap();
        assert!(list.nothing_lost().is_ok(), "nobody wanted it");
        let zeros = |from: usize| map[from..].iter().all(|&byte| byte == 0);
        std::thread::scope(|scope| {
            let found: Vec<_> = (0..4).map(|_| scope.spawn(|| zeros(200_000))).collect();
            assert!(found.into_iter().all(|found| found.join().unwrap()));
        });
        assert!(zeros(150_000), "an earlier page than the first one that was wanted");
        assert!(map[..100_000] == text()[..100_000]);
        let region =
            std::iter::successors(last(), |region| region.before).find(|region| region.start == start).unwrap();
        let lost = region.lost().unwrap();
        assert!((150_000 - region.page + 1..=150_000).contains(&lost), "{lost}");
        let Err(ListError::Cut { at, had, .. }) = list.nothing_lost() else { panic!("it is cut") };
        assert_eq!((at, had), (100_000, text().len() as u64));
        assert!(other.unchanged().is_ok() && other.mapped() == Some(&text()[..]));
        drop(list);
        assert!(!region.holds(start), "something else may be there");
    }

    /// The file is whole, but what holds it is not.
    #[test]
    fn bytes_that_cannot_be_read_are_an_error_of_their_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, text()).unwrap();
        let list = List::open(&path).unwrap();
        assert!(list.unchanged().is_ok());
        let start = list.mapped().unwrap().as_ptr().addr();
        let region =
            std::iter::successors(last(), |region| region.before).find(|region| region.start == start).unwrap();
        region.lost.fetch_min(8192, Ordering::SeqCst);
        let error = list.unchanged().unwrap_err().to_string();
        assert!(error.contains("list") && error.contains("byte 8192"), "{error}");
    }

    /// Who proves a receipt reads lists too.
    #[test]
    fn a_list_that_is_cut_short_cannot_be_read_again() {
        handle();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        for chunk_size in [1000, 1 << 20] {
            std::fs::write(&path, text()).unwrap();
            let list = List::open(&path).unwrap();
            File::options().write(true).open(&path).unwrap().set_len(5000).unwrap();
            let read = scan(&list, Extent::Whole, 2, chunk_size, |chunk, _| chunk.len(), |all, more| *all += more);
            assert!(matches!(read, Err(ListError::Cut { at: 5000, .. })), "{read:?}");
        }
    }
}
