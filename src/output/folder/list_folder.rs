//! The folders of lists with partitions of their own.

use std::path::Path;

use super::file_name::is_output;
use crate::input::list::STANDARD_INPUT;

/// How long a name may be on the file systems that there are.
const LONGEST_NAME: usize = 255;

/// The folder of a list's own partitions: its number, so that equal names do not meet, and its name, or as much of that as
/// a name may have.
pub(crate) fn list_folder(place: usize, list: &Path) -> String {
    let name = match list.file_name() {
        Some(name) if list.as_os_str() != STANDARD_INPUT => name.to_string_lossy().into_owned(),
        _ => "standard-input".to_owned(),
    };
    let mut folder = format!("{:04}-{name}", place + 1);
    let fits = (0..=LONGEST_NAME.min(folder.len())).rev().find(|&end| folder.is_char_boundary(end));
    folder.truncate(fits.unwrap_or_default());
    folder
}

/// Whether a folder is named as [`list_folder`] does.
pub(super) fn is_list_folder(name: &str) -> bool {
    name.split_once('-').is_some_and(|(number, _)| number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a name in a receipt is one that a file of lines may have.
pub(crate) fn is_file_of_run(name: &str) -> bool {
    match name.split_once('/') {
        Some((folder, name)) => is_list_folder(folder) && is_output(name),
        None => is_output(name),
    }
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
