//! Revisits: answers that an archive does not repeat because it already has an identical one.
//!
//! A `revisit` record names its original by the record's id, by URL and date, or only by the digest of the payload. The
//! original may be anywhere in the archives, even after the revisit or in another file, so revisits wait until the
//! archives are read again. If no archive has the original, only the time of the answer is known. The revisit is newer
//! than any earlier answer, so the earlier rules are no longer certain, and there is no verdict, as if the origin had
//! been unreachable. The earlier answers are stored as the last good ones. A 304 needs no original: it confirms that
//! the crawler's copy is current.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::http::{HttpAnswer, Page, is_file};
use super::record::Head;
use crate::error::Problem;
use crate::policy::Capture;

#[derive(Default)]
pub(super) struct Revisits {
    waiting: Vec<Revisit>,
    /// The keys of revisits that no pass has searched for yet.
    fresh: Vec<Want>,
}

struct Revisit {
    page: Page,
    /// The answer by its own head, which is newer than the original's.
    head: HttpAnswer,
    /// The originals found, by hash. There is only one, unless names or digests lie.
    found: Vec<u128>,
}

/// The key of an original, hashed: the id of its record, its URL and date, or the digest of its payload. The last bit is set
/// for a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct OriginalKey(u128);

/// A revisit, by index, and a key of its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Want {
    key: OriginalKey,
    revisit: usize,
}

#[derive(Debug, Default)]
pub(super) struct RevisitTargets {
    /// Sorted.
    wants: Vec<Want>,
    /// The originals found for each key, by hash. Thousands of sites have the same file, which is processed once.
    seen: HashMap<OriginalKey, Vec<u128>>,
}

/// How many different originals of one key are believed; any more must be lies.
const MAX_ORIGINALS: usize = 4;

/// The status for a client whose copy is current.
const NOT_MODIFIED: u16 = 304;

impl OriginalKey {
    fn id(id: &str) -> OriginalKey {
        OriginalKey(xxh3_128_with_seed(id.as_bytes(), 1) & !1)
    }

    fn page(url: &str, time: i64) -> OriginalKey {
        OriginalKey(xxh3_128_with_seed(format!("{time} {url}").as_bytes(), 2) & !1)
    }

    fn digest(digest: &str) -> OriginalKey {
        OriginalKey(xxh3_128_with_seed(digest.as_bytes(), 3) | 1)
    }

    /// All keys that could name this record if it is an original.
    pub fn of_original(record: &Head, page: &Page) -> Vec<OriginalKey> {
        let id = record.field("WARC-Record-ID").map(|id| OriginalKey::id(&id));
        let request = page.fetched_at.map(|time| OriginalKey::page(&page.url, time));
        let digest = record.field("WARC-Payload-Digest").map(|digest| OriginalKey::digest(&digest));
        [id, request, digest].into_iter().flatten().collect()
    }

    /// Whether this key can name an answer. A digest can name only a file, because redirects have empty bodies too.
    fn can_name(self, original: &HttpAnswer) -> bool {
        self.0 & 1 == 0 || is_file(original.status)
    }

    /// The keys of a revisit's original. The digest is used only if the original is known to be a file.
    fn of_revisit(
        record: &Head,
        page: &Page,
        is_file: bool,
    ) -> Result<impl Iterator<Item = OriginalKey> + use<>, Problem> {
        let id = record.field("WARC-Refers-To").map(|id| OriginalKey::id(&id));
        let url = record.uri("WARC-Refers-To-Target-URI");
        let target = url.and_then(|url| Page::at(&url, None));
        let url = target.as_ref().map_or(&page.url, |target| &target.url);
        let request = record.time("WARC-Refers-To-Date")?.map(|time| OriginalKey::page(url, time));
        let digest = record.field("WARC-Payload-Digest").filter(|_| is_file).map(|digest| OriginalKey::digest(&digest));
        Ok([id, request, digest].into_iter().flatten())
    }
}

impl Revisits {
    /// Adds the revisit of a page, with the answer by the record's own head. If the head is enough, as for everything
    /// but a file, the revisit is returned as a capture.
    pub fn add(&mut self, record: &Head, page: Page, head: HttpAnswer) -> Result<Option<Capture>, Problem> {
        let status = head.status;
        if status.is_some() && !is_file(status) && status != Some(NOT_MODIFIED) {
            return Ok(Some(page.answered(head)));
        }
        let revisit = Revisit { page, head, found: Vec::new() };
        let keys = OriginalKey::of_revisit(record, &revisit.page, revisit.is_file())?;
        let number = self.waiting.len();
        self.fresh.extend(keys.map(|key| Want { key, revisit: number }));
        self.waiting.push(revisit);
        Ok(None)
    }

    pub fn take_wanted(&mut self) -> RevisitTargets {
        let mut wants = std::mem::take(&mut self.fresh);
        wants.sort_unstable();
        RevisitTargets { wants, seen: HashMap::new() }
    }

    /// The revisits of this original, as captures.
    pub fn resolve<'r>(
        &'r mut self,
        keys: &[OriginalKey],
        wanted: &'r mut RevisitTargets,
        original: &'r HttpAnswer,
    ) -> impl Iterator<Item = Capture> + use<'r> {
        let hash = original.hash();
        let is_new = |key: &OriginalKey| key.can_name(original) && wanted.note_original(*key, hash);
        let named: Vec<OriginalKey> = keys.iter().copied().filter(is_new).collect();
        let wanted: &RevisitTargets = wanted;
        named.into_iter().flat_map(|key| wanted.of(key)).filter_map(move |want| {
            let revisit = &mut self.waiting[want.revisit];
            let repeats = revisit.can_repeat(original) && !revisit.found.contains(&hash);
            repeats.then(|| {
                revisit.found.push(hash);
                revisit.repeated(original)
            })
        })
    }

    /// The revisits without an original: 304s, or answers of which only the time is known.
    pub fn unresolved(self) -> impl Iterator<Item = Capture> {
        let unresolved = self.waiting.into_iter().filter(|revisit| revisit.found.is_empty());
        unresolved.map(|Revisit { page, head, .. }| {
            let is_current = head.status == Some(NOT_MODIFIED);
            let expires = head.expires.filter(|_| is_current);
            page.answered(HttpAnswer { status: head.status.filter(|_| is_current), expires, ..HttpAnswer::default() })
        })
    }
}

impl RevisitTargets {
    pub fn is_empty(&self) -> bool {
        self.wants.is_empty()
    }

    /// Whether an original with this key is wanted.
    pub fn has(&self, key: OriginalKey) -> bool {
        self.of(key).next().is_some()
    }

    fn of(&self, key: OriginalKey) -> impl Iterator<Item = Want> + '_ {
        let start = self.wants.partition_point(|want| want.key < key);
        self.wants[start..].iter().copied().take_while(move |want| want.key == key)
    }

    /// Records an original found for a wanted key. Returns whether it is new and within [`MAX_ORIGINALS`].
    fn note_original(&mut self, key: OriginalKey, hash: u128) -> bool {
        if !self.has(key) {
            return false;
        }
        let seen = self.seen.entry(key).or_default();
        let is_first = !seen.contains(&hash) && seen.len() < MAX_ORIGINALS;
        if is_first {
            seen.push(hash);
        }
        is_first
    }
}

impl Revisit {
    /// Whether its head says that the original is a file. Status 304 also means that the server has a file, which the
    /// client holds already.
    fn is_file(&self) -> bool {
        self.head.status.is_some()
    }

    /// Whether this answer can be the original. Any file can; if the revisit has no head of its own, so can any answer with a
    /// status.
    fn can_repeat(&self, original: &HttpAnswer) -> bool {
        is_file(original.status) || !self.is_file() && original.status.is_some()
    }

    fn repeated(&self, original: &HttpAnswer) -> Capture {
        let status = self.head.status.filter(|&status| status != NOT_MODIFIED).or(original.status);
        self.page.clone().answered(HttpAnswer { status, expires: self.head.expires, ..original.clone() })
    }
}
