//! Assembles an image from origins that arrive in order.

use std::io::{self, Cursor, Seek, SeekFrom, Write};
use xxhash_rust::xxh3::Xxh3;

use super::gather::{Gathered, ItemSource, Shared};
use super::layout::{ALIGNMENT, ENTRY, HEADER, Header, Section};
use super::pool::Pool;
use super::record;
use super::spool::{Home, Spool};
use super::{Content, Image, Meta, WriteError};
use crate::dialect::Dialect;
use crate::formats::mmap;
use crate::policy::columns::Columns;
use crate::policy::state::OriginState;
use crate::policy::{Statistics, groups, lookup};

/// An image being made. Shared items stay in their sources until the image is written; of the rest, memory holds only as
/// much as [`Home`] allows.
#[derive(Debug)]
pub(crate) struct Writer<'s> {
    columns: Columns,
    dialect: &'static Dialect,
    shared: Shared<'s>,
    origins: Spool,
    count: u64,
    record: Vec<u8>,
    last: Vec<u8>,
}

/// An origin to add, and the source of its row and side records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewOrigin<'o> {
    pub origin: &'o [u8],
    pub state: &'o OriginState,
    pub source: usize,
    pub row: u32,
    pub side: u32,
    /// What replaces the operator's own side records, if anything does.
    pub own: Option<&'o [u8]>,
}

impl<'s> Writer<'s> {
    pub fn new(columns: Columns, dialect: &'static Dialect, sources: &[ItemSource<'s>], home: &Home) -> Writer<'s> {
        let shared = Shared::new(sources, columns.count(), home);
        let origins = Spool::new(home, Vec::new());
        Writer { columns, dialect, shared, origins, count: 0, record: Vec::new(), last: Vec::new() }
    }

    /// Adds the next origin.
    ///
    /// # Panics
    ///
    /// If the origins are not in order.
    pub fn add(&mut self, new: NewOrigin<'_>) -> Result<(), WriteError> {
        assert!(self.count == 0 || *self.last < *new.origin, "origins are added in order");
        self.last.clear();
        self.last.extend_from_slice(new.origin);
        let place = self.origins.len() / record::UNIT as u64;
        if place >= u64::from(u32::MAX) || self.count >= u64::from(u32::MAX) {
            return Err(Section::Origins.full(record::UNIT));
        }
        let row = self.shared.row(new.source, new.row)?;
        let side = self.shared.side(new.source, new.side, new.own)?;
        self.record.clear();
        record::push(new.origin, row, side, new.state, &mut self.record)?;
        self.origins.write(&self.record)?;
        self.count += 1;
        Ok(())
    }

    /// Writes the image to `home`, with the statistics of the sources, completed.
    pub fn image(self, statistics: Statistics, home: &Home) -> Result<(Image, Content), WriteError> {
        let sealed = self.seal(statistics)?;
        let length = sealed.header.length();
        if length <= home.limit as u64 {
            let mut memory = mmap::memory(length as usize);
            let (header, content) = sealed.write(&mut Cursor::new(&mut memory[..]))?;
            return Ok((Image { bytes: mmap::read_only(memory), header }, content));
        }
        let spilled = |error| WriteError::Spill { folder: home.folder.clone(), error };
        let mut file = tempfile::tempfile_in(&home.folder).map_err(spilled)?;
        let (header, content) = sealed.write(&mut file).map_err(|error| match error {
            WriteError::Io(error) => spilled(error),
            other => other,
        })?;
        Ok((Image { bytes: mmap::map(&file).map_err(spilled)?, header }, content))
    }

    /// Writes the image at the start of `out`. Returns its statistics.
    pub fn write(self, statistics: Statistics, out: &mut (impl Write + Seek)) -> Result<Statistics, WriteError> {
        let (_, content) = self.seal(statistics)?.write(out)?;
        Ok(content.statistics)
    }

    fn seal(mut self, statistics: Statistics) -> Result<Sealed<'s>, WriteError> {
        let statistics = Statistics { origins: self.count, ..self.shared.statistics(statistics) };
        let meta = Meta { dialect: self.dialect.name.to_owned(), agents: self.columns, statistics };
        let meta_bytes = serde_json::to_vec(&meta).map_err(io::Error::from)?;
        self.origins.finish()?;
        self.shared.rows.spool.finish()?;
        let table = lookup::LookupTable::build(self.origins.bytes(), lookup::hash_of);
        let header = Header::of([
            meta_bytes.len() as u64,
            table.length(),
            self.origins.len(),
            self.shared.rows.spool.len(),
            self.shared.automata.length(),
            self.shared.rules.length(),
            self.shared.side.length(),
        ]);
        let content = Content { dialect: self.dialect, columns: meta.agents, statistics: meta.statistics };
        Ok(Sealed { header, meta: meta_bytes, table, origins: self.origins, shared: self.shared, content })
    }
}

/// An image that is ready to be written.
struct Sealed<'s> {
    header: Header,
    meta: Vec<u8>,
    table: lookup::LookupTable,
    origins: Spool,
    shared: Shared<'s>,
    content: Content,
}

impl Sealed<'_> {
    fn write(self, out: &mut (impl Write + Seek)) -> Result<(Header, Content), WriteError> {
        out.seek(SeekFrom::Start(HEADER as u64))?;
        let buffer = Vec::with_capacity(2 * BUFFER);
        let mut out = Summed { out, sum: Xxh3::new(), at: HEADER as u64, buffer, header: &self.header };
        out.section(Section::Meta, &self.meta)?;
        let (origins, rows, width) = (self.origins.bytes(), self.shared.rows.spool.bytes(), self.shared.width());
        let automaton = |row: u32| groups::automaton_of(&rows[row as usize * width * ENTRY..][..ENTRY]);
        out.begin(Section::Lookup)?;
        self.table.write(origins, automaton, |part| out.append(part))?;
        out.section(Section::Origins, origins)?;
        out.section(Section::Rows, rows)?;
        out.pool(Section::Automata, &self.shared.automata)?;
        out.pool(Section::Rules, &self.shared.rules)?;
        out.pool(Section::Side, &self.shared.side)?;
        out.pad(self.header.length())?;
        out.flush()?;
        let Summed { out, sum, .. } = out;
        let header = Header { checksum: sum.digest128(), ..self.header.clone() };
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header.encode())?;
        Ok((header, self.content))
    }
}

/// How many bytes are written at a time.
const BUFFER: usize = 1 << 16;

/// A writer that computes the checksum of the bytes it passes on.
struct Summed<'o, O> {
    out: &'o mut O,
    sum: Xxh3,
    at: u64,
    /// The bytes from `at` on, not yet written.
    buffer: Vec<u8>,
    header: &'o Header,
}

impl<O: Write> Summed<'_, O> {
    /// Writes a section at its offset.
    fn section(&mut self, section: Section, bytes: &[u8]) -> io::Result<()> {
        self.begin(section)?;
        self.append(bytes)
    }

    /// Writes part of the current section.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        for part in bytes.chunks(BUFFER) {
            self.buffer.extend_from_slice(part);
            self.flush_full()?;
        }
        Ok(())
    }

    /// Writes the items of a pool as a section at its offset.
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
        self.sum.update(&self.buffer);
        self.out.write_all(&self.buffer)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
