//! The list of robots.txt files that deferred lines of a pipe wait for, written while the run is in progress.

use hashbrown::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::seen::{Seen, UrlHash};
use crate::error::run::Error;
use crate::formats::is_stream;
use crate::formats::replace::{FileKind, begins_with};
use crate::origin;
use crate::output::error::unwritable;
use crate::output::missing_robots::{Asked, WaitingOrigins};
use crate::policy::{Policy, asked_columns, to_ask};

/// The head of the list. It has no counts, because a row is written before the first line that waits for it.
const HEAD: &str = "robots_txt\treason\tstatus\tasked_at\n";

/// Lists that an earlier run wrote.
pub(crate) const NEEDED_LIST: FileKind = FileKind {
    name: "a list of robots.txt to fetch that a pipe wrote",
    is_ours: |file| begins_with(file, HEAD.as_bytes()),
};

/// A list of the robots.txt files to fetch, each added once.
pub(super) struct NeededList {
    path: PathBuf,
    file: File,
    hash: UrlHash,
    seen: Seen,
}

impl NeededList {
    /// Begins the list.
    pub fn new(path: &Path) -> Result<NeededList, Error> {
        let file = begin(path).map_err(unwritable(path))?;
        Ok(NeededList { path: path.to_owned(), file, hash: UrlHash::new(), seen: Seen::new(&std::env::temp_dir())? })
    }

    /// Adds the robots.txt files that the deferred lines of a chunk wait for, in the order of the lines; `policy` has
    /// judged the chunk.
    pub fn add(&mut self, policy: &Policy, waiting: WaitingOrigins) -> Result<(), Error> {
        let rows = waiting.in_order().into_iter().map(|(origin, waiting)| {
            let Asked { url, status, at } = asked(policy, &origin);
            let row = format!("{url}\t{}\t{}\n", waiting.reason.name(), asked_columns(status, at));
            (self.hash.of(url.as_bytes()), row)
        });
        let (hashes, rows): (Vec<u128>, Vec<String>) = rows.unzip();
        let mut repeated = HashSet::new();
        self.seen.insert_all(&hashes, |at| {
            repeated.insert(at);
        })?;
        let new = rows.iter().enumerate().filter(|(at, _)| !repeated.contains(at));
        let text: String = new.map(|(_, row)| row.as_str()).collect();
        let written = self.file.write_all(text.as_bytes());
        written.map_err(unwritable(&self.path))
    }
}

/// Opens the file of a list, and writes its head.
fn begin(path: &Path) -> io::Result<File> {
    NEEDED_LIST.ensure_replaceable(path)?;
    let mut file = match is_stream(path) {
        // A shell may have redirected it to a file, which may have been written to.
        true => File::options().append(true).open(path)?,
        false => File::create(path)?,
    };
    file.write_all(HEAD.as_bytes())?;
    Ok(file)
}

/// The URL to fetch for an origin with waiting lines.
pub(super) fn asked(policy: &Policy, origin: &str) -> Asked {
    let answered = policy.origin(origin.as_bytes()).map(|(_, record)| record.state().answered).unwrap_or_default();
    let status = answered.status;
    // Others are the only URL of their chain.
    let chain = status.filter(|status| (300..400).contains(status)).map(|_| policy.chain(origin)).unwrap_or_default();
    match to_ask(&chain) {
        Some(hop) => Asked { url: hop.url.clone(), status, at: hop.asked_at() },
        None => Asked { url: origin::robots_url(origin), status, at: answered.fetched_at },
    }
}
