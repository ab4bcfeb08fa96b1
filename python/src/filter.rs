//! A whole run: lists into files, with a receipt.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use robosieve::policy::Crawler;
use robosieve::run::{self, FilterError, Folder, Form, Job, LongRun, Progress, Receipt, UrlField};

use crate::arguments::{self, listed};
use crate::choices::{Choices, named};
use crate::error;
use crate::lost_pages;
use crate::policy::Policy;

/// The interval at which signals are checked and progress is reported.
const EVERY: Duration = Duration::from_millis(100);

/// The run behind `robosieve.filter`, which documents the parameters; returns the receipt as JSON.
#[pyfunction]
#[pyo3(signature = (policy, lists, out, agents, *, column, delimiter, header, format, compress, split_size, explain, verdicts, per_input, unique, force, resume, skip_bad, threads, memory, choices, progress))]
#[allow(clippy::too_many_arguments)]
pub fn filter(
    py: Python<'_>,
    policy: &Policy,
    lists: &Bound<'_, PyAny>,
    out: PathBuf,
    agents: Option<&Bound<'_, PyAny>>,
    column: Option<&str>,
    delimiter: Option<&str>,
    header: bool,
    format: &str,
    compress: Option<&str>,
    split_size: Option<i64>,
    explain: bool,
    verdicts: bool,
    per_input: bool,
    unique: bool,
    force: bool,
    resume: bool,
    skip_bad: bool,
    threads: i64,
    memory: Option<i64>,
    choices: Option<&Choices>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (lists, threads): (Vec<PathBuf>, _) = (listed("lists", lists)?, arguments::threads(threads)?);
    let agents: Option<Vec<String>> = arguments::maybe_listed("agents", agents)?;
    let (split_size, memory) = (arguments::bytes("split_size", split_size)?, arguments::bytes("memory", memory)?);
    if lists.is_empty() {
        return Err(error::parameter("lists", "the list is empty; give at least one file or pattern"));
    }
    let parsed = |given: &str| given.parse().map_err(|problem| error::parameter("delimiter", problem));
    let column = column.map(|given| given.parse().map_err(|problem| error::parameter("column", problem)));
    let url_field =
        UrlField::default().delimiter(delimiter.map(parsed).transpose()?).column(column.transpose()?).header(header);
    let folder = Folder::new(out)
        .form(if verdicts { Form::Verdicts } else { Form::Partitions })
        .format(named("format", format, "text or parquet")?)
        .compress(compress.map(|given| named("compress", given, "gzip or zstd")).transpose()?)
        .split_size(split_size)
        .force(force)
        .per_input(per_input);
    let earlier = if resume { run::earlier_run(&folder.directory).map_err(error::run)? } else { None };
    let mut choices = Choices::made(choices);
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut long_run = LongRun::default().resume(resume).skip_bad(skip_bad).interrupt(Some(Arc::clone(&interrupt)));
    long_run.memory = memory.unwrap_or(long_run.memory);
    let mut job = Job::new(lists, crawlers(policy, agents.as_deref())?)
        .url_field(url_field)
        .destination(folder)
        .explain(explain)
        .choices(choices)
        .unique(unique)
        .threads(threads)
        .long_run(long_run);
    if let Some(earlier) = earlier {
        choices.now = earlier.now;
        (job.choices, job.chunk_size) = (choices, earlier.chunk_size);
    }
    let receipt = error::guarded(|| watched(py, policy, &job, &interrupt, progress))?;
    serde_json::to_string(&receipt).map_err(error::run)
}

fn crawlers(policy: &Policy, agents: Option<&[String]>) -> PyResult<Vec<Crawler>> {
    let policy = &policy.inner;
    let Some(agents) = agents else { return Ok(vec![policy.crawler(None).map_err(error::agent)?]) };
    let of = |agent: &String| policy.crawler(Some(&agent.parse().map_err(error::agent)?)).map_err(error::agent);
    agents.iter().map(of).collect()
}

/// Runs on another thread, while this one checks for signals and reports progress.
fn watched(
    py: Python<'_>,
    policy: &Policy,
    job: &Job,
    interrupt: &AtomicBool,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<Receipt> {
    lost_pages::watch();
    let progress = Progress::new();
    let policy = &policy.inner;
    thread::scope(|scope| {
        let (done, mut end) = mpsc::channel();
        let progress = &progress;
        // The receiver outlives the thread, so sending cannot fail.
        let running = scope.spawn(move || drop(done.send(job.run(policy, progress))));
        let mut raised = None;
        let ended = loop {
            let end = &mut end;
            match py.detach(move || end.recv_timeout(EVERY)) {
                Ok(result) => break raised.map_or_else(|| result.map_err(failed), Err),
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(error::run("the run stopped unexpectedly"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if raised.is_none() {
                let reported =
                    py.check_signals().and_then(|()| callback.map_or(Ok(()), |callback| report(callback, progress)));
                raised = reported.err();
                // The run finishes its current chunks and makes them durable.
                interrupt.store(raised.is_some(), Relaxed);
            }
        };
        // Not only its work must have ended: the process may fork next.
        match running.join() {
            Err(panic) => Err(error::panicked(&*panic)),
            Ok(()) => ended,
        }
    })
}

fn failed(problem: FilterError) -> PyErr {
    match problem {
        problem if problem.is_interrupted() => PyKeyboardInterrupt::new_err(()),
        FilterError::Kept { error, path } => error::run(format!(
            "{error}\nthe work so far is kept in {}; repeat the call with resume=True to continue",
            path.display()
        )),
        problem => error::run(problem),
    }
}

/// Reports the progress of the run to a Python function.
fn report(callback: &Bound<'_, PyAny>, progress: &Progress) -> PyResult<()> {
    let snapshot = progress.snapshot();
    let share = snapshot.source_bytes_known.map(|all| snapshot.source_bytes as f64 / (all.max(1)) as f64);
    let numbers = PyDict::new(callback.py());
    numbers.set_item("lines", snapshot.lines)?;
    numbers.set_item("bytes", snapshot.bytes)?;
    numbers.set_item("seconds", snapshot.seconds)?;
    numbers.set_item("share", share)?;
    callback.call1((numbers,)).map(drop)
}
