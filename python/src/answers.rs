//! Answers from memory: the Python class for one, and how many reach the library.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString, PyTuple};
use robosieve::policy::Captures;
use robosieve::policy::source::{self, Options};
use robosieve::python_package::Field;

use crate::arguments::{self, text};
use crate::calls::Call;
use crate::times::time;
use crate::{error, headers};

/// An answer to a request for a robots.txt, for `compile` and `LivePolicy`: the fields of a line of JSON Lines.
///
/// `url` is the URL that was requested, and `status` the HTTP status, or None if nobody answered. With a status from 200 to 299,
/// `body` is a str or bytes, which may be empty. `location` is the target of a redirect. The times `fetched_at`, `expires` (the
/// server's `Expires`) and `unreachable_since` are in seconds of Unix time, `datetime`s with a time zone, or texts in RFC 3339.
/// `headers` are those of the answer, a mapping or an iterable of pairs: only `Content-Encoding` is read, by which the body is decoded,
/// if it was not before. A body that is compressed is known without it, unless by deflate or Brotli.
///
/// >>> import robosieve
/// >>> robosieve.Answer("https://shop.example/robots.txt", 200, "User-agent: *\nDisallow: /cart", "2026-01-12T12:00:00Z")
/// <robosieve.Answer https://shop.example/robots.txt: 200, 29 bytes, fetched_at=1768219200>
#[pyclass(frozen, eq, module = "robosieve")]
#[derive(PartialEq)]
pub struct Answer(source::Answer);

#[pymethods]
impl Answer {
    #[new]
    #[pyo3(signature = (url, status, body=None, fetched_at=None, location=None, *, expires=None, unreachable_since=None, headers=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        url: String,
        #[pyo3(from_py_with = arguments::maybe_whole)] status: Option<i64>,
        body: Option<&Bound<'_, PyAny>>,
        fetched_at: Option<&Bound<'_, PyAny>>,
        location: Option<String>,
        expires: Option<&Bound<'_, PyAny>>,
        unreachable_since: Option<&Bound<'_, PyAny>>,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Answer> {
        let times = [("fetched_at", fetched_at), ("expires", expires), ("unreachable_since", unreachable_since)];
        let [fetched_at, expires, unreachable_since] =
            times.map(|(name, given)| given.map(|given| time(name, given)).transpose());
        let answer = source::Answer::new(url, status)
            .body(body.map(|body| text("body", body)).transpose()?.map(Into::into))
            .location(location)
            .fetched_at(fetched_at?)
            .expires(expires?)
            .unreachable_since(unreachable_since?)
            .headers(headers.map(headers::given).transpose()?.unwrap_or_default());
        Ok(Answer(answer))
    }

    /// The URL that was requested.
    #[getter]
    fn url(&self) -> &str {
        self.0.url.as_deref().unwrap_or_default()
    }

    /// The HTTP status; None if nobody answered.
    #[getter]
    fn status(&self) -> Option<i64> {
        self.0.status
    }

    /// The bytes of the body.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.body.as_deref().map(|body| PyBytes::new(py, body))
    }

    /// The time of the answer, in seconds of Unix time.
    #[getter]
    fn fetched_at(&self) -> Option<i64> {
        self.0.fetched_at
    }

    /// The target of a redirect.
    #[getter]
    fn location(&self) -> Option<&str> {
        self.0.location.as_deref()
    }

    /// The server's `Expires`, in seconds of Unix time.
    #[getter]
    fn expires(&self) -> Option<i64> {
        self.0.expires
    }

    /// The time since which the origin has been unreachable, in seconds of Unix time.
    #[getter]
    fn unreachable_since(&self) -> Option<i64> {
        self.0.unreachable_since
    }

    /// The headers, as pairs of name and value.
    #[getter]
    fn headers(&self) -> Vec<(String, String)> {
        self.0.headers.clone()
    }

    fn __repr__(&self) -> String {
        let status = self.0.status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
        let body = self.0.body.as_ref().map(|body| format!(", {} bytes", body.len())).unwrap_or_default();
        let location = self.0.location.as_ref().map(|to| format!(", location={to}")).unwrap_or_default();
        let times = [
            ("fetched_at", self.0.fetched_at),
            ("expires", self.0.expires),
            ("unreachable_since", self.0.unreachable_since),
        ];
        let times = times.iter().filter_map(|(name, time)| Some(format!(", {name}={}", (*time)?)));
        let times: String = times.collect();
        let headers = match self.0.headers.len() {
            0 => String::new(),
            1 => ", 1 header".to_owned(),
            several => format!(", {several} headers"),
        };
        format!("<robosieve.Answer {}: {status}{body}{location}{times}{headers}>", self.url())
    }

    fn __hash__(&self) -> u64 {
        let source::Answer { url, status, location, body, fetched_at, expires, unreachable_since, headers, .. } =
            &self.0;
        let mut hasher = DefaultHasher::new();
        (url, status, location, body, fetched_at, expires, unreachable_since, headers).hash(&mut hasher);
        hasher.finish()
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        arguments::made_again(&slf.get_type(), slf.get().arguments(slf.py())?)
    }
}

impl Answer {
    /// The arguments that make an equal object.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let given = PyDict::new(py);
        given.set_item("expires", self.0.expires)?;
        given.set_item("unreachable_since", self.0.unreachable_since)?;
        if !self.0.headers.is_empty() {
            given.set_item("headers", self.headers())?;
        }
        let first = (self.url(), self.0.status, self.body(py), self.0.fetched_at, self.location());
        Ok((first.into_pyobject(py)?, given))
    }
}

/// Answers, one after the other, as Python gives them.
pub type Answers<'py> = Box<dyn Iterator<Item = PyResult<source::Answer>> + 'py>;

/// The answers of a mapping of origins to the bodies of their robots.txt.
pub fn of_mapping<'py>(mapping: &Bound<'py, PyMapping>) -> PyResult<Answers<'py>> {
    let items = mapping.items()?;
    if items.is_empty() {
        return Err(error::parameter(
            "sources",
            "the dict is empty; give at least one origin and the body of its robots.txt",
        ));
    }
    Ok(Box::new((0..items.len()).map(move |at| {
        let (origin, body): (Bound<'py, PyAny>, Bound<'py, PyAny>) = items.get_item(at)?.extract()?;
        let Ok(name) = origin.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!("sources: expected an origin, not {}", origin.repr()?)));
        };
        let place = format!("sources: the body of {}", origin.repr()?);
        let body: Option<Arc<[u8]>> = match body.is_none() {
            true => None,
            false => Some(text(&place, &body)?.into()),
        };
        let found = source::Answer::default()
            .origin(Some(name.to_str().map_err(|problem| error::named(name.py(), "sources", problem))?.to_owned()))
            .status(Some(200));
        Ok(found.body(body))
    })))
}

/// One answer: an [`Answer`], or a mapping with the fields of a line of JSON Lines, whose other keys are ignored as they are there.
pub fn one(parameter: &str, given: &Bound<'_, PyAny>) -> PyResult<source::Answer> {
    if let Ok(answer) = given.cast::<Answer>() {
        return Ok(answer.get().0.clone());
    }
    let Ok(fields) = given.cast::<PyMapping>() else {
        let kind = given.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{parameter}: expected a robosieve.Answer or a dict, not {kind}")));
    };
    let value = |field: Field| match fields.contains(field.name())? {
        true => fields.get_item(field.name()).map(|value| Some(value).filter(|value| !value.is_none())),
        false => Ok(None),
    };
    let wrong = |field: Field, problem| error::named(given.py(), &format!("{parameter}: {}", field.name()), problem);
    let string = |field: Field| {
        let text: Option<PyResult<String>> = value(field)?.map(|value| value.extract());
        text.transpose().map_err(|problem| wrong(field, problem))
    };
    let seconds = |field: Field| {
        let name = format!("{parameter}: {}", field.name());
        value(field)?.map(|value| time(&name, &value)).transpose()
    };
    let bytes = |field: Field| -> PyResult<Option<Vec<u8>>> {
        let name = format!("{parameter}: {}", field.name());
        value(field)?.map(|value| text(&name, &value).map(Cow::into_owned)).transpose()
    };
    if !fields.contains(Field::Status.name())? {
        return Err(error::source(format!("{parameter}: it has no \"status\", which is None if nobody answered")));
    }
    let status = value(Field::Status)?.map(|status| arguments::whole(&status)).transpose();
    Ok(source::Answer::default()
        .url(string(Field::Url)?)
        .origin(string(Field::Origin)?)
        .status(status.map_err(|problem| wrong(Field::Status, problem))?)
        .location(string(Field::Location)?)
        .body(bytes(Field::Body)?.map(Into::into))
        .body_base64(bytes(Field::BodyBase64)?)
        .fetched_at(seconds(Field::FetchedAt)?)
        .expires(seconds(Field::Expires)?)
        .unreachable_since(seconds(Field::UnreachableSince)?)
        .headers(value(Field::Headers)?.map(|given| headers::given(&given)).transpose()?.unwrap_or_default()))
}

/// The answers of an iterator of [`Answer`], of which one was taken already.
pub fn of_iterator<'py>(
    first: Bound<'py, PyAny>,
    others: impl Iterator<Item = PyResult<Bound<'py, PyAny>>> + 'py,
) -> Answers<'py> {
    Box::new(std::iter::once(Ok(first)).chain(others).enumerate().map(|(at, item)| {
        let item = item?;
        match item.cast::<Answer>() {
            Ok(answer) => Ok(answer.get().0.clone()),
            Err(_) => Err(PyTypeError::new_err(format!(
                "sources: item {at} is {}; expected a robosieve.Answer, as those before",
                item.repr()?
            ))),
        }
    }))
}

/// The most answers, and bytes of bodies, that go to the library at a time.
const PIECE: usize = 256;
const PIECE_BYTES: usize = 1 << 20;

/// Adds answers: this thread takes them from Python, while another compiles those before.
pub fn add(
    py: Python<'_>,
    call: &Call<'_, '_>,
    answers: Answers<'_>,
    options: &Options,
    captures: &mut Captures,
) -> PyResult<()> {
    let (sender, receiver) = sync_channel::<Vec<source::Answer>>(2);
    let add = || source::add_answers(receiver.into_iter().flatten(), options, captures).map_err(error::source);
    call.work_fed(py, add, || {
        let sender = sender;
        sent(answers, |piece| {
            call.ask(py)?;
            Ok(py.detach(|| sender.send(piece)).is_ok())
        })
    })
}

/// Sends answers in pieces, until there are no more, or nobody takes them any more.
fn sent(mut answers: Answers<'_>, mut send: impl FnMut(Vec<source::Answer>) -> PyResult<bool>) -> PyResult<()> {
    loop {
        let (mut piece, mut bytes) = (Vec::new(), 0);
        while piece.len() < PIECE && bytes < PIECE_BYTES {
            let Some(answer) = answers.next().transpose()? else { break };
            bytes += answer.body.as_ref().map_or(0, |body| body.len());
            piece.push(answer);
        }
        if piece.is_empty() || !send(piece)? {
            return Ok(());
        }
    }
}
