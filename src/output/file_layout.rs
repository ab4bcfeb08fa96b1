//! The layout of a run's files, independent of the lines in them.

use std::collections::BTreeSet;

use super::folder::{FileName, Written, in_folders};
use super::form::{Compressor, FileFormat, FrameCompression, OutputOptions, Splits};
use super::receipt::ReceiptOptions;
use super::table;
use crate::error::run::{Error, ErrorKind};
use crate::formats::marks::PARQUET_MARK;
use crate::output::error::not_compressed;

/// The layout of a run's files.
#[derive(Debug)]
pub(crate) struct FileLayout {
    pub style: OutputOptions,
    /// The crawlers that lines are split for.
    splits: Splits,
    /// The names of the files of a set.
    pub files: Vec<FileName>,
    /// The bytes of a file without lines.
    pub empty_file: Vec<u8>,
    /// The maximum length of a part, if files are split into parts.
    split_size: Option<u64>,
    /// How blocks are compressed; a frame cannot be split.
    frames: Option<FrameCompression>,
}

/// The most row groups in a Parquet file: their ordinals have 16 bits.
const MAX_ROW_GROUPS: u64 = i16::MAX as u64;

impl FileLayout {
    /// The layout of the files that these options ask for.
    pub fn new(options: &ReceiptOptions, splits: &Splits) -> Result<FileLayout, Error> {
        let (style, frames, split_size) = (options.style(splits), options.compress, options.split_size);
        let files = FileName::all(style, splits, frames, split_size.is_some());
        if let Some((_, file)) = files.iter().enumerate().find(|(place, file)| files[..*place].contains(file)) {
            let name = file.of_part(0);
            let message = format!("two crawlers would write to {name}; use a separate run for one of them");
            return Err(ErrorKind::Output.of(message));
        }
        let splits = splits.clone();
        let mut layout = FileLayout { style, splits, files, empty_file: Vec::new(), split_size, frames };
        layout.empty_file = layout.stored(b"")?;
        Ok(layout)
    }

    /// The folders of a set's files in these of columns of its lists, relative to the folder of the set; always includes the set's
    /// own, as an empty string.
    pub fn folders(&self, inner: &str) -> BTreeSet<String> {
        let folder = |file: &FileName| in_folders(file.folder(), inner, "");
        self.files.iter().map(folder).chain([String::new()]).collect()
    }

    /// A text as it is stored: compressed into a separate frame, if files are compressed.
    fn stored(&self, text: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(match self.frames {
            Some(format) => {
                Compressor::new(format).and_then(|mut frames| frames.frame(text)).map_err(not_compressed)?
            }
            None => text.to_vec(),
        })
    }

    /// The beginning of a file; `lists_head` is the head line of its lists, which may be empty.
    pub fn head(&self, file: usize, lists_head: &[u8]) -> Result<Vec<u8>, Error> {
        if self.style.format == FileFormat::Parquet {
            return Ok(PARQUET_MARK.to_vec());
        }
        let head = self.style.head(file, &self.splits, lists_head);
        if head.is_empty() { Ok(Vec::new()) } else { self.stored(&head) }
    }

    /// The most bytes that a block adds to the footer of its part.
    pub fn footer(&self, block: &[u8]) -> u64 {
        match self.style.format {
            FileFormat::Parquet => table::frame_footer(block),
            FileFormat::Text => 0,
        }
    }

    /// Whether each block is a frame, which cannot be split.
    fn has_frames(&self) -> bool {
        self.frames.is_some() || self.style.format == FileFormat::Parquet
    }

    /// Whether `length` more bytes, with this footer, fit into a part.
    pub fn fits(&self, length: u64, part: &Written, footer: u64) -> bool {
        !self.is_full(part) && length <= self.room(part, footer)
    }

    /// Whether a part can take no more blocks.
    fn is_full(&self, part: &Written) -> bool {
        self.style.format == FileFormat::Parquet && part.blocks == MAX_ROW_GROUPS
    }

    /// The bytes left in a part that also has to hold this footer.
    fn room(&self, part: &Written, footer: u64) -> u64 {
        self.split_size.map_or(u64::MAX, |size| size.saturating_sub(part.end + part.footer + footer))
    }

    /// How many bytes of a block with this footer fit into a part; 0 means that the next part must begin. A part exceeds its
    /// maximum only by a single line or frame.
    pub fn fitting(&self, bytes: &[u8], part: &Written, footer: u64) -> usize {
        if self.fits(bytes.len() as u64, part, footer) {
            return bytes.len();
        }
        if self.is_full(part) {
            return 0;
        }
        let has_lines = part.blocks > 0;
        // Less than `bytes.len()`, since not all bytes fit.
        let room = self.room(part, footer) as usize;
        let lines = if self.has_frames() { None } else { memchr::memrchr(b'\n', &bytes[..room]) };
        match lines {
            Some(at) => at + 1,
            None if has_lines => 0,
            None if self.has_frames() => bytes.len(),
            None => memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::layout::UrlField;
    use crate::judge::choices::Choices;
    use crate::judge::tally::Tally;
    use crate::output::form::OutputMode;
    use crate::robots::Agents;

    fn layout(frames: Option<FrameCompression>, split_size: Option<u64>) -> FileLayout {
        let options = ReceiptOptions {
            choices: Choices::at(0),
            url_field: UrlField::default(),
            form: OutputMode::Partitions,
            format: FileFormat::Text,
            explain: false,
            columns: Vec::new(),
            preferences: crate::PreferenceColumns::default(),
            allowed_if: None,
            compress: frames,
            split_size,
            unique: None,
            seen: None,
            keys: None,
            against: None,
            only_changed: false,
            threads: 1,
            chunk_size: 1,
            per_input: false,
            path_columns: crate::input::PathColumns::default(),
            shard: None,
        };
        FileLayout::new(&options, &Splits::new(vec![Agents::everybody()], None, false)).unwrap()
    }

    fn part(end: u64, blocks: u64) -> Written {
        Written { name: String::new(), head: 0, end, tally: Tally::default(), blocks, footer: 0 }
    }

    #[test]
    fn lines_are_cut_where_a_part_is_full() {
        let text = b"one\ntwo\nthree\nlast";
        let fitting = |split_size, end, blocks| layout(None, split_size).fitting(text, &part(end, blocks), 0);
        assert_eq!(fitting(None, 1 << 40, 1), text.len());
        assert_eq!(fitting(Some(100), 82, 1), text.len());
        assert_eq!(fitting(Some(100), 83, 1), 14);
        assert_eq!(fitting(Some(100), 86, 1), 14);
        assert_eq!(fitting(Some(100), 87, 1), 8);
        assert_eq!(fitting(Some(100), 97, 1), 0);
        assert_eq!(fitting(Some(100), 200, 1), 0);
        assert_eq!(fitting(Some(3), 0, 0), 4, "a part has one line at least");
        assert_eq!(layout(None, Some(3)).fitting(b"last", &part(0, 0), 0), 4);
    }

    #[test]
    fn frames_are_not_cut() {
        let layout = layout(Some(FrameCompression::Gzip), Some(10));
        assert_eq!(layout.fitting(b"\n23456789\n", &part(0, 0), 0), 10);
        assert_eq!(layout.fitting(b"\n23456789\n", &part(1, 1), 0), 0);
        assert_eq!(layout.fitting(b"\n23456789\n1", &part(0, 0), 0), 11, "a part has one frame at least");
    }
}
