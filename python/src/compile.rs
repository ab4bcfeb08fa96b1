//! Compiles robots.txt files into a policy.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use robosieve::policy::source::{self, FetchedAt, FieldNames};
use robosieve::policy::{Captures, Crawlers, Error, WriteLock};
use robosieve::python_package::{DEFAULT_MEMORY, progress_of_captures};
use robosieve::{Agents, Dialect};

use crate::arguments::{self, listed};
use crate::calls::{Call, Done};
use crate::policy::Policy;
use crate::sources::Sources;
use crate::{error, times, warn};

/// Compiles robots.txt files into a policy, for up to 1,024 crawlers.
///
/// `sources` are folders of files named by host, or files: JSON Lines of answers, WARC archives, Parquet, compressed or
/// not; "-" is standard input. Or they are answers from memory: a dict of origins and the bodies of their robots.txt, an iterable of
/// `robosieve.Answer`, or a table of Arrow, pandas or polars with the columns of such a Parquet file. `agents` are product tokens, "*", or comma-separated lists in order of preference. With `out`, the policy is
/// written to that file, which may replace only a policy, and after any other process that is writing it; without it, it is
/// kept in memory. `overrides` is a file with the operator's own verdicts for origins; `origin` names the origin of the
/// only source, if that is a single robots.txt.
/// `columns` gives the keys of JSON Lines and the columns of Parquet, where they are not called "url", "status", "body" and
/// so on; None means that there is no such field. `fetched_at` is the time of each answer that has none of its own, as for
/// `robosieve.Answer`, or "mtime", for that of each file: of two different answers of one time, or without any, the greater bytes are
/// kept, with a warning. Other warnings tell what is wrong with a part of the sources, such as a body that is no text. `memory` is a budget in bytes, beyond which answers go to temporary files:
/// 1 GiB with `out`, else none. `progress` is called ten times a second, as by `filter`: lines are answers, and bytes those of their bodies.
///
/// >>> import robosieve
/// >>> robosieve.compile(["datasets/sites", "datasets/origins.jsonl"], agents=["examplebot"])
/// <robosieve.Policy 59 origins, for examplebot, rfc9309>
/// >>> robosieve.compile({"https://shop.example": "User-agent: *\nDisallow: /cart"}, agents=["examplebot"])
/// <robosieve.Policy 1 origins, for examplebot, rfc9309>
#[pyfunction]
#[pyo3(signature = (sources, agents, out=None, *, dialect="rfc9309", overrides=None, origin=None, columns=None, fetched_at=None, memory=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn compile(
    py: Python<'_>,
    sources: &Bound<'_, PyAny>,
    agents: &Bound<'_, PyAny>,
    out: Option<PathBuf>,
    dialect: &str,
    overrides: Option<PathBuf>,
    origin: Option<&str>,
    columns: Option<FieldColumns>,
    fetched_at: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = arguments::maybe_whole)] memory: Option<i64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Policy> {
    let call = Call::new(progress)?;
    let agents: Vec<String> = listed("agents", agents)?;
    let memory = arguments::bytes("memory", memory)?;
    let has_columns = columns.is_some();
    let dialect = named(dialect)?;
    let (columns, options) = (self::columns(&agents, dialect)?, options(columns, times::fetched_at(fetched_at)?)?);
    let sources = Sources::of(sources, &options, has_columns)?;
    let lock = match &out {
        Some(out) => {
            let files = sources.files();
            Some(py.detach(|| locked(ensured(out, files)?))?)
        }
        None => None,
    };
    let mut captures = match (&lock, memory) {
        (Some(lock), memory) => {
            Captures::for_file(lock, columns, dialect).with_memory(memory.unwrap_or(DEFAULT_MEMORY))
        }
        (None, Some(memory)) => Captures::within(memory, &std::env::temp_dir(), columns, dialect),
        (None, None) => Captures::new(columns, dialect),
    };
    if let Some(overrides) = &overrides {
        captures.add_overrides(&arguments::overrides(overrides)?).map_err(error::policy)?;
    }
    let progress = progress_of_captures(&captures);
    let call = call.with_progress(move || {
        let (lines, bytes) = progress();
        Done { lines, bytes, share: None }
    });
    sources.add(py, &call, origin, &options, &mut captures)?;
    warn::of_passed_over(py, captures.passed_over())?;
    let made = || match (lock, out) {
        (Some(lock), Some(out)) => {
            let statistics = captures.write(&lock).map_err(|problem| unwritable(&out, problem))?;
            drop(lock);
            Ok((Policy::open(out)?, statistics))
        }
        _ => {
            let policy = captures.policy().map_err(error::policy)?;
            let statistics = policy.statistics().clone();
            Ok((Policy::of(policy), statistics))
        }
    };
    let (policy, statistics) = call.work(py, made)?;
    call.report()?;
    warn::of_ties(py, &statistics)?;
    Ok(policy)
}

/// The names of fields of answers, each with the key or column that has it.
pub type FieldColumns = BTreeMap<String, Option<String>>;

/// Parses the names of crawlers.
pub fn columns(agents: &[String], dialect: &'static Dialect) -> PyResult<Crawlers> {
    let agents: Vec<Agents> =
        agents.iter().map(|agent| agent.parse()).collect::<Result<_, _>>().map_err(error::agent)?;
    agents.iter().try_for_each(|agents| agents.ensure_nameable(dialect)).map_err(error::agent)?;
    Crawlers::new(agents).map_err(error::agent)
}

/// The dialect of this name.
pub fn named(dialect: &str) -> PyResult<&'static Dialect> {
    Dialect::named(dialect).map_err(|problem| error::parameter("dialect", problem))
}

/// How to read sources that have these columns, and answers without a time.
pub fn options(columns: Option<FieldColumns>, fetched_at: Option<FetchedAt>) -> PyResult<source::Options> {
    let mut names = FieldNames::default();
    for (field, name) in columns.unwrap_or_default() {
        let named = names.give(&field, name.as_deref().unwrap_or_default());
        named.map_err(|problem| error::parameter("columns", problem))?;
    }
    Ok(source::Options::default().names(names).fetched_at(fetched_at))
}

/// Checks that a path may be written: nothing is there, or a policy that is not one of the sources.
pub fn ensured<'p>(out: &'p Path, sources: &[PathBuf]) -> PyResult<&'p Path> {
    let there = std::fs::metadata(out).is_ok_and(|there| there.is_file() && there.len() > 0);
    let is_source =
        |source: &PathBuf| source.canonicalize().is_ok_and(|source| out.canonicalize().is_ok_and(|out| out == source));
    let is_policy = || source::SourceKind::of(out).is_ok_and(|kind| kind == source::SourceKind::Policy);
    if there && (sources.iter().any(is_source) || !is_policy()) {
        let problem = format!("{} exists and is not a policy file; move it, or choose another name", out.display());
        return Err(error::parameter("out", problem));
    }
    Ok(out)
}

/// Locks the file to write. A wait for another process ends at Ctrl-C.
pub fn locked(out: &Path) -> PyResult<WriteLock> {
    loop {
        match WriteLock::take(out, |_| ()) {
            Err(problem) if is_interrupted(&problem) => {
                Python::attach(|py| py.check_signals())?;
            }
            taken => return taken.map_err(error::policy),
        }
    }
}

/// Whether a signal arrived while the lock was awaited.
fn is_interrupted(problem: &Error) -> bool {
    let system = problem.source().and_then(|source| source.downcast_ref::<io::Error>());
    system.is_some_and(|system| system.kind() == io::ErrorKind::Interrupted)
}

pub fn unwritable(out: &Path, problem: Error) -> PyErr {
    error::policy(format!("cannot write {}: {problem}", out.display()))
}
