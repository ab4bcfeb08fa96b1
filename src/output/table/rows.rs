//! The rows of a chunk: for each file, a batch of those that go there.

use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, BinaryViewArray, BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
use arrow_schema::ArrowError;
use arrow_select::filter::{FilterBuilder, filter_record_batch};
use std::sync::Arc;

use super::{Table, cause_columns, text};
use crate::formats::columnar::{Malformed, guarded};
use crate::input::chunks::Chunk;
use crate::outcome::{Outcome, Partition, Reason};
use crate::output::causes::ChunkCauses;
use crate::output::error::OutputError;
use crate::output::form::Form;

/// Rows for one file.
pub(crate) struct FileRows {
    /// The set of files, and the file's index within the set.
    pub set: usize,
    pub file: usize,
    pub batch: RecordBatch,
}

impl Table {
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
        if self.files.form == Form::Verdicts {
            let own = (0..self.files.crawlers).map(|crawler| self.own_columns(crawler, &outcomes[crawler], causes));
            let batch = with(own.collect::<Result<Vec<_>, _>>()?.concat())?;
            return Ok(if batch.num_rows() > 0 { vec![(0, batch)] } else { Vec::new() });
        }
        let mut sorted = Vec::new();
        for (crawler, outcomes) in outcomes.iter().enumerate() {
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

    /// The columns that the chunk's list has, of the rows that were not left out.
    fn list_columns(&self, chunk: &Chunk<'_>, causes: &ChunkCauses<'_>) -> Result<Vec<ArrayRef>, ArrowError> {
        let Some(batch) = chunk.rows().and_then(|rows| rows.batch.as_ref()) else {
            return text::columns(causes.text, causes.urls);
        };
        let fields: Vec<usize> = (0..self.list_fields).collect();
        let batch = batch.project(&fields)?;
        if chunk.duplicates.is_empty() {
            return Ok(batch.columns().to_vec());
        }
        let mut kept = vec![true; batch.num_rows()];
        chunk.duplicates.iter().for_each(|&row| kept[row] = false);
        Ok(filter_record_batch(&batch, &BooleanArray::from(kept))?.columns().to_vec())
    }

    /// Our columns for a crawler: the verdicts if they are columns, the reasons, and what blocked the lines.
    fn own_columns(
        &self,
        crawler: usize,
        outcomes: &[Outcome],
        causes: &mut ChunkCauses<'_>,
    ) -> Result<Vec<ArrayRef>, ArrowError> {
        let mut columns = Vec::new();
        if self.files.form == Form::Verdicts {
            let names = Partition::ALL.map(Partition::name);
            columns.push(named(&names, outcomes.iter().map(|outcome| outcome.partition() as usize))?);
        }
        let names = Reason::ALL.map(Reason::name);
        columns.push(named(&names, outcomes.iter().map(|outcome| outcome.reason() as usize))?);
        if self.files.explain {
            columns.extend(cause_columns::columns(outcomes.len(), crawler, causes));
        }
        Ok(columns)
    }
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
