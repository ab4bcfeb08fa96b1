//! How to read sources.

use super::fetched_at::FetchedAt;
use super::fields::FieldNames;

setters! {
    /// How to read sources.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Options {
        /// What JSON Lines and Parquet files call the fields of answers.
        pub names: FieldNames,
        /// The current time, in seconds of Unix time: no answer's time may be more than a day later. `None` takes it
        /// from the clock.
        pub now: Option<i64>,
        /// Whether to pass over damaged data: a line of JSON Lines, a row of Parquet, and the unreadable rest of a
        /// file. Otherwise each of these is an error. A damaged record of an archive, if the next record can be found,
        /// and a damaged file of a folder are never errors: their origins count as incomplete. All are counted, and
        /// listed by [`Captures::passed_over`](crate::policy::Captures::passed_over).
        pub skip_bad: bool,
        /// The time for each answer without one: a file of a folder, a single robots.txt, and a line, a row or a record
        /// without a time. With `None` they have no time: any answer with a time is newer, and between two answers
        /// without a time, their bytes decide.
        pub fetched_at: Option<FetchedAt>,
    }
}
