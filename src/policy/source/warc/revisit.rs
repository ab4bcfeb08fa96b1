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
    /// Whether its own head says that the original is a file.
    is_file: bool,
    /// What that head says is newer than what the original's does.
    status: Option<u16>,
    expires: Option<i64>,
    /// The originals that were found, by hash: it is one, unless names or digests lie.
    found: Vec<u128>,
}

/// What an original is known by, hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The id of the record.
    Id(u128),
    /// URL and date.
    Page(u128),
    /// The digest of the payload.
    Digest(u128),
}

/// The revisits to look for, by what their originals are known by.
pub(super) type Wanted = HashMap<Key, Waiting>;

/// Those that wait for an original known by one key.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    revisits: Vec<usize>,
    /// The originals that were found, by hash: thousands of sites have the same file, which is looked at once.
    seen: Vec<u128>,
}

/// So many different originals of one key are believed; more are a lie.
const MOST_ORIGINALS: usize = 4;

/// The client has the answer already.
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

    /// Whether an answer can be known by this. A digest is only that of a file: redirects have empty bodies, too.
    fn can_name(self, original: &Answer) -> bool {
        !matches!(self, Key::Digest(_)) || original.is_file()
    }

    /// What a revisit says of its original. The digest counts only if that is known to be a file.
    fn of_revisit(record: &Record, page: &Page, is_file: bool) -> Result<Vec<Key>, RecordProblem> {
        let id = record.field("WARC-Refers-To").map(|id| Key::Id(xxh3_128(id.as_bytes())));
        let url = record.uri("WARC-Refers-To-Target-URI");
        let target = url.and_then(|url| Page::at(&url, None)).unwrap_or_else(|| page.clone());
        let place = record.time("WARC-Refers-To-Date")?.map(|time| Key::page(&target, time));
        let digest = record.field("WARC-Payload-Digest").filter(|_| is_file);
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
        // Status 304, too, is the answer of a server whose file the client has.
        let is_file = status.is_some();
        let keys = Key::of_revisit(record, &page, is_file)?;
        let status = status.filter(|&status| status != NOT_MODIFIED);
        self.waiting.push(Revisit { page, keys, is_file, status, expires, found: Vec::new() });
        Ok(None)
    }

    /// Those that were not yet looked for.
    pub fn take_wanted(&mut self) -> Wanted {
        let mut wanted = Wanted::new();
        for (number, revisit) in self.waiting.iter().enumerate().skip(self.looked_for) {
            for &key in &revisit.keys {
                wanted.entry(key).or_default().revisits.push(number);
            }
        }
        self.looked_for = self.waiting.len();
        wanted
    }

    /// The revisits whose original is this answer, as captures.
    pub fn resolve(&mut self, keys: &[Key], wanted: &mut Wanted, original: &Answer) -> Vec<Capture> {
        let hash = original.hash();
        let mut captures = Vec::new();
        for key in keys {
            let Some(waiting) = wanted.get_mut(key).filter(|_| key.can_name(original)) else { continue };
            if waiting.seen.contains(&hash) || waiting.seen.len() == MOST_ORIGINALS {
                continue;
            }
            waiting.seen.push(hash);
            for &number in &waiting.revisits {
                let revisit = &mut self.waiting[number];
                if revisit.can_repeat(original) && !revisit.found.contains(&hash) {
                    revisit.found.push(hash);
                    captures.push(revisit.repeated(original));
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

impl Revisit {
    /// Whether this answer can be the original: a file is that of a file, and whatever is known that of a revisit
    /// without a head of its own.
    fn can_repeat(&self, original: &Answer) -> bool {
        original.is_file() || !self.is_file && original.status.is_some()
    }

    fn repeated(&self, original: &Answer) -> Capture {
        let status = self.status.or(original.status);
        self.page.clone().answered(Answer { status, expires: self.expires, ..original.clone() })
    }
}
