//! The memory that pages take as long as somebody has values of them.
//!
//! A page is read and decompressed as a whole, and stays while a value of it is held. So what bounds the memory of whoever
//! reads columns is a [`Room`], which is asked before a page is read, and gets back what it took with the last of its values.

use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory for the pages that one reader has at a time, in octets.
#[derive(Debug, Clone)]
pub(crate) struct Room(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limit: u64,
    taken: AtomicU64,
}

/// Pages that there is no memory for.
#[derive(Debug, thiserror::Error)]
#[error(
    "its pages have no room: {wanted} octets more do not fit in the {limit} octets of memory that there are for them here, of \
     which {taken} are taken; give more with --memory, or fewer --threads"
)]
pub(crate) struct NoRoom {
    wanted: u64,
    taken: u64,
    limit: u64,
}

/// A part of a room, until it is dropped.
#[derive(Debug)]
pub(super) struct Taken {
    room: Room,
    octets: u64,
}

impl Room {
    /// One of so many octets.
    pub fn of(limit: u64) -> Room {
        Room(Arc::new(Shared { limit, taken: AtomicU64::new(0) }))
    }

    /// One for whoever need not ask.
    pub fn unlimited() -> Room {
        Room::of(u64::MAX)
    }

    /// How much fits in if nothing is taken.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Makes sure that so many octets more fit in.
    pub fn check(&self, wanted: u64) -> Result<(), NoRoom> {
        let (taken, limit) = (self.0.taken.load(Ordering::Relaxed), self.0.limit);
        if taken.saturating_add(wanted) <= limit { Ok(()) } else { Err(NoRoom { wanted, taken, limit }) }
    }

    /// Takes so many octets. There is one reader, so that nobody else takes them meanwhile.
    pub(super) fn take(&self, octets: u64) -> Result<Taken, NoRoom> {
        self.check(octets)?;
        self.0.taken.fetch_add(octets, Ordering::Relaxed);
        Ok(Taken { room: self.clone(), octets })
    }

    /// Takes what octets take that are there, until the last reference to any of them is gone.
    pub(super) fn hold(&self, octets: Bytes) -> Result<Bytes, NoRoom> {
        let taken = self.take(octets.len() as u64)?;
        Ok(Bytes::from_owner(Held { octets, _taken: taken }))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.room.0.taken.fetch_sub(self.octets, Ordering::Relaxed);
    }
}

struct Held {
    octets: Bytes,
    _taken: Taken,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.octets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_takes_room_until_its_last_value_is_gone() {
        let room = Room::of(100);
        let page = room.hold(Bytes::from(vec![7; 60])).unwrap();
        assert!(room.check(40).is_ok());
        let error = room.check(41).unwrap_err().to_string();
        assert!(error.contains("41 octets") && error.contains("100 octets") && error.contains("60 are"), "{error}");
        let value = page.slice(10..11);
        drop(page);
        assert!(room.hold(Bytes::from(vec![7; 41])).is_err());
        assert_eq!(&value[..], [7]);
        drop(value);
        assert!(room.check(100).is_ok() && room.check(101).is_err() && room.check(u64::MAX).is_err());
        assert!(Room::unlimited().check(u64::MAX).is_ok());
    }
}
