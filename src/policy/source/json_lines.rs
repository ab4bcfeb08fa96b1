//! JSON Lines: one answer per line.
//!
//! The keys are those of [`Field`], which [`FieldNames`] may rename; other keys are ignored. Every line has `url` or
//! `origin`, and `status`, which is null if there was no response. A 2xx has a body, which may be empty. Times are in
//! RFC 3339 or seconds of Unix time. A `url` whose path is not exactly `/robots.txt`, in lower case, is not a
//! robots.txt and serves only as the target of redirects.

use serde::Deserialize;
use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, Read};
use std::path::Path;

use super::answer::{Answer, Captured, Flaw, TimeBounds};
use super::fields::{Field, FieldNames};
use super::headers::Headers;
use super::intake::Intake;
use super::passed_over::Reason;
use crate::error::policy::{Error, ErrorKind};
use crate::error::{About, Problem};
use crate::formats::error::json_words;
use crate::formats::{shortened, shown, time_text, visible};
use crate::policy::source::error::unreadable;

pub(super) fn add(path: &Path, mut text: impl BufRead, intake: &mut Intake<'_>) -> Result<(), Error> {
    let names = &intake.options.names;
    let (mut number, mut offset_after) = (0, 0);
    let mut line = Vec::new();
    // Bounds the memory for a file without line ends.
    let (longest, limit) = (intake.text_limit(), intake.body_limit());
    loop {
        line.clear();
        let read = text.by_ref().take(longest as u64).read_until(b'\n', &mut line);
        number += 1;
        match read.map_err(unreadable(path))? as u64 {
            0 => break,
            read => offset_after += read,
        }
        if !line.trim_ascii().is_empty() {
            let offset = offset_after - line.len() as u64;
            let is_cut = line.len() == longest && !line.ends_with(b"\n");
            let read = match is_cut {
                true => Err(format!("this line is longer than {longest} bytes; expected one answer per line").into()),
                false => capture(&line, names, intake.times.bounds, limit),
            };
            let read = read.map_err(|problem| (Reason::BadLine, problem.at(path, number, offset)));
            if let Some(capture) = intake.capture_of(path, || format!("line {number} (byte {offset})"), read)? {
                intake.add_answer(path, capture)?;
            }
            if is_cut {
                offset_after += text.skip_until(b'\n').map_err(unreadable(path))? as u64;
            }
        }
    }
    Ok(())
}

const SHOWN: usize = 20;

/// The problem with a line.
#[derive(Debug)]
struct Wrong {
    /// The byte of the line.
    at: u64,
    problem: Problem,
}

impl From<String> for Wrong {
    fn from(problem: String) -> Wrong {
        Wrong { at: 0, problem: shortened(problem).to_string().into() }
    }
}

impl Wrong {
    /// A line, which is an object, lacks a key; its others are shown.
    fn no_key(lacks: &str, line: &[u8]) -> Wrong {
        let mut keys = Vec::new();
        // No field has these names, so its values may be of any type.
        let line = serde_json::Deserializer::from_slice(line)
            .deserialize_map(Line(None, |key: &str| keys.push(key.to_owned())));
        drop(line);
        if keys.len() > SHOWN {
            keys.splice(SHOWN.., ["...".to_owned()]);
        }
        let known = keys.join(", ");
        let known = shortened(visible(&known));
        let problem = format!("this answer has {lacks}; its keys are {known}; name the keys to read");
        Wrong { at: 0, problem: Problem::from(problem).about(About::AnswerFields) }
    }

    /// The error for a line, counted from 1, that begins at `offset`.
    fn at(self, path: &Path, line: u64, offset: u64) -> Error {
        let Wrong { at, problem } = self;
        let problem = match problem.about {
            None if line == 1 => problem.about(About::FirstLine),
            _ => problem,
        };
        let place = format!("{}, line {line} (byte {}): ", shown(path), offset + at);
        ErrorKind::Source.of(problem.within(place))
    }
}

/// The problem with the JSON of a line.
fn json(error: &serde_json::Error, line: &[u8]) -> Wrong {
    // To the parser, a line feed begins another line.
    let text = line.trim_ascii_end();
    let at = if error.is_eof() || error.line() > 1 { text.len() } else { error.column().saturating_sub(1) };
    let what = if error.is_data() { "this answer" } else { "this line" };
    let words = json_words(error);
    let expected = "expected JSON Lines, WARC, Parquet, or one robots.txt with its origin";
    Wrong { at: at as u64, ..format!("{what} cannot be read: {words}; {expected}").into() }
}

fn capture(line: &[u8], names: &FieldNames, bounds: TimeBounds, limit: usize) -> Result<Captured, Wrong> {
    let expected = |error| json(&error, line);
    let mut json = serde_json::Deserializer::from_slice(line);
    let Fields { mut answer, status, times: [fetched_at, expires, unreachable_since] } =
        json.deserialize_map(Line(Some(names), |_: &str| ())).map_err(expected)?;
    json.end().map_err(expected)?;
    answer.status = match status {
        Some(status) => self::status(status)?,
        // A file, where no key says otherwise.
        None if names.name(Field::Status).is_none() => Some(200),
        None => {
            let key = names.name(Field::Status).unwrap_or_default();
            return Err(Wrong::no_key(&format!("no {key:?}, which is null if nobody answered"), line));
        }
    };
    answer.fetched_at = seconds(fetched_at)?;
    answer.expires = seconds(expires)?;
    answer.unreachable_since = seconds(unreachable_since)?;
    let either = |one, other| match (names.name(one), names.name(other)) {
        (Some(one), Some(other)) => format!("neither {one:?} nor {other:?}"),
        (one, other) => format!("no {:?}", one.or(other).unwrap_or_default()),
    };
    answer.capture(bounds, limit).map_err(|flaw| match flaw {
        Flaw::NoUrl => Wrong::no_key(&either(Field::Url, Field::Origin), line),
        Flaw::NoBody(status) => {
            Wrong::no_key(&format!("status {status}, but {}", either(Field::Body, Field::BodyBase64)), line)
        }
        Flaw::Other(problem) => problem.into(),
    })
}

/// The status; `None` if there was no response.
fn status(given: &RawValue) -> Result<Option<i64>, String> {
    match given.get() {
        "null" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            format!("{text} is no HTTP status; expected a number such as 200, or null if nobody answered")
        }),
    }
}

/// A time in RFC 3339 or in seconds of Unix time, in the latter.
fn seconds(time: Option<&RawValue>) -> Result<Option<i64>, String> {
    let Some(time) = time.map(RawValue::get) else { return Ok(None) };
    // Writers of JSON may escape any character of a text; some do it to the `+` of a time zone.
    let text = serde_json::from_str::<String>(time);
    text.map_or_else(|_| time_text::number(time), |text| time_text::parse(&text)).map(Some)
}

/// A text, borrowed unless it has escapes.
#[derive(Deserialize)]
struct Text<'l>(#[serde(borrow)] Cow<'l, str>);

/// The answer of a line, and its values that are read once the line is known to be JSON.
#[derive(Default)]
struct Fields<'l> {
    answer: Answer,
    /// Null, too, is a status.
    status: Option<&'l RawValue>,
    /// When it was fetched, when it expires, and since when there was no answer.
    times: [Option<&'l RawValue>; 3],
}

/// Reads the fields with these names, if any, and passes on all keys.
struct Line<'n, K>(Option<&'n FieldNames>, K);

impl<'de, K: FnMut(&str)> Visitor<'de> for Line<'_, K> {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer, which is an object,")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Fields<'de>, A::Error> {
        let (mut fields, mut seen) = (Fields::default(), [false; Field::ALL.len()]);
        while let Some(Text(key)) = object.next_key()? {
            (self.1)(&key);
            let Some(field) = self.0.and_then(|names| names.field(&key)) else {
                object.next_value::<IgnoredAny>()?;
                continue;
            };
            if std::mem::replace(&mut seen[field as usize], true) {
                return Err(A::Error::custom(format!("the key {key:?} occurs twice")));
            }
            let Fields { answer, status, times } = &mut fields;
            let mut bytes =
                || -> Result<_, A::Error> { Ok(object.next_value::<Option<String>>()?.map(String::into_bytes)) };
            match field {
                Field::Url => answer.url = object.next_value()?,
                Field::Origin => answer.origin = object.next_value()?,
                Field::Status => *status = Some(object.next_value()?),
                Field::Location => answer.location = object.next_value()?,
                Field::Body => answer.body = bytes()?.map(Into::into),
                Field::BodyBase64 => answer.body_base64 = bytes()?,
                Field::FetchedAt => times[0] = object.next_value()?,
                Field::Expires => times[1] = object.next_value()?,
                Field::UnreachableSince => times[2] = object.next_value()?,
                Field::Headers => answer.headers = object.next_value::<Option<Headers>>()?.unwrap_or_default().0,
            }
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Answered, Capture};

    fn read(line: &str, names: &str) -> Result<Capture, String> {
        let names = if names.is_empty() { FieldNames::default() } else { names.parse().unwrap() };
        let capture = capture(line.as_bytes(), &names, TimeBounds::at(1_768_219_200), 1 << 20);
        capture.map(|captured| captured.capture).map_err(|problem| problem.at(Path::new("in.jsonl"), 1, 0).to_string())
    }

    #[test]
    fn a_line_is_an_answer() {
        let line = r#"{"url":"HTTPS://A.example:443/robots.txt","status":200,"body":"x","fetched_at":"1970-01-01T00:01:00Z","other":[1]}"#;
        let one = read(line, "").unwrap();
        assert_eq!(one.url, "https://a.example/robots.txt");
        assert_eq!(one.origin.as_deref(), Some("https://a.example"));
        assert_eq!(one.body.as_deref(), Some(&b"x"[..]));
        assert_eq!(one.answered, Answered { status: Some(200), fetched_at: Some(60), ..Answered::default() });
        let one = read(r#"{"origin":"http://a.example/","status":200,"body_base64":"/wE=","expires":7}"#, "").unwrap();
        assert_eq!((one.url.as_str(), one.body.as_deref()), ("http://a.example/robots.txt", Some(&b"\xff\x01"[..])));
        assert_eq!(one.answered.expires, Some(7));
        let line =
            r#"{"origin":"http://a","status":null,"fetched_at":"1970-01-01T01:01:00\u002b01:00","expires":null}"#;
        let one = read(line, "").unwrap();
        assert_eq!((one.answered.status, one.answered.fetched_at, one.answered.expires), (None, Some(60), None));
    }

    #[test]
    fn keys_may_have_other_names() {
        let names = "url=target,status=code,body=content,fetched_at=date";
        let line =
            r#"{"target":"http://a/robots.txt","code":200,"content":"x","date":60,"body":7,"url":[],"status":"?"}"#;
        let one = read(line, names).unwrap();
        assert_eq!((one.body.as_deref(), one.answered.status), (Some(&b"x"[..]), Some(200)));
        assert_eq!(one.answered.fetched_at, Some(60));
        let one = read(r#"{"origin":"http://a","body":""}"#, "status=").unwrap();
        assert_eq!((one.answered.status, one.body.as_deref()), (Some(200), Some(&b""[..])));
        let error = read(r#"{"target":"http://a/robots.txt","code":200,"body":"x"}"#, names).unwrap_err();
        assert!(error.contains("neither \"content\" nor \"body_base64\"; its keys are target, code, body;"), "{error}");
    }

    #[test]
    fn a_wrong_line_says_what_is_wrong() {
        for (line, problem) in [
            ("{", "line 1 (byte 1): this line cannot be read: the JSON ends too early; expected JSON Lines"),
            ("[]", "a list where an answer, which is an object, is expected"),
            ("User-agent: *", "line 1 (byte 0): this line cannot be read: JSON is expected; expected JSON Lines"),
            ("{} {}", "(byte 3): this line cannot be read: more follows"),
            (r#"{"status":404}"#, "neither \"url\" nor \"origin\"; its keys are status;"),
            (r#"{"url":"/robots.txt","status":404}"#, "expected an absolute"),
            (r#"{"origin":"http://a/x","status":404}"#, "not an origin: it has more than a scheme, a host and a port"),
            (r#"{"origin":"http://a","url":"http://a/robots.txt","status":404}"#, "both"),
            (r#"{"origin":"http://a","status":404,"status":200}"#, "\"status\" occurs twice"),
            (r#"{"origin":"http://a","status_code":503}"#, "no \"status\", which is null"),
            (r#"{"origin":"http://a","status_code":503}"#, "its keys are origin, status_code;"),
            (r#"{"origin":"http://a","status":1000}"#, "1000 is no HTTP status"),
            (r#"{"origin":"http://a","status":-1}"#, "-1 is no HTTP status"),
            (r#"{"origin":"http://a","status":"200"}"#, "\"200\" is no HTTP status; expected a number"),
            (r#"{"origin":"http://a","status":200.5}"#, "200.5 is no HTTP status"),
            (r#"{"origin":"http://a","status":200}"#, "status 200, but neither \"body\" nor \"body_base64\""),
            (
                r#"{"origin":"http://a","status":204,"body":null,"text":"x"}"#,
                "its keys are origin, status, body, text;",
            ),
            (r#"{"origin":"http://a","status":200,"body":"","body_base64":""}"#, "twice"),
            (r#"{"origin":"http://a","status":200,"body_base64":"?"}"#, "Base64"),
            (r#"{"origin":"http://a","status":404,"fetched_at":"yesterday"}"#, "RFC 3339"),
            (r#"{"origin":"http://a","status":404,"headers":"gzip"}"#, "an object or a list of pairs is expected"),
            (r#"{"origin":"http://a","status":404,"headers":{"Content-Encoding":7}}"#, "a text or a list of texts"),
            (r#"{"origin":"http://a","status":404,"headers":[["a"]]}"#, "a pair of a name and a value"),
            (r#"{"origin":"http://a","status":404,"headers":[["a","b","c"]]}"#, "a pair of a name and a value"),
            (r#"{"origin":"http://a","status":404,"headers":[{"name":"a"}]}"#, "a pair of a name and a value"),
            (r#"{"origin":"http://a","status":404,"headers":["a: b"]}"#, "a pair of a name and a value"),
            (r#"{"origin":"http://a","status":404,"fetched_at":1768219200000}"#, "milliseconds"),
        ] {
            let error = read(line, "").unwrap_err();
            assert!(error.contains(problem), "{line}: {error}");
        }
    }

    #[test]
    fn statuses_of_no_class_are_left_to_the_dialect() {
        for (status, expected) in [("0", Some(0)), ("99", Some(99)), ("999", Some(999)), ("null", None)] {
            let line = format!("{{\"origin\":\"http://a\",\"status\":{status}}}");
            assert_eq!(read(&line, "").unwrap().answered.status, expected);
        }
    }
}
