//! Answers, as a policy keeps them.
//!
//! A policy is a set of answers: for each URL that was asked, the greatest of each kind. What an origin's lines come to is
//! derived from them. Keeping the greatest is a fold that does not depend on any order, so merging policies is a union:
//! `merge(compile(A), compile(B))` is `compile(A and B)`, byte for byte.

mod failures;
mod kept;
mod resolve;
mod urls;

pub(super) use failures::Failures;
pub use failures::LONGEST as LONGEST_UNREACHABLE;
pub(crate) use kept::Answer;
pub use kept::AnswerKind;
pub(super) use kept::{Answers, CompareRules, Content, Folded, Kept, StoredRules};
pub use resolve::FinalStatuses;
pub(super) use resolve::{Hops, Resolved, Resolver};
pub(super) use urls::{KeptUrl, Placement, Urls, split};
