//! A page in an archive: a capture, whose answer is read once it is known to be wanted.

use std::io::{self, BufRead, Take};
use xxhash_rust::xxh3::xxh3_128;

use super::coding::{self, Ending};
use super::http::Response;
use super::record::Truncation;
use crate::policy::source::WarcCounts;
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
    None,
    Truncated,
    Incomplete,
    NotHttp,
    Undecodable,
}

pub(super) fn count(flaw: Flaw, counts: &mut WarcCounts) {
    match flaw {
        Flaw::None => {}
        Flaw::Truncated => counts.truncated += 1,
        Flaw::Incomplete => counts.incomplete += 1,
        Flaw::NotHttp => counts.not_http += 1,
        Flaw::Undecodable => counts.undecodable += 1,
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
) -> io::Result<Flaw> {
    let Some(response) = response else { return Ok(Flaw::NotHttp) };
    let mut flaw = Flaw::None;
    if is_file(Some(response.status)) {
        let Some(mut body) = response.body(block, limit)? else { return Ok(Flaw::Undecodable) };
        flaw = match (truncation, body.ending) {
            (Truncation::None, Ending::Whole) => Flaw::None,
            (Truncation::Length, Ending::Whole | Ending::Cut) => Flaw::Truncated,
            _ => Flaw::Incomplete,
        };
        match flaw {
            Flaw::Truncated => coding::keep_whole_lines(&mut body.bytes),
            Flaw::Incomplete => body.bytes.clear(),
            _ => {}
        }
        page.body = Some(body.bytes.into());
        page.incomplete = flaw == Flaw::Incomplete;
    }
    add_head(page, &response);
    Ok(flaw)
}
