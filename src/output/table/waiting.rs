//! Rows that wait until there are enough of them for a row group.
//!
//! A chunk may have ten rows for a file and the next chunk a hundred thousand, and engines read small row groups
//! slowly. So the rows for a file wait here, chunk after chunk, until they fill a row group. Chunks arrive in order, so
//! where groups end depends only on the chunks, not on which worker judged them. The groups are encoded elsewhere, in
//! parallel.
//!
//! The buffers of Parquet's own writers would not do: they cannot be stored, neither for want of memory nor for a run that resumes, and
//! each has the encoders of all columns from its first row on (benches/README.md has the numbers).
//!
//! All files share a budget. Rows beyond it, and at a checkpoint all rows, are stored on disk: in unnamed files, or in
//! named files if another process may resume with them.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::concat::concat_batches;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

use super::rows::FileRows;
use super::shared::{StoredBatch, StoredFile, StoredRows, TakenRows};
use crate::error::run::Error;
use crate::formats::columnar::{Malformed, guarded, leaves};
use crate::formats::spill::{Spill, Spilled};
use crate::input::error::not_read_back;
use crate::output::error::{not_resumable, unwritable};
use crate::output::folder::{WAITING_ROWS, partial};

/// Rows of a row group that is large enough; engines make groups of 100,000 to a million.
const GROUP_ROWS: usize = 100_000;

/// How many row groups with enough rows are taken at a time, so that the rest can become larger: the files of 64 crawlers often have
/// enough at the same chunk, and the worker that hands it in holds all their encoded bytes.
const AT_ONCE: usize = 4;

/// Rows of a row group that does not wait for its turn.
const MOST_ROWS: usize = 2 * GROUP_ROWS;

/// Bytes of rows that are not copied, because they are a row group by themselves.
const COMPACTED_BYTES: u64 = 64 << 20;

/// Batches of up to so many rows are put together.
const FEW_ROWS: usize = 8192;

/// Rows may hold this part of their own memory of other rows.
const MOST_OF_OTHERS: u64 = 2;

/// The rows that wait for each file of the sets that have not ended.
pub(crate) struct WaitingRows {
    folder: Arc<Path>,
    files: BTreeMap<(usize, usize), Waiting>,
    /// The bytes of rows in memory, and how many there may be.
    in_memory: u64,
    budget: u64,
    /// Bytes of a row group that is large enough.
    group_bytes: u64,
    spill: Spill,
    /// The files of the last checkpoint, and the number of the first one after it.
    needed: BTreeSet<u64>,
    first_new: u64,
}

/// The rows that wait for a file.
#[derive(Default)]
struct Waiting {
    batches: Vec<WaitingBatch>,
    rows: usize,
    bytes: u64,
}

/// Rows of some chunks that wait.
struct WaitingBatch {
    rows: usize,
    bytes: u64,
    place: RowsAt,
}

/// Where rows wait.
enum RowsAt {
    Memory(RecordBatch),
    /// On disk, with this XXH3.
    Stored(Spilled, u64),
}

/// Rows of a file that are enough for a row group, or the last ones.
pub(crate) struct FullGroup {
    pub set: usize,
    file: usize,
    batches: Vec<WaitingBatch>,
    folder: Arc<Path>,
}

impl FileRows {
    /// Frees the memory of other rows that were read with these, if these will wait and it is much.
    pub fn compact(&mut self) -> Result<(), Error> {
        let bytes = bytes_of(&self.batch);
        let is_alone = memory_of(&self.batch) <= bytes + bytes / MOST_OF_OTHERS;
        if self.batch.num_rows() < GROUP_ROWS && bytes < COMPACTED_BYTES && !is_alone {
            self.batch = compacted(&self.batch).map_err(Malformed::from)?;
        }
        Ok(())
    }
}

impl WaitingRows {
    /// No rows yet. `group_bytes` are enough for a row group. Rows in memory may take `budget` bytes, others are stored in
    /// `folder`; in files that outlive the process, if they `are_kept` for another one.
    pub fn new(folder: PathBuf, group_bytes: u64, budget: u64, are_kept: bool) -> WaitingRows {
        let spill = if are_kept { Spill::named(&folder, stored_path) } else { Spill::unnamed(&folder) };
        let (files, needed) = (BTreeMap::new(), BTreeSet::new());
        WaitingRows { folder: folder.into(), files, in_memory: 0, budget, group_bytes, spill, needed, first_new: 0 }
    }

    /// With the rows of an interrupted run.
    ///
    /// # Errors
    ///
    /// If they are gone.
    pub fn resume(mut self, state: &StoredRows) -> Result<WaitingRows, Error> {
        self.group_bytes = state.group_bytes;
        for StoredFile { set, file, batches } in &state.files {
            let of_file = self.files.entry((*set, *file)).or_default();
            for &StoredBatch { rows, bytes, place, checksum } in batches {
                let stored =
                    self.spill.reopen(place).map_err(|_| not_resumable(&self.folder, "stored rows are gone"))?;
                self.needed.insert(place.number);
                of_file.push(WaitingBatch { rows, bytes, place: RowsAt::Stored(stored, checksum) });
            }
        }
        self.first_new = self.spill.begin_file();
        Ok(self)
    }

    /// Takes the rows of the next chunk. Returns those that now become row groups: first the rest of sets that have `ended`,
    /// then the others in the order of the files.
    pub fn take(&mut self, rows: Vec<FileRows>, ended: &[usize]) -> Result<Vec<FullGroup>, Error> {
        let mut full = Vec::new();
        for &ended in ended {
            let files: Vec<(usize, usize)> =
                self.files.range((ended, 0)..(ended + 1, 0)).map(|(&key, _)| key).collect();
            full.extend(files.into_iter().filter_map(|key| self.remove(key)));
        }
        for FileRows { set, file, batch } in rows {
            for batch in pieces(&batch, self.group_bytes) {
                self.in_memory += bytes_of(&batch);
                let of_file = self.files.entry((set, file)).or_default();
                of_file.add(batch).map_err(Malformed::from)?;
                if of_file.rows >= MOST_ROWS || of_file.bytes >= self.group_bytes {
                    full.extend(self.remove((set, file)));
                }
            }
        }
        let has_enough = |waiting: &Waiting| waiting.rows >= GROUP_ROWS;
        let mut enough: Vec<_> = self.files.iter().filter(|(_, waiting)| has_enough(waiting)).collect();
        enough.sort_by_key(|(key, waiting)| (Reverse(waiting.rows), **key));
        let some: Vec<_> = enough.into_iter().take(AT_ONCE).map(|(key, _)| *key).collect();
        full.extend(some.into_iter().filter_map(|key| self.remove(key)));
        while self.in_memory + self.in_memory / MOST_OF_OTHERS > self.budget && self.store_largest()? {}
        Ok(full)
    }

    /// Returns all rows that still wait.
    pub fn rest(mut self) -> Vec<FullGroup> {
        take(&mut self.files).into_iter().filter_map(|(key, waiting)| self.group(key, waiting)).collect()
    }

    /// Stores all rows, so that another run can resume with them.
    pub fn checkpoint(&mut self) -> Result<TakenRows, Error> {
        let (mut files, mut needed) = (Vec::new(), BTreeSet::new());
        for (&(set, file), waiting) in &mut self.files {
            let mut batches = Vec::new();
            for batch in &mut waiting.batches {
                let (rows, bytes) = (batch.rows, batch.bytes);
                let (&Spilled { place, .. }, checksum) = batch.store(&mut self.spill, &self.folder)?;
                needed.insert(place.number);
                batches.push(StoredBatch { rows, bytes, place, checksum });
            }
            files.push(StoredFile { set, file, batches });
        }
        self.in_memory = 0;
        let (first_new, next) = (self.first_new, self.spill.begin_file());
        let exist = self.needed.iter().copied().chain(first_new..next);
        let outdated =
            exist.filter(|number| !needed.contains(number)).map(|number| name(&self.folder, number)).collect();
        let added = needed.range(first_new..).map(|&number| name(&self.folder, number)).collect();
        (self.needed, self.first_new) = (needed, next);
        Ok(TakenRows { rows: StoredRows { group_bytes: self.group_bytes, files }, added, outdated })
    }

    fn remove(&mut self, key: (usize, usize)) -> Option<FullGroup> {
        let waiting = self.files.remove(&key)?;
        self.in_memory -= waiting.in_memory();
        self.group(key, waiting)
    }

    fn group(&self, (set, file): (usize, usize), Waiting { batches, rows, .. }: Waiting) -> Option<FullGroup> {
        (rows > 0).then(|| FullGroup { set, file, batches, folder: Arc::clone(&self.folder) })
    }

    /// Moves the rows of the file with the most of them out of memory; returns whether there were any.
    fn store_largest(&mut self) -> Result<bool, Error> {
        let Some(largest) = self.files.values_mut().max_by_key(|waiting| waiting.in_memory()) else { return Ok(false) };
        let freed = largest.in_memory();
        for waiting in &mut largest.batches {
            waiting.store(&mut self.spill, &self.folder)?;
        }
        self.in_memory -= freed;
        Ok(freed > 0)
    }
}

/// The rows of a batch in pieces of about this many bytes, with the same number of rows each.
fn pieces(batch: &RecordBatch, bytes: u64) -> impl Iterator<Item = RecordBatch> {
    let (rows, parts) = (batch.num_rows(), bytes_of(batch).div_ceil(bytes.max(1)).max(1));
    let of_part = rows.div_ceil(usize::try_from(parts).unwrap_or(usize::MAX)).max(1);
    (0..rows).step_by(of_part).map(move |first| batch.slice(first, of_part.min(rows - first)))
}

impl Waiting {
    fn push(&mut self, batch: WaitingBatch) {
        self.rows += batch.rows;
        self.bytes += batch.bytes;
        self.batches.push(batch);
    }

    /// Adds rows of a chunk. Few rows are put together with those before them, because a batch takes some KiB besides its rows: with
    /// 64 crawlers, a hundred files wait for rows that come a dozen a chunk. A row is copied about as often as its batch is doubled.
    fn add(&mut self, batch: RecordBatch) -> Result<(), ArrowError> {
        self.push(WaitingBatch::new(batch.num_rows(), bytes_of(&batch), batch));
        while let [.., one, other] = &self.batches[..]
            && let (RowsAt::Memory(first), RowsAt::Memory(second)) = (&one.place, &other.place)
            && one.rows <= 2 * other.rows
            && one.rows + other.rows <= FEW_ROWS
        {
            let both = compacted(&concat_batches(&first.schema(), [first, second])?)?;
            // As many bytes as if they were apart, so that it does not matter for the row groups which are.
            let both = WaitingBatch::new(one.rows + other.rows, one.bytes + other.bytes, both);
            self.batches.truncate(self.batches.len() - 2);
            self.batches.push(both);
        }
        Ok(())
    }

    fn in_memory(&self) -> u64 {
        let is_in_memory = |waiting: &&WaitingBatch| matches!(waiting.place, RowsAt::Memory(_));
        self.batches.iter().filter(is_in_memory).map(|waiting| waiting.bytes).sum()
    }
}

impl WaitingBatch {
    fn new(rows: usize, bytes: u64, batch: RecordBatch) -> WaitingBatch {
        WaitingBatch { rows, bytes, place: RowsAt::Memory(batch) }
    }

    /// Moves the rows out of memory, unless they are stored. Returns where they are, and the XXH3 of what is stored.
    fn store(&mut self, spill: &mut Spill, folder: &Path) -> Result<(&Spilled, u64), Error> {
        if let RowsAt::Memory(batch) = &self.place {
            let bytes = guarded(|| encoded(batch))?;
            let stored = spill.put(|out| out.write_all(&bytes)).map_err(unwritable(folder))?;
            self.place = RowsAt::Stored(stored, xxh3_64(&bytes));
        }
        match &self.place {
            RowsAt::Stored(stored, checksum) => Ok((stored, *checksum)),
            RowsAt::Memory(_) => unreachable!("rows that were stored"),
        }
    }

    /// The rows.
    fn read_back(self, folder: &Path) -> Result<RecordBatch, Error> {
        let (stored, checksum) = match self.place {
            RowsAt::Memory(batch) => return Ok(batch),
            RowsAt::Stored(stored, checksum) => (stored, checksum),
        };
        let failed = not_read_back(folder);
        let mut bytes = Vec::new();
        stored.read().read_to_end(&mut bytes).map_err(failed)?;
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

/// Rows as they are stored.
fn encoded(batch: &RecordBatch) -> Result<Vec<u8>, Malformed> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(batch)?;
    Ok(writer.into_inner()?)
}

/// The path of a file of stored rows, which stays [partial].
fn stored_path(folder: &Path, number: u64) -> PathBuf {
    partial(&name(folder, number))
}

fn name(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{WAITING_ROWS}.{number}"))
}

impl FullGroup {
    /// The set, the file and the rows: one batch, so that it does not matter for the bytes of the row group in how many they waited.
    pub(super) fn read_back(self) -> Result<(usize, usize, RecordBatch), Error> {
        let batches = self.batches.into_iter().map(|waiting| waiting.read_back(&self.folder));
        let batches = batches.collect::<Result<Vec<_>, _>>()?;
        let schema = batches.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
        let all = guarded(|| Ok::<_, Malformed>(concat_batches(&schema, &batches)?))?;
        Ok((self.set, self.file, all))
    }
}

/// The bytes of rows, however they are in memory.
pub(super) fn bytes_of(batch: &RecordBatch) -> u64 {
    let mut bytes = 0;
    let mut add = |values: &ArrayRef| {
        let of_row = match values.data_type() {
            DataType::BinaryView => {
                bytes += values.as_binary_view().total_bytes_len() as u64;
                size_of::<u128>()
            }
            DataType::FixedSizeBinary(width) => usize::try_from(*width).unwrap_or(0),
            kind => kind.primitive_width().unwrap_or(1),
        };
        bytes += (of_row * values.len()) as u64;
    };
    batch.columns().iter().for_each(|column| leaves(column, &mut add));
    bytes
}

/// The bytes that rows hold in memory, with those of others that were read with them.
fn memory_of(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(|column| column.get_buffer_memory_size() as u64).sum()
}

/// The same rows, without the memory of others that were read with them.
fn compacted(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(compacted_array).collect::<Result<_, _>>()?;
    RecordBatch::try_new(batch.schema(), columns)
}

fn compacted_array(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    Ok(match array.data_type() {
        DataType::BinaryView => Arc::new(array.as_binary_view().gc()),
        DataType::Struct(fields) => {
            let group = array.as_struct();
            let columns = group.columns().iter().map(compacted_array).collect::<Result<_, _>>()?;
            Arc::new(StructArray::try_new(fields.clone(), columns, group.nulls().cloned())?)
        }
        DataType::List(field) => {
            let (lists, field) = (array.as_list::<i32>(), Arc::clone(field));
            let values = compacted_array(lists.values())?;
            Arc::new(ListArray::try_new(field, lists.offsets().clone(), values, lists.nulls().cloned())?)
        }
        _ => ArrayRef::clone(array),
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::{ArrayRef, BinaryViewArray};
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::error::About;
    use crate::output::folder::partial;

    /// Rows with the texts of these numbers.
    fn rows(set: usize, numbers: std::ops::Range<usize>) -> FileRows {
        let texts =
            BinaryViewArray::from_iter_values(numbers.map(|number| format!("a longer text {number}").into_bytes()));
        let batch = RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)]).unwrap();
        FileRows { set, file: 0, batch }
    }

    fn waiting(folder: &Path, budget: u64, are_kept: bool) -> WaitingRows {
        WaitingRows::new(folder.to_owned(), 64 << 20, budget, are_kept)
    }

    /// The sets of groups, and their texts.
    fn texts(groups: Vec<FullGroup>) -> Vec<(usize, Vec<Vec<u8>>)> {
        let of_group = |group: FullGroup| {
            let (set, _, rows) = group.read_back().unwrap();
            let texts = rows.column(0).as_binary_view().iter().flatten();
            (set, texts.map(<[u8]>::to_vec).collect())
        };
        groups.into_iter().map(of_group).collect()
    }

    #[test]
    fn rows_wait_until_there_are_enough_or_their_set_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        for budget in [u64::MAX, 1 << 20, 0] {
            let mut waiting = waiting(folder.path(), budget, false);
            assert!(waiting.take(vec![rows(0, 0..60_000)], &[]).unwrap().is_empty());
            assert!(waiting.take(vec![rows(1, 0..5)], &[]).unwrap().is_empty());
            let full = texts(waiting.take(vec![rows(0, 60_000..130_000)], &[]).unwrap());
            assert!(full == texts(vec![FullGroup::whole(rows(0, 0..130_000))]), "{budget}");
            let ended = texts(waiting.take(vec![rows(2, 7..9)], &[1, 9]).unwrap());
            assert!(ended == texts(vec![FullGroup::whole(rows(1, 0..5))]), "{budget}");
            assert!(texts(waiting.rest()) == texts(vec![FullGroup::whole(rows(2, 7..9))]), "{budget}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "files without names");
    }

    #[test]
    fn a_large_batch_becomes_several_groups() {
        let folder = tempfile::tempdir().unwrap();
        let mut waiting = WaitingRows::new(folder.path().to_owned(), 10_000, u64::MAX, false);
        let mut full = texts(waiting.take(vec![rows(0, 0..5000)], &[]).unwrap());
        assert!(full.len() > 5);
        full.extend(texts(waiting.rest()));
        let all: Vec<Vec<u8>> = full.into_iter().flat_map(|(_, texts)| texts).collect();
        assert!(all == texts_of(0..5000));
    }

    fn texts_of(numbers: std::ops::Range<usize>) -> Vec<Vec<u8>> {
        texts(vec![FullGroup::whole(rows(0, numbers))]).remove(0).1
    }

    #[test]
    fn another_run_goes_on_with_stored_rows() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = waiting(folder.path(), u64::MAX, true);
        first.take(vec![rows(0, 0..1000)], &[]).unwrap();
        let one = first.checkpoint().unwrap();
        first.take(vec![rows(0, 1000..3000)], &[]).unwrap();
        let two = first.checkpoint().unwrap();
        assert_eq!((one.added.len(), two.added.len()), (1, 1), "only what came since");
        assert!(two.outdated.is_empty() && one.added != two.added);
        let resumed = |state: &StoredRows| waiting(folder.path(), 0, true).resume(state);
        for (state, count) in [(&one.rows, 1000), (&two.rows, 3000)] {
            assert!(texts(resumed(state).unwrap().rest()) == vec![(0, texts_of(0..count))]);
        }
        // Once they are written, the files are outdated.
        let mut second = resumed(&two.rows).unwrap();
        assert_eq!(second.take(Vec::new(), &[0]).unwrap().len(), 1);
        let mut outdated = second.checkpoint().unwrap().outdated;
        outdated.sort();
        assert_eq!(outdated, [one.added[0].clone(), two.added[0].clone()]);
        let stored = partial(&two.added[0]);
        let mut bytes = fs::read(&stored).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&stored, bytes).unwrap();
        let damaged = resumed(&two.rows).unwrap().rest().remove(0).read_back();
        assert!(damaged.is_err_and(|error| error.to_string().contains("damaged")));
        fs::remove_file(&stored).unwrap();
        assert!(resumed(&two.rows).is_err_and(|error| error.is_about(About::NotResumable)));
    }

    impl FullGroup {
        fn whole(FileRows { set, file, batch }: FileRows) -> FullGroup {
            let (rows, bytes) = (batch.num_rows(), bytes_of(&batch));
            let batches = vec![WaitingBatch::new(rows, bytes, batch)];
            FullGroup { set, file, batches, folder: Arc::from(Path::new("")) }
        }
    }
}
