//! Where blocks go in their chunk's turn: to files or to standard output.

use std::io::{self, Write};

use super::block::Block;
use super::form::{SEPARATOR, rest_of_row};
use crate::outcome::Partition;
use crate::output::error::OutputError;
use crate::output::partitions::Output;

/// Where blocks go.
#[derive(Default)]
pub(crate) enum Sink {
    /// Lines are only counted.
    #[default]
    Nothing,
    /// Files.
    Folder(Box<Output>),
    /// Standard output.
    Pipe(Pipe),
}

/// One file of a form, written to standard output.
pub(crate) struct Pipe {
    out: Box<dyn Write + Send>,
    /// The index of the file; blocks of others are dropped.
    file: usize,
    /// The verdicts whose rows are written, without the verdict's column; if empty, all rows are written as they are.
    picked: Vec<&'static str>,
}

impl Pipe {
    /// Writes to standard output, beginning with a head.
    pub fn new(file: usize, picked: &[Partition], head: &[u8]) -> Result<Pipe, OutputError> {
        Pipe::to(Box::new(io::stdout()), file, picked, head)
    }

    fn to(mut out: Box<dyn Write + Send>, file: usize, picked: &[Partition], head: &[u8]) -> Result<Pipe, OutputError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::tally::Tally;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn one_file_goes_to_the_pipe() {
        let out = Shared::default();
        let mut pipe = Pipe::to(Box::new(out.clone()), 1, &[], b"head\n").unwrap();
        let block =
            |file, bytes: &'static [u8]| Block { set: 0, file, pieces: vec![bytes.into()], tally: Tally::default() };
        pipe.write(&[block(0, b"no\n"), block(1, b"one\n"), block(3, b"no\n")]).unwrap();
        pipe.write(&[block(0, b"no\n")]).unwrap();
        pipe.write(&[block(1, b"two\n")]).unwrap();
        assert_eq!(*out.0.lock().unwrap(), b"head\none\ntwo\n");
    }

    #[test]
    fn rows_are_picked_by_their_verdict() {
        let rows = b"allowed\tone\nblocked\tno\nallowed\ttwo\tx\ninvalid\t\ndeferred\tend";
        assert_eq!(pick(rows, &["allowed", "invalid"]), b"one\ntwo\tx\n\n");
        assert_eq!(pick(rows, &["deferred"]), b"end");
    }
}
