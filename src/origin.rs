//! Splits a URL into its origin and path.
//!
//! A robots.txt applies to one origin: scheme, host and port (RFC 9309 2.3). Nearly every line of a URL list begins
//! with its origin in canonical form already. So `cut` only finds the end of the authority, and the bytes before it
//! serve as the key of the policy's index: an origin found there is canonical. [`split`] borrows an origin that is surely
//! canonical (`is_surely_canonical`). For any other it asks the `url` crate (the WHATWG URL standard), so it agrees with what a
//! browser would fetch: upper case, user info, default ports, IPv6, internationalised and numeric hosts, backslashes, tabs.

use std::borrow::Cow;

use url::{ParseError, Url};

/// Why a line is not an absolute http or https URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidUrl {
    /// Nothing, or only whitespace.
    #[error("it is empty")]
    Empty,
    /// No scheme: a relative reference, or not a URL at all.
    #[error("expected an absolute http or https URL")]
    NotAbsolute,
    /// A scheme other than http and https.
    #[error("its scheme is neither http nor https")]
    Scheme,
    /// An invalid host: empty, not UTF-8, with forbidden characters, or a malformed address.
    #[error("its host is not valid")]
    Host,
    /// A port that is not a number up to 65,535.
    #[error("its port is not valid")]
    Port,
    /// More than an origin, where one is expected.
    #[error("it has more than a scheme, a host and a port")]
    NotBare,
    /// A line feed in the URL, which no line of a list has.
    #[error("it has a line feed in it")]
    LineFeed,
}

/// Trims a URL as the URL standard does: C0 controls and spaces at both ends, including a CR before the LF.
#[inline]
pub fn trimmed(line: &[u8]) -> &[u8] {
    let start = line.iter().take_while(|&&byte| byte <= b' ').count();
    let mut end = line.len();
    while end > start && line[end - 1] <= b' ' {
        end -= 1;
    }
    &line[start..end]
}

/// The end of the authority, if the line begins like a canonical http or https URL: the next `/`, or the end of the
/// line. The bytes before it are the origin, provided that they are in canonical form, which is not checked here.
#[inline]
pub(crate) fn cut(line: &[u8]) -> Option<usize> {
    // "https://" is one byte longer than "http://".
    let tail = line.get(4..9)?;
    let from = if &line[..4] != b"http" {
        return None;
    } else if &tail[..3] == b"://" {
        7
    } else if &tail[..4] == b"s://" {
        8
    } else {
        return None;
    };
    // Hosts are short: comparing eight bytes at a time within a word beats both a byte loop and a call to memchr.
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    let mut at = from;
    while let Some(bytes) = line.get(at..at + 8) {
        let differences = u64::from_le_bytes(bytes.try_into().expect("eight bytes")) ^ (LOW * u64::from(b'/'));
        let equal = differences.wrapping_sub(LOW) & !differences & (LOW << 7);
        if equal != 0 {
            return Some(at + (equal.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    Some(line[at..].iter().position(|&byte| byte == b'/').map_or(line.len(), |found| at + found))
}

/// Whether `origin`, as found by [`cut`], is surely in canonical form: a host of lower-case labels, none of them
/// internationalised, the last beginning with a letter (so the host is no number), and no port or one that is not the
/// default.
///
/// If this is false, the origin may still be canonical; [`split`] decides.
pub(crate) fn is_surely_canonical(origin: &[u8]) -> bool {
    let (start, default_port) = match origin {
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => (8, 443),
        [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => (7, 80),
        _ => return false,
    };
    let digits = origin.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, port) = origin.split_at(origin.len() - digits);
    match before.strip_suffix(b":") {
        Some(named) => is_plain_host(named, start) && is_canonical_port(port, default_port),
        None => is_plain_host(origin, start),
    }
}

/// Whether the host in an origin without a port, which begins at `start`, is as [`is_surely_canonical`] asks. This looks at eight bytes
/// at a time, because label ends are unpredictable, and every line with an unknown origin gets here.
fn is_plain_host(origin: &[u8], start: usize) -> bool {
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = LOW << 7;
    // The high bit of each byte of a word of ASCII that is at least this byte, or one of these.
    let at_least = |word: u64, byte: u8| word.wrapping_add(LOW * u64::from(128 - byte));
    let is_one = |word: u64, first: u8, last: u8| at_least(word, first) & !at_least(word, last + 1) & HIGH;
    let host = origin.get(start..).unwrap_or_default();
    // The start of a host is as the dot before a label.
    let (mut odd, mut hyphens, mut dot_before, mut hyphen_before) = (0, 0, 0x80, 0);
    let (words, rest) = host.as_chunks::<8>();
    let mut add = |word: u64| {
        let (dots, hyphen) = (is_one(word, b'.', b'.'), is_one(word, b'-', b'-'));
        let others = is_one(word, b'a', b'z') | is_one(word, b'0', b'9') | is_one(word, b'_', b'_');
        odd |= word & HIGH | (dots | hyphen | others) ^ HIGH | dots & (dots << 8 | dot_before);
        hyphens |= hyphen & (hyphen << 8 | hyphen_before);
        (dot_before, hyphen_before) = (dots >> 56, hyphen >> 56);
    };
    words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
    if let (1.., Some(last)) = (rest.len(), origin.last_chunk::<8>()) {
        // Letters after it.
        let bits = 8 * rest.len();
        add(u64::from_le_bytes(*last) >> (64 - bits) | (LOW * u64::from(b'a')) << bits);
    }
    let last_label = host.iter().rposition(|&byte| byte == b'.').map_or(0, |dot| dot + 1);
    odd == 0
        && host.get(last_label).is_some_and(u8::is_ascii_lowercase)
        && !(hyphens != 0 && host.split(|&byte| byte == b'.').any(|label| label.starts_with(b"xn--")))
}

/// Whether a port of these digits is written as the URL standard serialises it.
fn is_canonical_port(digits: &[u8], default_port: u32) -> bool {
    let has_zeros = digits.len() > 1 && digits[0] == b'0';
    (1..=5).contains(&digits.len()) && !has_zeros && {
        let number = digits.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0'));
        number <= u32::from(u16::MAX) && number != default_port
    }
}

/// The end of the origin of a trimmed line, if it is surely spelled in canonical form.
#[inline]
pub(crate) fn canonical_cut(line: &[u8]) -> Option<usize> {
    cut(line).filter(|&end| is_surely_canonical(&line[..end]) && !has_line_feed(&line[end..]))
}

/// Splits a URL into its origin in canonical form (`scheme://host`, with `:port` unless it is the default), and what follows the
/// origin, as written: from `/`, `\\`, `?` or `#` on, with its fragment if it has one, or nothing. C0 controls and blanks around the URL
/// are no part of it. The origin is borrowed if it is written so.
///
/// ```
/// use robosieve::origin::{robots_url, split};
///
/// let (origin, path) = split("HTTPS://A.example:443/x?y=1#z")?;
/// assert_eq!((&*origin, path), ("https://a.example", &b"/x?y=1#z"[..]));
/// assert_eq!(robots_url(&origin), "https://a.example/robots.txt");
/// # Ok::<(), robosieve::InvalidUrl>(())
/// ```
///
/// # Errors
///
/// [`InvalidUrl`] if it is not an absolute http or https URL. The bytes of the path do not matter, except LF.
#[inline]
pub fn split<U: AsRef<[u8]> + ?Sized>(url: &U) -> Result<(Cow<'_, str>, &[u8]), InvalidUrl> {
    let url = trimmed(url.as_ref());
    if let Some(end) = canonical_cut(url)
        && let Ok(origin) = std::str::from_utf8(&url[..end])
    {
        return Ok((Cow::Borrowed(origin), &url[end..]));
    }
    let (origin, end) = serialised(url)?;
    Ok((Cow::Owned(origin), &url[end..]))
}

/// The origin of a trimmed URL as the `url` crate has it, and where what follows it begins.
fn serialised(url: &[u8]) -> Result<(String, usize), InvalidUrl> {
    if url.is_empty() {
        return Err(InvalidUrl::Empty);
    }
    if has_line_feed(url) {
        return Err(InvalidUrl::LineFeed);
    }
    let scheme_end = scheme_end(url).ok_or(InvalidUrl::NotAbsolute)?;
    let is_http = |scheme: &[u8]| {
        let letters: Vec<u8> = scheme.iter().filter(|byte| !is_removed(byte)).map(u8::to_ascii_lowercase).collect();
        letters == b"http" || letters == b"https"
    };
    if !is_http(&url[..scheme_end]) {
        return Err(InvalidUrl::Scheme);
    }
    let rest = &url[scheme_end + 1..];
    let slashes = rest.iter().take_while(|byte| matches!(byte, b'/' | b'\\') || is_removed(byte)).count();
    let authority = rest[slashes..].iter().take_while(|byte| !matches!(byte, b'/' | b'\\' | b'?' | b'#')).count();
    let end = scheme_end + 1 + slashes + authority;
    // A copy, because a line of a mapped file may change after it was found to be UTF-8.
    let head = String::from_utf8([&url[..end], b"/"].concat()).map_err(|_| InvalidUrl::Host)?;
    let parsed = Url::parse(&head).map_err(|error| match error {
        ParseError::InvalidPort => InvalidUrl::Port,
        _ => InvalidUrl::Host,
    })?;
    Ok((parsed.origin().ascii_serialization(), end))
}

/// The offset of the colon after the scheme, if the line begins with something like a scheme.
pub(crate) fn scheme_end(line: &[u8]) -> Option<usize> {
    let end = line.iter().position(|&byte| byte == b':')?;
    let mut letters = line[..end].iter().filter(|byte| !is_removed(byte));
    let first = letters.next()?;
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    (first.is_ascii_alphabetic() && letters.all(is_scheme)).then_some(end)
}

/// Whether a URL has a line feed in it. The URL standard removes it, but lists are made of lines, so it is an error of some tool
/// rather than part of a URL.
#[inline]
pub(crate) fn has_line_feed(url: &[u8]) -> bool {
    memchr::memchr(b'\n', url).is_some()
}

/// Whether the URL standard removes a byte wherever it appears. It removes LF, too.
fn is_removed(byte: &u8) -> bool {
    matches!(byte, b'\t' | b'\r')
}

/// Whether a path, as written, has a `.` or `..` segment.
pub(crate) fn has_dot_segment(path: &[u8]) -> bool {
    let is_dot_segment = |dot: usize| {
        let rest = &path[dot..];
        let after = rest.strip_prefix(b"..").unwrap_or(&rest[1..]);
        path[..dot].ends_with(b"/") && after.first().is_none_or(|byte| matches!(byte, b'/' | b'?'))
    };
    memchr::memchr_iter(b'.', path).find(|&dot| is_dot_segment(dot)).is_some_and(|dot| !path[..dot].contains(&b'?'))
}

/// The path of an origin's robots.txt.
pub(crate) const ROBOTS_TXT: &str = "/robots.txt";

/// The URL of an origin's robots.txt (RFC 9309 2.3): at the root, in lower case.
pub fn robots_url(origin: &str) -> String {
    format!("{origin}{ROBOTS_TXT}")
}

/// The origin of a robots.txt URL, if `url` has the form that [`robots_url`] makes.
pub fn of_robots_url(url: &str) -> Option<&str> {
    url.strip_suffix(ROBOTS_TXT)
}

/// The origin with `www.` before its host, or without it if it has that; `None` if the host is an address, or nothing else. The origin
/// must be in canonical form, and so is the sibling.
pub(crate) fn www_sibling(origin: &[u8]) -> Option<Vec<u8>> {
    let host = memchr::memmem::find(origin, b"://")? + 3;
    let (scheme, rest) = origin.split_at(host);
    let name = rest.split(|&byte| byte == b':').next().unwrap_or_default();
    let is_name = |name: &[u8]| {
        let last = name.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
        last.first().is_some_and(|byte| !byte.is_ascii_digit() && *byte != b'[')
    };
    match rest.strip_prefix(b"www.") {
        Some(without) => is_name(name.strip_prefix(b"www.")?).then(|| [scheme, without].concat()),
        None => (is_name(name) && !rest.starts_with(b"[")).then(|| [scheme, b"www.", rest].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_sibling_with_www_or_without() {
        for (origin, sibling) in [
            ("https://a.example", Some("https://www.a.example")),
            ("http://www.a.example:8080", Some("http://a.example:8080")),
            ("http://a:81", Some("http://www.a:81")),
            ("https://www.www.a", Some("https://www.a")),
            ("https://wwwa.example", Some("https://www.wwwa.example")),
            ("http://www.", None),
            ("http://www", Some("http://www.www")),
            ("http://127.0.0.1", None),
            ("http://www.127.0.0.1", None),
            ("http://[2001:db8::1]:8080", None),
            ("", None),
        ] {
            let found = www_sibling(origin.as_bytes()).map(|found| String::from_utf8(found).unwrap());
            assert_eq!(found.as_deref(), sibling, "{origin}");
            if let Some(sibling) = sibling {
                assert_eq!(split(sibling).unwrap().0, sibling);
            }
        }
    }

    fn of(line: &str) -> Result<(String, String), InvalidUrl> {
        split(line).map(|(origin, rest)| (origin.into_owned(), String::from_utf8_lossy(rest).into_owned()))
    }

    fn ok(origin: &str, rest: &str) -> Result<(String, String), InvalidUrl> {
        Ok((origin.to_owned(), rest.to_owned()))
    }

    #[test]
    fn origins_are_canonical() {
        assert_eq!(of("http://a.example/x?y#z"), ok("http://a.example", "/x?y#z"));
        assert_eq!(of("HTTPS://User:pw@A.Example:443/x"), ok("https://a.example", "/x"));
        assert_eq!(of("http://a.example:8080"), ok("http://a.example:8080", ""));
        assert_eq!(of("http://a.example?x"), ok("http://a.example", "?x"));
        assert_eq!(of("http://a.example#x"), ok("http://a.example", "#x"));
        assert_eq!(of("http://[2001:DB8::1]:80/"), ok("http://[2001:db8::1]", "/"));
        assert_eq!(of("http://bücher.example/ü"), ok("http://xn--bcher-kva.example", "/ü"));
        assert_eq!(of("http://0x7f.1/"), ok("http://127.0.0.1", "/"));
        assert_eq!(of("http://a.example./"), ok("http://a.example.", "/"));
        assert_eq!(of("http:\\\\a.example\\b\\c"), ok("http://a.example", "\\b\\c"));
        assert_eq!(of("ht\ttp:/\t/a.exa\rmple/b"), ok("http://a.example", "/b"));
        assert_eq!(of(" http://a.example/b \r"), ok("http://a.example", "/b"));
    }

    #[test]
    fn what_is_no_url_says_why() {
        for (line, reason) in [
            ("", InvalidUrl::Empty),
            (" \t", InvalidUrl::Empty),
            ("/x", InvalidUrl::NotAbsolute),
            ("a.example/x", InvalidUrl::NotAbsolute),
            ("//a.example/x", InvalidUrl::NotAbsolute),
            ("1http://a.example/", InvalidUrl::NotAbsolute),
            ("ftp://a.example/", InvalidUrl::Scheme),
            ("a.example:80/x", InvalidUrl::Scheme),
            ("http://", InvalidUrl::Host),
            ("http:///?x", InvalidUrl::Host),
            ("http://a b/", InvalidUrl::Host),
            ("http://[::1/", InvalidUrl::Host),
            ("http://1.2.3.256/", InvalidUrl::Host),
            ("http://a.example:65536/", InvalidUrl::Port),
            ("http://a.example:x/", InvalidUrl::Port),
            ("http://a.ex\nample/", InvalidUrl::LineFeed),
            ("http://a.example/x\ny", InvalidUrl::LineFeed),
        ] {
            assert_eq!(of(line), Err(reason), "{line:?}");
        }
        assert_eq!(split(b"http://a\xff/").unwrap_err(), InvalidUrl::Host);
        assert!(split(b"http://a/\xff").is_ok());
    }

    #[test]
    fn a_cut_that_is_canonical_agrees_with_the_slow_way() {
        for origin in ["http://a.example", "https://a-b.c_d.example:8080", "http://1.a", "http://a", "http://a.b:443"] {
            assert!(is_surely_canonical(origin.as_bytes()), "{origin}");
            let line = format!("{origin}/x/y");
            assert_eq!(cut(line.as_bytes()), Some(origin.len()));
            assert_eq!(serialised(line.as_bytes()), Ok((origin.to_owned(), origin.len())));
            assert!(matches!(split(&line), Ok((Cow::Borrowed(found), b"/x/y")) if found == origin));
        }
        let origins = "http://A.example http://a.example:80 https://a.example:443 http://a.example: http://a..b \
                       http://a.example. http://xn--a.example http://1.2.3.4 http://a.0x1 http://u@a http://a:080 \
                       http:// http://a:65536 ftp://a http://a?b";
        for origin in origins.split(' ') {
            assert!(!is_surely_canonical(origin.as_bytes()), "{origin}");
        }
        for (line, end) in [("http://ab", 9), ("https://a.example", 17), ("https://a?b/", 11), ("http://a/", 8)] {
            assert_eq!(cut(line.as_bytes()), Some(end), "{line}");
        }
        for length in 1..40 {
            let host = "a".repeat(length);
            let is_sure = |host: &str| {
                ["http://", "https://"].map(|scheme| is_surely_canonical(format!("{scheme}{host}").as_bytes()))
            };
            assert_eq!(is_sure(&host), [true; 2]);
            for place in 0..length {
                let with = |text: &str| is_sure(&format!("{}{text}{}", &host[..place], &host[place + 1..]));
                for odd in ["A", "/", "%", ":", " ", "\u{e9}", "@", "..", "a.."] {
                    assert_eq!(with(odd), [false; 2], "{odd} at {place} of {length}");
                }
                assert_eq!(with("."), [0 < place && place + 1 < length; 2], ". at {place} of {length}");
                assert_eq!(with("xn--"), [place > 0; 2], "xn-- at {place} of {length}");
                assert_eq!(with("-"), [place > 0; 2], "- at {place} of {length}");
            }
        }
        assert_eq!(cut(b"ftp://a/"), None);
        assert_eq!(cut(b"HTTP://a/"), None);
    }

    #[test]
    fn dot_segments_are_seen() {
        for path in ["/.", "/..", "/a/./b", "/a/../b", "/a/.?x"] {
            assert!(has_dot_segment(path.as_bytes()), "{path}");
        }
        for path in ["/", "/.a", "/a.", "/...", "/a?x=/../"] {
            assert!(!has_dot_segment(path.as_bytes()), "{path}");
        }
    }
}
