//! An answer as JSON Lines, Parquet and callers give it. This module checks required fields, converts the URL to
//! canonical form, and checks times: a time in the wrong unit would be newer than all others, and never too old.

use base64::Engine as _;
use std::borrow::Cow;
use std::sync::Arc;

use super::fields::Field;
use crate::dialect::UrlPath;
use crate::formats::coding;
use crate::formats::time::{LAST_YEAR, is_of_calendar, time};
use crate::origin::{self, InvalidUrl};
use crate::policy::{Answered, Capture};
use crate::robots::{self, BodyFlaw, BodyProblem};
use crate::rules::fetched_url;

/// The highest number with the three digits of an HTTP status (RFC 9110, section 15). Statuses that are in no class
/// count as no answer.
const HIGHEST_STATUS: i64 = 999;

/// The status of an answer that has a part of the robots.txt (RFC 9110, section 15.3.7).
const PARTIAL_CONTENT: u16 = 206;

setters! {
    /// An answer to a request for a robots.txt: the fields of a line of JSON Lines, not checked yet. [`add_answers`](super::add_answers())
    /// adds them from memory.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Answer {
        /// The requested URL.
        pub url: Option<String>,
        /// The origin, in place of the URL of its robots.txt.
        pub origin: Option<String>,
        /// The HTTP status; `None` if there was no response. Callers may also use 206 for a body that is incomplete or
        /// could not be decoded to its end: then its lines are not used.
        pub status: Option<i64>,
        /// The target of a redirect.
        pub location: Option<String>,
        /// The body. An answer with a status from 200 to 299 must have one, which may be empty.
        pub body: Option<Arc<[u8]>>,
        /// The body in Base64, in place of the body.
        pub body_base64: Option<Vec<u8>>,
        /// The time of the answer, in seconds of Unix time.
        pub fetched_at: Option<i64>,
        /// The server's `Expires`, in seconds of Unix time.
        pub expires: Option<i64>,
        /// The time since which the origin has been unreachable, in seconds of Unix time.
        pub unreachable_since: Option<i64>,
        /// The headers of the answer, by name and value, as far as they are known. Only `Content-Encoding` is read: the
        /// body is decoded accordingly, unless the caller has decoded it. A compressed body is recognised without the
        /// header, except raw deflate and Brotli.
        pub headers: Vec<(String, String)>,
    }
}

/// The capture for an answer, and why its body is not a robots.txt.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::policy) struct Captured {
    pub capture: Capture,
    pub problem: Option<BodyProblem>,
}

/// The header that names how a body is encoded.
pub(super) const CONTENT_ENCODING: &str = "Content-Encoding";

/// The text of a body with these headers, of which no more than about `limit` bytes are decoded.
fn body_text(raw: Arc<[u8]>, headers: &[(String, String)], limit: usize) -> Result<Arc<[u8]>, BodyProblem> {
    let is_coding = |(name, _): &&(String, String)| name.trim_ascii().eq_ignore_ascii_case(CONTENT_ENCODING);
    let codings = coding::names(headers.iter().filter(is_coding).map(|(_, value)| value.as_bytes()));
    match robots::body_text(Cow::Borrowed(&raw), &codings, limit)? {
        Cow::Owned(text) => Ok(text.into()),
        Cow::Borrowed(_) => Ok(raw),
    }
}

/// Why an answer is invalid, in the words of a table, and of memory.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::policy) enum Flaw {
    #[error("it has no URL")]
    NoUrl,
    /// A server with this status sent a robots.txt, but the body is missing.
    #[error("its status is {0}, but its body is null; an empty file is an empty body")]
    NoBody(u16),
    #[error("{0}")]
    Other(String),
}

impl From<String> for Flaw {
    fn from(problem: String) -> Flaw {
        Flaw::Other(problem)
    }
}

/// The HTTP status with this number; an error if there is none.
fn status(number: i64) -> Result<u16, String> {
    let status = u16::try_from(number).ok().filter(|_| (0..=HIGHEST_STATUS).contains(&number));
    status.ok_or_else(|| format!("{number} is no HTTP status; expected one such as 200, or null if nobody answered"))
}

impl Answer {
    /// An answer for a URL, with its HTTP status; `None` if there was no response.
    pub fn new(url: impl Into<String>, status: Option<i64>) -> Answer {
        Answer { url: Some(url.into()), status, ..Answer::default() }
    }

    /// The robots.txt that an origin served with status 200 at a time in seconds of Unix time, if the time is known.
    /// Without times, nothing tells which of two answers is newer.
    pub fn found(origin: impl Into<String>, body: impl Into<Arc<[u8]>>, fetched_at: impl Into<Option<i64>>) -> Answer {
        Answer {
            origin: Some(origin.into()),
            status: Some(200),
            body: Some(body.into()),
            fetched_at: fetched_at.into(),
            ..Answer::default()
        }
    }

    /// The capture that this is, with a body of which no more than about `limit` bytes are decoded.
    pub(in crate::policy) fn capture(self, bounds: TimeBounds, limit: usize) -> Result<Captured, Flaw> {
        let status = self.status.map(status).transpose()?;
        let (url, origin) = match (self.url, self.origin) {
            (Some(url), None) => page(url)?,
            (None, Some(origin)) => {
                let canonical =
                    bare_origin(&origin).map_err(|reason| format!("{origin:?} is not an origin: {reason}"))?;
                (origin::robots_url(&canonical), Some(canonical))
            }
            (None, None) => return Err(Flaw::NoUrl),
            (Some(_), Some(_)) => {
                return Err("it has both a URL and an origin; one of them is enough".to_owned().into());
            }
        };
        let Answer { fetched_at, expires, unreachable_since, location, headers, .. } = self;
        let answered = Answered { status, fetched_at, expires, unreachable_since };
        bounds.check(&answered)?;
        let body = match (self.body, self.body_base64) {
            (Some(_), Some(_)) => {
                return Err("it has a body twice, one of them in Base64; one is enough".to_owned().into());
            }
            (body, None) => body,
            (None, Some(encoded)) => Some(decoded(&encoded)?),
        };
        match status.filter(|status| (200..300).contains(status)) {
            Some(status) if body.is_none() => return Err(Flaw::NoBody(status)),
            _ => {}
        }
        let flaw = (status == Some(PARTIAL_CONTENT)).then_some(BodyFlaw::Incomplete);
        let mut capture = Capture { url, origin, exact: true, answered, location, body, flaw };
        let text = match capture.is_file() {
            true => capture.body.take().map(|raw| body_text(raw, &headers, limit)).transpose(),
            false => Ok(capture.body.take()),
        };
        let problem = text.as_ref().err().copied();
        match text {
            Ok(text) => capture.body = text,
            Err(problem) => capture.set_problem(problem),
        }
        Ok(Captured { capture, problem })
    }
}

fn decoded(encoded: &[u8]) -> Result<Arc<[u8]>, String> {
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded);
    decoded.map(Arc::from).map_err(|_| "its body is not Base64, with padding".to_owned())
}

/// Parses an origin and nothing else, except an optional `/` after it, into canonical form.
pub(crate) fn bare_origin(text: &str) -> Result<String, InvalidUrl> {
    match origin::split(text)? {
        (origin, b"" | b"/") => Ok(origin.into_owned()),
        _ => Err(InvalidUrl::NotBare),
    }
}

/// A requested URL in canonical form, and its origin if it is a robots.txt; an error says what is wrong.
pub(crate) fn page<'u>(url: impl Into<Cow<'u, str>>) -> Result<(String, Option<String>), String> {
    let url = url.into();
    // Nearly all URLs need not be parsed twice.
    if let Some(origin) = url.strip_suffix("/robots.txt")
        && origin::is_surely_canonical(origin.as_bytes())
    {
        let origin = origin.to_owned();
        return Ok((url.into_owned(), Some(origin)));
    }
    let (name, rest) = origin::split(&*url).map_err(|reason| format!("{url:?}: {reason}"))?;
    let canonical = fetched_url(&url).map_err(|error| format!("{url:?}: {error}"))?;
    // As written: dot segments may lead to the robots.txt, but the author asked for something else.
    let path = UrlPath::AsWritten.of(rest);
    let is_robots_txt = *path == *b"/robots.txt";
    // User info is not part of the origin, whose robots.txt is the same without it.
    let robots_url = origin::robots_url(&name);
    let origin = is_robots_txt.then(|| name.into_owned());
    let url = match is_robots_txt {
        true => robots_url,
        false if canonical.as_str() == robots_url => url.into_owned(),
        false => canonical.into(),
    };
    Ok((url, origin))
}

/// Whether a URL ends like that of a robots.txt, in any folder. Redirects of a robots.txt mostly lead to such URLs, so
/// answers for them are stored even if no known redirect leads there yet.
pub(super) fn is_named_robots_txt(url: &str) -> bool {
    url.ends_with("/robots.txt")
}

/// The end of [`LAST_YEAR`], in seconds of Unix time.
const LAST: i64 = 95_649_119_999;

/// How far the clock of a crawler may be ahead, in seconds.
const AHEAD: i64 = 86_400;

/// The bounds of the times in sources that are read now.
#[derive(Debug, Clone, Copy)]
pub(in crate::policy) struct TimeBounds {
    now: i64,
}

impl TimeBounds {
    /// The bounds at a time, in seconds of Unix time.
    pub fn at(now: i64) -> TimeBounds {
        TimeBounds { now }
    }

    /// Whether a time is plausible: it is not beyond [`LAST_YEAR`].
    pub fn is_possible(time: i64) -> bool {
        time <= LAST
    }

    pub fn check_fetched(self, fetched_at: Option<i64>) -> Result<(), String> {
        self.check(&Answered { fetched_at, ..Answered::default() })
    }

    /// Checks the times of an answer; an error says which one is wrong.
    pub fn check(self, answered: &Answered) -> Result<(), String> {
        let Answered { fetched_at, expires, unreachable_since, .. } = *answered;
        let times =
            [(Field::FetchedAt, fetched_at), (Field::Expires, expires), (Field::UnreachableSince, unreachable_since)];
        for (field, found) in times {
            if let Some(found) = found.filter(|&found| !TimeBounds::is_possible(found)) {
                let (field, found, unit) = (field.name(), time(found), unit(found));
                return Err(format!("{field} is {found}, beyond the year {LAST_YEAR}{unit}"));
            }
        }
        match fetched_at.filter(|at| *at > self.now.saturating_add(AHEAD)) {
            Some(at) => Err(format!("fetched_at is {}, more than a day after now, {}", time(at), time(self.now))),
            None => Ok(()),
        }
    }
}

/// The unit that a number too large for seconds looks like.
fn unit(found: i64) -> &'static str {
    let in_units = [
        (1_000, "; it looks like milliseconds, but numbers are seconds"),
        (1_000_000, "; it looks like microseconds, but numbers are seconds"),
        (1_000_000_000, "; it looks like nanoseconds, but numbers are seconds"),
    ];
    // Numbers of the calendar's years were written as text.
    let is_number = !is_of_calendar(found);
    let fits = in_units.into_iter().find(|(units, _)| is_number && TimeBounds::is_possible(found / units));
    fits.map_or("", |(_, hint)| hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_urls_are_no_robots_txt() {
        for url in ["http://a.example/Robots.txt", "http://a.example/x/robots.txt", "http://a.example/robots.txt?x"] {
            assert_eq!(page(url), Ok((url.to_owned(), None)));
        }
        let robots_txt = ("https://a.example/robots.txt".to_owned(), Some("https://a.example".to_owned()));
        assert_eq!(page("HTTPS://u@A.example:443/robots.txt#x"), Ok(robots_txt));
        assert_eq!(page("http://a.example/x/../robots.txt").unwrap().0, "http://a.example/x/../robots.txt");
    }

    const NOW: i64 = 1_768_219_200;

    fn problem(answered: Answered) -> String {
        TimeBounds::at(NOW).check(&answered).unwrap_err()
    }

    #[test]
    fn times_of_this_age_are_possible() {
        let fetched = |fetched_at| TimeBounds::at(NOW).check_fetched(fetched_at);
        for at in [None, Some(0), Some(NOW), Some(NOW + AHEAD), Some(i64::MIN)] {
            assert_eq!(fetched(at), Ok(()), "{at:?}");
        }
        assert_eq!(time(LAST), "5000-12-31T23:59:59Z");
        let others = Answered { expires: Some(LAST), unreachable_since: Some(LAST), ..Answered::default() };
        assert_eq!(TimeBounds::at(NOW).check(&others), Ok(()));
    }

    #[test]
    fn a_time_in_another_unit_is_told_by_its_field() {
        let [fetched, expires, since] = [1_000, 1_000_000, 1_000_000_000].map(|units| Some(NOW * units));
        let text = problem(Answered { fetched_at: fetched, ..Answered::default() });
        assert!(
            text.starts_with("fetched_at is 1768219200000, beyond the year 5000; ") && text.contains("milli"),
            "{text}"
        );
        let text = problem(Answered { expires, ..Answered::default() });
        assert!(text.starts_with("expires is ") && text.contains("micro"), "{text}");
        let text = problem(Answered { unreachable_since: since, ..Answered::default() });
        assert!(text.starts_with("unreachable_since is ") && text.contains("nano"), "{text}");
        let text = problem(Answered { expires: Some(LAST + 1), ..Answered::default() });
        assert_eq!(text, "expires is 5001-01-01T00:00:00Z, beyond the year 5000");
        problem(Answered { fetched_at: Some(i64::MAX), ..Answered::default() });
    }

    #[test]
    fn no_answer_comes_from_tomorrow() {
        let text = problem(Answered { fetched_at: Some(NOW + AHEAD + 1), ..Answered::default() });
        assert_eq!(text, "fetched_at is 2026-01-13T12:00:01Z, more than a day after now, 2026-01-12T12:00:00Z");
    }
}
