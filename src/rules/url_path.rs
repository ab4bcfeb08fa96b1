//! The path of a URL: the one that is fetched, or the one that is written.
//!
//! A line of a list is judged by the path that a fetcher will ask for, or a rule against `/private/` would say nothing about
//! `/a/../private/` and `/private\`, both of which fetch it. The URL Standard changes a path in two ways. It *rewrites* it: tabs
//! and line ends are removed, backslashes are slashes, dot segments are resolved. That is done here. And it escapes some bytes,
//! which the normal form of an [`Encoding`](crate::dialect::Encoding) makes good: there, a byte and its escape are the same.
//!
//! A question about all paths is about those that a fetcher can ask for: `Disallow: /a b` blocks nothing as it stands, because a
//! blank is always escaped, and `Disallow: /../` nothing at all. So the set of these paths is described here ([`AskedPaths`]), by
//! regular expressions over bytes. It is what the URL Standard lets through (1.3, the path and query percent-encode sets; 4.4,
//! dot segments), in the normal form of an [`Encoding`]. Where fetchers differ, all that one of them asks for is in it: `^` in a
//! path, which only some escape, and `'` in a query.

use std::borrow::Cow;

use crate::dialect::{Dialect, Encoding, RobotsTxtPath, UrlPath};

impl UrlPath {
    /// The path and query to judge, from the rest of a URL after its authority.
    pub fn of(self, rest: &[u8]) -> Cow<'_, [u8]> {
        match self.written(rest) {
            Cow::Borrowed(written) => self.judged(written),
            Cow::Owned(written) => Cow::Owned(self.judged(&written).into_owned()),
        }
    }

    /// The path and query as written, from the rest of a URL after its authority: up to `#`, with the leading `/` that a URL may
    /// omit. One judged as written ends at a CR, too.
    #[inline]
    pub fn written(self, rest: &[u8]) -> Cow<'_, [u8]> {
        let end = match self {
            UrlPath::AsFetched => memchr::memchr(b'#', rest),
            UrlPath::AsWritten => memchr::memchr2(b'#', b'\r', rest),
        };
        match (self, &rest[..end.unwrap_or(rest.len())]) {
            (_, path @ [b'/', ..]) | (UrlPath::AsFetched, path @ [b'\\', ..]) => Cow::Borrowed(path),
            (_, []) => Cow::Borrowed(b"/"),
            (_, [b'\\', path @ ..] | path) => Cow::Owned([b"/", path].concat()),
        }
    }

    /// The path to judge, given as [written](UrlPath::written): another one only if it is rewritten.
    #[inline]
    pub fn judged(self, written: &[u8]) -> Cow<'_, [u8]> {
        if self.rewrites(written) { Cow::Owned(fetched(written)) } else { Cow::Borrowed(written) }
    }

    /// Whether the path to judge is another than this one, as written.
    pub fn rewrites(self, written: &[u8]) -> bool {
        self == UrlPath::AsFetched && !is_path(written) && is_rewritten(written)
    }
}

/// Whether the rest of a URL after its authority is surely its path, whichever path is judged: it begins with `/`, and has neither a
/// fragment, a tab, a line end, a backslash, nor `/.` or `/%`, with which a dot segment may begin. Nearly all are so. This looks at
/// 16 bytes at a time, which is faster.
pub(crate) fn is_path(rest: &[u8]) -> bool {
    const LANES: usize = 16;
    let is_odd = |pair: [u8; 2]| {
        let [before, byte] = pair;
        (byte.wrapping_sub(b'\t') < 5)
            | (byte == b'#')
            | (byte == b'\\')
            | ((before == b'/') & ((byte == b'.') | (byte == b'%')))
    };
    let Some(last) = rest.len().checked_sub(1 + LANES) else {
        return rest.first() == Some(&b'/') && !rest.windows(2).any(|pair| is_odd([pair[0], pair[1]]));
    };
    let mut odd = rest[0] != b'/';
    for start in (0..last).step_by(LANES).chain([last]) {
        let block: &[u8; 1 + LANES] = rest[start..].first_chunk().expect("it begins early enough");
        odd |= (0..LANES).fold(false, |odd, lane| odd | is_odd([block[lane], block[lane + 1]]));
    }
    !odd
}

/// Whether a path is another when it is fetched.
fn is_rewritten(written: &[u8]) -> bool {
    // Where a segment begins; past the end in the query, which has none.
    let mut segment = 0;
    for (at, &byte) in written.iter().enumerate() {
        match byte {
            b'\t' | b'\r' | b'\n' => return true,
            b'\\' if segment < usize::MAX => return true,
            b'/' | b'?' if segment < usize::MAX => {
                if is_dot_segment(&written[segment..at]) {
                    return true;
                }
                segment = if byte == b'/' { at + 1 } else { usize::MAX };
            }
            _ => {}
        }
    }
    segment < usize::MAX && is_dot_segment(&written[segment..])
}

/// The path that a fetcher asks for, up to percent-encoding.
fn fetched(written: &[u8]) -> Vec<u8> {
    // Before all else: what is left may be an escape or a dot segment.
    let kept: Vec<u8> = written.iter().copied().filter(|byte| !matches!(byte, b'\t' | b'\r' | b'\n')).collect();
    let (path, query) = kept.split_at(memchr::memchr(b'?', &kept).unwrap_or(kept.len()));
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let path = path.split_first().filter(|(first, _)| is_slash(first)).map_or(path, |(_, path)| path);
    let mut out = Vec::with_capacity(1 + kept.len());
    let mut ends_in_dots = false;
    for segment in path.split(is_slash) {
        ends_in_dots = is_dot_segment(segment);
        if !ends_in_dots {
            out.push(b'/');
            out.extend_from_slice(segment);
        } else if is_double(segment) {
            out.truncate(memchr::memrchr(b'/', &out).unwrap_or(0));
        }
    }
    if ends_in_dots {
        out.push(b'/');
    }
    out.extend_from_slice(query);
    out
}

/// Whether a segment is `.` or `..`, with any dot written `%2e`.
pub(crate) fn is_dot_segment(segment: &[u8]) -> bool {
    matches!(segment, [b'.' | b'%', ..]) && after_dot(segment).is_some_and(|rest| rest.is_empty() || is_dot(rest))
}

/// Whether a dot segment is `..`.
fn is_double(segment: &[u8]) -> bool {
    after_dot(segment).is_some_and(|rest| !rest.is_empty())
}

fn is_dot(text: &[u8]) -> bool {
    after_dot(text).is_some_and(<[u8]>::is_empty)
}

/// The text after the dot that it begins with, if it does.
fn after_dot(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// The paths that can be asked for under a dialect, in its normal form: those of the `form`, but `never` those of any other
/// expression. All are regular expressions over bytes that match whole paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedPaths {
    /// The bytes and escapes that a path and its query consist of.
    pub form: &'static str,
    /// Which of them nobody asks for, or are not judged by rules.
    pub never: Vec<&'static str>,
}

/// RFC 9309 2.2.2: unreserved and reserved bytes without `#`, and the escapes of all other bytes and of reserved ones, but not of
/// `*`, `$` and `'`.
const NORMAL_FORM: &str = r"(?x) /
    (?: [A-Za-z0-9\-._~:/\[\]@!$&'()*+,;=]
      | % (?: [0189A-F][0-9A-F] | 2[0-35689BCF] | 3[A-F] | 40 | 5[B-E] | 60 | 7[B-DF] ) )*
    (?: \?
        (?: [A-Za-z0-9\-._~:/\[\]@!$&'()*+,;=?]
          | % (?: [0189A-F][0-9A-F] | 2[0-35689BCF] | 3[A-F] | 40 | 5[B-E] | 60 | 7[B-DF] ) )* )?";

/// Printable bytes, without those that fetchers escape in a path, or in a query.
const AS_FETCHED: &str = r"/[!$-;=@-Z\[\]\^_a-z|~]*(?:\?[!$-;=?-~]*)?";

/// The same, without those that fetchers escape in either.
const ESCAPED: &str = r"/[!$-;=@-Z\[\]_a-z|~]*(?:\?[!$-;=?-Z\\\[\]_a-z|~]*)?";

/// Escapes stand for any byte.
const DECODED: &str = r"(?s-u)/.*";

/// A dot segment before the query.
const DOTS: &str = r"(?s-u)(?:/[^/?]*)*/\.\.?(?:[/?].*)?";

/// A dot segment whose dots may be escaped.
const ESCAPED_DOTS: &str = r"(?s-u)(?:/[^/?]*)*/(?:\.|%2[Ee]){1,2}(?:[/?].*)?";

/// A dot segment, wherever the query begins: at a `?`, all others being decoded ones of the path, or nowhere. A `?` right after dots begins
/// no query, because they would be a dot segment.
const DECODED_DOTS: &str = r"(?s-u)(?:/(?:\.\.?\?)?[^/?]*)*/\.\.?(?:/.*)?";

/// The escape of `'`, which is the byte itself.
const QUOTE: &str = r"(?s-u).*%27.*";

/// The path that some dialects always allow.
const ROBOTS_TXT: &str = r"/robots\.txt";

impl AskedPaths {
    /// The paths that are judged by rules under a dialect. Where it always allows `/robots.txt`, that is not among them.
    pub fn of(dialect: &Dialect) -> AskedPaths {
        let (form, never) = match dialect.encoding {
            Encoding::NormalForm => (NORMAL_FORM, &[DOTS][..]),
            Encoding::RuleOnly => (AS_FETCHED, &[ESCAPED_DOTS][..]),
            Encoding::DecodedExceptSlash => (DECODED, &[DECODED_DOTS][..]),
            Encoding::Escaped => (ESCAPED, &[ESCAPED_DOTS, QUOTE][..]),
        };
        let robots_txt = (dialect.robots_txt == RobotsTxtPath::AlwaysAllowed).then_some(ROBOTS_TXT);
        AskedPaths { form, never: never.iter().copied().chain(robots_txt).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(rest: &str) -> String {
        String::from_utf8(UrlPath::AsFetched.of(rest.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn the_path_is_the_one_that_a_fetcher_asks_for() {
        for (written, expected) in [
            ("", "/"),
            ("?x", "/?x"),
            ("#/../x", "/"),
            ("/a#b", "/a"),
            ("/private\\x", "/private/x"),
            ("\\a\\..\\b?c\\d", "/b?c\\d"),
            ("/pri\tvate/\rx\n", "/private/x"),
            ("/a/../private/x", "/private/x"),
            ("/a/%2e%2E/private/x", "/private/x"),
            ("/a/.%2e/./b/%2E", "/b/"),
            ("/a/%\t2e%2\re/b", "/b"),
            ("/..", "/"),
            ("/../../a/..", "/"),
            ("/a/..?x=/../y", "/?x=/../y"),
            ("/a/.?", "/a/?"),
            ("/a//..", "/a/"),
            ("/c:/../../x", "/x"),
            ("/a/C|/..", "/a/"),
            ("/a/C:/./x", "/a/C:/x"),
            ("/c:d/../x", "/x"),
            ("//", "//"),
            ("//..//a", "//a"),
            ("/a/.b/..c/.../%2e%2e%2e/..%2f", "/a/.b/..c/.../%2e%2e%2e/..%2f"),
            ("?\\/../\tx", "/?\\/../x"),
        ] {
            assert_eq!(fetched(written), expected, "{written:?}");
            assert_eq!(fetched(expected), expected, "it is fetched as it is");
        }
    }

    #[test]
    fn a_path_that_is_fetched_as_written_is_not_copied() {
        for rest in ["/", "/a/.well-known/b..c/..d?x=/../y\\z%2e", "/%2e2e/%2e%2e%2e", "/a b\u{e9}#\\\t/../"] {
            assert!(matches!(UrlPath::AsFetched.of(rest.as_bytes()), Cow::Borrowed(_)), "{rest}");
        }
        for odd in ["#", "\t", "\r", "\n", "\\", "/.", "/%2e"] {
            for before in 0..40 {
                let [before, after] = ["a".repeat(before), "b".repeat(20)];
                assert!(is_path(format!("/x{before}%2e./{after}").as_bytes()));
                for text in [format!("/{before}{odd}"), format!("/{before}{odd}{after}")] {
                    assert!(!is_path(text.as_bytes()), "{text:?}");
                }
            }
        }
        assert!(!is_path(b"") && !is_path(b"a") && !is_path(b"?a/b") && !is_path(b"?01234567890123456789"));
    }

    #[test]
    fn what_is_rewritten_is_what_differs() {
        let pieces = ["/", "\\", ".", "%2e", "%2", "E", "\t", "?", "a"];
        let mut paths = vec!["/".to_owned()];
        for _ in 0..5 {
            paths = paths.iter().flat_map(|path| pieces.map(|piece| format!("{path}{piece}"))).collect();
            for path in &paths {
                let is_same = super::fetched(path.as_bytes()) == path.as_bytes();
                assert_eq!(UrlPath::AsFetched.rewrites(path.as_bytes()), !is_same, "{path:?}");
                // Also where a block ends in it, and in a short text.
                for text in [path.clone(), format!("/0123456789ab{path}"), format!("{path}0123456789abcdef")] {
                    let text = text.as_bytes();
                    assert!(!is_path(text) || super::fetched(text) == text && UrlPath::AsFetched.written(text) == text);
                }
            }
        }
    }

    #[test]
    fn a_path_that_is_judged_as_written_is_cut_only() {
        for (rest, expected) in
            [("/a/../b\\c", "/a/../b\\c"), ("\\a", "/a"), ("/a\rb", "/a"), ("?x#y", "/?x"), ("", "/")]
        {
            assert_eq!(*UrlPath::AsWritten.of(rest.as_bytes()), *expected.as_bytes());
            assert!(!UrlPath::AsWritten.rewrites(rest.as_bytes()));
        }
    }
}
