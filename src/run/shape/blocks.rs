//! What all shapes have in common: a chunk is prepared by the worker that judged it, and has a turn in the order of the chunks if
//! lines wait in the shape from one chunk to the next.

use std::borrow::Cow;

use super::gather::Gatherer;
use crate::input::chunks::Chunk;
use crate::judge::tally::Tally;
use crate::output::block::Block;
use crate::output::error::OutputError;
use crate::output::table::{FileRows, TakenRows};
use crate::run::error::FilterError;
use crate::run::worker::{Judged, Worker};

/// How judged chunks become blocks of files; one for all workers of a run.
pub(in crate::run) trait Shape: Sync {
    /// Whether lines can be written straight from a mapped list.
    fn writes_from_list(&self) -> bool {
        true
    }

    /// Whether every line counts as ending in a line feed, whatever follows it.
    fn ends_lines(&self) -> bool {
        false
    }

    /// Whether lines wait from one chunk to the next. If so, checkpoints are taken in the shape's turns.
    fn holds_lines(&self) -> bool {
        false
    }

    /// Makes the rows of a judged chunk for the files of a `set`, if lines become rows.
    fn prepare(&self, _set: usize, _chunk: &Chunk<'_>, _worker: &mut Worker) -> Result<Vec<FileRows>, FilterError> {
        Ok(Vec::new())
    }

    /// The blocks of a chunk, with those of lines before it that no longer wait; `None` if the run has failed meanwhile.
    fn blocks(&self, turn: Turn<'_>, rows: Vec<FileRows>, judged: &mut Judged) -> Result<Option<Made>, FilterError>;

    /// Ends all turns.
    fn stop(&self) {}

    /// Writes what still waits after the last chunk.
    fn end(self: Box<Self>, _write: &mut Write<'_>) -> Result<(), OutputError> {
        Ok(())
    }

    /// What waits after the last chunk, for a checkpoint.
    fn held(self: Box<Self>) -> Result<Held, OutputError> {
        Ok(Held::nothing())
    }
}

/// Writes blocks.
pub(in crate::run) type Write<'w> = dyn FnMut(Vec<Block<'static>>) -> Result<(), OutputError> + 'w;

/// The turn of a chunk.
pub(in crate::run) struct Turn<'t> {
    pub ticket: u64,
    /// The set of files that its lines go to.
    pub set: usize,
    /// The sets of files that get no more lines.
    pub ended: Vec<usize>,
    /// Whether a checkpoint is due; if so, it must be taken.
    pub is_due: &'t dyn Fn() -> bool,
}

/// The blocks that a chunk's turn gave, and what waits after it.
pub(in crate::run) struct Made {
    pub blocks: Blocks,
    /// What waits after the chunk, if a checkpoint is due there.
    pub at_checkpoint: Option<Held>,
}

/// The blocks of a chunk.
pub(in crate::run) enum Blocks {
    /// The chunk's buffers, unchanged, for this set of files, with the tally of each.
    Buffers(usize, Vec<Tally>),
    /// Frames or row groups; none if nothing is written.
    Made(Vec<Block<'static>>),
}

impl Default for Blocks {
    fn default() -> Blocks {
        Blocks::Made(Vec::new())
    }
}

impl Blocks {
    /// The blocks of a judged chunk; `text` is its text, from which runs of lines may be written.
    pub fn of<'b>(self, judged: &'b Judged, text: &'b [u8]) -> Vec<Block<'b>> {
        match self {
            Blocks::Made(blocks) => blocks,
            Blocks::Buffers(set, tallies) => {
                let files = judged.buffers.iter().map(|pieces| pieces.of(text).map(Cow::Borrowed));
                let files = files.zip(tallies).enumerate();
                files.map(|(file, (pieces, tally))| Block { set, file, pieces: pieces.collect(), tally }).collect()
            }
        }
    }
}

/// What waits in a shape after a chunk: lines for frames, or rows for row groups.
pub(in crate::run) struct Held {
    pub gathered: Gatherer,
    pub rows: TakenRows,
}

impl Held {
    /// Nothing waits.
    pub fn nothing() -> Held {
        Held { gathered: Gatherer::new(0), rows: TakenRows::default() }
    }
}
