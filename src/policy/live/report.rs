//! What a crawler asks of an origin besides whether it may fetch a URL.

use std::collections::HashSet;

use super::live_policy::LivePolicy;
use super::state::{Gathering, LiveState};
use crate::error::policy::Error;
use crate::origin::{self, InvalidUrl};
use crate::policy::Policy;
use crate::policy::captures::Captures;
use crate::policy::state::{Answered, OriginStatus, OverrideState};
use crate::preferences::SignalScope;
use crate::robots::{Delay, SideKey};

/// The state of an origin, from [`LivePolicy::state`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OriginReport {
    /// The status after its last answer.
    pub origin_status: OriginStatus,
    /// The last answer: its status, its times, and since when it has been unreachable.
    pub answered: Answered,
    /// Until when the answer in use may be used by the dialect, in seconds of Unix time; `None` if there is none, or its age is unknown.
    /// After a failure it is the last good answer.
    pub usable_until: Option<i64>,
    /// The seconds between two fetches that the site, or the operator, asks for. Of several crawlers, the longest.
    pub crawl_delay: Option<f64>,
    /// The values of its `Sitemap` lines, in order; invalid UTF-8 is replaced.
    pub sitemaps: Vec<String>,
    /// Whether the operator overrides its answers.
    pub is_overridden: bool,
}

impl LivePolicy {
    /// The state of an origin, given as such or as any URL on it; `None` if nothing is known about it.
    ///
    /// # Errors
    ///
    /// [`InvalidUrl`] if it is neither.
    pub fn state(&self, origin_or_url: impl AsRef<[u8]>) -> Result<Option<OriginReport>, InvalidUrl> {
        let (origin, _) = origin::split(&origin_or_url)?;
        let (live, state) = (&*self.0, self.0.state.load_full());
        let Some(found) = live.origin(&state, origin.as_bytes()) else { return Ok(None) };
        let known = found.state();
        let until = || known.times_in_use().until(live.dialect.lifetime);
        let usable_until = if known.origin_status_in_use().is_definite() { until() } else { None };
        let delay = |column| Delay::of(&found.side_records(column, SignalScope::default()), live.dialect)?.seconds;
        let sitemaps = found.side_records(0, SignalScope::default()).into_iter();
        let sitemaps = sitemaps.filter(|record| record.key == SideKey::Sitemap);
        Ok(Some(OriginReport {
            origin_status: known.origin_status,
            answered: known.answered,
            usable_until,
            crawl_delay: (0..live.columns.count()).filter_map(delay).reduce(f64::max),
            sitemaps: sitemaps.map(|record| String::from_utf8_lossy(record.value).into_owned()).collect(),
            is_overridden: known.operator_override != OverrideState::default(),
        }))
    }

    /// A policy of nothing but these origins, in canonical form, and what their redirects lead to.
    pub(crate) fn alone<'o>(
        &self,
        state: &LiveState,
        origins: impl Iterator<Item = &'o [u8]>,
    ) -> Result<Policy, Error> {
        let (mut captures, mut gathering) =
            (Captures::new((*self.0.columns).clone(), self.0.dialect), Gathering::to_adopt(state));
        // Many may redirect to the same URL.
        let mut adopted = HashSet::new();
        for origin in origins {
            for url in state.urls_of(origin) {
                if !adopted.contains(&url)
                    && let Some(known) = gathering.known(&url)
                {
                    captures.adopt(&url, known, &gathering.sources)?;
                    adopted.insert(url);
                }
            }
        }
        captures.policy()
    }
}
