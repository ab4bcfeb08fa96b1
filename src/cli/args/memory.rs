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
        "The memory budget, such as 512M or 2GiB\n\nCovers what the run allocates on purpose: workers with their chunks and caches, the \
         longest line, the window of a decompressor, origins and keys until they go to disk, and robots.txt files being compiled. With \
         less, chunks and row groups are smaller, and there are fewer workers if not all fit: {MEMORY} holds {} for one crawler, {} with \
         --format parquet, {} with --explain. A line or the window of a Zstandard list that does not fit is an error, or skipped with \
         --skip-bad, and so are pages of Parquet that are read together, before they are decoded. Memory-mapped files do not count: the \
         system can reclaim their memory. Not bounded are some memory for each list, the footers of Parquet files, and, with --explain, \
         the rules of the groups that decide; a control group or ulimit bounds these.",
        workers(FileFormat::Text, false),
        workers(FileFormat::Parquet, false),
        workers(FileFormat::Text, true),
    )
}

/// The help of `--unique`.
pub fn leaving_out_repeated() -> String {
    let ([least, most, growing], part, line) = (BYTES_PER_URL, LISTS_OF_SET, KeyRuns::BYTES_PER_LINE);
    format!(
        "Leave out lines whose URL has occurred before\n\nIt may have occurred in the same list or an earlier one; the first line with \
         each URL stays. With `fetched`, the default, URLs are the same if a fetcher asks for the same thing: their serialisations by \
         the URL standard differ at most in the fragment, in escapes of letters, digits and `-._~`, and in the case of other escapes. \
         With `bytes` they are compared byte for byte, without surrounding spaces and control characters. With `surt`, lines of an \
         index of web archives (CDX, CDXJ) are compared by its keys, their first fields. The key may follow a space, so a list with \
         such a name is written `./bytes`. Lines without a valid URL are never left out. The receipt counts the lines left out. Seen \
         URLs are stored as 128-bit hashes in an unnamed file in the folder given by --out, or else in TMPDIR: {least} to {most} bytes \
         per URL, and {growing} while the file grows. It takes no memory but the page cache, and is fast as long as it fits there. So \
         lists that are files, and together larger than about {}/{} of --memory, are read twice: first to write {line} bytes per line \
         and to find in them what is repeated, which reads and writes in order only. With --resume, the lists are read again up to \
         where the run continues, or all of them if they are read twice. With --shard, it needs --keys.",
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
