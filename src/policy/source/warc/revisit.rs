//! Revisits: answers that an archive does not repeat, because it holds the same one already.
//!
//! A `revisit` record names its original by the record's id, by URL and date, or only by the digest of the payload. The
//! original may stand anywhere in the archives, also behind it and in another file, so revisits wait until the archives
//! are read again. One whose original is nowhere is an answer of which only the time is known: it is newer than any
//! earlier one, so those rules do not hold any more for sure, and there is no verdict, as if the origin had been
//! unreachable; the earlier ones are kept beside it as the last good ones.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_128;

use super::record::{Record, RecordProblem};
use super::{Answer, Page};
use crate::policy::Capture;

/// Revisits that wait for their originals.
#[derive(Default)]
pub(super) struct Revisits {
    waiting: Vec<Revisit>,
    /// Those before this one have been looked for.
    looked_for: usize,
}

struct Revisit {
    page: Page,
    keys: Vec<Key>,
    /// What its own head says, if it has one, is newer than what the original's does. The status is that of a file.
    status: Option<u16>,
    expires: Option<i64>,
    /// The originals that were found, by the hash of their bodies: there should be one, but digests may lie.
    found: Vec<u128>,
}

/// What an original is known by, hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The id of the record.
    Id(u128),
    /// URL and date.
    Page(u128),
    /// The digest of the payload. It says nothing of the status: an empty body is that of a redirect, too.
    Digest(u128),
}

/// The revisits to look for, by what their originals are known by.
pub(super) type Wanted = HashMap<Key, Vec<usize>>;

/// Status 304 says that the client has the answer already.
const NOT_MODIFIED: u16 = 304;

impl Key {
    fn page(page: &Page, time: i64) -> Key {
        Key::Page(xxh3_128(format!("{time} {}", page.url).as_bytes()))
    }

    /// All that a record of this page is known by, should it be an original.
    pub fn of_original(record: &Record, page: &Page) -> Vec<Key> {
        let id = record.field("WARC-Record-ID").map(|id| Key::Id(xxh3_128(id.as_bytes())));
        let place = page.fetched_at.map(|time| Key::page(page, time));
        let digest = record.field("WARC-Payload-Digest").map(|digest| Key::Digest(xxh3_128(digest.as_bytes())));
        [id, place, digest].into_iter().flatten().collect()
    }

    /// What a revisit says of its original. The digest counts only if its own head says that there was a file.
    fn of_revisit(record: &Record, page: &Page, status: Option<u16>) -> Result<Vec<Key>, RecordProblem> {
        let id = record.field("WARC-Refers-To").map(|id| Key::Id(xxh3_128(id.as_bytes())));
        let url = record.uri("WARC-Refers-To-Target-URI");
        let target = url.and_then(|url| Page::at(&url, None)).unwrap_or_else(|| page.clone());
        let place = record.time("WARC-Refers-To-Date")?.map(|time| Key::page(&target, time));
        let digest = record.field("WARC-Payload-Digest").filter(|_| status.is_some());
        let digest = digest.map(|digest| Key::Digest(xxh3_128(digest.as_bytes())));
        Ok([id, place, digest].into_iter().flatten().collect())
    }
}

impl Revisits {
    /// Adds the revisit of a page. `head` is the answer as far as the record has it; if that is enough, as it is for
    /// everything but a file, it comes back as a capture.
    pub fn add(&mut self, record: &Record, page: Page, head: Answer) -> Result<Option<Capture>, RecordProblem> {
        let Answer { status, expires, .. } = head;
        if status.is_some() && !head.is_file() && status != Some(NOT_MODIFIED) {
            return Ok(Some(page.answered(head)));
        }
        let keys = Key::of_revisit(record, &page, status)?;
        let status = status.filter(|_| head.is_file());
        self.waiting.push(Revisit { page, keys, status, expires, found: Vec::new() });
        Ok(None)
    }

    /// Those that were not yet looked for.
    pub fn take_wanted(&mut self) -> Wanted {
        let mut wanted = Wanted::new();
        for (number, revisit) in self.waiting.iter().enumerate().skip(self.looked_for) {
            for &key in &revisit.keys {
                wanted.entry(key).or_default().push(number);
            }
        }
        self.looked_for = self.waiting.len();
        wanted
    }

    /// The revisits whose original is this answer, as captures.
    pub fn resolve(&mut self, keys: &[Key], wanted: &Wanted, original: &Answer) -> Vec<Capture> {
        let body_hash = xxh3_128(original.body.as_deref().unwrap_or_default());
        let mut captures = Vec::new();
        for key in keys {
            if matches!(key, Key::Digest(_)) && !original.is_file() {
                continue;
            }
            for &number in wanted.get(key).into_iter().flatten() {
                let revisit = &mut self.waiting[number];
                if !revisit.found.contains(&body_hash) {
                    revisit.found.push(body_hash);
                    let status = revisit.status.or(original.status);
                    let answer = Answer { status, expires: revisit.expires, ..original.clone() };
                    captures.push(revisit.page.clone().answered(answer));
                }
            }
        }
        captures
    }

    /// Those whose original is nowhere: answers of which only the time is known.
    pub fn unresolved(self) -> impl Iterator<Item = Capture> {
        let lost = self.waiting.into_iter().filter(|revisit| revisit.found.is_empty());
        lost.map(|revisit| revisit.page.answered(Answer::default()))
    }
}
