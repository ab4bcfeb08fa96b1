//! Lines of compressed files, gathered until there are enough for a frame.
//!
//! A chunk may have ten lines for a file and the next one a hundred thousand, and a frame of ten lines would be larger than the
//! lines. So the lines for a file stay here, chunk after chunk, until there are enough, and then all go into one frame. Chunks
//! come here in order, so where frames end depends on the chunks alone, not on which worker judged them. The frames are
//! compressed after that, in parallel.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;

use super::blocks::{Blocks, Held, Made, Shape, Turn, Write};
use crate::lock::lock;
use crate::output::block::Block;
use crate::output::error::OutputError;
use crate::output::form::Rows;
use crate::output::frame::{Compressor, FrameFormat};
use crate::output::table::FileRows;
use crate::run::error::FilterError;
use crate::run::sequence::Sequence;
use crate::run::worker::Judged;

/// Bytes enough for a frame: gzip looks back 32 KiB, Zstandard uses blocks of 128 KiB.
const FRAME: usize = 128 << 10;

/// Text that is compressed.
pub(in crate::run) struct Frames {
    rows: Rows,
    format: FrameFormat,
    gatherer: Sequence<Gatherer>,
    /// Compressors that no worker uses now: making one costs more than a frame.
    compressors: Mutex<Vec<Compressor>>,
}

impl Frames {
    /// Frames of this format for files with these rows; some lines may wait from an interrupted run.
    pub fn new(rows: Rows, format: FrameFormat, gathered: Option<Gatherer>) -> Frames {
        let gatherer = Sequence::new(gathered.unwrap_or_else(|| Gatherer::new(rows.files())));
        Frames { rows, format, gatherer, compressors: Mutex::default() }
    }

    /// Compresses gathered lines into blocks.
    fn compressed(&self, gathered: Vec<Gathered>) -> Result<Vec<Block<'static>>, OutputError> {
        if gathered.is_empty() {
            return Ok(Vec::new());
        }
        let free = lock(&self.compressors).pop();
        let mut compressor = free.map_or_else(|| Compressor::new(self.format), Ok).map_err(OutputError::Compress)?;
        let block = |Gathered { set, file, text }: Gathered| {
            let pieces = vec![Cow::Owned(compressor.frame(&text).map_err(OutputError::Compress)?)];
            Ok(Block { set, file, pieces, tally: self.rows.tally(file, &text) })
        };
        let blocks = gathered.into_iter().map(block).collect();
        lock(&self.compressors).push(compressor);
        blocks
    }
}

impl Shape for Frames {
    fn writes_from_list(&self) -> bool {
        false
    }

    fn holds_lines(&self) -> bool {
        true
    }

    fn blocks(&self, turn: Turn<'_>, _: Vec<FileRows>, judged: &mut Judged) -> Result<Option<Made>, FilterError> {
        let taken = self.gatherer.in_turn(turn.ticket, |gatherer| {
            let texts = judged.buffers.iter_mut().map(|pieces| &mut pieces.copies);
            let gathered = gatherer.take(turn.set, &turn.ended, texts);
            (gathered, (turn.is_due)().then(|| gatherer.clone()))
        });
        let Some((gathered, at_checkpoint)) = taken else { return Ok(None) };
        let at_checkpoint = at_checkpoint.map(|gathered| Held { gathered, ..Held::nothing() });
        Ok(Some(Made { blocks: Blocks::Made(self.compressed(gathered)?), at_checkpoint }))
    }

    fn stop(&self) {
        self.gatherer.stop();
    }

    fn end(mut self: Box<Self>, write: &mut Write<'_>) -> Result<(), OutputError> {
        let gatherer = std::mem::replace(&mut self.gatherer, Sequence::new(Gatherer::new(0)));
        write(self.compressed(gatherer.into_inner().rest())?)
    }

    fn held(self: Box<Self>) -> Result<Held, OutputError> {
        Ok(Held { gathered: self.gatherer.into_inner(), ..Held::nothing() })
    }
}

/// Lines for one frame of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Gathered {
    /// The set of files, and the file's index within the set.
    pub set: usize,
    pub file: usize,
    pub text: Vec<u8>,
}

/// The lines that wait for each file of the sets that have not ended, less than [`FRAME`] bytes a file. They are all that
/// gathering carries from one chunk to the next, so a checkpoint stores them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Gatherer {
    files: usize,
    /// For each set, the text that waits for each of its files.
    sets: BTreeMap<usize, Vec<Vec<u8>>>,
}

impl Gatherer {
    /// An empty gatherer, for sets of this many files.
    pub fn new(files: usize) -> Gatherer {
        Gatherer { files, sets: BTreeMap::new() }
    }

    /// Takes the lines of the next chunk, for the files of `set`. Returns the texts that now become frames: first the rest of
    /// sets that have `ended`, then the others in the order of the files.
    pub fn take<'b>(
        &mut self,
        set: usize,
        ended: &[usize],
        buffers: impl IntoIterator<Item = &'b mut Vec<u8>>,
    ) -> Vec<Gathered> {
        let ended = ended.iter().filter_map(|&set| Some((set, self.sets.remove(&set)?)));
        let mut full: Vec<Gathered> = ended.flat_map(|(set, texts)| rest(set, texts)).collect();
        let texts = self.sets.entry(set).or_insert_with(|| vec![Vec::new(); self.files]);
        for (file, (text, buffer)) in texts.iter_mut().zip(buffers).enumerate() {
            if text.is_empty() {
                std::mem::swap(text, buffer);
            } else {
                text.append(buffer);
            }
            if text.len() >= FRAME {
                full.push(Gathered { set, file, text: std::mem::take(text) });
            }
        }
        full
    }

    /// Returns everything that still waits.
    pub fn rest(self) -> Vec<Gathered> {
        self.sets.into_iter().flat_map(|(set, texts)| rest(set, texts)).collect()
    }
}

/// What waits for the files of a set.
fn rest(set: usize, texts: Vec<Vec<u8>>) -> impl Iterator<Item = Gathered> {
    let waiting = texts.into_iter().enumerate().filter(|(_, text)| !text.is_empty());
    waiting.map(move |(file, text)| Gathered { set, file, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_that_has_ended_is_pushed_out() {
        let mut gatherer = Gatherer::new(1);
        let frame = |set, text: &str| Gathered { set, file: 0, text: text.into() };
        assert_eq!(gatherer.take(0, &[], &mut [b"a\n".to_vec()]), []);
        assert_eq!(gatherer.take(1, &[], &mut [b"b\n".to_vec()]), []);
        assert_eq!(gatherer.take(0, &[], &mut [b"c\n".to_vec()]), []);
        assert_eq!(gatherer.take(2, &[0, 7], &mut [b"d\n".to_vec()]), [frame(0, "a\nc\n")]);
        assert_eq!(gatherer.rest(), [frame(1, "b\n"), frame(2, "d\n")]);
    }
}
