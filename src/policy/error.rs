//! Why there is no policy, or none for a crawler.

use super::image::WriteError;

/// Crawlers that cannot be the columns of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// None at all.
    #[error("a policy is for at least one crawler")]
    Empty,
    /// More than there is room for.
    #[error("a policy is for at most {most} crawlers, not {given}; compile several")]
    TooMany {
        /// How many there is room for.
        most: usize,
        /// How many were given.
        given: usize,
    },
    /// One that comes again.
    #[error("{agents} is given twice")]
    Twice {
        /// The one.
        agents: String,
    },
}

/// A crawler that a policy has no answer for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlerError {
    /// None is named, where there are several.
    #[error("the policy is for several crawlers ({known}); say for which one, or give a list in order of preference")]
    Several {
        /// Those that it is for.
        known: String,
    },
    /// One that the policy was not compiled for.
    #[error("the policy was not compiled for {given}, only for {known}; compile it for that crawler too")]
    Unknown {
        /// The text that was given.
        given: String,
        /// Those that it is for.
        known: String,
    },
    /// A list whose groups are to be merged, which columns cannot do.
    #[error(
        "under the dialect {dialect} the groups of all names of a list are merged, which cannot be done when they are \
         compiled one by one; compile the policy for the list {given}"
    )]
    Merged {
        /// The text that was given.
        given: String,
        /// The dialect.
        dialect: &'static str,
    },
}

/// Why two policies cannot be one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// They read robots.txt differently.
    #[error("the policies are of different dialects, {old} and {new}; compile one of them again under the other's")]
    Dialects {
        /// The older one's.
        old: &'static str,
        /// The newer one's.
        new: &'static str,
    },
    /// They are for different crawlers.
    #[error(
        "the policies are for different crawlers, or in another order: {old} and {new}; compile one of them again for \
         those of the other"
    )]
    Crawlers {
        /// The older one's.
        old: String,
        /// The newer one's.
        new: String,
    },
    /// The policy cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
