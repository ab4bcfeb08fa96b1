//! Findings about sitemaps: each line has one absolute URL, and each sitemap one line.

use hashbrown::HashMap;

use super::FindingKind;
use super::finding::{Findings, Related, excerpt};
use super::host::is_file_ending;
use super::meant;
use super::rule::PROPOSED;

/// The sitemaps of the lines so far, as the URL standard writes them, with the first line of each and its value.
#[derive(Debug, Default)]
pub(super) struct Sitemaps<'a>(HashMap<Vec<u8>, (u32, &'a [u8])>);

impl<'a> Sitemaps<'a> {
    /// Checks the value of a line. What makes the rest of it meaningless is reported alone.
    pub fn check(&mut self, line: u32, value: &'a [u8], findings: &mut Findings<'_>) {
        if several(line, value, findings) {
            return;
        }
        if let Some((url, comment)) = comment(value) {
            let reason = "only # begins a comment: to crawlers, the rest of the line is a part of the URL";
            let proposal =
                format!("Sitemap: {} # {}", excerpt(url), excerpt(comment)).trim_end_matches([' ', '#']).to_owned();
            return findings.add_with(FindingKind::ForeignComment, line, reason, Some(proposal), None);
        }
        let absolute = absolute(value);
        if absolute.is_none() {
            let reason = "the value is not an absolute URL with scheme and host, so crawlers may not find the sitemap";
            let proposal = self::absolute(meant::unquoted(value)).and(Some(meant::unquoted(value)));
            let proposal = proposal.map(|url| format!("Sitemap: {}", excerpt(url)));
            findings.add_with(FindingKind::RelativeSitemap, line, reason, proposal, None);
        }
        let key = absolute.map_or_else(|| value.to_vec(), |url| String::from(url).into_bytes());
        let (first, text) = *self.0.entry(key).or_insert((line, value));
        if first != line && !value.is_empty() {
            let related = Related { line: first, text: format!("Sitemap: {}", excerpt(text)) };
            let reason = match text == value {
                true => format!("line {first} already has this sitemap"),
                false => format!("line {first} already has this sitemap, written in another way"),
            };
            findings.add_with(FindingKind::SitemapRepeated, line, reason, None, Some(related));
        }
    }
}

/// Reports several sitemaps, and returns whether there are.
fn several(line: u32, value: &[u8], findings: &mut Findings<'_>) -> bool {
    let parts = parts(value);
    let is_path = |part: &[u8]| part.starts_with(b"/") && ends_as_file(part);
    let sitemaps = parts.iter().copied().filter(|part| is_path(part) || absolute(part).is_some());
    let sitemaps: Vec<&[u8]> = sitemaps.collect();
    if sitemaps.len() > 1 {
        let is_between = |part: &&[u8]| part.eq_ignore_ascii_case(b"and") || matches!(*part, b"&" | b"+");
        let others = parts.iter().filter(|part| !is_between(part)).count();
        let is_clear =
            sitemaps.len() <= PROPOSED && others == sitemaps.len() && !sitemaps.iter().any(|one| is_path(one));
        let lines = || sitemaps.iter().map(|url| format!("Sitemap: {}", excerpt(url))).collect::<Vec<_>>().join("\n");
        let reason = "the whole value is one URL, spaces and commas included; give each sitemap its own line";
        findings.add_with(FindingKind::SeveralSitemaps, line, reason, is_clear.then(lines), None);
    }
    sitemaps.len() > 1
}

/// The URL that a value is, if it is one with a scheme and a host.
fn absolute(value: &[u8]) -> Option<url::Url> {
    let text = std::str::from_utf8(value).ok()?;
    let url = url::Url::parse(text).ok().filter(url::Url::has_host)?;
    let rest = text.get(url.scheme().len()..)?.strip_prefix("://")?;
    (!rest.starts_with('/')).then_some(url)
}

/// The words of a value, and the URLs between signs.
fn parts(value: &[u8]) -> Vec<&[u8]> {
    let is_sign = |byte: &u8| matches!(byte, b',' | b';' | b'|');
    let mut parts = Vec::new();
    for word in value.split(u8::is_ascii_whitespace) {
        let mut from = 0;
        for at in memchr::memmem::find_iter(word, b"://").filter_map(|at| scheme_before(word, at)) {
            if at > from && is_sign(&word[at - 1]) {
                parts.push(&word[from..at]);
                from = at;
            }
        }
        parts.push(&word[from..]);
    }
    let bare = |part: &mut &[u8]| {
        let is_kept = |byte: &u8| !is_sign(byte);
        let from = part.iter().position(is_kept).unwrap_or(part.len());
        let end = part.iter().rposition(is_kept).map_or(from, |at| at + 1);
        *part = &part[from..end];
    };
    parts.iter_mut().for_each(bare);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Where the scheme begins that ends here, if sitemaps have it.
fn scheme_before(word: &[u8], end: usize) -> Option<usize> {
    [5, 4].into_iter().filter_map(|length| end.checked_sub(length)).find(|&at| {
        let scheme = &word[at..end];
        scheme.eq_ignore_ascii_case(b"https") || scheme.eq_ignore_ascii_case(b"http")
    })
}

/// The URL before a comment, and the comment: one as in another language, or text after the name of a file or a sitemap. It may be a
/// part of that name, if it looks as one of a file or a path itself.
fn comment(value: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some((url, text)) = meant::comment(value) {
        return absolute(url).filter(|_| !url.iter().any(u8::is_ascii_whitespace)).map(|_| (url, text));
    }
    let at = value.iter().position(u8::is_ascii_whitespace)?;
    let (url, text) = (&value[..at], value[at..].trim_ascii_start());
    let is_path = |word: &[u8]| word.contains(&b'/') || ends_as_file(word);
    let name = url.rsplit(|&byte| byte == b'/').next().unwrap_or_default().to_ascii_lowercase();
    let is_whole = ends_as_file(url) || memchr::memmem::find(&name, b"sitemap").is_some();
    let is_clear = is_whole && !text.split(u8::is_ascii_whitespace).any(is_path);
    absolute(url).filter(|_| is_clear).map(|_| (url, text))
}

/// Whether text ends in the ending of a file.
fn ends_as_file(text: &[u8]) -> bool {
    memchr::memrchr(b'.', text).is_some_and(|at| is_file_ending(&text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    /// The findings in lines with these values, each with its line, kind and proposal.
    fn found(values: &[&str]) -> Vec<String> {
        let (mut findings, mut sitemaps) = (Findings::new(Dialect::DEFAULT), Sitemaps::default());
        values.iter().zip(1..).for_each(|(value, line)| sitemaps.check(line, value.as_bytes(), &mut findings));
        let (list, _) = findings.in_order(b"");
        let shown = |proposal: Option<String>| proposal.unwrap_or_default().replace("Sitemap: ", "").replace('\n', " ");
        let one = |one: super::super::Finding| format!("{} {} {}", one.line, one.kind.name(), shown(one.proposal));
        list.into_iter().map(one).collect()
    }

    #[test]
    fn a_line_has_one_url() {
        for (value, expected) in [
            ("https://a.example/s.xml", ""),
            ("ftp://a.example/s.xml", ""),
            ("https://a.example/s,1.xml?a=1;b|c", ""),
            ("https://a.example/s?of=https://b.example/", ""),
            ("https://a.example/my sitemap.xml", ""),
            ("https://a.example/my map/s.xml", ""),
            (
                "https://a.example/s.xml, https://a.example/t.xml",
                "several-sitemaps https://a.example/s.xml https://a.example/t.xml",
            ),
            (
                "https://a.example/s.xml HTTP://a.example/t.xml",
                "several-sitemaps https://a.example/s.xml HTTP://a.example/t.xml",
            ),
            ("https://a.example/s;https://b.example/t;", "several-sitemaps https://a.example/s https://b.example/t"),
            ("https://a.example/s and https://b.example/t", "several-sitemaps https://a.example/s https://b.example/t"),
            ("https://a.example/s old: https://b.example/t", "several-sitemaps "),
            ("https://a.example/s.xml the main one", "foreign-comment https://a.example/s.xml # the main one"),
            ("https://a.example/s.xml.gz (main)", "foreign-comment https://a.example/s.xml.gz # (main)"),
            ("https://a.example/sitemap_index (main)", "foreign-comment https://a.example/sitemap_index # (main)"),
            ("https://a.example/s.xml, /t.xml", "several-sitemaps "),
            ("/s.xml /t.xml", "several-sitemaps "),
            ("https://a.example/my map", ""),
            ("https://a.example/ <!-- main -->", "foreign-comment https://a.example/ # main"),
            ("https://a.example/s // main", "foreign-comment https://a.example/s # main"),
            ("/s.xml", "relative-sitemap "),
            ("a.example/s.xml", "relative-sitemap "),
            ("//a.example/s.xml", "relative-sitemap "),
            ("a.example:80/s.xml", "relative-sitemap "),
            ("https:/a.example/s.xml", "relative-sitemap "),
            ("https:///s.xml", "relative-sitemap "),
            ("file:///s.xml", "relative-sitemap "),
            ("", "relative-sitemap "),
            ("<https://a.example/s.xml>", "relative-sitemap https://a.example/s.xml"),
            ("\u{feff}\"https://a.example/s.xml\"", "relative-sitemap https://a.example/s.xml"),
        ] {
            let expected = if expected.is_empty() { vec![] } else { vec![format!("1 {expected}")] };
            assert_eq!(found(&[value]), expected, "{value}");
        }
    }

    #[test]
    fn one_sitemap_may_be_written_in_several_ways() {
        let first = "https://a.example/s.xml";
        for same in [first, "HTTPS://A.example/s.xml", "https://a.example:443/s.xml", "https://a.example/x/../s.xml"] {
            assert_eq!(found(&[first, same]), ["2 sitemap-repeated "], "{same}");
        }
        for other in ["http://a.example/s.xml", "https://a.example/S.xml", "https://a.example:80/s.xml"] {
            assert_eq!(found(&[first, other]), [""; 0], "{other}");
        }
        assert_eq!(found(&["/s", "/s"]).last().map(String::as_str), Some("2 sitemap-repeated "));
    }
}
