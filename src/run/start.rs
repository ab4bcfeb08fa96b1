//! How a run starts: anew, or where one was interrupted.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use super::checkpoint::{Border, Checkpoint, JobRecord, ListRecord, Stage};
use super::job::{Destination, Folder, Job, Pipe};
use super::keeper::Keeper;
use super::memory::Memory;
use super::turns::Destinations;
use crate::input::error::FilterError;
use crate::input::list::{List, common_head};
use crate::output::commit::give_names;
use crate::output::earlier::replaced;
use crate::output::file_layout::FileLayout;
use crate::output::folder_lock::FolderLock;
use crate::output::form::{Rows, rest_of_row};
use crate::output::format::Format;
use crate::output::keep::Keep;
use crate::output::names::{NEEDED, RECEIPT};
use crate::output::naming::list_folder;
use crate::output::needed::{Needed, NeededState};
use crate::output::partitions::{Output, SetStart};
use crate::output::receipt::{FilePart, Hex, Receipt, ReceiptOptions};
use crate::output::records;
use crate::output::sink::{self, Sink};
use crate::output::table::Table;
use crate::policy::{Crawler, Policy};
use crate::robots::Agents;

/// The sets of files of a run; where they are tables, what they look like.
struct Sets {
    starts: Vec<SetStart>,
    tables: Vec<Table>,
}

/// What a run starts with.
pub(super) enum Start {
    /// Lines are to be judged, from the border on if there is one.
    Judging(Box<Option<Destinations>>, Option<Box<Border>>),
    /// An earlier run did it all.
    Done(Box<Receipt>),
}

/// Prepares the folder of a job, and locks it.
pub(super) fn start(
    policy: &Policy,
    job: &Job,
    options: &ReceiptOptions,
    lists: &[List],
    memory: Memory,
) -> Result<(Start, Option<FolderLock>), FilterError> {
    let agents: Vec<&Agents> = job.crawlers.iter().map(Crawler::agents).collect();
    let destination = match &job.destination {
        None => return Ok((Start::Judging(Box::default(), None), None)),
        Some(Destination::Pipe(pipe)) => {
            return Ok((Start::Judging(Box::new(Some(piped(pipe, job, lists)?)), None), None));
        }
        Some(Destination::Folder(folder)) => folder,
    };
    let (form, format) = (destination.form, destination.format);
    let rows = Rows { form, format, explain: job.explain, crawlers: agents.len() };
    let layout = FileLayout::new(rows, &agents, destination.compress, destination.split_size)?;
    let directory = &destination.directory;
    if let Some(list) = replaced(directory, &layout, &job.lists) {
        return Err(FilterError::ListInOutput { path: list.clone() });
    }
    let sets = sets(destination, rows, &agents, lists)?;
    let record = record(policy, job, options, lists);
    if job.long_run.resume {
        let problem = "standard input and pipes cannot be read again; give files as lists".to_owned();
        let record = record.ok_or_else(|| FilterError::NotResumable { path: directory.clone(), problem })?;
        let lock = FolderLock::take(directory)?;
        return Ok((resume(destination, job, sets, layout, record, memory)?, Some(lock)));
    }
    let lock = FolderLock::take(directory)?;
    Ok((anew(destination, job, sets, layout, record, memory)?, Some(lock)))
}

/// What goes to standard output, of which nothing is kept.
fn piped(pipe: &Pipe, job: &Job, lists: &[List]) -> Result<Destinations, FilterError> {
    let crawlers = job.crawlers.len();
    let (file, picked) = match pipe {
        Pipe::Only(_) if crawlers > 1 => return Err(FilterError::SeveralCrawlers { given: crawlers }),
        Pipe::Only(partitions) => match partitions.as_slice() {
            [one] => (*one as usize, &[][..]),
            several => (0, several),
        },
        Pipe::Verdicts => (0, &[][..]),
    };
    let rows = Rows { form: pipe.form(), format: Format::Text, explain: job.explain, crawlers };
    let agents: Vec<Agents> = job.crawlers.iter().map(|crawler| crawler.agents().clone()).collect();
    let of_lists = common_head(&lists.iter().collect::<Vec<_>>())?;
    let mut head = rows.head(file, &agents, of_lists);
    if !picked.is_empty() {
        // The column of the verdict is not printed; without others, lines need no head of ours.
        head = if job.explain { rest_of_row(&head, 1).to_vec() } else { of_lists.to_vec() };
    }
    let sink = Sink::Pipe(sink::Pipe::new(file, picked, &head)?);
    Ok(Destinations { sink, needed: None, rows, frames: None, tables: Vec::new(), per_input: false, keeper: None })
}

/// What makes the job the one that it is; `None` where its lists cannot be read again.
fn record(policy: &Policy, job: &Job, options: &ReceiptOptions, lists: &[List]) -> Option<JobRecord> {
    let list = |list: &List| Some(ListRecord { path: list.path.display().to_string(), file: list.file_state()? });
    Some(JobRecord {
        robosieve: env!("CARGO_PKG_VERSION").to_owned(),
        options: ReceiptOptions { threads: 0, ..options.clone() },
        agents: job.crawlers.iter().map(|crawler| crawler.agents().to_string()).collect(),
        dialect: policy.dialect().name.to_owned(),
        policy_checksum: Hex(policy.checksum()),
        lists: lists.iter().map(list).collect::<Option<_>>()?,
    })
}

/// The sets of files, with what these begin with.
fn sets(destination: &Folder, files: Rows, agents: &[&Agents], lists: &[List]) -> Result<Sets, FilterError> {
    let folders: Vec<(String, Vec<&List>)> = if destination.per_input {
        let lists = lists.iter().enumerate();
        lists.map(|(place, list)| (list_folder(place, &list.path), vec![list])).collect()
    } else {
        vec![(String::new(), lists.iter().collect())]
    };
    let mut sets = Sets { starts: Vec::new(), tables: Vec::new() };
    for (folder, lists) in folders {
        let (mut head, mut nothing) = (Vec::new(), Vec::new());
        match destination.format {
            Format::Text => head = common_head(&lists)?.to_vec(),
            Format::Parquet => {
                let table = Table::of(&lists, files, agents)?;
                nothing = table.nothing()?;
                sets.tables.push(table);
            }
        }
        sets.starts.push(SetStart { folder, head, nothing });
    }
    Ok(sets)
}

fn anew(
    destination: &Folder,
    job: &Job,
    sets: Sets,
    layout: FileLayout,
    record: Option<JobRecord>,
    memory: Memory,
) -> Result<Start, FilterError> {
    let directory = &destination.directory;
    let output = Output::create(directory, &sets.starts, layout, destination.force)?;
    let needed = match record {
        Some(_) => Needed::resumable(directory, memory.needed(), &NeededState::default()),
        None => Ok(Needed::new(directory, memory.needed())),
    };
    let needed = needed.map_err(|error| FilterError::Output { path: directory.clone(), error })?;
    let keeper =
        record.map(|record| Keeper::new(record, directory.clone(), job.long_run.checkpoint, None)).map(Arc::new);
    Ok(Start::Judging(Box::new(Some(destinations(destination, output, sets.tables, needed, keeper))), None))
}

/// Goes on where the checkpoint in the folder says; anew, where there is no run yet.
fn resume(
    destination: &Folder,
    job: &Job,
    sets: Sets,
    layout: FileLayout,
    record: JobRecord,
    memory: Memory,
) -> Result<Start, FilterError> {
    let directory = &destination.directory;
    let refused = |problem| FilterError::NotResumable { path: directory.clone(), problem };
    let Some(checkpoint) = Checkpoint::read(directory)? else {
        return match receipt_in(directory)? {
            Some(mut receipt) => match difference_of_complete(directory, &mut receipt, &record) {
                Some(difference) => Err(refused(format!("it is complete, but {difference}"))),
                None => Ok(Start::Done(Box::new(receipt))),
            },
            None => anew(destination, job, sets, layout, Some(record), memory),
        };
    };
    if let Some(difference) = checkpoint.job.difference(&record) {
        return Err(refused(difference));
    }
    match checkpoint.stage {
        Stage::Naming(names) => {
            give_names(directory, &names)?;
            let receipt = receipt_in(directory)?;
            receipt
                .map(|receipt| Start::Done(Box::new(receipt)))
                .ok_or_else(|| refused("its receipt is gone".to_owned()))
        }
        Stage::Judging(border) => {
            let seconds = Some(border.seconds);
            let keeper = Arc::new(Keeper::new(record, directory.clone(), job.long_run.checkpoint, seconds));
            let output =
                Output::resume(directory, &sets.starts, layout, &border.files, Arc::clone(&keeper) as Arc<dyn Keep>)?;
            let needed = match Needed::resumable(directory, memory.needed(), &border.needed) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(refused(format!("a part of {NEEDED} that it had stored is gone")));
                }
                other => other.map_err(|error| FilterError::Output { path: directory.clone(), error })?,
            };
            let destinations = destinations(destination, output, sets.tables, needed, Some(keeper));
            Ok(Start::Judging(Box::new(Some(destinations)), Some(border)))
        }
    }
}

/// Why a complete run in a folder is not what a run of this record would come to, if it is not.
fn difference_of_complete(directory: &Path, receipt: &mut Receipt, now: &JobRecord) -> Option<String> {
    if !receipt.shards.is_empty() {
        return Some("it was joined of shards".to_owned());
    }
    let Some(then) = JobRecord::of(receipt) else {
        return Some("of another job: it read standard input or a pipe".to_owned());
    };
    if let Some(difference) = then.difference(now) {
        return Some(format!("of another job: {difference}"));
    }
    let is_there = |name: &str| fs::metadata(directory.join(name)).ok().filter(fs::Metadata::is_file);
    let changed = |file: &FilePart| match is_there(&file.name) {
        None => Some(format!("its {} is gone", file.name)),
        Some(there) if there.len() != file.file_bytes => {
            Some(format!("its {} had {} bytes, now it has {}", file.name, file.file_bytes, there.len()))
        }
        Some(_) => None,
    };
    let needed = || is_there(NEEDED).is_none().then(|| format!("its {NEEDED} is gone"));
    receipt.file_lists().flatten().find_map(|file| changed(file)).or_else(needed)
}

fn destinations(
    destination: &Folder,
    mut output: Output,
    tables: Vec<Table>,
    needed: Needed,
    keeper: Option<Arc<Keeper>>,
) -> Destinations {
    if let Some(keeper) = &keeper {
        output.keep_with(Arc::clone(keeper) as Arc<dyn Keep>);
    }
    let (&Folder { compress, per_input, .. }, rows) = (destination, output.rows());
    let (sink, needed) = (Sink::Folder(Box::new(output)), Some(needed));
    Destinations { sink, needed, rows, frames: compress, tables, per_input, keeper }
}

/// The receipt of a complete run in a folder.
fn receipt_in(directory: &Path) -> Result<Option<Receipt>, FilterError> {
    let path = directory.join(RECEIPT);
    records::read(&path).map_err(|error| FilterError::Checkpoint { path, error })
}

/// A run in a folder that was interrupted, or is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    /// The time that it judges ages at: a run that goes on judges all lines at one time.
    pub now: i64,
    /// Lines that are done for certain.
    pub lines: u64,
    /// Bytes of its chunks: what is gathered into one frame depends on them.
    pub chunk_size: usize,
}

/// The run that was begun in a folder, if there is any.
///
/// # Errors
///
/// [`FilterError::Checkpoint`] where its checkpoint or receipt cannot be read, [`FilterError::InUse`] where it goes on.
pub fn begun(directory: &Path) -> Result<Option<Begun>, FilterError> {
    if !directory.exists() {
        return Ok(None);
    }
    let _lock = FolderLock::take(directory)?;
    let lines_of = |receipt: &Receipt| receipt.input.lines;
    let begun = |options: &ReceiptOptions, lines| {
        Some(Begun { now: options.choices.now, lines, chunk_size: options.chunk_size })
    };
    let receipt = receipt_in(directory)?;
    if let Some(Checkpoint { job, stage }) = Checkpoint::read(directory)? {
        let lines = match stage {
            Stage::Judging(border) => border.totals.input.lines,
            Stage::Naming(_) => receipt.as_ref().map_or(0, lines_of),
        };
        return Ok(begun(&job.options, lines));
    }
    Ok(receipt.and_then(|receipt| begun(&receipt.options, lines_of(&receipt))))
}
