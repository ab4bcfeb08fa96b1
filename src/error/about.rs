//! What problems are about.

/// What a problem is about, if something is decided by it: what the program adds to the message, or what the library does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// Memory.
    Memory,
    /// Memory, for something that can also be skipped.
    MemoryOrSkipped,
    /// Lines that were read or written cannot be trusted, so the run cannot go on.
    Untrusted,
    /// Standard output, whose reader may be gone.
    StandardOutput,
    /// The column of URLs.
    Column,
    /// The column of URLs, or the head line.
    ColumnOrHead,
    /// The delimiter of columns.
    Delimiter,
    /// What the names of lists end with.
    NameEnd,
    /// Lists that cannot share partitions.
    OwnPartitions,
    /// The same, for the columns in the names of their folders.
    OwnPartitionsOrPathColumns,
    /// The name of a column, which may be that of a folder.
    ColumnName,
    /// Columns in the names of folders.
    PathColumns,
    /// Folders, which columns could replace.
    FoldersAsColumns,
    /// The folder of the output.
    Folder,
    /// The folder of the output, whose files may be replaced.
    UsedFolder,
    /// An earlier run, to resume or to discard.
    Unfinished,
    /// A run that cannot be resumed.
    NotResumable,
    /// Keys of an index.
    IndexKeys,
    /// The file of seen URLs.
    Seen,
    /// The file of seen URLs, and the duplicates of the run.
    SeenAndUnique,
    /// The file of seen URLs, and a shard.
    SeenAndShard,
    /// The keys of shards.
    Keys,
    /// The keys of shards, and the duplicates of one.
    KeysAndShard,
    /// The disk space for URLs.
    Space,
    /// A shard.
    Shard,
    /// Shards of different jobs.
    Jobs,
    /// Partitions in numbered files.
    Numbered,
    /// A damaged file of a shard.
    Damaged,
    /// A crawler.
    Crawler,
    /// The crawlers of a policy.
    Crawlers,
    /// A crawler that is given by a whole user-agent string.
    WholeUserAgent,
    /// A crawler's name with `*` in it.
    StarInList,
    /// A crawler's name with a character that product tokens do not have.
    Character,
    /// The names of the fields of answers.
    AnswerFields,
    /// The first line of a source, which may be a robots.txt.
    FirstLine,
    /// A file that has JSON Lines, and is no robots.txt.
    JsonLines,
    /// A file that has JSON, and is no robots.txt.
    Json,
    /// A file that has a table, and is no robots.txt.
    Table,
    /// A policy file of an older version.
    OlderPolicy,
}
