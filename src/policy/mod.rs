//! The policy: the rules of many origins' robots.txt files.
//!
//! A policy is a set of answers. [`Captures`] gathers answers from sources and stores, for each URL, the greatest
//! answer of each kind. Each origin's state is derived from these. The result is an image (module `image`): a look-up
//! table of origins; their records; rows of groups for each crawler; the automata, rules and side records of all
//! distinct groups, each stored once; and the answers. A [`Policy`] is a view of an image. [`Captures::policy`] makes
//! it in memory; [`Policy::open`] reads, and [`Policy::map`] maps, a file that [`Captures::write`] wrote. The bytes are
//! the same in all cases. [`merge()`] makes one policy of several.
//!
//! The operator's [`Overrides`] take precedence over all answers.

mod capture;
mod captures;
mod compiled;
mod crawlers;
mod error;
mod groups;
mod image;
mod lookup;
mod merge;
mod overrides;
mod pilots;
mod provenance;
mod resolve;
mod side_records;
pub mod source;
mod state;
mod statistics;
mod union;
mod url_answers;
mod urls;

pub use crate::formats::write_lock::{LockNotice, WriteLock};
pub use crate::robots::{BodyFlaw, NoteCounts, NoteKind};
pub use capture::Capture;
pub use captures::Captures;
pub use compiled::Policy;
pub(crate) use compiled::{Hop, to_ask, unasked};
pub(crate) use crawlers::columns_of;
pub use crawlers::{Crawler, Crawlers};
pub use error::{CrawlerError, CrawlersError, ImageError, MergeError, OpenError, WriteError};
pub(crate) use groups::Row;
#[cfg_attr(feature = "internals", visibility::make(pub))]
pub(crate) use groups::{Group, Groups};
#[cfg(feature = "cli")]
pub(crate) use image::POLICY_FILE;
#[cfg_attr(feature = "internals", visibility::make(pub))]
pub(crate) use image::{Record, Trust};
#[cfg_attr(feature = "internals", visibility::make(pub))]
pub(crate) use lookup::Lookup;
pub(crate) use lookup::{Entry as LookupEntry, hash};
pub use merge::{Merged, merge};
pub use overrides::{Override, OverrideProblem, Overrides, OverridesError};
#[cfg_attr(feature = "internals", visibility::make(pub))]
pub(crate) use provenance::{Outline, WrittenRules};
#[cfg_attr(feature = "internals", visibility::make(pub))]
pub(crate) use resolve::FinalStatuses;
pub use state::{Answered, OriginStatus, Ruling};
#[cfg_attr(feature = "internals", visibility::make(pub))]
pub(crate) use state::{Class, LastGood, OriginState, OverrideState, Times};
pub use statistics::{CaptureCounts, CompileProgress, Statistics};
pub(crate) use url_answers::StoredAnswer;
pub use url_answers::{AnswerKind, LONGEST_UNREACHABLE};
