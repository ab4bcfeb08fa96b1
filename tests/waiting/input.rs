//! Made-up lists, in place of files, for the code that hands out their chunks.

pub mod error {
    use std::path::Path;

    use crate::error::run::Error;

    pub fn line_too_long(_: &Path, _: u64, _: usize) -> Error {
        Error::LineTooLong
    }

    pub fn changed(_: &Path) -> Error {
        Error::Changed
    }

    #[derive(Debug, Clone)]
    pub struct SkippedRows;

    #[derive(Debug, Clone)]
    pub struct SkippedPart {
        pub at: Option<u64>,
        pub bytes: Option<u64>,
        pub rows: Option<SkippedRows>,
        pub problem: String,
    }

    #[derive(Debug, Clone)]
    pub struct Skipped {
        pub list: usize,
        pub part: SkippedPart,
    }
}

pub mod layout {
    pub struct Layout;
}

pub mod list {
    use std::ops::Range;
    use std::path::PathBuf;
    use std::sync::atomic::AtomicU64;

    use super::error::{SkippedPart, SkippedRows};
    use super::layout::Layout;
    use crate::error::run::Error;
    use crate::formats::compression::Compression;
    use crate::formats::made_ahead::Ahead;
    use crate::outcome::Reason;

    /// A list of lines.
    pub struct List {
        pub path: PathBuf,
        pub layout: Layout,
        pub head_length: usize,
        pub skips_bad: bool,
        pub text: Vec<u8>,
        /// `None` if the text is mapped.
        pub compression: Option<Compression>,
        /// Bytes that its decompressor needs.
        pub needs: u64,
    }

    #[derive(Default)]
    pub struct Buffer {
        pub bytes: Vec<u8>,
        pub flaws: Vec<(u64, Reason)>,
        pub left_out: Vec<SkippedPart>,
    }

    impl Buffer {
        pub fn clear(&mut self) {
            self.bytes.clear();
        }

        pub fn release(&mut self) {
            *self = Buffer::default();
        }
    }

    /// Rows, of which there are none.
    pub enum TableRows {}

    pub enum Text<'l> {
        Mapped(&'l [u8]),
        Read(Buffer),
        Rows(TableRows),
    }

    impl Text<'_> {
        pub fn bytes(&self) -> &[u8] {
            match self {
                Text::Mapped(bytes) => bytes,
                Text::Read(buffer) => &buffer.bytes,
                Text::Rows(rows) => match *rows {},
            }
        }

        pub fn length(&self) -> u64 {
            self.bytes().len() as u64
        }
    }

    pub enum Next<C> {
        Chunk(C),
        End,
        Long,
        NeedsMemory,
    }

    #[derive(Clone, Copy)]
    pub enum Patience {
        UntilFull,
    }

    pub struct ReadLimits {
        pub size: usize,
        pub rows_size: usize,
        pub longest: usize,
        pub longest_line: usize,
        pub may_be_long: bool,
        pub patience: Patience,
    }

    pub trait ListReader<'l>: Send {
        fn next(&mut self, wanted: ReadLimits, buffer: &mut Buffer) -> Result<Next<Text<'l>>, Error>;

        fn ahead(&self) -> Option<Ahead<'l>> {
            None
        }

        fn take_broken(&mut self) -> Option<SkippedRows> {
            None
        }
    }

    struct Reader<'l> {
        list: &'l List,
        at: usize,
    }

    impl<'l> ListReader<'l> for Reader<'l> {
        fn next(&mut self, wanted: ReadLimits, _: &mut Buffer) -> Result<Next<Text<'l>>, Error> {
            let rest = &self.list.text[self.at..];
            let wanted_end = wanted.size.min(rest.len());
            let end = rest[wanted_end.saturating_sub(1)..].iter().position(|&byte| byte == b'\n');
            let chunk = &rest[..end.map_or(rest.len(), |end| wanted_end.saturating_sub(1) + end + 1)];
            if chunk.len() > wanted.longest && !wanted.may_be_long && self.list.compression.is_some() {
                return Ok(Next::Long);
            }
            self.at += chunk.len();
            Ok(match self.list.compression {
                _ if chunk.is_empty() => Next::End,
                Some(_) => Next::Chunk(Text::Read(Buffer { bytes: chunk.to_vec(), ..Buffer::default() })),
                None => Next::Chunk(Text::Mapped(chunk)),
            })
        }
    }

    impl List {
        /// A list of these lines.
        pub fn new(text: &str, compression: Option<Compression>, needs: u64) -> List {
            let (path, text) = (PathBuf::new(), text.as_bytes().to_vec());
            List { path, layout: Layout, head_length: 0, skips_bad: false, text, compression, needs }
        }

        pub fn is_plain(&self) -> bool {
            self.compression.is_none()
        }

        pub fn is_mapped(&self) -> bool {
            self.is_plain()
        }

        pub fn is_reread(&self) -> bool {
            self.compression.is_some()
        }

        pub fn is_stream(&self) -> bool {
            false
        }

        pub fn is_table(&self) -> bool {
            false
        }

        pub fn is_in_other_shards(&self) -> bool {
            false
        }

        pub fn start(&self) -> u64 {
            0
        }

        pub fn bom_len(&self, _at: u64, _chunk: &[u8]) -> usize {
            0
        }

        pub fn nothing_lost(&self) -> Result<(), Error> {
            Ok(())
        }

        pub fn release(&self, _part: Range<usize>) {}

        pub fn read_rows(
            &self,
            _rows: &mut TableRows,
            _with_columns: bool,
            _most: usize,
            _buffer: &mut Buffer,
        ) -> Result<Vec<SkippedPart>, Error> {
            Ok(Vec::new())
        }

        pub fn reader<'l>(
            &'l self,
            at: u64,
            _by_rows: bool,
            _source: &'l AtomicU64,
            memory: u64,
            _room: u64,
            _longest_line: usize,
        ) -> Result<Box<dyn ListReader<'l> + 'l>, Error> {
            let at = if self.compression.is_none() { at as usize } else { 0 };
            if memory < self.needs { Err(Error::Window) } else { Ok(Box::new(Reader { list: self, at })) }
        }
    }
}
