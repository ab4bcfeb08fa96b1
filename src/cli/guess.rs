//! What a user should know of lists that were read otherwise than they were meant: what they look like, and the options to try.
//!
//! Nothing is judged by a guess.

use std::io::Read;

use crate::formats::compression::Reader;
use crate::formats::{seekable, visible};
use crate::input::Layout;
use crate::input::layout::{Delimited, Member, names};
use crate::origin;
use crate::outcome::Partition;
use crate::output::{ListPart, Receipt, counted};

/// Bytes of a list that are looked at.
const START: u64 = 64 << 10;

/// The most lists that are named.
const NAMED: usize = 3;

/// The warnings about the lists of a run.
pub fn about_lists(receipt: &Receipt) -> Vec<String> {
    if let Some(hint) = tabs(receipt) {
        return vec![hint];
    }
    let mut invalid = receipt.lists.iter().filter_map(|list| Some((list, invalid(list)?)));
    // Only those that are named are looked at: there may be thousands of lists.
    let first = invalid.by_ref().take(NAMED).filter_map(|(list, lines)| {
        let advice = advice(list)?;
        let lines = counted(lines, "line is invalid", "lines are invalid");
        Some(format!("the list {}: {lines}; {advice}", visible(&list.path)))
    });
    let mut hints: Vec<String> = first.collect();
    let more = invalid.count() as u64;
    if more > 0 && !hints.is_empty() {
        hints.push(counted(
            more,
            "more list has nearly only invalid lines",
            "more lists have nearly only invalid lines",
        ));
    }
    hints
}

/// What a list looks like whose lines are invalid. One that came through a pipe cannot be looked at again.
fn advice(list: &ListPart) -> Option<String> {
    match list.file {
        Some(_) => look(list),
        None if list.compression.is_some() => None,
        None => Some("it came through a pipe; of a file, it would be told what it looks like".to_owned()),
    }
}

/// Warns of lists of fields that were read as lists of URLs, because the delimiter was not given.
fn tabs(receipt: &Receipt) -> Option<String> {
    let plain = || receipt.lists.iter().filter(|list| list.format == Layout::Whole.name());
    let lines: u64 = plain().map(|list| list.input.lines).sum();
    let tabs = receipt.urls_with_tabs;
    (lines > 0 && 2 * tabs >= lines).then(|| {
        let tabs = counted(tabs, "line has a tab inside and was", "lines have a tab inside and were");
        let look = plain().take(NAMED).find_map(look);
        let advice = look.as_deref().unwrap_or("if lines have fields, give --delimiter tab");
        format!("{tabs} judged as one URL; {advice}")
    })
}

/// How many lines of a list are invalid, if nearly all are.
fn invalid(list: &ListPart) -> Option<u64> {
    let is_invalid = |name: &str| name.split('.').next() == Some(Partition::Invalid.name());
    let lines = list.partitions.iter().filter(|(name, _)| is_invalid(name)).map(|(_, part)| part.lines).max()?;
    (lines > 0 && 10 * lines >= 9 * list.input.lines).then_some(lines)
}

/// What a list looks like; a list that cannot be read again like nothing.
fn look(list: &ListPart) -> Option<String> {
    let file = seekable::open(&list.exact_path()?).ok()?;
    let mut start = Vec::new();
    Reader::new(file).and_then(|text| text.take(START).read_to_end(&mut start)).ok()?;
    guess(&start).map(|(looks, advice)| format!("it looks like {looks}; {advice}"))
}

/// Separators of fields, the likeliest first, as a shell takes them.
const DELIMITERS: [(u8, &str); 5] = [(b'\t', "tab"), (b',', ","), (b';', "';'"), (b'|', "'|'"), (b' ', "' '")];

/// Lines that are looked at.
const LINES: usize = 20;

/// The fewest fields of CDX, and the length of its times.
const CDX_FIELDS: usize = 6;
const CDX_TIME: usize = 14;

/// What a list looks like, and what to do: the options that read it, or how to make a list of it.
type Guess = (&'static str, String);

/// What a list that begins with `start` looks like: text of another kind, or lines of which most have a URL in the same field or member.
fn guess(start: &[u8]) -> Option<Guess> {
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start);
    if let Some((looks, advice)) = other_text(start) {
        return Some((looks, advice.to_owned()));
    }
    // The last line may be cut, and the first may be a head line. A list may begin well.
    let all = || start.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let mut lines: Vec<&[u8]> = all().filter(|line| !has_url(line, &Layout::Whole)).take(LINES).collect();
    if lines.len() < LINES {
        lines = all().take(LINES).collect();
    }
    let json = || if start.starts_with(b"{") { json_lines(&lines) } else { None };
    json().or_else(|| delimited(&lines)).or_else(|| without_scheme(&lines))
}

/// What a text is that has no URL in each line, and how to make a list of it.
fn other_text(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = start.trim_ascii_start();
    let (first, next) = (text.first(), text.get(1..).and_then(|rest| rest.trim_ascii_start().first()));
    match (first, next) {
        _ if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") => {
            Some(("UTF-16", "convert it with iconv -f UTF-16 -t UTF-8"))
        }
        _ if has_nuls(start, 1) => Some(("UTF-16", "convert it with iconv -f UTF-16LE -t UTF-8")),
        _ if has_nuls(start, 0) => Some(("UTF-16", "convert it with iconv -f UTF-16BE -t UTF-8")),
        (Some(b'['), Some(b'"')) => Some(("a JSON array of texts", "write them as lines with jq -r '.[]'")),
        (Some(b'['), Some(b'{' | b'[')) => Some(("a JSON array", "write its elements as lines with jq -c '.[]'")),
        (Some(b'{'), _) if text.split(|&byte| byte == b'\n').next().is_some_and(|line| line.trim_ascii() == b"{") => {
            Some(("JSON over several lines", "write each object, or each URL, as one line with jq"))
        }
        (Some(b'<'), Some(b'?' | b'!')) => Some(XML),
        (Some(b'<'), Some(next)) if next.is_ascii_alphabetic() && !text.starts_with(b"<http") => Some(XML),
        _ => None,
    }
}

const XML: (&str, &str) = ("XML or HTML", "write its URLs as lines first");

/// Whether a NUL is beside each of the first bytes, beginning at 0 or 1.
fn has_nuls(text: &[u8], at: usize) -> bool {
    let pairs = || text.chunks_exact(2).take(LINES);
    pairs().len() > 1 && pairs().all(|pair| pair[at] == 0 && pair[1 - at] != 0)
}

fn without_scheme(lines: &[&[u8]]) -> Option<Guess> {
    let is_one = |line: &[u8]| {
        let host = line.split(|byte| matches!(byte, b'/' | b':' | b'?' | b'#')).next().unwrap_or_default();
        let is_host =
            host.contains(&b'.') && host.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(byte));
        is_host && has_url(&[b"http://", line].concat(), &Layout::Whole)
    };
    let advice = "begin each line with http:// or https://, as it was fetched";
    are_most(lines, is_one).then(|| ("URLs without their scheme", advice.to_owned()))
}

fn has_url(line: &[u8], layout: &Layout) -> bool {
    layout.url(line).is_ok_and(|url| origin::canonical(origin::trimmed(&url)).is_ok())
}

fn are_most(lines: &[&[u8]], is_one: impl Fn(&[u8]) -> bool) -> bool {
    2 * lines.iter().filter(|line| is_one(line)).count() >= lines.len().max(1)
}

/// JSON Lines, whose first line begins as one and cannot be read, or else they had been known.
fn json_lines(lines: &[&[u8]]) -> Option<Guess> {
    lines.first().filter(|line| line.starts_with(b"{"))?;
    let is_plain = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let names = lines.iter().find_map(|line| names(line))?;
    let name = names.into_iter().filter(is_plain).find(|name| {
        let layout = Layout::JsonLines(Box::new(Member::new(name)));
        are_most(lines, |line| has_url(line, &layout))
    })?;
    Some(("JSON Lines", format!("try --column {name}")))
}

fn delimited(lines: &[&[u8]]) -> Option<Guess> {
    DELIMITERS.into_iter().find_map(|(delimiter, name)| {
        let fields = |line: &[u8]| line.split(|&byte| byte == delimiter).count();
        let most = lines.iter().map(|line| fields(line)).max()?;
        let column = (0..most).find(|&column| {
            let layout = Layout::Delimited(Delimited { delimiter, column });
            are_most(lines, |line| (fields(line) > 1 || line.starts_with(b"\"")) && has_url(line, &layout))
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
            let name = name.trim_ascii().strip_prefix(b"\"").unwrap_or(name.trim_ascii());
            name.first().is_some_and(u8::is_ascii_alphabetic) && origin::canonical(name).is_err()
        });
        let head = if has_head { " --header" } else { "" };
        Some((looks, format!("try --delimiter {name} --column {}{head}", column + 1)))
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
            ("a.example\nb.example\n", Some("URLs without their scheme; begin each line with http://")),
            ("a.example:8080/x\nwww.b.example/?y\n", Some("URLs without their scheme")),
            ("1.2\n1.3 x\n/a.html\n", None),
            ("\"http://a/\"\n\"http://b/,x\"\n", Some("(CSV); try --delimiter , --column 1")),
            ("\"url\"\n\"http://a/\"\n\"http://b/\"\n", Some("(CSV); try --delimiter , --column 1 --header")),
            (
                "\n[\n\"http://a/\",\n\"http://b/\"]\n",
                Some("a JSON array of texts; write them as lines with jq -r '.[]'"),
            ),
            ("[{\"url\": \"http://a/\"}]", Some("a JSON array; write its elements as lines with jq -c '.[]'")),
            ("[2001:db8::1]/y\n", None),
            ("<http://a/>\n", None),
            ("\u{feff}<?xml version=\"1.0\"?><urlset>", Some("XML or HTML")),
            ("{\n  \"url\": \"http://a/\"\n}\n", Some("JSON over several lines; write each object, or each")),
            ("<urlset><url><loc>http://a/</loc></url></urlset>", Some("XML or HTML; write its URLs as lines first")),
            ("h\0t\0t\0p\0:\0", Some("UTF-16; convert it with iconv -f UTF-16LE")),
            ("\0h\0t\0t\0p", Some("UTF-16; convert it with iconv -f UTF-16BE")),
            ("http://a/,b\nx\ny\n", None),
            ("http://a/,b\nx,y\nx\ny\n", None),
            ("", None),
        ] {
            let found = guess(text.as_bytes()).map(|(looks, advice)| format!("looks like {looks}; {advice}"));
            match expected {
                Some(words) => assert!(found.as_ref().is_some_and(|found| found.contains(words)), "{text}: {found:?}"),
                None => assert_eq!(found, None, "{text}"),
            }
        }
    }
}
