//! URL lists: files, pipes and standard input, opened at the start and read in their turn; cut into chunks on line
//! borders.
//!
//! What a list is is known by its content. A text that is stored as it is gets mapped; one that is compressed, or comes
//! through a pipe, is read as a stream.

mod chunks;

use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::FilterError;
use crate::compression::{Compression, Reader};
pub(in crate::filter) use chunks::{chunk_end, fill};

/// How a list is named where a path stands: standard input.
pub const STANDARD_INPUT: &str = "-";

/// A list to be read.
pub(super) struct List {
    pub path: PathBuf,
    /// How it is compressed, if it is.
    pub compression: Option<Compression>,
    content: Content,
}

enum Content {
    Mapped {
        map: Mmap,
        file: Regular,
    },
    Compressed(Regular),
    /// What can be read only once; nothing when that was begun.
    Stream(Mutex<Option<Reader<Box<dyn Read + Send>>>>),
}

/// A list that is being read.
pub(super) enum Reading<'l> {
    /// The whole text.
    Mapped(&'l [u8]),
    /// The text as it comes.
    Stream(Box<dyn Read + Send + 'l>),
}

/// What is at a path, opened.
enum Opened {
    Regular(Regular),
    /// A pipe or a device, or standard input; also a file that says it is empty, as those of `/proc` do.
    Stream(Box<dyn Read + Send>),
}

/// A file that can be opened, read again, and seen to be the one it was.
struct Regular {
    file: File,
    state: FileState,
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
    /// Opens all lists, and then looks into them: somebody who feeds several pipes may wait for all to be opened.
    /// `-` is standard input.
    pub fn open_all(paths: &[PathBuf]) -> Result<Vec<List>, FilterError> {
        if paths.iter().filter(|path| path.as_os_str() == STANDARD_INPUT).count() > 1 {
            return Err(FilterError::StandardInputTwice);
        }
        let failed = |path: &Path, error| FilterError::List { path: path.to_owned(), error };
        let open = |path: &PathBuf| Opened::at(path).map_err(|error| failed(path, error));
        let opened: Vec<Opened> = paths.iter().map(open).collect::<Result<_, _>>()?;
        let look = |(path, opened): (&PathBuf, Opened)| {
            let (compression, content) = opened.content().map_err(|error| failed(path, error))?;
            Ok(List { path: path.clone(), compression, content })
        };
        paths.iter().zip(opened).map(look).collect()
    }

    /// Opens one list.
    pub fn open(path: &Path) -> Result<List, FilterError> {
        Ok(List::open_all(&[path.to_owned()])?.swap_remove(0))
    }

    /// Begins to read the list, decompressed.
    pub fn read(&self) -> io::Result<Reading<'_>> {
        match &self.content {
            Content::Mapped { map, .. } => Ok(Reading::Mapped(map)),
            Content::Compressed(Regular { file, .. }) => {
                let mut file = file;
                file.rewind()?;
                Ok(Reading::Stream(Box::new(Reader::new(file)?)))
            }
            Content::Stream(text) => match text.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(text) => Ok(Reading::Stream(Box::new(text))),
                None => Err(io::Error::other("it can be read only once")),
            },
        }
    }

    /// Makes sure that a file is the one that was opened: its octets were read as they stood.
    pub fn unchanged(&self) -> Result<(), FilterError> {
        let (Content::Mapped { file, .. } | Content::Compressed(file)) = &self.content else { return Ok(()) };
        let failed = |error| FilterError::List { path: self.path.clone(), error };
        let now = FileState::of(&file.file).map_err(failed)?;
        if now == file.state { Ok(()) } else { Err(FilterError::ListChanged { path: self.path.clone() }) }
    }
}

impl Opened {
    fn at(path: &Path) -> io::Result<Opened> {
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(Opened::Stream(Box::new(io::stdin())));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if !metadata.is_file() || metadata.len() == 0 {
            return Ok(Opened::Stream(Box::new(file)));
        }
        Ok(Opened::Regular(Regular { state: FileState::of(&file)?, file }))
    }

    /// What it holds, by its first octets, and how it is compressed.
    fn content(self) -> io::Result<(Option<Compression>, Content)> {
        let file = match self {
            Opened::Regular(file) => file,
            Opened::Stream(stream) => {
                let text = Reader::new(stream)?;
                return Ok((text.compression(), Content::Stream(Mutex::new(Some(text)))));
            }
        };
        let compression = Reader::new(&file.file)?.compression();
        if compression.is_some() {
            return Ok((compression, Content::Compressed(file)));
        }
        // SAFETY: the mapping is read-only and private to this process. Should another process shorten or change the
        // file meanwhile, the octets read are wrong or the system raises SIGBUS. Neither breaks memory safety as far as
        // this code goes: octets are only compared, hashed and copied, any values are valid, and all offsets come from
        // the slice's own length. That the file did change is noticed afterwards, by `unchanged`; SIGBUS is the
        // binary's to catch.
        let map = unsafe { Mmap::map(&file.file) }?;
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Sequential);
        Ok((None, Content::Mapped { map, file }))
    }
}
