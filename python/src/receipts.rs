//! The receipts of runs: proved again, and joined.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use robosieve::python_package::{self, CheckedFile};
use robosieve::run::{self, Receipt};

use crate::arguments::{self, listed};
use crate::{calls, error, json, warn};

/// Proves the receipt of a run again, by its files and, with `inputs`, by its lists.
///
/// Returns a dict: `proven` says whether everything is as the receipt says; `files` are those that were read, each with its `path`,
/// its `role` ("output", "list" or "extra"), its `lines` and `bytes` (None if it was not read), its `problem` (None if there is
/// none), and how many parts the run had `skipped`; `contradictions` are those within the receipt. `directory` is the folder of the
/// run, `threads` 0 for all processors.
///
/// >>> import robosieve, tempfile
/// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot"])
/// >>> folder = tempfile.mkdtemp()
/// >>> receipt = robosieve.filter(policy, ["datasets/urls.txt"], out=folder)
/// >>> robosieve.verify(folder)["proven"]
/// True
#[pyfunction]
#[pyo3(signature = (directory, *, inputs=false, threads=0))]
pub fn verify(
    py: Python<'_>,
    directory: PathBuf,
    inputs: bool,
    #[pyo3(from_py_with = arguments::whole)] threads: i64,
) -> PyResult<Bound<'_, PyDict>> {
    let threads = arguments::threads(threads)?;
    crate::lost_pages::watch();
    let verification = calls::work(py, || run::verify(&directory, inputs, threads).map_err(error::run))?;
    let result = PyDict::new(py);
    result.set_item("proven", verification.is_proven())?;
    let files = python_package::checked_files(&verification).map(|file| checked(py, &file));
    result.set_item("files", files.collect::<PyResult<Vec<_>>>()?)?;
    result.set_item("contradictions", python_package::contradictions(&verification))?;
    Ok(result)
}

fn checked<'py>(py: Python<'py>, file: &CheckedFile<'_>) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("path", file.path.as_os_str())?;
    result.set_item("role", file.role)?;
    result.set_item("lines", file.found.map(|(lines, _)| lines))?;
    result.set_item("bytes", file.found.map(|(_, bytes)| bytes))?;
    result.set_item("problem", file.problem)?;
    result.set_item("skipped", file.skipped)?;
    Ok(result)
}

/// Joins the receipts of all shards of a job into one in the folder `out`, and returns it.
///
/// `shards` are their folders, in any order: those of all calls of `filter` with `shard`. With `concat`, the partitions are copied
/// into one, too. `force` replaces the files of an earlier run in `out`.
///
/// >>> import robosieve, tempfile, os
/// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot"])
/// >>> folder, choices = tempfile.mkdtemp(), robosieve.Choices(now="2026-01-12T12:00:00Z")
/// >>> for shard in "1/2", "2/2":
/// ...     part = os.path.join(folder, f"part-{shard[0]}")
/// ...     receipt = robosieve.filter(policy, ["datasets/urls.txt"], out=part, shard=shard, choices=choices)
/// >>> parts = [os.path.join(folder, part) for part in os.listdir(folder)]
/// >>> robosieve.join(parts, out=os.path.join(folder, "all"))["input"]["lines"]
/// 3111
#[pyfunction]
#[pyo3(signature = (shards, out, *, concat=false, force=false))]
pub fn join<'py>(
    py: Python<'py>,
    shards: &Bound<'py, PyAny>,
    out: PathBuf,
    concat: bool,
    force: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let shards: Vec<PathBuf> = listed("shards", shards)?;
    if shards.is_empty() {
        return Err(error::parameter("shards", "the list is empty; give the folders of all shards"));
    }
    let receipt = calls::work(py, || run::join(&shards, &out, concat, force).map_err(error::run))?;
    warn_of_uncounted(py, &receipt, &out)?;
    json::object(py, &receipt)
}

/// The most lists that are named in warnings.
const NAMED: usize = 3;

/// Warns of lists with lines that are invalid for a tab inside.
pub fn warn_of_tabs(py: Python<'_>, receipt: &Receipt) -> PyResult<()> {
    for (path, count, first) in python_package::tabbed_lists(receipt).take(NAMED) {
        let told = format_args!(
            "the list {path}: lines with a tab inside are invalid, {count} of them, the first is line {first}; if tabs separate fields, \
             give delimiter=\"tab\" and the column; if they are part of URLs, delimiter=\"none\""
        );
        warn::of(py, told)?;
    }
    Ok(())
}

/// Warns of keys of the lists' metadata that the files do not have.
pub fn warn_of_metadata(py: Python<'_>, receipt: &Receipt) -> PyResult<()> {
    python_package::about_metadata(receipt).into_iter().try_for_each(|dropped| warn::of(py, dropped))
}

/// Warns of files beside the output that its readers would count.
pub fn warn_of_uncounted(py: Python<'_>, receipt: &Receipt, folder: &Path) -> PyResult<()> {
    for (path, problem) in python_package::uncounted(receipt, folder) {
        warn::of(py, format_args!("{}: {problem}", path.display()))?;
    }
    Ok(())
}
