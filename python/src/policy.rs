//! The Python class for policies: opens them, describes them, and judges by them.

use std::fmt;
use std::io;
use std::path::{self, Path, PathBuf};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use robosieve::inspect::OriginEntry;
use robosieve::policy::{self, Crawler};
use robosieve::{Agents, Matchers, Partition, origin};

use crate::arguments;
use crate::calls::{self, Call, Rows};
use crate::choices::Choices;
use crate::column::Column;
use crate::dataset;
use crate::error;
use crate::judging;
use crate::stream::Stream;
use crate::urls;
use crate::verdicts::{Shape, Verdicts};
use crate::warm::Warm;

/// The robots.txt rules of many origins, compiled: a file that is mapped, and shared by all processes of a host. Nobody may write
/// into it while it is open; replace it by a rename, as `compile` and `merge` do.
///
/// `path` is a policy file, or a list of several: layers, whose answers all count, as if they had been merged. A layer may also
/// be a policy that is already open. Only the origins that the smaller ones change are derived again, in memory. `overrides` is a
/// file with the operator's own verdicts for origins, which override every robots.txt.
///
/// A policy opened from files is pickled as their absolute paths and its checksum; if other files are there when it is
/// unpickled, that is an error. A policy in memory is pickled as its bytes.
///
/// >>> import robosieve, tempfile, os
/// >>> path = os.path.join(tempfile.mkdtemp(), "policy.rsv")
/// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot", "*"], out=path)
/// >>> policy = robosieve.Policy(path)
/// >>> policy.agents, policy.dialect
/// (['examplebot', '*'], 'rfc9309')
/// >>> policy.judge(["https://shop.example/cart"], agent="examplebot")["verdict"]
/// ['blocked']
/// >>> today = robosieve.compile(["datasets/origins.jsonl"], agents=["examplebot", "*"])
/// >>> robosieve.Policy([path, today]).origins
/// 59
#[pyclass(frozen, module = "robosieve")]
pub struct Policy {
    pub inner: policy::Policy,
    /// The files it comes from; `None` if it was made in memory.
    opened: Option<Opened>,
    /// The matchers of [`Policy::allowed`].
    warm: Warm,
}

/// What a policy was opened from; the paths are absolute.
struct Opened {
    files: Files,
    overrides: Option<PathBuf>,
}

/// A policy file, or layers.
#[derive(IntoPyObjectRef)]
enum Files {
    One(PathBuf),
    Layers(Vec<Layer>),
}

/// A layer: a policy file, or a policy.
#[derive(FromPyObject, IntoPyObjectRef)]
enum Layer {
    File(PathBuf),
    Policy(Py<Policy>),
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (path, overrides=None))]
    fn new(py: Python<'_>, path: &Bound<'_, PyAny>, overrides: Option<PathBuf>) -> PyResult<Policy> {
        let path = Files::of(path)?;
        calls::work(py, || Policy::opened(path, overrides))
    }

    /// Opens what was pickled.
    #[classmethod]
    fn _reopened(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        overrides: Option<PathBuf>,
        checksum: &str,
    ) -> PyResult<Policy> {
        let policy = Policy::new(py, path, overrides)?;
        if policy.checksum() != checksum {
            let (from, there) = (policy.opened.as_ref().map(Opened::to_string).unwrap_or_default(), policy.checksum());
            return Err(error::policy(format!(
                "{from}: it was replaced since the policy was pickled: its checksum is {there}, and was {checksum}; keep the file \
                 until all processes have opened it, or pickle to_bytes()"
            )));
        }
        Ok(policy)
    }

    /// The policy in the bytes of a policy file.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, bytes: &[u8]) -> PyResult<Policy> {
        error::guarded(|| policy::Policy::from_bytes(bytes).map_err(error::policy).map(Policy::of))
    }

    /// The bytes of this policy's file; of layers, those of the file into which they would be merged.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let policy = calls::work(py, || self.inner.flattened(&std::env::temp_dir()).map_err(error::policy))?;
        Ok(PyBytes::new(py, policy.bytes()))
    }

    /// The crawlers it was compiled for.
    #[getter]
    fn agents(&self) -> Vec<String> {
        self.inner.columns().all().iter().map(ToString::to_string).collect()
    }

    /// The dialect it was compiled for.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.inner.dialect().name
    }

    /// The number of origins with an entry.
    #[getter]
    fn origins(&self) -> u64 {
        self.inner.statistics().origins
    }

    /// The checksum of its bytes, which identifies its content; of layers, that of their checksums.
    #[getter]
    fn checksum(&self) -> String {
        format!("{:032x}", self.inner.checksum())
    }

    /// Judges URLs: returns a verdict ("allowed", "blocked", "deferred" or "invalid") and a reason for each, in order.
    ///
    /// `urls` is an Arrow array or stream from any library, or a list of str or bytes; nulls stay null. In a table, or a dict of
    /// columns, `column` names the URLs; without it, and without a column "url", they are put together from Common Crawl's columns
    /// "url_protocol", "url_host_name", "url_port", "url_path" and "url_query". What comes from pandas goes back with its index. With
    /// `agent` (or a policy for one crawler), `verdict` and `reason` are strings; with `agents`, lists in their order, and
    /// `blocked_for` and `deferred_for` name the agents; what is no URL is blocked for all. `explain` adds the `rule` that blocked the
    /// URL and its `line`. `columns` names the columns instead: of many agents, `["blocked_for"]` takes the least time. Only columns
    /// that are named tell what sites say about uses of the page, "y", "n" or nothing: `train_ai`, `search` and `ai_input`, and each
    /// with `_content_usage` or `_content_signal` what that kind of line says. Of a pyarrow Dataset or Scanner, the verdicts are a
    /// `Stream`: each batch is judged when it is read, in order. `dictionary` returns dictionaries instead of strings. `threads` is 0
    /// for all processors. `progress` is called ten times a second, as by `filter`.
    ///
    /// >>> import robosieve
    /// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot", "*"])
    /// >>> out = policy.judge(["https://shop.example/cart"], agents=["examplebot", "*"], explain=True)
    /// >>> out["verdict"], out["blocked_for"]
    /// ([['blocked', 'blocked']], [['examplebot', '*']])
    /// >>> out["rule"], out["line"]
    /// ([['Disallow: /cart', 'Disallow: /cart']], [[23, 3]])
    #[pyo3(signature = (urls, agent=None, *, agents=None, column=None, columns=None, explain=false, dictionary=false, choices=None, threads=0, progress=None))]
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
        #[pyo3(from_py_with = arguments::whole)] threads: i64,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Judged> {
        let call = Call::new(progress)?;
        let (agents, threads) = (arguments::maybe_listed("agents", agents)?, arguments::threads(threads)?);
        let matchers = self.matchers(agent, agents.as_deref(), Choices::made(choices))?;
        let names = arguments::maybe_listed("columns", columns)?;
        let columns = urls::columns(urls, column)?;
        let index = urls::index(urls, column)?.map(Bound::unbind);
        let shape = Shape::new(names, agents, explain, dictionary)?;
        if dataset::is_scanned(urls)? {
            if progress.is_some() {
                return Err(error::parameter("progress", "batches are judged when they are read; count them there"));
            }
            return Ok(Judged::Stream(Stream::judged(columns, matchers, shape, threads)));
        }
        // Only a callback asks how many there are.
        let (wanted, rows) = (shape.wanted(), progress.map(|_| Rows::of(urls)));
        let call = call.with_progress(|| rows.as_ref().map(Rows::done).unwrap_or_default());
        let judged = |column: Column| {
            let found = judging::judged(&matchers, &column, &wanted, threads, rows.as_ref());
            let mut batches = Vec::new();
            shape.batches(&column, matchers.each(), &found, &mut batches).map_err(error::urls)?;
            Ok(batches)
        };
        let batches = urls::each(py, &call, columns, matchers.each().len(), judged)?.concat();
        Ok(Judged::Verdicts(Verdicts { schema: shape.schema(), batches, index }))
    }

    /// Whether one URL, a str or bytes, may be fetched: True for the verdict "allowed" only. `agent` and `choices` are those of
    /// `judge`, which takes less time for many URLs.
    ///
    /// >>> import robosieve
    /// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot", "*"])
    /// >>> policy.allowed("https://shop.example/", "examplebot"), policy.allowed("https://never.example/", "examplebot")
    /// (True, False)
    #[pyo3(signature = (url, agent=None, *, choices=None))]
    fn allowed(&self, url: &Bound<'_, PyAny>, agent: Option<&str>, choices: Option<&Choices>) -> PyResult<bool> {
        let url = arguments::text("url", url)?;
        let make = |choices| self.matchers(agent, None, choices).map(|made| made.each()[0].clone());
        let outcome = error::guarded(|| self.warm.judge(&url, agent, choices.map(Choices::asked), make))?;
        Ok(outcome.partition() == Partition::Allowed)
    }

    /// What is known of the origin of a URL, and the group of its robots.txt that applies to the crawler; None if the policy has
    /// no entry for it. `url` is an origin or any URL on it; `agent` may be left out of a policy for one crawler.
    ///
    /// >>> import robosieve
    /// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot", "*"])
    /// >>> shop = policy.origin("https://shop.example/cart", "examplebot")
    /// >>> shop.state, shop.group, shop.rules[0]
    /// ('robots-txt', 'own', 'Disallow: /cart')
    #[pyo3(signature = (url, agent=None))]
    fn origin<'py>(
        &self,
        py: Python<'py>,
        url: &Bound<'py, PyAny>,
        agent: Option<&str>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let url = arguments::text("url", url)?;
        let agents = agent.map(str::parse).transpose().map_err(error::agent)?;
        let crawler = self.inner.crawler(agents.as_ref()).map_err(error::agent)?;
        let choices = robosieve::Choices::now();
        let entry = error::guarded(|| {
            let entry = OriginEntry::of(&self.inner, origin::trimmed(&url), &[crawler], choices);
            entry.map_err(|problem| error::parameter("url", format!("{}: {problem}", url.escape_ascii())))
        })?;
        entry.map(|entry| crate::origin::object(py, &entry)).transpose()
    }

    fn __repr__(&self) -> String {
        let (agents, dialect) = (self.agents().join("; "), self.dialect());
        let whose = self.opened.as_ref().map(|opened| format!("{}: ", opened.files)).unwrap_or_default();
        format!("<robosieve.Policy {whose}{} origins, for {agents}, {dialect}>", self.origins())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, policy) = (slf.py(), slf.get());
        let (of, from) = match &policy.opened {
            Some(Opened { files, overrides }) => {
                (slf.get_type().getattr("_reopened")?, (files, overrides, policy.checksum()).into_pyobject(py)?)
            }
            None => (
                slf.get_type().getattr("from_bytes")?,
                (policy.to_bytes(py)?,).into_pyobject(py)?.into_any().cast_into()?,
            ),
        };
        (of, from).into_pyobject(py).map(Bound::into_any)
    }
}

/// What `judge` returns.
#[derive(IntoPyObject)]
enum Judged {
    Verdicts(Verdicts),
    Stream(Stream),
}

impl Policy {
    /// Opens a policy file.
    pub fn open(path: PathBuf) -> PyResult<Policy> {
        Policy::opened(Files::One(path), None)
    }

    fn opened(files: Files, overrides: Option<PathBuf>) -> PyResult<Policy> {
        let (files, overrides) = (files.absolute()?, overrides.map(path::absolute).transpose()?);
        let mut policy = match &files {
            Files::One(path) => mapped(path)?,
            Files::Layers(layers) => {
                let layer = |layer: &Layer| match layer {
                    Layer::File(path) => mapped(path),
                    Layer::Policy(policy) => Ok(policy.get().inner.clone()),
                };
                let policies = layers.iter().map(layer).collect::<PyResult<_>>()?;
                policy::Policy::layered(policies).map_err(error::policy)?
            }
        };
        if let Some(path) = &overrides {
            let overrides = arguments::overrides(path)?;
            policy = policy.with_overrides(&overrides, &std::env::temp_dir()).map_err(error::policy)?;
        }
        Ok(Policy { opened: Some(Opened { files, overrides }), ..Policy::of(policy) })
    }

    /// The crawler asked for; if none is, all crawlers of the policy.
    pub fn crawlers_or_all(&self, agent: Option<&str>) -> PyResult<Vec<Crawler>> {
        let agent: Option<Agents> = agent.map(|agent| agent.parse().map_err(error::agent)).transpose()?;
        let asked = agent.as_ref().map_or(self.inner.columns().all(), std::slice::from_ref);
        asked.iter().map(|agents| self.inner.crawler(Some(agents)).map_err(error::agent)).collect()
    }

    /// A policy without a file.
    pub fn of(policy: policy::Policy) -> Policy {
        Policy { inner: policy, opened: None, warm: Warm::default() }
    }

    fn matchers(
        &self,
        agent: Option<&str>,
        agents: Option<&[String]>,
        choices: robosieve::Choices,
    ) -> PyResult<Matchers> {
        let asked = asked_agents(self.inner.columns().all(), agent, agents)?;
        error::guarded(|| self.inner.matchers(&asked, choices).map_err(error::agent))
    }
}

impl fmt::Display for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.overrides {
            Some(overrides) => write!(f, "{} with {}", self.files, overrides.display()),
            None => self.files.fmt(f),
        }
    }
}

impl Files {
    /// A path, or an iterable of paths and policies.
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Files> {
        match given.extract() {
            Ok(path) => return Ok(Files::One(path)),
            Err(problem) if error::is_interrupt(given.py(), &problem) => return Err(problem),
            Err(_) => {}
        }
        if given.is_instance_of::<PyBytes>() || given.try_iter().is_err() {
            let kind = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "path: expected a str or a Path, or a list of them and of policies, not {kind}"
            )));
        }
        arguments::listed("path", given).map(Files::Layers)
    }

    /// The same files, wherever the process goes.
    fn absolute(self) -> io::Result<Files> {
        let layer = |layer| match layer {
            Layer::File(path) => path::absolute(path).map(Layer::File),
            Layer::Policy(policy) => Ok(Layer::Policy(policy)),
        };
        Ok(match self {
            Files::One(path) => Files::One(path::absolute(path)?),
            Files::Layers(layers) => Files::Layers(layers.into_iter().map(layer).collect::<io::Result<_>>()?),
        })
    }
}

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Files::One(path) => path.display().fmt(f),
            Files::Layers(layers) => {
                let layer = |layer: &Layer| match layer {
                    Layer::File(path) => path.display().to_string(),
                    Layer::Policy(policy) => match &policy.get().opened {
                        Some(opened) => opened.files.to_string(),
                        None => "a policy in memory".to_owned(),
                    },
                };
                f.write_str(&layers.iter().map(layer).collect::<Vec<_>>().join(" and "))
            }
        }
    }
}

/// The crawlers asked for, of all that a policy has; if none is asked for, its only one.
pub fn asked_agents(all: &[Agents], agent: Option<&str>, agents: Option<&[String]>) -> PyResult<Vec<Agents>> {
    let asked = match (agent, agents) {
        (Some(_), Some(_)) => return Err(PyTypeError::new_err("give agent or agents, not both")),
        (None, Some([])) => {
            return Err(error::agent("agents is empty; leave it out to use the policy's only crawler"));
        }
        (Some(agent), None) => vec![agent.parse()],
        (None, Some(agents)) => agents.iter().map(|agent| agent.parse()).collect(),
        (None, None) => match all {
            [only] => vec![Ok(only.clone())],
            _ => {
                let several = all.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                return Err(error::agent(format!("the policy has several crawlers ({several}); name one")));
            }
        },
    };
    asked.into_iter().collect::<Result<_, _>>().map_err(error::agent)
}

/// Maps a policy file: all processes of a host share its memory.
pub fn mapped(path: &Path) -> PyResult<policy::Policy> {
    // SAFETY: the package's documents ask users not to write into a policy that is open; robosieve replaces one by a rename.
    unsafe { policy::Policy::map(path) }.map_err(error::policy)
}
