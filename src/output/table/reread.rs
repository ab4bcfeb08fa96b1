//! Reads the tables of a run again: their lines and verdicts.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use std::fs::File;
use std::path::Path;

use super::schema::{ELEMENT, LIST, verdict_names};
use super::shared::{TableLines, Wanted};
use crate::error::run::{Error, ErrorKind};
use crate::formats::columnar::{self, Malformed, ParquetFile, RowRange, guarded};
use crate::formats::seekable;
use crate::input::error::malformed;
use crate::input::list::in_group;
use crate::input::list::line_columns::{LineArrays, LineColumns};
use crate::outcome::Partition;
use crate::output::form::{OutputMode, REFUSED, RefusedColumns};
use crate::output::receipt::Receipt;
use crate::robots::Agents;
use crate::threads;

/// Bytes of lines that are processed together.
const LINES: usize = 1 << 20;

/// Row groups per thread before results are combined.
const GROUPS: usize = 4;

/// Calls `of` on some rows of a run's table at a time, and combines the results in order with `append`; `is_of_table` says that it
/// was made of lists that are tables.
pub(crate) fn reread<T: Default + Send>(
    path: &Path,
    wanted: Wanted,
    (receipt, is_of_table): (&Receipt, bool),
    threads: usize,
    of: impl Fn(&TableLines) -> T + Sync,
    append: impl Fn(&mut T, T) + Sync,
) -> Result<T, Error> {
    let failed = ErrorKind::List.with_file("read the list", path);
    let malformed = |problem| malformed(path, problem);
    let file = seekable::open(path).map_err(failed)?;
    let table = guarded(|| WrittenTable::open(file, receipt, wanted, is_of_table))
        .map_err(|Malformed(problem)| malformed(problem))?;
    let threads = threads::asked(threads);
    let groups: Vec<usize> = (0..table.file.metadata().num_row_groups()).collect();
    let mut whole = T::default();
    for groups in groups.chunks(GROUPS * threads) {
        let of_group = |&number: &usize| {
            let mut part = T::default();
            let read = guarded(|| table.each(number, |lines| append(&mut part, of(lines))));
            read.map(|()| part).map_err(|problem| in_group(number, problem))
        };
        let threads = if groups.len() > 1 { threads.min(groups.len()) } else { 0 };
        for part in threads::on(threads, || threads::map(groups, of_group)) {
            append(&mut whole, part.map_err(malformed)?);
        }
    }
    Ok(whole)
}

/// A table, opened.
struct WrittenTable {
    file: ParquetFile,
    line_columns: LineColumns,
    /// The columns with the verdicts.
    verdicts: Vec<usize>,
    agents: Vec<Agents>,
    /// Whether these columns are lists of the crawlers that may not fetch a line's URL.
    names_crawlers: bool,
}

impl WrittenTable {
    fn open(file: File, receipt: &Receipt, wanted: Wanted, is_of_table: bool) -> Result<WrittenTable, Malformed> {
        let splits = receipt.splits();
        let options = &receipt.options;
        let file = ParquetFile::open(file)?;
        let schema = file.schema();
        let of_list = |column| LineColumns::of_list(schema, column).map_err(|error| Malformed(error.to_string()));
        let line_columns = match wanted {
            _ if is_of_table => of_list(options.url_field.column.as_ref())?,
            Wanted::Lines => LineColumns::of_text(schema)?,
            // Whatever the column of the text was called, here it is `url`.
            Wanted::Urls => of_list(None)?,
        };
        let column = |name: &String| {
            let found = schema.columns().iter().position(|column| column.path().parts().first() == Some(name));
            found.ok_or_else(|| Malformed(format!("it has no column {name:?}")))
        };
        let names = verdict_names(options.form, &splits);
        let verdicts = names.iter().map(column).collect::<Result<_, _>>()?;
        let agents = splits.agents().to_vec();
        Ok(WrittenTable {
            file,
            line_columns,
            verdicts,
            agents,
            names_crawlers: options.form == OutputMode::BlockedFor,
        })
    }

    /// Calls `visit` with the rows of a row group, some at a time.
    fn each(&self, group: usize, mut visit: impl FnMut(&TableLines)) -> Result<(), Malformed> {
        let rows = usize::try_from(self.file.metadata().row_group(group).num_rows()).unwrap_or(0);
        let columns = [self.line_columns.columns(), &self.verdicts].concat();
        let at_once = self.file.rows_at_once(group, &columns, usize::MAX);
        let mut batches = self.file.batches(RowRange { group, first: 0, rows, ends: true }, &columns, at_once)?;
        let crawlers = if self.names_crawlers { self.agents.len() } else { self.verdicts.len() };
        let mut lines = TableLines { text: Vec::new(), verdicts: vec![Vec::new(); crawlers] };
        while let Some(batch) = batches.next()? {
            let texts = LineArrays::of(self.line_columns, self.file.schema(), &batch)?;
            texts.each_line(|line| {
                lines.text.extend_from_slice(line);
                lines.text.push(b'\n');
            });
            match self.names_crawlers {
                true => self.refused(&batch, &mut lines.verdicts)?,
                false => self.verdicts(&batch, &mut lines.verdicts)?,
            }
            if lines.text.len() >= LINES {
                visit(&lines);
                lines.text.clear();
                lines.verdicts.iter_mut().for_each(Vec::clear);
            }
        }
        visit(&lines);
        Ok(())
    }

    /// Appends the verdicts of some rows, which have a column for each crawler.
    fn verdicts(&self, batch: &RecordBatch, verdicts: &mut [Vec<Option<Partition>>]) -> Result<(), Malformed> {
        for (&at, verdicts) in self.verdicts.iter().zip(verdicts) {
            let column = columnar::leaf(batch, self.file.schema().column(at).path().parts());
            let names = column.and_then(|names| names.as_binary_view_opt());
            let names = names.ok_or_else(|| Malformed("its verdicts are not text".to_owned()))?;
            verdicts.extend(names.iter().map(|name| Partition::from_name(name?)));
        }
        Ok(())
    }

    /// Appends the verdicts of some rows, which have lists of crawlers.
    fn refused(&self, batch: &RecordBatch, verdicts: &mut [Vec<Option<Partition>>]) -> Result<(), Malformed> {
        let lists = REFUSED.map(|name| {
            // As stored: a group of a list of groups.
            let lists = batch.column_by_name(name)?.as_struct_opt()?.column_by_name(LIST)?.as_list_opt::<i32>()?;
            let names = lists.values().as_struct_opt()?.column_by_name(ELEMENT)?;
            Some((lists.value_offsets(), names.as_binary_view_opt()?))
        });
        let [Some(blocked), Some(deferred)] = lists else {
            return Err(Malformed("its crawlers are not lists of text".to_owned()));
        };
        let mut refused = RefusedColumns::new(&self.agents);
        for row in 0..batch.num_rows() {
            let names = [blocked, deferred]
                .map(|(offsets, names)| (offsets[row] as usize..offsets[row + 1] as usize).map(|at| names.value(at)));
            let found = refused.of_lists(names);
            verdicts.iter_mut().zip(found).for_each(|(verdicts, &verdict)| verdicts.push(verdict));
        }
        Ok(())
    }
}
