//! From a line to a verdict: cuts out the host, looks up its policy, asks the matcher.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use memchr::{memchr, memchr3};
use url::{Position, Url};

use crate::Result;
use crate::clock;
use crate::list;

/// A URL in the forms matchers need: the whole, and its path with query and without fragment.
#[derive(Debug)]
pub struct Target<'a> {
    /// The whole URL, as in the list.
    pub url: &'a str,
    /// Path and query; begins with `/`.
    pub path: Cow<'a, str>,
}

/// One crate's policy for one robots.txt file and one agent.
pub trait Peer: Sized + Send + Sync {
    /// Name of the program and, with `-` for `_`, of the crate.
    const NAME: &'static str;

    /// Whether the program uses the `url` crate, as a user of this crate would, or cuts out the host by hand.
    const PARSES_URLS: bool = false;

    /// Parses (and compiles, where the crate does that) one file.
    ///
    /// # Errors
    ///
    /// If the crate rejects the file; the program then allows that host's URLs.
    fn compile(agent: &str, body: &'static [u8]) -> Result<Self>;

    /// The crate's verdict.
    fn allows(&self, agent: &str, target: &Target<'_>) -> bool;
}

/// The partition of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Allowed by its host's robots.txt.
    Allowed,
    /// Blocked by its host's robots.txt.
    Blocked,
    /// Not a URL, or no robots.txt for its host.
    Other,
}

/// The robots.txt files of a directory, as `(host, body)`.
///
/// The bodies live as long as the process, because some crates borrow from them.
pub type Bodies = Vec<(String, &'static [u8])>;

/// Reads all files of a directory, sorted by name.
///
/// # Errors
///
/// If the directory or one of its files cannot be read.
pub fn read_bodies(dir: &Path) -> Result<Bodies> {
    let mut bodies = Bodies::new();
    let entries = std::fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    for entry in entries {
        let entry = entry?;
        let host = entry.file_name().to_string_lossy().into_owned();
        bodies.push((host, std::fs::read(entry.path())?.leak()));
    }
    bodies.sort();
    Ok(bodies)
}

/// The text of a file for crates that need UTF-8; invalid bytes are replaced.
pub fn decoded(body: &'static [u8]) -> &'static str {
    match String::from_utf8_lossy(body) {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => text.leak(),
    }
}

/// All policies, and their index by host or origin.
pub struct Table<P> {
    agent: String,
    index: HashMap<String, usize>,
    policies: Vec<Option<P>>,
    /// Seconds spent in [`Peer::compile`] for all files.
    pub compile_seconds: f64,
    /// Hosts whose file the crate rejected, with its message.
    pub refused: Vec<String>,
}

impl<P: Peer> Table<P> {
    /// Compiles all files for one agent.
    pub fn build(agent: &str, bodies: &Bodies) -> Self {
        let start = clock::seconds();
        let compiled: Vec<Result<P>> = bodies.iter().map(|(_, body)| P::compile(agent, body)).collect();
        let compile_seconds = clock::seconds() - start;
        let mut table = Self {
            agent: agent.to_owned(),
            index: HashMap::new(),
            policies: Vec::new(),
            compile_seconds,
            refused: Vec::new(),
        };
        for ((host, _), policy) in bodies.iter().zip(compiled) {
            table.insert(host, policy);
        }
        table
    }

    fn insert(&mut self, host: &str, policy: Result<P>) {
        let at = self.policies.len();
        if P::PARSES_URLS {
            self.index.insert(format!("http://{host}"), at);
            self.index.insert(format!("https://{host}"), at);
        } else {
            self.index.insert(host.to_owned(), at);
        }
        if let Err(error) = &policy {
            self.refused.push(format!("{host}: {error}"));
        }
        self.policies.push(policy.ok());
    }

    /// Judges one line, with or without its line end.
    pub fn judge(&self, line: &[u8]) -> Verdict {
        let line = &*list::as_text(line);
        if !P::PARSES_URLS
            && let Some((at, target)) = self.locate(line)
        {
            return self.verdict(at, &target);
        }
        self.judge_parsed(line)
    }

    /// Judges a line whose host is not in the text as files are named: in upper case, say, or with user information.
    fn judge_parsed(&self, line: &str) -> Verdict {
        let Ok(url) = Url::parse(line) else {
            return Verdict::Other;
        };
        let origin = &url[..Position::BeforeUsername];
        let host = &url[Position::BeforeHost..Position::BeforePath];
        let found = if P::PARSES_URLS { self.index.get(&format!("{origin}{host}")) } else { self.index.get(host) };
        let Some(&at) = found else {
            return Verdict::Other;
        };
        let target = Target { url: line, path: Cow::Borrowed(&url[Position::BeforePath..Position::AfterQuery]) };
        self.verdict(at, &target)
    }

    /// The policy for a line and the target to ask it about, cut by hand.
    pub fn locate<'a>(&self, line: &'a str) -> Option<(usize, Target<'a>)> {
        let (host, path) = cut(line)?;
        let at = if P::PARSES_URLS { *self.index.get(&format!("http://{host}"))? } else { *self.index.get(host)? };
        Some((at, Target { url: line, path }))
    }

    /// Asks the policy with number `at`.
    pub fn verdict(&self, at: usize, target: &Target<'_>) -> Verdict {
        match &self.policies[at] {
            Some(policy) if !policy.allows(&self.agent, target) => Verdict::Blocked,
            _ => Verdict::Allowed,
        }
    }
}

/// Cuts an absolute http(s) URL into its host (with port, if any) and its path with query.
pub fn cut(line: &str) -> Option<(&str, Cow<'_, str>)> {
    let rest = line.strip_prefix("http://").or_else(|| line.strip_prefix("https://"))?;
    let Some(end) = memchr3(b'/', b'?', b'#', rest.as_bytes()) else {
        return Some((rest, Cow::Borrowed("/")));
    };
    let (host, path) = rest.split_at(end);
    let path = match memchr(b'#', path.as_bytes()) {
        Some(at) => &path[..at],
        None => path,
    };
    if path.starts_with('/') { Some((host, Cow::Borrowed(path))) } else { Some((host, Cow::Owned(format!("/{path}")))) }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn cuts() {
        for (line, host, path) in [
            ("http://a/b?c#d", "a", "/b?c"),
            ("https://a", "a", "/"),
            ("http://a?x/y", "a", "/?x/y"),
            ("http://a#x/y", "a", "/"),
            ("http://a:80/", "a:80", "/"),
        ] {
            let (found, rest) = cut(line).unwrap();
            assert_eq!((found, &*rest), (host, path), "{line}");
        }
        assert!(cut("ftp://a/").is_none());
        assert!(cut("").is_none());
    }
}
