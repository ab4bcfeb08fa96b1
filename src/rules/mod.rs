//! Rules as ranked patterns.
//!
//! Which of several matching rules wins does not depend on the URL: the longest, or the first in the file, or any
//! `Disallow`. So [`Patterns::rank`] sorts a crawler's rules once, and decides ties: the rule that beats all others gets
//! rank 0, the next rank 1, and so on. The code after this module compares ranks and needs no dialect. A [`Pattern`] is a
//! list of literal segments with a `*` between neighbours, in the normal form of the dialect's percent-encoding
//! ([`Encoding::path`](crate::dialect::Encoding::path) brings a URL's path into the same form, after
//! [`UrlPath::of`](crate::dialect::UrlPath::of) has found the path that is fetched).

pub(crate) mod chosen;
mod encoding;
mod fetched_url;
mod pattern;
mod rank;
mod url_path;

pub use chosen::{ChosenRules, Explanation, KeptRule};
pub use encoding::ByteSet;
pub(crate) use encoding::{KeptBytes, escaped, push_escape};
pub(crate) use fetched_url::{fetched_url, redirected};
#[cfg(test)]
pub(crate) use pattern::tried;
pub use pattern::{Pattern, Patterns, Verdict};
pub(crate) use rank::{cut_escape, deciding_rule};
pub use url_path::AskedPaths;
pub(crate) use url_path::{is_dot_segment, is_path};
