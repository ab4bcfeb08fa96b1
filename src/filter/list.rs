//! URL lists: files, mapped, and standard input; cut into chunks on line borders.

use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::FilterError;
use super::checkpoint::ListRecord;
use super::shard::ListRange;

/// How a list is named where a path stands: standard input.
pub const STANDARD_INPUT: &str = "-";

/// A list to be read.
#[derive(Debug)]
pub(super) struct List {
    pub path: PathBuf,
    content: Content,
    /// The part of a mapped list that is read, if not all of it.
    part: Option<Range<usize>>,
}

#[derive(Debug)]
enum Content {
    Mapped {
        map: Mmap,
        file: File,
        state: FileState,
    },
    /// A pipe or a device, or standard input; also a file that says it is empty, as those of `/proc` do.
    Stream {
        file: Option<File>,
    },
}

/// What tells that a file was changed.
#[derive(Debug, PartialEq, Eq)]
struct FileState {
    length: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    fn of(file: &File) -> io::Result<FileState> {
        let metadata = file.metadata()?;
        Ok(FileState { length: metadata.len(), modified: metadata.modified().ok() })
    }
}

impl List {
    /// Opens a list; `-` is standard input. What is no regular file, a pipe for example, is read as a stream too.
    pub fn open(path: &Path) -> Result<List, FilterError> {
        let unreadable = |error| FilterError::List { path: path.to_owned(), error };
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(List { path: path.to_owned(), content: Content::Stream { file: None }, part: None });
        }
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(unreadable(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if !metadata.is_file() || metadata.len() == 0 {
            return Ok(List { path: path.to_owned(), content: Content::Stream { file: Some(file) }, part: None });
        }
        let state = FileState::of(&file).map_err(unreadable)?;
        // SAFETY: the mapping is read-only and private to this process. Should another process shorten or change the
        // file meanwhile, the octets read are wrong or the system raises SIGBUS. Neither breaks memory safety as far as
        // this code goes: octets are only compared, hashed and copied, any values are valid, and all offsets come from
        // the slice's own length. That the file did change is noticed afterwards, by `unchanged`; SIGBUS is the
        // binary's to catch.
        let map = unsafe { Mmap::map(&file) }.map_err(unreadable)?;
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Sequential);
        Ok(List { path: path.to_owned(), content: Content::Mapped { map, file, state }, part: None })
    }

    /// The octets of a mapped list; `None` for a stream.
    pub fn mapped(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Mapped { map, .. } => Some(map),
            Content::Stream { .. } => None,
        }
    }

    /// How many octets of it are read; `None` for a stream.
    pub fn length(&self) -> Option<u64> {
        self.mapped().map(|_| self.range().len() as u64)
    }

    /// Reads only this part of a mapped list.
    pub fn cut_to(&mut self, part: Range<usize>) {
        self.part = Some(part);
    }

    /// Reads only the part that a shard's receipt speaks of; if there is none such any more, why.
    pub fn cut_again(&mut self, range: &ListRange) -> Option<String> {
        let length = self.mapped().map_or(0, <[u8]>::len) as u64;
        if length != range.length || range.start > range.end || range.end > length {
            return Some(format!("the list had {} octets, now it has {length}", range.length));
        }
        self.cut_to(range.start as usize..range.end as usize);
        None
    }

    /// The part of a mapped list that is read.
    pub fn range(&self) -> Range<usize> {
        self.part.clone().unwrap_or(0..self.mapped().map_or(0, <[u8]>::len))
    }

    /// What a shard's receipt says of a list that was [cut](List::cut_to).
    pub fn shard_range(&self) -> Option<ListRange> {
        let part = self.part.as_ref()?;
        let (length, modified) = match &self.content {
            Content::Mapped { state, .. } => (state.length, state.modified),
            Content::Stream { .. } => (0, None),
        };
        Some(ListRange { start: part.start as u64, end: part.end as u64, length, modified })
    }

    /// What tells that it is still the same when it is read again; `None` where it cannot be.
    pub fn record(&self) -> Option<ListRecord> {
        let (length, modified) = match &self.content {
            Content::Mapped { state, .. } => (state.length, state.modified),
            Content::Stream { .. } if self.is_empty_file() => (0, None),
            Content::Stream { .. } => return None,
        };
        Some(ListRecord { path: self.path.clone(), length, modified })
    }

    /// Whether it is a file that has no octets and gives none.
    pub fn is_empty_file(&self) -> bool {
        let Content::Stream { file: Some(file) } = &self.content else { return false };
        let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        regular && matches!(File::open(&self.path).and_then(|mut file| file.read(&mut [0])), Ok(0))
    }

    /// The octets of a stream, in their turn.
    pub fn stream(&self) -> Box<dyn Read + Send + '_> {
        match &self.content {
            Content::Stream { file: Some(file) } => Box::new(file),
            _ => Box::new(io::stdin()),
        }
    }

    /// Makes sure that a mapped list is the one that was opened: its octets were read as they stood.
    pub fn unchanged(&self) -> Result<(), FilterError> {
        let Content::Mapped { file, state, .. } = &self.content else { return Ok(()) };
        let now = FileState::of(file).map_err(|error| FilterError::List { path: self.path.clone(), error })?;
        if now == *state { Ok(()) } else { Err(FilterError::ListChanged { path: self.path.clone() }) }
    }
}

/// Where the chunk that begins at `start` ends: behind the first LF that stands at or behind its size, or at the end.
pub(super) fn chunk_end(text: &[u8], start: usize, size: usize) -> usize {
    let wanted = start.saturating_add(size).min(text.len());
    if wanted == text.len() {
        return wanted;
    }
    line_border(text, wanted)
}

/// Where the first line begins that begins at `at` or behind it.
pub(super) fn line_border(text: &[u8], at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    memchr::memchr(b'\n', &text[at - 1..]).map_or(text.len(), |end| at + end)
}

/// Fills `chunk` with whole lines of a stream: what was `left` of the one before, and then at least `size` octets, and
/// on to the next LF. `left` gets what follows the last LF. Returns false at the end, when there is nothing more.
pub(super) fn fill(stream: &mut impl Read, size: usize, left: &mut Vec<u8>, chunk: &mut Vec<u8>) -> io::Result<bool> {
    chunk.clear();
    chunk.append(left);
    let mut searched = 0;
    loop {
        let wanted = size.max(chunk.len() + (size / 4).max(1));
        let read = stream.by_ref().take((wanted - chunk.len()) as u64).read_to_end(chunk)?;
        if read == 0 {
            return Ok(!chunk.is_empty());
        }
        if chunk.len() >= size {
            if let Some(at) = memchr::memrchr(b'\n', &chunk[searched..]) {
                left.extend_from_slice(&chunk[searched + at + 1..]);
                chunk.truncate(searched + at + 1);
                return Ok(true);
            }
            searched = chunk.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"a\nbbbbbbbb\n\nccc\n\nlast";

    #[test]
    fn chunks_end_behind_line_ends() {
        for size in 1..=TEXT.len() + 1 {
            let mut at = 0;
            while at < TEXT.len() {
                let end = chunk_end(TEXT, at, size);
                assert!(end >= (at + size).min(TEXT.len()));
                assert!(end == TEXT.len() || TEXT[end - 1] == b'\n');
                at = end;
            }
            assert_eq!(at, TEXT.len());
        }
    }

    #[test]
    fn a_stream_is_cut_at_line_ends() {
        for size in 1..=TEXT.len() + 1 {
            let (mut stream, mut left, mut chunk, mut all) = (TEXT, Vec::new(), Vec::new(), Vec::new());
            while fill(&mut stream, size, &mut left, &mut chunk).unwrap() {
                all.extend_from_slice(&chunk);
                assert!(chunk.ends_with(b"\n") || all.len() == TEXT.len());
            }
            assert_eq!(all, TEXT, "{size}");
        }
    }
}
