//! The lists that the lines of a file come from. A run may have as many lists as files, so a file's list is found by the number
//! in the name of its folder, and what is asked about all lists together is found once.

use std::path::Path;
use std::slice;

use super::folder::{is_list_folder, list_folder};
use super::receipt::{ListPart, Part, Receipt};
use crate::input::list::LIST_FORMAT;

/// The lists of any file that a run wrote.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileLists<'r> {
    lists: &'r [ListPart],
    /// Whether each list has its own folder.
    per_input: bool,
    /// All lists, from which each file has lines unless each list has its own folder.
    all: ListFacts<'r>,
}

/// The facts about lists that determine how a file of their lines looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListFacts<'r> {
    /// Their head line, if they have one.
    pub head: Option<&'r Part>,
    /// Whether any of them is a table.
    pub has_table: bool,
}

impl<'r> FileLists<'r> {
    pub fn new(receipt: &'r Receipt) -> FileLists<'r> {
        FileLists::of_lists(&receipt.lists, receipt.options.per_input)
    }

    fn of_lists(lists: &'r [ListPart], per_input: bool) -> FileLists<'r> {
        FileLists { lists, per_input, all: ListFacts::of(lists) }
    }

    /// The facts about the lists whose lines are in the file at this path.
    pub fn of(&self, file: &Path) -> ListFacts<'r> {
        match self.per_input {
            true => ListFacts::of(self.own(file).map_or(&[], slice::from_ref)),
            false => self.all,
        }
    }

    /// The list whose folder a file is in.
    fn own(&self, file: &Path) -> Option<&'r ListPart> {
        let mut names = file.ancestors().skip(1).filter_map(Path::file_name).map(|name| name.to_string_lossy());
        let folder = names.find(|name| is_list_folder(name))?;
        let place = folder.split_once('-')?.0.parse::<usize>().ok()?.checked_sub(1)?;
        let list = self.lists.get(place)?;
        (list_folder(place, Path::new(&list.path)) == folder).then_some(list)
    }
}

impl<'r> ListFacts<'r> {
    fn of(lists: &'r [ListPart]) -> ListFacts<'r> {
        ListFacts {
            head: lists.iter().find_map(|list| list.head.as_ref()),
            has_table: lists.iter().any(|list| list.format == LIST_FORMAT),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::output::folder::FOLDERS_NAMED;

    fn lists(count: usize) -> Vec<ListPart> {
        let list = |place: usize| ListPart {
            path: format!("lists/{place}"),
            file: None,
            range: None,
            format: if place == 7 { LIST_FORMAT.into() } else { "lines".into() },
            compression: None,
            head: (place % 2 == 1).then(|| Part { lines: place as u64, ..Part::default() }),
            input: Part::default(),
            duplicates: None,
            skipped: Vec::new(),
            partitions: BTreeMap::new(),
        };
        (0..count).map(list).collect()
    }

    #[test]
    fn the_list_of_a_file_is_found_without_naming_the_folders_of_all() {
        const COUNT: usize = 3000;
        let lists = lists(COUNT);
        let (own, together) = (FileLists::of_lists(&lists, true), FileLists::of_lists(&lists, false));
        let before = FOLDERS_NAMED.get();
        for place in 0..COUNT {
            let file = format!("../shard/{:04}-{place}/lines/verdict=allowed/part-0001.parquet", place + 1);
            let found = own.of(Path::new(&file));
            let head = (place % 2 == 1).then_some(place as u64);
            assert_eq!((found.head.map(|head| head.lines), found.has_table), (head, place == 7), "{file}");
            let found = together.of(Path::new(&file));
            assert_eq!((found.head.map(|head| head.lines), found.has_table), (Some(1), true), "{file}");
        }
        assert_eq!(FOLDERS_NAMED.get() - before, COUNT, "one for each file");
        for other in ["allowed.txt", "0000-x/allowed.txt", "0002-0/allowed.txt", "3001-x/a", "99999999999999999999-x/a"]
        {
            let found = own.of(Path::new(other));
            assert!(found.head.is_none() && !found.has_table, "{other}");
        }
    }
}
