//! Where blocks go in their chunk's turn: to files or to standard output.

use std::io::Write;

use super::error::OutputError;
use super::form::{Block, SEPARATOR, rest_of_row};
use super::partitions::Output;
use crate::outcome::Partition;

/// Where blocks go.
#[derive(Default)]
pub(crate) enum Sink {
    /// Lines are only counted.
    #[default]
    Nothing,
    /// Files.
    Folder(Box<Output>),
    /// Standard output, or what takes its place.
    Pipe(Pipe),
}

/// One file of a form, written to standard output, or what takes its place.
pub(crate) struct Pipe {
    out: Box<dyn Write + Send>,
    /// The index of the file; blocks of others are dropped.
    file: usize,
    /// The verdicts whose rows are written, without the verdict's column; if empty, all rows are written as they are.
    picked: Vec<&'static str>,
}

impl Pipe {
    /// Writes to `out`, beginning with a head.
    pub fn new(
        mut out: Box<dyn Write + Send>,
        file: usize,
        picked: &[Partition],
        head: &[u8],
    ) -> Result<Pipe, OutputError> {
        out.write_all(head).and_then(|()| out.flush()).map_err(OutputError::StandardOutput)?;
        Ok(Pipe { out, file, picked: picked.iter().map(|partition| partition.name()).collect() })
    }

    /// Writes the blocks of the pipe's file.
    fn write(&mut self, blocks: &[Block<'_>]) -> Result<(), OutputError> {
        let mut pieces = blocks.iter().filter(|block| block.file == self.file).flat_map(|block| &block.pieces);
        pieces
            .try_for_each(|piece| match self.picked.as_slice() {
                [] => self.out.write_all(piece),
                picked => self.out.write_all(&pick(piece, picked)),
            })
            .and_then(|()| self.out.flush())
            .map_err(OutputError::StandardOutput)
    }
}

/// The rows with one of these verdicts, without its column.
fn pick(rows: &[u8], verdicts: &[&str]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rows.len());
    for row in rows.split_inclusive(|&byte| byte == b'\n') {
        let end = memchr::memchr(SEPARATOR, row).unwrap_or(row.len());
        if verdicts.iter().any(|verdict| verdict.as_bytes() == &row[..end]) {
            out.extend_from_slice(rest_of_row(row, 1));
        }
    }
    out
}

impl Sink {
    /// Writes the blocks of a chunk in its turn.
    pub fn write(&mut self, blocks: &[Block<'_>]) -> Result<(), OutputError> {
        match self {
            Sink::Nothing => Ok(()),
            Sink::Folder(output) => output.write(blocks),
            Sink::Pipe(pipe) => pipe.write(blocks),
        }
    }

    /// The output folder, if files are written.
    pub fn folder(&mut self) -> Option<&mut Output> {
        match self {
            Sink::Folder(output) => Some(output),
            Sink::Nothing | Sink::Pipe(_) => None,
        }
    }
}
