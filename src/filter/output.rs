//! The files of a run: partial until everything is done, then renamed, the receipt last.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::FilterError;
use super::list::STANDARD_INPUT;
use super::outcome::Partition;

/// The name of the receipt, the commit mark of a run.
pub const RECEIPT: &str = "receipt.json";
/// The name of the list of robots.txt to fetch.
pub const NEEDED: &str = "robots-needed.tsv";

/// The folder that a run writes to.
#[derive(Debug)]
pub(super) struct Output {
    directory: PathBuf,
    sets: Vec<Set>,
    /// Files that are still partial: the name they will have.
    pending: Vec<PathBuf>,
}

/// The four partitions of all lists, or of one.
#[derive(Debug)]
struct Set {
    files: Arc<[File; 4]>,
    /// Where the next octet of each goes.
    ends: [u64; 4],
}

/// The name of a file until it is complete.
fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.partial"))
}

/// Whether a name is one that [`partial`] gives: what a run that was killed left behind is no result.
fn is_partial(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".partial")
}

/// The name of a partition's file.
fn file_name(partition: Partition) -> String {
    format!("{}.txt", partition.name())
}

impl Output {
    /// Prepares `directory`, with one set of partitions in each of `folders` (`""` is the directory itself).
    ///
    /// # Errors
    ///
    /// [`FilterError::NotEmpty`] where something is in it and `force` is not given; [`FilterError::Output`] where it
    /// cannot be written.
    pub fn create(directory: &Path, folders: &[String], force: bool) -> Result<Output, FilterError> {
        let failed = |path: &Path, error| FilterError::Output { path: path.to_owned(), error };
        fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
        let entries = fs::read_dir(directory).map_err(|error| failed(directory, error))?;
        if entries.flatten().any(|entry| !is_partial(&entry.file_name().to_string_lossy())) {
            if !force {
                return Err(FilterError::NotEmpty { path: directory.to_owned() });
            }
            remove_earlier(directory).map_err(|error| failed(directory, error))?;
        }
        let mut output = Output { directory: directory.to_owned(), sets: Vec::new(), pending: Vec::new() };
        for folder in folders {
            let folder = directory.join(folder);
            fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
            let mut files = Vec::new();
            for partition in Partition::ALL {
                files.push(output.partial_file(&folder.join(file_name(partition)))?);
            }
            let files = files.try_into().expect("a file for each partition");
            output.sets.push(Set { files: Arc::new(files), ends: [0; 4] });
        }
        Ok(output)
    }

    /// The folder, for temporary files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Creates a file that gets this name when the run is complete.
    fn partial_file(&mut self, path: &Path) -> Result<File, FilterError> {
        let partial = partial(path);
        let file = File::create(&partial).map_err(|error| FilterError::Output { path: partial, error })?;
        self.pending.push(path.to_owned());
        Ok(file)
    }

    /// Takes room for the next octets of a set's partitions; returns where they go.
    pub fn reserve(&mut self, set: usize, lengths: [usize; 4]) -> [u64; 4] {
        let ends = &mut self.sets[set].ends;
        let starts = *ends;
        for (end, length) in ends.iter_mut().zip(lengths) {
            *end += length as u64;
        }
        starts
    }

    /// The files of a set, to be written to at reserved places by whoever holds the octets.
    pub fn files(&self, set: usize) -> Arc<[File; 4]> {
        Arc::clone(&self.sets[set].files)
    }

    /// Writes a whole file that gets this name when the run is complete.
    pub fn write_file(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FilterError> {
        let path = self.directory.join(name);
        let mut file = io::BufWriter::new(self.partial_file(&path)?);
        let written = write(&mut file).and_then(|()| file.flush()).and_then(|()| file.get_ref().sync_all());
        written.map_err(|error| FilterError::Output { path, error })
    }

    /// Gives all files their names, the receipt's last.
    pub fn commit(&mut self) -> Result<(), FilterError> {
        let failed = |path: &Path, error| FilterError::Output { path: path.to_owned(), error };
        for set in &self.sets {
            for file in set.files.iter() {
                file.sync_all().map_err(|error| failed(&self.directory, error))?;
            }
        }
        for path in &self.pending {
            fs::rename(partial(path), path).map_err(|error| failed(path, error))?;
        }
        self.pending.clear();
        // The names themselves must outlive a power cut too, where the platform can promise that.
        #[cfg(unix)]
        File::open(&self.directory)
            .and_then(|directory| directory.sync_all())
            .map_err(|error| failed(&self.directory, error))?;
        Ok(())
    }
}

impl Drop for Output {
    /// A run that did not finish leaves nothing behind that looks like a result.
    fn drop(&mut self) {
        for path in &self.pending {
            let _ = fs::remove_file(partial(path));
        }
    }
}

/// Removes what an earlier run left: its receipt first, because without it nothing of the rest counts.
fn remove_earlier(directory: &Path) -> io::Result<()> {
    let remove = |path: &Path| match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    let names: Vec<String> = Partition::ALL.map(file_name).into_iter().chain([NEEDED.to_owned()]).collect();
    let remove_in = |directory: &Path| {
        [RECEIPT.to_owned()].iter().chain(&names).try_for_each(|name| {
            let path = directory.join(name);
            remove(&path).and_then(|()| remove(&partial(&path)))
        })
    };
    remove_in(directory)?;
    for entry in fs::read_dir(directory)? {
        let folder = entry?.path();
        if folder.is_dir() && is_list_folder(&folder) {
            remove_in(&folder)?;
            // It stays if there is anything else in it.
            let _ = fs::remove_dir(&folder);
        }
    }
    Ok(())
}

/// The folder of a list's own partitions: its number, so that equal names do not meet, and its name.
pub(super) fn list_folder(place: usize, list: &Path) -> String {
    let name = match list.file_name() {
        Some(name) if list.as_os_str() != STANDARD_INPUT => name.to_string_lossy().into_owned(),
        _ => "standard-input".to_owned(),
    };
    format!("{:04}-{name}", place + 1)
}

/// Whether a folder is named as [`list_folder`] does.
fn is_list_folder(folder: &Path) -> bool {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split_once('-').is_some_and(|(number, _)| number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Writes all of `octets` at a place of a file.
pub(super) fn write_at(file: &File, octets: &[u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, octets, at);
    #[cfg(windows)]
    {
        let (mut octets, mut at) = (octets, at);
        while !octets.is_empty() {
            let written = std::os::windows::fs::FileExt::seek_write(file, octets, at)?;
            octets = &octets[written..];
            at += written as u64;
        }
        Ok(())
    }
}

/// Whether a list is one of the files that a run into `directory` would replace.
pub(super) fn would_replace(directory: &Path, list: &Path) -> bool {
    let (Ok(directory), Ok(list)) = (directory.canonicalize(), list.canonicalize()) else { return false };
    let ours = |name: &str| {
        name == RECEIPT || name == NEEDED || Partition::ALL.iter().any(|&partition| file_name(partition) == name)
    };
    list.starts_with(&directory) && list.file_name().and_then(|name| name.to_str()).is_some_and(ours)
}
