//! The URLs that a run adds to the [file of seen URLs](super::seen_file): the allowed ones.
//!
//! Deferred lines come back in a later list and must not count as seen there, and blocked lines may be allowed some
//! day. The keys are sorted into runs, like those of duplicates. When all lines are judged, the runs and the file are
//! merged into a new file under a partial name. It is renamed after the receipt, so that rerunning a failed run does
//! not skip its URLs.

use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::error::{not_seen, other_key};
use super::repeats::PassLimits;
use super::seen::{Hashing, LineHashes, NO_URL};
use super::seen_file::{KeySource, SEEN_FILE, SeenFile, Unwritten, write_keys};
use crate::error::run::{Error, ErrorKind};
use crate::formats::external_sort::{ChunkKeys, KeyRuns};
use crate::formats::memory_budget::Share;
use crate::formats::replace::{behind_links, folder_of};
use crate::formats::write_lock::WriteLock;
use crate::formats::{durable, is_stream, shown};
use crate::input::chunks::Chunk;
use crate::judge::same_url::SameUrl;
use crate::lock::{into_inner, lock};
use crate::output::folder::partial;
use crate::output::receipt::{Hex, SeenPart};

/// A place for a file of seen URLs, and the file there, if there is one.
#[derive(Debug)]
pub(super) struct SeenPlace {
    path: PathBuf,
    pub file: Option<SeenFile>,
    /// Without the lock, two runs at once would each replace the file by one that lacks the other's URLs.
    _lock: WriteLock,
}

/// The allowed URLs so far.
#[derive(Debug)]
pub(super) struct NewlySeen {
    keys: Mutex<KeyRuns>,
    hashing: Hashing,
}

impl SeenPlace {
    /// The absolute path of the file, with links resolved, because files are also renamed relative to the output's
    /// folder.
    pub fn at(path: &Path) -> io::Result<PathBuf> {
        behind_links(path).and_then(std::path::absolute)
    }

    /// Opens the file at a path, with links resolved, if there is one. Any other kind of file is an error, because the
    /// run would have to replace it.
    pub fn open(path: &Path, same: SameUrl) -> Result<SeenPlace, Error> {
        let failed = ErrorKind::Seen.with_file("write", path);
        SEEN_FILE.ensure_replaceable(path).map_err(failed)?;
        if is_stream(path) {
            return Err(failed(io::Error::other("a pipe or a device keeps no URLs for later runs")));
        }
        let path = SeenPlace::at(path).map_err(failed)?;
        // Before it is read.
        let lock = WriteLock::try_take(&path).map_err(|problem| match problem {
            TryLockError::WouldBlock => {
                ErrorKind::Seen.of(format!("another run is adding URLs to {}; wait until it ends", shown(&path)))
            }
            TryLockError::Error(error) => failed(error),
        })?;
        let file = there(&path)?;
        if let Some(other) = file.as_ref().filter(|file| file.same != same) {
            return Err(other_key(&path, other.same, same));
        }
        if let Some(of_shard) = file.as_ref().filter(|file| file.shard.is_some()) {
            return Err(of_shard.invalid("has the URLs of a shard's lists, not those that runs have allowed"));
        }
        Ok(SeenPlace { path, file, _lock: lock })
    }

    /// The checksum of the file; 0 if there is none.
    pub fn checksum(&self) -> Hex {
        self.file.as_ref().map_or(Hex(0), |file| file.checksum)
    }

    /// Writes the new file under its partial name, with these keys added. `memory` is for keys that are sorted at once.
    pub fn write(&self, newly: NewlySeen, same: SameUrl, memory: Share) -> Result<SeenPart, Error> {
        let place = partial(&self.path);
        let written = self.merge(&place, into_inner(newly.keys), same, memory);
        let (urls, checksum) = written.map_err(|problem| {
            let _ = durable::remove(&place);
            problem.of(&self.path)
        })?;
        Ok(SeenPart { path: self.path.display().to_string(), urls, checksum })
    }

    fn merge(&self, place: &Path, keys: KeyRuns, same: SameUrl, memory: Share) -> Result<(u64, Hex), Unwritten> {
        let mut file = durable::create(place)?;
        if let Some(old) = &self.file {
            file.set_permissions(old.permissions()?)?;
        }
        let old = self.file.as_ref().map(|file| KeySource::File(Box::new(file.keys())));
        let sources = old.into_iter().chain([KeySource::Added(keys.in_order(memory))]).collect();
        let written = write_keys(&mut file, same, None, sources)?;
        durable::sync(&file, place)?;
        // A checkpoint will say that it is there.
        durable::sync_folder(&folder_of(place))?;
        Ok(written)
    }

    /// The final name of the new file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the new file its name.
    pub fn commit(&self) -> Result<(), Error> {
        let renamed = durable::rename(&partial(&self.path), &self.path);
        let named = renamed.and_then(|()| durable::sync_folder(&folder_of(&self.path)));
        named.map_err(ErrorKind::Seen.with_file("write", &self.path))
    }

    /// Checks that a run that was interrupted while files were being renamed can go on: that the file has become the `new` one
    /// already, or is the `old` one and the new one has its partial name. Another run may have used the place meanwhile.
    pub fn ensure_written(&self, old: Hex, new: Hex) -> Result<(), Error> {
        let place = partial(&self.path);
        if self.checksum() == new {
            // A partial file is that of another run, which died.
            let removed = durable::remove(&place);
            return removed.map_err(ErrorKind::Seen.with_file("write", &self.path));
        }
        let is_new = |file: Option<SeenFile>| file.is_some_and(|file| file.checksum == new);
        if self.checksum() == old && there(&place).is_ok_and(is_new) {
            return Ok(());
        }
        let problem = "was replaced after the run that adds its URLs was interrupted; start that run over";
        Err(not_seen(&self.path, problem))
    }

    /// Checks that the file is still the one that was opened: another program may have replaced it.
    pub fn unchanged(&self) -> Result<(), Error> {
        let problem = "was changed by another program during the run";
        match there(&self.path) {
            Ok(now) if now.as_ref().map(|now| now.checksum) == self.file.as_ref().map(|file| file.checksum) => Ok(()),
            _ => Err(not_seen(&self.path, problem)),
        }
    }
}

/// The file at a path, if there is one that is not empty.
fn there(path: &Path) -> Result<Option<SeenFile>, Error> {
    let is_there = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0);
    is_there.then(|| SeenFile::open(path)).transpose()
}

impl NewlySeen {
    /// None yet.
    pub fn new(hashing: Hashing, limits: &PassLimits) -> Result<NewlySeen, Error> {
        Ok(NewlySeen { keys: Mutex::new(limits.no_added_keys()?), hashing })
    }

    /// Adds the lines of a chunk that are allowed.
    pub fn add(
        &self,
        chunk: &Chunk<'_>,
        is_allowed: &[bool],
        lines: &mut LineHashes,
        sorted: &mut ChunkKeys,
        limits: &PassLimits,
    ) -> Result<(), Error> {
        if !is_allowed.contains(&true) {
            return Ok(());
        }
        lines.find(chunk, self.hashing);
        for (hash, _) in lines.hashes.iter_mut().zip(is_allowed).filter(|&(_, &is_allowed)| !is_allowed) {
            *hash = NO_URL;
        }
        sorted.sort(&lines.hashes);
        let mut keys = lock(&self.keys);
        let written = keys.written();
        keys.add(sorted).map_err(|error| limits.failed(written, error))
    }
}
