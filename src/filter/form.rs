//! How lines are written: split into partitions, or all of them behind their verdicts.

use super::tally::Tally;
use super::worker::Sorted;
use crate::robots::Agents;

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A file for each partition and crawler.
    #[default]
    Partitions,
    /// One file with all lines in their order, each behind the names of the partitions that it goes to, one for each
    /// crawler, separated by tabs. They stand before the line because a line may hold tabs itself.
    Verdicts,
}

/// What stands behind each verdict.
pub(super) const SEPARATOR: u8 = b'\t';

impl Form {
    /// How many files there are for so many crawlers.
    pub(super) fn files(self, crawlers: usize) -> usize {
        match self {
            Form::Partitions => 4 * crawlers,
            Form::Verdicts => 1,
        }
    }

    /// The head of every file, where the lists have this head line, which may be empty.
    pub(super) fn head(self, agents: &[&Agents], of_lists: &[u8]) -> Vec<u8> {
        match self {
            Form::Partitions => of_lists.to_vec(),
            Form::Verdicts => {
                let columns: String = agents.iter().map(|agents| format!("{agents}\t")).collect();
                [columns.as_bytes(), if of_lists.is_empty() { b"url\n" } else { of_lists }].concat()
            }
        }
    }

    /// The tally of lines that are about to be written, without what was put before them.
    pub(super) fn tally(self, text: &[u8], crawlers: usize) -> Tally {
        let columns = match self {
            Form::Partitions => 0,
            Form::Verdicts => crawlers,
        };
        Tally::of_text(text, |line| behind(line, columns))
    }

    /// What the tallies of all files must be, if what is written is what was judged.
    pub(super) fn expected(self, judged: &Tally, added_line_feeds: u64, crawlers: &[Sorted]) -> Vec<Tally> {
        match self {
            Form::Partitions => crawlers.iter().flat_map(|sorted| sorted.tallies).collect(),
            Form::Verdicts => vec![Tally { bytes: judged.bytes + added_line_feeds, ..*judged }],
        }
    }
}

/// A line without so many columns before it.
fn behind(line: &[u8], columns: usize) -> &[u8] {
    (0..columns).fold(line, |line, _| {
        let end = memchr::memchr(SEPARATOR, line);
        end.map_or(&[], |end| &line[end + 1..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_line_is_not_counted() {
        let of = |text: &str| Form::Verdicts.tally(text.as_bytes(), 2);
        let mut plain = Tally::default();
        for line in ["http://a/\tx", ""] {
            plain.add_hashed(super::super::line_hash(line.as_bytes()), line.len() + 1);
        }
        assert_eq!(of("allowed\tblocked\thttp://a/\tx\ninvalid\tinvalid\t\n"), plain);
        assert_ne!(of("allowed\thttp://a/\tx\ninvalid\tinvalid\t\n"), plain, "a column is missing");
    }
}
