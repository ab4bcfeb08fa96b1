//! Lines and rows that wait in a shape from one chunk to the next: lines of compressed files until they fill a frame,
//! and rows of tables until they fill a row group.
//!
//! A chunk may have ten lines for a file and the next chunk a hundred thousand, and a frame of ten lines would be
//! larger than the lines. So the lines for a file wait here, chunk after chunk, until they fill a frame. Chunks arrive
//! in order, so where frames end depends only on the chunks, not on which worker judged them. Frames are compressed
//! afterwards, in parallel.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::output::table::TakenRows;

/// Bytes enough for a frame: gzip looks back 32 KiB, Zstandard uses blocks of 128 KiB.
const FRAME: usize = 128 << 10;

/// Lines for one frame of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Gathered {
    /// The set of files, and the file's index within the set.
    pub set: usize,
    pub file: usize,
    pub text: Vec<u8>,
}

/// The lines that wait for each file of the sets that have not ended, less than [`FRAME`] bytes a file. A checkpoint
/// stores them, because they are the only state between two chunks.
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

/// The state of a shape after a chunk: lines that wait for frames, or rows that wait for row groups.
#[derive(Debug)]
pub(crate) struct Held {
    pub gathered: Gatherer,
    pub rows: TakenRows,
}

impl Held {
    /// Nothing waits.
    pub fn nothing() -> Held {
        Held { gathered: Gatherer::new(0), rows: TakenRows::default() }
    }
}

/// The lines that wait for the files of a set.
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
