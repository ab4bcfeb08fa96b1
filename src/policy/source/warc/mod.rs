//! WARC archives (ISO 28500), as crawlers write them and Common Crawl publishes them.
//!
//! The `response` records of `/robots.txt` are captures, at the time of their `WARC-Date`. Everything else in an archive
//! is passed over, for there may be billions of pages; but a redirect of a robots.txt may lead to one of them, and a
//! `revisit` names an original that may stand anywhere. So an archive is read again for the few records that turned out
//! to be wanted, as long as those lead to more of them, and not more often than redirects are followed.
//!
//! A record that is malformed is an error. An answer that makes no sense is not: servers send all kinds of octets. It
//! is counted, and counts as no answer, which never allows anything.

mod coding;
mod head;
mod http;
mod record;
mod revisit;

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::intake::{Intake, target_key};
use super::{SourceError, seekable};
use crate::compression::Reader;
use crate::policy::memory::{block, table};
use crate::policy::{Answered, Capture};
use http::Response;
use record::{Record, Records};
use revisit::{Key, Revisits, Wanted};

pub use record::RecordProblem;

/// How an archive begins, and each of its records.
pub(super) const START: &[u8] = b"WARC/";

const URL: &str = "WARC-Target-URI";
const DATE: &str = "WARC-Date";

/// What was met in WARC archives, besides plain answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WarcCounts {
    /// Records of any type.
    pub records: u64,
    /// Answers of other URLs than a robots.txt. Those that a redirect leads to are read, and counted as captures.
    pub other_pages: u64,
    /// Answers that an archive does not repeat, because it has the same one already.
    pub revisits: u64,
    /// Of these, the ones whose original is nowhere: answers of which nothing but the time is known.
    pub unresolved_revisits: u64,
    /// Files that are not whole, of which the whole lines are read.
    pub truncated: u64,
    /// Records without an HTTP answer: no answer is known.
    pub not_http: u64,
    /// Files that cannot be decoded as their headers say, and are no text: no answer is known.
    pub undecodable: u64,
}

impl WarcCounts {
    /// Adds those of other archives.
    pub(in crate::policy) fn merge(&mut self, other: &WarcCounts) {
        self.records += other.records;
        self.other_pages += other.other_pages;
        self.revisits += other.revisits;
        self.unresolved_revisits += other.unresolved_revisits;
        self.truncated += other.truncated;
        self.not_http += other.not_http;
        self.undecodable += other.undecodable;
    }

    /// What operators should see: answers that are not whole, or not known, with their counts.
    pub fn flaws(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("truncated", self.truncated),
            ("unresolved-revisits", self.unresolved_revisits),
            ("not-http", self.not_http),
            ("undecodable", self.undecodable),
        ]
        .into_iter()
        .filter(|&(_, count)| count > 0)
    }
}

/// An archive that can be read more than once.
pub(super) struct Archive {
    path: PathBuf,
    /// The text of one that came through a pipe.
    copy: Option<File>,
    /// What its decompressor may take, in octets.
    memory: u64,
    has_other_pages: bool,
}

/// All archives, and what is still wanted from them.
#[derive(Default)]
pub(super) struct Archives {
    archives: Vec<Archive>,
    revisits: Revisits,
}

/// One reading of archives: what is looked for.
struct Pass<'p> {
    pages: Pages,
    originals: Wanted,
    revisits: &'p mut Revisits,
}

enum Pages {
    RobotsTxt,
    /// Pages that are none, but that redirects lead to, by [`target_key`].
    Others(HashSet<u128>),
}

/// A URL as it was asked for at a time.
#[derive(Debug, Clone)]
struct Page {
    url: String,
    origin: Option<String>,
    fetched_at: Option<i64>,
}

/// What is known of an answer.
#[derive(Debug, Clone, Default)]
struct Answer {
    status: Option<u16>,
    location: Option<String>,
    expires: Option<i64>,
    body: Option<Arc<[u8]>>,
}

impl Archive {
    /// The archive at `path`, whose text this is, and whose decompressor may take so much memory.
    pub fn new(path: &Path, mut text: impl BufRead, memory: u64) -> Result<Archive, SourceError> {
        let is_file = std::fs::metadata(path).map_err(SourceError::unreadable(path))?.is_file();
        let copy = if is_file { None } else { Some(seekable(path, false, &mut text)?) };
        Ok(Archive { path: path.to_owned(), copy, memory, has_other_pages: false })
    }

    fn open(&self) -> io::Result<Reader<File>> {
        let Some(copy) = &self.copy else { return Reader::within(File::open(&self.path)?, self.memory) };
        let mut copy = copy.try_clone()?;
        copy.rewind()?;
        Reader::within(copy, self.memory)
    }
}

impl Archives {
    /// Adds the robots.txt files of an archive.
    pub fn add(&mut self, mut archive: Archive, intake: &mut Intake<'_>) -> Result<(), SourceError> {
        let before = intake.warc_counts().other_pages;
        let mut pass = Pass { pages: Pages::RobotsTxt, originals: Wanted::default(), revisits: &mut self.revisits };
        pass.read(&archive, intake)?;
        archive.has_other_pages = intake.warc_counts().other_pages > before;
        self.archives.push(archive);
        Ok(())
    }

    /// Adds the pages that redirects of all sources lead to, and resolves revisits.
    pub fn finish(mut self, intake: &mut Intake<'_>) -> Result<(), SourceError> {
        for _ in 0..=intake.dialect().redirects.hops {
            let (pages, originals) = (intake.take_targets(), self.revisits.take_wanted());
            if pages.is_empty() && originals.is_empty() {
                break;
            }
            let mut pass = Pass { pages: Pages::Others(pages), originals, revisits: &mut self.revisits };
            intake.wait(pass.octets());
            for archive in &self.archives {
                if archive.has_other_pages || !pass.originals.is_empty() {
                    pass.read(archive, intake)?;
                }
            }
        }
        for capture in self.revisits.unresolved() {
            intake.warc_counts().unresolved_revisits += 1;
            intake.add([capture]);
        }
        Ok(())
    }
}

impl Pass<'_> {
    fn read(&mut self, archive: &Archive, intake: &mut Intake<'_>) -> Result<(), SourceError> {
        let mut records = Records::new(archive.open().map_err(SourceError::unreadable(&archive.path))?);
        let mut next = |intake: &mut Intake<'_>| -> Result<bool, RecordProblem> {
            let Some(record) = records.next()? else { return Ok(false) };
            self.visit(&record, &mut records.block(), intake)?;
            Ok(true)
        };
        loop {
            match next(intake) {
                Ok(true) => intake.check()?,
                Ok(false) => return Ok(()),
                Err(problem) => {
                    let (path, record, offset) = (archive.path.clone(), records.number, records.offset);
                    return Err(SourceError::Record { path, record, offset, problem });
                }
            }
        }
    }

    fn visit(
        &mut self,
        record: &Record,
        block: &mut impl BufRead,
        intake: &mut Intake<'_>,
    ) -> Result<(), RecordProblem> {
        let is_first = matches!(self.pages, Pages::RobotsTxt);
        intake.warc_counts().records += u64::from(is_first);
        let kind = record.required("WARC-Type")?;
        let is_revisit = kind.eq_ignore_ascii_case("revisit");
        if !is_revisit && !kind.eq_ignore_ascii_case("response") {
            return Ok(());
        }
        let url = record.uri(URL).ok_or(RecordProblem::Missing(URL))?;
        let time = record.time(DATE)?.ok_or(RecordProblem::Missing(DATE))?;
        // Archives also have answers of other protocols, such as DNS.
        let Some(page) = Page::at(&url, Some(time)) else { return Ok(()) };
        let is_wanted = self.wants(&page);
        intake.warc_counts().other_pages += u64::from(is_first && !is_wanted);
        let mut keys = if is_revisit { Vec::new() } else { Key::of_original(record, &page) };
        keys.retain(|&key| self.originals.has(key));
        if !is_wanted && keys.is_empty() {
            return Ok(());
        }
        let response = Response::read(block)?;
        if is_revisit {
            intake.warc_counts().revisits += 1;
            let answer = response.map_or(Answer::default(), |response| Answer::of_head(&response, &page));
            intake.add(self.revisits.add(record, page, answer)?);
            intake.wait(self.octets());
            return Ok(());
        }
        let (answer, flaw) = Answer::read(response, &page, record.is_truncated(), block, intake.body_limit())?;
        if !keys.is_empty() {
            intake.add(self.revisits.resolve(&keys, &mut self.originals, &answer));
            intake.wait(self.octets());
        }
        if is_wanted {
            count(flaw, intake.warc_counts());
            intake.add([page.answered(answer)]);
        }
        Ok(())
    }

    /// Octets of memory that what is looked for takes.
    fn octets(&self) -> u64 {
        let pages = match &self.pages {
            Pages::RobotsTxt => 0,
            Pages::Others(keys) => table(keys.len(), size_of::<u128>()),
        };
        pages + self.originals.octets() + self.revisits.octets()
    }

    fn wants(&self, page: &Page) -> bool {
        match &self.pages {
            Pages::RobotsTxt => page.origin.is_some(),
            Pages::Others(keys) => page.origin.is_none() && keys.contains(&target_key(&page.url)),
        }
    }
}

impl Page {
    /// The page of this URL, if that is one of http or https.
    fn at(url: &str, fetched_at: Option<i64>) -> Option<Page> {
        let (url, origin) = super::page(url).ok()?;
        Some(Page { url, origin, fetched_at })
    }

    /// Octets of memory that it takes beside itself.
    fn held(&self) -> u64 {
        block(self.url.capacity()) + self.origin.as_ref().map_or(0, |origin| block(origin.capacity()))
    }

    fn answered(self, answer: Answer) -> Capture {
        let Page { url, origin, fetched_at } = self;
        let Answer { status, location, expires, body } = answer;
        let answered = Answered { status, fetched_at, expires, unreachable_since: None };
        Capture { url, origin, exact: true, answered, location, body }
    }
}

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    Truncated,
    NotHttp,
    Undecodable,
}

fn count(flaw: Flaw, counts: &mut WarcCounts) {
    match flaw {
        Flaw::None => {}
        Flaw::Truncated => counts.truncated += 1,
        Flaw::NotHttp => counts.not_http += 1,
        Flaw::Undecodable => counts.undecodable += 1,
    }
}

impl Answer {
    /// Whether its body is a robots.txt (or a page), and not what the server says beside an error.
    fn is_file(&self) -> bool {
        matches!(self.status, Some(200..=299))
    }

    /// Tells answers apart that mean something else.
    fn hash(&self) -> u128 {
        let facts = format!("{:?} {:?}", self.status, self.location.as_ref().filter(|_| !self.is_file()));
        let body = xxh3_128(self.body.as_deref().unwrap_or_default());
        xxh3_128(&[facts.as_bytes(), &body.to_le_bytes()].concat())
    }

    fn of_head(response: &Response, page: &Page) -> Answer {
        let (location, expires) = (response.location(), response.expires(page.fetched_at));
        Answer { status: Some(response.status), location, expires, body: None }
    }

    /// The answer to the request for a page, with its body if that matters.
    fn read(
        response: Option<Response>,
        page: &Page,
        is_truncated: bool,
        block: &mut impl BufRead,
        limit: usize,
    ) -> io::Result<(Answer, Flaw)> {
        let Some(response) = response else { return Ok((Answer::default(), Flaw::NotHttp)) };
        let mut answer = Answer::of_head(&response, page);
        if !answer.is_file() {
            return Ok((answer, Flaw::None));
        }
        let Some(mut body) = response.body(block, limit)? else { return Ok((Answer::default(), Flaw::Undecodable)) };
        let is_whole = body.whole && !is_truncated;
        if !is_whole {
            coding::keep_whole_lines(&mut body.octets);
        }
        answer.body = Some(body.octets.into());
        Ok((answer, if is_whole { Flaw::None } else { Flaw::Truncated }))
    }
}
