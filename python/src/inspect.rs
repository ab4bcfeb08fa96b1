//! The contents of a policy.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use robosieve::inspect::{OriginEntry, Summary};

use crate::arguments::{self, text};
use crate::choices::Choices;
use crate::policy::Policy;
use crate::times::time;
use crate::{calls, error, json};

/// The maximum length of lists, as in the program.
const TOP: i64 = 10;

/// What a policy contains, as a dict; or, with `origin`, its entry for that origin, and None if it has none.
///
/// The dicts are those that `robosieve inspect --json` prints. `origin` is an origin, or any URL on it. `agent` is one of the
/// policy's crawlers, or a list of them in order of preference; without it, all crawlers are shown. `now` is the time at which ages
/// are judged, as for `Choices`. `top` is the maximum length of lists without an origin, 10 if it is not given. With an origin, how much is
/// blocked is told by `choices`, which have a `now` of their own, but for `require`; with `www_fallback`, the entry is that of the origin
/// that judges the URL.
///
/// >>> import robosieve
/// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot"])
/// >>> robosieve.inspect(policy)["origins"] == policy.origins
/// True
/// >>> shop = robosieve.inspect(policy, "https://shop.example/cart")
/// >>> shop["origin"], shop["origin_status"], shop["agents"][0]["group"]
/// ('https://shop.example', 'robots-txt', 'own')
/// >>> robosieve.inspect(policy, "https://never.example") is None
/// True
#[pyfunction]
#[pyo3(signature = (policy, origin=None, *, agent=None, now=None, top=None, choices=None))]
pub fn inspect<'py>(
    py: Python<'py>,
    policy: &Policy,
    origin: Option<&Bound<'py, PyAny>>,
    agent: Option<&str>,
    now: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::maybe_whole)] top: Option<i64>,
    choices: Option<&Choices>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut by = Choices::made(choices);
    if let Some(given) = now {
        if choices.is_some() {
            return Err(PyTypeError::new_err("now: choices have one of their own"));
        }
        by.now = time("now", given)?;
    }
    let crawlers = policy.crawlers_or_all(agent)?;
    let Some(given) = origin else {
        if choices.is_some() {
            return Err(PyTypeError::new_err("choices: they are for one origin; leave them out without one"));
        }
        let top = top.unwrap_or(TOP);
        let most = usize::try_from(top)
            .map_err(|_| pyo3::exceptions::PyValueError::new_err(format!("top: expected 0 or more, not {top}")))?;
        let summary = || Summary::of(&policy.inner, &crawlers, by.now, most).map_err(error::policy);
        return json::object(py, &calls::work(py, summary)?);
    };
    if top.is_some() {
        return Err(PyTypeError::new_err("top: it is for all origins; leave it out with an origin"));
    }
    let url = text("origin", given)?;
    let entry = error::guarded(|| {
        let entry = OriginEntry::of(&policy.inner, &url, &crawlers, by);
        entry.map_err(|problem| {
            let given = String::from_utf8_lossy(&url);
            error::parameter("origin", format!("{given:?} is neither an origin nor a URL: {problem}"))
        })
    })?;
    json::object(py, &entry)
}
