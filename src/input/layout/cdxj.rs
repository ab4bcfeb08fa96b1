//! CDXJ, the index of web archives: `com,example)/path 20240101000000 {"url": "https://example.com/path", ...}`.
//!
//! The leading key is made for sorting (SURT) and lacks the scheme and more, so the URL is taken from the [JSON](super::json).

use std::sync::LazyLock;

use super::delimited::Found;
use super::json::Member;
use crate::outcome::Reason;

static URL: LazyLock<Member> = LazyLock::new(|| Member::new("url"));

#[inline]
pub(super) fn url(line: &[u8], decoded: &mut Vec<u8>) -> Result<Found, Reason> {
    URL.url(line, object_start(line).ok_or(Reason::Json)?, decoded)
}

/// Whether a line is an index line.
pub(super) fn is_line(line: &[u8]) -> bool {
    object_start(line).is_some_and(|start| line[start..].starts_with(b"{"))
}

/// Where a line's JSON begins: after the key and the time, each of which ends at a space.
#[inline]
fn object_start(line: &[u8]) -> Option<usize> {
    let key = memchr::memchr(b' ', line).filter(|&length| length > 0)?;
    let time = &line[key + 1..];
    let length = memchr::memchr(b' ', time).filter(|&length| length > 0)?;
    // 20240101000000, or in some indexes 2024-01-01T00:00:00Z.
    let is_time = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'T' | b'Z' | b'.');
    time[..length].iter().all(is_time).then_some(key + length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Result<String, Reason> {
        let mut decoded = b"of an earlier line".to_vec();
        let text = match url(line.as_bytes(), &mut decoded)? {
            Found::Within(place) => line.as_bytes()[place].to_vec(),
            Found::Decoded(place) => decoded[place].to_vec(),
        };
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn the_url_is_that_of_the_json() {
        let url = "https://example.com/a?b=c";
        for line in [
            r#"com,example)/a?b=c 20240101000000 {"url": "https://example.com/a?b=c", "status": "200"}"#,
            "com,example)/ 2024 {\"mime\":\"text/html\",\"url\":\"https:\\/\\/example.com\\/a?b\\u003dc\"}\r",
            r#"- 2024-01-01T00:00:00Z {"x":{"url":"no"},"url":"https://example.com/a?b=c"}"#,
            r#"- 2024 {"x":"\"url\":\"no\"","b":["url","no",{"url":"no"}],"\u0075\u0072l":"https://example.com/a?b=c"}"#,
        ] {
            assert_eq!(found(line).unwrap(), url, "{line}");
            assert!(is_line(line.as_bytes()));
        }
    }

    #[test]
    fn lines_of_another_form_say_what_is_wrong() {
        for (line, reason) in [
            ("", Reason::Json),
            ("https://example.com/", Reason::Json),
            ("com,example)/ 20240101000000", Reason::Json),
            ("com,example)/ 20240101000000 ", Reason::Json),
            ("com,example)/ soon {\"url\":\"http://a/\"}", Reason::Json),
            (" 2024 {\"url\":\"http://a/\"}", Reason::Json),
            ("com,example)/ 2024 {\"url\":\"http://a/\"", Reason::Json),
            ("com,example)/ 2024 {\"url\":\"http://a/\\ud800\"}", Reason::Json),
            (r#"- 2024 {"url":"http://a/","url":"http://b/"}"#, Reason::Json),
            (r#"- 2024 {"url":"http://a/","url":1}"#, Reason::Json),
            (r#"- 2024 {"url":"http://a/"} x"#, Reason::Json),
            (r#"- 2024 {"n":1,"url":"http://a/",}"#, Reason::Json),
            (r#"- 2024 {"n":01,"url":"http://a/"}"#, Reason::Json),
            (r#"- 2024 {"url":"http://a/\x"}"#, Reason::Json),
            (r#"- 2024 ["http://a/"]"#, Reason::Json),
            ("com,example)/ 2024 {\"uri\":\"http://a/\"}", Reason::NoUrl),
            (r#"- 2024 {"URL":"http://a/","urls":"http://a/"}"#, Reason::NoUrl),
            ("com,example)/ 2024 {\"url\":7}", Reason::NoUrl),
            ("com,example)/ 2024 {\"url\":\"http://a/\\n\"}", Reason::LineBreak),
        ] {
            assert_eq!(found(line), Err(reason), "{line}");
        }
        let deep = format!(r#"- 2024 {{"url":"http://a/","n":{}"#, "[".repeat(1 << 20));
        assert_eq!(found(&deep), Err(Reason::Json));
        assert!(!is_line(b"https://example.com/") && !is_line(b"a 2024 x") && !is_line(b"a b {\"url\":\"x\"}"));
    }
}
