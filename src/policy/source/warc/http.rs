//! HTTP answers in WARC records: the requested page of a record, and its answer. Only a wanted answer is read to its
//! end.

use httparse::{EMPTY_HEADER, ParserConfig};
use std::borrow::Cow;
use std::io::{self, BufRead, Read, Take};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::record::{End, Head, Truncation, number};
use super::transfer;
use crate::formats::coding::{self, Body, Ending, FRAMING};
use crate::policy::source::answer::{TimeBounds, page};
use crate::policy::source::passed_over::Reason;
use crate::policy::{Answered, Capture, Statistics};
use crate::robots::{self, BodyFlaw, BodyProblem, keep_whole_lines};

#[derive(Debug)]
pub(super) struct Response {
    pub status: u16,
    /// Names and values, in order.
    fields: Vec<(String, Vec<u8>)>,
}

impl Response {
    /// Reads the head of an answer; `None` if it is not one: servers send all kinds of bytes, and a crawler may keep them.
    pub fn read(block: &mut impl BufRead) -> io::Result<Option<Response>> {
        let head = Head::read(block)?;
        let status = status(head.first_line()).filter(|_| head.end == End::Whole);
        Ok(status.and_then(|status| Some(Response { status, fields: fields(head.after_first_line())? })))
    }

    /// The answer of a `resource` record, which has no HTTP head and counts as a file with status 200.
    pub fn of_resource() -> Response {
        Response { status: 200, fields: Vec::new() }
    }

    /// The values of all fields with this name, ignoring case.
    fn all<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r [u8]> {
        self.fields
            .iter()
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim_ascii())
    }

    /// Where a redirect leads. Several fields that differ say nothing: clients would not agree on one.
    pub fn location(&self) -> Option<String> {
        let mut values = self.all("Location");
        let first = values.next()?;
        values.all(|value| value == first).then(|| String::from_utf8_lossy(first).into_owned())
    }

    /// The time of expiry, in seconds of Unix time. A value that is not a possible date, such as 0, means already expired
    /// (RFC 9111 5.3), so the time it was sent, `fetched_at`, is returned.
    pub fn expires(&self, fetched_at: Option<i64>) -> Option<i64> {
        let value = self.all("Expires").next()?;
        let date = std::str::from_utf8(value).ok().and_then(|value| httpdate::parse_http_date(value).ok());
        match date.map(|date| date.duration_since(std::time::UNIX_EPOCH)) {
            Some(Ok(since)) => {
                let time = i64::try_from(since.as_secs()).ok();
                time.filter(|&time| TimeBounds::is_possible(time)).or(fetched_at)
            }
            Some(Err(_)) | None => fetched_at,
        }
    }

    /// Reads the body, which is the rest of `block`, up to about `limit` bytes, and undoes its codings; or says why it is no
    /// robots.txt, however it ends.
    pub fn body(&self, block: &mut Take<impl BufRead>, limit: usize) -> io::Result<Result<Body<'static>, BodyProblem>> {
        let (stored, length) = (block.limit(), self.length());
        // An empty body is not a compressed file, whatever coding the head names.
        if stored == 0 && (matches!(self.status, 204 | 205) || length == Length::AtLeast(0)) {
            return Ok(Ok(Body::whole(Cow::Borrowed(b""))));
        }
        // Some servers name chunks in the wrong field.
        let (chunks, content): (Vec<_>, Vec<_>) =
            self.codings("Content-Encoding").into_iter().partition(|coding| transfer::is_chunks(coding));
        let transfer = [chunks, self.codings("Transfer-Encoding")].concat();
        let is_coded = transfer.iter().chain(&content).any(|coding| transfer::is_known(coding));
        let mut raw = Vec::new();
        block.take(limit as u64).read_to_end(&mut raw)?;
        if raw.len() == limit && (is_coded || coding::is_marked(&raw)) {
            block.take(FRAMING as u64).read_to_end(&mut raw)?;
        }
        let Some(body) = transfer::decode(raw, &transfer, limit) else { return Ok(Err(BodyProblem::UnknownCoding)) };
        let is_transferred_as_is = !transfer.iter().any(|coding| transfer::is_known(coding));
        let sent = if is_transferred_as_is { stored } else { body.bytes.len() as u64 };
        Ok(robots::read_body(body, &content, limit).map(|mut body| {
            if body.bytes.len() < limit {
                body.ending = body.ending.max(length.ending(Some(sent).filter(|_| !body.was_decoded)));
            }
            body
        }))
    }

    /// The codings that a field names, in the order in which they were applied.
    fn codings(&self, field: &'static str) -> Vec<&[u8]> {
        coding::names(self.all(field))
    }

    /// How long the body is according to the head (RFC 9112 6.3, RFC 9110 14.4).
    fn length(&self) -> Length {
        if self.status == PARTIAL_CONTENT {
            let mut ranges = self.all("Content-Range");
            let range = ranges.next().filter(|_| ranges.next().is_none());
            return range.and_then(whole_range).map_or(Length::Wrong, Length::Exactly);
        }
        if self.codings("Transfer-Encoding").iter().any(|coding| transfer::is_known(coding)) {
            return Length::Unknown;
        }
        let mut lengths = self.all("Content-Length").flat_map(|value| value.split(|&byte| byte == b',')).map(number);
        match lengths.next() {
            None => Length::Unknown,
            Some(None) => Length::Wrong,
            Some(Some(length)) if lengths.all(|other| other == Some(length)) => Length::AtLeast(length),
            Some(Some(_)) => Length::Wrong,
        }
    }
}

/// The status of an answer with a part of a file.
const PARTIAL_CONTENT: u16 = 206;

/// How long a body is according to its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// The head does not say.
    Unknown,
    /// This many bytes; if more are stored, the crawler has decoded the body.
    AtLeast(u64),
    /// This many bytes.
    Exactly(u64),
    /// The head contradicts itself, or the body is only a part.
    Wrong,
}

impl Length {
    /// Whether a body is complete, given how many of its bytes were sent, or `None` if the number is unknown.
    fn ending(self, sent: Option<u64>) -> Ending {
        match (self, sent) {
            (Length::Unknown, _) | (Length::AtLeast(_), None) => Ending::Whole,
            (Length::AtLeast(length) | Length::Exactly(length), Some(sent)) if sent < length => Ending::Cut,
            (Length::AtLeast(_), Some(_)) => Ending::Whole,
            (Length::Exactly(length), Some(sent)) if sent == length => Ending::Whole,
            (Length::Exactly(_) | Length::Wrong, _) => Ending::Broken,
        }
    }
}

/// The length of a file, if a `Content-Range` says that it is whole: `bytes 0-9/10`.
fn whole_range(value: &[u8]) -> Option<u64> {
    let (unit, range) = value.split_at_checked(b"bytes ".len())?;
    let dash = memchr::memchr(b'-', range)?;
    let slash = memchr::memchr(b'/', range)?;
    let first = number(&range[..dash])?;
    let (last, length) = (number(range.get(dash + 1..slash)?)?, number(&range[slash + 1..])?);
    (unit.eq_ignore_ascii_case(b"bytes ") && first == 0 && last.checked_add(1) == Some(length)).then_some(length)
}

/// The fields of a head; invalid lines are skipped, as browsers do.
fn fields(lines: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    // Replaces the status line: crawlers also write versions of HTTP that have none.
    let head = [b"HTTP/1.1 200\r\n", lines].concat();
    let mut headers = vec![EMPTY_HEADER; memchr::memchr_iter(b'\n', lines).count()];
    let mut response = httparse::Response::new(&mut headers);
    let mut config = ParserConfig::default();
    config.allow_spaces_after_header_name_in_responses(true);
    config.allow_obsolete_multiline_headers_in_responses(true);
    config.ignore_invalid_headers_in_responses(true);
    let is_whole = config.parse_response(&mut response, &head).is_ok_and(|parsed| parsed.is_complete());
    let field = |header: &httparse::Header<'_>| (header.name.to_owned(), header.value.to_vec());
    is_whole.then(|| response.headers.iter().map(field).collect())
}

/// The status in a status line: `HTTP/1.1 200 OK`, or `HTTP/2 200`.
fn status(line: &[u8]) -> Option<u16> {
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let (version, status) = (words.next()?, words.next()?);
    let is_status = version.starts_with(b"HTTP/") && status.len() == 3 && status.iter().all(u8::is_ascii_digit);
    is_status.then(|| status.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0')))
}

/// A page that was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub url: String,
    /// The origin, if the URL is its robots.txt.
    pub origin: Option<String>,
    /// When, in seconds of Unix time.
    pub fetched_at: Option<i64>,
}

/// The answer to a request. The default is that of a request without one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HttpAnswer {
    pub status: Option<u16>,
    /// The server's `Expires`, in seconds of Unix time.
    pub expires: Option<i64>,
    pub location: Option<String>,
    pub body: Option<Arc<[u8]>>,
    /// Why the body is not a robots.txt.
    pub flaw: Option<BodyFlaw>,
}

impl Page {
    /// The page at a URL, if it is an http or https URL.
    pub fn at(url: &str, fetched_at: Option<i64>) -> Option<Page> {
        let (url, origin) = page(url).ok()?;
        Some(Page { url, origin, fetched_at })
    }

    pub fn answered(self, answer: HttpAnswer) -> Capture {
        let Page { url, origin, fetched_at } = self;
        let HttpAnswer { status, expires, location, body, flaw } = answer;
        let answered = Answered { status, fetched_at, expires, unreachable_since: None };
        Capture { url, origin, exact: true, answered, location, body, flaw }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    Truncated,
    /// It is incomplete, although its codings could be decoded.
    Incomplete,
    NotHttp,
    /// Its body is not a robots.txt.
    Body(BodyProblem),
}

impl Flaw {
    /// The count of answers with this flaw, and why such an answer is less useful than it seems.
    pub fn told(self, statistics: &mut Statistics) -> (&mut u64, Reason) {
        let counts = &mut statistics.warc;
        let flaw = match self {
            Flaw::Truncated => return (&mut counts.truncated, Reason::Truncated),
            Flaw::NotHttp => return (&mut counts.not_http, Reason::NotHttp),
            Flaw::Incomplete => Some(BodyFlaw::Incomplete),
            Flaw::Body(problem) => problem.flaw(),
        };
        match flaw {
            Some(BodyFlaw::NotText) => (&mut statistics.captures.not_text, Reason::NotText),
            Some(BodyFlaw::Incomplete) => (&mut counts.incomplete, Reason::Incomplete),
            None => (&mut counts.undecodable, Reason::Undecodable),
        }
    }

    /// The words about it that follow its place in a message.
    pub fn cause(self) -> String {
        match self {
            Flaw::Body(problem) if problem.flaw().is_some() => format!(": {problem}"),
            _ => String::new(),
        }
    }
}

/// Whether a body that comes with this status is a robots.txt (or a page), rather than the text of an error.
pub(super) fn is_file(status: Option<u16>) -> bool {
    matches!(status, Some(200..=299))
}

impl HttpAnswer {
    /// The answer by its head alone, for a page requested at this time.
    pub fn of_head(response: &Response, fetched_at: Option<i64>) -> HttpAnswer {
        HttpAnswer {
            status: Some(response.status),
            expires: response.expires(fetched_at),
            location: response.location(),
            ..HttpAnswer::default()
        }
    }

    /// An answer with its body, if the body matters: the rest of `block`, of which at most `limit` bytes are read. If
    /// the end is missing only because the body was too long to store, its complete lines are used; otherwise an
    /// incomplete or damaged body is not used at all.
    pub fn read(
        response: &Response,
        fetched_at: Option<i64>,
        truncation: Truncation,
        block: &mut Take<impl BufRead>,
        limit: usize,
    ) -> io::Result<(HttpAnswer, Option<Flaw>)> {
        let mut answer = HttpAnswer::of_head(response, fetched_at);
        if !is_file(answer.status) {
            return Ok((answer, None));
        }
        let body = match response.body(block, limit)? {
            Ok(body) => body,
            Err(problem) if problem.flaw().is_none() => return Ok((HttpAnswer::default(), Some(Flaw::Body(problem)))),
            Err(problem) => {
                answer.flaw = problem.flaw();
                return Ok((answer, Some(Flaw::Body(problem))));
            }
        };
        let flaw = match (truncation, body.ending) {
            (Truncation::None, Ending::Whole) => None,
            (Truncation::Length, Ending::Whole | Ending::Cut) => Some(Flaw::Truncated),
            _ => Some(body.problem().map_or(Flaw::Incomplete, Flaw::Body)),
        };
        let mut bytes = body.bytes.into_owned();
        match flaw {
            None => {}
            Some(Flaw::Truncated) => keep_whole_lines(&mut bytes),
            Some(_) => {
                answer.flaw = Some(BodyFlaw::Incomplete);
                bytes.clear();
            }
        }
        answer.body = Some(bytes.into());
        Ok((answer, flaw))
    }

    /// A hash that differs between answers with different meanings.
    pub fn hash(&self) -> u128 {
        let location = self.location.as_ref().filter(|_| !is_file(self.status));
        let facts = format!("{:?} {location:?} {:?}", self.status, self.flaw);
        let body = xxh3_128(self.body.as_deref().unwrap_or_default());
        xxh3_128(&[facts.as_bytes(), &body.to_le_bytes()].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::coding::tests::gzip;

    fn response(text: &str) -> (Option<Response>, &[u8]) {
        let mut block = text.as_bytes();
        let response = Response::read(&mut block).unwrap();
        (response, block)
    }

    #[test]
    fn an_answer_has_a_status_line_and_a_whole_head() {
        for (text, expected) in [
            ("HTTP/1.1 200 OK\r\n\r\n", Some(200)),
            ("HTTP/2 404\r\n\r\n", Some(404)),
            ("HTTP/1.0  503 Down\n\n", Some(503)),
            ("HTTP/1.1 200 OK\r\nno field\r\nSet-Cookie : a\r\n\tb\r\nX-Name: \u{e9}\r\n\r\n", Some(200)),
            ("HTTP/1.1 200 OK\r\n", None),
            ("HTTP/1.1 2000 OK\r\n\r\n", None),
            ("HTTP/1.1 OK\r\n\r\n", None),
            ("ICY 200 OK\r\n\r\n", None),
            ("User-agent: *\nDisallow: /\n\n", None),
            ("", None),
        ] {
            assert_eq!(response(text).0.map(|response| response.status), expected, "{text:?}");
        }
    }

    #[test]
    fn fields_are_read() {
        let (answer, _) =
            response("HTTP/1.1 301 x\r\nlocation:  /there \r\nExpires: Thu, 01 Jan 1970 00:01:00 GMT\r\n\r\n");
        let answer = answer.unwrap();
        assert_eq!((answer.location().as_deref(), answer.expires(Some(7))), (Some("/there"), Some(60)));
        for (value, expected) in [
            ("Thursday, 01-Jan-70 00:01:00 GMT", Some(60)),
            ("Thu Jan  1 00:01:00 1970", Some(60)),
            ("0", Some(7)),
            ("-1", Some(7)),
            ("soon", Some(7)),
            ("Wed, 31 Dec 5000 23:59:59 GMT", Some(95_649_119_999)),
            ("Thu, 01 Jan 5001 00:00:00 GMT", Some(7)),
        ] {
            let text = format!("HTTP/1.1 200 OK\r\nExpires: {value}\r\n\r\n");
            assert_eq!(response(&text).0.unwrap().expires(Some(7)), expected, "{value}");
        }
        let (answer, _) = response("HTTP/1.1 200 OK\r\n\r\n");
        assert_eq!(answer.unwrap().expires(Some(7)), None);
    }

    #[test]
    fn codings_are_undone_in_reverse_of_both_fields() {
        let body = body("200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: , utf-8", b"3\r\nabc\r\n0\r\n\r\n");
        assert_eq!(body, Body::whole(Cow::Borrowed(b"abc")));
    }

    /// The body of an answer, read up to 100 bytes.
    fn body(head: &str, body: &[u8]) -> Body<'static> {
        let all = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
        let mut block = (&all[..]).take(all.len() as u64);
        Response::read(&mut block).unwrap().unwrap().body(&mut block, 100).unwrap().unwrap()
    }

    #[test]
    fn a_body_is_as_long_as_its_head_says() {
        let (zipped, long) = (gzip(b"abc"), vec![b'a'; 99]);
        let coded = |length: usize| format!("200\r\nContent-Encoding: gzip\r\nContent-Length: {length}");
        let ends = |head: &str, sent: &[u8]| body(head, sent).ending;
        for (head, sent, ending) in [
            ("200\r\nContent-Length: 3", &b"abc"[..], Ending::Whole),
            ("200\r\nContent-Length: 2", b"abc", Ending::Whole),
            ("200\r\nContent-Length: 4", b"abc", Ending::Cut),
            ("200\r\nContent-Length: 3, 3\r\nContent-Length: 3", b"abc", Ending::Whole),
            ("200\r\nContent-Length: 3\r\nContent-Length: 2", b"abc", Ending::Broken),
            ("200\r\nContent-Length: three", b"abc", Ending::Broken),
            ("200\r\nContent-Length: -3", b"abc", Ending::Broken),
            ("200\r\nContent-Length: +3", b"abc", Ending::Broken),
            ("200\r\nContent-Length: 99999999999999999999", b"abc", Ending::Broken),
            ("200\r\nContent-Length: 101", &long, Ending::Cut),
            ("200\r\nContent-Length: 200", &[&long[..], b"aa"].concat(), Ending::Whole),
            ("200\r\nContent-Encoding: none\r\nContent-Length: 4", b"abc", Ending::Cut),
            ("200\r\nTransfer-Encoding: identity\r\nContent-Length: 4", b"abc", Ending::Cut),
            ("200\r\nTransfer-Encoding: chunked\r\nContent-Length: 99", b"3\r\nabc\r\n0\r\n\r\n", Ending::Whole),
            (&coded(zipped.len()), &zipped, Ending::Whole),
            (&coded(zipped.len() + 1), &zipped, Ending::Cut),
            (&coded(99), b"decoded before it was stored", Ending::Whole),
            (&coded(0), b"", Ending::Whole),
            (&coded(20), b"", Ending::Cut),
            ("200\r\nContent-Encoding: br", b"", Ending::Cut),
            ("200\r\nTransfer-Encoding: chunked", b"", Ending::Cut),
            ("204\r\nContent-Encoding: gzip", b"", Ending::Whole),
            ("200\r\nX-Crawl-Content-Encoding: gzip\r\nX-Crawl-Content-Length: 99", b"abc", Ending::Whole),
        ] {
            assert_eq!(ends(head, sent), ending, "{head}");
        }
    }

    #[test]
    fn a_part_is_whole_if_its_range_is() {
        for (range, ending) in [
            ("Content-Range: bytes 0-2/3", Ending::Whole),
            ("Content-Range: Bytes  0-2/3 ", Ending::Whole),
            ("Content-Range: bytes 0-3/4", Ending::Cut),
            ("Content-Range: bytes 0-1/2", Ending::Broken),
            ("Content-Range: bytes 0-2/4", Ending::Broken),
            ("Content-Range: bytes 1-3/4", Ending::Broken),
            ("Content-Range: bytes 0-2/*", Ending::Broken),
            ("Content-Range: bytes */3", Ending::Broken),
            ("Content-Range: lines 0-2/3", Ending::Broken),
            ("Content-Range: bytes/0-2", Ending::Broken),
            ("Content-Range: bytes 0-2/3\r\nContent-Range: bytes 0-2/3", Ending::Broken),
            ("Content-Type: multipart/byteranges; boundary=a", Ending::Broken),
            ("Content-Encoding: gzip\r\nContent-Range: bytes 0-2/3", Ending::Broken),
            ("Content-Length: 3", Ending::Broken),
        ] {
            assert_eq!(body(&format!("206 Partial Content\r\n{range}"), b"abc").ending, ending, "{range}");
        }
        let chunked = "206 x\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes 0-2/3";
        assert_eq!(body(chunked, b"3\r\nabc\r\n0\r\n\r\n").ending, Ending::Whole);
        assert_eq!(body(chunked, b"2\r\nab\r\n0\r\n\r\n").ending, Ending::Cut);
    }
}
