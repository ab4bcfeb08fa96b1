//! Records kept beside the rules of each origin, such as `Crawl-delay` and `Sitemap`, with their lines.
//!
//! Many files have the same ones, so each distinct list is stored once.
//!
//! ```text
//! list     number of records u32 | records
//! record   key u8 | line u32 | length of value u32 | value
//! ```

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use crate::robots::{SideKey, SideRecord};

/// Distinct lists of side records.
#[derive(Debug, Clone)]
pub(super) struct SideRecords {
    octets: Vec<u8>,
    /// Where each list begins and ends, by the hash of its octets.
    distinct: HashTable<(usize, usize)>,
}

/// Where a list begins in [`SideRecords`].
pub(super) type ListPlace = usize;

/// The list without records.
pub(super) const NO_RECORDS: ListPlace = 0;

impl SideRecords {
    /// Only the empty list.
    pub fn new() -> SideRecords {
        SideRecords { octets: vec![0; 4], distinct: HashTable::new() }
    }

    /// Stores a list, as [`encode`] makes it; one that is there already is not stored again.
    pub fn intern(&mut self, list: &[u8]) -> ListPlace {
        if list.len() <= 4 {
            return NO_RECORDS;
        }
        let octets = &self.octets;
        let hash = xxh3_64(list);
        if let Some(&(start, _)) = self.distinct.find(hash, |&(start, end)| octets[start..end] == *list) {
            return start;
        }
        let start = self.octets.len();
        self.octets.extend_from_slice(list);
        let octets = &self.octets;
        self.distinct.insert_unique(hash, (start, octets.len()), |&(start, end)| xxh3_64(&octets[start..end]));
        start
    }

    /// The records of a list, in the order of the file.
    pub fn list(&self, place: ListPlace) -> impl Iterator<Item = SideRecord<'_>> {
        let (count, mut rest) = number(&self.octets[place..]);
        (0..count).map(move |_| {
            let key = SideKey::ALL[usize::from(rest[0])];
            let (line, behind) = number(&rest[1..]);
            let (length, behind) = number(behind);
            let (value, behind) = behind.split_at(length as usize);
            rest = behind;
            SideRecord { key, value, line, group: None }
        })
    }
}

fn number(octets: &[u8]) -> (u32, &[u8]) {
    let (number, rest) = octets.split_first_chunk().expect("four octets");
    (u32::from_le_bytes(*number), rest)
}

/// A list of records as octets.
pub(super) fn encode<'r, 'a: 'r>(records: impl Iterator<Item = &'r SideRecord<'a>>) -> Vec<u8> {
    let mut list = vec![0; 4];
    let mut count = 0u32;
    for record in records {
        count += 1;
        list.push(record.key as u8);
        list.extend_from_slice(&record.line.to_le_bytes());
        list.extend_from_slice(&(record.value.len() as u32).to_le_bytes());
        list.extend_from_slice(record.value);
    }
    list[..4].copy_from_slice(&count.to_le_bytes());
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_and_equal_ones_are_stored_once() {
        let record = |key, value, line| SideRecord { key, value, line, group: None };
        let lists: [&[SideRecord<'_>]; 3] = [
            &[record(SideKey::CrawlDelay, b"0.5", 3), record(SideKey::Sitemap, b"https://a/s.xml", 70_000)],
            &[record(SideKey::ContentSignal, b"", 1)],
            &[],
        ];
        let mut all = SideRecords::new();
        let places: Vec<ListPlace> = lists.iter().map(|list| all.intern(&encode(list.iter()))).collect();
        let size = all.octets.len();
        for (list, &place) in lists.iter().zip(&places) {
            assert_eq!(all.intern(&encode(list.iter())), place);
            assert_eq!(all.list(place).collect::<Vec<_>>(), *list);
        }
        assert_eq!(all.octets.len(), size);
        assert_eq!(places[2], NO_RECORDS);
    }
}
