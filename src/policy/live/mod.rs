//! A policy that takes answers while it judges.
//!
//! A crawler [puts](LivePolicy::put) each answer as it arrives. The [state](state) is a map from URLs to their answers, over a policy
//! that stays as it is: a put makes a new version of the map, which shares all but a few nodes with the one before, and swaps it in. So
//! readers take no lock, see a put whole or not at all, and may keep the version that they began with.
//!
//! Nothing but the URL of the answer is touched. What follows for origins is [derived](origin) when one is judged, from the answers
//! on its redirect chain, with the functions that derive it when a policy is compiled; it holds as long as these have their versions. An
//! origin whose own answer is no redirect needs no others, so a put derives it at once.
//!
//! Files are counted by those who refer to them ([`ledger`]), so a replaced answer leaves nothing behind.

mod derived;
mod file;
mod ledger;
mod live_policy;
mod needed;
mod origin;
mod put;
mod report;
mod state;
mod waiting;

pub use live_policy::{LivePolicy, LiveStatistics};
pub use needed::Needed;
#[cfg(feature = "batch")]
pub(crate) use needed::asked_columns;
pub(crate) use origin::LiveOrigin;
pub use put::{Put, PutEffect};
pub use report::OriginReport;
pub(crate) use state::LiveState;
