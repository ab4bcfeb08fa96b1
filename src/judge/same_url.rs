//! Which URLs are the same.
//!
//! URLs are the same if they have the same key. A fetcher sends the same request if two URLs have the same
//! serialisation by the URL standard, except for their fragments, which are never sent. By RFC 3986 (6.2.2), an
//! unreserved character and its escape are equivalent, and so are the cases of an escape's hex digits. Neither the
//! robots.txt nor the dialect matters here.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::origin::{self, InvalidUrl};
use crate::rules::{escaped, fetched_url, push_escape};

named! {
    /// Which URLs are the same.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[non_exhaustive]
    pub enum SameUrl {
        /// URLs for which a fetcher sends the same request: they have the same normal form.
        #[default]
        Fetched = "fetched",
        /// URLs that are written with the same bytes.
        Bytes = "bytes",
        /// URLs that have the same key in an index of web archives (CDX, CDXJ); the key is the first field of a line.
        Surt = "surt",
    }
}

/// Why a URL has no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum NoKey {
    /// It is not valid.
    #[error(transparent)]
    Invalid(#[from] InvalidUrl),
    /// [`SameUrl::Surt`] reads the keys of an index, and computes none.
    #[error("a key of an index is not made from a URL, only read from the index")]
    OfIndex,
}

impl SameUrl {
    /// The key of a URL; two URLs are the same if their keys are equal. For [`SameUrl::Fetched`] it is the
    /// serialisation by the URL standard without the fragment; escapes of letters, digits and `-._~` are decoded, and
    /// other escapes are in upper case. A byte that is not UTF-8 is escaped. Spaces and control characters around the
    /// URL do not count.
    ///
    /// ```
    /// use robosieve::SameUrl;
    ///
    /// let key = SameUrl::Fetched.key(b"HTTP://A.example:80/./%78%c3%a9?#top")?;
    /// assert_eq!(*key, *b"http://a.example/x%C3%A9?");
    /// # Ok::<(), robosieve::NoKey>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoKey::Invalid`] if it is not an absolute http or https URL, or, for [`SameUrl::Bytes`], if it is empty;
    /// [`NoKey::OfIndex`] for [`SameUrl::Surt`].
    pub fn key(self, url: &[u8]) -> Result<Cow<'_, [u8]>, NoKey> {
        let url = origin::trimmed(url);
        match self {
            SameUrl::Bytes if url.is_empty() => Err(InvalidUrl::Empty.into()),
            SameUrl::Bytes => Ok(Cow::Borrowed(url)),
            SameUrl::Fetched => match quick_key(url) {
                Some(key) => Ok(key),
                None => Ok(serialised(url).map(Cow::Owned)?),
            },
            SameUrl::Surt => Err(NoKey::OfIndex),
        }
    }

    /// The hash of a URL's [key](SameUrl::key), as files of [seen URLs](crate::run::SeenFile) have it; never 0.
    ///
    /// # Errors
    ///
    /// As [`SameUrl::key`]. An invalid URL has no hash for [`SameUrl::Bytes`], either, because lines with invalid URLs
    /// are never left out.
    pub fn hash(self, url: &[u8]) -> Result<u128, NoKey> {
        let key = self.key(url)?;
        if self == SameUrl::Bytes {
            SameUrl::Fetched.key(url)?;
        }
        Ok(key_hash(&key, FILE_SEED))
    }
}

/// The seed of hashes in files, which is the same in all runs.
pub(crate) const FILE_SEED: u64 = 0;

/// The hash of a key, which is not empty: XXH3 with 128 bits; 1 in place of 0.
#[inline]
pub(crate) fn key_hash(key: &[u8], seed: u64) -> u128 {
    xxh3_128_with_seed(key, seed).max(1)
}

/// Bytes that the URL standard keeps in paths and in queries, and that begin neither an escape nor a fragment.
const KEPT: [bool; 256] = {
    let (mut bytes, mut byte) = ([false; 256], 0x21);
    while byte < 0x7f {
        bytes[byte] =
            !matches!(byte as u8, b'"' | b'#' | b'%' | b'\'' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}');
        byte += 1;
    }
    bytes
};

/// The key of a trimmed URL in simple cases: its origin is in canonical form, its path has no dot segments, and nothing
/// has to be escaped.
fn quick_key(url: &[u8]) -> Option<Cow<'_, [u8]>> {
    let url = memchr::memchr(b'#', url).map_or(url, |end| &url[..end]);
    let end = origin::cut(url).filter(|&end| end < url.len() && origin::is_surely_canonical(&url[..end]))?;
    let mut first_escape = None;
    let mut before = b'/';
    for (at, &byte) in url.iter().enumerate().skip(end + 1) {
        match byte {
            b'%' if escaped(&url[at..]) == Some(b'.') => return None,
            b'%' => _ = first_escape.get_or_insert(at),
            b'.' if before == b'/' => return None,
            _ if !KEPT[usize::from(byte)] => return None,
            _ => {}
        }
        before = byte;
    }
    Some(match first_escape {
        None => Cow::Borrowed(url),
        Some(at) => Cow::Owned(with_escapes_undone(url, at)),
    })
}

/// The key of a trimmed URL, by its serialisation.
fn serialised(url: &[u8]) -> Result<Vec<u8>, InvalidUrl> {
    // A copy, because a line of a mapped file may change after it was found to be UTF-8.
    let url = url.to_vec();
    origin::split(&url)?;
    let mut text = String::with_capacity(url.len());
    for part in url.utf8_chunks() {
        text.push_str(part.valid());
        part.invalid().iter().for_each(|&byte| text.push_str(percent_encoding::percent_encode_byte(byte)));
    }
    let url = fetched_url(&text).map_err(|_| InvalidUrl::Host)?;
    Ok(with_escapes_undone(url.as_str().as_bytes(), 0))
}

/// A URL in which escapes of unreserved characters from `at` on are decoded, and other escapes are in upper case. An
/// escape is not decoded if that would complete another one: `%%41` followed by `1` is not `%A1`.
fn with_escapes_undone(url: &[u8], at: usize) -> Vec<u8> {
    let (kept, mut rest) = url.split_at(at);
    let mut out = Vec::with_capacity(url.len());
    out.extend_from_slice(kept);
    // The length of an incomplete escape at the end of the text: `%`, or `%` and a hex digit.
    let mut begun = 0;
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        begun = match &rest[..at] {
            [] => begun,
            [byte] if begun == 1 && byte.is_ascii_hexdigit() => 2,
            _ => 0,
        };
        rest = &rest[at..];
        let Some(byte) = escaped(rest) else {
            out.push(b'%');
            (begun, rest) = (1, &rest[1..]);
            continue;
        };
        rest = &rest[3..];
        let is_digit = byte.is_ascii_hexdigit();
        let completes = is_digit && (begun == 2 || begun == 1 && rest.first().is_some_and(u8::is_ascii_hexdigit));
        if is_unreserved(byte) && !completes {
            out.push(byte);
            begun = if is_digit && begun == 1 { 2 } else { 0 };
        } else {
            push_escape(byte, &mut out);
            begun = 0;
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Whether a byte and its escape are equivalent (RFC 3986, 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
<<<<<<< HEAD
=======

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use url::Url;

    /// The key as defined: by the `url` crate alone.
    fn plainly(url: &[u8]) -> Option<Vec<u8>> {
        let url = url.trim_ascii();
        if url.contains(&b'\n') {
            return None;
        }
        // Bytes that are not UTF-8 are only valid where the standard escapes them, which is after the host.
        let text: String = url.utf8_chunks().fold(String::new(), |text, part| {
            let invalid: String = part.invalid().iter().map(|byte| format!("%{byte:02X}")).collect();
            text + part.valid() + &invalid
        });
        let mut parsed = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        parsed.set_fragment(None);
        let escapes = escapes(parsed.as_str());
        let mut key = parsed.as_str().to_owned();
        // Undone one by one, from the left, wherever all other escapes stay the same ones.
        let mut number = 0;
        for (_, byte) in escapes {
            let place = self::escapes(&key)[number].0;
            let as_escape = format!("%{byte:02X}");
            key.replace_range(place..place + 3, &as_escape);
            let undone = [&key[..place], &char::from(byte).to_string(), &key[place + 3..]].concat();
            let bytes = |text: &str| self::escapes(text).into_iter().map(|(_, byte)| byte).collect::<Vec<_>>();
            let others = [&bytes(&key)[..number], &bytes(&key)[number + 1..]].concat();
            if (byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)) && bytes(&undone) == others {
                key = undone;
            } else {
                number += 1;
            }
        }
        Some(key.into_bytes())
    }

    /// The escapes in a text: their positions, and the bytes that they stand for.
    fn escapes(text: &str) -> Vec<(usize, u8)> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let hex = text.get(at + 1..at + 3).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
            match hex.filter(|_| text[at..].starts_with('%')) {
                Some(hex) => {
                    found.push((at, u8::from_str_radix(hex, 16).unwrap()));
                    at += 3;
                }
                None => at += 1,
            }
        }
        found
    }

    fn keys(same: SameUrl, lines: &[u8]) -> Vec<Option<Vec<u8>>> {
        keys_in(same, lines, &Layout::Whole, 0)
    }

    fn keys_in(same: SameUrl, lines: &[u8], layout: &Layout, bom_len: usize) -> Vec<Option<Vec<u8>>> {
        let chunk = Chunk::of_lines(lines, layout, bom_len);
        let mut urls = LineUrls::default();
        urls.find(&chunk);
        let mut keys = LineKeys::new(same, &chunk, &urls);
        (0..urls.lines().count()).map(|line| keys.of(line).map(Cow::into_owned)).collect()
    }

    #[test]
    fn what_is_fetched_alike_has_one_key() {
        let same = "http://a.example/x\nhttp://A.example/x\nhttp://a.example:80/x\nhttp://a.example/x#f\n\
                    http://a.example/%78\nhttp://a.example/./x\nhttp://a.example/x\r\n \thttp:\\\\a.example\\x\n";
        let keys = keys(SameUrl::Fetched, same.as_bytes());
        let is_one = |key: &Option<Vec<u8>>| key.as_deref() == Some(b"http://a.example/x");
        assert!(keys.len() == 8 && keys.iter().all(is_one), "{keys:?}");
        // Written in JSON, with escapes.
        let json = |url: &str| serde_json::to_string(url).unwrap().replace('/', "\\/");
        let cdxj: String = same.lines().map(|url| format!("com,a)/x 2024 {{\"url\": {}}}\n", json(url))).collect();
        let keys = keys_in(SameUrl::Fetched, cdxj.as_bytes(), &Layout::Cdxj, 0);
        assert!(keys.len() == 8 && keys.iter().all(is_one), "{keys:?}");
        let apostrophe = "com,a)/ 2024 {\"url\": \" http:\\/\\/a.example\\/?q=\\u0027\"}\n".repeat(2);
        let keys = keys_in(SameUrl::Fetched, apostrophe.as_bytes(), &Layout::Cdxj, 0);
        assert!(keys.iter().all(|key| key.as_deref() == Some(b"http://a.example/?q=%27")), "{keys:?}");
    }

    /// Nearly all URLs are, and a copy of each would take long.
    #[test]
    fn a_url_that_is_written_as_it_is_fetched_is_its_own_key() {
        for url in ["http://a.example/", "https://a.example:8080/a/b.c?q=1&r=/2", "http://a.example/a..b/~x/@"] {
            let key = SameUrl::Fetched.key(url.as_bytes());
            assert!(matches!(key, Ok(Cow::Borrowed(key)) if key == url.as_bytes()), "{url}");
        }
        let with_fragment = SameUrl::Fetched.key(b"http://a.example/x#top");
        assert!(matches!(with_fragment, Ok(Cow::Borrowed(b"http://a.example/x"))));
    }

    #[test]
    fn what_is_fetched_otherwise_has_another_key() {
        let others = [
            "http://a.example/x",
            "https://a.example/x",
            "http://www.a.example/x",
            "http://a.example:8080/x",
            "http://a.example/X",
            "http://a.example/x/",
            "http://a.example/x?",
            "http://a.example/x%2F",
            "http://a.example/x%2B",
            "http://a.example/x+",
            "http://a.example/x?a'b",
            "http://a.example/x'",
            "http://a.example/x%27",
            "http://u@a.example/x",
            "http://a.example./x",
        ];
        let keys = keys(SameUrl::Fetched, others.join("\n").as_bytes());
        let distinct: std::collections::HashSet<_> = keys.iter().flatten().collect();
        assert_eq!(distinct.len(), others.len(), "{keys:?}");
    }

    /// URLs with one key are one URL for every robots.txt in normal form, whatever is cut in them.
    #[test]
    fn what_has_one_key_has_one_normal_form() {
        use crate::dialect::Encoding;

        let pieces = ["%", "%", "4", "1", "A", "e", "%41", "%31", "%34", "%25", "%2", "%C3", "%2F", "x"];
        let (mut dice, mut forms) = (Rng(411), std::collections::HashMap::new());
        let mut repeated = 0;
        for _ in 0..if cfg!(miri) { 100 } else { 50_000 } {
            let path = (0..1 + dice.below(5)).map(|_| dice.of(&pieces)).collect::<String>();
            let url = format!("http://h/{path}");
            let key = SameUrl::Fetched.key(url.as_bytes()).unwrap().into_owned();
            let again = SameUrl::Fetched.key(&key).unwrap().into_owned();
            assert_eq!(again, key, "a key is its own key: {url}");
            let form = Encoding::NormalForm.path(&url.as_bytes()[8..]).into_owned();
            if let Some((other, of_other)) = forms.insert(key, (url.clone(), form.clone())) {
                repeated += usize::from(other != url);
                assert_eq!(form, of_other, "{url} {other}");
            }
        }
        assert!(cfg!(miri) || repeated > 1000, "{repeated}");
        for [one, other] in [["%%411", "%A1"], ["%4%31", "%41"], ["%%34%31", "%41"], ["%%341", "A"], ["%2541", "A"]] {
            let [one, other] = [one, other]
                .map(|path| SameUrl::Fetched.key(format!("http://h/{path}").as_bytes()).unwrap().into_owned());
            assert_ne!(one, other);
        }
    }

    #[test]
    fn what_is_no_url_has_no_key() {
        let lines = "\nno url\nftp://a.example/x\nhttp://a b/\nhttp://a.example:x/\n/x\n";
        assert_eq!(keys(SameUrl::Fetched, lines.as_bytes()), vec![None; 6]);
        assert!(keys(SameUrl::Bytes, lines.as_bytes()).into_iter().eq(lines.lines().map(|line| match line {
            "" => None,
            line => Some(line.as_bytes().to_vec()),
        })));
        for same in [SameUrl::Fetched, SameUrl::Bytes] {
            assert!(lines.lines().all(|line| same.hash(line.as_bytes()).is_err()), "{same:?}");
            assert!(same.hash(b"http://a.example/").is_ok(), "{same:?}");
        }
    }

    /// Neither is there a key for the lines of other lists, nor does a line without a valid URL stand for others.
    #[test]
    fn an_index_has_its_own_keys() {
        let cdxj = "\u{feff}com,a)/x 2024 {\"url\":\"http://a.com/x\"}\ncom,a)/x 2024 {\"url\":\"dns:a.com\"}\n\
                    - 2024 {\"url\":\"http://a.com/x\"}\ncom,a)/%78 2024 {\"url\":\"http:\\/\\/www.a.com\\/x\"}\nx\n";
        let expected = [Some("com,a)/x"), None, None, Some("com,a)/%78"), None];
        let found = keys_in(SameUrl::Surt, cdxj.as_bytes(), &Layout::Cdxj, 3);
        assert!(found.iter().map(Option::as_deref).eq(expected.map(|key| key.map(str::as_bytes))), "{found:?}");
        let cdx = "com,a)/x\thttp://a.com/\n\thttp://a.com/\n-\thttp://a.com/\n";
        let found = keys_in(SameUrl::Surt, cdx.as_bytes(), &Layout::delimited(b'\t', 1), 0);
        assert_eq!(found, [Some(b"com,a)/x".to_vec()), None, None]);
        assert_eq!(keys(SameUrl::Surt, b"http://a.com/\n"), [None]);
        assert_eq!(SameUrl::Surt.key(b"http://a.com/"), Err(NoKey::OfIndex));
    }

    #[test]
    fn keys_are_those_of_the_plain_way() {
        let pieces: [&[u8]; 47] = [
            b"http://a.example/",
            b"http://a.example/",
            b"https://b.example/",
            b"http://a.example",
            b"HTTP://A.example:80/",
            b"https://x:443/",
            b"http://a.example:8080/",
            b"http://u:p%41@a/",
            b"http://1.2/",
            b"/",
            b"/",
            b"ab",
            b"b/cd",
            b"x.html",
            b".",
            b"..",
            b"/.",
            b"%2e",
            b"%2E%2e",
            b"%41",
            b"%4",
            b"%%",
            b"%31",
            b"%E",
            b"1",
            b"%c3%a9",
            b"%C3",
            b"%2f",
            b"%7E",
            b"~",
            b"'",
            b"?",
            b"?q=1&r=2",
            b"#",
            b"#f",
            b"\\",
            b"\t",
            b"\r",
            b" ",
            b"\"<>`",
            b"{|}^",
            b"\xc3\xa9",
            b"\xff",
            b"\xc3",
            b"+",
            b":",
            b"@",
        ];
        let (mut rng, mut valid, mut own) = (Rng(5), 0, 0);
        for _ in 0..if cfg!(miri) { 50 } else { 4000 } {
            let mut text = Vec::new();
            for _ in 0..8 {
                text.extend_from_slice(rng.of(&pieces[..9]));
                for _ in 0..rng.below(6) {
                    text.extend_from_slice(rng.of(&pieces));
                }
                text.push(b'\n');
            }
            let lines = text.split_inclusive(|&byte| byte == b'\n').map(|line| &line[..line.len() - 1]);
            for (line, key) in lines.zip(keys(SameUrl::Fetched, &text)) {
                // As the judge has it.
                let expected = origin::of(origin::trimmed(line)).ok().and_then(|_| plainly(line));
                assert_eq!(key, expected, "{}", line.escape_ascii());
                let is_own = key.as_deref() == Some(line);
                (valid, own) = (valid + u64::from(key.is_some()), own + u64::from(is_own));
                if let Some(key) = key {
                    assert_eq!(SameUrl::Fetched.key(line).as_deref(), Ok(&key[..]));
                }
            }
        }
        assert!(cfg!(miri) || own > 1000 && valid > 5000 + own, "{own} of {valid}");
    }
}
>>>>>>> mutants-d
