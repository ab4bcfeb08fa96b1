//! How lines are written: split into partitions, or all of them behind their verdicts.

use super::outcome::Partition;
use super::tally::Tally;
use super::worker::Sorted;
use crate::policy::Crawler;
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

/// The file of all lines behind their verdicts.
const VERDICTS: &str = "verdicts.tsv";

/// What stands for everybody (`*`) in the names of files.
const EVERYBODY: &str = "default";

impl Form {
    /// How many files there are for so many crawlers.
    pub(super) fn files(self, crawlers: usize) -> usize {
        match self {
            Form::Partitions => 4 * crawlers,
            Form::Verdicts => 1,
        }
    }

    /// The names of the files, crawler by crawler.
    pub(super) fn file_names(self, crawlers: &[Crawler]) -> Vec<String> {
        match self {
            Form::Partitions => partition_names(crawlers).iter().map(|name| self.file_name(name)).collect(),
            Form::Verdicts => vec![VERDICTS.to_owned()],
        }
    }

    /// The name of a partition's file; of verdicts, all partitions are in one.
    pub(super) fn file_name(self, partition: &str) -> String {
        match self {
            Form::Partitions => file_name(partition),
            Form::Verdicts => VERDICTS.to_owned(),
        }
    }

    /// The head of every file, where the lists have this head line, which may be empty.
    pub(super) fn head(self, crawlers: &[Crawler], of_lists: &[u8]) -> Vec<u8> {
        match self {
            Form::Partitions => of_lists.to_vec(),
            Form::Verdicts => {
                let columns = crawlers.iter().map(|crawler| format!("{}\t", crawler.agents()));
                let columns: String = columns.collect();
                [columns.as_bytes(), if of_lists.is_empty() { b"url\n" } else { of_lists }].concat()
            }
        }
    }

    /// The tallies of the lines in buffers that are about to be written, without what was put before them.
    pub(super) fn written(self, buffers: &[Vec<u8>], crawlers: usize) -> Vec<Tally> {
        let columns = match self {
            Form::Partitions => 0,
            Form::Verdicts => crawlers,
        };
        buffers.iter().map(|buffer| Tally::of_text(buffer, |line| behind(line, columns))).collect()
    }

    /// What these tallies must be, if what is written is what was read.
    pub(super) fn expected(self, input: &Tally, added_line_feeds: u64, crawlers: &[Sorted]) -> Vec<Tally> {
        match self {
            Form::Partitions => crawlers.iter().flat_map(|sorted| sorted.tallies).collect(),
            Form::Verdicts => vec![Tally { bytes: input.bytes + added_line_feeds, ..*input }],
        }
    }
}

/// The names of the partitions of all crawlers: `allowed`, or, where there are several crawlers, `allowed.examplebot`.
pub(super) fn partition_names(crawlers: &[Crawler]) -> Vec<String> {
    partition_names_of(&crawlers.iter().map(Crawler::agents).collect::<Vec<_>>())
}

/// The same, for crawlers that are known by their agents.
pub(crate) fn partition_names_of(crawlers: &[&Agents]) -> Vec<String> {
    let several = crawlers.len() > 1;
    let name = |agents: &Agents, partition: Partition| match agents.tokens() {
        _ if !several => partition.name().to_owned(),
        [] => format!("{}.{EVERYBODY}", partition.name()),
        tokens => format!("{}.{}", partition.name(), tokens.join("+")),
    };
    crawlers.iter().flat_map(|agents| Partition::ALL.map(|partition| name(agents, partition))).collect()
}

/// The name of a partition's file.
fn file_name(partition: &str) -> String {
    format!("{partition}.txt")
}

/// The file of a partition by its name in a receipt, if that is one that [`partition_names`] gives.
pub(super) fn file_of(name: &str) -> Option<String> {
    let (partition, crawler) = name.split_once('.').unwrap_or((name, ""));
    let is_token = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_' | b'+');
    let known = Partition::ALL.iter().any(|known| known.name() == partition);
    (known && crawler.bytes().all(is_token)).then(|| file_name(name))
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
    fn only_names_of_partitions_are_files() {
        for name in ["allowed", "blocked.examplebot", "deferred.a+b", "invalid.default"] {
            assert_eq!(file_of(name), Some(format!("{name}.txt")));
        }
        for name in ["", "urls", "allowed/x", "allowed../x", "blocked.a.b"] {
            assert_eq!(file_of(name), None, "{name}");
        }
    }

    #[test]
    fn what_stands_before_a_line_is_not_counted() {
        let of = |text: &str| Form::Verdicts.written(&[text.as_bytes().to_vec()], 2)[0];
        let mut plain = Tally::default();
        for line in ["http://a/\tx", ""] {
            plain.add_hashed(super::super::line_hash(line.as_bytes()), line.len() + 1);
        }
        assert_eq!(of("allowed\tblocked\thttp://a/\tx\ninvalid\tinvalid\t\n"), plain);
        assert_ne!(of("allowed\thttp://a/\tx\ninvalid\tinvalid\t\n"), plain, "a column is missing");
    }
}
