//! HTTP answers in WARC records.

use httparse::{EMPTY_HEADER, ParserConfig};
use std::io::{self, BufRead, Read};

use super::coding::{self, Body};
use super::head::{End, Head};

/// The head of an answer.
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

    /// The values of all fields with this name, ignoring case.
    fn all<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r [u8]> {
        self.fields
            .iter()
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim_ascii())
    }

    /// The target of a redirect.
    pub fn location(&self) -> Option<String> {
        self.all("Location").next().map(|value| String::from_utf8_lossy(value).into_owned())
    }

    /// The time of expiry, in seconds of Unix time. A value that is not a date, such as 0, means already expired
    /// (RFC 9111 5.3), so the time it was sent, `fetched_at`, is returned.
    pub fn expires(&self, fetched_at: Option<i64>) -> Option<i64> {
        let value = self.all("Expires").next()?;
        let date = std::str::from_utf8(value).ok().and_then(|value| httpdate::parse_http_date(value).ok());
        match date.map(|date| date.duration_since(std::time::UNIX_EPOCH)) {
            Some(Ok(since)) => i64::try_from(since.as_secs()).ok(),
            Some(Err(_)) | None => fetched_at,
        }
    }

    /// Reads the body after the head, up to about `limit` bytes, and undoes its codings. `None` if it cannot be decoded.
    pub fn body(&self, block: &mut impl BufRead, limit: usize) -> io::Result<Option<Body>> {
        let mut raw = Vec::new();
        block.take(limit as u64).read_to_end(&mut raw)?;
        let values = self.all("Content-Encoding").chain(self.all("Transfer-Encoding"));
        let codings = values.flat_map(|value| value.split(|&byte| byte == b',')).map(<[u8]>::trim_ascii);
        Ok(coding::decode(raw, codings.filter(|coding| !coding.is_empty()), limit))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            let text = format!("HTTP/1.1 200 OK\r\nExpires: {value}\r\n\r\n");
            assert_eq!(response(&text).0.unwrap().expires(Some(7)), expected, "{value}");
        }
        let (answer, _) = response("HTTP/1.1 200 OK\r\n\r\n");
        assert_eq!(answer.unwrap().expires(Some(7)), None);
    }

    #[test]
    fn codings_are_undone_in_reverse_of_both_fields() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: , utf-8\r\n\r\n";
        let text = format!("{head}3\r\nabc\r\n0\r\n\r\n");
        let (answer, mut block) = response(&text);
        let body = answer.unwrap().body(&mut block, 100).unwrap();
        assert_eq!(body, Some(Body { bytes: b"abc".to_vec(), whole: true }));
    }
}
