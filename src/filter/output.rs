//! The files of a run: partial until everything is done, then renamed, the receipt last.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::FilterError;
use super::checkpoint::CHECKPOINT;
use super::commit::give_names;
use super::file_layout::FileLayout;
use super::folder_lock::LOCK;
use super::form::Rows;
use super::keeper::Keeper;
use super::leftovers::remove_leftovers;
use super::list::STANDARD_INPUT;
use super::naming;
use super::tally::Tally;

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
    layout: FileLayout,
    /// For each set, its files: one set for all lists, or one for each.
    sets: Vec<Vec<Target>>,
    /// Files that are still partial: the name they will have.
    pending: Vec<PathBuf>,
    /// Files that were ended, and may not be durable yet.
    ended: Vec<Arc<OpenFile>>,
    /// Who keeps a checkpoint, where there may be one: then partial files stay for it.
    keeper: Option<Arc<Keeper>>,
}

/// Where the lines of one kind go.
#[derive(Debug)]
struct Target {
    state: TargetState,
    /// What each of its files begins with.
    head: Arc<[u8]>,
    file: Arc<OpenFile>,
}

/// The files that lines of one kind go to: together with what still waits to be gathered into a frame, all that there is to
/// know of them between two chunks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TargetState {
    /// The folder in that of the run; empty if it is that one.
    folder: String,
    /// Its files, at least one; the last one is still written to.
    parts: Vec<Written>,
}

/// What a file holds, once all places that were reserved are written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Written {
    /// Its name, with that of its folder.
    pub name: String,
    /// Where its lines begin.
    pub head: u64,
    /// Where its next octet goes.
    pub end: u64,
    /// Its lines, without what was put before them and before they were compressed.
    pub tally: Tally,
}

/// A file that is written to.
#[derive(Debug)]
pub(super) struct OpenFile {
    path: PathBuf,
    file: File,
}

impl OpenFile {
    /// Makes its octets outlive a power cut.
    pub fn sync(&self) -> Result<(), FilterError> {
        self.file.sync_data().map_err(|error| FilterError::Output { path: self.path.clone(), error })
    }

    /// The folder that it is in.
    pub fn folder(&self) -> Option<PathBuf> {
        self.path.parent().map(Path::to_owned)
    }
}

/// Lines that go to one file together.
#[derive(Debug)]
pub(super) struct Block<'b> {
    /// The set of files, and the file of it.
    pub set: usize,
    pub file: usize,
    /// As they are written.
    pub octets: Cow<'b, [u8]>,
    pub tally: Tally,
}

/// A place in a file that was reserved for octets.
#[derive(Debug)]
pub(super) struct Place<'b> {
    file: Arc<OpenFile>,
    at: u64,
    octets: &'b [u8],
}

impl Place<'_> {
    /// Writes the octets to their place; others may write elsewhere meanwhile.
    pub fn write(&self) -> Result<(), FilterError> {
        let OpenFile { path, file } = &*self.file;
        write_at(file, self.octets, self.at).map_err(|error| FilterError::Output { path: path.clone(), error })
    }
}

/// The name of a file until it is complete.
pub(super) fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.partial"))
}

/// Whether a name is one that [`partial`] gives: what a run that was killed left behind is no result.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".partial")
}

impl Output {
    /// Prepares `directory`, which is there and locked, with a set of files in each of `folders` (`""` is the directory
    /// itself), for lists with the head line beside it.
    ///
    /// # Errors
    ///
    /// [`FilterError::NotEmpty`] where something is in it and `force` is not given; [`FilterError::Output`] where it
    /// cannot be written.
    pub fn create(
        directory: &Path,
        folders: &[(String, Vec<u8>)],
        layout: FileLayout,
        force: bool,
    ) -> Result<Output, FilterError> {
        let failed = |path: &Path, error| FilterError::Output { path: path.to_owned(), error };
        let unfinished = directory.join(CHECKPOINT);
        if unfinished.exists() {
            if !force {
                return Err(FilterError::Unfinished { path: directory.to_owned() });
            }
            fs::remove_file(&unfinished).map_err(|error| failed(&unfinished, error))?;
        }
        remove_leftovers(directory).map_err(|error| failed(directory, error))?;
        let entries = fs::read_dir(directory).map_err(|error| failed(directory, error))?;
        let is_foreign = |name: &str| name != LOCK && !is_partial(name);
        if entries.flatten().any(|entry| is_foreign(&entry.file_name().to_string_lossy())) {
            if !force {
                return Err(FilterError::NotEmpty { path: directory.to_owned() });
            }
            remove_earlier(directory, &layout).map_err(|error| failed(directory, error))?;
        }
        let (directory, pending) = (directory.to_owned(), Vec::new());
        let mut output = Output { directory, layout, sets: Vec::new(), pending, ended: Vec::new(), keeper: None };
        for (folder, head_line) in folders {
            let path = output.directory.join(folder);
            fs::create_dir_all(&path).map_err(|error| failed(&path, error))?;
            let files = (0..output.layout.files.len()).map(|file| output.target(folder, head_line, file));
            let files = files.collect::<Result<_, FilterError>>()?;
            output.sets.push(files);
        }
        Ok(output)
    }

    /// Opens the files of an interrupted run again, as long as they were, set by set.
    ///
    /// # Errors
    ///
    /// [`FilterError::NotResumable`] where one is gone or shorter; [`FilterError::Output`] where it cannot be opened.
    pub fn resume(
        directory: &Path,
        folders: &[(String, Vec<u8>)],
        layout: FileLayout,
        sets: &[Vec<TargetState>],
    ) -> Result<Output, FilterError> {
        let (directory, pending) = (directory.to_owned(), Vec::new());
        let mut output = Output { directory, layout, sets: Vec::new(), pending, ended: Vec::new(), keeper: None };
        for (set, (_, head_line)) in sets.iter().zip(folders) {
            let targets = set.iter().enumerate().map(|(number, target)| {
                let head = output.layout.head(number, head_line)?.into();
                let mut files = target.parts.iter().map(|part| output.reopen(part));
                let first = files.next().unwrap_or_else(|| output.no_parts());
                let file = files.fold(first, |before, part| before.and(part))?;
                output.pending.extend(target.parts.iter().map(|part| output.directory.join(&part.name)));
                Ok(Target { state: target.clone(), head, file })
            });
            let targets = targets.collect::<Result<_, FilterError>>()?;
            output.sets.push(targets);
        }
        Ok(output)
    }

    /// Opens a part of a file again, as long as it was.
    fn reopen(&self, part: &Written) -> Result<Arc<OpenFile>, FilterError> {
        let path = self.directory.join(&part.name);
        let open = || {
            let file = OpenOptions::new().read(true).write(true).open(partial(&path))?;
            let length = file.metadata()?.len();
            // One that is shorter stays so: the next attempt must see it too.
            if length > part.end {
                file.set_len(part.end)?;
            }
            Ok::<_, io::Error>((file, length))
        };
        let refused = |what| {
            let problem = format!("{}, which it wrote to, {what}", partial(&path).display());
            Err(FilterError::NotResumable { path: self.directory.clone(), problem })
        };
        let (file, length) = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return refused("is gone"),
            other => other.map_err(|error| FilterError::Output { path: path.clone(), error })?,
        };
        if length < part.end {
            return refused("was cut short");
        }
        Ok(Arc::new(OpenFile { path, file }))
    }

    fn no_parts<T>(&self) -> Result<T, FilterError> {
        let problem = "its checkpoint lists no files".to_owned();
        Err(FilterError::NotResumable { path: self.directory.clone(), problem })
    }

    /// From here on, partial files stay where `keeper` has kept a checkpoint.
    pub fn keep_with(&mut self, keeper: Arc<Keeper>) {
        self.keeper = Some(keeper);
    }

    /// What stands in all files, set by set.
    pub fn state(&self) -> Vec<Vec<TargetState>> {
        self.sets.iter().map(|set| set.iter().map(|target| target.state.clone()).collect()).collect()
    }

    /// All files that were written to since the last call, as far as they were ended, and those that still are.
    pub fn touched(&mut self) -> Vec<Arc<OpenFile>> {
        let current = self.sets.iter().flatten().map(|target| Arc::clone(&target.file));
        std::mem::take(&mut self.ended).into_iter().chain(current).collect()
    }

    /// What rows the files have.
    pub fn rows(&self) -> Rows {
        self.layout.rows
    }

    /// The folder, for temporary files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Begins the first part of a file that lines go to.
    fn target(&mut self, folder: &str, head_line: &[u8], file: usize) -> Result<Target, FilterError> {
        let head: Arc<[u8]> = self.layout.head(file, head_line)?.into();
        let (written, open) = self.part(folder, &head, file, 0)?;
        let state = TargetState { folder: folder.to_owned(), parts: vec![written] };
        Ok(Target { state, head, file: open })
    }

    /// Begins a part of a file.
    fn part(
        &mut self,
        folder: &str,
        head: &[u8],
        file: usize,
        part: usize,
    ) -> Result<(Written, Arc<OpenFile>), FilterError> {
        let name = self.layout.files[file].of_part(part);
        let path = self.directory.join(folder).join(&name);
        let open = Arc::new(OpenFile { file: self.partial_file(&path)?, path });
        let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        Place { file: Arc::clone(&open), at: 0, octets: head }.write()?;
        let length = head.len() as u64;
        Ok((Written { name, head: length, end: length, tally: Tally::default() }, open))
    }

    /// Creates a file that gets this name when the run is complete.
    fn partial_file(&mut self, path: &Path) -> Result<File, FilterError> {
        let file = File::create(partial(path));
        let file = file.map_err(|error| FilterError::Output { path: path.to_owned(), error })?;
        self.pending.push(path.to_owned());
        Ok(file)
    }

    /// Takes room for blocks, to be written to by whoever holds the octets; begins new parts where it has to.
    pub fn reserve<'b>(&mut self, blocks: &'b [Block<'_>]) -> Result<Vec<Place<'b>>, FilterError> {
        let mut places = Vec::with_capacity(blocks.len());
        for block in blocks {
            let mut rest = &block.octets[..];
            while !rest.is_empty() {
                let target = &mut self.sets[block.set][block.file];
                let part = target.state.parts.last().expect("a target has parts");
                let (now, later) = rest.split_at(self.layout.fitting(rest, part.end, part.tally.lines > 0));
                if now.is_empty() {
                    let (folder, head) = (target.state.folder.clone(), Arc::clone(&target.head));
                    let number = target.state.parts.len();
                    let (written, open) = self.part(&folder, &head, block.file, number)?;
                    let target = &mut self.sets[block.set][block.file];
                    target.state.parts.push(written);
                    let ended = std::mem::replace(&mut target.file, open);
                    if self.keeper.is_some() {
                        self.ended.push(ended);
                    }
                    continue;
                }
                let whole = now.len() == block.octets.len();
                places.push(target.place(now, &if whole { block.tally } else { self.layout.tally(block.file, now) }));
                rest = later;
            }
        }
        Ok(places)
    }

    /// What stands in the files that lines of one kind go to, in the order of the lines.
    pub fn written(&self, file: usize) -> impl Iterator<Item = &Written> {
        self.sets.iter().flat_map(move |set| &set[file].state.parts)
    }

    /// Ends all files: one without any octet would not be a compressed file.
    pub fn end(&mut self) -> Result<(), FilterError> {
        for target in self.sets.iter_mut().flatten().filter(|target| target.state.parts[0].end == 0) {
            target.place(&self.layout.nothing, &Tally::default()).write()?;
        }
        Ok(())
    }

    /// Makes sure that a folder in that of the run is there.
    pub fn create_folder(&self, name: &str) -> Result<(), FilterError> {
        let folder = self.directory.join(name);
        fs::create_dir_all(&folder).map_err(|error| FilterError::Output { path: folder, error })
    }

    /// Writes a whole file that gets this name when the run is complete; returns what `write` does.
    pub fn write_file<T>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, FilterError> {
        let path = self.directory.join(name);
        let mut file = io::BufWriter::new(self.partial_file(&path)?);
        let written = write(&mut file).and_then(|written| file.flush().map(|()| written));
        written.map_err(|error| FilterError::Output { path, error })
    }

    /// Gives all files their names, the receipt's last.
    pub fn commit(&mut self) -> Result<(), FilterError> {
        let failed = |path: &Path, error| FilterError::Output { path: path.to_owned(), error };
        for path in &self.pending {
            let file = OpenOptions::new().write(true).open(partial(path));
            file.and_then(|file| file.sync_all()).map_err(|error| failed(path, error))?;
        }
        let relative = |path: &PathBuf| path.strip_prefix(&self.directory).unwrap_or(path).to_owned();
        let names: Vec<PathBuf> = self.pending.iter().map(relative).collect();
        if let Some(keeper) = &self.keeper {
            keeper.complete(names.clone())?;
        }
        give_names(&self.directory, &names)?;
        self.pending.clear();
        Ok(())
    }
}

impl Target {
    /// Takes room for octets.
    fn place<'b>(&mut self, octets: &'b [u8], tally: &Tally) -> Place<'b> {
        let part = self.state.parts.last_mut().expect("a target has parts");
        let at = part.end;
        part.end += octets.len() as u64;
        part.tally.append(tally);
        Place { file: Arc::clone(&self.file), at, octets }
    }
}

impl Drop for Output {
    /// A run that did not finish leaves nothing behind that looks like a result, and nothing at all if there is no
    /// checkpoint to go on from.
    fn drop(&mut self) {
        if self.keeper.as_ref().is_some_and(|keeper| keeper.has_kept()) {
            return;
        }
        for path in &self.pending {
            let _ = fs::remove_file(partial(path));
        }
    }
}

/// The names of the files that an earlier run says in its receipt to have written, without the receipt's own.
fn earlier(directory: &Path) -> Vec<String> {
    let receipt = fs::read(directory.join(RECEIPT)).ok();
    let receipt: serde_json::Value =
        receipt.and_then(|receipt| serde_json::from_slice(&receipt).ok()).unwrap_or_default();
    let partitions = receipt["partitions"].as_object().into_iter().flat_map(|partitions| partitions.values());
    let files = partitions.chain([&receipt["verdicts"]]).filter_map(|part| part["files"].as_array()).flatten();
    let names = files.filter_map(|file| file["name"].as_str()?.rsplit('/').next());
    let names = names.filter(|name| naming::is_output(name)).map(str::to_owned);
    names.chain([NEEDED.to_owned(), REPORT.to_owned()]).collect()
}

/// Removes what an earlier run left: its receipt first, because without it nothing of the rest counts.
fn remove_earlier(directory: &Path, layout: &FileLayout) -> io::Result<()> {
    let remove = |path: &Path| match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    let ours = layout.files.iter().map(|file| file.of_part(0));
    let names: Vec<String> = earlier(directory).into_iter().chain(ours).collect();
    let remove_in = |directory: &Path| {
        [RECEIPT.to_owned()].iter().chain(&names).try_for_each(|name| {
            let path = directory.join(name);
            remove(&path).and_then(|()| remove(&partial(&path)))
        })
    };
    remove_in(directory)?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let folder = entry.path();
        if folder.is_dir() && is_list_folder(&entry.file_name().to_string_lossy()) {
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

/// Whether a name in a receipt is one that a file of lines may have.
pub(super) fn is_file_of_run(name: &str) -> bool {
    match name.split_once('/') {
        Some((folder, name)) => is_list_folder(folder) && naming::is_output(name),
        None => naming::is_output(name),
    }
}

/// Whether a folder is named as [`list_folder`] does.
pub(super) fn is_list_folder(name: &str) -> bool {
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

/// Whether a list is one of the files that a run into `directory`, which writes files of this layout, would replace.
pub(super) fn would_replace(directory: &Path, layout: &FileLayout, list: &Path) -> bool {
    let (Ok(directory), Ok(list)) = (directory.canonicalize(), list.canonicalize()) else { return false };
    let ours = |name: &str| {
        name == RECEIPT
            || layout.files.iter().any(|file| file.gives(name))
            || earlier(&directory).iter().any(|other| other == name)
    };
    list.starts_with(&directory) && list.file_name().and_then(|name| name.to_str()).is_some_and(ours)
}
