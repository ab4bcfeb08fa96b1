//! Rows that wait on disk, as Arrow IPC.
//!
//! Rows are appended to a file, and each checkpoint begins another one. A file is deleted when neither rows that wait nor a
//! durable checkpoint need it. If the run cannot be resumed, the files have no names, and go with the last rows in them.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

use super::shared::{StoredPlace, StoredRows};
use crate::formats::columnar::{Malformed, guarded};
use crate::formats::seekable::{self, FileAt};
use crate::input::error::ListError;
use crate::output::counting_writer::CountingWriter;
use crate::output::error::OutputError;
use crate::output::folder::{WAITING_ROWS, partial};

/// The bytes of a file after which another begins, so that the space of rows that were written can be freed.
const FILE_BYTES: u64 = 256 << 20;

/// The files of rows that wait.
pub(super) struct RowStore {
    folder: PathBuf,
    are_kept: bool,
    /// The number of the next file.
    next: u64,
    /// The file that rows are appended to, its number and its length.
    open: Option<(Arc<File>, u64, u64)>,
    /// The kept files that exist, and those of them that got rows since the last checkpoint.
    kept: BTreeSet<u64>,
    added: BTreeSet<u64>,
}

/// Rows on disk.
pub(super) struct StoredBatch {
    file: Arc<File>,
    folder: PathBuf,
    pub place: StoredPlace,
}

impl RowStore {
    pub fn new(folder: PathBuf, are_kept: bool) -> RowStore {
        RowStore { folder, are_kept, next: 0, open: None, kept: BTreeSet::new(), added: BTreeSet::new() }
    }

    /// Finds rows that another run stored.
    ///
    /// # Errors
    ///
    /// [`OutputError::NotResumable`] if they are gone.
    pub fn reopen(&mut self, place: &StoredPlace) -> Result<StoredBatch, OutputError> {
        let path = partial(&name(&self.folder, place.number));
        let file = seekable::open(&path).map_err(|_| {
            let problem = "stored rows are gone".to_owned();
            OutputError::NotResumable { path: self.folder.clone(), problem }
        })?;
        self.kept.insert(place.number);
        self.next = self.next.max(place.number + 1);
        Ok(StoredBatch { file: Arc::new(file), folder: self.folder.clone(), place: place.clone() })
    }

    /// Stores rows.
    pub fn put(&mut self, batch: &RecordBatch) -> Result<StoredBatch, OutputError> {
        let encoded = || {
            let mut bytes = Vec::new();
            let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema())?;
            writer.write(batch)?;
            writer.finish()?;
            drop(writer);
            Ok::<_, Malformed>(bytes)
        };
        let bytes = guarded(encoded)?;
        let failed = |error| OutputError::unwritable(&name(&self.folder, self.next))(error);
        let (file, number, at) = match self.open.take().filter(|open| open.2 < FILE_BYTES) {
            Some(open) => open,
            None => (Arc::new(self.begin().map_err(failed)?), self.next, 0),
        };
        self.next = self.next.max(number + 1);
        let failed = |error| OutputError::unwritable(&name(&self.folder, number))(error);
        CountingWriter::at(&*file, at).write_all(&bytes).map_err(failed)?;
        let length = bytes.len() as u64;
        let place = StoredPlace { number, at, length, checksum: xxh3_64(&bytes) };
        self.open = Some((Arc::clone(&file), number, at + length));
        self.added.insert(number);
        if self.are_kept {
            self.kept.insert(number);
        }
        Ok(StoredBatch { file, folder: self.folder.clone(), place })
    }

    /// Creates the next file.
    fn begin(&self) -> io::Result<File> {
        match self.are_kept {
            true => File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(partial(&name(&self.folder, self.next))),
            false => tempfile::tempfile_in(&self.folder),
        }
    }

    /// Begins another file after a checkpoint of these rows. Returns the names of the files that must be durable before it
    /// counts, and of those that nothing needs once it does.
    pub fn checkpoint(&mut self, rows: &StoredRows) -> (Vec<PathBuf>, Vec<PathBuf>) {
        self.open = None;
        let places = rows.files.iter().flat_map(|file| &file.batches).map(|(_, _, place)| place.number);
        let needed: BTreeSet<u64> = places.collect();
        let named = |number: &u64| name(&self.folder, *number);
        let added = self.added.intersection(&needed).map(named).collect();
        let outdated = self.kept.difference(&needed).map(named).collect();
        (self.kept, self.added) = (needed, BTreeSet::new());
        (added, outdated)
    }
}

/// The name of a file, which stays [partial].
fn name(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{WAITING_ROWS}.{number}"))
}

impl StoredBatch {
    /// Reads the rows.
    pub fn read_back(&self) -> Result<RecordBatch, OutputError> {
        let StoredPlace { at, length, checksum, .. } = self.place;
        let failed = |error| OutputError::from(ListError::NotReadBack { folder: self.folder.clone(), error });
        let mut bytes = Vec::new();
        FileAt::new(&*self.file, at + length).from(at).take(length).read_to_end(&mut bytes).map_err(failed)?;
        if xxh3_64(&bytes) != checksum {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidData, "stored rows are damaged")));
        }
        let read = guarded(|| {
            let batch = StreamReader::try_new(io::Cursor::new(bytes), None)?.next().transpose()?;
            batch.ok_or_else(|| Malformed("stored rows are missing".to_owned()))
        });
        read.map_err(|Malformed(problem)| failed(io::Error::other(problem)))
    }
}
