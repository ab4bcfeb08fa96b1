//! The robots.txt files that judged URLs wait for: what to fetch for those who wait is found when it is asked for.

use hashbrown::HashMap;
use std::cmp::Reverse;
use std::fmt;

use super::live_policy::{Live, LivePolicy};
use super::state::LiveState;
use super::waiting::{Handed, Waiting};
use crate::formats::time;
use crate::origin;
#[cfg(feature = "batch")]
use crate::origin::InvalidUrl;
use crate::outcome::Reason;
use crate::policy::compiled::{Hop, chain, to_ask};

/// A robots.txt to fetch, as in `robots-needed.tsv`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needed {
    /// Its URL: that of an origin's robots.txt, or one that redirects lead to.
    pub url: String,
    /// Why the URLs wait.
    pub reason: Reason,
    /// How many judged URLs waited for it.
    pub lines: u64,
    /// The last status of the origin's robots.txt, if it was requested.
    pub status: Option<u16>,
    /// When it was last requested, in seconds of Unix time; `None` for never.
    pub asked_at: Option<i64>,
}

impl fmt::Display for Needed {
    /// The row of `robots-needed.tsv`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Needed { url, reason, lines, status, asked_at } = self;
        write!(f, "{url}\t{}\t{lines}\t{}", reason.name(), asked_columns(*status, *asked_at))
    }
}

/// The last columns of every list of robots.txt to fetch: status and time; unknown ones are empty.
pub(crate) fn asked_columns(status: Option<u16>, asked_at: Option<i64>) -> String {
    let status = status.map_or(String::new(), |status| status.to_string());
    format!("{status}\t{}", asked_at.map_or(String::new(), time::time))
}

/// How long a URL that was handed out is not handed out again, unless its answer comes: ten minutes, in seconds.
const IN_FLIGHT: i64 = 600;

/// The shortest and the longest pause after an answer that was no verdict, in seconds.
const SHORTEST_PAUSE: i64 = 60;
const LONGEST_PAUSE: i64 = 86_400;

impl Live {
    /// Notes that a URL of an origin in canonical form waits, or only needs its robots.txt (then it adds no line), by a version.
    pub fn note_waiting(&self, origin: &[u8], reason: Reason, lines: u64, version: u64) {
        self.waiting.note(origin, Waiting { reason, lines, seen: version }, self.table_bytes());
    }
}

impl LivePolicy {
    /// The robots.txt files that judged URLs wait for, those most waited for first; at most so many. `now` is in seconds of Unix time.
    ///
    /// Each is handed out once until its answer comes, or ten minutes pass. One that failed comes back after a pause, a minute at first,
    /// which grows as long as it fails, up to a day. After redirects it is the URL that they lead to, or the one of them that was not
    /// requested for longest.
    pub fn needed(&self, now: i64, most: usize) -> Vec<Needed> {
        let live = &*self.0;
        let state = live.state.load_full();
        let mut handed = live.waiting.handed();
        let mut found: HashMap<String, Needed> = HashMap::new();
        for (origin, waiting) in live.waiting.in_order() {
            let Ok(name) = std::str::from_utf8(&origin) else { continue };
            let chain = chain(origin::robots_url(name), live.dialect, |url| state.kept(url));
            let known = live.origin(&state, &origin).map(|origin| origin.state());
            if known.is_some_and(|known| known.origin_status.is_definite()) && waiting.seen < state.newest(&chain) {
                live.waiting.remove(&origin, waiting.seen);
                chain.iter().for_each(|hop| handed.forget(&hop.url));
                continue;
            }
            let Some(hop) = to_ask(&chain) else { continue };
            if !is_due(hop, handed.get(&hop.url), state.version_of(&hop.url), now) {
                continue;
            }
            let Waiting { reason, lines, .. } = waiting;
            let (status, asked_at) = (known.and_then(|known| known.answered.status), hop.asked_at());
            match found.get_mut(&hop.url) {
                Some(known) => known.lines += lines,
                None => {
                    found.insert(hop.url.clone(), Needed { url: hop.url.clone(), reason, lines, status, asked_at });
                }
            }
        }
        let mut all: Vec<Needed> = found.into_values().collect();
        all.sort_unstable_by(|a, b| Reverse(a.lines).cmp(&Reverse(b.lines)).then_with(|| a.url.cmp(&b.url)));
        all.truncate(most);
        for Needed { url, .. } in &all {
            handed.add(url, now, state.version_of(url));
        }
        all
    }

    /// The robots.txt to fetch next for an origin, given as any URL on it, and the time from which it may be, in seconds of Unix time;
    /// `None` for at once. Nothing is handed out.
    #[cfg(feature = "batch")]
    pub(crate) fn next_fetch(&self, url: &[u8]) -> Result<Option<(String, Option<i64>)>, InvalidUrl> {
        let (origin, _) = origin::split(url)?;
        let state = self.0.state.load_full();
        let chain = chain(origin::robots_url(&origin), self.0.dialect, |url| state.kept(url));
        Ok(to_ask(&chain).map(|hop| (hop.url.clone(), pause_end(hop, None))))
    }
}

/// Whether a URL may be handed out: it is not on its way, and its pause is over.
fn is_due(hop: &Hop, handed: Option<&Handed>, version: u64, now: i64) -> bool {
    if handed.is_some_and(|handed| handed.version == version && now < handed.at.saturating_add(IN_FLIGHT)) {
        return false;
    }
    pause_end(hop, handed).is_none_or(|end| end <= now)
}

/// When the pause of a URL is over; `None` if it never was requested.
fn pause_end(hop: &Hop, handed: Option<&Handed>) -> Option<i64> {
    let asked_at = hop.asked_at()?;
    // Failures are in the policy, so pauses outlive the process. Other answers that are no verdict are counted here only.
    let since = hop.kept.as_ref().and_then(|kept| kept.failures().since(None));
    let failing = asked_at.saturating_sub(since.unwrap_or(asked_at));
    let doubled = handed.map_or(0, |handed| SHORTEST_PAUSE << handed.times.saturating_sub(1).min(20));
    let pause = failing.max(doubled).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
    Some(asked_at.saturating_add(pause))
}

impl LiveState {
    fn version_of(&self, url: &str) -> u64 {
        self.urls.get(url).map_or(0, |newer| newer.version)
    }

    /// The version since which nothing changed for a chain.
    fn newest(&self, chain: &[Hop]) -> u64 {
        chain.iter().map(|hop| self.version_of(&hop.url)).fold(self.rebased_at, u64::max)
    }
}

#[cfg(test)]
#[cfg(feature = "batch")]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::source::Answer;
    use crate::robots::Agents;

    #[test]
    fn what_to_fetch_next_is_known_for_each_url() {
        let live = LivePolicy::new(Agents::everybody(), Dialect::DEFAULT);
        let answer = |host: &str, status| Answer::new(format!("http://{host}/robots.txt"), Some(status));
        let to = |target: &str| Some(format!("http://{target}/robots.txt"));
        for answer in [
            answer("failed", 503).fetched_at(Some(1000)),
            answer("failing", 503).fetched_at(Some(1000)),
            answer("failing", 503).fetched_at(Some(1500)),
            answer("moved", 301).fetched_at(Some(1000)).location(to("new")),
            answer("followed", 301).fetched_at(Some(1000)).location(to("failed")),
        ] {
            live.put(answer).unwrap();
        }
        for (host, url, not_before) in [
            ("new", "new", None),
            ("failed", "failed", Some(1000 + SHORTEST_PAUSE)),
            ("failing", "failing", Some(1500 + 500)),
            ("moved", "new", None),
            ("followed", "failed", Some(1000 + SHORTEST_PAUSE)),
        ] {
            let next = live.next_fetch(format!("http://{host}/a/page").as_bytes());
            assert_eq!(next, Ok(Some((format!("http://{url}/robots.txt"), not_before))), "{host}");
        }
        assert!(live.next_fetch(b"no url").is_err());
    }
}
