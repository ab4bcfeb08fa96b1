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
    /// Origins and lines, by reason and HTTP status.
    pub reasons: BTreeMap<(Reason, Option<u16>), (u64, u64)>,
    /// The origins that most lines wait for, with the reason and the status.
    pub origins: Vec<(u64, Reverse<String>, Reason, Option<u16>)>,
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
            let (origins, lines) = waiting.reasons.entry((found.reason, found.status)).or_default();
            *origins += 1;
            *lines = lines.saturating_add(found.lines);
            top.push(Reverse((found.lines, Reverse(origin.to_owned()), found.reason, found.status)));
            if top.len() > most {
                top.pop();
            }
        }
        waiting.origins = top.into_sorted_vec().into_iter().map(|Reverse(row)| row).collect();
        Ok(waiting)
    }
}
