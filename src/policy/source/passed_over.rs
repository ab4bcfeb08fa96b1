//! Records of sources that are useless, or less useful than they seem, most often because of a mistake of their author.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::formats::{shown, visible};

/// Why a record of a source is useless, or less useful than it seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(all(feature = "warc", feature = "parquet")), allow(dead_code))]
pub(crate) enum Reason {
    /// A file in a folder whose name is not a plausible host.
    Name,
    /// A file in a folder that is damaged or cut short.
    DamagedFile,
    /// A file in a folder that is empty.
    EmptyFile,
    /// A line of JSON Lines that is no answer.
    BadLine,
    /// An answer in memory that is none.
    BadAnswer,
    /// A row of Parquet that is no answer.
    BadRow,
    /// A source that ends in damage.
    Rest,
    /// An answer for a URL that is not a robots.txt, and to which no redirect in the sources leads.
    Url,
    /// The same in an archive, where most answers are.
    Page,
    /// A file of which the archive has only the beginning.
    Truncated,
    /// A file that did not arrive whole.
    Incomplete,
    /// A body that is no text.
    NotText,
    /// An answer that is not HTTP.
    NotHttp,
    /// A file that is not encoded as its head says.
    Undecodable,
    /// A revisit whose original is in no archive.
    Unresolved,
    /// A record of an archive that is damaged or malformed.
    BadRecord,
}

impl Reason {
    /// The noun for one record and for several, and the rest of the message.
    fn words(self) -> [&'static str; 3] {
        match self {
            Reason::Name => [
                "name that is not a host",
                "names that are not hosts",
                "name each robots.txt by its host alone, such as www.example.com",
            ],
            Reason::DamagedFile => {
                ["file is damaged or cut short", "files are damaged or cut short", "their origins have no verdict"]
            }
            Reason::EmptyFile => ["file is empty", "files are empty", "an empty robots.txt allows everything"],
            Reason::BadLine => ["line is no response", "lines are no responses", "they are passed over"],
            Reason::BadAnswer => ["response is none", "responses are none", "they are passed over"],
            Reason::BadRow => ["row is no response", "rows are no responses", "they are passed over"],
            Reason::Rest => ["source ends in damage", "sources end in damage", "what follows is passed over"],
            Reason::Url | Reason::Page => [
                "response is not for /robots.txt",
                "responses are not for /robots.txt",
                "such responses are used only for redirects",
            ],
            Reason::Truncated => [
                "file was too long to be kept whole",
                "files were too long to be kept whole",
                "the whole lines of the beginning are used",
            ],
            Reason::Incomplete => [
                "file did not arrive whole or is damaged",
                "files did not arrive whole or are damaged",
                "there is no verdict by a part",
            ],
            Reason::NotText => ["body is no text", "bodies are no text", "their origins have no verdict"],
            Reason::NotHttp => ["response is not HTTP", "responses are not HTTP", "they count as no response"],
            Reason::Undecodable => {
                ["file is in an unknown coding", "files are in an unknown coding", "they count as no response"]
            }
            Reason::Unresolved => {
                ["revisit has no original", "revisits have no original", "what they repeat is not known"]
            }
            Reason::BadRecord => {
                ["record is damaged or malformed", "records are damaged or malformed", "their origins have no verdict"]
            }
        }
    }

    /// How many examples a message shows.
    fn shown(self) -> usize {
        if matches!(self, Reason::Name | Reason::Url) { 3 } else { 1 }
    }
}

/// The records passed over for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    pub(super) reason: Reason,
    count: u64,
    /// The first source with such a record, and the number of further ones.
    source: PathBuf,
    others: u64,
    last: PathBuf,
    /// The first examples in the first source.
    first: Vec<String>,
}

impl PassedOver {
    /// An empty list, with the first source.
    pub(super) fn new(source: &Path, reason: Reason) -> PassedOver {
        let (source, last) = (source.to_owned(), source.to_owned());
        PassedOver { reason, count: 0, source, others: 0, last, first: Vec::new() }
    }

    /// Counts one more record of a source.
    pub(super) fn add(&mut self, source: &Path, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.last != source {
            self.others += 1;
            self.last = source.to_owned();
        }
        if self.others == 0 && self.first.len() < self.reason.shown() {
            self.first.push(example());
        }
    }

    /// Whether this may be a mistake of the author, so that it deserves a warning.
    pub fn is_warning(&self) -> bool {
        self.reason != Reason::Page
    }

    /// Whether these records should have been a robots.txt, and are lost completely.
    pub fn is_loss(&self) -> bool {
        !matches!(self.reason, Reason::EmptyFile | Reason::Url | Reason::Page | Reason::Truncated)
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PassedOver { reason, count, source, others, first, .. } = self;
        let [one, several, hint] = reason.words();
        write!(f, "{}", shown(source))?;
        match others {
            0 => {}
            1 => f.write_str(" and another source")?,
            others => write!(f, " and {others} other sources")?,
        }
        let more = if *count > first.len() as u64 { ", ..." } else { "" };
        write!(f, ": {count} {}: {}{more}; {hint}", if *count == 1 { one } else { several }, visible(first.join(", ")))
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
    fn the_count_and_the_first_are_shown() {
        let (one, other) = (Path::new("sites"), Path::new("more"));
        let mut passed = PassedOver::new(one, Reason::Name);
        for name in ["a", "b", "c", "d"] {
            passed.add(one, || name.to_owned());
        }
        let text = passed.to_string();
        assert!(text.starts_with("sites: 4 names that are not hosts: a, b, c, ...; "), "{text}");
        passed.add(other, || "e".to_owned());
        passed.add(other, || "f".to_owned());
        let text = passed.to_string();
        assert!(text.starts_with("sites and another source: 6 names that are not hosts: a, b, c, ...; "), "{text}");
        let mut passed = PassedOver::new(one, Reason::BadLine);
        passed.add(one, || "line 7".to_owned());
        assert!(passed.to_string().starts_with("sites: 1 line is no response: line 7; "), "{passed}");
    }
}
