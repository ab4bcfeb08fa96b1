//! Archives, which are read again as long as a redirect or a revisit needs one of their records.

use hashbrown::HashSet;
use std::fs::File;
use std::io::{self, BufRead, Seek};
use std::path::{Path, PathBuf};

use super::http::{Flaw, HttpAnswer, Page, Response};
use super::record::{Extent, Head, Records, missing};
use super::revisit::{OriginalKey, RevisitTargets, Revisits};
use super::text::{ArchiveText, MARK};
use crate::error::Problem;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::compression::{Compression, Damaged, Reader, Salvage, with_help};
use crate::formats::{seekable, shortened, shown};
use crate::policy::Capture;
use crate::policy::source::answer::{TimeBounds, is_named_robots_txt};
use crate::policy::source::error::unreadable;
use crate::policy::source::intake::{Intake, target_key};
use crate::policy::source::opened::is_file;
use crate::policy::source::passed_over::Reason;
use crate::robots::BodyFlaw;

pub(super) const URL: &str = "WARC-Target-URI";

const DATE: &str = "WARC-Date";

/// An archive that can be read more than once.
struct Archive {
    path: PathBuf,
    /// A copy of its text, if it came through a pipe.
    copy: Option<File>,
    compression: Option<Compression>,
    memory: u64,
    has_other_pages: bool,
    /// The time of records without one.
    fetched_at: Option<i64>,
}

/// All archives, and the revisits whose originals have not been found yet.
#[derive(Default)]
pub(crate) struct Archives {
    archives: Vec<Archive>,
    revisits: Revisits,
}

/// One pass over archives, and the records that it looks for.
struct Pass<'p> {
    pages: Pages,
    originals: RevisitTargets,
    revisits: &'p mut Revisits,
}

pub(super) enum Pages {
    /// Pages [named like a robots.txt](is_named_robots_txt).
    RobotsTxt,
    /// Other pages that redirects lead to, by [`target_key`].
    Others(HashSet<u128>),
}

impl Archive {
    /// The archive at `path`, with text `text`. Its decompressor may use `memory` bytes.
    fn new(
        path: &Path,
        mut text: impl BufRead,
        compression: Option<Compression>,
        memory: u64,
    ) -> Result<Archive, Error> {
        let copy = match is_file(path) {
            true => None,
            false => Some(seekable::or_copied(path, false, &mut text).map_err(unreadable(path))?),
        };
        Ok(Archive { path: path.to_owned(), copy, compression, memory, has_other_pages: false, fetched_at: None })
    }

    /// Passes the text to `read`. Text decompressed ahead may use `room` bytes.
    fn read<T>(&self, room: u64, read: impl FnOnce(ArchiveText<'_>) -> T) -> io::Result<T> {
        let file = match &self.copy {
            None => File::open(&self.path)?,
            Some(copy) => {
                let mut copy = copy.try_clone()?;
                copy.rewind()?;
                copy
            }
        };
        match self.compression.filter(|_| self.copy.is_none()) {
            Some(compression) => {
                let salvage = Salvage::new(&file, compression, self.memory)?;
                let read = |text: &mut dyn BufRead| read(ArchiveText::new(text, Some(salvage)));
                with_help(&file, compression, self.memory, room, read)
            }
            None => Ok(read(ArchiveText::new(Reader::within(&file, self.memory)?, None))),
        }
    }
}

impl Archives {
    /// Adds the robots.txt files of the archive at `path`, with text `text`.
    pub fn add(
        &mut self,
        path: &Path,
        text: impl BufRead,
        compression: Option<Compression>,
        intake: &mut Intake<'_>,
    ) -> Result<(), Error> {
        let mut archive = Archive::new(path, text, compression, intake.decompressor())?;
        archive.fetched_at = intake.time_of_source;
        let before = intake.captures.statistics.warc.other_pages;
        let mut pass =
            Pass { pages: Pages::RobotsTxt, originals: RevisitTargets::default(), revisits: &mut self.revisits };
        pass.read(&archive, intake)?;
        archive.has_other_pages = intake.captures.statistics.warc.other_pages > before;
        self.archives.push(archive);
        Ok(())
    }

    /// Whether a compressed file that does not begin as an archive is one whose beginning is damaged: a record begins in it.
    pub fn is_damaged(path: &Path, compression: Compression, memory: u64) -> io::Result<bool> {
        let file = File::open(path)?;
        let salvage = Salvage::new(&file, compression, memory)?;
        Ok(salvage.find(0, MARK)?.is_some() && salvage.begins_damaged())
    }

    /// Adds an archive from which only pages other than a robots.txt are read.
    pub fn add_for_pages(&mut self, path: &Path, intake: &Intake<'_>) -> Result<(), Error> {
        let open = || Reader::within(File::open(path)?, intake.decompressor());
        let compression = open().map_err(unreadable(path))?.compression();
        let archive = Archive::new(path, io::empty(), compression, intake.decompressor())?;
        let fetched_at = intake.times.of_file(path)?;
        self.archives.push(Archive { has_other_pages: true, fetched_at, ..archive });
        Ok(())
    }

    /// The archives, if any of them has pages other than a robots.txt.
    pub fn with_other_pages(&self) -> Vec<PathBuf> {
        match self.archives.iter().any(|archive| archive.has_other_pages) {
            true => self.archives.iter().map(|archive| archive.path.clone()).collect(),
            false => Vec::new(),
        }
    }

    /// Adds other pages that redirects lead to, and resolves revisits. Before each pass, `next_pages` tells which pages are wanted.
    pub fn finish(
        mut self,
        intake: &mut Intake<'_>,
        mut next_pages: impl FnMut(&mut Intake<'_>) -> HashSet<u128>,
    ) -> Result<(), Error> {
        for _ in 0..=intake.captures.dialect().redirects.hops {
            let (pages, originals) = (next_pages(intake), self.revisits.take_wanted());
            if pages.is_empty() && originals.is_empty() {
                break;
            }
            let mut pass = Pass { pages: Pages::Others(pages), originals, revisits: &mut self.revisits };
            for archive in &self.archives {
                if archive.has_other_pages || !pass.originals.is_empty() {
                    pass.read(archive, intake)?;
                }
            }
        }
        intake.time_of_source = None;
        let path = self.archives.first().map_or(Path::new(""), |archive| &archive.path);
        for capture in self.revisits.unresolved() {
            intake.captures.statistics.warc.unresolved_revisits += 1;
            intake.pass_over(path, Reason::Unresolved, || capture.url.clone());
            intake.add([capture])?;
        }
        Ok(())
    }
}

impl Pass<'_> {
    fn read(&mut self, archive: &Archive, intake: &mut Intake<'_>) -> Result<(), Error> {
        let failed = unreadable(&archive.path);
        let room = intake.room_ahead();
        intake.time_of_source = archive.fetched_at;
        archive.read(room, |text| self.read_text(&archive.path, text, intake)).map_err(failed)?
    }

    fn read_text(&mut self, path: &Path, text: ArchiveText<'_>, intake: &mut Intake<'_>) -> Result<(), Error> {
        let mut records = Records::new(text);
        loop {
            let (head, problem) = match records.next() {
                Ok(None) => return Ok(()),
                Ok(Some(head)) => match self.visit(path, &head, &mut records, intake) {
                    Ok(captures) => {
                        intake.add(captures)?;
                        continue;
                    }
                    Err(problem) => (head, problem),
                },
                Err(problem) => (std::mem::take(&mut records.malformed), problem),
            };
            if !self.pass_over(path, &head, problem, &mut records, intake)? {
                return Ok(());
            }
        }
    }

    /// Passes over a record with a problem. Returns whether the archive continues after it.
    fn pass_over(
        &mut self,
        path: &Path,
        head: &Head,
        problem: Problem,
        records: &mut Records<'_>,
        intake: &mut Intake<'_>,
    ) -> Result<bool, Error> {
        let failed = unreadable(path);
        let problem = match problem.source {
            Some(error) if Damaged::of(&error).is_none() => return Err(failed(error)),
            source => Problem { source, ..problem },
        };
        let (record, offset) = (records.number, records.offset);
        let extent = records.recover(&problem).map_err(failed)?;
        if extent != Extent::Record && !intake.options.skip_bad {
            let (path, problem) = (shown(path), shortened(problem));
            return Err(ErrorKind::Source.of(format!("{path}, record {record} (byte {offset}): {problem}")));
        }
        // A malformed record that may be an answer counts as an incomplete answer.
        let page = requested(head, intake.times.bounds).filter(|page| self.wants(page));
        if self.is_first() {
            let url = page.as_ref().map_or(String::new(), |page| format!(", {}", page.url));
            let example = || format!("record {record} (byte {offset}){url}: {problem}");
            let counts = &mut intake.captures.statistics;
            let (count, reason) = match extent {
                Extent::Record | Extent::Member => (&mut counts.warc.bad_records, Reason::BadRecord),
                Extent::Rest => (&mut counts.captures.cut_sources, Reason::Rest),
            };
            *count += 1;
            intake.pass_over(path, reason, example);
        }
        intake.add(
            page.map(|page| page.answered(HttpAnswer { flaw: Some(BodyFlaw::Incomplete), ..HttpAnswer::default() })),
        )?;
        Ok(extent != Extent::Rest)
    }

    /// The captures from a record: its own, if its page is wanted, and those of the revisits of which it is the
    /// original.
    fn visit(
        &mut self,
        path: &Path,
        record: &Head,
        records: &mut Records<'_>,
        intake: &mut Intake<'_>,
    ) -> Result<Vec<Capture>, Problem> {
        let is_first = self.is_first();
        intake.captures.statistics.warc.records += u64::from(is_first);
        let Some(kind) = Kind::of(&record.required("WARC-Type")?) else { return records.finish().map(|()| Vec::new()) };
        let url = record.uri(URL).ok_or_else(|| missing(URL))?;
        let time = record.time(DATE)?.or(intake.time_of_source).ok_or_else(|| missing(DATE))?;
        // Archives also have answers of other protocols, such as DNS.
        let Some(page) = Page::at(&url, Some(time)) else { return records.finish().map(|()| Vec::new()) };
        intake
            .times
            .bounds
            .check_fetched(page.fetched_at)
            .map_err(|problem| format!("the time of this record cannot be right: {problem}"))?;
        let is_wanted = self.wants(&page);
        if is_first && !is_wanted {
            intake.captures.statistics.warc.other_pages += 1;
            intake.pass_over(path, Reason::Page, || page.url.clone());
        }
        let mut keys = if kind == Kind::Revisit { Vec::new() } else { OriginalKey::of_original(record, &page) };
        keys.retain(|&key| self.originals.has(key));
        if !is_wanted && keys.is_empty() {
            return records.finish().map(|()| Vec::new());
        }
        let (block, limit) = (records.block(), intake.body_limit());
        let response = if kind == Kind::Resource { Some(Response::of_resource()) } else { Response::read(block)? };
        if kind == Kind::Revisit {
            let head =
                response.map_or_else(HttpAnswer::default, |response| HttpAnswer::of_head(&response, page.fetched_at));
            records.finish()?;
            intake.captures.statistics.warc.revisits += 1;
            return Ok(self.revisits.add(record, page, head)?.into_iter().collect());
        }
        let (answer, flaw) = match response {
            Some(response) => HttpAnswer::read(&response, page.fetched_at, record.truncation(), block, limit)?,
            None => (HttpAnswer::default(), Some(Flaw::NotHttp)),
        };
        // Whether it is damaged may show only at its end.
        records.finish()?;
        let mut captures = match keys.is_empty() {
            true => Vec::new(),
            false => self.revisits.resolve(&keys, &mut self.originals, &answer).collect(),
        };
        if is_wanted {
            if let Some(flaw) = flaw {
                let (count, reason) = flaw.told(&mut intake.captures.statistics);
                *count += 1;
                intake.pass_over(path, reason, || format!("record {}, {}{}", records.number, page.url, flaw.cause()));
            }
            captures.push(page.answered(answer));
        }
        Ok(captures)
    }

    fn is_first(&self) -> bool {
        matches!(self.pages, Pages::RobotsTxt)
    }

    fn wants(&self, page: &Page) -> bool {
        match &self.pages {
            Pages::RobotsTxt => is_named_robots_txt(&page.url),
            Pages::Others(keys) => !is_named_robots_txt(&page.url) && keys.contains(&target_key(&page.url)),
        }
    }
}

/// The types of records that are answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// An answer of a server.
    Response,
    /// A file, without the head of an answer.
    Resource,
    /// An answer that is identical to an earlier one.
    Revisit,
}

impl Kind {
    fn of(name: &str) -> Option<Kind> {
        let kinds = [("response", Kind::Response), ("resource", Kind::Resource), ("revisit", Kind::Revisit)];
        kinds.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, kind)| kind)
    }
}

/// The page that a record with a problem is about, as far as its head says.
fn requested(record: &Head, bounds: TimeBounds) -> Option<Page> {
    Kind::of(&record.field("WARC-Type")?)?;
    let page = Page::at(&record.uri(URL)?, record.time(DATE).ok().flatten())?;
    // An impossible time would make the answer newer than all others.
    let fetched_at = page.fetched_at.filter(|_| bounds.check_fetched(page.fetched_at).is_ok());
    Some(Page { fetched_at, ..page })
}
