//! Parts of files in a folder, for data that memory has no room for. They are written once, one after the other, and read back.
//!
//! The files are unnamed, or, if another process may go on with them, named. All parts go to a few files: open files are limited more
//! often than disk space.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Take, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use super::counting_writer::CountingWriter;
use super::seekable::{self, FileAt};
use super::{durable, shown};

/// The bytes of a file after which another begins, so that the space of parts that nobody needs can be freed.
const FILE_BYTES: u64 = 256 << 20;

/// Bytes that are written at a time.
const BUFFER: usize = 64 << 10;

/// The files of parts.
#[derive(Debug)]
pub(crate) struct Spill {
    folder: PathBuf,
    /// The path of each file in the folder, by its number, if files outlive the process.
    named: Option<FileOfNumber>,
    /// The number of the next file.
    next: u64,
    /// The file that parts are appended to, with its number and its length.
    open: Option<(Arc<File>, u64, u64)>,
    /// The files of another process that are open, by their numbers.
    reopened: BTreeMap<u64, Weak<File>>,
}

type FileOfNumber = fn(&Path, u64) -> PathBuf;

/// A part of a file.
#[derive(Debug)]
pub(crate) struct Spilled {
    file: Arc<File>,
    pub place: Place,
}

/// Where a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The number of its file.
    pub number: u64,
    /// Its first byte, and how many there are.
    at: u64,
    length: u64,
}

impl Spill {
    /// Unnamed files of a folder.
    pub fn unnamed(folder: &Path) -> Spill {
        Spill { folder: folder.to_owned(), named: None, next: 0, open: None, reopened: BTreeMap::new() }
    }

    /// Files of a folder with these paths, which outlive the process.
    pub fn named(folder: &Path, path: FileOfNumber) -> Spill {
        Spill { named: Some(path), ..Spill::unnamed(folder) }
    }

    /// Unnamed files of the same folder.
    pub fn beside(&self) -> Spill {
        Spill::unnamed(&self.folder)
    }

    /// Finds a part that another process wrote.
    pub fn reopen(&mut self, place: Place) -> io::Result<Spilled> {
        let file = match self.reopened.get(&place.number).and_then(Weak::upgrade) {
            Some(file) => file,
            None => {
                let path = self.named.map_or_else(PathBuf::new, |path| path(&self.folder, place.number));
                let file = Arc::new(seekable::open(&path).map_err(|error| at_path(&path, &error))?);
                self.reopened.insert(place.number, Arc::downgrade(&file));
                file
            }
        };
        self.next = self.next.max(place.number + 1);
        Ok(Spilled { file, place })
    }

    /// Stores what `write` writes.
    pub fn put(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Spilled> {
        // After an error, another file begins.
        let (file, number, at) = match self.open.take().filter(|open| open.2 < FILE_BYTES) {
            Some(open) => open,
            None => (Arc::new(self.create()?), self.next - 1, 0),
        };
        let mut counted = CountingWriter::at(&*file, at);
        let mut out = BufWriter::with_capacity(BUFFER, &mut counted);
        let written = write(&mut out).and_then(|()| out.flush());
        drop(out);
        let end = counted.at;
        written.map_err(|error| self.failed(number, error))?;
        self.open = Some((Arc::clone(&file), number, end));
        Ok(Spilled { file, place: Place { number, at, length: end - at } })
    }

    /// Creates the next file.
    fn create(&mut self) -> io::Result<File> {
        let number = self.next;
        self.next += 1;
        let created = match self.named {
            Some(path) => durable::create(&path(&self.folder, number)),
            None => tempfile::tempfile_in(&self.folder),
        };
        created.map_err(|error| self.failed(number, error))
    }

    /// The next part begins another file. Returns its number.
    pub fn begin_file(&mut self) -> u64 {
        self.open = None;
        self.next
    }

    /// An error with the path of a named file, which users do not know of.
    fn failed(&self, number: u64, error: io::Error) -> io::Error {
        match self.named {
            Some(path) => at_path(&path(&self.folder, number), &error),
            None => error,
        }
    }
}

fn at_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}, {error}", shown(path)))
}

impl Spilled {
    /// Its bytes.
    pub fn read(&self) -> Take<FileAt<Arc<File>>> {
        let Place { at, length, .. } = self.place;
        FileAt::new(Arc::clone(&self.file), at.saturating_add(length)).from(at).take(length)
    }
}
