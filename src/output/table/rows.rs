//! The rows of a chunk: for each file, a batch of those that go there.

use arrow_array::builder::{BinaryViewBuilder, Int32Builder, Int64Builder, make_view};
use arrow_array::types::UInt16Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray, ListArray, RecordBatch, new_null_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use arrow_select::filter::{FilterBuilder, filter_record_batch};
use std::sync::Arc;

use super::TableSchema;
use super::schema::name_of_batch;
use crate::error::run::Error;
use crate::formats::columnar::{Malformed, guarded};
use crate::input::chunks::Chunk;
use crate::judge::line_urls::LineUrls;
use crate::judge::outcomes::{Refusals, Refused};
use crate::origin;
use crate::outcome::{Outcome, Partition, Reason};
use crate::output::causes::ChunkCauses;
use crate::output::columns::{CauseValue, Column, Kind, Source, Value, as_utf8};
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
    ) -> Result<Vec<FileRows>, Error> {
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
        let mut of_causes = self.cause_columns(crawler, outcomes, causes).into_iter();
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
                Source::Cause(_) => of_causes.next().expect("a column of this source"),
                Source::Preference(column) => texts(
                    // Of a chunk whose preferences were not asked for, nothing is said.
                    (0..outcomes.len()).map(|row| column.value(preferred?.of(row, crawler))),
                ),
                Source::Refused => unreachable!("not a column for each crawler"),
            })
        };
        self.files.crawler_columns(0).map(values).collect()
    }

    /// The columns of what blocked a crawler's lines.
    fn cause_columns(&self, crawler: usize, outcomes: &[Outcome], causes: &mut ChunkCauses<'_>) -> Vec<ArrayRef> {
        let column = |column: Column| match column.source {
            Source::Cause(value) => Some((value, CauseColumn::new(column.kind))),
            _ => None,
        };
        let mut columns: Vec<(CauseValue, CauseColumn)> = self.files.crawler_columns(0).filter_map(column).collect();
        if columns.is_empty() {
            return Vec::new();
        }
        for (line, outcome) in outcomes.iter().enumerate() {
            let cause = (outcome.partition() == Partition::Blocked).then(|| causes.of(crawler, line));
            columns.iter_mut().for_each(|(value, column)| column.push(cause.as_ref().and_then(*value)));
        }
        columns.into_iter().map(|(_, column)| column.array()).collect()
    }
}

/// A column of what blocked lines.
enum CauseColumn {
    Texts(BinaryViewBuilder),
    Whole(Int32Builder),
    Times(Int64Builder),
}

impl CauseColumn {
    fn new(kind: Kind) -> CauseColumn {
        match kind {
            Kind::Whole => CauseColumn::Whole(Int32Builder::new()),
            Kind::Time => CauseColumn::Times(Int64Builder::new()),
            // A rule blocks many lines of a chunk.
            Kind::Name | Kind::Text | Kind::Names => {
                CauseColumn::Texts(BinaryViewBuilder::new().with_deduplicate_strings())
            }
        }
    }

    /// Adds the value of a line: null if nothing blocked it, no rule decided, or it is not known.
    fn push(&mut self, value: Option<Value<'_>>) {
        match (self, value) {
            (CauseColumn::Texts(column), Some(Value::Text(text))) => column.append_value(text.utf8()),
            (CauseColumn::Texts(column), _) => column.append_null(),
            // Null if it does not fit the type, as in a robots.txt of 2 GiB.
            (CauseColumn::Whole(column), Some(Value::Whole(number))) => {
                column.append_option(i32::try_from(number).ok())
            }
            (CauseColumn::Whole(column), _) => column.append_null(),
            // In milliseconds; null if that overflows.
            (CauseColumn::Times(column), Some(Value::Time(seconds))) => column.append_option(seconds.checked_mul(1000)),
            (CauseColumn::Times(column), _) => column.append_null(),
        }
    }

    fn array(self) -> ArrayRef {
        match self {
            CauseColumn::Texts(mut column) => Arc::new(column.finish()),
            CauseColumn::Whole(mut column) => Arc::new(column.finish()),
            CauseColumn::Times(mut column) => Arc::new(column.finish()),
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

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, Int64Type};

    use super::*;
    use crate::judge::explain::Cause;
    use crate::output::form::OutputOptions;
    use crate::rules::chosen::KeptRule;

    /// The columns of these causes: the rule, its line, the agent, and the time.
    fn columns(causes: &[Option<Cause>]) -> [ArrayRef; 4] {
        let values = OutputOptions { causes: 4, ..OutputOptions::default() }.cause_values();
        let mut at = 0;
        [Kind::Text, Kind::Whole, Kind::Text, Kind::Time].map(|kind| {
            let (mut column, value) = (CauseColumn::new(kind), values[at]);
            at += 1;
            causes.iter().for_each(|cause| column.push(cause.as_ref().and_then(value)));
            column.array()
        })
    }

    fn rule(value: &[u8], line: u32) -> Option<KeptRule> {
        Some(KeptRule { allow: false, value: value.to_vec(), line, about_uses: None })
    }

    fn text(column: &ArrayRef, row: usize) -> Option<&[u8]> {
        column.is_valid(row).then(|| column.as_binary_view().value(row))
    }

    #[test]
    fn each_line_has_its_own_cause_and_equal_texts_are_kept_once() {
        let cause = |line| {
            let (rule, agent) = (rule(b"/a\t\xff", line), Some("an agent of some length".into()));
            Some(Cause { rule, agent, captured: Some(7), ..Cause::default() })
        };
        let too_large = Cause { rule: rule(b"/", u32::MAX), captured: Some(i64::MAX), ..Cause::default() };
        let [rules, lines, agents, times] =
            columns(&[cause(2), None, cause(3), cause(2), Some(Cause::default()), Some(too_large)]);
        let of_rule = Some(&b"Disallow: /a\t%FF"[..]);
        let expected = [of_rule, None, of_rule, of_rule, None, Some(&b"Disallow: /"[..])];
        assert!((0..6).map(|row| text(&rules, row)).eq(expected));
        assert!(lines.as_primitive::<Int32Type>().iter().eq([Some(2), None, Some(3), Some(2), None, None]));
        assert_eq!(text(&agents, 3), Some(&b"an agent of some length"[..]));
        assert!(times.as_primitive::<Int64Type>().iter().eq([Some(7000), None, Some(7000), Some(7000), None, None]));
        let bytes =
            |column: &ArrayRef| column.as_binary_view().data_buffers().iter().map(|buffer| buffer.len()).sum::<usize>();
        assert_eq!([bytes(&rules), bytes(&agents)], [16, 23]);
    }

    #[test]
    fn texts_are_never_long() {
        let (rule, agent) = (rule(&b"\xff".repeat(500_000), 1), Some("é".repeat(500_000)));
        let [rules, _, agents, _] = columns(&[Some(Cause { rule, agent, ..Cause::default() })]);
        assert_eq!(text(&rules, 0).unwrap(), format!("Disallow: {}...", "%FF".repeat(200)).as_bytes());
        assert_eq!(text(&agents, 0).unwrap(), format!("{}...", "é".repeat(100)).as_bytes());
    }
}
