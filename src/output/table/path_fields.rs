//! The columns in the names of the folders that the lists of a table are in.

use super::metadata::OUR_COLUMNS;
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::shown;
use crate::input::list::List;
use crate::input::path_columns::{PathColumn, PathColumns, path_columns};
use crate::output::folder::{CRAWLER, VERDICT};
use crate::output::same_folders::SameFolders;

/// The columns in the folders of the lists of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct PathFields {
    pub names: Vec<String>,
    /// Whether they become fields; else, they are in folders again.
    are_fields: bool,
    /// The values of each list, from the list with this number on.
    first: usize,
    values: Vec<Vec<Option<String>>>,
}

impl PathFields {
    /// The columns of these lists, of which the first has the number `first`.
    pub fn of(lists: &[&List], first: usize, paths: PathColumns) -> Result<PathFields, Error> {
        let are_fields = paths == PathColumns::Columns;
        let mut all = PathFields { names: Vec::new(), are_fields, first, values: Vec::new() };
        if paths == PathColumns::Ignored {
            return Ok(all);
        }
        let mut same = SameFolders::default();
        for list in lists {
            let columns = if list.is_empty { Vec::new() } else { path_columns_of(list)? };
            same.check(list, &columns)?;
            all.values.push(columns.into_iter().map(|column| column.value).collect());
        }
        all.names = same.names().to_vec();
        Ok(all)
    }

    /// Checks that no list has one of the columns itself.
    pub fn check(&self, lists: &[&List], is_field: impl Fn(&str) -> bool) -> Result<(), Error> {
        let Some(name) = self.names.iter().find(|name| is_field(name)) else { return Ok(()) };
        for list in lists.iter().filter(|list| !list.is_empty) {
            if let Some(column) = path_columns_of(list)?.into_iter().find(|column| column.name == *name) {
                let (path, column, folder) = (shown(&list.path), column.name, column.folder);
                let message = format!(
                    "the list {path} has a column {column:?}, and so has its folder {folder}; rename one, or let folders be no columns"
                );
                return Err(ErrorKind::Output.of(message).about(About::PathColumns));
            }
        }
        Ok(())
    }

    /// The names of those that become fields.
    pub fn fields(&self) -> &[String] {
        if self.are_fields { &self.names } else { &[] }
    }

    /// The values of the fields in the rows of the list with this number.
    pub fn values(&self, list: usize) -> &[Option<String>] {
        let values = list.checked_sub(self.first).and_then(|place| self.values.get(place));
        values.filter(|_| self.are_fields).map_or(&[], Vec::as_slice)
    }
}

/// The columns in the folders of a list that is a table, without those of an earlier run's verdicts.
pub(crate) fn path_columns_of(list: &List) -> Result<Vec<PathColumn>, Error> {
    let Some(table) = list.parquet_list() else { return Ok(Vec::new()) };
    let entries = table.file.metadata().file_metadata().key_value_metadata();
    let is_of_run = entries.into_iter().flatten().any(|entry| entry.key == OUR_COLUMNS);
    let mut columns = path_columns(&list.path)?;
    columns.retain(|column| !is_of_run || ![VERDICT, CRAWLER].contains(&column.name.as_str()));
    Ok(columns)
}
