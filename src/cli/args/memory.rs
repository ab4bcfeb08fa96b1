//! Help that tells what `--memory` comes to: all of its numbers are those of the budget.

use crate::formats::external_sort::KeyRuns;
use crate::output::FileFormat;
use crate::run::{BYTES_PER_URL, DEFAULT_MEMORY, LISTS_OF_SET, workers_within};

/// The default of `--memory`.
pub const MEMORY: &str = "1G";

/// The help of `--memory` for a run.
pub fn memory_of_run() -> String {
    let workers = |format, explain| workers_within(DEFAULT_MEMORY, format, explain);
    format!(
        "The memory budget, such as 512M or 2GiB\n\nWith less, there are fewer workers: {MEMORY} holds {} for one crawler, {} with --format \
         parquet, {} with --explain. A line, a Zstandard window or pages of Parquet that do not fit are an error, or skipped with \
         --skip-bad.",
        workers(FileFormat::Text, false),
        workers(FileFormat::Parquet, false),
        workers(FileFormat::Text, true),
    )
}

/// The help of `--unique`.
pub fn leaving_out_repeated() -> String {
    let ([least, most, _], part, line) = (BYTES_PER_URL, LISTS_OF_SET, KeyRuns::BYTES_PER_LINE);
    format!(
        "Leave out lines whose URL occurred before\n\nKEY says which are the same: `fetched`, the default, if a fetcher asks for the same \
         thing; `bytes`; or `surt`, by the keys of CDX and CDXJ. Hashes are stored in --out or TMPDIR, {least} to {most} bytes per URL; lists \
         larger than {}/{} of --memory are read twice, with {line} bytes per line. With --shard, it needs --keys.",
        part.pieces, part.of
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::bytes;

    #[test]
    fn the_default_is_that_of_the_library() {
        assert_eq!(bytes(MEMORY), Ok(DEFAULT_MEMORY));
    }

    /// No help has a number about memory that the budget does not know.
    #[test]
    fn help_has_no_numbers_of_its_own() {
        let sources = [
            include_str!("filter.rs"),
            include_str!("output.rs"),
            include_str!("policy.rs"),
            include_str!("choices.rs"),
            include_str!("../keys.rs"),
            include_str!("../compile.rs"),
        ];
        let is_size = |word: &str| {
            let unit = word.trim_start_matches(|digit: char| digit.is_ascii_digit());
            unit.len() < word.len() && ["K", "M", "G", "KiB", "MiB", "GiB"].contains(&unit)
        };
        for line in sources.iter().flat_map(|source| source.lines()).filter(|line| line.trim_start().starts_with("///"))
        {
            let words: Vec<&str> = line.split(|c: char| !c.is_ascii_alphanumeric()).collect();
            let example = ["such as", "is written", "2^30"].iter().any(|words| line.contains(words));
            assert!(example || !words.iter().any(|word| is_size(word)), "{line}");
            let parts = ["sixteenth", "eighth", "quarter of --memory", " workers for"];
            assert!(!parts.iter().any(|part| line.contains(part)), "{line}");
            let of_unit =
                words.windows(2).any(|pair| pair[0].parse::<u64>().is_ok() && is_size(&format!("1{}", pair[1])));
            assert!(!of_unit, "{line}");
        }
    }
}
