//! Compiles sources that are dealt out to several processes.

use std::collections::HashSet;
use std::path::PathBuf;

use pyo3::prelude::*;
use robosieve::Dialect;
use robosieve::policy::source::{self, Part, SourceError};
use robosieve::policy::{Captures, Crawlers};
use robosieve::run::DEFAULT_MEMORY;

use crate::answer_table;
use crate::arguments::{bytes, listed};
use crate::compile::{FieldColumns, columns, locked, named, options, unwritable};
use crate::error;

/// Compiles a part of the sources into a policy file, without pages of archives that redirects lead to.
///
/// Returns the pages that its own redirects lead to, its archives if they have pages, and how often to call `compile_pages` at
/// most.
#[pyfunction]
#[pyo3(signature = (sources, agents, out, *, dialect, columns, memory))]
pub fn compile_part(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    agents: &Bound<'_, PyAny>,
    out: PathBuf,
    dialect: &str,
    columns: Option<FieldColumns>,
    memory: i64,
) -> PyResult<(HashSet<u128>, Vec<PathBuf>, usize)> {
    let (agents, memory): (Vec<String>, _) = (listed("agents", agents)?, bytes("memory", Some(memory))?);
    let memory = memory.unwrap_or(DEFAULT_MEMORY);
    let dialect = named(dialect)?;
    let (crawlers, options) = (self::columns(&agents, dialect)?, options(columns)?);
    let add = |captures: &mut Captures| source::add_part(&sources, &options, captures);
    let Part { targets, archives, passes, .. } =
        error::guarded(|| py.detach(|| written(out, crawlers, dialect, memory, add)))?;
    Ok((targets, archives, passes))
}

/// The fields of answers that a table with these columns has, each with the place of its column.
#[pyfunction]
#[pyo3(signature = (names, columns))]
pub fn answer_columns(names: Vec<String>, columns: Option<FieldColumns>) -> PyResult<Vec<(&'static str, usize)>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let places = answer_table::places(&names, &options(columns)?.names)?;
    Ok(places.into_iter().map(|(field, at)| (field.name(), at)).collect())
}

/// Compiles the answers for some pages in archives into a policy file. Returns the pages that those redirect to.
#[pyfunction]
#[pyo3(signature = (archives, pages, agents, out, *, dialect, memory))]
pub fn compile_pages(
    py: Python<'_>,
    archives: Vec<PathBuf>,
    pages: HashSet<u128>,
    agents: Vec<String>,
    out: PathBuf,
    dialect: &str,
    memory: u64,
) -> PyResult<HashSet<u128>> {
    let dialect = named(dialect)?;
    let (crawlers, options) = (columns(&agents, dialect)?, options(None)?);
    let add = |captures: &mut Captures| source::add_pages(&archives, pages, &options, captures);
    error::guarded(|| py.detach(|| written(out, crawlers, dialect, memory, add)))
}

/// Writes the policy of what `add` adds; returns what it returns.
fn written<T>(
    out: PathBuf,
    crawlers: Crawlers,
    dialect: &'static Dialect,
    memory: u64,
    add: impl FnOnce(&mut Captures) -> Result<T, SourceError>,
) -> PyResult<T> {
    let lock = locked(&out)?;
    let mut captures = Captures::for_file(&lock, crawlers, dialect).with_memory(memory);
    let added = add(&mut captures).map_err(error::source)?;
    captures.write(&lock).map_err(|problem| unwritable(&out, problem))?;
    Ok(added)
}
