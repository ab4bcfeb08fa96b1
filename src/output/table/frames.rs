//! The frames of a chunk: for each file, its rows as a row group with its own footer.
//!
//! Columns are made one after the other, each for all files at once, some rows at a time. So memory never holds more of a chunk
//! than its text and the columns encoded so far.

use bytes::Bytes;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::statistics::Statistics;
use parquet::file::writer::SerializedFileWriter;
use std::borrow::Cow;

use super::copy::copied;
use super::handed::Handed;
use super::shared::{RowSource, TRAILER};
use super::sorting::{FileSlot, Sorting};
use super::text::Text;
use super::{Table, cause_columns};
use crate::formats::columnar::{Malformed, guarded};
use crate::formats::parquet_mark::PARQUET_MARK;
use crate::input::chunk::Chunk;
use crate::input::error::ListError;
use crate::input::list::line_columns::LineColumns;
use crate::input::list::{List, RowRange};
use crate::judge::tally::Tally;
use crate::outcome::{Outcome, Partition, Reason};
use crate::output::block::Block;
use crate::output::causes::ChunkCauses;
use crate::output::error::OutputError;
use crate::output::form::Form;

/// The most rows in a row group made of text; only lines of a few bytes are that many.
const MAX_ROWS: usize = 1 << 20;

impl Table {
    /// The frames of a chunk as blocks of the files of a `set`. `outcomes` and `causes` are those of its lines, for each crawler.
    pub fn blocks(
        &self,
        set: usize,
        source: &RowSource<'_>,
        outcomes: &[Vec<Outcome>],
        causes: &mut ChunkCauses<'_>,
    ) -> Result<Vec<Block<'static>>, OutputError> {
        let all = outcomes.first().map_or(0, Vec::len);
        let RowSource { lines, of_table } = source;
        let most = if of_table.is_some() { all.max(1) } else { MAX_ROWS };
        let mut blocks = Vec::new();
        let text = match of_table {
            None => Some(Text::new(*lines, false)),
            Some((list, ranges)) => self.are_column(list, ranges, lines).then(|| Text::new(*lines, true)),
        };
        for start in (0..all).step_by(most) {
            let mut sorting = Sorting::new(self.files, outcomes, start..(start + most).min(all));
            if let Some((_, ranges)) = of_table {
                sorting.leave_out(lines.left_out, ranges.iter().map(|range| range.rows).sum());
            }
            let made = guarded(|| self.frames(source, text.as_ref(), &sorting, causes));
            let made = made.map_err(|Malformed(problem)| match of_table {
                Some((list, _)) => ListError::Parquet { path: list.path.clone(), problem }.into(),
                None => OutputError::Table { problem },
            })?;
            blocks.extend(made.into_iter().map(|(file, bytes, tally)| {
                let bytes = Cow::Owned(bytes);
                Block { set, file, pieces: vec![bytes], tally }
            }));
        }
        Ok(blocks)
    }

    /// The frames of some rows, each with its file and the tally of its lines.
    fn frames(
        &self,
        source: &RowSource<'_>,
        text: Option<&Text<'_>>,
        sorting: &Sorting<'_>,
        causes: &mut ChunkCauses<'_>,
    ) -> Result<Vec<(usize, Vec<u8>, Tally)>, Malformed> {
        let files = sorting.files();
        let mut writers = files.iter().map(|_| self.writer()).collect::<Result<Vec<_>, _>>()?;
        let mut slots = Vec::new();
        for (&file, writer) in files.iter().zip(&mut writers) {
            let (group, handed) = (writer.next_row_group()?, Handed::nothing(self.line_columns));
            slots.push(FileSlot { group, rows: sorting.rows_of(file), handed });
        }
        for column in 0..self.list_columns {
            let place = self.line_columns.columns().iter().position(|&at| at == column);
            match (source.of_table, text, place) {
                (_, Some(text), Some(place)) => text.write(place, &mut slots)?,
                (Some((list, ranges)), ..) => copied(self, list, ranges, column, sorting, &mut slots)?,
                (None, ..) => {}
            }
        }
        for (&file, slot) in files.iter().zip(&mut slots) {
            self.write_own(file, slot, sorting, causes)?;
        }
        let mut tallies = Vec::new();
        for slot in slots {
            let rows = slot.group.close()?.num_rows();
            // Computed from the values handed over.
            tallies.push(slot.handed.tally(self.line_columns, u64::try_from(rows).unwrap_or(0))?);
        }
        let made = files.into_iter().zip(writers).zip(tallies);
        made.map(|((file, writer), tally)| Ok((file, framed(writer)?, tally))).collect()
    }

    /// Whether these lines are exactly the values of the list's column of URLs, one each, so that the column need not be decoded
    /// again. Without this check, Parquet to Parquet takes 7 % more instructions.
    fn are_column(&self, list: &List, ranges: &[RowRange], lines: &Chunk<'_>) -> bool {
        let (LineColumns::Url([at]), Some(list)) = (self.line_columns, list.parquet_list()) else { return false };
        let is_nowhere_null = |range: &RowRange| {
            let column = list.file.metadata().row_group(range.group).column(at);
            column.statistics().and_then(Statistics::null_count_opt) == Some(0)
        };
        list.file.schema().column(at).max_def_level() == 1
            && lines.flaws.is_empty()
            && lines.left_out.is_empty()
            && ranges.iter().all(is_nowhere_null)
    }

    /// Writes our columns of a file: the reasons, the verdicts if they are columns, and what blocked its lines.
    fn write_own(
        &self,
        file: usize,
        slot: &mut FileSlot<'_>,
        sorting: &Sorting<'_>,
        causes: &mut ChunkCauses<'_>,
    ) -> Result<(), Malformed> {
        let name = |name: &'static str| ByteArray::from(Bytes::from_static(name.as_bytes()));
        let (verdicts, reasons) =
            (Partition::ALL.map(|partition| name(partition.name())), Reason::ALL.map(|reason| name(reason.name())));
        for crawler in self.crawlers_of(file) {
            if self.files.form == Form::Verdicts {
                let verdict = |row: usize| verdicts[sorting.outcomes[crawler][row].partition() as usize].clone();
                slot.write::<ByteArrayType>(|row, _| Some(verdict(row)))?;
            }
            let reason = |row: usize| reasons[sorting.outcomes[crawler][row].reason() as usize].clone();
            slot.write::<ByteArrayType>(|row, _| Some(reason(row)))?;
            if self.files.explain {
                cause_columns::write(slot, crawler, causes)?;
            }
        }
        Ok(())
    }
}

/// Makes a frame of a file with one row group: drops the head, and appends the length.
fn framed(writer: SerializedFileWriter<Vec<u8>>) -> Result<Vec<u8>, ParquetError> {
    let mut bytes = writer.into_inner()?;
    bytes.drain(..PARQUET_MARK.len());
    let length = (bytes.len() + TRAILER) as u64;
    bytes.extend_from_slice(&length.to_le_bytes());
    Ok(bytes)
}
