//! The keys of lines, by which the same URL is told in a list.
//!
//! Nearly all URLs of a list are their own keys. If a line is [plain](super::lines), little is left to check: its
//! origin, which often is that of the previous line, and apostrophes, which are escaped in queries only.

use std::borrow::Cow;

use super::line_urls::LineUrls;
use super::lines::is_plain;
use super::same_url::SameUrl;
use crate::input::chunks::Chunk;
use crate::input::layout::Layout;
use crate::origin;

/// Finds the keys of the lines of a chunk, one after the other.
pub(crate) struct LineKeys<'u> {
    same: SameUrl,
    text: &'u [u8],
    layout: &'u Layout,
    bom_len: usize,
    urls: &'u LineUrls,
    second_looks: &'u [u8],
    /// The last origin that was in canonical form, with the slash after it.
    origin: &'u [u8],
    /// Where the next apostrophe is, at or after the line before.
    apostrophe: usize,
}

impl<'u> LineKeys<'u> {
    /// For the lines of a chunk, whose URLs were found.
    pub fn new(same: SameUrl, chunk: &'u Chunk<'_>, urls: &'u LineUrls) -> LineKeys<'u> {
        let (text, layout, bom_len) = (chunk.text(), chunk.layout, chunk.bom_len);
        let second_looks = urls.urls(text).second_looks;
        LineKeys { same, text, layout, bom_len, urls, second_looks, origin: b"", apostrophe: 0 }
    }

    /// The key of a line's URL; `None` if the line has no valid URL, or, for [`SameUrl::Bytes`], no URL. Call it for
    /// lines in order.
    #[inline]
    pub fn of(&mut self, line: usize) -> Option<Cow<'u, [u8]>> {
        let whole = self.urls.url(self.text, line);
        if self.urls.is_refused(self.text, line) {
            return None;
        }
        let url = origin::trimmed(whole);
        if self.same == SameUrl::Fetched && self.is_own_key(whole, url, line) {
            return Some(Cow::Borrowed(url));
        }
        match self.same {
            // An invalid line is never left out, so it must not replace others.
            SameUrl::Surt => origin::split(url).ok().and_then(|_| self.index_key(line)).map(Cow::Borrowed),
            same => same.key(url).ok(),
        }
    }

    /// The key that a line of an index has.
    fn index_key(&self, line: usize) -> Option<&'u [u8]> {
        let mark = if line == 0 { self.bom_len } else { 0 };
        self.layout.key(self.urls.lines().line(self.text, line).get(mark..)?)
    }

    /// Whether a trimmed URL is certainly its own key.
    #[inline]
    fn is_own_key(&mut self, whole: &'u [u8], url: &'u [u8], line: usize) -> bool {
        let may_be_plain = self.second_looks[line] == 0 || url.len() < whole.len() && is_plain(url);
        may_be_plain && self.has_canonical_origin(url) && !self.may_have_apostrophe(line) && !self.urls.is_apart(line)
    }

    /// Whether a URL certainly begins with an origin in canonical form, and a slash.
    #[inline]
    fn has_canonical_origin(&mut self, url: &'u [u8]) -> bool {
        if !self.origin.is_empty() && url.starts_with(self.origin) {
            return true;
        }
        let Some(end) = origin::cut(url).filter(|&end| end < url.len()) else { return false };
        let is_canonical = origin::is_surely_canonical(&url[..end]);
        if is_canonical {
            self.origin = &url[..=end];
        }
        is_canonical
    }

    /// Whether an apostrophe may be in a line.
    #[inline]
    fn may_have_apostrophe(&mut self, line: usize) -> bool {
        let starts = self.urls.lines().starts();
        let (start, end) = (starts[line] as usize, starts[line + 1] as usize);
        if self.apostrophe < start {
            let rest = self.text.get(start..).unwrap_or_default();
            self.apostrophe = memchr::memchr(b'\'', rest).map_or(usize::MAX, |at| start + at);
        }
        self.apostrophe < end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::NoKey;
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
        let ends = keys_in(SameUrl::Fetched, b"http://a.example/~\x7f\nhttp://a.example/%7E%7F\n", &Layout::Whole, 0);
        assert!(ends.iter().all(|key| key.as_deref() == Some(b"http://a.example/~%7F")), "{ends:?}");
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
        let of_origins = keys(SameUrl::Fetched, b"http://a.example\nhttps://b.example");
        assert_eq!(of_origins, ["http://a.example/", "https://b.example/"].map(|url| Some(url.as_bytes().to_vec())));
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
                let expected = origin::split(line).ok().and_then(|_| plainly(line));
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
