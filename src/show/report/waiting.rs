//! The origins that lines wait for: `robots-needed.tsv`, counted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::formats::regular_file;
use crate::outcome::Reason;
use crate::output::folder::NEEDED;
use crate::output::missing_robots::parse_row;

/// The origins to fetch. Memory is bounded: by the reasons and statuses that there are, and by the number of origins
/// that are asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting {
    /// How many wait, and why.
    pub reasons: BTreeMap<Why, HowMany>,
    /// The origins that most lines wait for.
    pub origins: Vec<WaitingOrigin>,
}

/// Why lines wait for a robots.txt: the reason, and the HTTP status of its fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Why {
    pub reason: Reason,
    pub status: Option<u16>,
}

/// How many origins are waited for, and how many lines wait.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HowMany {
    pub origins: u64,
    pub lines: u64,
}

/// An origin that lines wait for; in their order, the one that most wait for is the greatest, and of equals the first by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaitingOrigin {
    pub lines: u64,
    pub origin: Reverse<String>,
    pub why: Why,
}

impl Waiting {
    /// Reads the list of a run's folder; the `most` origins that most lines wait for are told by name.
    pub fn read(directory: &Path, most: usize) -> io::Result<Waiting> {
        let file = match regular_file::open(&directory.join(NEEDED)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Waiting::default()),
            opened => opened?,
        };
        let mut waiting = Waiting::default();
        let mut top = BinaryHeap::new();
        for row in BufReader::new(file).lines().skip(1) {
            let row = row?;
            let Some((origin, found)) = parse_row(&row, 0) else { continue };
            let why = Why { reason: found.reason, status: found.status };
            let counts = waiting.reasons.entry(why).or_default();
            counts.origins += 1;
            counts.lines = counts.lines.saturating_add(found.lines);
            top.push(Reverse(WaitingOrigin { lines: found.lines, origin: Reverse(origin.to_owned()), why }));
            if top.len() > most {
                top.pop();
            }
        }
        waiting.origins = top.into_sorted_vec().into_iter().map(|Reverse(origin)| origin).collect();
        Ok(waiting)
    }
}
