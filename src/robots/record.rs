//! Parses one line as a record: a key, a separator and a value, without comments and surrounding blanks.

use crate::dialect::Keys;
use serde::Serialize;

named! {
    /// The keys of records other than agents and rules; their line numbers are kept.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum SideKey {
        /// `Crawl-delay`: seconds between fetches.
        CrawlDelay = "crawl-delay",
        /// `Request-rate`: documents per number of seconds.
        RequestRate = "request-rate",
        /// `Visit-time`: a window of the day, in UTC.
        VisitTime = "visit-time",
        /// `Host`: the preferred host of a mirror.
        Host = "host",
        /// `Clean-param`: query parameters that do not affect the content.
        CleanParam = "clean-param",
        /// `Sitemap`: the URL of a sitemap; belongs to no group.
        Sitemap = "sitemap",
        /// `Content-Usage`: preferences for automated use, from the IETF's draft.
        ContentUsage = "content-usage",
        /// `Content-Signal`: preferences on the use of the content.
        ContentSignal = "content-signal",
        /// `License`: the URL of a licence (RSL 1.0); belongs to no group.
        License = "license",
        /// `DisallowAITraining`: paths that may not be used for training. `google` reads it as `Disallow`, by its beginning.
        DisallowAiTraining = "disallowaitraining",
        /// `LLM-Policy`: where a site says more about language models.
        LlmPolicy = "llm-policy",
    }
}

impl SideKey {
    /// The key in the letters of those who made it; its [name](SideKey::name) has small ones.
    pub(crate) fn usual(self) -> &'static str {
        match self {
            SideKey::CrawlDelay => "Crawl-delay",
            SideKey::RequestRate => "Request-rate",
            SideKey::VisitTime => "Visit-time",
            SideKey::Host => "Host",
            SideKey::CleanParam => "Clean-param",
            SideKey::Sitemap => "Sitemap",
            SideKey::ContentUsage => "Content-Usage",
            SideKey::ContentSignal => "Content-Signal",
            SideKey::License => "License",
            SideKey::DisallowAiTraining => "DisallowAITraining",
            SideKey::LlmPolicy => "LLM-Policy",
        }
    }
}

/// The key of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    UserAgent,
    Allow,
    Disallow,
    Side(SideKey),
    /// A known misspelling that the dialect does not read.
    Misspelt,
    Unknown,
}

/// A parsed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Only blanks.
    Blank,
    /// Only a comment.
    Comment,
    /// Content without a key and a separator, trimmed.
    MissingColon { content: &'a [u8] },
    /// A key, as recognised and as written, and a trimmed value, which may be empty. `colon` is false if the dialect
    /// accepted a line without one.
    Record { key: Key, written: &'a [u8], colon: bool, value: &'a [u8] },
}

/// Parses one line, given without its line end.
pub(crate) fn read<'a>(line: &'a [u8], keys: Keys) -> Line<'a> {
    for (written, key) in USUAL {
        // The byte first: hardly any line of another key has a colon there.
        let at = written.len();
        if line.get(at) == Some(&b':') && line[..at] == *written {
            return Line::Record { key, written, colon: true, value: trim(uncommented(&line[at + 1..]), keys) };
        }
    }
    // Keys are short: a plain loop finds the end before a search with wide loads gets going.
    let separator = line.iter().position(|&byte| matches!(byte, b':' | b'#'));
    let colon = separator.is_some_and(|at| line[at] == b':');
    let (key, value) = match separator {
        Some(at) if colon => (&line[..at], uncommented(&line[at + 1..])),
        _ => {
            let content = trim(&line[..separator.unwrap_or(line.len())], keys);
            match missing_colon(content, keys) {
                Some(at) => content.split_at(at),
                None if !content.is_empty() => return Line::MissingColon { content },
                None if separator.is_some() => return Line::Comment,
                None => return Line::Blank,
            }
        }
    };
    let key = trim(key, keys);
    if key.is_empty() {
        return Line::MissingColon { content: trim(uncommented(line), keys) };
    }
    let read = if keys == Keys::Exact { exact_key } else { lenient_key };
    Line::Record { key: read(key), written: key, colon, value: trim(value, keys) }
}

/// How nearly all lines write their keys, which every dialect reads alike.
const USUAL: [(&[u8], Key); 3] =
    [(b"Disallow", Key::Disallow), (b"Allow", Key::Allow), (b"User-agent", Key::UserAgent)];

/// The text before a comment.
fn uncommented(text: &[u8]) -> &[u8] {
    memchr::memchr(b'#', text).map_or(text, |at| &text[..at])
}

/// The position of a blank between exactly two words, which replaces a missing colon (C++).
fn missing_colon(content: &[u8], keys: Keys) -> Option<usize> {
    if keys == Keys::Exact {
        return None;
    }
    let is_white = |byte: &u8| matches!(byte, b' ' | b'\t');
    let at = content.iter().position(is_white)?;
    let value = &content[at + content[at..].iter().take_while(|byte| is_white(byte)).count()..];
    (!value.iter().any(is_white)).then_some(at)
}

/// Removes surrounding blanks: space and tab (RFC 9309 `WS`); for C++, all ASCII white space.
#[inline]
pub(super) fn trim(text: &[u8], keys: Keys) -> &[u8] {
    let blank = |byte: &u8| match byte {
        b' ' | b'\t' => true,
        0x0b | 0x0c => keys == Keys::Lenient,
        _ => false,
    };
    let start = text.iter().position(|byte| !blank(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// The misspellings that C++ accepts (`kAllowFrequentTypos`), with their meanings.
const MISSPELT: [(&[u8], Key); 7] = [
    (b"useragent", Key::UserAgent),
    (b"user agent", Key::UserAgent),
    (b"dissallow", Key::Disallow),
    (b"dissalow", Key::Disallow),
    (b"disalow", Key::Disallow),
    (b"diasllow", Key::Disallow),
    (b"disallaw", Key::Disallow),
];

fn exact_key(key: &[u8]) -> Key {
    let is = |name: &[u8]| key.eq_ignore_ascii_case(name);
    // Nearly all lines have one of three keys, which differ in length.
    match key.len() {
        8 if is(b"disallow") => Key::Disallow,
        5 if is(b"allow") => Key::Allow,
        10 if is(b"user-agent") => Key::UserAgent,
        _ => match SideKey::ALL.iter().find(|side| is(side.name().as_bytes())) {
            Some(&side) => Key::Side(side),
            None if MISSPELT.iter().any(|(typo, _)| is(typo)) => Key::Misspelt,
            None => Key::Unknown,
        },
    }
}

/// C++ compares prefixes, in this order. The library knows no other records; the ones we keep are matched exactly.
fn lenient_key(key: &[u8]) -> Key {
    let begins = |name: &[u8]| key.len() >= name.len() && key[..name.len()].eq_ignore_ascii_case(name);
    if begins(b"user-agent") {
        Key::UserAgent
    } else if begins(b"allow") {
        Key::Allow
    } else if begins(b"disallow") {
        Key::Disallow
    } else if let Some(&(_, meant)) = MISSPELT.iter().find(|(typo, _)| begins(typo)) {
        meant
    } else if begins(b"sitemap") || begins(b"site-map") {
        Key::Side(SideKey::Sitemap)
    } else {
        exact_key(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_its_name_in_other_letters() {
        for key in SideKey::ALL {
            assert_eq!(key.usual().to_ascii_lowercase(), key.name());
        }
    }

    /// Key and value of a line that must be a record.
    fn record(line: &str, keys: Keys) -> (Key, &str) {
        match read(line.as_bytes(), keys) {
            Line::Record { key, value, .. } => (key, std::str::from_utf8(value).unwrap()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn records_are_trimmed_and_comments_cut() {
        assert_eq!(record(" Disallow\t: /a b \t# c: d", Keys::Exact), (Key::Disallow, "/a b"));
        assert_eq!(record("DISALLOW:", Keys::Exact), (Key::Disallow, ""));
        assert_eq!(record("\x0bDisallow: /a\x0c", Keys::Lenient), (Key::Disallow, "/a"));
        assert_eq!(record("Disallow: /a\x0c", Keys::Exact), (Key::Disallow, "/a\x0c"));
        assert_eq!(record("Allow: /a:b", Keys::Exact), (Key::Allow, "/a:b"));
        assert_eq!(read(b"  \t", Keys::Exact), Line::Blank);
        assert_eq!(read(b"  # x", Keys::Exact), Line::Comment);
        assert_eq!(read(b" : /x", Keys::Exact), Line::MissingColon { content: b": /x" });
    }

    #[test]
    fn lenient_keys_are_read_by_their_beginning() {
        for line in ["Disallow /x", "disallowed: /x", "Dissalow: /x", "diasllow /x"] {
            assert_eq!(record(line, Keys::Lenient), (Key::Disallow, "/x"), "{line}");
            assert!(!matches!(read(line.as_bytes(), Keys::Exact), Line::Record { key: Key::Disallow, .. }), "{line}");
        }
        assert_eq!(record("useragent: a", Keys::Lenient), (Key::UserAgent, "a"));
        assert_eq!(record("useragent: a", Keys::Exact), (Key::Misspelt, "a"));
        assert_eq!(read(b"Disallow /x /y", Keys::Lenient), Line::MissingColon { content: b"Disallow /x /y" });
        assert_eq!(record("Site-map: x", Keys::Lenient), (Key::Side(SideKey::Sitemap), "x"));
    }

    #[test]
    fn side_records_are_read_in_every_dialect() {
        for keys in [Keys::Exact, Keys::Lenient] {
            for side in SideKey::ALL {
                let line = format!("{}: 1", side.name().to_uppercase());
                let is_rule = side == SideKey::DisallowAiTraining && keys == Keys::Lenient;
                let expected = if is_rule { Key::Disallow } else { Key::Side(side) };
                assert_eq!(record(&line, keys), (expected, "1"));
            }
        }
    }

    #[test]
    fn a_record_tells_how_it_was_written() {
        for (line, expected, with_colon) in [("Disalow : /x", "Disalow", true), ("Dissallow /x", "Dissallow", false)] {
            let Line::Record { written, colon, .. } = read(line.as_bytes(), Keys::Lenient) else { panic!("{line}") };
            assert_eq!((written, colon), (expected.as_bytes(), with_colon));
        }
    }
}
