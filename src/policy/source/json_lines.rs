//! JSON Lines: one answer per line.
//!
//! The fields are `url` or `origin`, `status`, `location`, `body` or `body_base64`, and the times `fetched_at`, `expires`
//! and `unreachable_since`, each in RFC 3339 or as seconds of Unix time. Other fields are ignored. A `url` whose path is
//! not exactly `/robots.txt`, in lower case, is not a robots.txt and serves only as the target of redirects.

use base64::Engine as _;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::path::Path;

use super::intake::Intake;
use super::passed_over::{PassedOver, Reason};
use super::urls::page;
use super::{SourceError, bare_origin};
use crate::formats::time;
use crate::origin;
use crate::policy::{Answered, Capture};

#[derive(Deserialize)]
struct JsonAnswer<'l> {
    #[serde(borrow)]
    url: Option<Cow<'l, str>>,
    #[serde(borrow)]
    origin: Option<Cow<'l, str>>,
    status: Option<u16>,
    location: Option<String>,
    body: Option<String>,
    #[serde(borrow)]
    body_base64: Option<Cow<'l, str>>,
    #[serde(borrow)]
    fetched_at: Option<&'l RawValue>,
    #[serde(borrow)]
    expires: Option<&'l RawValue>,
    #[serde(borrow)]
    unreachable_since: Option<&'l RawValue>,
}

/// A time in RFC 3339 or in seconds of Unix time, in the latter.
fn seconds(time: Option<&RawValue>) -> Result<Option<i64>, String> {
    let Some(time) = time.map(RawValue::get) else { return Ok(None) };
    // Writers of JSON may escape any character of a text; some do it to the `+` of a time zone.
    let text = || serde_json::from_str(time).unwrap_or_else(|_| time.to_owned());
    time.parse().or_else(|_| time::parse(&text())).map(Some)
}

pub(super) fn add(path: &Path, mut text: impl BufRead, intake: &mut Intake<'_>) -> Result<(), SourceError> {
    let (mut number, mut offset, mut empty) = (0, 0, true);
    let mut line = Vec::new();
    let mut passed = PassedOver::new(path, Reason::Url);
    // Bounds the memory for a file without line ends.
    let longest = intake.text_limit();
    loop {
        line.clear();
        let read = text.by_ref().take(longest as u64).read_until(b'\n', &mut line);
        number += 1;
        match read.map_err(SourceError::unreadable(path))? as u64 {
            0 => break,
            read => offset += read,
        }
        if !line.trim_ascii().is_empty() {
            let offset = offset - line.len() as u64;
            let wrong = |problem| SourceError::Line { path: path.to_owned(), line: number, offset, problem };
            if line.len() == longest && !line.ends_with(b"\n") {
                return Err(wrong(format!("it is longer than {longest} bytes; expected one answer per line")));
            }
            let capture = capture(&line).map_err(wrong)?;
            if capture.origin.is_none() {
                passed.add(&capture.url);
            }
            intake.add([capture]);
            empty = false;
        }
        intake.check()?;
    }
    intake.passed_over(passed);
    if empty {
        let hint = "it is empty; expected JSON Lines, WARC, Parquet, or one robots.txt with its origin";
        return Err(SourceError::Empty { path: path.to_owned(), hint });
    }
    Ok(())
}

/// Parses a line as a capture; an error says what is wrong.
fn capture(line: &[u8]) -> Result<Capture, String> {
    let answer: JsonAnswer<'_> = serde_json::from_slice(line)
        .map_err(|error| format!("{error}; expected JSON Lines, WARC, Parquet, or one robots.txt with its origin"))?;
    let (url, origin) = match (&answer.url, &answer.origin) {
        (Some(url), None) => page(url)?,
        (None, Some(origin)) => {
            let canonical = bare_origin(origin).map_err(|reason| format!("{origin:?} is not an origin: {reason}"))?;
            (origin::robots_url(&canonical), Some(canonical))
        }
        (None, None) => return Err("it has neither url nor origin".to_owned()),
        (Some(_), Some(_)) => return Err("it has both url and origin; one of them is enough".to_owned()),
    };
    let body = match (answer.body, &answer.body_base64) {
        (Some(_), Some(_)) => return Err("it has both body and body_base64; one of them is enough".to_owned()),
        (body, None) => body.map(String::into_bytes),
        (None, Some(encoded)) => {
            let decoded = base64::engine::general_purpose::STANDARD.decode(encoded.as_bytes());
            Some(decoded.map_err(|error| format!("body_base64 is not Base64: {error}"))?)
        }
    };
    let answered = Answered {
        status: answer.status,
        fetched_at: seconds(answer.fetched_at)?,
        expires: seconds(answer.expires)?,
        unreachable_since: seconds(answer.unreachable_since)?,
    };
    let body = body.map(Vec::into);
    Ok(Capture { url, origin, exact: true, answered, location: answer.location, body, incomplete: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_answer() {
        let line = br#"{"url":"HTTPS://A.example:443/robots.txt","status":200,"body":"x","fetched_at":"1970-01-01T00:01:00Z","other":[1]}"#;
        let read = capture(line).unwrap();
        assert_eq!(read.url, "https://a.example/robots.txt");
        assert_eq!(read.origin.as_deref(), Some("https://a.example"));
        assert_eq!(read.body.as_deref(), Some(&b"x"[..]));
        assert_eq!(read.answered, Answered { status: Some(200), fetched_at: Some(60), ..Answered::default() });
        let read = capture(br#"{"origin":"http://a.example/","body_base64":"/wA=","expires":7}"#).unwrap();
        assert_eq!((read.url.as_str(), read.body.as_deref()), ("http://a.example/robots.txt", Some(&b"\xff\0"[..])));
        assert_eq!(read.answered.expires, Some(7));
        let read =
            capture(br#"{"origin":"http://a","fetched_at":"1970-01-01T01:01:00\u002b01:00","expires":null}"#).unwrap();
        assert_eq!((read.answered.fetched_at, read.answered.expires), (Some(60), None));
    }

    #[test]
    fn a_wrong_line_says_what_is_wrong() {
        for (line, problem) in [
            ("{", "EOF"),
            ("User-agent: *", "JSON Lines"),
            ("{}", "neither"),
            (r#"{"url":"/robots.txt"}"#, "expected an absolute"),
            (r#"{"origin":"http://a/x"}"#, "not an origin"),
            (r#"{"origin":"http://a","body":"","body_base64":""}"#, "both"),
            (r#"{"origin":"http://a","body_base64":"?"}"#, "Base64"),
            (r#"{"origin":"http://a","fetched_at":"yesterday"}"#, "RFC 3339"),
        ] {
            let error = capture(line.as_bytes()).unwrap_err();
            assert!(error.contains(problem), "{line}: {error}");
        }
    }
}
