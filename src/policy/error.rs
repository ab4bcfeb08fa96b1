//! Errors in crawlers and in merging policies.

use super::image::WriteError;

/// Crawlers that cannot be the columns of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// No crawlers.
    #[error("a policy needs at least one crawler")]
    Empty,
    /// More crawlers than there is room for.
    #[error("a policy can have at most {most} crawlers, not {given}; compile several policies")]
    TooMany {
        /// How many there is room for.
        most: usize,
        /// How many were given.
        given: usize,
    },
    /// The same crawler twice.
    #[error("{agents} is given twice")]
    Twice {
        /// The crawler.
        agents: String,
    },
}

/// A crawler that a policy has no answer for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlerError {
    /// No crawler named, though there are several.
    #[error("the policy has several crawlers ({known}); name one, or a list in order of preference")]
    Several {
        /// The crawlers of the policy.
        known: String,
    },
    /// A crawler that the policy was not compiled for.
    #[error("the policy was not compiled for {given}, only for {known}; compile it for that crawler too")]
    Unknown {
        /// The crawler asked for.
        given: String,
        /// The crawlers of the policy.
        known: String,
    },
    /// A list whose groups must be merged, which columns cannot do.
    #[error(
        "the dialect {dialect} merges the groups of all names in a list, which is impossible after compiling them \
         one by one; compile the policy for the list {given}"
    )]
    Merged {
        /// The list asked for.
        given: String,
        /// The dialect.
        dialect: &'static str,
    },
}

/// Why policies cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There are none.
    #[error("there are no policies to merge; give at least one")]
    None,
    /// They have different dialects.
    #[error("the policies have different dialects, {one} and {other}; compile one of them again with the other's")]
    Dialects {
        /// The dialect of the first one.
        one: &'static str,
        /// The dialect of another one.
        other: &'static str,
    },
    /// They are for different crawlers.
    #[error(
        "the policies have different crawlers, or in a different order: {one} and {other}; compile one of them again \
         for the other's"
    )]
    Crawlers {
        /// The crawlers of the first one.
        one: String,
        /// The crawlers of another one.
        other: String,
    },
    /// The merged policy cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
