//! The files of a run: partial until everything is done, then renamed, the receipt last.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::FilterError;
use super::form::{self, Form};
use super::list::STANDARD_INPUT;

/// The name of the receipt, the commit mark of a run.
pub const RECEIPT: &str = "receipt.json";
/// The name of a page about a run, which is nothing of the run's own but goes with its files when they are replaced.
pub const REPORT: &str = "report.html";
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

/// The files of all lists, or of one.
#[derive(Debug)]
struct Set {
    files: Arc<[File]>,
    /// Where the next octet of each goes.
    ends: Vec<u64>,
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

impl Output {
    /// Prepares `directory`, with a set of files of these names in each of `folders` (`""` is the directory itself), which
    /// all begin with the head beside it.
    ///
    /// # Errors
    ///
    /// [`FilterError::NotEmpty`] where something is in it and `force` is not given; [`FilterError::Output`] where it
    /// cannot be written.
    pub fn create(
        directory: &Path,
        folders: &[(String, Vec<u8>)],
        names: &[String],
        force: bool,
    ) -> Result<Output, FilterError> {
        let failed = |path: &Path, error| FilterError::Output { path: path.to_owned(), error };
        fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
        let entries = fs::read_dir(directory).map_err(|error| failed(directory, error))?;
        if entries.flatten().any(|entry| !is_partial(&entry.file_name().to_string_lossy())) {
            if !force {
                return Err(FilterError::NotEmpty { path: directory.to_owned() });
            }
            remove_earlier(directory, names).map_err(|error| failed(directory, error))?;
        }
        let mut output = Output { directory: directory.to_owned(), sets: Vec::new(), pending: Vec::new() };
        for (folder, head) in folders {
            let folder = directory.join(folder);
            fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
            let paths = names.iter().map(|name| folder.join(name));
            let files = paths.map(|path| {
                let file = output.partial_file(&path)?;
                write_at(&file, head, 0).map_err(|error| failed(&path, error))?;
                Ok(file)
            });
            let files = files.collect::<Result<_, FilterError>>()?;
            output.sets.push(Set { files, ends: vec![head.len() as u64; names.len()] });
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

    /// Takes room for the next octets of a set's files; returns where they go.
    pub fn reserve(&mut self, set: usize, lengths: impl Iterator<Item = usize>) -> Vec<u64> {
        let ends = self.sets[set].ends.iter_mut().zip(lengths);
        let starts = ends.map(|(end, length)| std::mem::replace(end, *end + length as u64));
        starts.collect()
    }

    /// The files of a set, to be written to at reserved places by whoever holds the octets.
    pub fn files(&self, set: usize) -> Arc<[File]> {
        Arc::clone(&self.sets[set].files)
    }

    /// Makes sure that a folder in that of the run is there.
    pub fn create_folder(&self, name: &str) -> Result<(), FilterError> {
        let folder = self.directory.join(name);
        fs::create_dir_all(&folder).map_err(|error| FilterError::Output { path: folder, error })
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

/// The names of the files that a run would write, and of those that an earlier one says in its receipt to have written;
/// without the receipt's own.
fn replaced(directory: &Path, names: &[String]) -> Vec<String> {
    let receipt = fs::read(directory.join(RECEIPT)).ok();
    let receipt: serde_json::Value =
        receipt.and_then(|receipt| serde_json::from_slice(&receipt).ok()).unwrap_or_default();
    let earlier = receipt["partitions"].as_object().into_iter().flat_map(|partitions| partitions.keys());
    let earlier = earlier.filter_map(|name| form::file_of(name));
    let verdicts = Form::Verdicts.file_names(&[]);
    names.iter().cloned().chain([NEEDED.to_owned(), REPORT.to_owned()]).chain(earlier).chain(verdicts).collect()
}

/// Removes what an earlier run left: its receipt first, because without it nothing of the rest counts.
fn remove_earlier(directory: &Path, names: &[String]) -> io::Result<()> {
    let remove = |path: &Path| match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    let names = replaced(directory, names);
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

/// Whether a list is one of the files that a run into `directory`, which writes files of these names, would replace.
pub(super) fn would_replace(directory: &Path, names: &[String], list: &Path) -> bool {
    let (Ok(directory), Ok(list)) = (directory.canonicalize(), list.canonicalize()) else { return false };
    let ours = |name: &str| name == RECEIPT || replaced(&directory, names).iter().any(|other| other == name);
    list.starts_with(&directory) && list.file_name().and_then(|name| name.to_str()).is_some_and(ours)
}
