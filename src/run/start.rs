//! Starts a run: from the beginning, or from the checkpoint of an interrupted run.

use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::checkpoint::{Checkpoint, Checkpointer, JobRecord, ListRecord, RunState, Stage};
use super::error::unreadable;
use super::file_sets::SetLists;
use super::job::{Destination, Folder, Pipe};
use super::memory::ORIGINS;
use super::needed::NeededList;
use super::pipeline::{Begun, OrderedState};
use super::plan::Plan;
use super::shape::{BlockBuilder, Frames, PlainText, RowGroups};
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::json::base64_of;
use crate::formats::shown;
use crate::input::list::{List, common_head};
use crate::output::columns::rest_of_row;
use crate::output::error::{columns_differ, not_resumable, unwritable};
use crate::output::file_layout::FileLayout;
use crate::output::folder::{FolderLock, NEEDED, RECEIPT, name_files, partial, replaced};
use crate::output::form::{FileFormat, OutputOptions};
use crate::output::missing_robots::{MissingRobots, MissingRobotsState};
use crate::output::partitions::{self, Output, SetStart, Sink};
use crate::output::receipt::{FilePart, Hex, Receipt, ReceiptOptions};
use crate::output::table::{TableSchema, WaitingRows};

/// Prepares the folder of a run, and locks it; or writes to `out` the head of the lines that it prints. Breaks with the receipt if an
/// earlier run is complete.
pub(super) fn start(
    plan: &Plan<'_>,
    out: Box<dyn Write + Send>,
) -> Result<(ControlFlow<Receipt, Begun>, Option<FolderLock>), Error> {
    let text = |state| Begun { state, shape: Box::new(PlainText { style: plan.style() }), checkpointer: None };
    let folder = match plan.destination() {
        None => return Ok((ControlFlow::Continue(text(OrderedState::new(plan, Sink::Nothing))), None)),
        Some(Destination::Pipe(pipe)) => {
            let listed = plan.job.robots_needed.as_deref().map(NeededList::new).transpose()?;
            let state = OrderedState::new(plan, Sink::Pipe(piped(pipe, plan, out)?));
            return Ok((ControlFlow::Continue(text(OrderedState { listed, ..state })), None));
        }
        Some(Destination::Folder(folder)) => folder,
    };
    let layout = FileLayout::new(&plan.options, &plan.splits())?;
    let directory = &folder.directory;
    if let Some(list) = replaced(directory, &layout, &plan.job.lists) {
        let message = format!("the output would replace the list {}; choose another folder", shown(list));
        return Err(ErrorKind::Job.of(message).about(About::Folder));
    }
    let sets = sets(plan, layout.style)?;
    let record = record(plan);
    if plan.job.resume && record.is_none() {
        let problem = "standard input and pipes cannot be read again; give files as lists";
        return Err(not_resumable(directory, problem));
    }
    let lock = FolderLock::take(directory)?;
    let interrupted = match &record {
        Some(record) if plan.job.resume => match earlier(plan, directory, record)? {
            ControlFlow::Continue(state) => state,
            ControlFlow::Break(receipt) => return Ok((ControlFlow::Break(receipt), Some(lock))),
        },
        _ => None,
    };
    Ok((ControlFlow::Continue(begin(plan, folder, layout, sets, record, interrupted)?), Some(lock)))
}

/// The pipe to `out`.
fn piped(pipe: &Pipe, plan: &Plan<'_>, out: Box<dyn Write + Send>) -> Result<partitions::Pipe, Error> {
    let (file, picked) = match pipe {
        Pipe::Only(partitions) => match partitions.as_slice() {
            [one] => (*one as usize, &[][..]),
            several => (0, several),
        },
        Pipe::Verdicts | Pipe::BlockedFor => (0, &[][..]),
    };
    let lists_head = common_head(&plan.lists.iter().collect::<Vec<_>>())?;
    let mut head = plan.file_style().head(file, &plan.splits(), lists_head);
    if !picked.is_empty() {
        // The verdict's column is not printed; without other columns, no head line is needed.
        let has_others = plan.file_style().columns_of_verdict() > 1;
        head = if has_others { rest_of_row(&head, 1).to_vec() } else { lists_head.to_vec() };
    }
    partitions::Pipe::new(out, file, picked, &head)
}

/// The identity of the job; `None` if its lists cannot be read again.
fn record(plan: &Plan<'_>) -> Option<JobRecord> {
    let list = |list: &List| {
        let (path, path_base64) = (list.path.display().to_string(), base64_of(&list.path));
        Some(ListRecord { path, path_base64, file: list.file_state()? })
    };
    Some(JobRecord {
        robosieve: env!("CARGO_PKG_VERSION").to_owned(),
        options: ReceiptOptions { threads: 0, ..plan.options.clone() },
        agents: plan.all_agents().map(ToString::to_string).collect(),
        dialect: plan.policy.dialect().name.to_owned(),
        policy_checksum: Hex(plan.policy.checksum()),
        lists: plan.lists.iter().map(list).collect::<Option<_>>()?,
    })
}

/// The sets of files with their heads, and the table of each if they are Parquet.
fn sets(plan: &Plan<'_>, files: OutputOptions) -> Result<(Vec<SetStart>, Vec<TableSchema>), Error> {
    let (mut sets, mut tables) = (Vec::<SetStart>::new(), Vec::<TableSchema>::new());
    for SetLists { folder, inner, lists: numbers } in &plan.sets.sets {
        let first = numbers.start;
        let lists: Vec<&List> = plan.lists[numbers.clone()].iter().collect();
        let (mut head, mut empty_end, mut dropped) = (Vec::new(), Arc::default(), Vec::new());
        match files.format {
            FileFormat::Text => head = common_head(&lists)?.to_vec(),
            FileFormat::Parquet => {
                let mut table = TableSchema::of(&lists, first, files, &plan.splits(), plan.options.path_columns)?;
                empty_end = Arc::from(table.empty_end()?);
                if let Some(SetStart { empty_end: last, .. }) = sets.last().filter(|set| set.empty_end == empty_end) {
                    empty_end = Arc::clone(last);
                }
                dropped = table.dropped_keys().iter().map(|(place, key)| (first + place, key.clone())).collect();
                let one = tables.first().filter(|one| !plan.options.per_input && !one.has_columns_of(&table));
                if let (Some(_), [list, ..]) = (one, &lists[..]) {
                    return Err(columns_differ(&plan.lists[0].path, &list.path));
                }
                if let Some(last) = tables.last() {
                    table.share(last);
                }
                tables.push(table);
            }
        }
        let (folder, inner) = (folder.clone(), inner.clone());
        sets.push(SetStart { folder, inner, head, empty_end, dropped });
    }
    Ok((sets, tables))
}

/// Begins to write files, after the chunks of the `interrupted` run, if there was one.
fn begin(
    plan: &Plan<'_>,
    Folder { directory, force, .. }: &Folder,
    layout: FileLayout,
    (sets, tables): (Vec<SetStart>, Vec<TableSchema>),
    record: Option<JobRecord>,
    interrupted: Option<RunState>,
) -> Result<Begun, Error> {
    let seconds = interrupted.as_ref().map_or(0.0, |state| state.seconds);
    let checkpointer = record.map(|record| Checkpointer::new(record, directory.clone(), plan.job.checkpoint, seconds));
    let output = match &interrupted {
        Some(state) => Output::resume(directory, sets, layout, &state.files)?,
        None => Output::create(directory, sets, layout, *force)?,
    };
    let none = checkpointer.as_ref().map(|_| MissingRobotsState::default());
    let stored = interrupted.as_ref().map(|state| &state.needed);
    let needed = match MissingRobots::new(directory, plan.memory.share(ORIGINS), stored.or(none.as_ref())) {
        Err(error) if interrupted.is_some() && error.kind() == io::ErrorKind::NotFound => {
            return Err(not_resumable(directory, &format!("a stored part of {NEEDED} is gone")));
        }
        other => other.map_err(unwritable(directory))?,
    };
    let shape = shape(plan, tables, directory, checkpointer.is_some(), interrupted.as_ref())?;
    let mut state = OrderedState::new(plan, Sink::Folder(Box::new(output)));
    state.needed = Some(needed);
    if let Some(RunState { totals, reached, .. }) = interrupted {
        (state.totals, state.reached) = (totals, reached);
    }
    Ok(Begun { state, shape, checkpointer })
}

/// The shape of files in a folder, with the lines or rows that wait from an interrupted run.
fn shape(
    plan: &Plan<'_>,
    tables: Vec<TableSchema>,
    directory: &Path,
    are_kept: bool,
    state: Option<&RunState>,
) -> Result<Box<dyn BlockBuilder>, Error> {
    let ReceiptOptions { compress, threads, .. } = plan.options;
    if !tables.is_empty() {
        let none = waiting_rows(plan, directory, are_kept);
        let waiting = match state {
            Some(state) => none.resume(&state.rows)?,
            None => none,
        };
        return Ok(Box::new(RowGroups::new(tables, waiting, threads)));
    }
    let style = plan.file_style();
    Ok(match compress {
        Some(format) => Box::new(Frames::new(style, format, state.map(|state| state.gathered.clone()))),
        None => Box::new(PlainText { style: Some(style) }),
    })
}

/// No rows that wait yet.
fn waiting_rows(plan: &Plan<'_>, directory: &Path, are_kept: bool) -> WaitingRows {
    // Rows take more space in memory than in files, so rows of half a file's size always fit into one file.
    let of_file = plan.options.split_size.map_or(u64::MAX, |size| size / 2);
    let group_bytes = plan.memory.row_group().min(of_file);
    WaitingRows::new(directory.to_owned(), group_bytes, plan.waiting_rows(), are_kept)
}

/// The state of the interrupted run in the folder, if there is one. Breaks with the receipt of a complete one, whose files get their
/// names if it was interrupted only then.
fn earlier(
    plan: &Plan<'_>,
    directory: &Path,
    record: &JobRecord,
) -> Result<ControlFlow<Receipt, Option<RunState>>, Error> {
    let refused = |problem: String| not_resumable(directory, &problem);
    let Some(checkpoint) = Checkpoint::read(directory)? else {
        let Some(receipt) = receipt_in(directory)? else { return Ok(ControlFlow::Continue(None)) };
        return match difference_of_complete(directory, &receipt, record, plan.chunks_count()) {
            Some(difference) => Err(refused(format!("it is complete, but {difference}"))),
            None => Ok(ControlFlow::Break(receipt)),
        };
    };
    // While files are being renamed, the file of seen URLs may have become the new one; it is checked below.
    let seen =
        if matches!(checkpoint.stage, Stage::Naming(_)) { checkpoint.job.options.seen } else { record.options.seen };
    let now = JobRecord { options: ReceiptOptions { seen, ..record.options.clone() }, ..record.clone() };
    if let Some(difference) = checkpoint.job.difference(&now, plan.chunks_count()) {
        return Err(refused(difference));
    }
    let names = match checkpoint.stage {
        Stage::Judging(state) => return Ok(ControlFlow::Continue(Some(*state))),
        Stage::Naming(names) => names,
    };
    let written = receipt_at(&partial(&directory.join(RECEIPT)))?.or(receipt_in(directory)?);
    if let Some((place, new)) = plan.seen.as_ref().zip(written.and_then(|receipt| receipt.seen_file)) {
        place.ensure_written(checkpoint.job.options.seen.unwrap_or(Hex(0)), new.checksum)?;
    }
    name_files(directory, &names)?;
    let receipt = receipt_in(directory)?.ok_or_else(|| refused("its receipt is gone".to_owned()))?;
    Ok(ControlFlow::Break(receipt))
}

/// How a complete run in a folder differs from the result of a run with this record, if it does.
fn difference_of_complete(directory: &Path, receipt: &Receipt, now: &JobRecord, chunks_count: bool) -> Option<String> {
    if !receipt.shards.is_empty() {
        return Some("it was joined from shards".to_owned());
    }
    let Some(then) = JobRecord::of(receipt) else {
        return Some("of another job: it read standard input or a pipe".to_owned());
    };
    let mut now = now.clone();
    if receipt.seen_file.as_ref().map(|file| file.checksum) == now.options.seen {
        // The run itself has changed the file.
        now.options.seen = then.options.seen;
    }
    if let Some(difference) = then.difference(&now, chunks_count) {
        return Some(format!("of another job: {difference}"));
    }
    let metadata_of = |name: &str| fs::metadata(directory.join(name)).ok().filter(fs::Metadata::is_file);
    let changed = |file: &FilePart| match metadata_of(&file.name) {
        None => Some(format!("its {} is gone", file.name)),
        Some(found) if found.len() != file.file_bytes => {
            Some(format!("its {} had {} bytes, but now it has {}", file.name, file.file_bytes, found.len()))
        }
        Some(_) => None,
    };
    let needed = || metadata_of(NEEDED).is_none().then(|| format!("its {NEEDED} is gone"));
    receipt.file_lists().flatten().find_map(changed).or_else(needed)
}

/// The receipt of a complete run in a folder.
fn receipt_in(directory: &Path) -> Result<Option<Receipt>, Error> {
    receipt_at(&directory.join(RECEIPT))
}

fn receipt_at(path: &Path) -> Result<Option<Receipt>, Error> {
    Receipt::read(path).map_err(|error| unreadable(path, &error))
}

/// A run in a folder, interrupted or complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EarlierRun {
    /// The time relative to which it computes ages: a resumed run uses the same time for all lines.
    pub now: i64,
    /// Lines that are durable.
    pub lines: u64,
    /// The size of its chunks in bytes, on which the contents of frames depend.
    pub chunk_size: usize,
}

/// The run that was begun in a folder, if there is one.
///
/// # Errors
///
/// If its checkpoint or receipt cannot be read, or if it is still running.
pub fn earlier_run(directory: &Path) -> Result<Option<EarlierRun>, Error> {
    if !directory.exists() {
        return Ok(None);
    }
    let _lock = FolderLock::take(directory)?;
    let lines_of = |receipt: &Receipt| receipt.input.lines;
    let earlier = |options: &ReceiptOptions, lines| {
        Some(EarlierRun { now: options.choices.now, lines, chunk_size: options.chunk_size })
    };
    let receipt = receipt_in(directory)?;
    if let Some(Checkpoint { job, stage }) = Checkpoint::read(directory)? {
        let lines = match stage {
            Stage::Judging(state) => state.totals.lines(),
            Stage::Naming(_) => receipt.as_ref().map_or(0, lines_of),
        };
        return Ok(earlier(&job.options, lines));
    }
    Ok(receipt.and_then(|receipt| earlier(&receipt.options, lines_of(&receipt))))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::dialect::Dialect;
    use crate::policy::Captures;
    use crate::robots::Agents;
    use crate::run::{Folder, Job, Progress};

    #[test]
    fn a_run_goes_on_with_other_workers_unless_chunks_of_another_size_show() {
        let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy().unwrap();
        let place = tempfile::tempdir().unwrap();
        let list = place.path().join("list");
        fs::write(&list, "http://a.example/\n").unwrap();
        let run = |name: &str, threads, chunk_size, resume| {
            let mut job = Job::new([list.clone()], vec![policy.crawler(None).unwrap()]).explain(true);
            (job.threads, job.chunk_size, job.resume) = (threads, chunk_size, resume);
            job.destination = Some(Folder::new(place.path().join(name)).into());
            // A resumed run judges at the time of the run before, and the clock goes on.
            job.choices.now = 0;
            job.run(&policy, &Progress::default())
        };
        let size = run("out", 1, 0, false).unwrap().options.chunk_size;
        // Workers so many have shorter chunks.
        let other = run("other", 16, 0, false).unwrap().options.chunk_size;
        assert!(other < size, "{other} {size}");
        assert_eq!(run("out", 16, 0, true).unwrap().options.chunk_size, size);
        let refused = run("out", 16, other, true).unwrap_err().to_string();
        assert!(refused.contains("chunk-size"), "{refused}");
    }
}
