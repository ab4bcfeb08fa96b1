//! The interface of all shapes: the worker that judged a chunk prepares it, and if lines wait in the shape from one
//! chunk to the next, the chunk has a turn in the order of the chunks. In the simplest shape, [`PlainText`], nothing
//! waits.

use super::gather::Held;
use crate::error::run::Error;
use crate::input::chunks::Chunk;
use crate::lock::Mutex;
use crate::output::form::{Block, OutputOptions};
use crate::output::table::FileRows;
use crate::run::queue::{Step, Turns};
use crate::run::worker::{Judged, Worker};

/// How judged chunks become blocks of files; one for all workers of a run.
pub(in crate::run) trait BlockBuilder: Sync {
    /// Whether every line counts as ending in a line feed, whatever follows it.
    fn ends_lines(&self) -> bool {
        false
    }

    /// Whether lines wait from one chunk to the next. If so, checkpoints are taken in the shape's turns, and no lines are written
    /// straight from a mapped list.
    fn holds_lines(&self) -> bool {
        false
    }

    /// Makes the rows of a judged chunk for the files of a `set`, if lines become rows.
    fn prepare(&self, _set: usize, _chunk: &Chunk<'_>, _worker: &mut Worker) -> Result<Vec<FileRows>, Error> {
        Ok(Vec::new())
    }

    /// Makes the blocks of a judged chunk, and of earlier lines that need not wait any longer. Returns whether the run
    /// continues.
    fn blocks(&self, turn: Turn<'_>, rows: Vec<FileRows>, judged: &mut Judged) -> Result<bool, Error>;

    /// Writes what still waits after the last chunk.
    fn end(self: Box<Self>, _write: &mut Write<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// The lines or rows that wait after the last chunk, for a checkpoint.
    fn held(self: Box<Self>) -> Result<Held, Error> {
        Ok(Held::nothing())
    }
}

/// Writes blocks.
pub(in crate::run) type Write<'w> = dyn FnMut(Vec<Block<'static>>) -> Result<(), Error> + 'w;

/// The turn of a chunk.
pub(in crate::run) struct Turn<'t> {
    pub turns: &'t Turns,
    pub ticket: u64,
    /// The set of files that its lines go to.
    pub set: usize,
    /// The sets of files that get no more lines.
    pub ended: Vec<usize>,
    /// Whether a checkpoint is due; if so, it must be taken.
    pub is_due: &'t dyn Fn() -> bool,
}

impl Turn<'_> {
    /// Waits for it, and changes what waits in the shape; `None` if the run has failed meanwhile.
    pub fn take<T, R>(&self, waiting: &Mutex<T>, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.turns.take(Step::Gathering, self.ticket, waiting, change)
    }
}

/// Text that is not compressed, as it was rendered, or lines that are only counted.
pub(in crate::run) struct PlainText {
    /// The style of the files; `None` if lines are only counted.
    pub style: Option<OutputOptions>,
}

impl BlockBuilder for PlainText {
    fn blocks(&self, _: Turn<'_>, _: Vec<FileRows>, judged: &mut Judged) -> Result<bool, Error> {
        judged.tallies = self.style.map_or_else(Vec::new, |style| judged.tallies(style));
        Ok(true)
    }
}
