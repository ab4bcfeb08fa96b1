//! A page in an archive: a capture, whose answer is read once it is known to be wanted.

use std::io::{self, BufRead, Take};
use xxhash_rust::xxh3::xxh3_128;

use super::body::Ending;
use super::coding;
use super::http::Response;
use super::record::Truncation;
use crate::policy::source::WarcCounts;
use crate::policy::source::passed_over::Reason;
use crate::policy::source::urls::page;
use crate::policy::{Answered, Capture};

/// The page at a URL, not yet answered, if it is an http or https URL.
pub(super) fn requested(url: &str, fetched_at: Option<i64>) -> Option<Capture> {
    let (url, origin) = page(url).ok()?;
    let answered = Answered { fetched_at, ..Answered::default() };
    Some(Capture { url, origin, exact: true, answered, ..Capture::default() })
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

/// A hash that differs between answers with different meanings.
pub(super) fn hash(capture: &Capture) -> u128 {
    let status = capture.answered.status;
    let facts =
        format!("{status:?} {:?} {}", capture.location.as_ref().filter(|_| !is_file(status)), capture.incomplete);
    let body = xxh3_128(capture.body.as_deref().unwrap_or_default());
    xxh3_128(&[facts.as_bytes(), &body.to_le_bytes()].concat())
}

/// Adds the head of an answer to a page.
pub(super) fn add_head(page: &mut Capture, response: &Response) {
    page.answered.status = Some(response.status);
    page.answered.expires = response.expires(page.answered.fetched_at);
    page.location = response.location();
}

/// Adds an answer to a page, with its body if that matters. If its end is missing only because it was too long to keep, its
/// whole lines are kept; otherwise a body of which anything is missing or damaged is none.
pub(super) fn add_answer(
    page: &mut Capture,
    response: Option<Response>,
    truncation: Truncation,
    block: &mut Take<impl BufRead>,
    limit: usize,
) -> io::Result<Option<Flaw>> {
    let Some(response) = response else { return Ok(Some(Flaw::NotHttp)) };
    let mut flaw = None;
    if is_file(Some(response.status)) {
        let Some(mut body) = response.body(block, limit)? else { return Ok(Some(Flaw::Undecodable)) };
        flaw = match (truncation, body.ending) {
            (Truncation::None, Ending::Whole) => None,
            (Truncation::Length, Ending::Whole | Ending::Cut) => Some(Flaw::Truncated),
            _ => Some(Flaw::Incomplete),
        };
        page.incomplete = flaw == Some(Flaw::Incomplete);
        if page.incomplete {
            body.bytes.clear();
        } else if flaw.is_some() {
            coding::keep_whole_lines(&mut body.bytes);
        }
        page.body = Some(body.bytes.into());
    }
    add_head(page, &response);
    Ok(flaw)
}
