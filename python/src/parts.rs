//! Compiles sources that are dealt out to several processes.

use std::collections::HashSet;
use std::path::PathBuf;

use pyo3::prelude::*;
use robosieve::Dialect;
use robosieve::policy::{Captures, Crawlers, Error};
use robosieve::python_package::{DEFAULT_MEMORY, Part, add_pages, add_part};

use crate::answer_table;
use crate::arguments::{bytes, listed};
use crate::compile::{FieldColumns, columns, locked, named, options, unwritable};
use crate::{calls, error, times, warn};

/// Compiles a part of the sources into a policy file, without pages of archives that redirects lead to.
///
/// Returns the pages that its own redirects lead to, its archives if they have pages, and how often to call `compile_pages` at
/// most.
#[pyfunction]
#[pyo3(signature = (sources, agents, out, *, dialect, columns, fetched_at, memory))]
#[allow(clippy::too_many_arguments)]
pub fn compile_part(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    agents: &Bound<'_, PyAny>,
    out: PathBuf,
    dialect: &str,
    columns: Option<FieldColumns>,
    fetched_at: Option<&Bound<'_, PyAny>>,
    memory: i64,
) -> PyResult<(HashSet<u128>, Vec<PathBuf>, usize)> {
    let (agents, memory): (Vec<String>, _) = (listed("agents", agents)?, bytes("memory", Some(memory))?);
    let memory = memory.unwrap_or(DEFAULT_MEMORY);
    let dialect = named(dialect)?;
    let (crawlers, options) = (self::columns(&agents, dialect)?, options(columns, times::fetched_at(fetched_at)?)?);
    let add = |captures: &mut Captures| add_part(&sources, &options, captures);
    let Part { targets, archives, passes, .. } = written(py, out, crawlers, dialect, memory, add)?;
    Ok((targets, archives, passes))
}

/// The fields of answers that a table with these columns has, each with the place of its column.
#[pyfunction]
#[pyo3(signature = (names, columns))]
pub fn answer_columns(names: Vec<String>, columns: Option<FieldColumns>) -> PyResult<Vec<(&'static str, usize)>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let places = answer_table::places(&names, &options(columns, None)?.names)?;
    Ok(places.into_iter().map(|(field, at)| (field.name(), at)).collect())
}

/// Compiles the answers for some pages in archives into a policy file. Returns the pages that those redirect to.
#[pyfunction]
#[pyo3(signature = (archives, pages, agents, out, *, dialect, fetched_at, memory))]
#[allow(clippy::too_many_arguments)]
pub fn compile_pages(
    py: Python<'_>,
    archives: Vec<PathBuf>,
    pages: HashSet<u128>,
    agents: Vec<String>,
    out: PathBuf,
    dialect: &str,
    fetched_at: Option<&Bound<'_, PyAny>>,
    memory: u64,
) -> PyResult<HashSet<u128>> {
    let dialect = named(dialect)?;
    let (crawlers, options) = (columns(&agents, dialect)?, options(None, times::fetched_at(fetched_at)?)?);
    let add = |captures: &mut Captures| add_pages(&archives, pages, &options, captures);
    written(py, out, crawlers, dialect, memory, add)
}

/// Writes the policy of what `add` adds; returns what it returns. Warns of what is wrong with a part of it.
fn written<T: Send>(
    py: Python<'_>,
    out: PathBuf,
    crawlers: Crawlers,
    dialect: &'static Dialect,
    memory: u64,
    add: impl FnOnce(&mut Captures) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let lock = py.detach(|| locked(&out))?;
    let write = || {
        let mut captures = Captures::for_file(&lock, crawlers, dialect).with_memory(memory);
        let added = add(&mut captures).map_err(error::source)?;
        let passed = captures.passed_over().to_vec();
        let statistics = captures.write(&lock).map_err(|problem| unwritable(&out, problem))?;
        Ok((added, passed, statistics))
    };
    let (added, passed, statistics) = calls::work(py, write)?;
    warn::of_passed_over(py, &passed)?;
    warn::of_ties(py, &statistics)?;
    Ok(added)
}
