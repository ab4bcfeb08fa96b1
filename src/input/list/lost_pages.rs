//! Handles pages of memory-mapped lists that are gone when they are read.
//!
//! Reading a mapped page whose bytes are gone from the file, because another program cut the file short or the disk failed,
//! raises SIGBUS. A signal handler can find the list here by the address, note that it is no longer whole, and put zeros where
//! nothing can be read, so that the reading thread continues. Nothing computed from those zeros may be kept: after reading a
//! list, check whether any of it is [lost](Region::lost).
//!
//! The handler may run at any moment, so it takes no locks and allocates nothing. Regions are therefore only ever added, never
//! removed.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};

use crate::lock::lock;

/// The region added last; each links to the one before.
static LAST: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());

/// The value of `Region::lost` while nothing is lost.
const NOTHING: usize = usize::MAX;

/// Where in memory a list is mapped.
pub(super) struct Region {
    start: usize,
    length: usize,
    /// The page size.
    page: usize,
    /// Whether the list is still mapped; another map may begin there later.
    is_mapped: AtomicBool,
    /// The first byte that could not be read.
    lost: AtomicUsize,
    before: Option<&'static Region>,
}

impl Region {
    /// Adds the region of a new map. Its few bytes are never freed, because a handler may be looking at them.
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

    /// Marks the region as about to be unmapped.
    pub fn end(&self) {
        self.is_mapped.store(false, Ordering::SeqCst);
    }

    /// The first byte found missing in anything read so far, if there is one.
    ///
    /// A thread that read zeros sees the loss noted here. The handler runs in the thread that reads the bytes, before that
    /// thread gets any. Another thread that reads the zeros gets them from the system after the system has put them there,
    /// which is after the loss was noted.
    pub fn lost(&self) -> Option<usize> {
        // Neither the compiler nor the processor may move earlier reads past this point.
        fence(Ordering::SeqCst);
        Some(self.lost.load(Ordering::SeqCst)).filter(|&lost| lost != NOTHING)
    }

    fn holds(&self, address: usize) -> bool {
        address.checked_sub(self.start).is_some_and(|at| at < self.length) && self.is_mapped.load(Ordering::SeqCst)
    }
}

/// The region added last.
fn last() -> Option<&'static Region> {
    // SAFETY: the pointer is null, or was made from a reference to a leaked region, which is only changed by atomics.
    unsafe { LAST.load(Ordering::SeqCst).as_ref() }
}

/// Handles a SIGBUS: to be called by a signal handler with the address that could not be read.
///
/// If a list of a run is mapped there, this notes that part of the list is lost, puts zeros in place of its bytes from that
/// page on, and returns true. The handler may then return, and the run ends with an error that names the list. Otherwise this
/// does nothing and returns false: the fault belongs to another program or another file.
///
/// It takes no locks and allocates nothing. A program without such a handler is killed by the signal, as usual.
///
/// # Safety
///
/// The calling thread must be in a handler of a SIGBUS that the system sent because this thread read this address, as the
/// signal's code says. (Otherwise another thread may unmap the list meanwhile.)
pub unsafe fn fill_lost_pages(address: usize) -> bool {
    let mut regions = std::iter::successors(last(), |region| region.before);
    let Some(region) = regions.find(|region| region.holds(address)) else { return false };
    let at = (address - region.start) / region.page * region.page;
    // Note the loss before there is anything to read there.
    region.lost.fetch_min(at, Ordering::SeqCst);
    // Give up everything that follows as well, so that one call is enough for a list of any length.
    let (from, length) = (region.start + at, region.length - at);
    let (access, kind) = (ProtFlags::READ, MapFlags::PRIVATE | MapFlags::FIXED);
    // SAFETY: `from` is the start of a page, because maps begin with one, and all pages from there to the end of the region
    // belong to its map. That map is not unmapped meanwhile, because this thread was reading it, and so borrows it. So nothing
    // else is replaced, and the pages stay readable as long as the map exists, whose end unmaps them. That the bytes of a map
    // may change at any time is true of every map, and its readers have to bear it in any case. The call takes no pointer to
    // read or write through, is a plain system call that may be made in a signal handler, and does the same if two threads make
    // it for one page.
    unsafe { mmap_anonymous(ptr::without_provenance_mut(from), length, access, kind) }.is_ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::input::layout::UrlField;
    use crate::input::list::List;
    use crate::input::list::{Maps, Opening};
    use crate::run::scan::{Extent, scan};
    use std::fs::File;

    extern "C" fn handler(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
        // SAFETY: only the system sends SIGBUS here, with the address that could not be read.
        if !unsafe { fill_lost_pages((*info).si_addr().addr()) } {
            std::process::abort();
        }
    }

    /// Installs a handler that calls [`fill_lost_pages`].
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

    fn region_of(list: &List) -> &'static Region {
        let start = list.mapped().unwrap().as_ptr().addr();
        std::iter::successors(last(), |region| region.before).find(|region| region.start == start).unwrap()
    }

    fn text() -> Vec<u8> {
        b"http://a.example/\n".repeat(20_000)
    }

    fn mapped(path: &Path) -> List {
        // SAFETY: a change is what the tests are about, and only bytes are read.
        let maps = Some(unsafe { Maps::promised() });
        let opened = List::open_all(&[path.to_owned()], Opening { maps, ..Opening::new(&UrlField::default()) });
        opened.unwrap().remove(0)
    }

    #[test]
    fn what_is_lost_is_read_as_zeros_and_noted_once_for_its_list() {
        handle();
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["list", "other"].map(|name| folder.path().join(name));
        std::fs::write(&path, text()).and_then(|()| std::fs::write(&other, text())).unwrap();
        let (list, other) = (mapped(&path), mapped(&other));
        let map = list.mapped().unwrap();
        File::options().write(true).open(&path).unwrap().set_len(100_000).unwrap();
        assert!(list.nothing_lost().is_ok(), "nobody wanted it");
        let zeros = |from: usize| map[from..].iter().all(|&byte| byte == 0);
        std::thread::scope(|scope| {
            let found: Vec<_> = (0..4).map(|_| scope.spawn(|| zeros(200_000))).collect();
            assert!(found.into_iter().all(|found| found.join().unwrap()));
        });
        assert!(zeros(150_000), "an earlier page than the first one that was wanted");
        assert!(map[..100_000] == text()[..100_000]);
        let region = region_of(&list);
        let lost = region.lost().unwrap();
        assert!((150_000 - region.page + 1..=150_000).contains(&lost), "{lost}");
        let error = list.nothing_lost().unwrap_err();
        let length = text().len();
        assert!(error.to_string().contains(&format!("at byte 100000 of {length};")), "{error}");
        assert!(other.unchanged().is_ok() && other.mapped() == Some(&text()[..]));
        drop(list);
        assert!(!region.holds(region.start), "something else may be there");
    }

    /// The file is whole, but its disk is not.
    #[test]
    fn bytes_that_cannot_be_read_are_an_error_of_their_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, text()).unwrap();
        let list = mapped(&path);
        assert!(list.unchanged().is_ok());
        region_of(&list).lost.fetch_min(8192, Ordering::SeqCst);
        let error = list.unchanged().unwrap_err().to_string();
        assert!(error.contains("list") && error.contains("byte 8192"), "{error}");
    }

    /// Verifying a receipt reads lists, too.
    #[test]
    fn a_list_that_is_cut_short_cannot_be_read_again() {
        handle();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        for (chunk_size, is_mapped) in [(1000, true), (1 << 20, true), (1000, false), (1 << 20, false)] {
            std::fs::write(&path, text()).unwrap();
            let list = if is_mapped { mapped(&path) } else { List::open(&path).unwrap() };
            File::options().write(true).open(&path).unwrap().set_len(5000).unwrap();
            let read = scan(&list, Extent::Whole, 2, chunk_size, |chunk, _| chunk.len(), |all, more| *all += more);
            assert!(read.as_ref().is_err_and(|error| error.to_string().contains("at byte 5000 of ")), "{read:?}");
        }
    }
}
