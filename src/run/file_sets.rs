//! The sets of files of a run: which lines of which lists go to the same files.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::shown;
use crate::input::list::List;
use crate::input::path_columns::PathColumns;
use crate::output::folder::list_folder;
use crate::output::form::FileFormat;
use crate::output::receipt::ReceiptOptions;
use crate::output::same_folders::SameFolders;
use crate::output::table::path_columns_of;

/// A set of files.
#[derive(Debug, Default)]
pub(super) struct SetLists {
    /// Its folder, and the folders of columns of its lists; empty if it has none.
    pub folder: String,
    pub inner: String,
    /// The numbers of its lists, which follow each other: so a set is complete before the next one begins.
    pub lists: Range<usize>,
}

/// All sets.
#[derive(Debug)]
pub(super) struct FileSets {
    pub sets: Vec<SetLists>,
    /// The set of each list.
    of_list: Vec<usize>,
}

impl FileSets {
    /// The sets of a run with these options.
    ///
    /// # Errors
    ///
    /// If lists in the same folders do not follow each other, and if folders cannot be columns.
    pub fn of(lists: &[List], options: &ReceiptOptions) -> Result<FileSets, Error> {
        let in_folders = options.path_columns == PathColumns::Folders && options.format == FileFormat::Parquet;
        let mut all = FileSets { sets: Vec::new(), of_list: Vec::new() };
        let (mut complete, mut same, mut has_lines) = (BTreeSet::new(), SameFolders::default(), false);
        for (number, list) in lists.iter().enumerate() {
            let inner = match in_folders {
                true => {
                    let columns = path_columns_of(list)?;
                    if !options.per_input {
                        same.check(list, &columns)?;
                    }
                    columns.into_iter().map(|column| column.folder).collect::<Vec<_>>().join("/")
                }
                false => String::new(),
            };
            match all.sets.last_mut() {
                // Lists without lines are in no folder of their own.
                Some(set) if !options.per_input && (set.inner == inner || list.is_empty || !has_lines) => {
                    set.lists.end = number + 1;
                    if !has_lines {
                        set.inner = inner;
                    }
                }
                last => {
                    complete.extend(last.map(|set| set.inner.clone()));
                    if !options.per_input && complete.contains(&inner) {
                        let path = shown(&list.path);
                        let message = format!(
                            "the list {path} comes after lists in other folders than {inner}, and others in {inner} before these; give \
                             the lists of a folder one after the other, or let folders become columns"
                        );
                        return Err(ErrorKind::Output.of(message).about(About::FoldersAsColumns));
                    }
                    let folder = if options.per_input { list_folder(number, &list.path) } else { String::new() };
                    all.sets.push(SetLists { folder, inner, lists: number..number + 1 });
                }
            }
            has_lines |= !list.is_empty;
            all.of_list.push(all.sets.len() - 1);
        }
        if all.sets.is_empty() {
            all.sets.push(SetLists::default());
        }
        Ok(all)
    }

    /// The set that a list's lines go to.
    pub fn of_list(&self, list: usize) -> usize {
        self.of_list[list]
    }

    /// The sets that get no more lines once these lists have ended. One for all lists ends with the run.
    pub fn ended(&self, lists: &[usize]) -> Vec<usize> {
        let is_of_all = |set: &SetLists| set.folder.is_empty() && set.inner.is_empty();
        let is_last = |&list: &usize| self.sets[self.of_list[list]].lists.end == list + 1;
        let sets = lists.iter().copied().filter(is_last).map(|list| self.of_list[list]);
        sets.filter(|&set| !is_of_all(&self.sets[set])).collect()
    }
}
