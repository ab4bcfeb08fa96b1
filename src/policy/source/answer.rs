//! An answer as JSON Lines or Parquet have it, and what it must have to be one.

use base64::Engine as _;
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

/// The fields of an answer.
#[derive(Default)]
pub(super) struct Answer<'a> {
    pub url: Option<&'a str>,
    pub origin: Option<&'a str>,
    /// The HTTP status; none if nobody answered.
    pub status: Option<u16>,
    pub location: Option<String>,
    pub body: Option<Arc<[u8]>>,
    pub body_base64: Option<&'a [u8]>,
    pub fetched_at: Option<i64>,
    pub expires: Option<i64>,
    pub unreachable_since: Option<i64>,
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

/// The HTTP status that a number means; an error says that it means none.
pub(super) fn status(number: i64) -> Result<u16, String> {
    let status = u16::try_from(number).ok().filter(|_| (0..=HIGHEST_STATUS).contains(&number));
    status.ok_or_else(|| format!("{number} is no HTTP status; expected one such as 200, or null if nobody answered"))
}

impl Answer<'_> {
    /// The capture that it is.
    pub fn capture(self, bounds: TimeBounds) -> Result<Capture, Flaw> {
        let (url, origin) = match (self.url, self.origin) {
            (Some(url), None) => page(url)?,
            (None, Some(origin)) => {
                let canonical =
                    bare_origin(origin).map_err(|reason| format!("{origin:?} is not an origin: {reason}"))?;
                (origin::robots_url(&canonical), Some(canonical))
            }
            (None, None) => return Err(Flaw::NoUrl),
            (Some(_), Some(_)) => {
                return Err("it has both a URL and an origin; one of them is enough".to_owned().into());
            }
        };
        let Answer { status, fetched_at, expires, unreachable_since, location, .. } = self;
        let answered = Answered { status, fetched_at, expires, unreachable_since };
        bounds.check(&answered)?;
        let body = match (self.body, self.body_base64) {
            (Some(_), Some(_)) => {
                return Err("it has a body twice, one of them in Base64; one is enough".to_owned().into());
            }
            (body, None) => body,
            (None, Some(encoded)) => Some(decoded(encoded)?),
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
