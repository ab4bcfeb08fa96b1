//! A URL as fetchers ask for it, and the URL that a redirect leads to.
//!
//! Schemes, hosts, ports and the escapes of paths are read by the `url` crate. Paths are resolved here, as those of lines are: the crate
//! keeps drive letters (`/C:/..`) in all URLs, the URL Standard in those of files only.

use std::borrow::Cow;
use url::{ParseError, Position, Url};

use crate::dialect::UrlPath;
use crate::origin;

/// An absolute http or https URL, as it is fetched: without its fragment. Others are as the `url` crate reads them.
///
/// # Errors
///
/// Those of the `url` crate.
pub(crate) fn fetched_url(text: &str) -> Result<Url, ParseError> {
    let text = without_line_ends(text);
    let trimmed = origin::trimmed(text.as_bytes());
    // Any other text has no origin, or another scheme.
    let mut url = match origin::split(trimmed) {
        Ok((_, rest)) => {
            let path = UrlPath::AsFetched.of(rest);
            let head = String::from_utf8_lossy(&trimmed[..trimmed.len() - rest.len()]);
            // Blanks before a fragment are part of the path, those at the end of a URL are not.
            Url::parse(&(head + String::from_utf8_lossy(&path) + "#"))?
        }
        Err(_) => Url::parse(&text)?,
    };
    url.set_fragment(None);
    Ok(url)
}

/// The URL that a redirect of another leads to, without its fragment; `None` if its location makes no sense, or names no URL: nothing,
/// or a fragment alone, would stand for the redirecting URL itself (RFC 3986, 4.4).
pub(crate) fn redirected(from: &str, location: &str) -> Option<Url> {
    let from = fetched_url(from).ok()?;
    let location = without_line_ends(location);
    let location: String = location.trim_matches(|char| char <= ' ').replace(['\t', '\r'], "");
    let mut target = match relative_to(&from, &location) {
        None => fetched_url(&location),
        Some(rest) => match rest.as_bytes() {
            [b'/' | b'\\', b'/' | b'\\', ..] => fetched_url(&format!("{}:{rest}", from.scheme())),
            [] | [b'#', ..] => return None,
            [b'?', ..] => from.join(rest),
            [b'/' | b'\\', ..] => fetched_url(&format!("{}{rest}", &from[..Position::BeforePath])),
            _ => {
                let path = from.path();
                let folder = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
                fetched_url(&format!("{}{folder}{rest}", &from[..Position::BeforePath]))
            }
        },
    };
    if let Ok(target) = &mut target {
        target.set_fragment(None);
    }
    target.ok()
}

/// What a location says relative to a URL; `None` if it is absolute. With the scheme of that URL, and without two slashes, it is relative
/// (URL Standard 4.4, scheme state).
fn relative_to<'l>(from: &Url, location: &'l str) -> Option<&'l str> {
    let Some(end) = origin::scheme_end(location.as_bytes()) else { return Some(location) };
    let (scheme, rest) = (&location[..end], &location[end + 1..]);
    let is_absolute = !scheme.eq_ignore_ascii_case(from.scheme()) || rest.starts_with("//");
    (!is_absolute).then_some(rest)
}

/// The URL Standard removes line ends wherever they are, and lists have none in their lines.
fn without_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains('\n') { Cow::Owned(text.replace('\n', "")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drive_letters_are_segments_like_others() {
        for (written, fetched) in [
            ("http://h/C:/../x", "http://h/x"),
            ("HTTP://H:80/c|/..", "http://h/"),
            ("http:h/a/C:/./../x#y", "http://h/a/x#y"),
            ("http://u:p@h\\C:\\..\\x?/../y", "http://u:p@h/x?/../y"),
            ("http://h/C\t:/\n../x", "http://h/x"),
            ("http://h/%43:/..", "http://h/"),
            ("file:///C:/../x", "file:///C:/x"),
            ("ftp://h/x", "ftp://h/x"),
        ] {
            let found = fetched_url(written).map(String::from);
            let expected = fetched.split('#').next().map(str::to_owned);
            assert_eq!(found.ok(), expected, "{written:?}");
        }
        assert!(fetched_url("http://").is_err() && fetched_url("x").is_err());
    }

    #[test]
    fn a_redirect_leads_where_fetchers_go() {
        for (location, target) in [
            ("/x", "http://h/x"),
            ("x", "http://h/a/C:/x"),
            ("../x", "http://h/a/x"),
            ("../../x", "http://h/x"),
            ("..", "http://h/a/"),
            ("/C:/../x", "http://h/x"),
            ("C:/../x", "c:/../x"),
            ("//o/C:/../x", "http://o/x"),
            ("\\\\o\\C|\\..\\x", "http://o/x"),
            ("https:/o/C:/../x", "https://o/x"),
            ("https://o/C:/../x#y", "https://o/x"),
            ("http:x", "http://h/a/C:/x"),
            ("http:/D:/../x", "http://h/x"),
            ("http:\\\\o\\x", "http://o/x"),
            ("HTTP:../x", "http://h/a/x"),
            ("?y", "http://h/a/C:/robots.txt?y"),
            (" /a\tb\r\n", "http://h/ab"),
            ("x?/../y", "http://h/a/C:/x?/../y"),
        ] {
            let found = redirected("http://h/a/C:/robots.txt?q", location).map(String::from);
            // The crate normalises other schemes in its own way.
            let is_other = location.starts_with("C:");
            assert!(found.as_deref() == Some(target) || is_other && found.is_some(), "{location:?}: {found:?}");
        }
        for location in ["http://", "", " ", "#", "#y", "\t#", "http:", "HTTP:#y"] {
            assert_eq!(redirected("http://h/", location), None, "{location:?}");
        }
        assert_eq!(redirected("no url", "/x"), None);
    }

    /// Without drive letters, it is what the `url` crate does, but for what names no URL.
    #[test]
    fn other_urls_are_as_the_crate_reads_them() {
        let pieces =
            ["http:", "https:", "/", "\\", "..", ".", "%2e", "a", "b:81", "?", "#", "x", " ", "\t", "%41", "é", "@"];
        let mut dice = crate::rng::Rng(58);
        for _ in 0..if cfg!(miri) { 50 } else { 20_000 } {
            let location: String = (0..dice.below(9)).map(|_| dice.of(&pieces)).collect();
            let slashes = location.replace(['\t', ' '], "").replace('\\', "/");
            // The standard ignores the third slash before a host, in relative references as well.
            if slashes.contains("///") {
                continue;
            }
            for from in ["http://h/a/b/robots.txt?q", "https://u@h:81/"] {
                let found = redirected(from, &location);
                let expected = Url::parse(from).unwrap().join(&location).ok().map(|mut url| {
                    url.set_fragment(None);
                    url
                });
                let names_none = found.is_none() && expected.as_ref().map(Url::as_str) == Some(from);
                if names_none {
                    continue;
                }
                assert_eq!(found, expected, "{from} {location:?}");
            }
        }
    }
}
