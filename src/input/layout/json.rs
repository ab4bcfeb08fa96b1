//! Finds one member of a JSON object without building the object.
//!
//! An index line has a dozen members, and only one is needed. So the object is walked once, to its end; if it is malformed or
//! has the member twice, it is rejected. The walk follows RFC 8259, but accepts two things that change no member: control
//! characters in strings, and bytes that are not UTF-8.

use std::ops::Range;

/// Malformed or ambiguous JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// The deepest nesting of values allowed.
const MAX_DEPTH: usize = 64;

/// The range of the string that the object in `text` has as its member `name`, without quotes and still escaped. `None` if
/// there is no such member, or it is not a string.
pub(super) fn string_member(text: &[u8], name: &[u8]) -> Result<Option<Range<usize>>, Malformed> {
    let mut walk = Walk { text, at: 0 };
    let mut found = None;
    walk.skip_blanks();
    walk.expect(b'{')?;
    walk.members(b'}', |walk| {
        let key = walk.string()?;
        walk.skip_blanks();
        walk.expect(b':')?;
        walk.skip_blanks();
        let is_string = walk.peek() == Some(b'"');
        let start = walk.at;
        walk.value(0)?;
        if walk.is(key, name) {
            let value = is_string.then(|| start + 1..walk.at - 1);
            if found.replace(value).is_some() {
                return Err(Malformed);
            }
        }
        Ok(())
    })?;
    walk.skip_blanks();
    if walk.at == text.len() { Ok(found.flatten()) } else { Err(Malformed) }
}

/// A position in a text.
struct Walk<'t> {
    text: &'t [u8],
    at: usize,
}

impl Walk<'_> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.peek() != Some(byte) {
            return Err(Malformed);
        }
        self.at += 1;
        Ok(())
    }

    /// Walks the members of an object or the elements of an array, past its `end`.
    #[inline]
    fn members(&mut self, end: u8, mut one: impl FnMut(&mut Self) -> Result<(), Malformed>) -> Result<(), Malformed> {
        self.skip_blanks();
        if self.peek() == Some(end) {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.skip_blanks();
            one(self)?;
            self.skip_blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == end => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(Malformed),
            }
        }
    }

    /// Walks a string; returns its range without the quotes.
    #[inline]
    fn string(&mut self) -> Result<Range<usize>, Malformed> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            let found = memchr::memchr2(b'"', b'\\', &self.text[self.at..]).ok_or(Malformed)?;
            self.at += found + 1;
            if self.text[self.at - 1] == b'"' {
                return Ok(start..self.at - 1);
            }
            let length = escape_length(&self.text[self.at..]).ok_or(Malformed)?;
            self.at += length;
        }
    }

    fn value(&mut self, depth: usize) -> Result<(), Malformed> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'{') if depth < MAX_DEPTH => {
                self.at += 1;
                self.members(b'}', |walk| {
                    walk.string()?;
                    walk.skip_blanks();
                    walk.expect(b':')?;
                    walk.skip_blanks();
                    walk.value(depth + 1)
                })
            }
            Some(b'[') if depth < MAX_DEPTH => {
                self.at += 1;
                self.members(b']', |walk| walk.value(depth + 1))
            }
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            _ => self.number(),
        }
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), Malformed> {
        if !self.text[self.at..].starts_with(word) {
            return Err(Malformed);
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), Malformed> {
        self.skip_if(|byte| byte == b'-');
        if !self.skip_if(|byte| byte == b'0') {
            self.digits()?;
        }
        if self.skip_if(|byte| byte == b'.') {
            self.digits()?;
        }
        if self.skip_if(|byte| matches!(byte, b'e' | b'E')) {
            self.skip_if(|byte| matches!(byte, b'+' | b'-'));
            self.digits()?;
        }
        Ok(())
    }

    fn skip_if(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let found = self.peek().is_some_and(wanted);
        self.at += usize::from(found);
        found
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while self.skip_if(|byte| byte.is_ascii_digit()) {}
        if self.at > start { Ok(()) } else { Err(Malformed) }
    }

    /// Whether a string equals `name`.
    #[inline]
    fn is(&self, string: Range<usize>, name: &[u8]) -> bool {
        let string = &self.text[string];
        if string == name {
            return true;
        }
        // A name may contain escapes, though no program writes it so.
        let mut unescaped = Vec::new();
        string.contains(&b'\\') && unescape(string, &mut unescaped).is_ok() && unescaped == name
    }
}

/// The length of an escape after its backslash; `None` if it is not an escape.
fn escape_length(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(1),
        b'u' => text.get(1..5)?.iter().all(u8::is_ascii_hexdigit).then_some(5),
        _ => None,
    }
}

/// Appends the unescaped string to `meaning`. Half a surrogate pair is malformed.
pub(super) fn unescape(string: &[u8], meaning: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut rest = string;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        meaning.extend_from_slice(&rest[..at]);
        let escape = &rest[at + 1..];
        let length = escape_length(escape).ok_or(Malformed)?;
        rest = &escape[length..];
        meaning.push(match escape[0] {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let first = hex(&escape[1..5]);
                let unit = |second| char::decode_utf16([Some(first), second].into_iter().flatten()).next();
                let second = rest.strip_prefix(b"\\u").and_then(|rest| rest.get(..4)).map(hex);
                // A second half counts only after a first half.
                let second = second.filter(|_| matches!(first, 0xd800..=0xdbff));
                let character = unit(second).and_then(Result::ok).ok_or(Malformed)?;
                if second.is_some() {
                    rest = &rest[6..];
                }
                meaning.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            byte => byte,
        });
    }
    meaning.extend_from_slice(rest);
    Ok(())
}

/// The value of hexadecimal digits; other characters count as 0.
fn hex(digits: &[u8]) -> u16 {
    digits.iter().fold(0, |value, &digit| value << 4 | (digit as char).to_digit(16).unwrap_or(0) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> Result<Option<String>, Malformed> {
        let Some(place) = string_member(text.as_bytes(), b"url")? else { return Ok(None) };
        let mut meaning = Vec::new();
        unescape(&text.as_bytes()[place], &mut meaning)?;
        Ok(Some(String::from_utf8(meaning).unwrap()))
    }

    #[test]
    fn a_member_is_found_among_others() {
        for (text, expected) in [
            (r#"{"url":"http://a/"}"#, Some("http://a/")),
            (r#" { "mime" : "x" , "url" : "http://a/" , "n" : 1 } "#, Some("http://a/")),
            (r#"{"a":{"url":"no"},"b":["url","no",{"url":"no"}],"url":"yes"}"#, Some("yes")),
            (r#"{"x":"\"url\":\"no\"","url":"yes"}"#, Some("yes")),
            (r#"{"x":"\\","url":"yes"}"#, Some("yes")),
            (r#"{"\u0075\u0072l":"yes"}"#, Some("yes")),
            (r#"{"url":"http:\/\/a\/\u00fc\ud83d\ude00\n"}"#, Some("http://a/ü😀\n")),
            (r#"{"n":[-1.5e+3,0,true,false,null,[],{}],"url":""}"#, Some("")),
            ("{}", None),
            (r#"{"URL":"x","urls":"x","ur":"x"}"#, None),
            (r#"{"url":null}"#, None),
            (r#"{"url":{"url":"x"}}"#, None),
        ] {
            assert_eq!(url(text), Ok(expected.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn what_is_malformed_or_ambiguous_is_not_believed() {
        for text in [
            "",
            "{",
            "[]",
            r#""url""#,
            r#"{"url":"x""#,
            r#"{"url":"x"#,
            r#"{"url":"x"}}"#,
            r#"{"url":"x"} x"#,
            r#"{"url":"x",}"#,
            r#"{,"url":"x"}"#,
            r#"{"url" "x"}"#,
            r#"{"url":"x" "b":1}"#,
            r#"{"url":"x","url":"y"}"#,
            r#"{"url":"x","url":1}"#,
            r#"{url:"x"}"#,
            r#"{"url":'x'}"#,
            r#"{"url":"\x"}"#,
            r#"{"url":"\u12"}"#,
            r#"{"url":"\ud800"}"#,
            r#"{"url":"\ud800\u0041"}"#,
            r#"{"url":"\udc00\ud800"}"#,
            r#"{"url":"x","n":01}"#,
            r#"{"url":"x","n":1.}"#,
            r#"{"url":"x","n":-}"#,
            r#"{"url":"x","n":1e}"#,
            r#"{"url":"x","n":+1}"#,
            r#"{"url":"x","n":nul}"#,
            r#"{"url":"x","n":[1,]}"#,
            r#"{"url":"x","n":[}"#,
        ] {
            assert_eq!(url(text), Err(Malformed), "{text}");
        }
        let deep = |depth: usize| format!(r#"{{"url":"x","n":{}1{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert!(url(&deep(MAX_DEPTH)).is_ok());
        assert_eq!(url(&deep(MAX_DEPTH + 1)), Err(Malformed));
        assert_eq!(url(&deep(1 << 20)), Err(Malformed));
    }

    /// The member as serde_json finds it. If it occurs twice, that is an error, though `Value` alone would accept it.
    fn found_by_serde(text: &str) -> Result<Option<String>, ()> {
        #[derive(serde::Deserialize)]
        struct Record {
            #[serde(default)]
            url: Option<serde_json::Value>,
        }
        // The derived code would also accept an array with the members in order.
        let is_object = serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.is_object());
        let record: Record = is_object.then(|| serde_json::from_str(text).ok()).flatten().ok_or(())?;
        Ok(record.url.and_then(|url| url.as_str().map(str::to_owned)))
    }

    fn json() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("\"url\"".to_owned()),
            "\"[a-z\\\\u0-9/\"]{0,6}\"",
            "[\\[\\]{}:,\" ]",
            "-?[0-9]{0,2}(\\.[0-9]{0,2})?(e[0-9])?",
            Just("null".to_owned()),
            Just("\"url\":\"http://a/\"".to_owned()),
            Just("\"\\ud83d\\ude00\"".to_owned()),
        ];
        let pieces = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
        (pieces, any::<bool>()).prop_map(|(text, wrap)| if wrap { format!("{{{text}}}") } else { text })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_walk_agrees_with_serde(text in json()) {
            prop_assert_eq!(url(&text).map_err(|_| ()), found_by_serde(&text), "{}", text);
        }
    }
}
