//! What a list looks like whose lines are no URLs.
//!
//! Nothing is judged by a guess: it only tells a user which options to try.

use std::fmt;

use super::Layout;
use super::delimited::Delimited;
use super::json::{self, Member};
use crate::origin;

/// Separators of fields, the likeliest first, as a shell takes them.
const DELIMITERS: [(u8, &str); 5] = [(b'\t', "tab"), (b',', ","), (b';', "';'"), (b'|', "'|'"), (b' ', "' '")];

/// Lines that are looked at.
const LINES: usize = 20;

/// The fewest fields of CDX, and the length of its times.
const CDX_FIELDS: usize = 6;
const CDX_TIME: usize = 14;

/// What a list looks like, and the options that read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guess {
    looks: &'static str,
    options: String,
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "looks like {}; try {}", self.looks, self.options)
    }
}

/// What a list that begins with `start` looks like, if most of its lines have a URL in the same field or member.
pub(crate) fn guess(start: &[u8]) -> Option<Guess> {
    // The last line may be cut, and the first may be a head line.
    let lines: Vec<&[u8]> = start.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).take(LINES).collect();
    json_lines(&lines).or_else(|| delimited(&lines))
}

/// Whether a line has a URL by a layout.
fn has_url(line: &[u8], layout: &Layout) -> bool {
    layout.url(line).is_ok_and(|url| origin::canonical(origin::trimmed(&url)).is_ok())
}

/// Whether most of some lines are of a kind.
fn are_most(lines: &[&[u8]], is_one: impl Fn(&[u8]) -> bool) -> bool {
    2 * lines.iter().filter(|line| is_one(line)).count() >= lines.len().max(1)
}

/// JSON Lines, whose first line begins as one and cannot be read, or else they had been known.
fn json_lines(lines: &[&[u8]]) -> Option<Guess> {
    lines.first().filter(|line| line.starts_with(b"{"))?;
    let is_plain = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let names = lines.iter().find_map(|line| json::names(line))?;
    let name = names.into_iter().filter(is_plain).find(|name| {
        let layout = Layout::JsonLines(Box::new(Member::new(name)));
        are_most(lines, |line| has_url(line, &layout))
    })?;
    Some(Guess { looks: "JSON Lines", options: format!("--column {name}") })
}

/// Fields between delimiters.
fn delimited(lines: &[&[u8]]) -> Option<Guess> {
    DELIMITERS.into_iter().find_map(|(delimiter, name)| {
        let fields = |line: &[u8]| line.split(|&byte| byte == delimiter).count();
        let most = lines.iter().map(|line| fields(line)).max()?;
        let column = (0..most).find(|&column| {
            let layout = Layout::Delimited(Delimited { delimiter, column });
            are_most(lines, |line| fields(line) > 1 && has_url(line, &layout))
        })?;
        let looks = match delimiter {
            b' ' if lines.iter().any(|line| is_cdx(line)) => "CDX without its head line",
            b' ' => "fields with spaces between them",
            b'\t' => "fields with tabs between them (TSV)",
            b'|' => "fields with bars between them",
            _ => "fields with commas or semicolons between them (CSV)",
        };
        let has_head = lines.first().is_some_and(|line| {
            let name = line.split(|&byte| byte == delimiter).nth(column).unwrap_or_default();
            name.first().is_some_and(u8::is_ascii_alphabetic) && !name.contains(&b':')
        });
        let head = if has_head { " --header" } else { "" };
        Some(Guess { looks, options: format!("--delimiter {name} --column {}{head}", column + 1) })
    })
}

/// Whether a line looks like one of CDX: key, time, URL and more.
fn is_cdx(line: &[u8]) -> bool {
    let mut fields = line.split(|&byte| byte == b' ');
    let is_time = |time: &[u8]| time.len() == CDX_TIME && time.iter().all(u8::is_ascii_digit);
    fields.nth(1).is_some_and(is_time) && fields.count() + 2 >= CDX_FIELDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_look_like_what_they_are() {
        let cdx = "com,example)/ 20240101000000 http://example.com/ text/html 200 AAAA 10 0 a.warc.gz\n".repeat(3);
        for (text, expected) in [
            (cdx.as_str(), Some("looks like CDX without its head line; try --delimiter ' ' --column 3")),
            ("id,url\n1,http://a/\n2,\"http://b/x,y\"\n", Some("(CSV); try --delimiter , --column 2 --header")),
            ("1,http://a/\n2,http://b/x\n", Some("(CSV); try --delimiter , --column 2")),
            ("1;x;http://a/\n2;y;http://b/\n", Some("--delimiter ';' --column 3")),
            ("1|http://a/\n2|http://b/\n", Some("bars between them; try --delimiter '|' --column 2")),
            ("http://a/\n{\"url\":\"http://a/\"}\n{\"url\":\"http://a/\"}\n", None),
            ("http://a/\t200\nhttp://b/\t404\n", Some("(TSV); try --delimiter tab --column 1")),
            ("200 http://a/\n404 http://b/\n", Some("spaces between them; try --delimiter ' ' --column 2")),
            ("{\"id\":\"1\n{\"id\":2,\"link\":\"http://a/\"}\n", Some("looks like JSON Lines; try --column link")),
            ("{\"id\":1}\n{\"id\":2,\"a link\":\"http://a/\"}\n", None),
            ("a.example\nb.example\n", None),
            ("http://a/,b\nx\ny\n", None),
            ("http://a/,b\nx,y\nx\ny\n", None),
            ("", None),
        ] {
            let found = guess(text.as_bytes()).map(|guess| guess.to_string());
            match expected {
                Some(words) => assert!(found.as_ref().is_some_and(|found| found.contains(words)), "{text}: {found:?}"),
                None => assert_eq!(found, None, "{text}"),
            }
        }
    }
}
