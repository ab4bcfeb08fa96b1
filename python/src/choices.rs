//! The Python class for choices where there is no verdict.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use robosieve::MaxAge;
use serde::de::DeserializeOwned;

use crate::error;

/// How to treat URLs that have no definite verdict.
///
/// `on_unfetched`, `on_unreachable`, `on_html` and `on_stale` are "allow", "block", "defer" or "use". `max_age` is a number
/// of seconds, or "dialect" for the dialect's own lifetime; `unreachable_as_unavailable` and `now` are seconds (of Unix time).
///
/// >>> import robosieve
/// >>> choices = robosieve.Choices(on_unfetched="allow", max_age="dialect")
#[pyclass(frozen, module = "robosieve")]
pub struct Choices {
    choices: robosieve::Choices,
    now: Option<i64>,
}

#[pymethods]
impl Choices {
    #[new]
    #[pyo3(signature = (*, on_unfetched="defer", on_unreachable="defer", on_html="use", on_stale="use", max_age=None, unreachable_as_unavailable=None, now=None))]
    fn new(
        on_unfetched: &str,
        on_unreachable: &str,
        on_html: &str,
        on_stale: &str,
        max_age: Option<&Bound<'_, PyAny>>,
        unreachable_as_unavailable: Option<u64>,
        now: Option<i64>,
    ) -> PyResult<Choices> {
        let fallback = "allow, block, defer or use";
        let choices = robosieve::Choices::at(0)
            .on_unfetched(named("on_unfetched", on_unfetched, fallback)?)
            .on_unreachable(named("on_unreachable", on_unreachable, fallback)?)
            .on_html(named("on_html", on_html, fallback)?)
            .on_stale(named("on_stale", on_stale, fallback)?)
            .max_age(max_age.map(self::max_age).transpose()?)
            .unreachable_as_unavailable(unreachable_as_unavailable);
        Ok(Choices { choices, now })
    }
}

impl Choices {
    /// The given choices, or the defaults.
    pub fn made(given: Option<&Choices>) -> robosieve::Choices {
        let now = robosieve::Choices::now();
        let Some(given) = given else { return now };
        let mut choices = given.choices;
        choices.now = given.now.unwrap_or(now.now);
        choices
    }
}

fn max_age(given: &Bound<'_, PyAny>) -> PyResult<MaxAge> {
    if let Ok(seconds) = given.extract::<u64>() {
        return Ok(MaxAge::Seconds(seconds));
    }
    match given.extract::<String>() {
        Ok(name) if name == "dialect" => Ok(MaxAge::Dialect),
        _ => Err(PyTypeError::new_err("max_age: expected a number of seconds, or \"dialect\"")),
    }
}

/// Parses one of a few names, spelt as in the receipt.
pub fn named<T: DeserializeOwned>(parameter: &str, given: &str, wanted: &str) -> PyResult<T> {
    let name = serde_json::Value::String(given.to_owned());
    serde_json::from_value(name)
        .map_err(|_| error::parameter(parameter, format!("{given:?} is unknown; expected {wanted}")))
}
