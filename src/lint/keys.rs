//! Guesses which key a misspelt one was meant to be.

use crate::robots::SideKey;

/// The known key nearest to `written`, if their edit distance is at most a third of the known key's length.
pub(super) fn nearest(written: &[u8]) -> Option<&'static str> {
    let written = std::str::from_utf8(written).ok()?.to_ascii_lowercase();
    let known = ["User-agent", "Disallow", "Allow"].into_iter().chain(SideKey::ALL.iter().map(|key| key.name()));
    known
        .filter(|key| key.len().abs_diff(written.len()) <= key.len() / 3)
        .map(|key| (strsim::osa_distance(&written, &key.to_ascii_lowercase()), key))
        .filter(|(distance, key)| *distance <= key.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, key)| key)
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
