//! What the author of a rule meant. Where that is not clear, nothing is proposed.
//!
//! Regular expressions, which robots.txt does not have, are recognised here, and hosts: a robots.txt is for its own host, and its rules
//! are paths.

use crate::dialect::{Encoding, UrlPath};
use crate::rules::{self, push_escape};

/// Signs that text is put between, of any language, and blanks that are none in ASCII or cannot be seen.
const AROUND: [&str; 26] = [
    "\"", "'", "`", "<", ">", "“", "”", "„", "‟", "‘", "’", "‚", "‛", "«", "»", "‹", "›", "「", "」", "´", "\u{a0}",
    "\u{200b}", "\u{2060}", "\u{200e}", "\u{feff}", "\u{3000}",
];

/// Words that are no paths where a path is expected.
const WORDS: [&str; 12] =
    ["all", "any", "everything", "everyone", "none", "nothing", "no", "yes", "true", "false", "null", "n/a"];

/// The text without quotes, closed or not, and blanks around it.
pub(super) fn unquoted(value: &[u8]) -> &[u8] {
    let mut text = value.trim_ascii();
    while let Some(rest) = AROUND.iter().find_map(|sign| {
        let sign = sign.as_bytes();
        text.strip_prefix(sign).or_else(|| text.strip_suffix(sign))
    }) {
        text = rest.trim_ascii();
    }
    text
}

/// The path that a value means which is none as it stands, or has a scheme and a host.
pub(super) fn path(value: &[u8]) -> Option<Vec<u8>> {
    let value = unquoted(value);
    if value.iter().any(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'"')) {
        return None;
    }
    if has_host(value) {
        return without_host(value).and_then(|path| encoded(&path));
    }
    let found = match value {
        [] | [b'*', ..] => None,
        [b'/', ..] => Some(value.to_vec()),
        // The slash of a font in which signs are as wide as those of Chinese.
        [0xef, 0xbc, 0x8f, rest @ ..] => Some([b"/", rest].concat()),
        [b'.', b'/', rest @ ..] => Some([b"/", rest].concat()).filter(|_| !rest.starts_with(b".")),
        [b'.', ending @ ..] => {
            let name = ending.strip_suffix(b"$").unwrap_or(ending);
            // Others may be hidden files.
            let is_ending = is_file_ending(name);
            is_ending.then(|| [b"/*.", ending].concat())
        }
        [b'?', ..] if value.len() > 1 => Some([b"/*", value].concat()),
        _ if is_regular_expression(value) => without_expression(value),
        [b'\\', ..] => with_slashes(value),
        [first, ..] if first.is_ascii_alphanumeric() || matches!(first, b'_' | b'-' | b'~' | b'%' | 0x80..) => {
            let is_word = WORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(value));
            let is_scheme = value.contains(&b':') || value.windows(2).any(|two| two == b"//");
            let is_clear = value != b"-" && !is_word && !is_scheme && !is_host_perhaps(value);
            let is_slash = value.get(..3).is_some_and(|three| three.eq_ignore_ascii_case(b"%2f"));
            let path = if is_slash { [b"/", &value[3..]].concat() } else { [b"/", value].concat() };
            is_clear.then_some(path)
        }
        _ => None,
    };
    found.and_then(|path| encoded(&path))
}

/// Whether a path is not one that all others begin with. That the whole site is meant is never guessed.
pub(super) fn is_narrow(path: &[u8]) -> bool {
    path.iter().any(|byte| !matches!(byte, b'/' | b'*' | b'$'))
}

/// A path with slashes for backslashes, unless a wildcard has one before it, which may make it a plain character, or be a slash; or
/// several stand side by side, which may be one that is escaped.
pub(super) fn with_slashes(value: &[u8]) -> Option<Vec<u8>> {
    let is_unclear = |two: &[u8]| two[0] == b'\\' && matches!(two[1], b'*' | b'$' | b'\\' | b'/');
    let slash = |&byte: &u8| if byte == b'\\' { b'/' } else { byte };
    (!value.windows(2).any(is_unclear)).then(|| value.iter().map(slash).collect())
}

/// The path before a comment of another language, and the comment's text.
pub(super) fn comment(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut from = 0;
    let blank = |at: usize| value.get(at).is_none_or(u8::is_ascii_whitespace);
    while let Some(at) = value[from..].iter().position(u8::is_ascii_whitespace).map(|at| from + at) {
        let begins = at + value[at..].iter().position(|byte| !byte.is_ascii_whitespace())?;
        let text = &value[begins..];
        let inner = if let Some(inner) = text.strip_prefix(b"<!--") {
            Some(inner.strip_suffix(b"-->").unwrap_or(inner))
        } else if let Some(inner) = text.strip_prefix(b"/*").and_then(|inner| inner.strip_suffix(b"*/")) {
            Some(inner)
        } else if let Some(inner) = text.strip_prefix(b"//") {
            Some(inner)
        } else if let Some(inner) = wide_comment(text) {
            Some(inner)
        } else if text.starts_with(b"--") && blank(begins + 2) {
            Some(&text[2..])
        } else {
            let is_short = matches!(text[0], b';' | b'-') && blank(begins + 1);
            // A name may have such signs between its words, and one that has blanks anyway, or an ending behind them, is one.
            let is_ending = |two: &[u8]| two[0] == b'/' || two[0] == b'.' && two[1].is_ascii_alphanumeric();
            let is_name = from > 0 || text.windows(2).any(is_ending) || text.ends_with(b"/");
            (is_short && !is_name).then(|| &text[1..])
        };
        if let Some(inner) = inner {
            return Some((&value[..at], inner.trim_ascii()));
        }
        from = begins;
    }
    // Without a blank before it, only this one cannot be meant otherwise.
    let at = memchr::memchr_iter(b'<', value).find(|&at| at > 0 && value[at..].starts_with(b"<!--"))?;
    let inner = &value[at + 4..];
    Some((&value[..at], inner.strip_suffix(b"-->").unwrap_or(inner).trim_ascii()))
}

/// The text after a `#` of a font in which signs are as wide as those of Chinese.
pub(super) fn wide_comment(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix("＃".as_bytes())
}

/// The words of a line, if several of them begin as paths do.
pub(super) fn several(value: &[u8]) -> Option<Vec<&[u8]>> {
    value.iter().find(|byte| byte.is_ascii_whitespace())?;
    let parts: Vec<&[u8]> = value.split(u8::is_ascii_whitespace).filter(|part| !part.is_empty()).collect();
    let paths = parts.iter().filter(|part| is_start(part)).count();
    let bare = |part: &[u8]| part.strip_suffix(b",").or(part.strip_suffix(b";")).unwrap_or(part).len();
    (paths > 1).then(|| parts.into_iter().map(|part| &part[..bare(part)]).filter(|part| !part.is_empty()).collect())
}

/// Whether text begins as a path does.
pub(super) fn is_start(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'/' | b'*'))
}

/// A path with its dot segments resolved, if it has no wildcards or escaped dots.
pub(super) fn resolved(value: &[u8]) -> Option<Vec<u8>> {
    let rest = value.strip_prefix(b"/")?;
    if rest.iter().any(|byte| matches!(byte, b'*' | b'?' | b'%' | b'$')) {
        return None;
    }
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in rest.split(|&byte| byte == b'/') {
        match segment {
            b"." => {}
            // Above the root is nothing.
            b".." => drop(segments.pop()?),
            segment => segments.push(segment),
        }
    }
    Some([b"/", segments.join(&b'/').as_slice()].concat())
}

/// Whether the byte at this offset cannot be in an encoded URL.
pub(super) fn is_unescaped(value: &[u8], at: usize) -> bool {
    match value[at] {
        b'%' => rules::escaped(&value[at..]).is_none(),
        byte => Encoding::NormalForm.changed_bytes().contains(byte),
    }
}

/// A path with all characters percent-encoded that an URL cannot have. Bytes that are no UTF-8 are taken for Latin-1.
pub(super) fn escaped(path: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(path.len());
    let mut at = 0;
    for chunk in path.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            match is_unescaped(path, at) {
                true => push_escape(byte, &mut escaped),
                false => escaped.push(byte),
            }
            at += 1;
        }
        for &byte in chunk.invalid() {
            match byte {
                0xa0.. => {
                    char::from(byte).encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_escape(byte, &mut escaped))
                }
                // A control character in Latin-1, and something else in each other encoding.
                _ => push_escape(byte, &mut escaped),
            }
            at += 1;
        }
    }
    escaped
}

/// The same, if all that is to be encoded can be meant as a part of a path: no sign of ASCII but `%` and a blank, none that text is put
/// between, and no byte that is a letter only in some encodings.
pub(super) fn encoded(path: &[u8]) -> Option<Vec<u8>> {
    let is_odd = AROUND.iter().any(|sign| !sign.is_ascii() && memchr::memmem::find(path, sign.as_bytes()).is_some());
    let is_sign = |at: usize| path[at].is_ascii() && !matches!(path[at], b'%' | b' ') && is_unescaped(path, at);
    let is_letter = |&byte: &u8| char::from(byte).is_alphabetic();
    let is_clear = !is_odd
        && !(0..path.len()).any(is_sign)
        && path.utf8_chunks().all(|chunk| chunk.invalid().iter().all(is_letter));
    is_clear.then(|| escaped(path))
}

/// Whether a pattern has something found only in regular expressions: a class, a group that has alternatives, `.+`, `.*`
/// at the beginning of a segment or a value (elsewhere it may be for file extensions), an escape, or an anchor.
pub(super) fn is_regular_expression(value: &[u8]) -> bool {
    if !value.iter().any(|byte| matches!(byte, b'^' | b'.' | b'+' | b'\\' | b'[' | b'(')) {
        return false;
    }
    let has = |piece: &[u8]| memchr::memmem::find(value, piece).is_some();
    // In a path, a plus is often a space.
    let ends_with = |piece: &[u8]| {
        let is_end = |at: usize| matches!(value.get(at + piece.len()), None | Some(b'/' | b'$' | b'*' | b')' | b'\\'));
        memchr::memmem::find_iter(value, piece).any(is_end)
    };
    let class = || {
        let open = memchr::memchr(b'[', value)?;
        let close = open + memchr::memchr(b']', &value[open..])?;
        let inside = &value[open + 1..close];
        let is_range = |three: &[u8]| three[1] == b'-' && three[0].is_ascii_alphanumeric() && three[0] < three[2];
        let range = inside.len() <= CLASS && !inside.contains(&b'/') && inside.windows(3).any(is_range);
        (range || inside.first() == Some(&b'^')).then_some(())
    };
    value.starts_with(b"^")
        || value.starts_with(b".*")
        || [&b"/.*"[..], b"?.*", b"&.*", b"=.*", b"/^", b"\\d", b"\\w", b"\\.", b"\\/", b"\\?", b"(?:"]
            .iter()
            .any(|piece| has(piece))
        || ends_with(b".+")
        || has(b"(") && has(b"|") && has(b")")
        || class().is_some()
}

/// The most bytes between the brackets of a class.
const CLASS: usize = 20;

/// What a regular expression means, if robots.txt can say it.
pub(super) fn without_expression(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let text = text.strip_prefix('^').or(text.strip_prefix("/^")).unwrap_or(text);
    // It is for `/x` as well, which `/*/x` is not.
    if text.starts_with(".*/") {
        return None;
    }
    // Whether the dot is meant is not clear: `/foo.*` may be for `/foo.html`.
    let body = text.strip_suffix('$').unwrap_or(text).strip_suffix(".*");
    let is_unclear = body.is_some_and(|body| body.ends_with(char::is_alphanumeric));
    if is_unclear {
        return None;
    }
    let mut path = text.replace("\\/", "/").replace(".*", "*").replace("\\.", ".").replace("\\?", "?");
    let end = path.strip_suffix('$').unwrap_or(&path).strip_suffix('*').map(str::len);
    path.truncate(end.unwrap_or(path.len()));
    let path = if path.starts_with('/') { path } else { format!("/{path}") };
    let is_plain = !path.contains(['[', ']', '(', ')', '{', '}', '|', '+', '\\', '^']);
    is_plain.then(|| path.into_bytes())
}

/// Endings of file names, which are no domains.
const FILES: [&str; 32] = [
    "htm", "html", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "cfm", "txt", "xml", "rss", "pdf", "js",
    "css", "json", "pl", "jpg", "jpeg", "gif", "png", "svg", "ico", "webp", "swf", "zip", "gz", "doc", "docx", "xls",
    "log",
];

/// Endings of domains that no file has.
const DOMAINS: [&str; 8] = ["com", "net", "org", "edu", "gov", "mil", "info", "biz"];

/// What stands before the ending of a country.
const BELOW_COUNTRIES: [&str; 9] = ["co", "com", "net", "org", "edu", "gov", "ac", "or", "ne"];

/// Whether text is an ending of a file name.
pub(super) fn is_file_ending(text: &[u8]) -> bool {
    is_any(text, &FILES)
}

fn is_any(text: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(text))
}

/// The rest after a beginning, in whatever letters.
fn after<'t>(text: &'t [u8], start: &str) -> Option<&'t [u8]> {
    let is_start = |text: &[u8]| text.eq_ignore_ascii_case(start.as_bytes());
    text.get(..start.len()).is_some_and(is_start).then(|| &text[start.len()..])
}

/// Whether a value begins with a host, perhaps after a scheme, slashes or a star. After a single slash, a host is the name of a folder
/// unless it begins with `www.`: links without a scheme lead to such paths.
pub(super) fn has_host(value: &[u8]) -> bool {
    let text = value.strip_prefix(b"/").unwrap_or(value);
    let begins_host = |rest: &[u8]| rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
    if after_scheme(text).or_else(|| after(text, "www.")).is_some_and(begins_host) {
        return true;
    }
    let without_slashes = || &value[value.iter().take_while(|&&byte| byte == b'/').count()..];
    let scheme = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let host = ["http:/", "https:/", "*://*.", "*://"]
        .iter()
        .find_map(|start| after(text, start))
        .or_else(|| text[scheme..].strip_prefix(b"://"))
        .or_else(|| value.starts_with(b"//").then(without_slashes))
        .or_else(|| value.strip_prefix(b"*."))
        .or_else(|| (!value.starts_with(b"/")).then_some(value.strip_prefix(b".").unwrap_or(value)));
    // A star alone stands for the beginning of a host, if there is more of it than a domain.
    let is_below = |host: &[u8]| is_host(host) && is_host(&host[memchr::memchr(b'.', host).map_or(0, |at| at + 1)..]);
    host.is_some_and(|host| after(host, "www.").is_some() || is_host(host))
        || value.strip_prefix(b"*").is_some_and(is_below)
}

/// The rest after a scheme and two slashes.
fn after_scheme(text: &[u8]) -> Option<&[u8]> {
    after(text, "http://").or_else(|| after(text, "https://"))
}

/// Whether text begins with a host that can be nothing else: it is an address, or its ending is one of domains, or, before a slash,
/// that of a country.
fn is_host(text: &[u8]) -> bool {
    let end = text.iter().position(|byte| matches!(byte, b'/' | b'*' | b'$' | b'?' | b':')).unwrap_or(text.len());
    if std::str::from_utf8(&text[..end]).is_ok_and(|host| host.parse::<std::net::Ipv4Addr>().is_ok()) {
        return true;
    }
    let labels: Vec<&[u8]> = text[..end].split(|&byte| byte == b'.').collect();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    if labels.len() < 2 || labels.iter().any(|label| label.is_empty() || !label.iter().all(is_part)) {
        return false;
    }
    let (ending, above) = (labels[labels.len() - 1], labels[labels.len() - 2]);
    let is_country = ending.len() == 2 && ending.iter().all(u8::is_ascii_alphabetic) && !is_file_ending(ending);
    let is_before_slash = matches!(text.get(end), Some(b'/' | b':'));
    let is_below = labels.len() > 2 && is_any(above, &BELOW_COUNTRIES);
    is_any(ending, &DOMAINS) || is_country && (is_before_slash || is_below)
}

/// The path after a scheme and a host, or a host that begins with `www.`. Another host may not be that of the file.
pub(super) fn without_host(value: &[u8]) -> Option<Vec<u8>> {
    let text = value.strip_prefix(b"/").unwrap_or(value);
    if after_scheme(text).is_some() {
        let (_, rest) = crate::origin::split(text).ok()?;
        return Some(UrlPath::AsWritten.of(rest).into_owned());
    }
    let host = text.strip_prefix(b"/").unwrap_or(text);
    after(host, "www.")?;
    Some(host[memchr::memchr(b'/', host)?..].to_vec())
}

/// Whether the first segment may be a host: it has a dot, and its ending is not one of files.
pub(super) fn is_host_perhaps(value: &[u8]) -> bool {
    let end = memchr::memchr(b'/', value).unwrap_or(value.len());
    let Some(dot) = memchr::memrchr(b'.', &value[..end]) else { return false };
    let ending = &value[dot + 1..end];
    ending.len() > 1 && ending.iter().all(u8::is_ascii_alphabetic) && !is_file_ending(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_paths_where_that_is_clear() {
        for (value, expected) in [
            ("private", "/private"),
            ("\"/quoted/\"", "/quoted/"),
            ("'quoted'", "/quoted"),
            ("“/x/”", "/x/"),
            ("</x/>", "/x/"),
            ("./rel/", "/rel/"),
            ("\\private\\x", "/private/x"),
            ("~joe/", "/~joe/"),
            ("%2Fx", "/x"),
            ("?sort=", "/*?sort="),
            (".git", ""),
            (".env", ""),
            ("-", ""),
            ("~*", "/~*"),
            ("\\\\a\\\\b", ""),
            (".pdf", "/*.pdf"),
            (".pdf$", "/*.pdf$"),
            ("^/a", "/a"),
            ("index.html", "/index.html"),
            ("a.html/b", "/a.html/b"),
            ("https://a.example/x?y", "/x?y"),
            ("http://www.example.com/x y", ""),
            ("www.example.com/x", "/x"),
            ("http://www.example.com", "/"),
            ("http://www.example.com/", "/"),
            ("www.example.com", ""),
            ("example.com/x", ""),
            ("../x", ""),
            ("./../x", ""),
            ("a:b", ""),
            ("*.gif", ""),
            ("All", ""),
            ("a, b", ""),
            ("$", ""),
            ("«/x»", "/x"),
            ("„/x“", "/x"),
            ("‹/x›", "/x"),
            ("「/x」", "/x"),
            ("´x’", "/x"),
            ("“/x", "/x"),
            ("/x”", "/x"),
            ("\u{a0}/x", "/x"),
            ("\u{feff}\u{200b}/x\u{3000}", "/x"),
            ("／x", "/x"),
            ("a|b", ""),
            ("a{1,2}", ""),
            ("a“b", ""),
            ("https://a.example/*", "/*"),
            ("https://a.example/$", "/$"),
            ("./", "/"),
            ("\\", "/"),
            ("\\*", ""),
            ("\\a\\*", ""),
            ("^/", "/"),
            ("a.example", ""),
            ("http//a.example/x", ""),
            ("a.jpg", "/a.jpg"),
            ("", ""),
        ] {
            let got = path(value.as_bytes()).unwrap_or_default();
            assert_eq!(String::from_utf8(got).unwrap(), expected, "{value}");
        }
        assert_eq!(path(b"caf\xe9").unwrap(), b"/caf%C3%A9");
        // Letters and quotes of Windows-1252, and the latter of Latin-1.
        assert!(path(b"\x93/x\x94").is_none() && path(b"\xab/x\xbb").is_none());
    }

    #[test]
    fn comments_of_other_languages_are_known() {
        for (value, path, text) in [
            ("/r <!-- c -->", "/r", "c"),
            ("/r<!-- c -->", "/r", "c"),
            ("/r <!-- c", "/r", "c"),
            ("/r // all of it", "/r", "all of it"),
            ("/r \t//all", "/r", "all"),
            ("/r /* all */", "/r", "all"),
            ("/r -- all", "/r", "all"),
            ("/r - all of it.", "/r", "all of it."),
            ("/r - all", "/r", "all"),
            ("/r ; all", "/r", "all"),
            ("/r ＃ all", "/r", "all"),
            ("/a b // c", "/a b", "c"),
        ] {
            let found = comment(value.as_bytes()).map(|(path, text)| (path.to_vec(), text.to_vec()));
            assert_eq!(found, Some((path.as_bytes().to_vec(), text.as_bytes().to_vec())), "{value}");
        }
        for value in
            ["/Annual Report - 2019.pdf", "/Report - 2019.pdf", "/My Files - Old/", "/Files - Old/", "/a b ; c"]
        {
            assert_eq!(comment(value.as_bytes()), None, "{value}");
        }
        for value in ["/r", "/a //", "/a /b", "/a /*b", "/a - ", "/a -b", "//a", "/a//b", "/a--b", "/a ;b"] {
            let is_sole_mark = value == "/a //" || value == "/a - ";
            assert_eq!(comment(value.as_bytes()).is_some(), is_sole_mark, "{value}");
        }
    }

    #[test]
    fn dot_segments_are_resolved() {
        for (value, expected) in
            [("/a/../b", "/b"), ("/./a/", "/a/"), ("/a/./b", "/a/b"), ("/../a", ""), ("/a/..", "/"), ("/a/../*", "")]
        {
            assert_eq!(String::from_utf8(resolved(value.as_bytes()).unwrap_or_default()).unwrap(), expected, "{value}");
        }
    }

    #[test]
    fn what_is_escaped_is_utf8() {
        for (value, expected) in [
            (&b"/caf\xe9/*.x$"[..], "/caf%C3%A9/*.x$"),
            ("/é".as_bytes(), "/%C3%A9"),
            (b"/a b%20", "/a%20b%20"),
            (b"/100%", "/100%25"),
            (b"/\x85", "/%85"),
        ] {
            assert_eq!(String::from_utf8(escaped(value)).unwrap(), expected);
        }
    }

    #[test]
    fn regular_expressions_are_known() {
        let patterns = "/[0-9]+/ /a/.* /(en|de)/ ^/a /\\d+ /a\\.php /[^/]*/x /x.+ /^x /(a|b) /x?.* .*/x /x?a=.*&b";
        for pattern in patterns.split(' ') {
            assert!(is_regular_expression(pattern.as_bytes()), "{pattern}");
        }
        for pattern in [
            "/*.php$",
            "/a*b",
            "/a.*b",
            "/a[]=",
            "/x[a]=1",
            "/a(b)",
            "/*?a|b",
            "/c++/",
            "/index.*",
            "/*.*",
            "/a.*",
            "/(a)++-+b.pdf",
            "/[http://x-y]",
            "/mr.+x",
            // A star after a bracket is one of a pattern.
            "/(ab)*/",
            "/wiki/Mercury_(planet)*",
            "/*?filter[brand]*",
            "/*?f[]*",
            "/a]+b",
        ] {
            assert!(!is_regular_expression(pattern.as_bytes()), "{pattern}");
        }
    }

    #[test]
    fn expressions_become_plain_where_that_is_possible() {
        for (value, expected) in [
            ("/^x", "/x"),
            ("^/a/.*", "/a/"),
            ("/a/.*$", "/a/"),
            ("/a\\.php", "/a.php"),
            ("/.*\\.php$", "/*.php$"),
            ("\\/a", "/a"),
            ("/x/.*\\?.*", "/x/*?"),
            ("/x?a=.*$", "/x?a="),
            ("/x?a=.*&b", "/x?a=*&b"),
            (".*foo", "/*foo"),
            (".*/x", ""),
            ("/foo.*", ""),
            ("/(a|b)", ""),
            ("/[0-9]+", ""),
            ("/\\d", ""),
        ] {
            let got = without_expression(value.as_bytes()).unwrap_or_default();
            assert_eq!(String::from_utf8(got).unwrap(), expected, "{value}");
        }
    }

    #[test]
    fn only_a_host_at_the_beginning_is_one() {
        let values = "http://a /https://a/b //www.a.example/ WWW.a.example/x /www.a.example/x //cdn.example.com/x \
                      //Example.NET ///qa.example.co.za/ //cdn.example.de/x //example.com:8080/ *.example.com/x \
                      *.example.co.uk *qa.example.gov *d8.example.gov/* *origin-www.example.com* *://example.org/* \
                      *://*.example.org/* example.com example.com/x intern.example.edu/* .example.com/x \
                      192.0.2.1/x //192.0.2.1/ ftp://example.com/ /ftp://example.com/x ://example.com/x \
                      /http:/example.com/x /https:/cdn.example.co.uk/x http:/example.com/x";
        for value in values.split(' ') {
            assert!(has_host(value.as_bytes()), "{value}");
        }
        let values = "/redirect?url=http:// /*http:// /http:// /https://* /www. //a /wwwx /a/www.b/ // //* //? \
                      /a://b /1.2.3.4/ .htaccess 1.2.3/ //index.php //index.php/x //login.do \
                      //scott-cullen-1.1285586 /example.com/x /dx.doi.org /https:/* /http:/ *://* *.print.html \
                      *.tar.gz *.spec.ts *.com *.php/x *example.com /*.example.com/ *..com com.example.app/ a.b/";
        for value in values.split(' ').chain([""]) {
            assert!(!has_host(value.as_bytes()), "{value}");
        }
    }
}
