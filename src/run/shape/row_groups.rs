//! Lines that become rows of tables, in row groups.
//!
//! A worker makes the rows of a chunk for each file. In the chunk's turn they are added to the [waiting
//! rows](WaitingRows), and rows that fill a row group are taken out. The worker encodes these after its turn, so row
//! groups are encoded in parallel.

use super::blocks::{BlockBuilder, Turn, Write};
use super::gather::Held;
use crate::error::run::Error;
use crate::input::chunks::Chunk;
use crate::lock::{Mutex, into_inner, lock};
use crate::output::form::Block;
use crate::output::table::{FileRows, FullGroup, TableSchema, WaitingRows};
use crate::run::worker::{Judged, Worker};
use crate::threads;

/// The tables of a run, and the rows that wait for them.
pub(in crate::run) struct RowGroups {
    /// The table of each set of files.
    tables: Vec<TableSchema>,
    waiting: Mutex<WaitingRows>,
    /// How many row groups are encoded at a time at the end.
    at_once: usize,
}

impl RowGroups {
    /// Row groups of these tables, one for each set of files. At the end, `at_once` groups are encoded at a time.
    pub fn new(tables: Vec<TableSchema>, waiting: WaitingRows, at_once: usize) -> RowGroups {
        RowGroups { tables, waiting: Mutex::new(waiting), at_once }
    }
}

/// Encodes a row group as a block of its file.
fn encode(tables: &[TableSchema], group: FullGroup) -> Result<Block<'static>, Error> {
    tables[group.set].row_group(group)
}

/// Encodes row groups at the same time, one of them in this thread.
fn encode_all(tables: &[TableSchema], groups: Vec<FullGroup>) -> Result<Vec<Block<'static>>, Error> {
    let (count, groups) = (groups.len(), Mutex::new(groups.into_iter().enumerate()));
    let next = || lock(&groups).next();
    let work = || std::iter::from_fn(next).map(|(at, group)| (at, encode(tables, group))).collect::<Vec<_>>();
    let mut encoded: Vec<_> = threads::at_once(count, work).into_iter().flatten().collect();
    encoded.sort_by_key(|&(at, _)| at);
    encoded.into_iter().map(|(_, block)| block).collect()
}

impl BlockBuilder for RowGroups {
    fn ends_lines(&self) -> bool {
        true
    }

    fn holds_lines(&self) -> bool {
        true
    }

    fn prepare(&self, set: usize, chunk: &Chunk<'_>, worker: &mut Worker) -> Result<Vec<FileRows>, Error> {
        let Some((outcomes, mut causes)) = worker.rows(chunk.text()) else {
            unreachable!("a worker notes what rows show")
        };
        let mut rows = self.tables[set].rows(set, chunk, outcomes, &mut causes)?;
        rows.iter_mut().try_for_each(FileRows::compact)?;
        Ok(rows)
    }

    fn blocks(&self, turn: Turn<'_>, rows: Vec<FileRows>, judged: &mut Judged) -> Result<bool, Error> {
        let taken = turn.take(&self.waiting, |waiting| {
            let full = waiting.take(rows, &turn.ended)?;
            Ok::<_, Error>((full, (turn.is_due)().then(|| waiting.checkpoint()).transpose()?))
        });
        let Some((full, rows)) = taken.transpose()? else { return Ok(false) };
        judged.made = Some(full.into_iter().map(|group| encode(&self.tables, group)).collect::<Result<_, _>>()?);
        judged.held = rows.map(|rows| Held { rows, ..Held::nothing() });
        Ok(true)
    }

    fn end(self: Box<Self>, write: &mut Write<'_>) -> Result<(), Error> {
        let RowGroups { tables, waiting, at_once } = *self;
        let mut rest = into_inner(waiting).rest();
        while !rest.is_empty() {
            // No more at once than the workers have memory for.
            let some: Vec<FullGroup> = rest.drain(..rest.len().min(at_once)).collect();
            write(encode_all(&tables, some)?)?;
        }
        Ok(())
    }

    fn held(self: Box<Self>) -> Result<Held, Error> {
        Ok(Held { rows: into_inner(self.waiting).checkpoint()?, ..Held::nothing() })
    }
}
