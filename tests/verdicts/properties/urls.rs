//! The `url` crate as an oracle for the origin splitter: how a browser reads a line of a URL list.

use std::borrow::Cow;

use robosieve::internals;
use robosieve::internals::dialect::UrlPath;
use robosieve::origin;
use url::Url;

use super::as_fetched::as_fetched;

/// Panics unless the splitter, the slow path and the `url` crate agree on a line.
///
/// The line must contain no LF. Bytes that are not UTF-8 are compared only after the authority, where the standard
/// accepts anything.
pub fn agree(line: &[u8]) {
    let split = origin::split(line);
    let line = origin::trimmed(line);
    let cut = internals::origin::cut(line).filter(|&at| internals::origin::is_surely_canonical(&line[..at]));
    assert_eq!(cut.is_some(), matches!(split, Ok((Cow::Borrowed(_), _))), "what is surely canonical is not copied");
    let head = split.as_ref().map_or(line, |(_, rest)| &line[..line.len() - rest.len()]);
    if std::str::from_utf8(head).is_err() {
        return;
    }
    // The part before the path is UTF-8, so the path begins at the same place.
    let text = String::from_utf8_lossy(line);
    let expected = as_fetched(&text).ok();
    let expected = expected.filter(|url| matches!(url.scheme(), "http" | "https"));
    match (&split, &expected) {
        (Ok((origin, _)), Some(url)) => {
            assert_eq!(*origin, url.origin().ascii_serialization());
            same_path(&UrlPath::AsFetched.of(&text.as_bytes()[head.len()..]), url);
        }
        (Err(_), None) => {}
        _ => panic!("{split:?} and {expected:?} differ"),
    }
}

/// Compares paths before any percent-encoding: ours leaves that to the dialect.
fn same_path(path: &[u8], url: &Url) {
    let expected = [url.path(), url.query().map_or("", |_| "?"), url.query().unwrap_or("")].concat();
    let decoded = |path: &[u8]| percent_encoding::percent_decode(path).collect::<Vec<u8>>();
    assert_eq!(decoded(path), decoded(expected.as_bytes()));
    let slashes = |path: &[u8]| path.iter().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    assert_eq!(slashes(path), slashes(expected.as_bytes()));
}
