//! The names of a run's files.

use super::form::Form;
use super::frame::FrameFormat;
use super::outcome::Partition;
use crate::robots::Agents;

/// What the file of all lines behind their verdicts is called.
const VERDICTS: &str = "verdicts";

/// What stands for everybody (`*`) in the names of files.
const EVERYBODY: &str = "default";

/// The endings of partitions and of verdicts.
const TEXT: &str = "txt";
const TABLE: &str = "tsv";

/// The name of an output: `allowed.examplebot.txt.gz`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileName {
    /// What it is called, for example `allowed.examplebot`.
    pub stem: String,
    ending: &'static str,
    frames: Option<FrameFormat>,
}

impl FileName {
    /// The names of all files of a form, crawler by crawler.
    pub fn all(form: Form, agents: &[&Agents], frames: Option<FrameFormat>) -> Vec<FileName> {
        match form {
            Form::Partitions => {
                let stems = partition_names(agents).into_iter();
                stems.map(|stem| FileName { stem, ending: TEXT, frames }).collect()
            }
            Form::Verdicts => vec![FileName { stem: VERDICTS.to_owned(), ending: TABLE, frames }],
        }
    }

    /// The name as a whole.
    pub fn whole(&self) -> String {
        let FileName { stem, ending, frames } = self;
        let extension = frames.map_or(String::new(), |format| format!(".{}", format.extension()));
        format!("{stem}.{ending}{extension}")
    }
}

/// The names of the partitions of all crawlers, by their agents: `allowed`, or, where there are several crawlers,
/// `allowed.examplebot`.
pub(super) fn partition_names(agents: &[&Agents]) -> Vec<String> {
    let several = agents.len() > 1;
    let name = |agents: &Agents, partition: Partition| match agents.tokens() {
        _ if !several => partition.name().to_owned(),
        [] => format!("{}.{EVERYBODY}", partition.name()),
        tokens => format!("{}.{}", partition.name(), tokens.join("+")),
    };
    agents.iter().flat_map(|agents| Partition::ALL.map(|partition| name(agents, partition))).collect()
}

/// Whether a name is one that [`FileName`] gives to some run.
pub(super) fn is_output(name: &str) -> bool {
    let plain = [FrameFormat::Gzip, FrameFormat::Zstd].iter().find_map(|format| {
        let name = name.strip_suffix(format.extension())?;
        name.strip_suffix('.')
    });
    let Some((stem, ending)) = plain.unwrap_or(name).rsplit_once('.') else { return false };
    let (known, crawler) = stem.split_once('.').unwrap_or((stem, ""));
    let is_token = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_' | b'+');
    match ending {
        TEXT => Partition::ALL.iter().any(|partition| partition.name() == known) && crawler.bytes().all(is_token),
        TABLE => stem == VERDICTS,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_outputs_are_known() {
        for name in ["allowed.txt", "blocked.examplebot.txt", "deferred.a+b.txt.gz", "invalid.default.txt.zst"] {
            assert!(is_output(name), "{name}");
        }
        assert!(is_output("verdicts.tsv") && is_output("verdicts.tsv.gz"));
        for name in ["", "allowed", "urls.txt", "allowed/x.txt", "allowed../x.txt", "blocked.a.b.txt", "allowed.tsv"] {
            assert!(!is_output(name), "{name}");
        }
        for name in ["allowed.txt.bak", "allowed.txtgz", "verdicts.txt", "verdicts.a.tsv", "receipt.json", ".gz"] {
            assert!(!is_output(name), "{name}");
        }
    }
}
