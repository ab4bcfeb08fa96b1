//! The index of origins: from the octets of an origin to its record.
//!
//! A hash table of buckets, each a cache line: hashes of up to eight origins, compared all at once, and where their
//! records begin. A bucket that is full goes on in the next one. The record holds the whole origin, which is compared; a
//! hash alone decides nothing. A look-up takes two cache misses, one for the bucket and one for the record, and can be
//! done in three steps, so that the misses of many origins overlap ([`Index::prefetch`], [`Index::candidate`],
//! [`Index::confirmed`]).
//!
//! ```text
//! bucket   8 times the upper 32 bits of a hash | 8 times the place of a record plus 1; 0 where free, behind all others
//! ```

use xxhash_rust::xxh3::xxh3_64;

use super::image::{Parts, RECORD_UNIT, Record};

/// Origins of a bucket, at most.
pub(crate) const BUCKET: usize = 8;

/// How many there are on average: most buckets have a free place, so that a search ends there.
const FILL: u64 = 6;

/// A bucket, as it stands in an image.
pub(crate) type Bucket = [u32; 2 * BUCKET];

/// The origins of a policy.
#[derive(Debug, Clone, Copy)]
pub struct Index<'p> {
    buckets: &'p [Bucket],
    records: &'p [u8],
}

/// How many buckets so many origins get.
pub(crate) fn buckets_for(origins: u64) -> u64 {
    origins / FILL + 1
}

/// The bucket, of so many, where the search for a hash begins.
#[inline]
fn bucket_of(hash: u64, buckets: usize) -> usize {
    ((u64::from(hash as u32) * buckets as u64) >> 32) as usize
}

/// The bucket behind another one.
#[inline]
fn behind(bucket: usize, buckets: usize) -> usize {
    if bucket + 1 == buckets { 0 } else { bucket + 1 }
}

/// The places of a bucket that hold these upper bits of a hash, a bit each; perhaps also free ones.
#[inline]
fn places_of(bucket: &Bucket, hash: u64) -> u32 {
    let upper = ((hash >> 32) as u32).to_le();
    let places = bucket[..BUCKET].iter().enumerate();
    places.fold(0, |found, (at, &other)| found | u32::from(other == upper) << at)
}

/// Whether a search ends at a bucket.
#[inline]
fn has_room(bucket: &Bucket) -> bool {
    bucket[2 * BUCKET - 1] == 0
}

/// Enters a record at its place.
pub(crate) fn enter(buckets: &mut [Bucket], origin: &[u8], place: u32) {
    let hash = hash(origin);
    let mut at = bucket_of(hash, buckets.len());
    while !has_room(&buckets[at]) {
        at = behind(at, buckets.len());
    }
    let free = buckets[at][BUCKET..].iter().position(|&place| place == 0).expect("there is room");
    buckets[at][free] = ((hash >> 32) as u32).to_le();
    buckets[at][BUCKET + free] = (place + 1).to_le();
}

/// The places of records that a bucket names.
pub(crate) fn check(bucket: &Bucket) -> Result<impl Iterator<Item = u32> + '_, &'static str> {
    let (hashes, places) = bucket.split_at(BUCKET);
    let used = places.iter().take_while(|&&place| place != 0).count();
    if hashes[used..].iter().chain(&places[used..]).any(|&word| word != 0) {
        return Err("there is something in a free place");
    }
    Ok(places[..used].iter().map(|&place| u32::from_le(place) - 1))
}

impl<'p> Index<'p> {
    pub(crate) fn new(parts: &Parts<'p>) -> Index<'p> {
        Index { buckets: parts.buckets, records: parts.records }
    }

    /// The record of an origin.
    pub fn get(&self, origin: &[u8]) -> Option<Record<'p>> {
        let hash = hash(origin);
        let mut at = bucket_of(hash, self.buckets.len());
        loop {
            let bucket = &self.buckets[at];
            let mut places = places_of(bucket, hash);
            while places != 0 {
                let place = u32::from_le(bucket[BUCKET + places.trailing_zeros() as usize]);
                if let Some(record) = self.confirmed(place, origin) {
                    return Some(record);
                }
                places &= places - 1;
            }
            if has_room(bucket) {
                return None;
            }
            at = behind(at, self.buckets.len());
        }
    }

    /// Step one of a look-up: asks for the bucket of an origin of this [`hash`].
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.buckets, bucket_of(hash, self.buckets.len()));
    }

    /// Step two: the first record that could be an origin's of this hash, or 0 if there is none; asks for it.
    #[inline]
    pub fn candidate(&self, hash: u64) -> u32 {
        let mut at = bucket_of(hash, self.buckets.len());
        loop {
            let bucket = &self.buckets[at];
            let places = places_of(bucket, hash);
            if places != 0 {
                let place = u32::from_le(bucket[BUCKET + places.trailing_zeros() as usize]);
                prefetch(self.records, (place as usize).wrapping_sub(1).wrapping_mul(RECORD_UNIT));
                return place;
            }
            if has_room(bucket) {
                return 0;
            }
            at = behind(at, self.buckets.len());
        }
    }

    /// Step three: the candidate's record, if it is this origin's. If it is not, only [`Index::get`] knows.
    #[inline]
    pub fn confirmed(&self, candidate: u32, origin: &[u8]) -> Option<Record<'p>> {
        let record = Record::at(self.records, (candidate as usize).checked_sub(1)? * RECORD_UNIT);
        (record.origin == origin).then_some(record)
    }

    /// All records, in the order of their origins.
    pub fn records(&self) -> impl Iterator<Item = Record<'p>> + use<'p> {
        let (records, mut at) = (self.records, 0);
        std::iter::from_fn(move || {
            (at < records.len()).then(|| {
                let record = Record::at(records, at);
                at = record.end(at);
                record
            })
        })
    }
}

/// The hash of an origin.
#[inline]
pub fn hash(origin: &[u8]) -> u64 {
    xxh3_64(origin)
}

/// Asks for the cache line that holds an element; only a hint.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction is part of SSE, which every x86_64 has; the address is that of a live reference, and
        // a prefetch neither reads nor writes what it points to.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Answered, Capture, Captures, Policy};
    use crate::robots::Agents;

    fn policy(origins: &[String]) -> Policy {
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        let capture = |(number, origin): (usize, &String)| Capture {
            url: crate::origin::robots_url(origin),
            origin: Some(origin.clone()),
            answered: Answered { status: Some(400 + (number % 100) as u16), ..Answered::default() },
            ..Capture::default()
        };
        captures.add(origins.iter().enumerate().map(capture).collect()).unwrap();
        captures.policy().unwrap()
    }

    #[test]
    fn every_origin_is_found_and_no_other() {
        let mut origins: Vec<String> = (0..5000).map(|n| format!("https://host-{n}.example")).collect();
        origins.sort();
        let policy = policy(&origins);
        let index = policy.index();
        for (number, origin) in origins.iter().enumerate() {
            let record = index.get(origin.as_bytes()).unwrap();
            assert_eq!(record.origin, origin.as_bytes());
            assert_eq!(record.state().answered.status, Some(400 + (number % 100) as u16));
            let hash = hash(origin.as_bytes());
            index.prefetch(hash);
            assert_eq!(index.confirmed(index.candidate(hash), origin.as_bytes()), Some(record));
            assert_eq!(index.get(format!("{origin}x").as_bytes()), None);
        }
        assert!(index.records().map(|record| record.origin).eq(origins.iter().map(String::as_bytes)));
        assert_eq!(self::policy(&[]).index().get(b"http://a"), None);
    }
}
