//! What a site says about uses of its pages: training, search, and input of a model.
//!
//! A robots.txt says it in records that are no rules, so no verdict depends on them. Two are read here, by the texts:
//!
//! - `Content-Usage`: draft-ietf-aipref-attach-05 says where it stands, draft-ietf-aipref-vocab-07 what its labels `train-ai` and
//!   `search` mean, RFC 9651 how they are written. It may have a path, as rules have, and the longest that matches decides;
//! - `Content-Signal`: contentsignals.org, of September 2025, as its publishers write it. It has no path.
//!
//! A policy keeps the records as they were written, and everything else follows from them: [`Preferences`] are compiled when they
//! are asked for, by the same ranking and the same engines as rules. An automaton has two verdicts, so there is one for each use and
//! [`Preference`] that its lines have: whether the page has at least that one.
//!
//! What cannot be read is [`Preference::Broken`], which is not the same as absent: somebody meant something by it. So an unknown label
//! or a broken value never becomes a permission.

mod asked;
mod compiled;
mod line;
mod preference;

pub use asked::{PreferenceColumn, PreferenceColumns, Requirements};
pub use compiled::{Preferences, Preferred};
pub use line::PreferenceLine;
pub(crate) use line::{KeptUse, is_about_uses};
pub use preference::{Preference, PreferenceSource, SignalScope, Use};
