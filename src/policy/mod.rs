//! The policy: the rules of many origins' robots.txt files.
//!
//! A policy is a set of answers. [`Captures`] gathers answers from sources and stores, for each URL, the greatest
//! answer of each kind. Each origin's state is derived from these. The result is an image: a look-up
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
pub(crate) mod groups;
pub(crate) mod image;
mod live;
pub(crate) mod lookup;
mod merge;
mod overrides;
#[cfg(feature = "batch")]
mod overrides_file;
mod pilots;
pub(crate) mod provenance;
pub(crate) mod resolve;
mod side_records;
pub mod source;
pub(crate) mod state;
pub(crate) mod statistics;
mod union;
pub(crate) mod url_answers;
mod urls;

pub use crate::error::policy::{Error, ErrorKind};
pub use crate::formats::write_lock::{LockNotice, WriteLock};
pub use capture::Capture;
pub use captures::Captures;
pub use compiled::Policy;
pub(crate) use compiled::{Hop, to_ask, unasked};
pub(crate) use crawlers::columns_of;
pub use crawlers::{Crawler, Crawlers};
pub(crate) use error::other_dialect;
pub(crate) use groups::Row;
pub(crate) use groups::{Group, Groups};
#[cfg(feature = "cli")]
pub(crate) use image::POLICY_FILE;
pub(crate) use image::{Record, Trust};
#[cfg(feature = "batch")]
pub(crate) use live::asked_columns;
pub(crate) use live::{LiveOrigin, LiveState};
pub use live::{LivePolicy, LiveStatistics, Needed, OriginReport, Put, PutEffect};
pub(crate) use lookup::Lookup;
pub(crate) use lookup::{Entry as LookupEntry, hash};
pub use merge::{Merged, merge};
pub use overrides::{Override, Overrides};
pub(crate) use provenance::{Outline, WrittenRules};
pub(crate) use resolve::FinalStatuses;
pub use state::{Answered, OriginStatus, Ruling};
pub(crate) use state::{Class, OriginState, OverrideState, Times};
pub(crate) use statistics::CompileProgress;
pub use statistics::Statistics;
pub(crate) use url_answers::LONGEST_UNREACHABLE;
pub(crate) use url_answers::StoredAnswer;
