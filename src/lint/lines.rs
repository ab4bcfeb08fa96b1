//! Findings about single lines; also what a misspelt key of a record, or a line without a colon, probably means.

use std::borrow::Cow;

use super::finding::{Findings, excerpt};
use super::rule::{self, RuleLine};
use super::side_records::{self, Sitemaps};
use super::{FindingKind, meant};
use crate::dialect::Dialect;
use crate::robots::{self, Key, Line, NoteKind, Robots, SideKey};

/// Checks each line, together with the parser's notes on it.
pub(super) fn check(text: &[u8], robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let is_html = robots.notes.iter().any(|note| note.kind == NoteKind::LooksLikeHtml);
    // Hardly any line of an HTML page is a record; that is reported once.
    let is_said = |kind| is_html && matches!(kind, NoteKind::MissingColon | NoteKind::UnknownRecord);
    let mut notes = robots.notes.iter().filter(|note| !is_said(note.kind)).peekable();
    let mut sitemaps = Sitemaps::default();
    for line in robots::lines(text, dialect) {
        let read = robots::read(line.text, dialect.keys);
        let mut outside = false;
        while let Some(note) = notes.next_if(|note| note.line == line.number) {
            outside |= note.kind == NoteKind::RuleOutsideGroup;
            noted(note.kind, line.number, &read, robots, findings);
        }
        let Line::Record { key, written, colon, value } = read else { continue };
        if accepted_slip(line.number, key, written, colon, value, findings) {
            continue;
        }
        match key {
            Key::Allow | Key::Disallow => {
                let rule = RuleLine { line: line.number, key: written, value, outside };
                if let Some(comment) = rule::hash_inside(line.text, value) {
                    rule.check_hash(comment, findings);
                }
                rule::check(&rule, dialect, findings);
            }
            Key::Side(SideKey::Sitemap) => sitemaps.check(line.number, value, findings),
            Key::Side(key) => {
                if let Some((kind, reason)) = side_records::readers(key.name().as_bytes()) {
                    findings.add(kind, line.number, reason);
                }
                side_records::check_uses(line.number, key, value, findings);
            }
            _ => {}
        }
    }
}

/// Adds the finding for a parser's note on a line.
fn noted(kind: NoteKind, line: u32, read: &Line<'_>, robots: &Robots<'_>, findings: &mut Findings<'_>) {
    let (kind, reason) = match (kind, read) {
        (NoteKind::RuleWithoutSlash, &Line::Record { written, value, .. }) => {
            let rule = RuleLine { line, key: written, value, outside: false };
            let proposal = meant::path(value).map(|path| rule.with(&path));
            let reason = rule::without_slash(value, "is ignored");
            return findings.add_with(FindingKind::RuleWithoutSlash, line, reason, proposal, None);
        }
        (NoteKind::MissingColon, Line::MissingColon { content }) => {
            let (kind, reason, proposal) = without_colon(content);
            return findings.add_with(kind, line, reason, proposal, None);
        }
        (NoteKind::MisspeltKey | NoteKind::UnknownRecord, &Line::Record { written, colon, value, .. }) => {
            let is_misspelt = kind == NoteKind::MisspeltKey;
            let (kind, reason, proposal) = unknown(is_misspelt, written, colon, value);
            return findings.add_with(kind, line, reason, proposal, None);
        }
        (NoteKind::RuleOutsideGroup, _) => (FindingKind::RuleOutsideGroup, side_records::outside(line, robots)),
        (NoteKind::AllowIgnored, _) => (FindingKind::AllowIgnored, "this dialect has no Allow; the line is ignored"),
        (NoteKind::LineCut, _) => {
            (FindingKind::LineCut, "the rest of the line, beyond the length limit or after a NUL, is ignored")
        }
        (NoteKind::LooksLikeHtml, _) => (
            FindingKind::LooksLikeHtml,
            "the file begins like an HTML page, not like plain text; lines that are not records are ignored",
        ),
        // Notes about agents and about the whole file are reported elsewhere.
        _ => return,
    };
    findings.add(kind, line, reason);
}

/// Why a line is ignored: the kind of finding, the reason, and what was meant, if that can be guessed.
type Ignored = (FindingKind, Cow<'static, str>, Option<String>);

/// The finding for a line without a colon.
fn without_colon(content: &[u8]) -> Ignored {
    if meant::unquoted(content).is_empty() && memchr::memmem::find(content, MARK.as_bytes()).is_some() {
        let reason = "a byte order mark has no meaning inside the file; crawlers ignore the line";
        return (FindingKind::ByteOrderMark, reason.into(), None);
    }
    let (reason, proposal) = match by_look_alike(content) {
        Some((key, value)) => (NO_COLON, Some(record(key, value))),
        None => {
            let proposal = with_colon(content).or_else(|| as_comment(content));
            ("it has no key and colon, so the line is ignored", proposal)
        }
    };
    (FindingKind::MissingColon, reason.into(), proposal)
}

/// The finding for a line whose key is not known, or known to be misspelt.
fn unknown(is_misspelt: bool, written: &[u8], colon: bool, value: &[u8]) -> Ignored {
    const UNKNOWN: &str = "unknown key; the line is ignored";
    const WITHOUT_COLON: &str = "there is no colon after its key, so the line is ignored";
    let with = |sign: &str| [written, sign.as_bytes(), value].concat();
    let whole = with(if colon { ":" } else { " " });
    if let Some((key, value)) = by_look_alike(&whole) {
        return (FindingKind::MissingColon, NO_COLON.into(), Some(record(key, value)));
    }
    if let Some((key, reason)) = beside(written) {
        return (FindingKind::MisspeltKey, reason.into(), Some(record(key, meant::unquoted(value))));
    }
    if let Some(proposal) = with_colon(&whole).filter(|_| !colon) {
        return (FindingKind::MissingColon, WITHOUT_COLON.into(), Some(proposal));
    }
    if let Some((kind, reason)) = side_records::readers(written) {
        return (kind, reason.into(), None);
    }
    if let Some(key) = nearest(written) {
        // A key near a known one is a misspelling, though the parser does not look that closely.
        return (FindingKind::MisspeltKey, UNKNOWN.into(), Some(record(key, value)));
    }
    if let Some(proposal) = as_comment(&with(if colon { ": " } else { " " })) {
        return (FindingKind::ForeignComment, "only # begins a comment; the line is ignored".into(), Some(proposal));
    }
    // The first colon is that of a URL, for example.
    let whole = with(":");
    if let Some(proposal) = with_colon(&whole) {
        return (FindingKind::MissingColon, WITHOUT_COLON.into(), Some(proposal));
    }
    let kind = if is_misspelt { FindingKind::MisspeltKey } else { FindingKind::UnknownRecord };
    (kind, UNKNOWN.into(), is_sitemap(written, value).then(|| format!("Sitemap: {}", excerpt(&whole))))
}

/// Reports a misspelt key or a missing colon that the dialect accepts: other crawlers may not. Returns whether the value is not what
/// the author wrote as one.
fn accepted_slip(line: u32, key: Key, written: &[u8], colon: bool, value: &[u8], findings: &mut Findings<'_>) -> bool {
    let right = match key {
        Key::UserAgent => "User-agent",
        Key::Allow => "Allow",
        Key::Disallow => "Disallow",
        Key::Side(side) => side.usual(),
        Key::Misspelt | Key::Unknown => return false,
    };
    // The first colon may be that of a URL: the key is read by its beginning.
    let is_cut =
        colon && written.iter().any(|byte| *byte == b' ' || SIGNS.contains(byte)) && nearest(written).is_none();
    let whole = [written, if colon { b":" } else { b" " }, value].concat();
    let look_alike = by_look_alike(&whole);
    // Behind a sign and a blank, it is.
    let is_other_value = look_alike.map_or(is_cut, |(_, meant)| meant.trim_ascii() != value);
    let look_alike = look_alike.map(|(key, value)| record(key, value));
    let meant = look_alike.or_else(|| is_cut.then(|| with_colon(&whole)).flatten());
    let (kind, what) = match (&meant, written.eq_ignore_ascii_case(right.as_bytes())) {
        (Some(_), _) => (FindingKind::MissingColon, "a line without a colon after its key"),
        (None, false) => (FindingKind::MisspeltKey, "this key"),
        (None, true) if !colon => (FindingKind::MissingColon, "a line without a colon"),
        (None, true) => return false,
    };
    let reason = format!("{what} is read as {right} here, but other crawlers may ignore it");
    // A record of another kind, if it is read by its beginning, is not what the author misspelt.
    let is_other = SideKey::ALL.iter().any(|side| written.eq_ignore_ascii_case(side.name().as_bytes()));
    let is_meant = meant.is_some() && is_other_value;
    let proposal = meant.or_else(|| (!is_other || !colon).then(|| format!("{right}: {}", excerpt(value))));
    findings.add_with(kind, line, reason, proposal, None);
    is_meant
}

/// The keys that crawlers know.
fn known() -> impl Iterator<Item = &'static str> {
    ["User-agent", "Disallow", "Allow"].into_iter().chain(SideKey::ALL.iter().map(|key| key.usual()))
}

/// The known key nearest to `written`, if their edit distance is at most a third of the known key's length, and that of each word at
/// most half of it.
pub(super) fn nearest(written: &[u8]) -> Option<&'static str> {
    let written = std::str::from_utf8(written).ok()?.to_ascii_lowercase();
    known()
        .filter(|key| key.len().abs_diff(written.chars().count()) <= key.len() / 3)
        .map(|key| (strsim::osa_distance(&written, &key.to_ascii_lowercase()), key))
        .filter(|(distance, key)| *distance <= key.len() / 3 && are_words_near(&written, key))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, key)| key)
}

/// The key that is meant: the nearest known one, or that of a record which few or nobody read.
fn key_of(written: &[u8]) -> Option<&'static str> {
    nearest(written).or_else(|| side_records::usual_key(written))
}

/// Whether each word is near that of a key, if they are as many.
fn are_words_near(written: &str, key: &str) -> bool {
    let words = |text: &str| text.split(['-', ' ', '_']).map(str::to_ascii_lowercase).collect::<Vec<_>>();
    let (written, key) = (words(written), words(key));
    let is_near = |(one, other): (&String, &String)| strsim::osa_distance(one, other) <= other.len() / 2;
    written.len() != key.len() || written.iter().zip(&key).all(is_near)
}

/// A byte order mark.
const MARK: &str = "\u{feff}";

/// The key with a sign beside it that cannot be seen, or a quote, and what is to be said of it.
fn beside(written: &[u8]) -> Option<(&'static str, &'static str)> {
    let bare = meant::unquoted(written);
    let key = key_of(bare).filter(|_| bare.len() < written.len())?;
    let is_seen =
        |sign: char| !matches!(sign, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{a0}' | '\u{3000}' | '\u{feff}');
    let text = String::from_utf8_lossy(written);
    Some((
        key,
        match text.contains(MARK) {
            true => "a byte order mark, which cannot be seen, is a part of the key here; the line is ignored",
            false if text.chars().all(is_seen) => "unknown key; the line is ignored",
            false => "a sign that cannot be seen is a part of the key; the line is ignored",
        },
    ))
}

/// Signs that look like a colon: those of fonts in which signs are as wide as those of Chinese, and of other scripts.
const COLONS: [&str; 10] = ["：", "﹕", "︓", "∶", "꞉", "ː", "˸", "։", "׃", "⁚"];

/// Why a line with one of them is ignored.
const NO_COLON: &str = "the sign after its key only looks like a colon, so the line is ignored";

/// The key that a sign ends which looks like a colon, and the rest.
fn by_look_alike(content: &[u8]) -> Option<(&'static str, &[u8])> {
    let find = |sign: &&str| Some((memchr::memmem::find(content, sign.as_bytes())?, sign.len()));
    let (at, length) = COLONS.iter().filter_map(find).min()?;
    let key = meant::unquoted(&content[..at]);
    let is_word = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b' ');
    Some((key_of(key).filter(|_| key.iter().all(is_word))?, &content[at + length..]))
}

/// A record, as text.
fn record(key: &str, value: &[u8]) -> String {
    format!("{key}: {}", excerpt(value)).trim_end().to_owned()
}

/// Signs between a key and its value that are no colon.
const SIGNS: &[u8] = b"=;,>";

/// A line with its missing colon, if it begins with a key.
pub(super) fn with_colon(content: &[u8]) -> Option<String> {
    let (key, rest) = by_blank(content).or_else(|| by_sign(content))?;
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || SIGNS.contains(byte);
    let from = rest.iter().position(|byte| !is_between(byte)).unwrap_or(rest.len());
    let value = rest[from..].strip_prefix(b"- ").unwrap_or(&rest[from..]);
    // Words are no path.
    let is_rule = key.eq_ignore_ascii_case("allow") || key.eq_ignore_ascii_case("disallow");
    let is_path = value.is_empty() || meant::is_start(value) && !value.windows(2).any(|two| two == b": ");
    (!is_rule || is_path).then(|| record(key, value))
}

/// The key of one or two words that a blank ends, and the rest.
fn by_blank(content: &[u8]) -> Option<(&'static str, &[u8])> {
    let blanks: Vec<usize> = (0..content.len()).filter(|&at| content[at].is_ascii_whitespace()).take(2).collect();
    blanks.iter().rev().find_map(|&at| Some((key_of(content[..at].trim_ascii_end())?, &content[at..])))
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
fn is_sitemap(key: &[u8], value: &[u8]) -> bool {
    let is_scheme = key.eq_ignore_ascii_case(b"https") || key.eq_ignore_ascii_case(b"http");
    is_scheme && value.starts_with(b"//") && memchr::memmem::find(value, b"sitemap").is_some()
}

/// The comment that a line is in another language.
fn as_comment(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    let inner = match line {
        [b'<', b'!', b'-', b'-', inner @ ..] => inner.strip_suffix(b"-->").unwrap_or(inner),
        [b'/', b'*', inner @ ..] => inner.strip_suffix(b"*/").unwrap_or(inner),
        _ if meant::wide_comment(line).is_some() => meant::wide_comment(line)?,
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
            ("Site-map", "Sitemap"),
            ("crawldelay", "Crawl-delay"),
        ] {
            assert_eq!(nearest(written.as_bytes()), Some(meant), "{written}");
        }
        for other in
            ["TDM-Policy", "Noindex", "Nofollow", "x", "", "http", "\u{fffd}", "Disallow everything that there is"]
        {
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
            ("Sitemap https://a.example/s.xml", "Sitemap: https://a.example/s.xml"),
            ("User-agent Googlebot", "User-agent: Googlebot"),
            ("User agent *", "User-agent: *"),
            ("Crawl-delay 10", "Crawl-delay: 10"),
            ("Host a.example", "Host: a.example"),
            ("Dissalow /x", "Disallow: /x"),
            ("Disallow = /x", "Disallow: /x"),
            ("Disallow=/x", "Disallow: /x"),
            ("Disallow; /x", "Disallow: /x"),
            ("Disallow - /x", "Disallow: /x"),
            ("Disallow/x", "Disallow: /x"),
            ("User-agent*", "User-agent: *"),
            ("Disallow", "Disallow:"),
            ("Disallow the robots", ""),
            ("Allow all", ""),
            ("Disallow /a: b", ""),
            ("Noindex /x", "Noindex: /x"),
            ("Comment all of it", ""),
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
    fn signs_that_look_like_a_colon_are_none() {
        for (line, expected) in [
            ("Disallow： /x", "Disallow: /x"),
            ("Disallow：/x", "Disallow: /x"),
            ("Dissallow ： /x：y", "Disallow: /x：y"),
            ("user agent∶*", "User-agent: *"),
            ("Sitemap：https://a.example/s.xml", "Sitemap: https://a.example/s.xml"),
            ("Noindex꞉ /x", "Noindex: /x"),
            ("Allow：", "Allow:"),
            ("注意：/x", ""),
            ("Disallow:：/x", ""),
            ("Disallow: /：x", ""),
            ("Disallow /：x", ""),
            ("Disallow /x", ""),
        ] {
            let found = by_look_alike(line.as_bytes()).map(|(key, value)| record(key, value));
            assert_eq!(found.unwrap_or_default(), expected, "{line}");
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
            ("＃ x", "# x"),
            ("/x", ""),
            ("<p>", ""),
        ] {
            assert_eq!(as_comment(line.as_bytes()).unwrap_or_default(), expected, "{line}");
        }
    }
}
