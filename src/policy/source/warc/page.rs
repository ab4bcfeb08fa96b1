//! A page in an archive, and its answer.

use std::io;
use std::io::BufRead;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::coding;
use super::http::Response;
use crate::policy::source::WarcCounts;
use crate::policy::source::urls::page;
use crate::policy::{Answered, Capture};

/// A URL as requested at a certain time.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(crate) url: String,
    pub(crate) origin: Option<String>,
    pub(super) fetched_at: Option<i64>,
}

/// The parts of an answer that matter.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(crate) status: Option<u16>,
    pub(super) location: Option<String>,
    pub(crate) expires: Option<i64>,
    pub(super) body: Option<Arc<[u8]>>,
}

impl Page {
    /// The page with this URL, if it is an http or https URL.
    pub(crate) fn at(url: &str, fetched_at: Option<i64>) -> Option<Page> {
        let (url, origin) = page(url).ok()?;
        Some(Page { url, origin, fetched_at })
    }

    pub(crate) fn answered(self, answer: Answer) -> Capture {
        let Page { url, origin, fetched_at } = self;
        let Answer { status, location, expires, body } = answer;
        let answered = Answered { status, fetched_at, expires, unreachable_since: None };
        Capture { url, origin, exact: true, answered, location, body }
    }
}

/// A flaw in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    Truncated,
    NotHttp,
    Undecodable,
}

pub(super) fn count(flaw: Flaw, counts: &mut WarcCounts) {
    match flaw {
        Flaw::None => {}
        Flaw::Truncated => counts.truncated += 1,
        Flaw::NotHttp => counts.not_http += 1,
        Flaw::Undecodable => counts.undecodable += 1,
    }
}

impl Answer {
    /// Whether its body is a robots.txt (or a page), rather than text that comes with an error.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.status, Some(200..=299))
    }

    /// A hash that differs between answers with different meanings.
    pub(crate) fn hash(&self) -> u128 {
        let facts = format!("{:?} {:?}", self.status, self.location.as_ref().filter(|_| !self.is_file()));
        let body = xxh3_128(self.body.as_deref().unwrap_or_default());
        xxh3_128(&[facts.as_bytes(), &body.to_le_bytes()].concat())
    }

    pub(crate) fn of_head(response: &Response, page: &Page) -> Answer {
        let (location, expires) = (response.location(), response.expires(page.fetched_at));
        Answer { status: Some(response.status), location, expires, body: None }
    }

    /// The answer to the request for a page, with its body if that matters.
    pub(crate) fn read(
        response: Option<Response>,
        page: &Page,
        is_truncated: bool,
        block: &mut impl BufRead,
        limit: usize,
    ) -> io::Result<(Answer, Flaw)> {
        let Some(response) = response else { return Ok((Answer::default(), Flaw::NotHttp)) };
        let mut answer = Answer::of_head(&response, page);
        if !answer.is_file() {
            return Ok((answer, Flaw::None));
        }
        let Some(mut body) = response.body(block, limit)? else { return Ok((Answer::default(), Flaw::Undecodable)) };
        let is_whole = body.whole && !is_truncated;
        if !is_whole {
            coding::keep_whole_lines(&mut body.bytes);
        }
        answer.body = Some(body.bytes.into());
        Ok((answer, if is_whole { Flaw::None } else { Flaw::Truncated }))
    }
}
