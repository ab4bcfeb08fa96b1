//! A whole run: lists into files, with a receipt.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use robosieve::policy::{self, Crawler};
use robosieve::python_package::{self, NameEnd, earlier_run, lists_named_in};
use robosieve::run::{self, Destination, ErrorKind, Folder, Job, OutputMode, Pipe, Progress, Shard};
use robosieve::{Partition, PreferenceColumns};

use crate::arguments::{self, listed};
use crate::calls::{Call, Done};
use crate::choices::{Choices, named};
use crate::error;
use crate::lost_pages;
use crate::policy::Policy;
use crate::receipts::{warn_of_metadata, warn_of_tabs, warn_of_uncounted};
use crate::unique::url_field;

/// The run behind `robosieve.filter`, which documents the parameters; returns the receipt as JSON.
#[pyfunction]
#[pyo3(signature = (policy, lists, out, agents, *, files_from, overrides, only, file, shard, column, delimiter, header, format, compress, split_size, explain, verdicts, preferences, blocked_for, allowed_if, against, only_changed, per_input, path_columns, unique, seen, keys, force, resume, skip_bad, threads, memory, choices, progress))]
#[allow(clippy::too_many_arguments)]
pub fn filter(
    py: Python<'_>,
    policy: &Policy,
    lists: &Bound<'_, PyAny>,
    out: Option<PathBuf>,
    agents: Option<&Bound<'_, PyAny>>,
    files_from: Option<PathBuf>,
    overrides: Option<PathBuf>,
    only: Option<Vec<String>>,
    file: Option<Py<PyAny>>,
    shard: Option<&str>,
    column: Option<&str>,
    delimiter: Option<&str>,
    header: bool,
    format: &str,
    compress: Option<&str>,
    #[pyo3(from_py_with = arguments::maybe_whole)] split_size: Option<i64>,
    explain: bool,
    verdicts: bool,
    preferences: Option<&str>,
    blocked_for: bool,
    allowed_if: Option<&str>,
    against: Option<&Policy>,
    only_changed: bool,
    per_input: bool,
    path_columns: &str,
    unique: Option<&str>,
    seen: Option<PathBuf>,
    keys: Option<PathBuf>,
    force: bool,
    resume: bool,
    skip_bad: bool,
    #[pyo3(from_py_with = arguments::whole)] threads: i64,
    #[pyo3(from_py_with = arguments::maybe_whole)] memory: Option<i64>,
    choices: Option<&Choices>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (mut lists, threads): (Vec<PathBuf>, _) = (listed("lists", lists)?, arguments::threads(threads)?);
    let agents: Option<Vec<String>> = arguments::maybe_listed("agents", agents)?;
    let (split_size, memory) = (arguments::bytes("split_size", split_size)?, arguments::bytes("memory", memory)?);
    if let Some(file) = files_from {
        lists.extend(lists_named_in(&file, NameEnd::Line).map_err(|problem| error::parameter("files_from", problem))?);
    }
    let lists = python_package::with_tables(lists).map_err(error::run)?;
    if lists.is_empty() {
        return Err(error::parameter("lists", "the list is empty; give at least one file or pattern"));
    }
    let url_field = url_field(column, delimiter, header)?;
    let shard: Option<Shard> = shard.map(|given| shard_of(given, choices)).transpose()?;
    let earlier = match &out {
        Some(out) if resume => earlier_run(out).map_err(error::run)?,
        _ => None,
    };
    let (format, compress) = (
        named("format", format, "text or parquet")?,
        compress.map(|given| named("compress", given, "gzip or zstd")).transpose()?,
    );
    let path_columns = named("path_columns", path_columns, "columns, folders or ignored")?;
    let unique = unique.map(|given| named("unique", given, "fetched, bytes or surt")).transpose()?;
    let preferences: Option<PreferenceColumns> = preferences
        .map(|given| given.parse().map_err(|problem| error::parameter("preferences", problem)))
        .transpose()?;
    let allowed_if = allowed_if.map(|given| named("allowed_if", given, "any or all")).transpose()?;
    let form = match (verdicts, blocked_for) {
        (true, _) => OutputMode::Verdicts,
        (false, true) => OutputMode::BlockedFor,
        (false, false) => OutputMode::Partitions,
    };
    let folder = |out: &PathBuf| {
        let folder = Folder::new(out).form(form);
        let folder = folder.format(format).compress(compress).split_size(split_size).force(force);
        folder.per_input(per_input).path_columns(path_columns).into()
    };
    let destination: Option<Destination> = match (&out, only) {
        (Some(out), _) => Some(folder(out)),
        (None, Some(only)) => Some(Destination::Pipe(Pipe::Only(partitions(&only)?))),
        (None, None) if blocked_for => Some(Destination::Pipe(Pipe::BlockedFor)),
        (None, None) => verdicts.then_some(Destination::Pipe(Pipe::Verdicts)),
    };
    let with_overrides = overrides.map(|path| {
        let overrides = arguments::overrides(&path)?;
        policy.inner.with_overrides(&overrides, &std::env::temp_dir()).map_err(error::policy)
    });
    let with_overrides = with_overrides.transpose()?;
    let policy = with_overrides.as_ref().unwrap_or(&policy.inner);
    let mut choices = Choices::made(choices);
    let counted = Progress::new();
    let call = Call::new(progress)?.with_progress(|| {
        let (lines, bytes, share) = python_package::progress_of(&counted);
        Done { lines, bytes, share }
    });
    let mut job = Job::new(lists, crawlers(policy, agents.as_deref())?)
        .url_field(url_field)
        .explain(explain)
        .preferences(preferences.unwrap_or_default())
        .allowed_if(allowed_if)
        .choices(choices)
        .unique(unique)
        .seen(seen)
        .keys(keys)
        .threads(threads)
        .shard(shard)
        .resume(resume)
        .skip_bad(skip_bad)
        .interrupt(Some(Arc::clone(&call.stop)));
    if let Some(memory) = memory {
        job = job.memory(memory);
    }
    if let Some(against) = against {
        job = job.against(against.inner.clone(), only_changed);
    }
    job.destination = destination;
    // SAFETY: who names a list answers for its not changing meanwhile, as SECURITY.md says.
    let mut job = unsafe { job.map_lists() };
    if let Some(earlier) = earlier {
        choices.now = earlier.now;
        (job.choices, job.chunk_size) = (choices, earlier.chunk_size);
    }
    lost_pages::watch();
    // Asked to stop, the run finishes its current chunks and makes them durable.
    let run = || match file {
        Some(file) => job.run_into(policy, &counted, Box::new(PythonFile(file))),
        None => job.run(policy, &counted),
    };
    let receipt = call.watch(py, || run().map_err(failed))?;
    call.report()?;
    warn_of_tabs(py, &receipt)?;
    warn_of_metadata(py, &receipt)?;
    if let Some(out) = &out {
        warn_of_uncounted(py, &receipt, out)?;
    }
    serde_json::to_string(&receipt).map_err(error::run)
}

/// The lists among the paths that a pattern matches.
#[pyfunction]
pub fn matched(paths: Vec<PathBuf>) -> PyResult<Vec<PathBuf>> {
    python_package::matched(paths).map_err(error::run)
}

/// A shard; ages must be judged at the same time in all of them.
fn shard_of(given: &str, choices: Option<&Choices>) -> PyResult<Shard> {
    if !Choices::have_time(choices) {
        let problem =
            "ages must be judged at one time in all shards; give choices=robosieve.Choices(now=...), the same for each";
        return Err(error::parameter("shard", problem));
    }
    given.parse().map_err(|problem| error::parameter("shard", problem))
}

/// The partitions of these names.
fn partitions(names: &[String]) -> PyResult<Vec<Partition>> {
    let partition = |name: &String| {
        name.parse().map_err(|_| {
            let known = Partition::all().map(Partition::name).collect::<Vec<_>>().join(", ");
            error::parameter("only", format!("{name:?} is unknown; expected {known}"))
        })
    };
    names.iter().map(partition).collect()
}

/// A binary file of Python.
struct PythonFile(Py<PyAny>);

impl Write for PythonFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let written = self.0.call_method1(py, "write", (PyBytes::new(py, bytes),))?;
            // A raw file may write less; what tells no number has written all.
            Ok(written.extract::<usize>(py).map_or(bytes.len(), |written| written.min(bytes.len())))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Python::attach(|py| match self.0.bind(py).getattr_opt("flush")? {
            Some(flush) => Ok(flush.call0().map(drop)?),
            None => Ok(()),
        })
    }
}

fn crawlers(policy: &policy::Policy, agents: Option<&[String]>) -> PyResult<Vec<Crawler>> {
    let Some(agents) = agents else { return Ok(vec![policy.crawler(None).map_err(error::agent)?]) };
    let of = |agent: &String| policy.crawler(Some(&agent.parse().map_err(error::agent)?)).map_err(error::agent);
    agents.iter().map(of).collect()
}

fn failed(problem: run::Error) -> PyErr {
    if problem.kind() == ErrorKind::Interrupted {
        return PyKeyboardInterrupt::new_err(());
    }
    let problem = match python_package::unprinted(problem) {
        Ok(problem) => return problem.into(),
        Err(problem) => problem,
    };
    match python_package::kept_work(&problem) {
        Some((cause, path)) => error::run(format!(
            "{cause}\nthe work so far is kept in {}; repeat the call with resume=True to continue",
            path.display()
        )),
        None => error::run(problem),
    }
}
