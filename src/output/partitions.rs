//! Writes blocks of lines in their chunk's turn: to files, or to standard output.
//!
//! Files are partial until the run is complete; then they are renamed, the receipt last.
//!
//! All files are created at the start. Each is open only from its first lines until the lists of its set have ended,
//! because a run may have more files than a process may have open.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::columns::rest_of_row;
use super::file_layout::FileLayout;
use super::folder::{
    CHECKPOINT, RECEIPT, Written, in_folders, make_durable, make_room, name_files, partial, remove_folders,
    remove_leftovers,
};
use super::form::{Block, FileFormat, SEPARATOR};
use super::receipt::Receipt;
use super::table::{self, DroppedKey};
use crate::error::run::{Error, ErrorKind};
use crate::error::{About, Problem};
use crate::formats::counting_writer::CountingWriter;
use crate::formats::{durable, json, shown};
use crate::judge::tally::Tally;
use crate::outcome::Partition;
use crate::output::error::{not_resumable, unwritable};

/// The folder that a run writes to.
#[derive(Debug)]
pub(crate) struct Output {
    directory: PathBuf,
    layout: FileLayout,
    /// The files of each set: one set for all lists, or one for each list.
    sets: Vec<FileSet>,
    /// The final names of files that are still partial.
    pending: Vec<PathBuf>,
    /// The final names of files that may not be durable yet.
    unsynced: BTreeSet<PathBuf>,
}

/// A set of files, before any lines are written.
#[derive(Debug, Clone)]
pub(crate) struct SetStart {
    /// Its folder, relative to the folder of the run; empty if it is the same.
    pub folder: String,
    /// The folders of columns of its lists, below those of its files; empty if there are none.
    pub inner: String,
    /// The head line of its lists, which may be empty.
    pub head: Vec<u8>,
    /// The bytes after the head of a table without rows.
    pub empty_end: Arc<[u8]>,
    /// The keys of its lists' metadata that a table does not have, each with the number of a list.
    pub dropped: Vec<(usize, DroppedKey)>,
}

#[derive(Debug)]
struct FileSet {
    start: SetStart,
    targets: Vec<Target>,
}

/// The file, or its parts, that one kind of lines goes to.
#[derive(Debug)]
struct Target {
    /// The parts, at least one; the last part is being written. Together with lines gathered for the next frame, this
    /// is the complete state between two chunks.
    parts: Parts,
    /// The last of its parts, if it is open.
    file: Option<CountingWriter<File>>,
}

/// The files of one kind of lines.
pub(crate) type Parts = Vec<Written>;

impl Output {
    fn new(directory: &Path, layout: FileLayout) -> Output {
        let (directory, unsynced) = (directory.to_owned(), BTreeSet::new());
        Output { directory, layout, sets: Vec::new(), pending: Vec::new(), unsynced }
    }

    /// Prepares `directory`, which exists and is locked, for sets of files in these folders, but creates no files:
    /// [`Output::write_file`] writes them.
    pub fn with_room_for(
        sets: &BTreeSet<(&str, &str)>,
        directory: &Path,
        layout: FileLayout,
        force: bool,
    ) -> Result<Output, Error> {
        make_room(directory, sets, &layout, force)?;
        Ok(Output::new(directory, layout))
    }

    /// Prepares `directory`, which exists and is locked, for these sets of files, and begins them.
    pub fn create(directory: &Path, starts: Vec<SetStart>, layout: FileLayout, force: bool) -> Result<Output, Error> {
        let folders = starts.iter().map(|set| (&*set.folder, &*set.inner)).collect();
        let mut output = Output::with_room_for(&folders, directory, layout, force)?;
        for (set, start) in starts.into_iter().enumerate() {
            for folder in output.layout.folders(&start.inner) {
                let path = output.directory.join(&start.folder).join(folder);
                durable::create_folders(&path).map_err(unwritable(&path))?;
            }
            output.sets.push(FileSet { start, targets: Vec::new() });
            for file in 0..output.layout.files.len() {
                output.sets[set].targets.push(Target { parts: Parts::new(), file: None });
                output.begin_part(set, file)?;
                output.sets[set].targets[file].file = None;
            }
        }
        Ok(output)
    }

    /// Reopens the files of an interrupted run, and truncates them to their recorded lengths. After any error, they
    /// stay for the next attempt.
    ///
    /// # Errors
    ///
    /// If a file is missing or too short, or cannot be opened.
    pub fn resume(
        directory: &Path,
        starts: Vec<SetStart>,
        layout: FileLayout,
        sets: &[Vec<Parts>],
    ) -> Result<Output, Error> {
        let mut output = Output::new(directory, layout);
        for (start, targets) in starts.into_iter().zip(sets) {
            for parts in targets {
                if parts.is_empty() {
                    return Err(not_resumable(directory, "its checkpoint lists no files"));
                }
                parts.iter().try_for_each(|part| output.cut(part))?;
                parts.iter().for_each(|part| output.note_partial(output.directory.join(&part.name)));
            }
            let targets = targets.iter().map(|parts| Target { parts: parts.clone(), file: None }).collect();
            output.sets.push(FileSet { start, targets });
        }
        Ok(output)
    }

    /// Truncates a part to its recorded length.
    fn cut(&self, part: &Written) -> Result<(), Error> {
        let path = self.directory.join(&part.name);
        let cut = || {
            let file = OpenOptions::new().write(true).open(partial(&path))?;
            let length = file.metadata()?.len();
            // A file that is too short is left alone: the next attempt must see it too.
            if length > part.end {
                file.set_len(part.end)?;
            }
            Ok::<_, io::Error>(length)
        };
        let refused = |what| not_resumable(&self.directory, &format!("its file {} {what}", shown(&partial(&path))));
        match cut() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(refused("is gone")),
            Err(error) => Err(unwritable(&path)(error)),
            Ok(length) if length < part.end => Err(refused("was cut short")),
            Ok(_) => Ok(()),
        }
    }

    /// The state of all files, set by set.
    pub fn state(&self) -> Vec<Vec<Parts>> {
        self.sets.iter().map(|set| set.targets.iter().map(|target| target.parts.clone()).collect()).collect()
    }

    /// The final names of all files that may have changed since the last call.
    pub fn touched(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.unsynced).into_iter().collect()
    }

    /// The folder, for temporary files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Creates a file that is renamed to this name when the run is complete.
    fn partial_file(&mut self, path: &Path) -> Result<File, Error> {
        let file = durable::create(&partial(path)).map_err(unwritable(path))?;
        self.note_partial(path.to_owned());
        Ok(file)
    }

    /// Records a partial file that will be renamed to this name, and is not durable yet.
    fn note_partial(&mut self, path: PathBuf) {
        self.unsynced.insert(path.clone());
        self.pending.push(path);
    }

    /// Writes blocks, beginning new parts where needed.
    pub fn write(&mut self, blocks: &[Block<'_>]) -> Result<(), Error> {
        for block in blocks.iter().filter(|block| !block.pieces.is_empty()) {
            let (set, file, length) = (block.set, block.file, block.length());
            let footer = block.pieces.iter().map(|piece| self.layout.footer(piece)).sum();
            if self.layout.fits(length, self.sets[set].targets[file].part(), footer) {
                let mut pieces: Vec<_> = block.pieces.iter().map(|piece| IoSlice::new(piece)).collect();
                self.put(set, file, &mut pieces, &block.tally, footer)?;
                continue;
            }
            for piece in &block.pieces {
                let mut rest = &piece[..];
                while !rest.is_empty() {
                    let footer = self.layout.footer(rest);
                    let part = self.sets[set].targets[file].part();
                    let (now, later) = rest.split_at(self.layout.fitting(rest, part, footer));
                    if now.is_empty() {
                        self.begin_part(set, file)?;
                        continue;
                    }
                    let whole = now.len() as u64 == length;
                    let tally = if whole { block.tally } else { self.layout.style.tally(file, now) };
                    self.put(set, file, &mut [IoSlice::new(now)], &tally, footer)?;
                    rest = later;
                }
            }
        }
        Ok(())
    }

    /// Writes pieces of a block to the last part of a file, opening it if necessary.
    fn put(
        &mut self,
        set: usize,
        file: usize,
        pieces: &mut [IoSlice<'_>],
        tally: &Tally,
        footer: u64,
    ) -> Result<(), Error> {
        let target = &mut self.sets[set].targets[file];
        let part = target.parts.last_mut().expect("a target has parts");
        let path = self.directory.join(&part.name);
        let length = pieces.iter().map(|piece| piece.len() as u64).sum::<u64>();
        let mut write = || {
            let file = match &mut target.file {
                Some(file) => file,
                none => {
                    let mut file = OpenOptions::new().write(true).open(partial(&path))?;
                    file.seek(SeekFrom::Start(part.end))?;
                    none.insert(CountingWriter::at(file, part.end))
                }
            };
            file.write_pieces(pieces)
        };
        write().map_err(unwritable(&path))?;
        part.end += length;
        part.footer += footer;
        part.blocks += 1;
        part.tally.append(tally);
        self.unsynced.insert(path);
        Ok(())
    }

    /// Begins the next part of a file of a set.
    fn begin_part(&mut self, set: usize, file: usize) -> Result<(), Error> {
        let FileSet { start, targets } = &self.sets[set];
        let name = self.layout.files[file].of_part(targets[file].parts.len());
        let name = in_folders(&start.folder, &start.inner, &name);
        let (head, footer) = (self.layout.head(file, &start.head)?, start.empty_end.len() as u64);
        let path = self.directory.join(&name);
        let mut open = CountingWriter::new(self.partial_file(&path)?);
        open.write_all(&head).map_err(unwritable(&path))?;
        let length = head.len() as u64;
        let part = Written { name, head: length, end: length, tally: Tally::default(), blocks: 0, footer };
        let target = &mut self.sets[set].targets[file];
        target.parts.push(part);
        target.file = Some(open);
        Ok(())
    }

    /// Closes the files of these sets, which get no more lines.
    pub fn close(&mut self, sets: &[usize]) {
        for &set in sets {
            self.sets[set].targets.iter_mut().for_each(|target| target.file = None);
        }
    }

    /// The files of one kind of lines, in the order of the lines.
    pub fn written(&self, file: usize) -> impl Iterator<Item = &Written> {
        self.sets.iter().flat_map(move |set| &set.targets[file].parts)
    }

    /// The keys of the lists' metadata that their tables do not have, by the number of the list.
    pub fn dropped_keys(&self) -> BTreeMap<usize, Vec<DroppedKey>> {
        let mut keys = BTreeMap::<usize, Vec<DroppedKey>>::new();
        let all = self.sets.iter().flat_map(|set| &set.start.dropped);
        all.for_each(|(list, key)| keys.entry(*list).or_default().push(key.clone()));
        keys
    }

    /// Completes all files. A compressed file needs at least one frame; a table gets its footer.
    pub fn end(&mut self) -> Result<(), Error> {
        match self.layout.style.format {
            FileFormat::Text => {
                let (empty_file, files) = (self.layout.empty_file.clone(), self.layout.files.len());
                for (set, file) in (0..self.sets.len()).flat_map(|set| (0..files).map(move |file| (set, file))) {
                    if !empty_file.is_empty() && self.sets[set].targets[file].parts[0].end == 0 {
                        self.put(set, file, &mut [IoSlice::new(&empty_file)], &Tally::default(), 0)?;
                        self.sets[set].targets[file].file = None;
                    }
                }
            }
            FileFormat::Parquet => {
                for FileSet { start, targets } in &mut self.sets {
                    for part in targets.iter_mut().flat_map(|target| &mut target.parts) {
                        let path = partial(&self.directory.join(&part.name));
                        let length = table::complete(&path, part, &start.empty_end);
                        part.end = length.map_err(unwritable(&path))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Creates a folder in that of the run, if it does not exist.
    pub fn create_folder(&self, name: &str) -> Result<(), Error> {
        let folder = self.directory.join(name);
        durable::create_folders(&folder).map(drop).map_err(unwritable(&folder))
    }

    /// Writes a complete file that is renamed to this name when the run is complete; returns the result of `write`.
    pub fn write_file<T>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, Error> {
        let path = self.directory.join(name);
        let mut file = io::BufWriter::new(CountingWriter::new(self.partial_file(&path)?));
        let written = write(&mut file).and_then(|written| file.flush().map(|()| written));
        written.map_err(unwritable(&path))
    }

    /// Writes the receipt, after all other files.
    pub fn write_receipt(&mut self, receipt: &Receipt) -> Result<(), Error> {
        self.write_file(RECEIPT, |file| {
            file.write_all(json::to_string_pretty(receipt)?.as_bytes())?;
            file.write_all(b"\n")
        })
    }

    /// Renames all files in the order in which they were created, so that the receipt, which was written last, is
    /// renamed last; only `last`, a durable file elsewhere, comes after it. Before that, when all files are durable,
    /// `record` stores these names, so that an interrupted commit can be completed.
    pub fn commit(
        &mut self,
        last: Option<&Path>,
        record: impl FnOnce(&[PathBuf]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        make_durable(&self.directory, &self.pending)?;
        let relative = |path: &PathBuf| path.strip_prefix(&self.directory).unwrap_or(path).to_owned();
        let names: Vec<PathBuf> = self.pending.iter().map(relative).chain(last.map(Path::to_owned)).collect();
        record(&names)?;
        name_files(&self.directory, &names)?;
        self.pending.clear();
        Ok(())
    }
}

impl Target {
    /// The part being written.
    fn part(&self) -> &Written {
        self.parts.last().expect("a target has parts")
    }
}

impl Drop for Output {
    /// An unfinished run leaves no file that looks like a result, and no file at all if there is no checkpoint to
    /// resume from.
    fn drop(&mut self) {
        if self.directory.join(CHECKPOINT).exists() {
            return;
        }
        for path in &self.pending {
            // A file that is no longer partial was renamed already.
            let partial = partial(path);
            let _ = durable::remove(if partial.exists() { &partial } else { path });
        }
        remove_folders(&self.directory, self.pending.iter().filter_map(|path| path.strip_prefix(&self.directory).ok()));
        if !self.pending.is_empty() {
            let _ = remove_leftovers(&self.directory);
        }
    }
}

/// Where blocks go.
#[derive(Default)]
pub(crate) enum Sink {
    /// Lines are only counted.
    #[default]
    Nothing,
    /// Files.
    Folder(Box<Output>),
    /// Standard output, or a writer in its place.
    Pipe(Pipe),
}

/// One file of an output mode, written to standard output, or to a writer in its place.
pub(crate) struct Pipe {
    out: Box<dyn Write + Send>,
    /// The index of the file; blocks of others are dropped.
    file: usize,
    /// The verdicts whose rows are written, without the verdict's column; if empty, all rows are written as they are.
    picked: Vec<&'static str>,
}

impl Pipe {
    /// Writes to `out`, beginning with a head.
    pub fn new(mut out: Box<dyn Write + Send>, file: usize, picked: &[Partition], head: &[u8]) -> Result<Pipe, Error> {
        out.write_all(head).and_then(|()| out.flush()).map_err(unprinted)?;
        Ok(Pipe { out, file, picked: picked.iter().map(|partition| partition.name()).collect() })
    }

    /// Writes the blocks of the pipe's file.
    fn write(&mut self, blocks: &[Block<'_>]) -> Result<(), Error> {
        let mut pieces = blocks.iter().filter(|block| block.file == self.file).flat_map(|block| &block.pieces);
        pieces
            .try_for_each(|piece| match self.picked.as_slice() {
                [] => self.out.write_all(piece),
                picked => self.out.write_all(&pick(piece, picked)),
            })
            .and_then(|()| self.out.flush())
            .map_err(unprinted)
    }
}

fn unprinted(error: io::Error) -> Error {
    let problem = Problem::from(error).within("cannot write to standard output: ").about(About::StandardOutput);
    ErrorKind::Output.of(problem)
}

/// The rows with one of these verdicts, without its column.
fn pick(rows: &[u8], verdicts: &[&str]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rows.len());
    for row in rows.split_inclusive(|&byte| byte == b'\n') {
        let end = memchr::memchr(SEPARATOR, row).unwrap_or(row.len());
        if verdicts.iter().any(|verdict| verdict.as_bytes() == &row[..end]) {
            out.extend_from_slice(rest_of_row(row, 1));
        }
    }
    out
}

impl Sink {
    /// Writes the blocks of a chunk in its turn.
    pub fn write(&mut self, blocks: &[Block<'_>]) -> Result<(), Error> {
        match self {
            Sink::Nothing => Ok(()),
            Sink::Folder(output) => output.write(blocks),
            Sink::Pipe(pipe) => pipe.write(blocks),
        }
    }

    /// The output folder, if files are written.
    pub fn folder(&mut self) -> Option<&mut Output> {
        match self {
            Sink::Folder(output) => Some(output),
            Sink::Nothing | Sink::Pipe(_) => None,
        }
    }
}
