//! What a record of an archive is about, a page, and what it says of it, the answer. Only an answer that is wanted is read.

use std::io::{self, BufRead, Take};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::body::Ending;
use super::coding;
use super::http::Response;
use super::record::Truncation;
use crate::policy::source::WarcCounts;
use crate::policy::source::answer::page;
use crate::policy::source::passed_over::Reason;
use crate::policy::{Answered, Capture};

/// A page that was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    /// Its URL, in canonical form.
    pub url: String,
    /// The origin, if the URL is its robots.txt.
    pub origin: Option<String>,
    /// When, in seconds of Unix time.
    pub fetched_at: Option<i64>,
}

/// The answer to a request. The default is that of a request without one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub status: Option<u16>,
    /// The server's `Expires`, in seconds of Unix time.
    pub expires: Option<i64>,
    pub location: Option<String>,
    pub body: Option<Arc<[u8]>>,
    /// Whether the body did not arrive whole.
    pub incomplete: bool,
}

impl Page {
    /// The page at a URL, if it is an http or https URL.
    pub fn at(url: &str, fetched_at: Option<i64>) -> Option<Page> {
        let (url, origin) = page(url).ok()?;
        Some(Page { url, origin, fetched_at })
    }

    /// The capture of this page with its answer.
    pub fn answered(self, answer: Answer) -> Capture {
        let Page { url, origin, fetched_at } = self;
        let Answer { status, expires, location, body, incomplete } = answer;
        let answered = Answered { status, fetched_at, expires, unreachable_since: None };
        Capture { url, origin, exact: true, answered, location, body, incomplete }
    }
}

/// A flaw in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    Truncated,
    Incomplete,
    NotHttp,
    Undecodable,
}

impl Flaw {
    /// The count of answers with this flaw.
    pub fn count(self, counts: &mut WarcCounts) -> &mut u64 {
        match self {
            Flaw::Truncated => &mut counts.truncated,
            Flaw::Incomplete => &mut counts.incomplete,
            Flaw::NotHttp => &mut counts.not_http,
            Flaw::Undecodable => &mut counts.undecodable,
        }
    }

    /// Why such an answer is of less use than it seems.
    pub fn reason(self) -> Reason {
        match self {
            Flaw::Truncated => Reason::Truncated,
            Flaw::Incomplete => Reason::Incomplete,
            Flaw::NotHttp => Reason::NotHttp,
            Flaw::Undecodable => Reason::Undecodable,
        }
    }
}

/// Whether a body that comes with this status is a robots.txt (or a page), rather than the text of an error.
pub(super) fn is_file(status: Option<u16>) -> bool {
    matches!(status, Some(200..=299))
}

impl Answer {
    /// What the head of an answer says, for a page requested at this time.
    pub fn of_head(response: &Response, fetched_at: Option<i64>) -> Answer {
        Answer {
            status: Some(response.status),
            expires: response.expires(fetched_at),
            location: response.location(),
            ..Answer::default()
        }
    }

    /// An answer with its body, if that matters: the rest of `block`, of which no more than `limit` bytes are read. If its end is
    /// missing only because it was too long to keep, its whole lines are kept; otherwise a body of which anything is missing or
    /// damaged is none.
    pub fn read(
        response: &Response,
        fetched_at: Option<i64>,
        truncation: Truncation,
        block: &mut Take<impl BufRead>,
        limit: usize,
    ) -> io::Result<(Answer, Option<Flaw>)> {
        let mut answer = Answer::of_head(response, fetched_at);
        if !is_file(answer.status) {
            return Ok((answer, None));
        }
        let Some(mut body) = response.body(block, limit)? else {
            return Ok((Answer::default(), Some(Flaw::Undecodable)));
        };
        let flaw = match (truncation, body.ending) {
            (Truncation::None, Ending::Whole) => None,
            (Truncation::Length, Ending::Whole | Ending::Cut) => Some(Flaw::Truncated),
            _ => Some(Flaw::Incomplete),
        };
        answer.incomplete = flaw == Some(Flaw::Incomplete);
        if answer.incomplete {
            body.bytes.clear();
        } else if flaw.is_some() {
            coding::keep_whole_lines(&mut body.bytes);
        }
        answer.body = Some(body.bytes.into());
        Ok((answer, flaw))
    }

    /// A hash that differs between answers with different meanings.
    pub fn hash(&self) -> u128 {
        let location = self.location.as_ref().filter(|_| !is_file(self.status));
        let facts = format!("{:?} {location:?} {}", self.status, self.incomplete);
        let body = xxh3_128(self.body.as_deref().unwrap_or_default());
        xxh3_128(&[facts.as_bytes(), &body.to_le_bytes()].concat())
    }
}
