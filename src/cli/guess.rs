//! What a user should know of lists that were read otherwise than they were meant: what they look like, and the options to try.
//!
//! Nothing is judged by a guess.

use std::cmp::Reverse;
use std::io::Read;

use crate::formats::compression::Reader;
use crate::formats::{seekable, visible};
use crate::input::Layout;
use crate::input::layout::{Delimited, Member, Separator, has_tab_inside, names};
use crate::origin;
use crate::outcome::Partition;
use crate::output::{ListPart, Receipt, TabbedLines, counted};

/// Bytes of a list that are looked at.
const START: u64 = 64 << 10;

/// The most lists that are looked at for a head line.
const LOOKED_AT: usize = 100;

/// The most lists that are named.
const NAMED: usize = 3;

/// The warnings about the lists of a run.
pub fn about_lists(receipt: &Receipt) -> Vec<String> {
    let mut looks = LOOKED_AT;
    let mut odd = receipt.lists.iter().filter_map(|list| Some((list, Oddity::of(list, &mut looks)?)));
    // Besides, only those that are named are looked at: there may be thousands of lists.
    let mut hints: Vec<String> = odd.by_ref().take(NAMED).map(|(list, oddity)| oddity.hint(list, receipt)).collect();
    let [invalid, tabbed, headed] = odd.fold([0; 3], |[invalid, tabbed, headed], (_, oddity)| match oddity {
        Oddity::Invalid { .. } => [invalid + 1, tabbed, headed],
        Oddity::Tabbed(_) => [invalid, tabbed + 1, headed],
        Oddity::Headed(_) => [invalid, tabbed, headed + 1],
    });
    let more = [
        (headed, "more list begins with a head line", "more lists begin with a head line"),
        (invalid, "more list has nearly only invalid lines", "more lists have nearly only invalid lines"),
        (
            tabbed,
            "more list has lines that are invalid for a tab inside",
            "more lists have lines that are invalid for a tab inside",
        ),
    ];
    hints.extend(
        more.into_iter().filter(|&(count, ..)| count > 0).map(|(count, one, several)| counted(count, one, several)),
    );
    hints
}

/// Why a list may have been read otherwise than it was meant.
enum Oddity {
    /// So many of its lines, nearly all, are invalid.
    Invalid { lines: u64 },
    /// Some are invalid for a tab inside.
    Tabbed(TabbedLines),
    /// Its first line is the head of a table, whose lines were read as URLs, with all that follows these; the options that read it.
    Headed(String),
}

impl Oddity {
    /// The oddity of a list; so many more may be looked at for a head line.
    fn of(list: &ListPart, looks: &mut usize) -> Option<Oddity> {
        invalid(list)
            .map(|lines| Oddity::Invalid { lines })
            .or_else(|| list.tabbed.map(Oddity::Tabbed))
            .or_else(|| headed(list, looks).map(Oddity::Headed))
    }

    fn hint(&self, list: &ListPart, receipt: &Receipt) -> String {
        let path = visible(&list.path);
        match *self {
            Oddity::Invalid { lines } => {
                let lines = counted(lines, "line is invalid", "lines are invalid");
                let advice = advice(list, receipt);
                format!("the list {path}: {lines}; {advice}")
            }
            Oddity::Headed(ref options) => format!(
                "the list {path}: it begins with the head line of a table, but each line was judged as one URL, with the fields after it; \
                 give {options}"
            ),
            Oddity::Tabbed(TabbedLines { lines, first, .. }) => {
                let lines =
                    counted(lines, "line has a tab inside and is invalid", "lines have a tab inside and are invalid");
                let first = first + u64::from(list.head.is_some());
                let part = if list.range.is_some() { " of the part that was read" } else { "" };
                let options = tab_options(list);
                format!(
                    "the list {path}: {lines}, the first is line {first}{part}; if tabs separate fields, give {options}; if they are \
                     part of URLs, --delimiter none"
                )
            }
        }
    }
}

/// How often which reason made lines of the run invalid, the most frequent first.
fn reasons(receipt: &Receipt) -> String {
    let part = receipt.partitions.iter().find(|(name, _)| is_invalid(name));
    let mut reasons: Vec<_> =
        part.iter().flat_map(|(_, part)| &part.reasons).filter(|&(_, &count)| count > 0).collect();
    reasons.sort_by_key(|&(_, &count)| Reverse(count));
    let reasons: Vec<String> = reasons.iter().map(|(name, count)| format!("{name} {count}")).collect();
    reasons.join(", ")
}

/// The options that read a list of which some lines have a tab inside.
fn tab_options(list: &ListPart) -> String {
    let start = start_of(list).unwrap_or_default();
    let lines: Vec<&[u8]> = lines_of(&start).filter(|line| has_tab_inside(line)).take(LINES).collect();
    let (separator, name) = SEPARATORS[0];
    let column = delimited_by(separator, &lines).map_or(0, |found| found.column);
    let first = lines_of(&start).next().filter(|first| lines.first() == Some(first));
    let has_head = list.head.is_some() || first.is_some_and(|first| is_head(first, separator, column));
    options(name, column, has_head)
}

/// The options that read fields with a URL in a column, counted from 0.
fn options(separator: &str, column: usize, has_head: bool) -> String {
    let head = if has_head { " --header" } else { "" };
    format!("--delimiter {separator} --column {}{head}", column + 1)
}

/// Whether the part of a receipt with this name has invalid lines.
fn is_invalid(name: &str) -> bool {
    name.split('.').next() == Some(Partition::Invalid.name())
}

/// How many lines of a list are invalid, if nearly all are.
fn invalid(list: &ListPart) -> Option<u64> {
    let lines = list.partitions.iter().filter(|(name, _)| is_invalid(name)).map(|(_, part)| part.lines).max()?;
    (lines > 0 && 10 * lines >= 9 * list.input.lines).then_some(lines)
}

/// The options that read a list whose first line is the head of a table, if its lines were read as URLs. A URL may contain commas and
/// bars, so only the head tells.
fn headed(list: &ListPart, looks: &mut usize) -> Option<String> {
    let has_invalid = || list.partitions.iter().any(|(name, part)| is_invalid(name) && part.lines > 0);
    if list.format != "lines" || !has_invalid() {
        return None;
    }
    *looks = looks.checked_sub(1)?;
    head_of_table(&start_of(list)?)
}

/// The options that read a text whose first line has a word in the field where most other lines have a URL, and as many fields as each.
fn head_of_table(start: &[u8]) -> Option<String> {
    let lines: Vec<&[u8]> = lines_of(without_mark(start)).take(LINES).collect();
    let (first, others) = lines.split_first()?;
    SEPARATORS.into_iter().find_map(|(separator, name)| {
        let count = separator.fields(first).count();
        let Fields { column, .. } = delimited_by(separator, others)?;
        let are_alike = others.iter().all(|line| separator.fields(line).count() == count);
        (count > 1 && are_alike && !has_url(first, &Layout::OneField) && is_head(first, separator, column))
            .then(|| options(name, column, true))
    })
}

/// What a list of invalid lines looks like, and what to do.
fn advice(list: &ListPart, receipt: &Receipt) -> String {
    let Some(start) = start_of(list) else {
        return "it came through a pipe; of a file, it would be told what it looks like".to_owned();
    };
    match guess(&start) {
        Some((looks, advice)) => format!("it looks like {looks}; {advice}"),
        None if is_binary(&start) => {
            format!("it is binary (NULs, or bytes that are no text), not a list of URLs: {}", reasons(receipt))
        }
        None => format!(
            "what it holds was not recognised: {}; show a line with its URL to `robosieve check`",
            reasons(receipt)
        ),
    }
}

/// The beginning of a list's text; `None` if it cannot be read again.
fn start_of(list: &ListPart) -> Option<Vec<u8>> {
    list.file.as_ref()?;
    let file = seekable::open(&list.exact_path()?).ok()?;
    let mut start = Vec::new();
    // What can be read of a damaged file is enough.
    let _ = Reader::new(file).and_then(|text| text.take(START).read_to_end(&mut start));
    (!start.is_empty()).then_some(start)
}

/// Whether bytes are no text: they have NULs, or more than a few are not UTF-8.
fn is_binary(start: &[u8]) -> bool {
    let odd: usize = start.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    start.contains(&0) || 20 * odd > start.len()
}

/// Separators of fields, the likeliest first, as a shell takes them.
const SEPARATORS: [(Separator, &str); 6] = [
    (Separator::Byte(b'\t'), "tab"),
    (Separator::Byte(b','), ","),
    (Separator::Byte(b';'), "';'"),
    (Separator::Byte(b'|'), "'|'"),
    (Separator::Byte(b' '), "' '"),
    (Separator::Blanks, "whitespace"),
];

/// Lines that are looked at.
const LINES: usize = 20;

/// The fewest fields of CDX, and the length of its times.
const CDX_FIELDS: usize = 6;
const CDX_TIME: usize = 14;

/// What a list looks like, and what to do: the options that read it, or how to make a list of it.
type Guess = (&'static str, String);

/// What a list that begins with `start` looks like: text of another kind, or lines of which most have a URL in the same field or member.
fn guess(start: &[u8]) -> Option<Guess> {
    let start = without_mark(start);
    if let Some((looks, advice)) = other_text(start) {
        return Some((looks, advice.to_owned()));
    }
    // The last line may be cut, and the first may be a head line. A list may begin well.
    let is_invalid = |line: &&[u8]| !has_url(line, &Layout::OneField);
    let mut lines: Vec<&[u8]> = lines_of(start).filter(is_invalid).take(LINES).collect();
    if lines.len() < LINES {
        lines = lines_of(start).take(LINES).collect();
    }
    let json = || if start.starts_with(b"{") { json_lines(&lines) } else { None };
    json().or_else(|| delimited(&lines)).or_else(|| without_scheme(&lines))
}

/// A text without its byte order mark.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// The lines of a text that are not empty.
fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty())
}

/// What a text is that has no URL in each line, and how to make a list of it.
fn other_text(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = start.trim_ascii_start();
    let (first, next) = (text.first(), text.get(1..).and_then(|rest| rest.trim_ascii_start().first()));
    match (first, next) {
        _ if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") => {
            Some(("UTF-16", "convert it with iconv -f UTF-16 -t UTF-8"))
        }
        _ if is_nutch_dump(text) => Some(NUTCH),
        _ if is_scrapy_log(text) => Some(SCRAPY),
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

/// A dump of Nutch's database begins each entry with its URL.
const NUTCH: (&str, &str) = (
    "a dump of Nutch's readdb",
    "write its URLs as lines first: awk -F '\\t' '$2 ~ /^Version: / { print $1 }' FILE > urls.txt",
);

const SCRAPY: (&str, &str) = (
    "a log of Scrapy",
    "write the URLs that it requested as lines first: grep -oE '<[A-Z]+ [^>]+>' FILE | sed 's/^<[A-Z]* //; s/>$//' > urls.txt",
);

fn is_nutch_dump(text: &[u8]) -> bool {
    let mut lines = lines_of(text);
    let [first, second] = [lines.next(), lines.next()].map(Option::unwrap_or_default);
    memchr::memmem::find(first, b"\tVersion: ").is_some() && second.starts_with(b"Status: ")
}

fn is_scrapy_log(text: &[u8]) -> bool {
    let is_message = |line: &[u8]| {
        line.first().is_some_and(u8::is_ascii_digit) && memchr::memmem::find(line, b" [scrapy.").is_some()
    };
    lines_of(text).take(LINES).any(is_message)
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
        is_host && has_url(&[b"http://", line].concat(), &Layout::OneField)
    };
    let advice = "begin each line with http:// or https://, as it was fetched";
    are_most(lines, is_one).then(|| ("URLs without their scheme", advice.to_owned()))
}

fn has_url(line: &[u8], layout: &Layout) -> bool {
    layout.url(line).is_ok_and(|url| origin::split(&url).is_ok())
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

/// Where most lines have a URL between separators.
struct Fields {
    /// The field, counted from 0.
    column: usize,
    /// How many lines have one there.
    lines: usize,
}

fn delimited_by(separator: Separator, lines: &[&[u8]]) -> Option<Fields> {
    let fields = |line: &[u8]| separator.fields(line).count();
    let most = lines.iter().map(|line| fields(line)).max()?;
    (0..most).find_map(|column| {
        let layout = Layout::Delimited(Delimited { separator, column });
        let is_one = |line: &&&[u8]| (fields(line) > 1 || line.starts_with(b"\"")) && has_url(line, &layout);
        let found = lines.iter().filter(is_one).count();
        (2 * found >= lines.len().max(1)).then_some(Fields { column, lines: found })
    })
}

/// Whether a line is a head line: its field is a word, and no URL of any scheme, such as the `dns:` with which a crawl.log begins.
fn is_head(line: &[u8], separator: Separator, column: usize) -> bool {
    let name = separator.fields(line).nth(column).unwrap_or_default();
    let name = name.trim_ascii().strip_prefix(b"\"").unwrap_or(name.trim_ascii());
    name.first().is_some_and(u8::is_ascii_alphabetic) && !name.contains(&b':')
}

fn delimited(lines: &[&[u8]]) -> Option<Guess> {
    // The head line of CSV tells its separator, whatever is in its quoted fields.
    let splits_first = |separator: Separator| lines.first().is_some_and(|line| separator.fields(line).count() > 1);
    let mut separators = SEPARATORS;
    separators.sort_by_key(|&(separator, _)| !splits_first(separator));
    separators.into_iter().find_map(|(separator, name)| {
        let Fields { column, lines: found } = delimited_by(separator, lines)?;
        let looks = match separator {
            // Fields may be padded.
            Separator::Byte(b' ')
                if delimited_by(Separator::Blanks, lines)
                    .is_some_and(|other| other.lines > found || are_padded(lines)) =>
            {
                return None;
            }
            Separator::Byte(b' ') if lines.iter().any(|line| is_cdx(line)) => "CDX without its head line",
            Separator::Byte(b' ') => "fields with spaces between them",
            Separator::Byte(b'\t') => "fields with tabs between them (TSV)",
            Separator::Byte(b'|') => "fields with bars between them",
            Separator::Byte(_) => "fields with commas or semicolons between them (CSV)",
            Separator::Blanks => "fields padded with blanks, as in the crawl.log of Heritrix",
        };
        let has_head = lines.first().is_some_and(|line| is_head(line, separator, column));
        Some((looks, format!("try {}", options(name, column, has_head))))
    })
}

/// Whether fields of some lines have several blanks between them, or before the first.
fn are_padded(lines: &[&[u8]]) -> bool {
    lines.iter().any(|line| line.starts_with(b" ") || memchr::memmem::find(line.trim_ascii_end(), b"  ").is_some())
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
    fn a_head_line_tells_what_urls_with_commas_hide() {
        for (text, expected) in [
            ("url,status\nhttp://a/x.pdf,200\nhttp://a/y,404\n", Some("--delimiter , --column 1 --header")),
            ("\u{feff}Address|Code\nhttp://a/x|200\n", Some("--delimiter '|' --column 1 --header")),
            ("url;status\nhttp://a/;200\n\n", Some("--delimiter ';' --column 1 --header")),
            ("url\nhttp://a/x,1\nhttp://a/y,2\n", None),
            ("http://a/x,1\nhttp://a/y,2\n", None),
            ("url,status\nhttp://a/x,1,2\nhttp://a/y\n", None),
            ("a comment, of two parts\nhttp://a/x\n", None),
            ("url,status\n", None),
            ("", None),
        ] {
            assert_eq!(head_of_table(text.as_bytes()).as_deref(), expected, "{text}");
        }
    }

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
            (
                "2026-01-01T00:00:00.000Z   200        1234 http://a/ LLL http://b/ text/html #001 - - -\n\
              2026-01-01T00:00:00.000Z    -5           - http://b/ L http://b/ - - - - -\n",
                Some("padded with blanks, as in the crawl.log of Heritrix; try --delimiter whitespace --column 4"),
            ),
            (
                "http://a/\tVersion: 7\nStatus: 1 (db_unfetched)\nFetch time: x\n\n",
                Some("a dump of Nutch's readdb; write"),
            ),
            (
                "Url,Status code,Status name\n\"http://a/\",2,\"db_fetched\"\n",
                Some("(CSV); try --delimiter , --column 1 --header"),
            ),
            (
                "2026-01-01T00:00:00.000Z     1         54 dns:a P http://a/ text/dns #001\n\
              2026-01-01T00:00:00.000Z   200       1234 http://a/ - - text/html #001\n",
                Some("crawl.log of Heritrix; try --delimiter whitespace --column 4"),
            ),
            (
                "url,status,metadata\nhttp://a/,FETCHED,\"\ta=1\"\nhttp://b/,FETCHED,\"\ta=1\tb=2\"\n",
                Some("(CSV); try --delimiter , --column 1 --header"),
            ),
            ("2026-01-01 12:00:00 [scrapy.utils.log] INFO: Scrapy 2.11 started\n", Some("a log of Scrapy; write")),
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
