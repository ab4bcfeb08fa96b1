//! The Python class for live policies, which take answers while they judge.
//!
//! No lock is held while a thread waits for the interpreter's: those of the library are taken and left without Python, and that of the
//! matchers is left before anything is judged.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use robosieve::policy::{self, ErrorKind, OriginReport};
use robosieve::{Agents, Dialect, LiveMatcher, Outcome, Partition, python_package};

use crate::calls::{self, Call};
use crate::choices::Choices;
use crate::column::Column;
use crate::judging::{self, Found};
use crate::policy::{Policy, asked_agents};
use crate::times::time;
use crate::urls;
use crate::verdicts::{Shape, Verdicts};
use crate::{answers, arguments, compile, error};

/// A policy that takes answers while it judges, for a crawler that fetches robots.txt files as it goes.
///
/// `put` takes each answer, `judge` and `allowed` judge by all that were taken, as a policy compiled from the same answers would, and
/// `needed` names the robots.txt files to fetch. `agents` and `dialect` are those of `compile`; `over` is a policy beneath, such as the
/// file of an earlier crawl, whose answers count, too; `memory` bounds what is put, in bytes.
///
/// Threads may share it, and so may the tasks of asyncio: `put`, `judge`, `write` and `rebase` release the interpreter's lock.
///
/// >>> import robosieve
/// >>> live = robosieve.LivePolicy(agents=["examplebot"])
/// >>> live.allowed("https://a.example/cart")
/// False
/// >>> [needed.url for needed in live.needed()]
/// ['https://a.example/robots.txt']
/// >>> answer = robosieve.Answer("https://a.example/robots.txt", 200, "User-agent: *\nDisallow: /cart", 1_768_204_800)
/// >>> live.put(answer)
/// Put(effect='changed', ask=None, problem=None)
/// >>> live.judge(["https://a.example/", "https://a.example/cart"])["verdict"]
/// ['allowed', 'blocked']
#[pyclass(frozen, module = "robosieve")]
pub struct LivePolicy {
    live: robosieve::LivePolicy,
    agents: Vec<Agents>,
    dialect: &'static Dialect,
    /// Matchers that were made, the last one last.
    matchers: Mutex<Vec<KnownMatcher>>,
}

/// A matcher for a crawler, with these choices: without a time, it reads the clock at each call.
struct KnownMatcher {
    agent: Option<String>,
    choices: robosieve::Choices,
    matcher: LiveMatcher,
}

/// How many matchers are kept.
const KEPT: usize = 64;

#[pymethods]
impl LivePolicy {
    #[new]
    #[pyo3(signature = (agents, *, dialect="rfc9309", over=None, memory=None))]
    fn new(
        agents: &Bound<'_, PyAny>,
        dialect: &str,
        over: Option<&Policy>,
        #[pyo3(from_py_with = arguments::maybe_whole)] memory: Option<i64>,
    ) -> PyResult<LivePolicy> {
        let agents: Vec<String> = arguments::listed("agents", agents)?;
        let memory = arguments::bytes("memory", memory)?;
        let dialect = compile::named(dialect)?;
        let crawlers = compile::columns(&agents, dialect)?;
        let agents = crawlers.all().to_vec();
        let live = robosieve::LivePolicy::new(crawlers, dialect);
        let live = memory.into_iter().fold(live, robosieve::LivePolicy::with_memory);
        if let Some(over) = over {
            live.rebase(over.inner.clone()).map_err(|problem| error::policy(format!("over: {problem}")))?;
        }
        Ok(LivePolicy { live, agents, dialect, matchers: Mutex::default() })
    }

    /// The crawlers it judges for.
    #[getter]
    fn agents(&self) -> Vec<String> {
        self.agents.iter().map(ToString::to_string).collect()
    }

    /// Its dialect.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.dialect.name
    }

    /// Takes an answer, an `Answer` or a dict with the fields of a line of JSON Lines, which must have a time. Every later call sees
    /// it, and none sees a part of it. Answers may come in any order: the newest of each kind counts.
    ///
    /// `effect` is "changed"; "older", if a newer answer was there, or the same; "tie", if one with the same time has other contents; or
    /// "full", if there is no memory for it: then nothing changed, so write the policy, rebase on the file, and put it again. `ask` is the
    /// URL to fetch next, if the answer leads to one that was never requested. `problem` says why the body is no robots.txt, if it is none.
    ///
    /// >>> import robosieve
    /// >>> live = robosieve.LivePolicy(agents=["examplebot"])
    /// >>> moved = {"status": 301, "location": "https://www.a.example/robots.txt", "fetched_at": 1_768_204_800}
    /// >>> live.put({"url": "https://a.example/robots.txt", **moved})
    /// Put(effect='changed', ask='https://www.a.example/robots.txt', problem=None)
    fn put<'py>(&self, answer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = answer.py();
        let answer = answers::one("answer", answer)?;
        let put = error::guarded(|| py.detach(|| self.live.put(answer)).map_err(refused))?;
        class(py, "Put")?.call1((put.effect.name(), put.ask, put.problem))
    }

    /// Adds the overrides in a file, which take precedence over all answers, as `compile` does.
    fn put_overrides(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        error::guarded(|| {
            py.detach(|| {
                let overrides = arguments::overrides(&path)?;
                self.live.put_overrides(&overrides).map_err(error::policy)
            })
        })
    }

    /// Judges URLs by all answers so far, all of them by the same: returns verdicts as `Policy.judge` does, which explains the
    /// arguments. `urls` may also be a single URL. The origins of deferred URLs are needed from then on.
    ///
    /// >>> import robosieve
    /// >>> live = robosieve.LivePolicy(agents=["examplebot", "*"])
    /// >>> out = live.judge(["https://a.example/", "no URL"], agents=["examplebot", "*"])
    /// >>> out["reason"], out["deferred_for"]
    /// ([['unfetched', 'unfetched'], ['not-absolute', 'not-absolute']], [['examplebot', '*'], []])
    #[pyo3(signature = (urls, agent=None, *, agents=None, column=None, columns=None, explain=false, dictionary=false, choices=None))]
    #[allow(clippy::too_many_arguments)]
    fn judge(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        agent: Option<&str>,
        agents: Option<&Bound<'_, PyAny>>,
        column: Option<&str>,
        columns: Option<&Bound<'_, PyAny>>,
        explain: bool,
        dictionary: bool,
        choices: Option<&Choices>,
    ) -> PyResult<Verdicts> {
        let agents = arguments::maybe_listed("agents", agents)?;
        let names = arguments::maybe_listed("columns", columns)?;
        let asked = asked_agents(&self.agents, agent, agents.as_deref())?;
        let shape = Shape::new(names, agents, explain, dictionary)?;
        let urls = &several(urls)?;
        let index = urls::index(urls, column)?.map(Bound::unbind);
        let columns = urls::columns(urls, column)?;
        let chunks = urls::all(py, columns)?;
        let (call, rows) = (Call::silent(), chunks.iter().map(|column| column.rows).sum::<usize>() * asked.len());
        let judged = if shape.has_only_outcomes() {
            let matcher = self.matcher(agent, choices)?;
            call.work_on(py, rows, || judged(&chunks, &matcher, &shape))?
        } else {
            // All crawlers see the same answers, and the same time.
            let choices = Choices::made(choices);
            let matcher = self.made(&asked[0].to_string(), choices)?;
            call.work_on(py, rows, || judged_by_policy(&chunks, &matcher, (&asked, choices), &shape))?
        };
        Ok(Verdicts { index, ..judged })
    }

    /// Whether one URL, a str or bytes, may be fetched: True for the verdict "allowed" only. If it waits for a robots.txt, that is
    /// needed from then on.
    #[pyo3(signature = (url, agent=None, *, choices=None))]
    fn allowed(&self, url: &Bound<'_, PyAny>, agent: Option<&str>, choices: Option<&Choices>) -> PyResult<bool> {
        let url = arguments::text("url", url)?;
        let matcher = self.matcher(agent, choices)?;
        let outcome = error::guarded(|| Ok(matcher.judge(&url)))?;
        Ok(outcome.partition() == Partition::Allowed)
    }

    /// Why a URL has its verdict: a dict with the verdict, the reason, the rule that decides and its line, the `User-agent` value above
    /// it, when the deciding answer was fetched, and its status, if a choice for that decides; None where there is none.
    ///
    /// >>> import robosieve
    /// >>> live = robosieve.LivePolicy(agents=["examplebot"])
    /// >>> _ = live.put({"origin": "https://a.example", "status": 200, "body": "User-agent: *\nDisallow: /x", "fetched_at": 5})
    /// >>> why = live.explain("https://a.example/x/y")
    /// >>> why["verdict"], why["reason"], why["rule"], why["line"], why["captured"]
    /// ('blocked', 'rules', 'Disallow: /x', 2, 5)
    #[pyo3(signature = (url, agent=None, *, choices=None))]
    fn explain<'py>(
        &self,
        url: &Bound<'py, PyAny>,
        agent: Option<&str>,
        choices: Option<&Choices>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, bytes) = (url.py(), arguments::text("url", url)?);
        let agent = asked_agents(&self.agents, agent, None)?[0].to_string();
        let choices = Choices::made(choices);
        let live = self.made(&agent, choices)?;
        let (outcome, cause) = error::guarded(|| {
            py.detach(|| {
                let policy = python_package::policy_of(&live, &bytes).map_err(error::policy)?;
                let matcher = policy.matcher_with(&agent, choices).map_err(error::agent)?;
                Ok((matcher.judge(&bytes), matcher.explain(&bytes)))
            })
        })?;
        let rule = cause.rule.as_ref();
        let told = PyDict::new(py);
        told.set_item("verdict", outcome.partition().name())?;
        told.set_item("reason", outcome.reason().name())?;
        told.set_item("rule", rule.map(|rule| format!("{}: {}", rule.key(), String::from_utf8_lossy(&rule.value))))?;
        told.set_item("line", rule.map(|rule| rule.line))?;
        told.set_item("agent", cause.agent)?;
        told.set_item("captured", cause.captured)?;
        told.set_item("status", cause.status)?;
        Ok(told)
    }

    /// What is known of an origin, given as such or as any URL on it; None if nothing is.
    ///
    /// >>> import robosieve
    /// >>> live = robosieve.LivePolicy(agents=["examplebot"])
    /// >>> _ = live.put(robosieve.Answer("https://a.example/robots.txt", 200, "", 1_768_204_800))
    /// >>> _ = live.put(robosieve.Answer("https://a.example/robots.txt", 503, fetched_at=1_768_208_400))
    /// >>> state = live.state("https://a.example")
    /// >>> state.state, state.status, state.fetched_at, state.usable_until
    /// ('unreachable', 503, 1768208400, 1768291200)
    fn state<'py>(&self, url: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let bytes = arguments::text("url", url)?;
        let report = error::guarded(|| self.live.state(&bytes).map_err(|problem| no_url(&bytes, problem)))?;
        report.map(|report| report_object(url.py(), report)).transpose()
    }

    /// The robots.txt files that judged URLs wait for, at most `n`, those most waited for first. `now` is the time, by default that of
    /// the clock.
    ///
    /// Each is named once until its answer is put, or ten minutes pass. One that failed comes back after a pause, a minute at first,
    /// which grows as long as it fails, up to a day.
    #[pyo3(signature = (now=None, n=100))]
    fn needed<'py>(
        &self,
        py: Python<'py>,
        now: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::whole)] n: i64,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let now = now.map_or(Ok(robosieve::Choices::now().now), |now| time("now", now))?;
        let Ok(most) = usize::try_from(n) else {
            return Err(error::parameter("n", format!("expected 0 or more, not {n}")));
        };
        let needed = error::guarded(|| Ok(py.detach(|| self.live.needed(now, most))))?;
        let class = class(py, "Needed")?;
        let object = |needed: policy::Needed| {
            class.call1((needed.url, needed.reason.name(), needed.lines, needed.status, needed.asked_at))
        };
        needed.into_iter().map(object).collect()
    }

    /// The robots.txt to fetch next for the origin of a URL, and the time from which it may be; None for at once.
    fn _next_fetch(&self, url: &Bound<'_, PyAny>) -> PyResult<Option<(String, Option<i64>)>> {
        let url = arguments::text("url", url)?;
        error::guarded(|| python_package::next_fetch(&self.live, &url).map_err(|problem| no_url(&url, problem)))
    }

    /// Writes a policy file with all answers: those beneath, and all that were put before the call. Returns the file, opened; `rebase` on
    /// it frees the memory of what it has. Only a policy file may be replaced.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<Policy> {
        let lock = py.detach(|| compile::locked(&path))?;
        calls::work(py, || {
            self.live.write(&lock).map_err(|problem| compile::unwritable(&path, problem))?;
            Policy::open(path.clone())
        })
    }

    /// Puts another policy beneath, such as the file that was just written, and frees what it has. It must have what the one beneath
    /// has: what only that one has is gone.
    fn rebase(&self, py: Python<'_>, policy: &Policy) -> PyResult<()> {
        let policy = policy.inner.clone();
        calls::work(py, || self.live.rebase(policy).map_err(error::policy))
    }

    /// What it holds: `urls` with answers that came after the policy beneath, distinct `files` among them, `bytes` of all of it, origins
    /// that URLs are `waiting` for, and how often there was no memory to note one (`not_noted`).
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let held = error::guarded(|| Ok(py.detach(|| self.live.statistics())))?;
        class(py, "LiveStatistics")?.call1((held.urls, held.files, held.bytes, held.waiting, held.not_noted))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let urls = py.detach(|| self.live.statistics()).urls;
        format!("<robosieve.LivePolicy {urls} URLs, for {}, {}>", self.agents().join("; "), self.dialect.name)
    }
}

impl LivePolicy {
    /// A matcher for what is asked. It reads the clock at each call unless the choices have a time.
    fn matcher(&self, agent: Option<&str>, choices: Option<&Choices>) -> PyResult<LiveMatcher> {
        let choices = Choices::live(choices);
        // Nothing in here waits for the interpreter's lock, nor for another thread.
        let mut known = self.matchers.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |known: &&KnownMatcher| known.choices == choices && known.agent.as_deref() == agent;
        if let Some(known) = known.iter().rfind(find) {
            return Ok(known.matcher.clone());
        }
        let matcher = self.made(&asked_agents(&self.agents, agent, None)?[0].to_string(), choices)?;
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push(KnownMatcher { agent: agent.map(str::to_owned), choices, matcher: matcher.clone() });
        Ok(matcher)
    }

    fn made(&self, agent: &str, choices: robosieve::Choices) -> PyResult<LiveMatcher> {
        self.live.matcher(agent, choices).map_err(error::agent)
    }
}

/// A list of the URL, if it is a single one.
fn several<'py>(urls: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match urls.is_instance_of::<PyString>() || urls.is_instance_of::<PyBytes>() {
        true => Ok(PyList::new(urls.py(), [urls])?.into_any()),
        false => Ok(urls.clone()),
    }
}

/// The URLs of all rows, for one version to judge them; that of a null row is empty.
fn all_urls(columns: &[Column]) -> Vec<&[u8]> {
    columns.iter().flat_map(|column| (0..column.rows).map(|row| column.value(row).unwrap_or_default())).collect()
}

fn judged(columns: &[Column], matcher: &LiveMatcher, shape: &Shape) -> PyResult<Verdicts> {
    let (mut outcomes, mut batches) = (Vec::new(), Vec::new());
    matcher.judge_all(&all_urls(columns), &mut outcomes);
    let mut rest = outcomes.into_iter();
    for column in columns {
        let of_rows: Vec<Outcome> = rest.by_ref().take(column.rows).collect();
        let found = Found { outcomes: vec![of_rows], ..Found::default() };
        shape.batches(column, &[], &found, &mut batches).map_err(error::urls)?;
    }
    Ok(Verdicts { schema: shape.schema(), batches, index: None })
}

/// Judges for several crawlers, or with rules, lists or preferences: by a policy of nothing but the origins of these URLs.
fn judged_by_policy(
    columns: &[Column],
    matcher: &LiveMatcher,
    (asked, choices): (&[Agents], robosieve::Choices),
    shape: &Shape,
) -> PyResult<Verdicts> {
    let (mut outcomes, mut batches) = (Vec::new(), Vec::new());
    let policy = python_package::judge_all_with_policy(matcher, &all_urls(columns), &mut outcomes);
    let matchers = policy.map_err(error::policy)?.matchers(asked, choices).map_err(error::agent)?;
    let wanted = shape.wanted();
    for column in columns {
        let found = judging::judged(&matchers, column, &wanted, 0, None);
        shape.batches(column, matchers.each(), &found, &mut batches).map_err(error::urls)?;
    }
    Ok(Verdicts { schema: shape.schema(), batches, index: None })
}

/// The error for an answer that cannot be put.
fn refused(problem: policy::Error) -> PyErr {
    match problem.kind() {
        ErrorKind::Source => error::source(problem),
        _ => error::policy(problem),
    }
}

fn no_url(url: &[u8], problem: robosieve::InvalidUrl) -> PyErr {
    error::parameter("url", format!("{}: {problem}", url.escape_ascii()))
}

/// A class of the Python half.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("robosieve._live")?.getattr(name)
}

fn report_object(py: Python<'_>, report: OriginReport) -> PyResult<Bound<'_, PyAny>> {
    let OriginReport { origin_status, answered, usable_until, crawl_delay, sitemaps, is_overridden, .. } = report;
    let fields = PyDict::new(py);
    fields.set_item("state", origin_status.name())?;
    fields.set_item("status", answered.status)?;
    fields.set_item("fetched_at", answered.fetched_at)?;
    fields.set_item("expires", answered.expires)?;
    fields.set_item("unreachable_since", answered.unreachable_since)?;
    fields.set_item("usable_until", usable_until)?;
    fields.set_item("crawl_delay", crawl_delay)?;
    fields.set_item("sitemaps", sitemaps)?;
    fields.set_item("is_overridden", is_overridden)?;
    class(py, "OriginReport")?.call((), Some(&fields))
}
