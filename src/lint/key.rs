//! Keys of records: what a misspelt one, or a line without a colon, probably means.

use super::finding::excerpt;
use crate::robots::SideKey;

/// The keys that crawlers know.
fn known() -> impl Iterator<Item = &'static str> {
    ["User-agent", "Disallow", "Allow"].into_iter().chain(SideKey::ALL.iter().map(|key| key.name()))
}

/// The known key nearest to `written`, if their edit distance is at most a third of the known key's length.
pub(super) fn nearest(written: &[u8]) -> Option<&'static str> {
    let written = std::str::from_utf8(written).ok()?.to_ascii_lowercase();
    known()
        .filter(|key| key.len().abs_diff(written.len()) <= key.len() / 3)
        .map(|key| (strsim::osa_distance(&written, &key.to_ascii_lowercase()), key))
        .filter(|(distance, key)| *distance <= key.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, key)| key)
}

/// Signs between a key and its value that are no colon.
const SIGNS: &[u8] = b"=;,>";

/// A line with its missing colon, if it begins with a key.
pub(super) fn with_colon(content: &[u8]) -> Option<String> {
    let (key, rest) = by_blank(content).or_else(|| by_sign(content))?;
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || SIGNS.contains(byte);
    let from = rest.iter().position(|byte| !is_between(byte)).unwrap_or(rest.len());
    let value = rest[from..].strip_prefix(b"- ").unwrap_or(&rest[from..]);
    Some(format!("{key}: {}", excerpt(value)).trim_end().to_owned())
}

/// The key of one or two words that a blank ends, and the rest.
fn by_blank(content: &[u8]) -> Option<(&'static str, &[u8])> {
    let blanks: Vec<usize> = (0..content.len()).filter(|&at| content[at].is_ascii_whitespace()).take(2).collect();
    blanks.iter().rev().find_map(|&at| Some((nearest(content[..at].trim_ascii_end())?, &content[at..])))
}

/// The key that a sign ends, or the value itself, and the rest.
fn by_sign(content: &[u8]) -> Option<(&'static str, &[u8])> {
    let is_start = |key: &&str| {
        let next = content.get(key.len());
        content.len() >= key.len()
            && content[..key.len()].eq_ignore_ascii_case(key.as_bytes())
            && next.is_none_or(|byte| SIGNS.contains(byte) || matches!(byte, b'/' | b'*'))
    };
    let key = known().find(is_start)?;
    Some((key, &content[key.len()..]))
}

/// Whether a line with this key and value is the URL of a sitemap alone.
pub(super) fn is_sitemap(key: &[u8], value: &[u8]) -> bool {
    let is_scheme = key.eq_ignore_ascii_case(b"https") || key.eq_ignore_ascii_case(b"http");
    is_scheme && value.starts_with(b"//") && memchr::memmem::find(value, b"sitemap").is_some()
}

/// The comment that a line is in another language.
pub(super) fn as_comment(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    let inner = match line {
        [b'<', b'!', b'-', b'-', inner @ ..] => inner.strip_suffix(b"-->").unwrap_or(inner),
        [b'/', b'*', inner @ ..] => inner.strip_suffix(b"*/").unwrap_or(inner),
        [b'/', b'/', inner @ ..] | [b'-', b'-', inner @ ..] | [b';', inner @ ..] | [b'!', inner @ ..] => inner,
        _ => return None,
    };
    Some(format!("# {}", excerpt(inner)).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_are_mended() {
        for (written, meant) in [
            ("Dissallow", "Disallow"),
            ("diasllow", "Disallow"),
            ("Disallowed", "Disallow"),
            ("User agent", "User-agent"),
            ("useragent", "User-agent"),
            ("\u{feff}User-agent", "User-agent"),
            ("Alow", "Allow"),
            ("Site-map", "sitemap"),
            ("crawldelay", "crawl-delay"),
        ] {
            assert_eq!(nearest(written.as_bytes()), Some(meant), "{written}");
        }
        for other in ["Noindex", "Nofollow", "x", "", "http", "\u{fffd}", "Disallow everything that there is"] {
            assert_eq!(nearest(other.as_bytes()), None, "{other}");
        }
        assert_eq!(nearest(b"\xff"), None);
    }

    #[test]
    fn a_sitemap_alone_is_known() {
        assert!(is_sitemap(b"https", b"//a.example/sitemap.xml"));
        assert!(!is_sitemap(b"https", b"//a.example/") && !is_sitemap(b"x", b"//a.example/sitemap.xml"));
    }

    #[test]
    fn lines_get_their_colon() {
        for (line, expected) in [
            ("Disallow /x", "Disallow: /x"),
            ("Sitemap https://a.example/s.xml", "sitemap: https://a.example/s.xml"),
            ("User-agent Googlebot", "User-agent: Googlebot"),
            ("User agent *", "User-agent: *"),
            ("Crawl-delay 10", "crawl-delay: 10"),
            ("Host a.example", "host: a.example"),
            ("Dissalow /x", "Disallow: /x"),
            ("Disallow = /x", "Disallow: /x"),
            ("Disallow=/x", "Disallow: /x"),
            ("Disallow; /x", "Disallow: /x"),
            ("Disallow - /x", "Disallow: /x"),
            ("Disallow/x", "Disallow: /x"),
            ("User-agent*", "User-agent: *"),
            ("Disallow", "Disallow:"),
            ("Disallow the robots", "Disallow: the robots"),
            ("nonsense /x", ""),
            ("http://a.example/", ""),
            ("Allowed_bots", ""),
            ("x", ""),
            ("", ""),
        ] {
            assert_eq!(with_colon(line.as_bytes()).unwrap_or_default(), expected, "{line}");
        }
    }

    #[test]
    fn comments_of_other_languages_become_comments() {
        for (line, expected) in [
            ("<!-- a: b -->", "# a: b"),
            ("// x", "# x"),
            ("/* x */", "# x"),
            ("; x", "# x"),
            ("-- x", "# x"),
            ("/x", ""),
            ("<p>", ""),
        ] {
            assert_eq!(as_comment(line.as_bytes()).unwrap_or_default(), expected, "{line}");
        }
    }
}
