//! The URLs of answers, in canonical form.

use crate::origin;
use crate::origin::InvalidUrl;

/// An origin and nothing else, in canonical form; a `/` after it does no harm.
pub(crate) fn bare_origin(text: &str) -> Result<String, InvalidUrl> {
    let line = origin::trimmed(text.as_bytes());
    let (canonical, at) = origin::canonical(line)?;
    if matches!(&line[at..], [] | b"/") { Ok(canonical) } else { Err(InvalidUrl::Host) }
}

/// A URL that was asked for, in canonical form, and its origin if it is a robots.txt; an error says what is wrong.
pub(super) fn page(url: &str) -> Result<(String, Option<String>), String> {
    // Nearly all: a thirteenth of the instructions that compiling a generated policy took went into parsing these twice.
    if let Some(origin) = url.strip_suffix("/robots.txt")
        && origin::is_surely_canonical(origin.as_bytes())
    {
        return Ok((url.to_owned(), Some(origin.to_owned())));
    }
    let (origin, at) =
        origin::canonical(origin::trimmed(url.as_bytes())).map_err(|reason| format!("{url:?}: {reason}"))?;
    let mut canonical = url::Url::parse(url).map_err(|error| format!("{url:?}: {error}"))?;
    canonical.set_fragment(None);
    let path = origin::path(&origin::trimmed(url.as_bytes())[at..]);
    let is_robots_txt = *path == *b"/robots.txt";
    // User info is no part of the origin; its robots.txt is the one that everybody else sees.
    let robots_url = origin::robots_url(&origin);
    let url = match is_robots_txt {
        true => robots_url,
        // Dot segments may lead to the robots.txt, but their author asked for something else.
        false if canonical.as_str() == robots_url => url.to_owned(),
        false => canonical.into(),
    };
    Ok((url, is_robots_txt.then_some(origin)))
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
