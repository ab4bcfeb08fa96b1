//! The folders of lists that have their own partitions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::lock::LOCK;
use super::names::{CHECKPOINT, RECEIPT, is_output, is_table_folder};
use crate::input::list::STANDARD_INPUT;

/// The longest name that common file systems allow, in bytes.
const LONGEST_NAME: usize = 255;

#[cfg(test)]
thread_local! {
    /// How many folders were named, to count the work of looking one up.
    pub(crate) static FOLDERS_NAMED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The folder of a list's own partitions: its number, so that lists of the same name do not collide, and its name, cut to the
/// longest a name may be.
pub(crate) fn list_folder(place: usize, list: &Path) -> String {
    #[cfg(test)]
    FOLDERS_NAMED.set(FOLDERS_NAMED.get() + 1);
    let name = match list.file_name() {
        Some(name) if list.as_os_str() != STANDARD_INPUT => name.to_string_lossy().into_owned(),
        _ => "standard-input".to_owned(),
    };
    let mut folder = format!("{:04}-{name}", place + 1);
    let fits = (0..=LONGEST_NAME.min(folder.len())).rev().find(|&end| folder.is_char_boundary(end));
    folder.truncate(fits.unwrap_or_default());
    folder
}

/// Whether [`list_folder`] gives this name.
pub(crate) fn is_list_folder(name: &str) -> bool {
    name.split_once('-').is_some_and(|(number, _)| number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The folder of a list in the name of a file, empty if it is in none, and the rest of the name.
pub(crate) fn split_list_folder(name: &str) -> (&str, &str) {
    name.split_once('/').filter(|(folder, _)| is_list_folder(folder)).unwrap_or(("", name))
}

/// Whether a run creates folders of this name.
pub(super) fn is_folder_of_run(name: &str) -> bool {
    is_list_folder(name) || is_table_folder(name)
}

/// Whether a folder below that of a run is the folder of another run, whatever its name.
pub(super) fn is_of_other_run(folder: &Path) -> bool {
    [RECEIPT, CHECKPOINT, LOCK].iter().any(|name| folder.join(name).exists())
}

/// Whether a name in a receipt can be that of a file of lines.
pub(crate) fn is_file_of_run(name: &str) -> bool {
    match name.rsplit_once('/') {
        Some((folders, name)) => is_output(name) && folders.split('/').all(is_folder_of_run),
        None => is_output(name),
    }
}

/// The folder of the run that a file belongs to by its name and place.
#[cfg(feature = "cli")]
pub(crate) fn run_of(file: &Path) -> Option<PathBuf> {
    use super::names::NEEDED;

    let mut folders = file.ancestors().skip(1).take(MOST_FOLDERS);
    let is_run = |folder: &&Path| {
        let name = file.strip_prefix(folder).ok().and_then(Path::to_str);
        let is_of_run = |name| [RECEIPT, CHECKPOINT, LOCK, NEEDED].contains(&name) || is_file_of_run(name);
        name.is_some_and(is_of_run) && [RECEIPT, CHECKPOINT].iter().any(|name| folder.join(name).exists())
    };
    folders.find(is_run).map(Path::to_owned)
}

/// The most folders that a file of a run is in, with that of the run: those of the list, of all lines, of the crawler and of the
/// verdict.
#[cfg(feature = "cli")]
const MOST_FOLDERS: usize = 5;

/// The folders that files of these names are in, and the folders above those, deepest first. Names are relative to the folder of
/// the run, which is not included.
pub(super) fn folders_of<'n>(names: impl IntoIterator<Item = &'n Path>) -> Vec<PathBuf> {
    let above = names.into_iter().flat_map(|name| name.ancestors().skip(1));
    let folders: BTreeSet<&Path> = above.filter(|folder| !folder.as_os_str().is_empty()).collect();
    folders.into_iter().rev().map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_list_has_a_name_that_can_be() {
        let folder = |place, name: &str| list_folder(place, Path::new(name));
        assert_eq!(folder(0, "lists/urls.txt"), "0001-urls.txt");
        assert_eq!(folder(12_344, "-"), "12345-standard-input");
        assert_eq!(folder(1, &"x".repeat(250)), format!("0002-{}", "x".repeat(250)));
        assert_eq!(folder(1, &"x".repeat(255)), format!("0002-{}", "x".repeat(250)));
        assert_eq!(folder(1, &"\u{e9}".repeat(127)), format!("0002-{}", "\u{e9}".repeat(125)));
        assert_eq!(folder(1, &format!("x{}", "\u{e9}".repeat(127))), format!("0002-x{}", "\u{e9}".repeat(124)));
        assert!(is_list_folder(&folder(1, &"x".repeat(255))));
    }
}
