//! Text that is decoded into buffers: of a compressed file, or of a stream.

use std::io::{self, Read};
use std::mem::{swap, take};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::line_ends::{Buffer, Patience, fill};
use super::reader::{Begin, Content, ListReader, Next, Text, Wanted, start};
use super::regular::Regular;
use crate::formats::compression::{Compression, InPieces};
use crate::formats::made_ahead::Ahead;
use crate::input::error::{ListError, unreadable};
use crate::input::layout::UrlField;

pub(super) struct CompressedFile {
    pub file: Regular,
    pub compression: Compression,
}

impl Content for CompressedFile {
    fn file(&self) -> Option<&Regular> {
        Some(&self.file)
    }

    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>> {
        start(&mut self.file.text(&AtomicU64::new(0))?, url_field)
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let Begin { path, source, memory, room, .. } = begin;
        if let Ok(Some(pieces)) = self.file.pieces(self.compression, memory, room) {
            let pieces = Arc::new(pieces);
            let ahead = Arc::clone(&pieces) as Ahead<'l>;
            let decoder = Decoder::new(path, Box::new(InPieces::new(pieces, source)));
            return Decoder { ahead: Some(ahead), ..decoder }.after_head(begin);
        }
        // An error is met again.
        let text = self.file.text_within(source, memory).map_err(|error| unreadable(path, error))?;
        Decoder::new(path, Box::new(text)).after_head(begin)
    }

    fn seekable(self: Box<Self>) -> io::Result<Regular> {
        Regular::copy_of(self.file.text(&AtomicU64::new(0))?)
    }
}

/// Cuts a text that comes in order.
pub(super) struct Decoder<'l> {
    /// The list's path.
    path: &'l Path,
    text: Box<dyn Read + Send + 'l>,
    /// Whether it may keep its lines waiting, as only a pipe or a device does.
    is_stream: bool,
    /// What was read past the last chunk.
    rest: Vec<u8>,
    /// The pieces of the text that other workers can help to make.
    ahead: Option<Ahead<'l>>,
}

impl<'l> Decoder<'l> {
    /// Of the text of the file at `path`.
    pub fn new(path: &'l Path, text: Box<dyn Read + Send + 'l>) -> Decoder<'l> {
        Decoder { path, text, is_stream: false, rest: Vec::new(), ahead: None }
    }

    /// Of a text that comes through a pipe or from a device.
    pub fn of_stream(path: &'l Path, text: Box<dyn Read + Send + 'l>) -> Decoder<'l> {
        Decoder { is_stream: true, ..Decoder::new(path, text) }
    }

    /// Begins after the head line.
    pub fn after_head(mut self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let head = io::copy(&mut self.text.by_ref().take(begin.head_length as u64), &mut io::sink());
        head.map_err(|error| unreadable(self.path, error))?;
        Ok(Box::new(self))
    }
}

impl<'l> ListReader<'l> for Decoder<'l> {
    fn next(&mut self, wanted: Wanted, buffer: &mut Buffer) -> Result<Next<Text<'l>>, ListError> {
        let patience = if self.is_stream { wanted.patience } else { Patience::UntilFull };
        let filled = fill(&mut self.text, wanted.size, wanted.longest, patience, &mut self.rest, &mut buffer.bytes);
        if !filled.map_err(|error| unreadable(self.path, error))? {
            return Ok(Next::End);
        }
        let is_unfinished = buffer.bytes.last() != Some(&b'\n') && buffer.bytes.len() > wanted.longest;
        if is_unfinished && !wanted.may_be_long {
            swap(&mut self.rest, &mut buffer.bytes);
            return Ok(Next::Long);
        }
        Ok(Next::Chunk(Text::Read(take(buffer))))
    }

    fn ahead(&self) -> Option<Ahead<'l>> {
        self.ahead.clone()
    }
}
