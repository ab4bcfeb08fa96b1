//! Findings about the path of a rule.

use super::FindingKind;
use super::finding::{Findings, excerpt};
use super::meant::{self, has_host, is_file_ending, is_regular_expression, without_expression};
use crate::dialect::{Dialect, Encoding, RuleStart, UrlPath, Wildcards};
use crate::rules;

/// A rule line.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleLine<'a> {
    pub line: u32,
    /// Its key, as written.
    pub key: &'a [u8],
    pub value: &'a [u8],
    /// Whether it is outside every record, which the parser has noted.
    pub outside: bool,
}

impl RuleLine<'_> {
    /// The same line with another path.
    pub fn with(&self, path: &[u8]) -> String {
        format!("{}: {}", excerpt(self.key), excerpt(path))
    }
}

/// The most lines that are proposed in place of one.
pub(super) const PROPOSED: usize = 32;

/// Checks the path of a rule. What makes the rest of it meaningless is reported alone.
pub(super) fn check(rule: &RuleLine<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let RuleLine { line, value, outside, .. } = *rule;
    if let Some((path, comment)) = meant::comment(value) {
        let reason = "only # begins a comment: this rule matches only paths that have the rest of the line in them";
        let path = if meant::is_start(path) { Some(path.to_vec()) } else { meant::path(path) };
        let proposal = path.map(|path| format!("{} # {}", rule.with(&path), excerpt(comment)));
        let proposal = proposal.map(|proposal| proposal.trim_end_matches([' ', '#']).to_owned());
        findings.add_with(FindingKind::ForeignComment, line, reason, proposal, None);
        return;
    }
    let begins = matches!(value.first(), None | Some(b'/' | b'*'));
    let path = || meant::path(value).map(|path| rule.with(&path));
    // If any value can be a rule, the parser has not noted this.
    if !begins && !outside && dialect.rule_start == RuleStart::Any {
        findings.add_with(FindingKind::RuleWithoutSlash, line, without_slash(value, "matches no path"), path(), None);
    }
    if has_host(value) {
        if begins {
            let reason = "a rule is a path without scheme and host: this one matches only paths that contain its host";
            findings.add_with(FindingKind::RuleWithHost, line, reason, path(), None);
        }
        return;
    }
    // The parser has noted that it is ignored, so it has no effect to report.
    if !begins && dialect.rule_start != RuleStart::Any {
        if is_regular_expression(value) {
            expression(rule, findings);
        }
        return;
    }
    wildcards(rule, dialect, findings);
    segments(rule, dialect, findings);
    let several = meant::several(value);
    if let Some(words) = &several {
        let reason = "the whole value is one path, spaces included; give each path its own line";
        let is_clear = words.len() <= PROPOSED && words.iter().all(|word| meant::is_start(word));
        let lines = || words.iter().map(|path| rule.with(path)).collect::<Vec<_>>().join("\n");
        findings.add_with(FindingKind::SeveralPaths, line, reason, is_clear.then(lines), None);
    }
    if let Some(at) = first_unescaped(value, several.is_some(), dialect.encoding)
        && begins
        && !is_regular_expression(value)
        && !(value[at] == b'\\' && dialect.url_path == UrlPath::AsFetched)
    {
        if let Some(reason) = cut_escape(value, at, dialect) {
            // Written as `%25`, it would match a percent sign only.
            findings.add(FindingKind::Unescaped, line, reason);
            return;
        }
        let bare = meant::unquoted(value);
        // After it, a sign may be what is searched for.
        let is_clear = several.is_none() && (bare.len() == value.len() || !bare.ends_with(b"="));
        let path = is_clear.then(|| meant::encoded(bare)).flatten();
        let proposal = path.map(|path| rule.with(&path));
        findings.add_with(FindingKind::Unescaped, line, unescaped(&value[at..]), proposal, None);
    }
}

/// What a rule matches by the escape at this offset, if that is the first of all that is unescaped, and cut.
fn cut_escape(value: &[u8], at: usize, dialect: &Dialect) -> Option<String> {
    let special = dialect.wildcards == Wildcards::Special;
    let anchored = special && value.ends_with(b"$");
    let begin = rules::cut_escape(&value[at..], special, anchored)?;
    let digit = begin.map_or(String::new(), |digit| char::from(digit).to_uppercase().to_string());
    let all = match dialect.encoding {
        Encoding::RuleOnly | Encoding::Escaped => format!("everything that is written with %{digit} there"),
        Encoding::DecodedExceptSlash if digit.is_empty() => "a percent sign, and the escape of / (%2F)".to_owned(),
        Encoding::DecodedExceptSlash if digit == "2" => "a percent sign before 2, and the escape of / (%2F)".to_owned(),
        Encoding::DecodedExceptSlash => format!("a percent sign before {digit}, since this dialect decodes escapes"),
        Encoding::NormalForm => format!("all escapes that begin with %{digit}, and a percent sign that begins none"),
    };
    Some(format!(
        "an escape is cut here: the rule matches {all}; letters, digits and -._~ are no escapes, however they are written"
    ))
}

/// What follows a `#` inside of a path, if that is no comment: nothing between it and the path is blank, nor is what follows.
pub(super) fn hash_inside<'t>(line: &'t [u8], value: &[u8]) -> Option<&'t [u8]> {
    let at = memchr::memchr(b'#', line)?;
    let (before, after) = (&line[..at], &line[at + 1..]);
    let is_path = meant::is_start(value) && before.ends_with(value);
    let is_comment =
        after.first().is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'#') && !after.trim_ascii().is_empty();
    (is_path && !is_comment).then_some(after)
}

impl RuleLine<'_> {
    /// Reports what a `#` inside of its path makes of it.
    pub(super) fn check_hash(&self, after: &[u8], findings: &mut Findings<'_>) {
        let (rule, verb) =
            if self.key.eq_ignore_ascii_case(b"allow") { ("allows", "allow") } else { ("blocks", "block") };
        let is_all = self.value.iter().all(|byte| matches!(byte, b'/' | b'*')) && !self.value.starts_with(b"//");
        let what = match is_all {
            true => format!("{rule} the whole site"),
            false => format!("{rule} all that begins with {}", excerpt(self.value)),
        };
        let after = excerpt(after.trim_ascii());
        let reason = format!(
            "# begins a comment, so this rule {what}; no rule can {verb} #{after} alone, because fetchers never send what follows a #"
        );
        findings.add(FindingKind::HashInside, self.line, reason);
    }
}

/// Why a value is no rule.
pub(super) fn without_slash(value: &[u8], but: &str) -> String {
    let form = if has_host(value) { ", without scheme and host" } else { "" };
    format!("a rule begins with a slash{form}; this one {but}")
}

/// Reports a regular expression.
fn expression(rule: &RuleLine<'_>, findings: &mut Findings<'_>) {
    let reason = "robots.txt has no regular expressions: only * and a $ at the end are special";
    let proposal = without_expression(rule.value).map(|path| rule.with(&path));
    findings.add_with(FindingKind::RegularExpression, rule.line, reason, proposal, None);
}

/// Reports what is special elsewhere, and what looks special.
fn wildcards(rule: &RuleLine<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let RuleLine { line, value, .. } = *rule;
    if is_regular_expression(value) {
        return expression(rule, findings);
    }
    if dialect.wildcards == Wildcards::Literal {
        if value.contains(&b'*') || value.ends_with(b"$") {
            let reason = "this dialect has no wildcards: * and $ are plain characters";
            findings.add(FindingKind::LiteralWildcard, line, reason);
        }
        return;
    }
    if has_dollar_inside(value) {
        let reason = "a $ is special only at the end: this rule matches only paths that have a $ there";
        let end = value.iter().rposition(|&byte| byte != b'$').map_or(0, |at| at + 1);
        let body = &value[..end];
        // Several at the end mean one.
        let proposal = (!body.contains(&b'$')).then(|| rule.with(&[body, b"$"].concat()));
        findings.add_with(FindingKind::DollarInside, line, reason, proposal, None);
    }
    if let Some(at) = dot_star(value) {
        let shown = excerpt(&value[..=at]);
        let reason = format!("the . is one here: only paths that begin with {shown} match; without it, more would");
        findings.add(FindingKind::DotStar, line, reason);
    }
    if value.windows(2).any(|two| two == b"**") {
        let mut path = value.to_vec();
        path.dedup_by(|one, other| *one == b'*' && *other == b'*');
        let reason = "one * stands for any characters already";
        findings.add_with(FindingKind::RepeatedStar, line, reason, Some(rule.with(&path)), None);
    }
}

/// Whether a `$` is neither at the end, nor the beginning of a name in a path or a query, as in `/$metadata` and `?$top=1`.
fn has_dollar_inside(value: &[u8]) -> bool {
    let last = value.len().saturating_sub(1);
    let is_name = |at: usize| {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'{');
        let next = value.get(at + 1).is_some_and(is_part);
        next && at > 0 && matches!(value[at - 1], b'/' | b'?' | b'&' | b'=')
    };
    value.iter().enumerate().any(|(at, &byte)| byte == b'$' && at < last && !is_name(at))
}

/// Reports segments that no path has that is fetched.
fn segments(rule: &RuleLine<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let RuleLine { line, value, .. } = *rule;
    if dialect.url_path != UrlPath::AsFetched {
        return;
    }
    if has_dot_segment(value, dialect.wildcards) {
        let reason = "fetchers resolve segments . and .. before they ask, so this rule matches no path";
        let proposal = meant::resolved(value).map(|path| rule.with(&path));
        findings.add_with(FindingKind::DotSegment, line, reason, proposal, None);
    }
    let path = value.split(|&byte| byte == b'?').next().unwrap_or_default();
    if value.starts_with(b"/") && path.contains(&b'\\') && !is_regular_expression(value) {
        let reason = "fetchers read \\ in a path as /, so this rule matches only paths with %5C";
        let proposal = meant::with_slashes(value).map(|path| rule.with(&path));
        findings.add_with(FindingKind::Backslash, line, reason, proposal, None);
    }
}

/// The offset of the dot of a `.*` that may be one of a regular expression.
fn dot_star(value: &[u8]) -> Option<usize> {
    let body = value.strip_suffix(b"$").unwrap_or(value);
    let last = body.len().checked_sub(2).filter(|&at| body.ends_with(b".*") && is_any_ending(&body[..at]));
    last.or_else(|| {
        // Who writes a star alone knows what it means.
        let is_alone = |at: usize| at == 0 || value[at - 1] != b'.';
        let mut stars = memchr::memchr_iter(b'*', value);
        let is_known = stars.clone().any(is_alone);
        stars.find(|&at| !is_known && is_odd_inside(&value[..at - 1], &value[at + 1..])).map(|at| at - 1)
    })
}

/// Whether a name before `.*` at the end is one of any ending, but not that of the page of a folder, in any language.
fn is_any_ending(before: &[u8]) -> bool {
    let name = before.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let is_page = name.eq_ignore_ascii_case(b"index") || name.eq_ignore_ascii_case(b"default");
    !is_page && before.last().is_some_and(u8::is_ascii_alphanumeric)
}

/// Endings before which names have parts that are made by programs, between dots.
const MADE: [&[u8]; 5] = [b"js", b"mjs", b"css", b"map", b"json"];

/// Whether text around `.*` is such that a path hardly has a dot there: letters, and then more of the name, a slash, or the ending of a
/// file. After a digit, it may be a version.
fn is_odd_inside(before: &[u8], after: &[u8]) -> bool {
    let ends = |byte: &u8| matches!(byte, b'/' | b'?' | b'$' | b'*');
    let is_odd = match after {
        [b'.', rest @ ..] => {
            let ending = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
            is_file_ending(ending) && !MADE.iter().any(|made| made.eq_ignore_ascii_case(ending))
        }
        [next, ..] => *next == b'/' || next.is_ascii_alphanumeric() || matches!(next, b'-' | b'_'),
        [] => false,
    };
    is_odd && before.last().is_some_and(u8::is_ascii_alphabetic)
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
    let is_utf8 = std::str::from_utf8(value).is_ok();
    let is_wrong = |&(at, &byte): &(usize, &u8)| match byte {
        b' ' | b'\t' if several => false,
        // Google's C++ library escapes it itself, if it is UTF-8.
        0x80.. if encoding == Encoding::RuleOnly && is_utf8 => false,
        _ => meant::is_unescaped(value, at),
    };
    value.iter().enumerate().find(is_wrong).map(|(at, _)| at)
}

/// How the character at the start of `rest` should be written.
fn unescaped(rest: &[u8]) -> String {
    let first = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    let bytes = &rest[..first.map_or(1, char::len_utf8)];
    let escape = meant::escaped(bytes).escape_ascii().to_string();
    match first {
        Some('%') => "% begins an escape of two hexadecimal digits, or should be written %25".to_owned(),
        Some(' ') => "a space should be percent-encoded: %20".to_owned(),
        Some(character) if !character.is_control() => {
            format!("the character {character} should be percent-encoded: {escape}")
        }
        None if char::from(bytes[0]).is_alphabetic() => {
            let character = char::from(bytes[0]);
            format!(
                "the byte {:02X} is no UTF-8; if it is {character}, it should be percent-encoded as UTF-8: {escape}",
                bytes[0]
            )
        }
        None => format!("the byte {:02X} is no UTF-8", bytes[0]),
        _ => format!("a byte should be percent-encoded: {escape}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_in_a_path_is_no_comment() {
        let found = |line: &str| {
            let value = line.split('#').next().unwrap().split_once(':').unwrap().1.trim();
            hash_inside(line.as_bytes(), value.as_bytes()).is_some()
        };
        for line in [
            "Disallow: /#anchor",
            "Disallow:/a#b",
            "Allow: /#",
            "Disallow: /a#/b c",
            "Disallow: *#x",
            "Disallow: /a#b # c",
        ] {
            assert!(found(line), "{line}");
        }
        for line in [
            "Disallow: / # x",
            "Disallow: /a\t#x",
            "Disallow: /a# a comment",
            "Disallow: #x",
            "Disallow: /a ## x",
            "Disallow: x#y",
            "Disallow: /a",
        ] {
            assert!(!found(line), "{line}");
        }
    }

    #[test]
    fn a_dot_that_may_be_one_of_an_expression_is_noted() {
        for (pattern, before) in [
            ("/foo.*", "/foo"),
            ("/a/b2.*$", "/a/b2"),
            ("/*/foo.*", "/*/foo"),
            ("/img.*/x", "/img"),
            ("/img.*/", "/img"),
            ("/c.*.pdf", "/c"),
            ("/c.*.HTML$", "/c"),
            ("/2.*/foo.*bar", "/2.*/foo"),
            ("/foo.*_x?a", "/foo"),
        ] {
            assert_eq!(dot_star(pattern.as_bytes()), Some(before.len()), "{pattern}");
        }
        let patterns = "/index.* /a/Default.* /*.* /a-.* /.* .* /a* /*.*/x /v1.*/x /app.*.js /news.*.en.html \
                        /foo.*?x= /a*b.*/c */a.*.html /S*.* *";
        for pattern in patterns.split(' ').chain([""]) {
            assert_eq!(dot_star(pattern.as_bytes()), None, "{pattern}");
        }
    }

    #[test]
    fn a_dollar_that_begins_a_name_is_no_mistake() {
        for pattern in ["/a$b", "/x$*", "/x$$", "/a$/b", "/*.php$?x", "/$*"] {
            assert!(has_dollar_inside(pattern.as_bytes()), "{pattern}");
        }
        for pattern in ["/a$", "/$metadata", "/$%7Bx%7D/", "/x?$top=1", "/a", "", "$", "/a?b=$1$"] {
            assert!(!has_dollar_inside(pattern.as_bytes()), "{pattern}");
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
        assert!(
            of(b"/\xe9a", false, Encoding::Escaped)
                .is_some_and(|reason| reason.contains("é") && reason.ends_with("%C3%A9"))
        );
        assert!(of(b"/\x85", false, Encoding::Escaped).is_some_and(|reason| reason.ends_with("85 is no UTF-8")));
        assert_eq!(of("/é".as_bytes(), false, Encoding::RuleOnly), None);
        assert!(of(b"/\xe9", false, Encoding::RuleOnly).is_some());
        assert_eq!(of(b"/a /b", true, Encoding::NormalForm), None);
    }
}
