//! Lists as memory: mapped files, and what is lost of them when they are cut short.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};

#[cfg(unix)]
use super::lost_pages::Region;
use crate::formats::mmap;

/// The bytes of a file, mapped.
pub(crate) struct Mapped {
    map: Mmap,
    /// The entry that tells a signal handler of it.
    #[cfg(unix)]
    region: &'static Region,
}

impl Mapped {
    /// All of a file.
    pub fn of(file: &File) -> io::Result<Mapped> {
        let map = mmap::map(file)?;
        #[cfg(unix)]
        let region = Region::of(&map);
        Ok(Mapped {
            map,
            #[cfg(unix)]
            region,
        })
    }

    /// Lets the system read ahead.
    pub fn is_read_in_order(&self) {
        #[cfg(unix)]
        let _ = self.map.advise(memmap2::Advice::Sequential);
    }

    /// Lets go of a part that was read for the last time.
    pub fn let_go(&self, part: Range<usize>) {
        mmap::let_go(&self.map, part);
    }

    /// The first byte that was missing when it was wanted; zeros were read from there on.
    pub fn lost(&self) -> Option<usize> {
        #[cfg(unix)]
        return self.region.lost();
        // Nothing takes the place of what is gone.
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
    /// Before the map is gone: something else may stand in its place then.
    fn drop(&mut self) {
        self.region.end();
    }
}
