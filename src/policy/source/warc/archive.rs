//! Archives, read again as long as something in them is wanted.

use hashbrown::HashSet;
use std::fs::File;
use std::io::{self, BufRead, Seek, Take};
use std::path::{Path, PathBuf};

use super::error::RecordProblem;
use super::head::Head;
use super::http::Response;
use super::page::{self, count};
use super::record::Records;
use super::revisit::{OriginalKey, Revisits, Wanted};
use crate::formats::compression::{Compression, Reader, with_help};
use crate::policy::Capture;
use crate::policy::source::SourceError;
use crate::policy::source::intake::{Intake, target_key};
use crate::policy::source::seekable::seekable;

pub(super) const URL: &str = "WARC-Target-URI";

const DATE: &str = "WARC-Date";

/// An archive that can be read more than once.
struct Archive {
    path: PathBuf,
    /// A copy of its text, if it came through a pipe.
    copy: Option<File>,
    /// The compression of the file, if any.
    compression: Option<Compression>,
    /// The memory for its decompressor, in bytes.
    memory: u64,
    has_other_pages: bool,
}

/// All archives, and the revisits whose originals are still wanted.
#[derive(Default)]
pub(crate) struct Archives {
    archives: Vec<Archive>,
    revisits: Revisits,
}

/// One pass over archives, and what it looks for.
struct Pass<'p> {
    pages: Pages,
    originals: Wanted,
    revisits: &'p mut Revisits,
}

pub(super) enum Pages {
    RobotsTxt,
    /// Pages other than robots.txt that redirects lead to, by [`target_key`].
    Others(HashSet<u128>),
}

impl Archive {
    /// The archive at `path`, with text `text`. Its decompressor may use `memory` bytes.
    fn new(
        path: &Path,
        mut text: impl BufRead,
        compression: Option<Compression>,
        memory: u64,
    ) -> Result<Archive, SourceError> {
        let is_file = std::fs::metadata(path).map_err(SourceError::unreadable(path))?.is_file();
        let copy = if is_file { None } else { Some(seekable(path, false, &mut text)?) };
        Ok(Archive { path: path.to_owned(), copy, compression, memory, has_other_pages: false })
    }

    /// Passes the text to `read`. Text decompressed ahead may use `room` bytes.
    fn read<T>(&self, room: u64, read: impl FnOnce(&mut dyn BufRead) -> T) -> io::Result<T> {
        let file = match &self.copy {
            None => File::open(&self.path)?,
            Some(copy) => {
                let mut copy = copy.try_clone()?;
                copy.rewind()?;
                copy
            }
        };
        match self.compression.filter(|_| self.copy.is_none()) {
            Some(compression) => with_help(&file, compression, self.memory, room, read),
            None => Ok(read(&mut Reader::within(file, self.memory)?)),
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
    ) -> Result<(), SourceError> {
        let mut archive = Archive::new(path, text, compression, intake.decompressor(1))?;
        let before = intake.captures.statistics.warc.other_pages;
        let mut pass = Pass { pages: Pages::RobotsTxt, originals: Wanted::default(), revisits: &mut self.revisits };
        pass.read(&archive, intake)?;
        archive.has_other_pages = intake.captures.statistics.warc.other_pages > before;
        self.archives.push(archive);
        Ok(())
    }

    /// Adds the pages that redirects of all sources lead to, and resolves revisits.
    pub fn finish(mut self, intake: &mut Intake<'_>) -> Result<(), SourceError> {
        for _ in 0..=intake.captures.dialect().redirects.hops {
            let (pages, originals) = (intake.take_targets(), self.revisits.take_wanted());
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
        for capture in self.revisits.unresolved() {
            intake.captures.statistics.warc.unresolved_revisits += 1;
            intake.add([capture]);
        }
        Ok(())
    }
}

impl Pass<'_> {
    fn read(&mut self, archive: &Archive, intake: &mut Intake<'_>) -> Result<(), SourceError> {
        let unreadable = SourceError::unreadable(&archive.path);
        let room = intake.room_ahead();
        archive.read(room, |text| self.read_text(archive, text, intake)).map_err(unreadable)?
    }

    fn read_text(
        &mut self,
        archive: &Archive,
        text: &mut dyn BufRead,
        intake: &mut Intake<'_>,
    ) -> Result<(), SourceError> {
        let mut records = Records::new(text);
        let mut next = |intake: &mut Intake<'_>| -> Result<bool, RecordProblem> {
            let Some(record) = records.next()? else { return Ok(false) };
            self.visit(&record, records.block(), intake)?;
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
        record: &Head,
        block: &mut Take<impl BufRead>,
        intake: &mut Intake<'_>,
    ) -> Result<(), RecordProblem> {
        let is_first = matches!(self.pages, Pages::RobotsTxt);
        intake.captures.statistics.warc.records += u64::from(is_first);
        let kind = record.required("WARC-Type")?;
        let [is_revisit, is_resource] = ["revisit", "resource"].map(|name| kind.eq_ignore_ascii_case(name));
        if !is_revisit && !is_resource && !kind.eq_ignore_ascii_case("response") {
            return Ok(());
        }
        let url = record.uri(URL).ok_or(RecordProblem::Missing(URL))?;
        let time = record.time(DATE)?.ok_or(RecordProblem::Missing(DATE))?;
        // Archives also have answers of other protocols, such as DNS.
        let Some(mut page) = page::requested(&url, Some(time)) else { return Ok(()) };
        let is_wanted = self.wants(&page);
        intake.captures.statistics.warc.other_pages += u64::from(is_first && !is_wanted);
        let mut keys = if is_revisit { Vec::new() } else { OriginalKey::of_original(record, &page) };
        keys.retain(|&key| self.originals.has(key));
        if !is_wanted && keys.is_empty() {
            return Ok(());
        }
        let response = if is_resource { Some(Response::of_resource()) } else { Response::read(block)? };
        if is_revisit {
            intake.captures.statistics.warc.revisits += 1;
            if let Some(response) = response {
                page::add_head(&mut page, &response);
            }
            intake.add(self.revisits.add(record, page)?);
            return Ok(());
        }
        let flaw = page::add_answer(&mut page, response, record.truncation(), block, intake.body_limit())?;
        if block.limit() > 0 && block.fill_buf()?.is_empty() {
            return Err(RecordProblem::CutShort);
        }
        if !keys.is_empty() {
            intake.add(self.revisits.resolve(&keys, &mut self.originals, &page));
        }
        if is_wanted {
            count(flaw, &mut intake.captures.statistics.warc);
            intake.add([page]);
        }
        Ok(())
    }

    fn wants(&self, page: &Capture) -> bool {
        match &self.pages {
            Pages::RobotsTxt => page.origin.is_some(),
            Pages::Others(keys) => page.origin.is_none() && keys.contains(&target_key(&page.url)),
        }
    }
}
