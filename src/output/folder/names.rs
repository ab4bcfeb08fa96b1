//! The names of a run's files that do not depend on the job: the receipt and what stands beside it. [`file_name`](super::file_name)
//! makes those of its lines.

use std::path::{Path, PathBuf};

/// The name of the receipt, which marks a run as complete.
pub const RECEIPT: &str = "receipt.json";

/// The name of a page about a run. It is not part of the run, but is deleted when the run's files are replaced.
pub const REPORT: &str = "report.html";

/// How every such page begins.
pub(crate) const REPORT_START: &str =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta name=\"generator\" content=\"robosieve\">\n";

/// The name of the list of robots.txt to fetch.
pub const NEEDED: &str = "robots-needed.tsv";

/// The name of a file until it is complete.
pub(crate) fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.partial"))
}

/// Whether [`partial`] gives this name. A partial file that a killed run left is no result.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".partial")
}

/// How the names of files of rows that wait begin; a number follows. They are partial, and never become results.
pub(crate) const WAITING_ROWS: &str = "waiting-rows";

/// The name of the checkpoint.
pub(crate) const CHECKPOINT: &str = ".checkpoint.json";
