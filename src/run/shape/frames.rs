//! Compressed text, as independent frames.
//!
//! In a chunk's turn, its lines are [gathered](super::gather) with earlier lines for the same files, and texts that
//! fill a frame are taken out. The worker compresses these after its turn, so frames are made in parallel.

use std::borrow::Cow;

use super::blocks::{BlockBuilder, Turn, Write};
use super::gather::{Gathered, Gatherer, Held};
use crate::error::run::Error;
use crate::lock::{Mutex, into_inner, lock};
use crate::output::error::not_compressed;
use crate::output::form::{Block, Compressor, FrameCompression, OutputOptions};
use crate::output::table::FileRows;
use crate::run::worker::Judged;

/// Text that is compressed.
pub(in crate::run) struct Frames {
    gatherer: Mutex<Gatherer>,
    compressors: Compressors,
}

/// Makes frames from gathered lines.
struct Compressors {
    style: OutputOptions,
    format: FrameCompression,
    /// Compressors that no worker uses now.
    free: Mutex<Vec<Compressor>>,
}

impl Frames {
    /// Frames of this format for files of this style; some lines may wait from an interrupted run.
    pub fn new(style: OutputOptions, format: FrameCompression, gathered: Option<Gatherer>) -> Frames {
        let gatherer = Mutex::new(gathered.unwrap_or_else(|| Gatherer::new(style.files())));
        Frames { gatherer, compressors: Compressors { style, format, free: Mutex::default() } }
    }
}

impl Compressors {
    /// Compresses gathered lines into blocks.
    fn blocks(&self, gathered: Vec<Gathered>) -> Result<Vec<Block<'static>>, Error> {
        if gathered.is_empty() {
            return Ok(Vec::new());
        }
        let free = lock(&self.free).pop();
        let mut compressor = free.map_or_else(|| Compressor::new(self.format), Ok).map_err(not_compressed)?;
        let block = |Gathered { set, file, text }: Gathered| {
            let pieces = vec![Cow::Owned(compressor.frame(&text).map_err(not_compressed)?)];
            Ok(Block { set, file, pieces, tally: self.style.tally(file, &text) })
        };
        let blocks = gathered.into_iter().map(block).collect();
        lock(&self.free).push(compressor);
        blocks
    }
}

impl BlockBuilder for Frames {
    fn holds_lines(&self) -> bool {
        true
    }

    fn blocks(&self, turn: Turn<'_>, _: Vec<FileRows>, judged: &mut Judged) -> Result<bool, Error> {
        let taken = turn.take(&self.gatherer, |gatherer| {
            let texts = judged.buffers.iter_mut().map(|pieces| &mut pieces.copies);
            let gathered = gatherer.take(turn.set, &turn.ended, texts);
            (gathered, (turn.is_due)().then(|| gatherer.clone()))
        });
        let Some((gathered, at_checkpoint)) = taken else { return Ok(false) };
        judged.held = at_checkpoint.map(|gathered| Held { gathered, ..Held::nothing() });
        judged.made = Some(self.compressors.blocks(gathered)?);
        Ok(true)
    }

    fn end(self: Box<Self>, write: &mut Write<'_>) -> Result<(), Error> {
        let Frames { gatherer, compressors } = *self;
        write(compressors.blocks(into_inner(gatherer).rest())?)
    }

    fn held(self: Box<Self>) -> Result<Held, Error> {
        Ok(Held { gathered: into_inner(self.gatherer), ..Held::nothing() })
    }
}
