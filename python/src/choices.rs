//! The Python class for choices where there is no verdict.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use robosieve::python_package;
use robosieve::{Fallback, MaxAge, Requirements, Statuses};
use serde::de::DeserializeOwned;

use crate::times::{is_of_datetime, time};
use crate::{arguments, error};

/// How to treat URLs that have no definite verdict.
///
/// `on_unreachable`, `on_html` and `on_stale` are "allow", "block", "defer" or "use"; `on_unfetched` is one of the first three.
/// `max_age` and `unreachable_as_unavailable` are numbers of seconds, `timedelta`s, or texts such as "7d"; `max_age` may also be
/// "dialect", for the dialect's own lifetime, which is the limit if only `on_stale` is given. `now`, the time at which
/// ages are judged, is in seconds of Unix time, a `datetime` with a time zone, or a text in RFC 3339. `statuses` says which answers
/// mean something else than the dialect says: a dict such as {403: "defer", "4xx": "allow"}, the path of a file with such lines, or a
/// name, such as "common-crawl". With `www_fallback`, an origin that is not in the policy is judged by the one with or without "www.".
/// `require` is what sites must say about uses of a page, such as "train-ai!=n" or "train-ai=y": other URLs are blocked. `content_signal`
/// says to which crawlers a Content-Signal line speaks: "group" or "everybody".
///
/// >>> import robosieve
/// >>> choices = robosieve.Choices(on_unfetched="allow", max_age="7d")
/// >>> choices.on_unfetched, choices.max_age
/// ('allow', 604800)
#[pyclass(frozen, eq, module = "robosieve")]
#[derive(PartialEq)]
pub struct Choices {
    /// At time 0, which `now` replaces.
    choices: robosieve::Choices,
    now: Option<i64>,
}

#[pymethods]
impl Choices {
    #[new]
    #[pyo3(signature = (*, on_unfetched="defer", on_unreachable="defer", on_html="use", on_stale=None, max_age=None, unreachable_as_unavailable=None, statuses=None, www_fallback=false, require=None, content_signal="group", now=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        on_unfetched: &str,
        on_unreachable: &str,
        on_html: &str,
        on_stale: Option<&str>,
        max_age: Option<&Bound<'_, PyAny>>,
        unreachable_as_unavailable: Option<&Bound<'_, PyAny>>,
        statuses: Option<&Bound<'_, PyAny>>,
        www_fallback: bool,
        require: Option<&str>,
        content_signal: &str,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Choices> {
        let fallback = "allow, block, defer or use";
        let unfetched = named("on_unfetched", on_unfetched, "allow, block or defer")?;
        if unfetched == Fallback::Use {
            let problem = "there is nothing to use; expected allow, block or defer";
            return Err(error::parameter("on_unfetched", problem));
        }
        let stale = on_stale.map(|given| named("on_stale", given, fallback)).transpose()?;
        let max_age = max_age.map(|given| age("max_age", given)).transpose()?;
        let choices = robosieve::Choices::at(0)
            .on_unfetched(unfetched)
            .on_unreachable(named("on_unreachable", on_unreachable, fallback)?)
            .on_html(named("on_html", on_html, fallback)?)
            .stale(stale, max_age)
            .unreachable_as_unavailable(unreachable_as_unavailable.map(unreachable_for).transpose()?)
            .statuses(statuses.map(statuses_of).transpose()?.unwrap_or_default())
            .www_fallback(www_fallback)
            .require(require.map(requirements).transpose()?.unwrap_or_default())
            .content_signal(named("content_signal", content_signal, "group or everybody")?);
        Ok(Choices { choices, now: now.map(|now| time("now", now)).transpose()? })
    }

    /// What becomes of URLs whose robots.txt was never fetched.
    #[getter]
    fn on_unfetched(&self) -> String {
        name(self.choices.on_unfetched)
    }

    /// What becomes of URLs whose robots.txt is unreachable.
    #[getter]
    fn on_unreachable(&self) -> String {
        name(self.choices.on_unreachable)
    }

    /// What becomes of URLs whose robots.txt looks like an HTML page.
    #[getter]
    fn on_html(&self) -> String {
        name(self.choices.on_html)
    }

    /// What becomes of URLs whose robots.txt is older than `max_age`.
    #[getter]
    fn on_stale(&self) -> String {
        name(self.choices.on_stale)
    }

    /// The maximum age of a robots.txt in seconds, or "dialect"; None for any age.
    #[getter]
    fn max_age<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match self.choices.max_age {
            None => None,
            Some(MaxAge::Seconds(seconds)) => Some(seconds.into_pyobject(py)?.into_any()),
            Some(_) => Some(PyString::new(py, "dialect").into_any()),
        })
    }

    /// The seconds after which an unreachable robots.txt counts as missing; None for never.
    #[getter]
    fn unreachable_as_unavailable(&self) -> Option<u64> {
        self.choices.unreachable_as_unavailable
    }

    /// What statuses mean that do not mean what the dialect says, as a dict.
    #[getter]
    fn statuses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let statuses = PyDict::new(py);
        self.choices.statuses.iter().try_for_each(|(status, meaning)| statuses.set_item(status, name(meaning)))?;
        Ok(statuses)
    }

    /// Whether an unknown origin is judged by the one with or without "www.".
    #[getter]
    fn www_fallback(&self) -> bool {
        self.choices.www_fallback
    }

    /// What sites must say about uses of a page; None if nothing is required.
    #[getter]
    fn require(&self) -> Option<String> {
        Some(self.choices.require).filter(|require| !require.is_empty()).map(|require| require.to_string())
    }

    /// To which crawlers a Content-Signal line speaks.
    #[getter]
    fn content_signal(&self) -> &'static str {
        self.choices.content_signal.name()
    }

    /// The time at which ages are judged, in seconds of Unix time; None for that of the call.
    #[getter]
    fn now(&self) -> Option<i64> {
        self.now
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (_, given) = self.arguments(py)?;
        let given = given.iter().map(|(name, value)| Ok(format!("{name}={}", value.repr()?)));
        Ok(format!("robosieve.Choices({})", given.collect::<PyResult<Vec<_>>>()?.join(", ")))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        self.__repr__(py)?.hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        arguments::made_again(&slf.get_type(), slf.get().arguments(slf.py())?)
    }
}

impl Choices {
    /// The arguments that make an equal object.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let given = PyDict::new(py);
        given.set_item("on_unfetched", self.on_unfetched())?;
        given.set_item("on_unreachable", self.on_unreachable())?;
        given.set_item("on_html", self.on_html())?;
        // Alone, it would set a limit.
        given.set_item("on_stale", self.choices.max_age.map(|_| self.on_stale()))?;
        given.set_item("max_age", self.max_age(py)?)?;
        given.set_item("unreachable_as_unavailable", self.unreachable_as_unavailable())?;
        // Without any, as before there were statuses.
        given.set_item("statuses", Some(self.statuses(py)?).filter(|statuses| !statuses.is_empty()))?;
        given.set_item("www_fallback", self.www_fallback())?;
        given.set_item("require", self.require())?;
        given.set_item("content_signal", self.content_signal())?;
        given.set_item("now", self.now)?;
        Ok((PyTuple::empty(py), given))
    }

    /// Whether the time at which ages are judged is given.
    pub fn have_time(given: Option<&Choices>) -> bool {
        given.is_some_and(|given| given.now.is_some())
    }

    /// The choices at time 0, and the time that was given.
    pub fn asked(&self) -> (robosieve::Choices, Option<i64>) {
        (self.choices, self.now)
    }

    /// The given choices, or the defaults. Unless they have a time, the clock is read whenever URLs are judged.
    pub fn live(given: Option<&Choices>) -> robosieve::Choices {
        let (mut choices, now) = given.map_or((robosieve::Choices::default(), None), Choices::asked);
        choices.now = now.unwrap_or(robosieve::Choices::CLOCK);
        choices
    }

    /// The given choices, or the defaults.
    pub fn made(given: Option<&Choices>) -> robosieve::Choices {
        let now = robosieve::Choices::now();
        let Some(given) = given else { return now };
        let mut choices = given.choices;
        choices.now = given.now.unwrap_or(now.now);
        choices
    }
}

/// The name of a choice, as in the receipt.
fn name(fallback: Fallback) -> String {
    fallback.name().to_owned()
}

/// What sites must say about uses of a page.
fn requirements(given: &str) -> PyResult<Requirements> {
    given.parse().map_err(|problem| error::parameter("require", problem))
}

/// What statuses mean: a dict, a name, or the path of a file.
fn statuses_of(given: &Bound<'_, PyAny>) -> PyResult<Statuses> {
    let parameter = "statuses";
    let Ok(dict) = given.cast::<PyDict>() else {
        let told = || {
            let kind = given.get_type().name().map_or_else(|_| String::new(), |name| format!(", not {name}"));
            PyTypeError::new_err(format!("{parameter}: expected a dict, a name or a path{kind}"))
        };
        let path: PathBuf = given.extract().map_err(|problem| error::instead(given.py(), problem, told))?;
        return Statuses::named_or_read(&path).map_err(|problem| error::parameter(parameter, problem));
    };
    let mut statuses = Statuses::default();
    for (status, meaning) in dict.iter() {
        let meaning = named(parameter, &meaning.str()?.to_cow()?, "allow, block or defer")?;
        let status = status.str()?;
        statuses.add(&status.to_cow()?, meaning).map_err(|problem| error::parameter(parameter, problem))?;
    }
    Ok(statuses)
}

/// An age: a number of seconds, a `timedelta`, or a text.
fn age(parameter: &str, given: &Bound<'_, PyAny>) -> PyResult<MaxAge> {
    if let Ok(text) = given.extract::<String>() {
        return text.parse().map_err(|problem| error::parameter(parameter, format!("{text:?}: {problem}")));
    }
    let seconds = if is_of_datetime(given, "timedelta")? {
        let seconds: f64 = given.call_method0("total_seconds")?.extract()?;
        (seconds.fract() == 0.0).then_some(seconds as i64)
    } else if let Ok(seconds) = arguments::whole(given) {
        Some(seconds)
    } else {
        let problem = "expected a number of seconds, a timedelta, or a text such as \"7d\"";
        return Err(PyTypeError::new_err(format!("{parameter}: {problem}, not {}", given.get_type().name()?)));
    };
    match seconds.map(u64::try_from) {
        Some(Ok(seconds)) => Ok(MaxAge::Seconds(seconds)),
        _ => Err(PyValueError::new_err(format!("{parameter}: expected whole seconds, 0 or more, not {given}"))),
    }
}

fn unreachable_for(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let parameter = "unreachable_as_unavailable";
    let seconds = match given.extract::<String>() {
        Ok(text) => python_package::unreachable_for(&text).map_err(|problem| format!("{text:?}: {problem}")),
        Err(_) => match age(parameter, given)? {
            MaxAge::Seconds(seconds) => python_package::known_unreachable(seconds),
            _ => Err("a dialect says nothing about it".to_owned()),
        },
    };
    seconds.map_err(|problem| error::parameter(parameter, problem))
}

/// Parses one of a few names, spelt as in the receipt.
pub fn named<T: DeserializeOwned>(parameter: &str, given: &str, wanted: &str) -> PyResult<T> {
    let name = serde_json::Value::String(given.to_owned());
    serde_json::from_value(name)
        .map_err(|_| error::parameter(parameter, format!("{given:?} is unknown; expected {wanted}")))
}
