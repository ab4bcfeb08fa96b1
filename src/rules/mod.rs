//! Rules as ranked patterns.
//!
//! Which of several matching rules wins is known before any URL is seen: longest first, or file order, or any
//! `Disallow`. So [`Patterns::rank`] sorts a crawler's rules once and gives the winner over all others rank 0, the
//! next rank 1, and so on; whatever comes after this module compares ranks and knows no dialect. A [`Pattern`] is a
//! list of literal segments with a `*` between each two, in the normal form of the dialect's percent-encoding
//! ([`Encoding::path`](crate::dialect::Encoding::path) brings a URL's path into the same form).

pub(crate) mod chosen;
mod cover;
mod encoding;
pub(crate) mod pattern;
mod rank;
#[cfg(test)]
pub(crate) mod tried;
pub(crate) mod verdict;

pub use chosen::{ChosenRules, Explanation, KeptRule};
pub use encoding::ByteSet;
pub(crate) use encoding::escaped;
pub use pattern::{Pattern, Patterns};
pub use verdict::Verdict;
