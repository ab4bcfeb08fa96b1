//! An uncompressed file: its text is [memory-mapped](super::regular::Mapped), and cut in place.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use super::decoded::Decoder;
use super::line_ends::{Buffer, chunk_end};
use super::reader::{Begin, Content, ListReader, Next, Text, Wanted, start};
use super::regular::{Mapped, Regular};
use crate::input::error::{ListError, unreadable};
use crate::input::layout::UrlField;

/// A file whose text is memory-mapped.
pub(super) struct MappedFile {
    pub map: Mapped,
    pub file: Regular,
}

impl Content for MappedFile {
    fn file(&self) -> Option<&Regular> {
        Some(&self.file)
    }

    fn mapped(&self) -> Option<&Mapped> {
        Some(&self.map)
    }

    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>> {
        start(&mut &self.map[..], url_field)
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let Begin { path, at, end, skips_bad, source, .. } = begin;
        if skips_bad {
            // Read the file, not the map: a failure is then an I/O error instead of a signal.
            let part = self.file.part(at, end as u64, source).map_err(|error| unreadable(path, error))?;
            return Ok(Box::new(Decoder::new(path, Box::new(part))));
        }
        Ok(Box::new(MappedReader { text: &self.map[..end], at: at as usize, source }))
    }

    fn seekable(&self) -> io::Result<Regular> {
        Ok(self.file.clone())
    }
}

/// Cuts a mapped text in place.
struct MappedReader<'l> {
    /// The whole text, up to where it is to be read.
    text: &'l [u8],
    at: usize,
    source: &'l AtomicU64,
}

impl<'l> ListReader<'l> for MappedReader<'l> {
    fn next(&mut self, wanted: Wanted, _: &mut Buffer) -> Result<Next<Text<'l>>, ListError> {
        let chunk = &self.text[self.at..chunk_end(self.text, self.at, wanted.size)];
        self.at += chunk.len();
        self.source.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        Ok(if chunk.is_empty() { Next::End } else { Next::Chunk(Text::Mapped(chunk)) })
    }
}
