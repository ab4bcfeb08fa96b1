//! One robots.txt for one crawler.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use robosieve::{Agents, BodyFlaw, Dialect, RuleSet, Verdict, origin, python_package};

use crate::{arguments, error};

/// One robots.txt for one crawler.
///
/// `body` is its bytes or its text; `agent` a product token, "*", or a comma-separated list in order of preference;
/// `dialect` one of `robosieve.DIALECTS`. `verbatim` takes the name as given, even if it is not a product token. A body may be
/// compressed. One that is damaged, or no text, blocks everything, and `flaw` says which.
///
/// >>> import robosieve
/// >>> rules = robosieve.RobotsTxt("User-agent: *\nDisallow: /private\nCrawl-delay: 2", agent="examplebot")
/// >>> rules.allowed("https://shop.example/private/notes"), rules.allowed("/public")
/// (False, True)
/// >>> rules.explain("/private/notes")
/// {'allowed': False, 'rule': 'Disallow: /private', 'line': 2, 'agent': '*'}
/// >>> rules.crawl_delay
/// 2.0
#[pyclass(frozen, module = "robosieve")]
pub struct RobotsTxt {
    rules: RuleSet,
    dialect: &'static Dialect,
    of: Of,
}

/// The arguments it was made of. It is pickled as these, and compared by them.
#[derive(PartialEq, Hash)]
struct Of {
    body: Vec<u8>,
    agent: String,
    dialect: &'static str,
    verbatim: bool,
}

#[pymethods]
impl RobotsTxt {
    #[new]
    #[pyo3(signature = (body, agent="*", *, dialect="rfc9309", verbatim=false))]
    fn new(body: &Bound<'_, PyAny>, agent: &str, dialect: &str, verbatim: bool) -> PyResult<RobotsTxt> {
        let body = arguments::text("body", body)?.into_owned();
        let dialect = Dialect::named(dialect).map_err(|problem| error::parameter("dialect", problem))?;
        let agents = if verbatim {
            Agents::verbatim(agent)
        } else {
            let agents: Agents = agent.parse().map_err(error::agent)?;
            agents.ensure_nameable(dialect).map_err(error::agent)?;
            agents
        };
        let rules = error::guarded(|| Ok(RuleSet::compile(&body, &agents, dialect)))?;
        Ok(RobotsTxt { rules, dialect, of: Of { body, agent: agent.to_owned(), dialect: dialect.name, verbatim } })
    }

    fn __repr__(&self) -> String {
        let Of { body, agent, dialect, .. } = &self.of;
        format!("<robosieve.RobotsTxt {} bytes, for {agent}, {dialect}>", body.len())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<RobotsTxt>().is_ok_and(|other| other.get().of == self.of)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.of.hash(&mut hasher);
        hasher.finish()
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        arguments::made_again(&slf.get_type(), slf.get().arguments(slf.py())?)
    }

    /// Whether a URL may be fetched: an absolute http or https URL, or a path that begins with a slash.
    fn allowed(&self, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        let url = arguments::text("url", url)?;
        error::guarded(|| Ok(self.rules.verdict(self.path(&url)?) == Verdict::Allowed))
    }

    /// The verdict, with the deciding rule, its line, and the `User-agent` value above it; None where no rule decided.
    fn explain<'py>(&self, url: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let bytes = arguments::text("url", url)?;
        let explanation = error::guarded(|| Ok(self.rules.explain(self.path(&bytes)?)))?;
        let rule = explanation.rule;
        let written = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let told = PyDict::new(url.py());
        told.set_item("allowed", explanation.verdict == Verdict::Allowed)?;
        told.set_item("rule", rule.map(|rule| format!("{}: {}", rule.key(), written(&rule.value))))?;
        told.set_item("line", rule.map(|rule| rule.line))?;
        told.set_item("agent", explanation.agent)?;
        Ok(told)
    }

    /// Why the file is no robots.txt, "incomplete" or "not-text"; None if it is one. Then nothing may be fetched.
    #[getter]
    fn flaw(&self) -> Option<&'static str> {
        self.rules.flaw().map(BodyFlaw::name)
    }

    /// The seconds between two fetches that the file requests, if the dialect obeys that; None if there are none.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.rules.crawl_delay()
    }

    /// The values of its `Sitemap` lines.
    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.values("sitemap")
    }

    /// The values of a key other than rules, such as "crawl-delay", "request-rate", "visit-time" or "host": those for this
    /// crawler, and those for all.
    fn records(&self, key: &str) -> PyResult<Vec<String>> {
        if python_package::side_keys().any(|known| known == key) {
            return Ok(self.values(key));
        }
        let known = python_package::side_keys().collect::<Vec<_>>().join(", ");
        Err(error::parameter("key", format!("{key:?} is not one of {known}")))
    }
}

impl RobotsTxt {
    /// The arguments that make an equal object.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let Of { body, agent, dialect, verbatim } = &self.of;
        let given = PyDict::new(py);
        given.set_item("dialect", dialect)?;
        given.set_item("verbatim", verbatim)?;
        Ok(((PyBytes::new(py, body), agent).into_pyobject(py)?, given))
    }

    fn values(&self, key: &str) -> Vec<String> {
        let records = self.rules.side_records().filter(|(name, ..)| *name == key);
        records.map(|(_, value, _)| String::from_utf8_lossy(value).into_owned()).collect()
    }

    /// The path and query to judge, of a URL or of a path as written.
    fn path<'u>(&self, url: &'u [u8]) -> PyResult<Cow<'u, [u8]>> {
        if url.starts_with(b"/") {
            return Ok(python_package::judged_path(self.dialect, url));
        }
        match origin::split(url) {
            Ok((_, rest)) => Ok(python_package::judged_path(self.dialect, rest)),
            Err(problem) => Err(error::parameter("url", format!("{}: {problem}", origin::trimmed(url).escape_ascii()))),
        }
    }
}

/// The product token that the library proposes for a user agent; if there is none, the user agent itself.
///
/// >>> from robosieve._robosieve import product_token
/// >>> product_token("Mozilla/5.0 (compatible; examplebot/1.0; +https://example.com/bot)")
/// 'examplebot'
#[pyfunction]
pub fn product_token(user_agent: &str) -> String {
    python_package::product_token(user_agent)
}
