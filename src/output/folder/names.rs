//! The names of the files of a run, but for those of its lines.

use std::path::{Path, PathBuf};

/// The name of the receipt, the commit mark of a run.
pub const RECEIPT: &str = "receipt.json";

/// The name of a page about a run, which is nothing of the run's own but goes with its files when they are replaced.
pub const REPORT: &str = "report.html";

/// The beginning of every such page.
pub(crate) const REPORT_START: &str =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta name=\"generator\" content=\"robosieve\">\n";

/// The name of the list of robots.txt to fetch.
pub const NEEDED: &str = "robots-needed.tsv";

/// The name of a file until it is complete.
pub(crate) fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.partial"))
}

/// Whether a name is one that [`partial`] gives: what a run that was killed left behind is no result.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".partial")
}

/// The name of what takes the place of a partial file when all are complete.
pub(crate) fn merged(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.merged"))
}

/// The name of the checkpoint.
pub(crate) const CHECKPOINT: &str = ".checkpoint.json";
