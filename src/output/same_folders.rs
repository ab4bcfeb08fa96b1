//! Whether lists are in folders of the same columns.

use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::shown;
use crate::input::list::List;
use crate::input::path_columns::PathColumn;

/// The columns in the folders of lists that share a table.
#[derive(Default)]
pub(crate) struct SameFolders<'l> {
    /// The first list with lines, and the names of its columns.
    first: Option<(&'l List, Vec<String>)>,
}

impl<'l> SameFolders<'l> {
    /// Checks that a list has the columns of those before it; one without lines needs none.
    ///
    /// # Errors
    ///
    /// If it has others.
    pub fn check(&mut self, list: &'l List, columns: &[PathColumn]) -> Result<(), Error> {
        if list.is_empty {
            return Ok(());
        }
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let (one, known) = self.first.get_or_insert_with(|| (list, names.clone()));
        if *known == names {
            return Ok(());
        }
        let columns =
            [&*known, &names].map(|names| if names.is_empty() { "none".to_owned() } else { names.join(", ") });
        let message = format!(
            "the folders of the lists {} and {} have different columns ({}), so one table cannot hold the rows of both; give each list \
             its own partitions, or let folders be no columns",
            shown(&one.path),
            shown(&list.path),
            columns.join("; ")
        );
        Err(ErrorKind::Output.of(message).about(About::OwnPartitionsOrPathColumns))
    }

    /// Their names; none if no list has lines.
    #[cfg(feature = "parquet")]
    pub fn names(&self) -> &[String] {
        self.first.as_ref().map_or(&[], |(_, names)| names)
    }
}
