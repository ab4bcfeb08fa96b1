//! Records of a source that answer for no origin, most often by a mistake of its author.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::formats::{shown, visible};

/// How many names a message shows.
const SHOWN: usize = 3;

/// Why a record of a source is of no use, or of less than it seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A file in a folder whose name is not a plausible host.
    Name,
    /// An answer for a URL that is not a robots.txt.
    Url,
}

/// The records passed over in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    source: PathBuf,
    reason: Reason,
    count: u64,
    first: Vec<String>,
}

impl PassedOver {
    /// An empty list.
    pub(super) fn new(source: &Path, reason: Reason) -> PassedOver {
        PassedOver { source: source.to_owned(), reason, count: 0, first: Vec::new() }
    }

    /// Counts one more.
    pub(super) fn add(&mut self, name: &str) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(name.to_owned());
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PassedOver { source, reason, count, first } = self;
        let (source, first) = (shown(source), visible(first.join(", ")));
        let more = if *count > SHOWN as u64 { ", ..." } else { "" };
        match reason {
            Reason::Name => {
                let names = if *count == 1 { "name that is not a host" } else { "names that are not hosts" };
                write!(f, "{source}: {count} {names}: {first}{more}")?;
                f.write_str("; name each robots.txt by its host alone, such as www.example.com")
            }
            Reason::Url => {
                let responses = if *count == 1 { "response is" } else { "responses are" };
                write!(f, "{source}: {count} {responses} not for /robots.txt: {first}{more}; ")?;
                f.write_str(if *count == 1 {
                    "it is used only for redirects"
                } else {
                    "they are used only for redirects"
                })
            }
        }
    }
}

/// Endings of names that are not hosts: no such top-level domain is delegated.
const ENDINGS: [&str; 13] =
    [".txt", ".html", ".htm", ".json", ".jsonl", ".csv", ".tsv", ".xml", ".bak", ".tmp", ".log", ".yaml", ".toml"];

/// Whether a host can be that of a site: it has a dot and a top-level domain, or is an IP address or `localhost`.
pub(super) fn is_plausible(origin: &str) -> bool {
    let Some((_, host)) = origin.split_once("://") else { return false };
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    };
    host == "localhost" || host.starts_with('[') || host.contains('.') && !ENDINGS.iter().any(|end| host.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_a_top_level_domain() {
        for host in ["a.example", "localhost", "localhost:80", "127.0.0.1", "[::1]:8080", "xn--bcher-kva.example"] {
            assert!(is_plausible(&format!("http://{host}")), "{host}");
        }
        for host in ["readme", "example.com.txt", "www.a.net_robots.txt", "a:80"] {
            assert!(!is_plausible(&format!("https://{host}")), "{host}");
        }
    }

    #[test]
    fn the_count_and_the_first_three_are_shown() {
        let mut passed = PassedOver::new(Path::new("sites"), Reason::Name);
        assert!(passed.is_empty());
        for name in ["a", "b", "c", "d"] {
            passed.add(name);
        }
        let text = passed.to_string();
        assert!(text.starts_with("sites: 4 names that are not hosts: a, b, c, ...; "), "{text}");
    }
}
