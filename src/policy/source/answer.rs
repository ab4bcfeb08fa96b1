//! An answer as JSON Lines, Parquet and callers have it, and what it must have to be one.

use base64::Engine as _;
use std::fmt;
use std::sync::Arc;

use super::bare_origin;
use super::times::TimeBounds;
use super::urls::page;
use crate::origin;
use crate::policy::{Answered, Capture};

/// The highest number with the three digits of an HTTP status (RFC 9110, section 15). Those that no class has count as no answer.
const HIGHEST_STATUS: i64 = 999;

/// The status of an answer that has a part of the robots.txt (RFC 9110, section 15.3.7).
const PARTIAL_CONTENT: u16 = 206;

/// An answer to a request for a robots.txt: the fields of a line of JSON Lines, not checked yet. [`add_answers`](super::add_answers())
/// adds them from memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The requested URL.
    pub url: Option<String>,
    /// The origin, in place of the URL of its robots.txt.
    pub origin: Option<String>,
    /// The HTTP status; none if nobody answered.
    pub status: Option<i64>,
    /// The target of a redirect.
    pub location: Option<String>,
    /// The body. One with a status from 200 to 299 has one, which may be empty.
    pub body: Option<Arc<[u8]>>,
    /// The body in Base64, in place of the body.
    pub body_base64: Option<Vec<u8>>,
    /// The time of the answer, in seconds of Unix time.
    pub fetched_at: Option<i64>,
    /// The server's `Expires`, in seconds of Unix time.
    pub expires: Option<i64>,
    /// The time since which the origin has been unreachable, in seconds of Unix time.
    pub unreachable_since: Option<i64>,
}

setters! {
    Answer {
        url: Option<String>,
        origin: Option<String>,
        status: Option<i64>,
        location: Option<String>,
        body: Option<Arc<[u8]>>,
        body_base64: Option<Vec<u8>>,
        fetched_at: Option<i64>,
        expires: Option<i64>,
        unreachable_since: Option<i64>,
    }
}

/// Why an answer is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It has no URL.
    NoUrl,
    /// A server with this status sent a robots.txt, but the body is missing.
    NoBody(u16),
    /// Anything else, in words.
    Other(String),
}

impl From<String> for Flaw {
    fn from(problem: String) -> Flaw {
        Flaw::Other(problem)
    }
}

impl fmt::Display for Flaw {
    /// In the words of a table, and of memory.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::NoUrl => f.write_str("it has no URL"),
            Flaw::NoBody(status) => {
                write!(f, "its status is {status}, but its body is null; an empty file is an empty body")
            }
            Flaw::Other(problem) => f.write_str(problem),
        }
    }
}

/// The HTTP status that a number means; an error says that it means none.
fn status(number: i64) -> Result<u16, String> {
    let status = u16::try_from(number).ok().filter(|_| (0..=HIGHEST_STATUS).contains(&number));
    status.ok_or_else(|| format!("{number} is no HTTP status; expected one such as 200, or null if nobody answered"))
}

impl Answer {
    /// An answer for a URL, with its HTTP status; `None` if nobody answered.
    pub fn new(url: impl Into<String>, status: Option<i64>) -> Answer {
        Answer { url: Some(url.into()), status, ..Answer::default() }
    }

    /// The robots.txt that an origin served with status 200.
    pub fn found(origin: impl Into<String>, body: impl Into<Arc<[u8]>>) -> Answer {
        Answer { origin: Some(origin.into()), status: Some(200), body: Some(body.into()), ..Answer::default() }
    }

    /// The capture that it is.
    pub(super) fn capture(self, bounds: TimeBounds) -> Result<Capture, Flaw> {
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
        let Answer { fetched_at, expires, unreachable_since, location, .. } = self;
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
        let incomplete = status == Some(PARTIAL_CONTENT);
        Ok(Capture { url, origin, exact: true, answered, location, body, incomplete })
    }
}

fn decoded(encoded: &[u8]) -> Result<Arc<[u8]>, String> {
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded);
    decoded.map(Arc::from).map_err(|error| format!("its body is not Base64: {error}"))
}
