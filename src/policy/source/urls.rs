//! The URLs of answers, in canonical form.

use std::borrow::Cow;

use crate::dialect::UrlPath;
use crate::origin;
use crate::origin::InvalidUrl;

/// Parses an origin and nothing else, except an optional `/` after it, into canonical form.
pub(crate) fn bare_origin(text: &str) -> Result<String, InvalidUrl> {
    let line = origin::trimmed(text.as_bytes());
    let (origin, at) = origin::of(line)?;
    if matches!(&line[at..], [] | b"/") {
        Ok(String::from_utf8_lossy(&origin).into_owned())
    } else {
        Err(InvalidUrl::Host)
    }
}

/// A requested URL in canonical form, and its origin if it is a robots.txt; an error says what is wrong.
pub(super) fn page<'u>(url: impl Into<Cow<'u, str>>) -> Result<(String, Option<String>), String> {
    let url = url.into();
    // Nearly all URLs: parsing these twice took a thirteenth of the instructions of compiling a generated policy.
    if let Some(origin) = url.strip_suffix("/robots.txt")
        && origin::is_surely_canonical(origin.as_bytes())
    {
        let origin = origin.to_owned();
        return Ok((url.into_owned(), Some(origin)));
    }
    let (origin, at) =
        origin::canonical(origin::trimmed(url.as_bytes())).map_err(|reason| format!("{url:?}: {reason}"))?;
    let mut canonical = url::Url::parse(&url).map_err(|error| format!("{url:?}: {error}"))?;
    canonical.set_fragment(None);
    // As written: dot segments may lead to the robots.txt, but the author asked for something else.
    let path = UrlPath::AsWritten.of(&origin::trimmed(url.as_bytes())[at..]);
    let is_robots_txt = *path == *b"/robots.txt";
    // User info is not part of the origin, whose robots.txt is the same without it.
    let robots_url = origin::robots_url(&origin);
    let url = match is_robots_txt {
        true => robots_url,
        false if canonical.as_str() == robots_url => url.into_owned(),
        false => canonical.into(),
    };
    Ok((url, is_robots_txt.then_some(origin)))
}

/// Whether a URL is named like a robots.txt, wherever it is. Redirects of a robots.txt mostly lead to such URLs, so answers
/// for them are kept even if no known redirect leads there yet.
pub(super) fn is_named_robots_txt(url: &str) -> bool {
    url.ends_with("/robots.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_urls_are_no_robots_txt() {
        for url in ["http://a.example/Robots.txt", "http://a.example/x/robots.txt", "http://a.example/robots.txt?x"] {
            assert_eq!(page(url), Ok((url.to_owned(), None)));
        }
        let robots_txt = ("https://a.example/robots.txt".to_owned(), Some("https://a.example".to_owned()));
        assert_eq!(page("HTTPS://u@A.example:443/robots.txt#x"), Ok(robots_txt));
        assert_eq!(page("http://a.example/x/../robots.txt").unwrap().0, "http://a.example/x/../robots.txt");
    }
}
