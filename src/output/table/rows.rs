//! The rows of a chunk: for each file, a batch of those that go there.

use arrow_array::builder::{BinaryViewBuilder, make_view};
use arrow_array::types::UInt16Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray, Int32Array, Int64Array, ListArray,
    RecordBatch, new_null_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use arrow_select::filter::{FilterBuilder, filter_record_batch};
use std::rc::Rc;
use std::sync::Arc;

use super::TableSchema;
use super::schema::name_of_batch;
use crate::formats::columnar::{Malformed, guarded};
use crate::input::chunks::Chunk;
use crate::judge::line_urls::LineUrls;
use crate::judge::outcomes::{Refusals, Refused};
use crate::origin;
use crate::outcome::{Outcome, Partition, Reason};
use crate::output::causes::{CauseCells, Cell, ChunkCauses};
use crate::output::columns::{Column, Kind, Source, as_utf8};
use crate::output::error::OutputError;
use crate::output::form::OutputMode;

/// Rows for one file.
pub(crate) struct FileRows {
    /// The set of files, and the file's index within the set.
    pub set: usize,
    pub file: usize,
    pub batch: RecordBatch,
}

impl TableSchema {
    /// The rows of a chunk for the files of a `set`. `outcomes` and `causes` are those of its lines, for each crawler.
    pub fn rows(
        &self,
        set: usize,
        chunk: &Chunk<'_>,
        outcomes: &[Vec<Outcome>],
        causes: &mut ChunkCauses<'_>,
    ) -> Result<Vec<FileRows>, OutputError> {
        let made = guarded(|| Ok::<_, Malformed>(self.sorted(chunk, outcomes, causes)?));
        Ok(made?.into_iter().map(|(file, batch)| FileRows { set, file, batch }).collect())
    }

    /// The rows of each file that gets any.
    fn sorted(
        &self,
        chunk: &Chunk<'_>,
        outcomes: &[Vec<Outcome>],
        causes: &mut ChunkCauses<'_>,
    ) -> Result<Vec<(usize, RecordBatch)>, ArrowError> {
        let of_list = self.list_columns(chunk, causes)?;
        let with = |own: Vec<ArrayRef>| {
            RecordBatch::try_new(Arc::clone(&self.batch_schema), of_list.iter().cloned().chain(own).collect())
        };
        let whole = match self.files.form {
            OutputMode::Partitions => None,
            OutputMode::Verdicts => {
                let own = (0..self.files.crawlers).map(|crawler| self.own_columns(crawler, &outcomes[crawler], causes));
                Some(own.collect::<Result<Vec<_>, _>>()?.concat())
            }
            OutputMode::BlockedFor => causes.refusals.map(refused_columns).transpose()?,
        };
        if let Some(own) = whole {
            let batch = with(own)?;
            return Ok(if batch.num_rows() > 0 { vec![(0, batch)] } else { Vec::new() });
        }
        let mut sorted = Vec::new();
        for (crawler, outcomes) in outcomes.iter().take(self.files.crawlers).enumerate() {
            let all = with(self.own_columns(crawler, outcomes, causes)?)?;
            for partition in Partition::ALL {
                let is_in = |row: usize| outcomes[row].partition() == partition;
                let rows = BooleanBuffer::collect_bool(outcomes.len(), is_in);
                let batch = match rows.count_set_bits() {
                    0 => continue,
                    count if count == outcomes.len() => all.clone(),
                    _ => {
                        let rows = FilterBuilder::new(&BooleanArray::new(rows, None)).optimize().build();
                        rows.filter_record_batch(&all)?
                    }
                };
                sorted.push((Partition::COUNT * crawler + partition as usize, batch));
            }
        }
        Ok(sorted)
    }

    /// The columns that the chunk's list and its folders have, of the rows that were not left out.
    fn list_columns(&self, chunk: &Chunk<'_>, causes: &ChunkCauses<'_>) -> Result<Vec<ArrayRef>, ArrowError> {
        let Some(batch) = chunk.rows().and_then(|rows| rows.batch.as_ref()) else {
            return text_columns(causes.text, causes.urls);
        };
        let fields: Vec<usize> = (0..self.list_fields).collect();
        let mut batch = batch.project(&fields)?;
        if !chunk.left_out.is_empty() {
            let mut kept = vec![true; batch.num_rows()];
            chunk.left_out.iter().for_each(|&row| kept[row] = false);
            batch = filter_record_batch(&batch, &BooleanArray::from(kept))?;
        }
        let rows = batch.num_rows();
        let of_folder = |value: &Option<String>| match value {
            Some(value) => named(&[value], std::iter::repeat_n(0, rows)),
            None => Ok(new_null_array(&DataType::BinaryView, rows)),
        };
        let of_folders = self.paths.values(chunk.list).iter().map(of_folder);
        batch.columns().iter().map(|column| Ok(ArrayRef::clone(column))).chain(of_folders).collect()
    }

    /// Our columns for a crawler: the verdicts if they are columns, the reasons, and what blocked the lines.
    fn own_columns(
        &self,
        crawler: usize,
        outcomes: &[Outcome],
        causes: &mut ChunkCauses<'_>,
    ) -> Result<Vec<ArrayRef>, ArrowError> {
        let preferred = causes.preferred;
        let known = |row| causes.of(crawler, row);
        let causes: Vec<_> = if self.files.causes > 0 { (0..outcomes.len()).map(known).collect() } else { Vec::new() };
        let mut cells = 0..;
        let values = |column: Column| {
            Ok(match column.source {
                Source::Verdict => {
                    let partitions = outcomes.iter().map(|outcome| outcome.partition() as usize);
                    named(&Partition::ALL.map(Partition::name), partitions)?
                }
                Source::Reason => {
                    let reasons = outcomes.iter().map(|outcome| outcome.reason() as usize);
                    named(&Reason::ALL.map(Reason::name), reasons)?
                }
                Source::Cause(_) => cause_column(column.kind, cells.next().unwrap_or_default(), &causes),
                Source::Preference(column) => texts(
                    // Of a chunk whose preferences were not asked for, nothing is said.
                    (0..outcomes.len()).map(|row| column.value(preferred?.of(row, crawler))),
                ),
                Source::Refused => unreachable!("not a column for each crawler"),
            })
        };
        self.files.crawler_columns(0).map(values).collect()
    }
}

/// The values of a column of this kind, which is at this place among those of causes: null if nothing blocked a line, no rule decided, or
/// it is not known.
fn cause_column(kind: Kind, at: usize, causes: &[Option<Rc<CauseCells>>]) -> ArrayRef {
    let cells = causes.iter().map(|cells| cells.as_ref()?[at].as_ref());
    let number = |cell: Option<&Cell>| if let Some(Cell::Number(number)) = cell { Some(*number) } else { None };
    match kind {
        // Null if it does not fit the type, as in a robots.txt of 2 GiB.
        Kind::Whole => Arc::new(cells.map(|cell| i32::try_from(number(cell)?).ok()).collect::<Int32Array>()),
        // In milliseconds; null if that overflows.
        Kind::Time => Arc::new(cells.map(|cell| number(cell)?.checked_mul(1000)).collect::<Int64Array>()),
        Kind::Name | Kind::Text | Kind::Names => {
            texts(cells.map(|cell| if let Some(Cell::Text(text)) = cell { Some(text) } else { None }))
        }
    }
}

/// The columns of the crawlers that may not fetch each line's URL.
fn refused_columns(refusals: &Refusals) -> Result<Vec<ArrayRef>, ArrowError> {
    let names: ArrayRef = Arc::new(BinaryArray::from_iter_values(refusals.names()));
    let column = |crawlers: fn(&Refused) -> &[u16]| {
        let sets = refusals.of_urls().iter().map(|&set| crawlers(&refusals.sets()[set as usize]));
        let offsets = OffsetBuffer::<i32>::from_lengths(sets.clone().map(<[u16]>::len));
        let mut keys = Vec::with_capacity(offsets[offsets.len() - 1] as usize);
        sets.for_each(|set| keys.extend_from_slice(set));
        let named = DictionaryArray::<UInt16Type>::try_new(keys.into(), ArrayRef::clone(&names))?;
        Ok(Arc::new(ListArray::try_new(name_of_batch(), offsets, Arc::new(named), None)?) as ArrayRef)
    };
    [column(|set| &set.blocked), column(|set| &set.deferred)].into_iter().collect()
}

/// A column of texts.
fn texts<T: AsRef<[u8]>>(texts: impl Iterator<Item = Option<T>>) -> ArrayRef {
    let mut column = BinaryViewBuilder::new();
    texts.for_each(|text| column.append_option(text));
    Arc::new(column.finish())
}

/// A column of names, given by their numbers.
fn named(names: &[&str], numbers: impl Iterator<Item = usize>) -> Result<ArrayRef, ArrowError> {
    let mut at = 0;
    let view = |name: &&str| {
        let view = make_view(name.as_bytes(), 0, at);
        at += name.len() as u32;
        view
    };
    let views: Vec<u128> = names.iter().map(view).collect();
    let column: ScalarBuffer<u128> = numbers.map(|number| views[number]).collect();
    Ok(Arc::new(BinaryViewArray::try_new(column, vec![Buffer::from(names.concat().into_bytes())], None)?))
}

// The columns of lines of text: `url`, and `line` for a line that is more than its URL.
//
// If a line is the URL, byte for byte, and UTF-8, as nearly all lines are, only `url` is set. For any other, `line` has all
// bytes, and `url` has the URL that was judged, or null if there is none. Bytes of it that are not UTF-8 are percent-encoded
// there, as a fetcher would have to do.

/// The columns of these lines.
fn text_columns(text: &[u8], lines: &LineUrls) -> Result<Vec<ArrayRef>, ArrowError> {
    let is_utf8 = std::str::from_utf8(text).is_ok();
    let count = lines.lines().count();
    let (mut urls, mut wholes) = (Views::of(count), Views::of(count));
    let mut changed = Vec::new();
    for line in 0..count {
        let whole = lines.lines().line(text, line);
        let start = lines.lines().starts()[line];
        let url = origin::trimmed(lines.url(text, line));
        if whole == url && (is_utf8 || std::str::from_utf8(url).is_ok()) {
            urls.push(whole, 0, start);
            wholes.push_null();
            continue;
        }
        wholes.push(whole, 0, start);
        if url.is_empty() {
            urls.push_null();
        } else {
            let at = changed.len();
            changed.extend_from_slice(&as_utf8(url));
            urls.push(&changed[at..], 1, at as u32);
        }
    }
    let buffers = [Buffer::from(text), Buffer::from_vec(changed)];
    Ok(vec![urls.array(&buffers)?, wholes.array(&buffers[..1])?])
}

/// The values of a column, as places in buffers.
struct Views {
    views: Vec<u128>,
    are_there: Vec<bool>,
}

impl Views {
    fn of(count: usize) -> Views {
        Views { views: Vec::with_capacity(count), are_there: Vec::with_capacity(count) }
    }

    /// Adds a value that is in this buffer, from byte `at` on.
    fn push(&mut self, value: &[u8], buffer: u32, at: u32) {
        self.views.push(make_view(value, buffer, at));
        self.are_there.push(true);
    }

    fn push_null(&mut self) {
        self.views.push(0);
        self.are_there.push(false);
    }

    fn array(self, buffers: &[Buffer]) -> Result<ArrayRef, ArrowError> {
        let nulls = Some(NullBuffer::from(self.are_there));
        Ok(Arc::new(BinaryViewArray::try_new(ScalarBuffer::from(self.views), buffers.to_vec(), nulls)?))
    }
}
