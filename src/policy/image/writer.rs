//! Assembles an image from origins that arrive in order.

use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::sync::mpsc::{channel, sync_channel};
use xxhash_rust::xxh3::Xxh3;

use super::answers::{self, MARKED, Pointer, UrlRecord};
use super::format::{ALIGNMENT, HEADER, Header, Section};
use super::gather::{Gathered, Shared};
use super::pool::{ItemSource, Pool};
use super::record::{self, Record};
use super::spool::{SpillFolder, Spool};
use super::{Content, Image, Meta};
use crate::dialect::Dialect;
use crate::error::Problem;
use crate::error::policy::Error;
use crate::formats::memory::{self, FileVec};
use crate::formats::summed::Summed;
use crate::policy::Policy;
use crate::policy::crawlers::Crawlers;
use crate::policy::error::unwritten;
use crate::policy::groups::Row;
use crate::policy::lookup;
use crate::policy::resolve::Resolved;
use crate::policy::statistics::Statistics;
use crate::policy::url_answers::StoredRules;
use crate::threads;

/// An image that is being built. Shared items stay in their sources until the image is written; the rest is in memory
/// only as far as [`SpillFolder`] allows.
#[derive(Debug)]
pub(crate) struct Writer<'s> {
    columns: Crawlers,
    pub dialect: &'static Dialect,
    spill: SpillFolder,
    shared: Shared<'s>,
    origins: Spool,
    count: u64,
    answers: Spool,
    marks: Vec<[u64; 2]>,
    pointers: FileVec<Pointer>,
    /// The record of the last origin.
    record: Vec<u8>,
}

impl<'s> Writer<'s> {
    /// A writer of an image whose shared items come from these sources.
    pub fn new(
        columns: Crawlers,
        dialect: &'static Dialect,
        sources: &[ItemSource<'s>],
        spill: &SpillFolder,
    ) -> Result<Writer<'s>, Error> {
        let shared = Shared::new(sources, spill)?;
        let (origins, answers) = (Spool::new(spill, Vec::new()), Spool::new(spill, Vec::new()));
        let (marks, pointers, record) = (Vec::new(), FileVec::new(&spill.tables()), Vec::new());
        let spill = spill.clone();
        Ok(Writer { columns, dialect, spill, shared, origins, count: 0, answers, marks, pointers, record })
    }

    /// Adds the next URL. If it is the robots.txt of an origin, `resolved` is the origin's state.
    pub fn add(&mut self, url: UrlRecord<'_>, resolved: Option<&Resolved>) -> Result<(), Error> {
        threads::check();
        let before = self.origins.len();
        if let Some(pointer) = Pointer::of(&url.stored.kept, self.answers.len(), before) {
            self.pointers.push(pointer).map_err(|error| self.spill.failed(error))?;
        }
        if let Some(resolved) = resolved {
            self.add_origin(&url, resolved)?;
            if (self.count - 1).is_multiple_of(MARKED) {
                self.marks.push([before, self.answers.len()]);
            }
        }
        let taken = self.shared.url(url)?;
        let mut bytes = Vec::with_capacity(64);
        answers::push(&taken, resolved.map(|_| Record::at(&self.record, 0)).as_ref(), &mut bytes);
        self.answers.write(&bytes)
    }

    /// Adds the next origin.
    fn add_origin(&mut self, url: &UrlRecord<'_>, resolved: &Resolved) -> Result<(), Error> {
        let is_next = self.count == 0 || Record::at(&self.record, 0).origin < url.origin;
        assert!(is_next, "origins are added in order");
        let place = self.origins.len() / record::UNIT as u64;
        if place >= u64::from(u32::MAX) || self.count >= u64::from(u32::MAX) {
            return Err(Section::Origins.full());
        }
        let StoredRules { source, row, side } = resolved.rules;
        let own = url.stored.placement.as_ref().and_then(|placement| placement.side_records()).unwrap_or_default();
        let row = self.shared.row(source as usize, row)?;
        let side = self.shared.side(source as usize, side, &own)?;
        self.record.clear();
        record::push(url.origin, row, side, &resolved.state, &mut self.record)?;
        self.origins.write(&self.record)?;
        self.count += 1;
        Ok(())
    }

    /// The policy of the image, which is written to `spill`, with the statistics of the sources, completed.
    pub fn policy(self, statistics: Statistics, spill: &SpillFolder) -> Result<Policy, Error> {
        let sealed = self.seal(statistics)?;
        let spilled = |error| spill.failed(error);
        let length = sealed.header.length();
        if length <= spill.limit as u64 {
            let mut memory = memory::memory(length as usize);
            let (header, content) = sealed.write(&mut Cursor::new(&mut memory[..])).map_err(spilled)?;
            return Ok(Policy::of(Image { file: None, bytes: memory::read_only(memory), header }, content));
        }
        let mut file = tempfile::tempfile_in(&spill.folder).map_err(spilled)?;
        let (header, content) = sealed.write(&mut file).map_err(spilled)?;
        // SAFETY: the file has no name, so no other process has it, and it is written no more.
        let bytes = unsafe { memory::map(&file) }.map_err(spilled)?;
        Ok(Policy::of(Image { bytes, file: Some(file), header }, content))
    }

    /// Writes the image at the start of `out`. Returns its statistics.
    pub fn write(self, statistics: Statistics, out: &mut (impl Write + Seek + Send)) -> Result<Statistics, Problem> {
        let (_, content) = self.seal(statistics)?.write(out)?;
        Ok(content.statistics)
    }

    fn seal(mut self, statistics: Statistics) -> Result<Sealed<'s>, Error> {
        let statistics = Statistics { origins: self.count, ..self.shared.statistics(statistics) };
        let (dialect, agents) = (self.dialect.name.to_owned(), self.columns.clone());
        let meta = Meta { dialect, agents, statistics: statistics.of_file() };
        let meta_bytes = serde_json::to_vec(&meta).map_err(|error| unwritten(io::Error::from(error).into()))?;
        self.shared.rows.finish();
        let table = lookup::LookupTable::build(self.origins.bytes(), lookup::hash_of, &self.spill.tables());
        let table = table.map_err(|error| self.spill.failed(error))?;
        let header = Header::of([
            meta_bytes.len() as u64,
            table.length(),
            self.origins.len(),
            self.shared.rows.bytes().len() as u64,
            self.shared.automata.length(),
            self.shared.rules.length(),
            self.shared.side.length(),
            8 + 16 * self.marks.len() as u64 + self.answers.len(),
            size_of_val(&self.pointers[..]) as u64,
            self.shared.crawlers.length(),
            0,
        ]);
        let content = Content { dialect: self.dialect, columns: meta.agents, statistics };
        self.pointers.sort_unstable_by_key(|pointer| pointer.order());
        Ok(Sealed { header, meta: meta_bytes, table, writer: self, content })
    }
}

/// An image that is ready to be written.
struct Sealed<'s> {
    header: Header,
    meta: Vec<u8>,
    table: lookup::LookupTable,
    writer: Writer<'s>,
    content: Content,
}

impl Sealed<'_> {
    /// Writes the image. In a pool, one thread gathers its parts while another writes the previous ones.
    fn write(self, out: &mut (impl Write + Seek + Send)) -> io::Result<(Header, Content)> {
        out.seek(SeekFrom::Start(HEADER as u64))?;
        let mut summed = Summed { out, sum: Xxh3::new() };
        // A full buffer is returned empty.
        let write = |mut full: Vec<u8>| {
            summed.write_all(&full)?;
            full.clear();
            Ok(full)
        };
        match threads::number() {
            1 => self.gather(write)?,
            _ => beside(write, |pass_on| self.gather(pass_on))?,
        }
        let Summed { out, sum } = summed;
        let header = Header { checksum: sum.digest128(), ..self.header };
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header.encode())?;
        Ok((header, self.content))
    }

    /// Passes on everything after the header, front to back.
    fn gather(&self, pass_on: impl FnMut(Vec<u8>) -> io::Result<Vec<u8>>) -> io::Result<()> {
        let writer = &self.writer;
        let mut out = Gathering { pass_on, at: HEADER as u64, buffer: Vec::new(), header: &self.header };
        out.section(Section::Meta, &self.meta)?;
        let (origins, rows) = (writer.origins.bytes(), &writer.shared.rows);
        let of_most = |row: u32| Row(rows.pool().item(row)).first();
        out.begin(Section::Lookup)?;
        self.table.write(origins, of_most, |part| out.append(part))?;
        out.section(Section::Origins, origins)?;
        out.section(Section::Rows, rows.bytes())?;
        out.pool(Section::Automata, &writer.shared.automata)?;
        out.pool(Section::Rules, &writer.shared.rules)?;
        out.pool(Section::Side, &writer.shared.side)?;
        out.section(Section::Answers, &(writer.marks.len() as u64).to_le_bytes())?;
        for mark in &writer.marks {
            out.append(&mark.map(u64::to_le_bytes).concat())?;
        }
        out.append(writer.answers.bytes())?;
        out.section(Section::Pointers, bytemuck::cast_slice(&writer.pointers))?;
        out.pool(Section::Crawlers, &writer.shared.crawlers)?;
        out.pad(self.header.length())?;
        out.flush()
    }
}

const BUFFER: usize = 1 << 18;

/// How many full buffers wait for a writing thread.
const WAITING: usize = 4;

/// Writes, in a thread of its own, the full buffers that `gather` passes on for empty ones.
fn beside(
    mut write: impl FnMut(Vec<u8>) -> io::Result<Vec<u8>> + Send,
    gather: impl FnOnce(&mut dyn FnMut(Vec<u8>) -> io::Result<Vec<u8>>) -> io::Result<()>,
) -> io::Result<()> {
    let (waiting, full) = sync_channel(WAITING);
    let (written, empty) = channel();
    let mut ended = Ok(());
    let write_all = || {
        ended = full.into_iter().try_for_each(|buffer| {
            // The last buffers are not reused.
            let _ = written.send(write(buffer)?);
            Ok(())
        });
    };
    let gathered = threads::with_one_beside(
        write_all,
        || (),
        move || {
            gather(&mut |buffer| match waiting.send(buffer) {
                Ok(()) => Ok(empty.try_recv().unwrap_or_default()),
                Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
            })
        },
    );
    // If writing failed, gathering failed for the same reason.
    ended.and(gathered?)
}

/// Gathers the parts of an image into buffers, and passes on full buffers.
struct Gathering<'h, P> {
    pass_on: P,
    at: u64,
    buffer: Vec<u8>,
    header: &'h Header,
}

impl<P: FnMut(Vec<u8>) -> io::Result<Vec<u8>>> Gathering<'_, P> {
    fn section(&mut self, section: Section, bytes: &[u8]) -> io::Result<()> {
        self.begin(section)?;
        self.append(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        for part in bytes.chunks(BUFFER) {
            self.buffer.extend_from_slice(part);
            self.flush_full()?;
        }
        Ok(())
    }

    /// Adds the items of a pool as a section at its offset.
    fn pool(&mut self, section: Section, items: &Gathered<'_>) -> io::Result<()> {
        self.begin(section)?;
        for content in items.contents() {
            Pool::push(content, section.unit(), &mut self.buffer);
            self.flush_full()?;
        }
        Ok(())
    }

    fn begin(&mut self, section: Section) -> io::Result<()> {
        self.pad(self.header.sections[section as usize].start)
    }

    fn pad(&mut self, to: u64) -> io::Result<()> {
        let missing = to - self.at - self.buffer.len() as u64;
        self.buffer.extend_from_slice(&[0; ALIGNMENT as usize][..missing as usize]);
        self.flush_full()
    }

    fn flush_full(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> io::Result<()> {
        threads::check();
        self.at += self.buffer.len() as u64;
        self.buffer = (self.pass_on)(std::mem::take(&mut self.buffer))?;
        Ok(())
    }
}
