//! The format of line files: text or tables.

/// A format of files of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The lines, as they were read.
    #[default]
    Text,
    /// Parquet: a row a line, with its verdict and reason, and what blocked it, if that is asked for, in columns of their own
    /// after those of the list. Of a list that
    /// is no table, the columns are `url` and, where that is not all of it, `line`.
    Parquet,
}

/// Bytes of a chunk of text. With 128 KiB to 512 KiB, two workers are no faster.
const TEXT_CHUNK: usize = 1 << 20;

/// Bytes of the lines of a chunk that becomes a row group of each file, some 150,000 rows: engines read by groups of a
/// hundred thousand, and a small group costs more time and room. Of 2 million rows of 16 columns, one thread made groups of
/// 6,000 rows in 17.9 s, of 58,000 in 8.1 s, and of 230,000 in 7.7 s.
const TABLE_CHUNK: usize = 12 << 20;

impl Format {
    /// Whether it is the one that need not be told.
    pub(crate) fn is_text(&self) -> bool {
        *self == Format::Text
    }

    /// For how many workers chunks are made so small that all have room, unless memory is given for more. More of them
    /// make larger machines busy, fewer make larger frames and row groups: with 1 GiB, chunks of 1 MiB, and row groups of
    /// 12 MiB of lines. With chunks of 512 KiB, for twice as many, two workers write text as fast (0.57 s for 5 million lines),
    /// but gzip 9 % and Zstandard 5 % slower. Where blocked lines are explained, which takes far more memory, chunks are of
    /// 128 KiB, 6 % slower than 256.
    pub(crate) fn usual_workers(self, explain: bool) -> usize {
        match self {
            Format::Text if explain => 8,
            Format::Text => 16,
            Format::Parquet => 4,
        }
    }

    /// Bytes of a chunk where there is memory enough.
    pub(crate) fn chunk_size(self) -> usize {
        match self {
            Format::Text => TEXT_CHUNK,
            Format::Parquet => TABLE_CHUNK,
        }
    }
}
