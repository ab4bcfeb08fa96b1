//! Memory-mapped lists, and bytes of them that are lost when the file is cut short.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};

#[cfg(unix)]
use super::lost_pages::Region;
use crate::formats::mmap;

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
        let map = mmap::map(file)?;
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
        mmap::release(&self.map, part);
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
