//! The format of the files of lines: text or tables.

use flate2::write::GzEncoder;
use std::io::{self, Write};

/// The format of the files of lines, in either [`Form`](super::form::Form).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// The lines, as they were read.
    #[default]
    Text,
    /// Parquet, one row a line: the columns of the list, then the reason and, if asked for, what blocked the line. The verdict is
    /// a column in [`Form::Verdicts`](super::form::Form::Verdicts), and otherwise the name of the folder. For a list that is not
    /// a table, the columns are `url` and, where the line is more than that, `line`.
    Parquet,
}

/// Bytes of a chunk of text, unless the memory allows less or the job asks for another size.
const TEXT_CHUNK: usize = 1 << 20;

/// Bytes of lines in a chunk that becomes rows, some 100,000: about a row group of a list, which is decoded only as a whole.
const TABLE_CHUNK: usize = 8 << 20;

impl Format {
    /// Whether it is text, the default, which receipts leave out.
    pub(crate) fn is_text(&self) -> bool {
        *self == Format::Text
    }

    /// Chunks are made small enough for this many workers to fit into memory. More workers keep larger machines busy, fewer give
    /// larger frames, which compress faster. With 1 GiB, chunks are 1 MiB, or 8 MiB of lines that become rows, or 128 KiB where
    /// blocked lines are explained, which takes far more memory.
    pub(crate) fn usual_workers(self, explain: bool) -> usize {
        match self {
            Format::Text if explain => 8,
            Format::Text => 16,
            Format::Parquet => 3,
        }
    }

    /// Bytes of a chunk of text, where rows are read in chunks of this size: rows that are made of text need not be so many.
    pub(crate) fn text_chunk(self, chunk_size: usize) -> usize {
        match self {
            Format::Text => chunk_size,
            Format::Parquet => chunk_size.div_ceil(TABLE_CHUNK / TEXT_CHUNK),
        }
    }

    /// Bytes of a chunk, if there is enough memory.
    pub(crate) fn chunk_size(self) -> usize {
        match self {
            Format::Text => TEXT_CHUNK,
            Format::Parquet => TABLE_CHUNK,
        }
    }
}

// Compressed output, as frames that are complete in themselves (gzip members, Zstandard frames). Workers can make them in
// parallel, and every tool reads the file as one text.

/// How files of text are compressed: as a sequence of frames, each complete in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FrameFormat {
    /// RFC 1952, at the default level of `gzip`.
    Gzip,
    /// RFC 8878 with a checksum, at the default level of `zstd`.
    Zstd,
}

/// The default levels of `gzip` and `zstd`.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

impl FrameFormat {
    /// The extension of file names, for example `gz`.
    pub fn extension(self) -> &'static str {
        match self {
            FrameFormat::Gzip => "gz",
            FrameFormat::Zstd => "zst",
        }
    }
}

/// Makes frames. The same text always gives the same frame, whatever was compressed before.
pub(crate) enum Compressor {
    Gzip,
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    pub fn new(format: FrameFormat) -> io::Result<Compressor> {
        Ok(match format {
            FrameFormat::Gzip => Compressor::Gzip,
            FrameFormat::Zstd => {
                let mut compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
                compressor.include_checksum(true)?;
                Compressor::Zstd(compressor)
            }
        })
    }

    /// Compresses a text into a frame.
    pub fn frame(&mut self, text: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Compressor::Gzip => {
                let half = Vec::with_capacity(text.len() / 2);
                let mut encoder = GzEncoder::new(half, flate2::Compression::new(GZIP_LEVEL));
                encoder.write_all(text)?;
                encoder.finish()
            }
            Compressor::Zstd(compressor) => compressor.compress(text),
        }
    }
}
