//! Regular expressions, which robots.txt does not have.

/// Whether a pattern has something found only in regular expressions: a class, a group that is repeated or has alternatives, `.+`, `.*`
/// after a slash (elsewhere it may be for file extensions), an escape, or an anchor.
pub(super) fn is_regular_expression(value: &[u8]) -> bool {
    if !value.iter().any(|byte| matches!(byte, b'^' | b'.' | b'+' | b'\\' | b'[' | b']' | b'(')) {
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
        || [&b"/.*"[..], b"/^", b"\\d", b"\\w", b"\\.", b"\\/", b"\\?", b"(?:", b"]+", b"]*"]
            .iter()
            .any(|piece| has(piece))
        || ends_with(b".+")
        || ends_with(b")+")
        || ends_with(b")*")
        || has(b"(") && has(b"|") && has(b")")
        || class().is_some()
}

/// The most bytes between the brackets of a class.
const CLASS: usize = 20;

/// What a regular expression means, if robots.txt can say it.
pub(super) fn without_expression(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let text = text.strip_prefix('^').or(text.strip_prefix("/^")).unwrap_or(text);
    // Whether the dot is meant is not clear: `/foo.*` may be for `/foo.html`.
    let is_unclear = text.strip_suffix('$').unwrap_or(text).strip_suffix(".*").is_some_and(|body| !body.ends_with('/'));
    if is_unclear {
        return None;
    }
    let mut path = text.replace("\\/", "/").replace(".*", "*").replace("\\.", ".").replace("\\?", "?");
    if path.ends_with("/*") || path.ends_with("/*$") {
        path.truncate(path.rfind('*')?);
    }
    let path = if path.starts_with('/') { path } else { format!("/{path}") };
    let is_plain = !path.contains(['[', ']', '(', ')', '{', '}', '|', '+', '\\', '^']);
    is_plain.then(|| path.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_expressions_are_known() {
        for pattern in [
            "/[0-9]+/",
            "/a/.*",
            "/(en|de)/",
            "^/a",
            "/\\d+",
            "/a\\.php",
            "/[^/]*/x",
            "/x.+",
            "/^x",
            "/(a|b)",
            "/(ab)*/",
        ] {
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
            ("/foo.*", ""),
            ("/(a|b)", ""),
            ("/[0-9]+", ""),
            ("/\\d", ""),
        ] {
            let got = without_expression(value.as_bytes()).unwrap_or_default();
            assert_eq!(String::from_utf8(got).unwrap(), expected, "{value}");
        }
    }
}
