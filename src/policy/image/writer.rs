//! Putting an image together, origin by origin in their order.

use std::io::{self, Cursor, Seek, SeekFrom, Write};
use xxhash_rust::xxh3::Xxh3;

use super::layout::{ALIGNMENT, BUCKET, HEADER, Header, Section};
use super::record::{self, Record};
use super::spool::{Home, Spool};
use super::tables::Tables;
use super::{Aligned, Image, Meta, State, WriteError};
use crate::dialect::Dialect;
use crate::policy::Statistics;
use crate::policy::columns::Columns;
use crate::policy::index::{self, Bucket};

/// An image in the making. Nothing of it is kept in memory but what [`Home`] allows, and what tells apart what is
/// stored once.
#[derive(Debug)]
pub(crate) struct Writer {
    columns: Columns,
    dialect: &'static Dialect,
    /// What origins share.
    pub tables: Tables,
    origins: Spool,
    count: u64,
    record: Vec<u8>,
    last: Vec<u8>,
}

impl Writer {
    pub fn new(columns: Columns, dialect: &'static Dialect, home: &Home) -> Writer {
        let tables = Tables::new(columns.count(), home);
        let origins = Spool::new(home, Vec::new());
        Writer { columns, dialect, tables, origins, count: 0, record: Vec::new(), last: Vec::new() }
    }

    /// Adds the next origin; `row` and `side` are those of [`Writer::tables`].
    ///
    /// # Panics
    ///
    /// If the origins do not come in order.
    pub fn add(&mut self, origin: &[u8], row: u32, side: u32, state: &State) -> Result<(), WriteError> {
        assert!(self.count == 0 || *self.last < *origin, "origins are added in order");
        self.last.clear();
        self.last.extend_from_slice(origin);
        let place = self.origins.len() / record::UNIT as u64;
        if place >= u64::from(u32::MAX) || self.count >= u64::from(u32::MAX) {
            let limit = ((u64::from(u32::MAX) + 1) * record::UNIT as u64) >> 30;
            return Err(WriteError::Full { section: Section::Origins.name(), limit });
        }
        self.record.clear();
        record::push(origin, row, side, state, &mut self.record)?;
        self.origins.write(&self.record)?;
        self.count += 1;
        Ok(())
    }

    /// The image in memory, and its statistics: those of the sources, completed.
    pub fn image(self, statistics: Statistics) -> Result<(Image, Statistics), WriteError> {
        let sealed = self.seal(statistics)?;
        let mut octets = Aligned::new(sealed.header.length() as usize);
        let statistics = sealed.statistics.clone();
        let header = sealed.write(&mut Cursor::new(octets.octets_mut()))?;
        Ok((Image::written(octets, header), statistics))
    }

    /// Writes the image from the start of `out`; returns its statistics.
    pub fn write(self, statistics: Statistics, out: &mut (impl Write + Seek)) -> Result<Statistics, WriteError> {
        let sealed = self.seal(statistics)?;
        let statistics = sealed.statistics.clone();
        sealed.write(out)?;
        Ok(statistics)
    }

    fn seal(mut self, mut statistics: Statistics) -> Result<Sealed, WriteError> {
        let counts = self.tables.counts;
        statistics.origins = self.count;
        statistics.automata = counts.constant + counts.dfa + counts.pointers;
        (statistics.constant, statistics.dfa, statistics.pointers) = (counts.constant, counts.dfa, counts.pointers);
        statistics.automata_bytes = counts.octets;
        let meta = Meta { dialect: self.dialect.name.to_owned(), agents: self.columns, statistics };
        let meta_octets = serde_json::to_vec(&meta).map_err(io::Error::from)?;
        let buckets = index::buckets_for(self.count);
        let header = Header::of([
            meta_octets.len() as u64,
            buckets * BUCKET as u64,
            self.origins.len(),
            self.tables.rows.spool().len(),
            self.tables.automata.spool().len(),
            self.tables.rules.spool().len(),
            self.tables.side.spool().len(),
        ]);
        Ok(Sealed {
            header,
            meta: meta_octets,
            buckets,
            origins: self.origins,
            tables: self.tables,
            statistics: meta.statistics,
        })
    }
}

/// An image of which everything is known, and nothing is written yet.
struct Sealed {
    header: Header,
    meta: Vec<u8>,
    buckets: u64,
    origins: Spool,
    tables: Tables,
    statistics: Statistics,
}

impl Sealed {
    fn write(mut self, out: &mut (impl Write + Seek)) -> Result<Header, WriteError> {
        out.seek(SeekFrom::Start(HEADER as u64))?;
        let mut out = Summed { out, sum: Xxh3::new(), at: HEADER as u64, header: &self.header };
        out.section(Section::Meta, &self.meta)?;
        let buckets = buckets(&self.origins.read()?, self.buckets);
        out.section(Section::Buckets, bytemuck::cast_slice(&buckets))?;
        drop(buckets);
        out.spool(Section::Origins, self.origins)?;
        let Tables { rows, automata, rules, side, .. } = self.tables;
        out.spool(Section::Rows, rows.into_spool())?;
        out.spool(Section::Automata, automata.into_spool())?;
        out.spool(Section::Rules, rules.into_spool())?;
        out.spool(Section::Side, side.into_spool())?;
        out.pad(self.header.length())?;
        let Summed { out, sum, .. } = out;
        let header = Header { checksum: sum.digest128(), ..self.header.clone() };
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header.encode())?;
        Ok(header)
    }
}

/// The buckets of all records.
fn buckets(records: &[u8], count: u64) -> Vec<Bucket> {
    let mut buckets = vec![[0; 2 * index::BUCKET]; count as usize];
    let mut at = 0;
    while at < records.len() {
        let record = Record::at(records, at);
        index::enter(&mut buckets, record.origin, (at / record::UNIT) as u32);
        at = record.end(at);
    }
    buckets
}

/// What is written, with its checksum.
struct Summed<'o, O> {
    out: &'o mut O,
    sum: Xxh3,
    at: u64,
    header: &'o Header,
}

impl<O: Write> Summed<'_, O> {
    /// Writes a section at its place; what is spooled is given up as soon as it is written.
    fn spool(&mut self, section: Section, mut spool: Spool) -> io::Result<()> {
        self.section(section, &spool.read()?)
    }

    fn section(&mut self, section: Section, octets: &[u8]) -> io::Result<()> {
        self.pad(self.header.sections[section as usize].start)?;
        self.put(octets)
    }

    fn pad(&mut self, to: u64) -> io::Result<()> {
        self.put(&[0; ALIGNMENT as usize][..(to - self.at) as usize])
    }

    fn put(&mut self, octets: &[u8]) -> io::Result<()> {
        // In parts, so that they are in the cache when they are written.
        for part in octets.chunks(1 << 16) {
            self.sum.update(part);
            self.out.write_all(part)?;
        }
        self.at += octets.len() as u64;
        Ok(())
    }
}
