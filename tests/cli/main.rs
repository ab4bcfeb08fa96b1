//! The program, end to end: inputs, outputs, messages and exit codes.
//!
//! Every run that should succeed is checked completely ([`support::results::Split`]): each line is in exactly one partition, byte
//! for byte and in order, and all numbers and checksums of the receipt are recomputed from the files. The assertions of
//! a test come on top of that.

mod against;
mod agents;
mod answers;
mod blocked_for;
mod cases;
mod cdxj_lists;
#[cfg(unix)]
mod changes;
mod check;
mod compress;
mod compressed;
mod compressed_lists;
#[cfg(feature = "warc")]
mod damaged_sources;
mod datasets;
mod delimited_lists;
mod destinations;
mod diff;
mod documentation;
mod doors;
mod durations;
mod endless;
mod explain;
#[cfg(feature = "parquet")]
mod explained_tables;
mod export;
mod extra_files;
mod fetched_paths;
mod folder_lock;
#[cfg(unix)]
mod follow;
mod foreign_archives;
mod frontier;
mod help;
#[cfg(feature = "parquet")]
mod hive_tables;
mod inputs;
mod inspect;
mod json_lists;
mod lint;
mod lists;
mod memory;
mod messages;
mod metrics;
mod naming_lists;
mod only;
mod output;
mod overrides;
mod parallel_lists;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_lists;
mod policies;
mod policy_lock;
mod preferences;
mod receipts;
mod redirects;
mod report;
mod report_against;
mod report_decided;
mod resume;
mod revisits;
mod seen;
mod shards;
mod skip_bad;
#[cfg(feature = "parquet")]
mod skipped_rows;
mod sources;
mod split_size;
mod statuses;
mod summary;
mod support;
#[cfg(feature = "parquet")]
mod table_metadata;
#[cfg(feature = "parquet")]
mod tables;
mod terminal;
mod times;
mod unique;
mod unique_shards;
mod verify;
mod views;
mod warc;
mod watching;
