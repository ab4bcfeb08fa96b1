//! The format of the files of lines: text or tables.

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

/// Bytes of a chunk of text. Two workers are no faster with 128 KiB to 512 KiB.
const TEXT_CHUNK: usize = 1 << 20;

/// Bytes of lines in a chunk that becomes rows, some 100,000: about a row group of a list, which is decoded only as a whole.
const TABLE_CHUNK: usize = 8 << 20;

impl Format {
    /// Whether it is text, the default, which receipts leave out.
    pub(crate) fn is_text(&self) -> bool {
        *self == Format::Text
    }

    /// Chunks are made small enough for this many workers to fit into memory. More workers keep larger machines busy, fewer give
    /// larger frames. With 1 GiB, chunks are 1 MiB, or 8 MiB of lines that become rows. With chunks of 512 KiB,
    /// for twice as many, two workers write text as fast (0.57 s for 5 million lines), but gzip 9 % and Zstandard 5 % slower.
    /// Explaining blocked lines takes far more memory: chunks are then 128 KiB, 6 % slower than 256 KiB.
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
