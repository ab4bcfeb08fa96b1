//! Findings about single lines.

use super::FindingKind;
use super::finding::{Findings, excerpt};
use super::preferences;
use crate::dialect::{Dialect, Encoding, UrlPath, Wildcards};
use crate::robots::{self, Key, Line, NoteKind, Robots, SideKey};
use crate::rules;

/// Checks each line, together with the parser's notes on it.
pub(super) fn check(text: &[u8], robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let is_html = robots.notes.iter().any(|note| note.kind == NoteKind::LooksLikeHtml);
    // Hardly any line of an HTML page is a record; that is reported once.
    let is_said = |kind| is_html && matches!(kind, NoteKind::MissingColon | NoteKind::UnknownRecord);
    let mut notes = robots.notes.iter().filter(|note| !is_said(note.kind)).peekable();
    for line in robots::lines(text, dialect) {
        let read = robots::read(line.text, dialect.keys);
        let mut outside = false;
        while let Some(note) = notes.next_if(|note| note.line == line.number) {
            outside |= note.kind == NoteKind::RuleOutsideGroup;
            noted(note.kind, line.number, &read, robots, findings);
        }
        let Line::Record { key, written, colon, value } = read else { continue };
        accepted_slip(line.number, key, written, colon, value, findings);
        match key {
            Key::Allow | Key::Disallow => rule(line.number, value, outside, dialect, findings),
            Key::Side(SideKey::Sitemap) => sitemap(line.number, value, findings),
            Key::Side(key) => preferences::check(line.number, key, value, findings),
            _ => {}
        }
    }
}

/// Adds the finding for a parser's note on a line.
fn noted(kind: NoteKind, line: u32, read: &Line<'_>, robots: &Robots<'_>, findings: &mut Findings<'_>) {
    let (reason, proposal) = match (kind, read) {
        (NoteKind::RuleWithoutSlash, Line::Record { written, value, .. }) => {
            ("a rule begins with a slash; this one is ignored", with_slash(written, value))
        }
        (NoteKind::MissingColon, _) => ("it has no key and colon, so the line is ignored", with_colon(read)),
        (NoteKind::MisspeltKey | NoteKind::UnknownRecord, Line::Record { written, value, .. }) => {
            let proposal = nearest(written).map(|key| format!("{key}: {}", excerpt(value)));
            ("unknown key; the line is ignored", proposal)
        }
        (NoteKind::RuleOutsideGroup, _) if robots.agents.first().is_none_or(|agent| line < agent.line) => {
            ("before the first User-agent line; applies to no crawler and is ignored", None)
        }
        (NoteKind::RuleOutsideGroup, _) => ("after the end of its record; applies to no crawler and is ignored", None),
        (NoteKind::AllowIgnored, _) => ("this dialect has no Allow; the line is ignored", None),
        (NoteKind::LineCut, _) => ("the rest of the line, beyond the length limit or after a NUL, is ignored", None),
        (NoteKind::LooksLikeHtml, _) => {
            ("the file begins like an HTML page, not like plain text; lines that are not records are ignored", None)
        }
        // Notes about agents and about the whole file are reported elsewhere.
        _ => return,
    };
    let kind = match kind {
        // A key near a known one is a misspelling, though the parser does not look that closely.
        NoteKind::UnknownRecord if proposal.is_some() => FindingKind::MisspeltKey,
        kind => kind.into(),
    };
    findings.add_with(kind, line, reason, proposal, None);
}

/// The known key nearest to `written`, if their edit distance is at most a third of the known key's length.
fn nearest(written: &[u8]) -> Option<&'static str> {
    let written = std::str::from_utf8(written).ok()?.to_ascii_lowercase();
    let known = ["User-agent", "Disallow", "Allow"].into_iter().chain(SideKey::ALL.iter().map(|key| key.name()));
    known
        .filter(|key| key.len().abs_diff(written.len()) <= key.len() / 3)
        .map(|key| (strsim::osa_distance(&written, &key.to_ascii_lowercase()), key))
        .filter(|(distance, key)| *distance <= key.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, key)| key)
}

/// A rule as a path: with its slash, or without the origin if it is a whole URL.
fn with_slash(written: &[u8], value: &[u8]) -> Option<String> {
    let key = String::from_utf8_lossy(written).into_owned();
    let path = match crate::origin::canonical(value) {
        Ok((_, at)) => UrlPath::AsWritten.of(&value[at..]).into_owned(),
        Err(_) if value.contains(&b':') || value.starts_with(b"*") => return None,
        Err(_) => [b"/", value].concat(),
    };
    Some(format!("{key}: {}", excerpt(&path)))
}

/// A line with its missing colon, if it begins with a key.
fn with_colon(read: &Line<'_>) -> Option<String> {
    let Line::MissingColon { content } = read else { return None };
    let end = content.iter().position(u8::is_ascii_whitespace)?;
    let key = nearest(&content[..end])?;
    Some(format!("{key}: {}", excerpt(&content[end..])))
}

/// Reports a misspelt key or a missing colon that the dialect accepts: other crawlers may not.
fn accepted_slip(line: u32, key: Key, written: &[u8], colon: bool, value: &[u8], findings: &mut Findings<'_>) {
    let right = match key {
        Key::UserAgent => "User-agent",
        Key::Allow => "Allow",
        Key::Disallow => "Disallow",
        Key::Side(side) => side.name(),
        Key::Misspelt | Key::Unknown => return,
    };
    let (kind, what) = match written.eq_ignore_ascii_case(right.as_bytes()) {
        false => (FindingKind::MisspeltKey, "this key"),
        true if !colon => (FindingKind::MissingColon, "a line without a colon"),
        true => return,
    };
    let reason = format!("{what} is read as {right} here, but other crawlers may ignore it");
    findings.add_with(kind, line, reason, Some(format!("{right}: {}", excerpt(value))), None);
}

/// Whether a pattern has something found only in regular expressions: a class, a group that is repeated or has
/// alternatives, `.+`, `.*` after a slash (elsewhere it may be for file extensions), an escape, or an anchor.
fn is_regular_expression(value: &[u8]) -> bool {
    let has = |piece: &[u8]| memchr::memmem::find(value, piece).is_some();
    let class = || {
        let open = memchr::memchr(b'[', value)?;
        let close = open + memchr::memchr(b']', &value[open..])?;
        let inside = &value[open + 1..close];
        let range = inside.windows(3).any(|three| three[1] == b'-' && three[0].is_ascii_alphanumeric());
        (range || inside.first() == Some(&b'^')).then_some(())
    };
    value.starts_with(b"^")
        || [&b"/.*"[..], b".+", b"\\d", b"\\w", b"\\.", b"\\/", b"(?:", b")+", b")*", b"]+", b"]*"]
            .iter()
            .any(|piece| has(piece))
        || has(b"(") && has(b"|") && has(b")")
        || class().is_some()
}

fn rule(line: u32, value: &[u8], outside: bool, dialect: &Dialect, findings: &mut Findings<'_>) {
    let begins = matches!(value.first(), None | Some(b'/' | b'*'));
    // If any value can be a rule, the parser has not noted this.
    if !begins && !outside && dialect.rule_start == crate::dialect::RuleStart::Any {
        findings.add(FindingKind::RuleWithoutSlash, line, "a rule without a leading slash matches no path");
    }
    let several =
        value.split(u8::is_ascii_whitespace).filter(|part| matches!(part.first(), Some(b'/' | b'*'))).nth(1).is_some();
    if several {
        let reason = "the whole value is one path, spaces included; give each path its own line";
        findings.add(FindingKind::SeveralPaths, line, reason);
    }
    if is_regular_expression(value) {
        let reason = "robots.txt has no regular expressions: only * and a $ at the end are special";
        findings.add(FindingKind::RegularExpression, line, reason);
    }
    if dialect.wildcards == Wildcards::Literal && (value.contains(&b'*') || value.ends_with(b"$")) {
        let reason = "this dialect has no wildcards: * and $ are plain characters";
        findings.add(FindingKind::LiteralWildcard, line, reason);
    }
    if dialect.url_path == UrlPath::AsFetched && has_dot_segment(value, dialect.wildcards) {
        let reason = "fetchers resolve segments . and .. before they ask, so this rule matches no path";
        findings.add(FindingKind::DotSegment, line, reason);
    }
    if let Some(at) = first_unescaped(value, several, dialect.encoding) {
        findings.add(FindingKind::Unescaped, line, unescaped(&value[at..]));
    }
}

/// Whether every path that a pattern matches has a dot segment: the pattern has a whole one before its first `*` and any query. The
/// segment that the pattern ends in is whole if `$` ends it, and may go on otherwise.
fn has_dot_segment(value: &[u8], wildcards: Wildcards) -> bool {
    let is_special = wildcards == Wildcards::Special;
    let Some(rest) = value.strip_prefix(b"/") else { return false };
    let body = rest.strip_suffix(b"$").filter(|_| is_special);
    let text = body.unwrap_or(rest);
    let end = text.iter().position(|&byte| byte == b'?' || is_special && byte == b'*').unwrap_or(text.len());
    let is_last_whole = match text.get(end) {
        Some(&byte) => byte == b'?',
        None => body.is_some(),
    };
    let mut segments = text[..end].split(|&byte| byte == b'/');
    let last = segments.next_back().filter(|_| is_last_whole);
    segments.chain(last).any(rules::is_dot_segment)
}

/// The offset of the first byte that an encoded URL cannot contain.
fn first_unescaped(value: &[u8], several: bool, encoding: Encoding) -> Option<usize> {
    let changed = Encoding::NormalForm.changed_bytes();
    let is_wrong = |&(at, &byte): &(usize, &u8)| match byte {
        b' ' | b'\t' if several => false,
        b'%' => rules::escaped(&value[at..]).is_none(),
        // Google's C++ library escapes it itself.
        0x80.. if encoding == Encoding::RuleOnly => false,
        _ => changed.contains(byte),
    };
    value.iter().enumerate().find(is_wrong).map(|(at, _)| at)
}

/// How the character at the start of `rest` should be written.
fn unescaped(rest: &[u8]) -> String {
    let first = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    let bytes = &rest[..first.map_or(1, char::len_utf8)];
    let escape: String = bytes.iter().map(|&byte| percent_encoding::percent_encode_byte(byte)).collect();
    match first {
        Some('%') => "% begins an escape of two hexadecimal digits, or should be written %25".to_owned(),
        Some(' ') => "a space should be percent-encoded: %20".to_owned(),
        Some(character) if !character.is_control() => {
            format!("the character {character} should be percent-encoded: {escape}")
        }
        _ => format!("a byte should be percent-encoded: {escape}"),
    }
}

fn sitemap(line: u32, value: &[u8], findings: &mut Findings<'_>) {
    let is_absolute = std::str::from_utf8(value).is_ok_and(|url| url::Url::parse(url).is_ok());
    if !is_absolute {
        let reason = "the value is not an absolute URL with scheme and host, so crawlers may not find the sitemap";
        findings.add(FindingKind::RelativeSitemap, line, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_expressions_are_known() {
        for pattern in ["/[0-9]+/", "/a/.*", "/(en|de)/", "^/a", "/\\d+", "/a\\.php", "/[^/]*/x", "/x.+"] {
            assert!(is_regular_expression(pattern.as_bytes()), "{pattern}");
        }
        for pattern in ["/*.php$", "/a*b", "/a.*b", "/a[]=", "/x[a]=1", "/a(b)", "/*?a|b", "/c++/"] {
            assert!(!is_regular_expression(pattern.as_bytes()), "{pattern}");
        }
    }

    #[test]
    fn a_whole_dot_segment_matches_no_path_that_is_fetched() {
        let has = |pattern: &str, wildcards| has_dot_segment(pattern.as_bytes(), wildcards);
        for pattern in ["/../a", "/a/./b", "/a/%2E./", "/a/..?x", "/./*", "/a/..$", "/.$", "/./?x=*", "/%2e%2e/"] {
            assert!(has(pattern, Wildcards::Special), "{pattern}");
        }
        for pattern in
            ["/..", "/a/.", "/a/.b/", "/a/...", "/*/../", "/a?x=/../", "/..*", "/a/..%2f", "*/../", "/$", "/a\\..\\b"]
        {
            assert!(!has(pattern, Wildcards::Special), "{pattern}");
        }
        assert!(has("/*/../", Wildcards::Literal) && !has("/a/..$", Wildcards::Literal));
    }

    #[test]
    fn rules_get_their_slash() {
        let of = |value: &str| with_slash(b"Disallow", value.as_bytes());
        assert_eq!(of("private"), Some("Disallow: /private".to_owned()));
        assert_eq!(of("https://a.example/x?y"), Some("Disallow: /x?y".to_owned()));
        assert_eq!(of("a:b"), None);
        assert_eq!(of("*.gif"), None);
    }

    #[test]
    fn the_first_character_that_an_url_has_not_is_named() {
        let of = |value: &[u8], several, encoding| {
            first_unescaped(value, several, encoding).map(|at| unescaped(&value[at..]))
        };
        let normal = |value: &str| of(value.as_bytes(), false, Encoding::NormalForm);
        assert_eq!(normal("/a%20b%C3%A9?x=[1]&y;*$"), None);
        for (value, escape) in [("/a b", "%20"), ("/é", "%C3%A9"), ("/a|b", "%7C"), ("/100%", "%25"), ("/\u{7}", "%07")]
        {
            assert!(normal(value).is_some_and(|reason| reason.contains(escape)), "{value}: {:?}", normal(value));
        }
        assert!(of(b"/\xe9a", false, Encoding::Escaped).is_some_and(|reason| reason.contains("%E9")));
        assert_eq!(of("/é".as_bytes(), false, Encoding::RuleOnly), None);
        assert_eq!(of(b"/a /b", true, Encoding::NormalForm), None);
    }

    #[test]
    fn typing_mistakes_are_mended() {
        for (written, meant) in [
            ("Dissallow", "Disallow"),
            ("diasllow", "Disallow"),
            ("Disallowed", "Disallow"),
            ("User agent", "User-agent"),
            ("useragent", "User-agent"),
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
}
