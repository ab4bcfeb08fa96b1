//! Merges two policies: each origin keeps its newest entry.
//!
//! A day's captures make a small policy, which can update a large one without the sources of the large one. The two
//! entries of an origin complement each other: a failure keeps the last good rules of either, and the time when it began.
//!
//! Overrides are not answers, so they do not age: the newer policy's override counts, and if it has none for an origin,
//! the older policy's remains in force.
//!
//! Redirects were followed when each policy was made, among its own captures; their targets are not kept. So if an origin
//! of the newer policy redirects to a URL that only the older one captured, it stays unresolved and keeps the last good
//! rules of either. That is rare, because crawlers fetch the target of a redirect at once. Compile captures that need
//! each other together.

use std::path::Path;

use super::captures::{Captures, ORIGINS_A_MILLISECOND};
use super::error::MergeError;
use super::image::{Home, NewOrigin, POLICY_FILE, Pool, Record, WriteError, Writer, folder_of, replace};
use super::overrides::Overrides;
use super::resolve::Resolved;
use super::state::{LastGood, OriginState, OriginStatus, OverrideState, Ruling};
use super::{Policy, Statistics, side_records};
use crate::robots::{Note, NoteKind};
use crate::threads;

/// Merges two policies into a policy file.
///
/// For each origin, the entry with the newer last answer counts; that of `new` if both have the same time or none. If its
/// last answer is a failure, the newest good answer of both is kept as well, and an origin that was unreachable before
/// counts as unreachable since then. A 304 without a robots.txt before it confirms that of the other policy. The operator's override in `new` counts, else the one in `old`.
///
/// # Errors
///
/// [`MergeError`] if dialects or crawlers differ, or the file cannot be written.
pub fn merge(old: &Policy, new: &Policy, path: &Path) -> Result<Statistics, MergeError> {
    if old.dialect() != new.dialect() {
        return Err(MergeError::Dialects { old: old.dialect().name, new: new.dialect().name });
    }
    if !old.columns().is_same(new.columns()) {
        return Err(MergeError::Crawlers { old: old.columns().to_string(), new: new.columns().to_string() });
    }
    let home = Home::folder(folder_of(path));
    Ok(merged(old, new, &home, |writer, statistics| {
        replace(path, &POLICY_FILE, |file| writer.write(statistics, file))
    })?)
}

impl Policy {
    /// This policy with more overrides, which take precedence over those it has. Data beyond the first few MiB goes to a
    /// temporary file in `folder`.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if a temporary file cannot be written, or beyond what a policy can hold.
    pub fn with_overrides(&self, overrides: &Overrides, folder: &Path) -> Result<Policy, WriteError> {
        let mut additions = Captures::spilling(folder, self.columns().clone(), self.dialect());
        additions.add_overrides(overrides)?;
        let additions = additions.policy()?;
        let home = Home::folder(folder.to_owned());
        let (image, content) = merged(self, &additions, &home, |writer, counted| {
            // The sources are the same.
            let statistics = Statistics { overridden: counted.overridden, ..self.statistics().clone() };
            writer.image(statistics, &home)
        })?;
        Ok(Policy::of(image, content))
    }
}

/// Feeds all origins of both policies to a writer and lets `write` finish it.
fn merged<T: Send>(
    old: &Policy,
    new: &Policy,
    home: &Home,
    write: impl FnOnce(Writer<'_>, Statistics) -> Result<T, WriteError> + Send,
) -> Result<T, WriteError> {
    let parts = [old, new].map(|policy| policy.image.parts());
    let sources = parts.map(|parts| parts.source());
    let writer = Writer::new(new.columns().clone(), new.dialect(), &sources, home);
    let lists = parts.map(|parts| parts.side);
    let mut merging = Merging { writer, lists, statistics: Statistics::default() };
    merging.all(old, new)?;
    let Merging { writer, statistics, .. } = merging;
    let milliseconds = statistics.captures.read as usize / ORIGINS_A_MILLISECOND;
    threads::on(threads::worth_starting(milliseconds, usize::MAX), || write(writer, statistics))
}

/// A policy being merged from an old and a new one.
struct Merging<'p> {
    /// Its sources are the old policy and the new one.
    writer: Writer<'p>,
    /// Their side records.
    lists: [Pool<'p>; 2],
    /// Counts only entries: captures that were passed over and lines that were dropped are not recorded per entry.
    statistics: Statistics,
}

/// The sources, in the order of [`Merging::lists`].
const OLD: usize = 0;
const NEW: usize = 1;

/// An origin's entry in one of the policies, or in the merged one.
#[derive(Debug, Clone, Copy)]
struct PolicyEntry {
    state: OriginState,
    /// The source of the row and the side records in use, and their places there.
    source: usize,
    row: u32,
    side: u32,
}

impl<'p> Merging<'p> {
    fn all(&mut self, old: &Policy, new: &Policy) -> Result<(), WriteError> {
        let (mut old, mut new) = (old.lookup().records().peekable(), new.lookup().records().peekable());
        loop {
            // Both are sorted: next comes the smaller origin, or one that both have.
            let (from_old, from_new) = match (old.peek(), new.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => (old.next(), None),
                (None, Some(_)) => (None, new.next()),
                (Some(one), Some(other)) => match one.origin.cmp(other.origin) {
                    std::cmp::Ordering::Less => (old.next(), None),
                    std::cmp::Ordering::Equal => (old.next(), new.next()),
                    std::cmp::Ordering::Greater => (None, new.next()),
                },
            };
            self.add(from_old, from_new)?;
        }
    }

    fn add(&mut self, old: Option<Record<'_>>, new: Option<Record<'_>>) -> Result<(), WriteError> {
        let records = [old, new];
        let overriding = [NEW, OLD].into_iter().find_map(|source| {
            let record = records[source].filter(|record| self.is_overridden(source, record))?;
            Some((source, record))
        });
        let entry = |source: usize| {
            let record = records[source]?;
            // If the robots.txt of an origin was replaced, the policy has the answers but not their rules: without the
            // replacement, the origin counts as never fetched.
            let is_void = record.ruling == Some(Ruling::RobotsTxt) && overriding.is_some_and(|(of, _)| of != source);
            let Resolved { state, row, side } = match is_void {
                true => Resolved::unfetched(),
                false => Resolved { state: record.state(), row: record.row, side: record.side() },
            };
            Some((record.origin, PolicyEntry { state, source, row, side }))
        };
        let (origin, mut merged) = match (entry(OLD), entry(NEW)) {
            (Some((origin, old)), Some((_, new))) => (origin, both(old, new)),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return Ok(()),
        };
        merged.state.operator_override = OverrideState::default();
        if let Some((source, record)) = overriding {
            merged.state.operator_override = record.operator_override();
            if record.ruling == Some(Ruling::RobotsTxt) {
                merged = PolicyEntry { source, row: record.row, side: record.side(), ..merged };
            }
        }
        self.count(&merged.state, overriding.is_some());
        let own = overriding.map(|(source, record)| self.own(source, &record));
        let PolicyEntry { state, source, row, side } = merged;
        self.writer.add(NewOrigin { origin, state: &state, source, row, side, own })
    }

    fn count(&mut self, state: &OriginState, overridden: bool) {
        let Statistics { captures, notes, overridden: all_overridden, .. } = &mut self.statistics;
        captures.read += u64::from(state.origin_status != OriginStatus::Unfetched);
        captures.last_good_kept += u64::from(state.last_good.is_some());
        *all_overridden += u64::from(overridden);
        if state.html_page {
            notes.add_all(&[Note { kind: NoteKind::LooksLikeHtml, line: 1 }]);
        }
    }

    /// Whether the operator overrides anything for an origin of this source.
    fn is_overridden(&self, source: usize, record: &Record<'_>) -> bool {
        record.is_overridden() || !self.own(source, record).is_empty()
    }

    /// The operator's own side records of an origin of this source.
    fn own(&self, source: usize, record: &Record<'_>) -> &'p [u8] {
        side_records::split_own(self.lists[source].item(record.side())).0
    }
}

/// Merges two entries of one origin.
fn both(old: PolicyEntry, new: PolicyEntry) -> PolicyEntry {
    // An origin never fetched is older than any that was.
    let age =
        |entry: &PolicyEntry| (entry.state.origin_status != OriginStatus::Unfetched, entry.state.answered.fetched_at);
    let (newer, older) = if age(&new) >= age(&old) { (new, old) } else { (old, new) };
    if newer.state.origin_status.is_definite() {
        return newer;
    }
    let good = [newer, older].into_iter().filter_map(|entry| Some((entry.good()?, entry)));
    let good = good.filter(|(good, _)| !is_refuted(good, &[newer, older]));
    // Of two of one time, that of the newer entry.
    let good = good.reduce(|one, other| if other.0.times.fetched_at > one.0.times.fetched_at { other } else { one });
    let mut state = OriginState { last_good: None, html_page: false, ..newer.state };
    if state.origin_status.is_unreachable() && older.state.origin_status.is_unreachable() {
        let of_older = older.state.answered;
        let since = of_older.unreachable_since.or(of_older.fetched_at);
        state.answered.unreachable_since = state.answered.unreachable_since.or(since);
    }
    let Some((mut good, PolicyEntry { state: OriginState { html_page, .. }, source, row, side })) = good else {
        return PolicyEntry { state, row: 0, side: 0, ..newer };
    };
    state.html_page = html_page;
    if good.origin_status == OriginStatus::RobotsTxt && newer.is_not_modified() {
        state.origin_status = OriginStatus::RobotsTxt;
    } else {
        if good.origin_status == OriginStatus::RobotsTxt && older.is_not_modified_since(&good) {
            good.times = older.state.answered.times();
        }
        state.last_good = Some(good);
    }
    PolicyEntry { state, source, row, side }
}

/// Whether a good answer is that there is no robots.txt, but the server said after it that its robots.txt was not modified.
fn is_refuted(good: &LastGood, entries: &[PolicyEntry]) -> bool {
    good.origin_status == OriginStatus::Unavailable && entries.iter().any(|entry| entry.is_not_modified_since(good))
}

impl PolicyEntry {
    /// The answer in use, if it is definite.
    fn good(&self) -> Option<LastGood> {
        let OriginState { origin_status, answered, last_good, .. } = self.state;
        let own = origin_status.is_definite().then(|| LastGood { origin_status, times: answered.times() });
        own.or(last_good)
    }

    /// Whether the last answer was a 304 that this policy alone could not use.
    fn is_not_modified(&self) -> bool {
        self.state.origin_status == OriginStatus::NotModified
    }

    fn is_not_modified_since(&self, good: &LastGood) -> bool {
        self.is_not_modified() && self.state.answered.fetched_at >= good.times.fetched_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Answered, Capture, Captures, Overrides, Times};
    use crate::robots::Agents;

    fn state(origin_status: OriginStatus, fetched_at: Option<i64>, good: Option<i64>) -> OriginState {
        let answered = Answered { status: Some(200), fetched_at, ..Answered::default() };
        let times = |fetched_at| Times { fetched_at: Some(fetched_at), expires: None };
        let last_good = good.map(|at| LastGood { origin_status: OriginStatus::RobotsTxt, times: times(at) });
        OriginState { last_good, ..OriginState::new(origin_status, answered) }
    }

    fn both(old: OriginState, new: OriginState) -> PolicyEntry {
        let entry = |state, source| PolicyEntry { state, source, row: 0, side: 0 };
        super::both(entry(old, OLD), entry(new, NEW))
    }

    /// The time of the entry, that of its last good answer, and the source whose rules are in use.
    fn merged(old: OriginState, new: OriginState) -> (Option<i64>, Option<i64>, usize) {
        let PolicyEntry { state, source, .. } = both(old, new);
        let good = state.last_good.map(|good| good.times.fetched_at.unwrap_or(-1));
        (state.answered.fetched_at, good, source)
    }

    #[test]
    fn the_newest_entry_counts_and_keeps_the_last_good_rules_of_either() {
        use OriginStatus::{RedirectUnresolved, RobotsTxt, Unavailable, Unreachable};
        let at = |origin_status, time: i64| state(origin_status, Some(time), None);
        let failed = |time: i64, good: i64| state(Unreachable, Some(time), Some(good));
        assert_eq!(merged(at(RobotsTxt, 1), at(Unavailable, 2)), (Some(2), None, 1));
        assert_eq!(merged(at(RobotsTxt, 3), at(Unavailable, 2)), (Some(3), None, 0));
        assert_eq!(merged(at(RobotsTxt, 2), at(Unavailable, 2)), (Some(2), None, 1), "one time: the new one");
        assert_eq!(merged(state(RobotsTxt, None, None), at(Unavailable, -5)), (Some(-5), None, 1));
        assert_eq!(merged(at(RobotsTxt, 1), state(Unavailable, None, None)), (Some(1), None, 0));
        assert_eq!(merged(at(RobotsTxt, 1), at(Unreachable, 2)), (Some(2), Some(1), 0), "the old rules stay");
        assert_eq!(merged(at(RobotsTxt, 1), at(RedirectUnresolved, 2)), (Some(2), Some(1), 0));
        assert_eq!(merged(failed(5, 1), at(RobotsTxt, 3)), (Some(5), Some(3), 1), "a newer good answer");
        assert_eq!(merged(failed(5, 4), at(RobotsTxt, 3)), (Some(5), Some(4), 0));
        assert_eq!(merged(failed(5, 4), at(Unreachable, 6)), (Some(6), Some(4), 0));
        assert_eq!(merged(failed(5, 2), failed(6, 3)), (Some(6), Some(3), 1));
        assert_eq!(merged(failed(5, 3), failed(6, 2)), (Some(6), Some(3), 0));
        assert_eq!(merged(at(Unreachable, 5), at(Unreachable, 6)), (Some(6), None, 1));
        let unfetched = Resolved::unfetched().state;
        assert_eq!(merged(state(RobotsTxt, None, None), unfetched), (None, None, 0));
        assert_eq!(merged(unfetched, failed(5, 4)), (Some(5), Some(4), 1));
        assert_eq!(merged(failed(5, 4), unfetched), (Some(5), Some(4), 0));
    }

    #[test]
    fn a_304_confirms_the_rules_of_the_other_policy() {
        use OriginStatus::{Forbidden, NotModified, RobotsTxt, Unavailable, Unreachable};
        let at = |origin_status, time: i64| state(origin_status, Some(time), None);
        let failed = |time: i64, good: i64| state(Unreachable, Some(time), Some(good));
        for (one, other) in [(at(RobotsTxt, 1), at(NotModified, 5)), (failed(3, 1), at(NotModified, 5))] {
            for (source, merged) in [both(one, other), both(other, one)].into_iter().enumerate() {
                assert_eq!((merged.state.origin_status, merged.state.last_good), (RobotsTxt, None));
                assert_eq!((merged.state.answered.fetched_at, merged.source), (Some(5), source), "the rules stay");
            }
        }
        assert_eq!(merged(at(RobotsTxt, 7), at(NotModified, 5)), (Some(7), None, OLD));
        assert_eq!(merged(at(NotModified, 5), failed(7, 1)), (Some(7), Some(5), NEW), "renewed, then it failed");
        assert_eq!(merged(at(NotModified, 5), failed(7, 6)), (Some(7), Some(6), NEW));
        let without = both(at(Unavailable, 1), at(NotModified, 5)).state;
        assert_eq!((without.origin_status, without.last_good), (NotModified, None), "there is a robots.txt now");
        let gone = OriginState {
            last_good: Some(LastGood { origin_status: Unavailable, ..failed(7, 1).last_good.unwrap() }),
            ..failed(7, 1)
        };
        assert_eq!(both(at(NotModified, 5), gone).state.last_good, None);
        assert_eq!(both(at(NotModified, 0), gone).state.last_good, gone.last_good, "it went after that");
        let refused = both(at(Forbidden, 1), at(NotModified, 5)).state;
        assert_eq!(refused.last_good.map(|good| good.origin_status), Some(Forbidden));
        assert_eq!(merged(at(NotModified, 5), at(Unreachable, 6)), (Some(6), None, NEW));
    }

    #[test]
    fn the_html_page_flag_is_that_of_the_answer_in_use() {
        let page =
            |origin_status, time, good| OriginState { html_page: true, ..state(origin_status, Some(time), good) };
        let plain = |origin_status, time, good| state(origin_status, Some(time), good);
        let is_page = |old: OriginState, new: OriginState| both(old, new).state.html_page;
        use OriginStatus::{RobotsTxt, Unreachable};
        assert!(is_page(page(RobotsTxt, 1, None), plain(Unreachable, 2, None)));
        assert!(!is_page(page(RobotsTxt, 1, None), plain(RobotsTxt, 2, None)));
        assert!(is_page(plain(RobotsTxt, 1, None), page(RobotsTxt, 2, None)));
        assert!(!is_page(page(Unreachable, 5, Some(1)), plain(RobotsTxt, 3, None)), "a newer good answer");
        assert!(is_page(plain(RobotsTxt, 1, None), page(Unreachable, 5, Some(3))));
    }

    #[test]
    fn an_origin_is_unreachable_since_it_was_first_seen_to_be() {
        let since = |old: OriginState, new: OriginState| both(old, new).state.answered.unreachable_since;
        let failed = |time, since| OriginState {
            answered: Answered { fetched_at: Some(time), unreachable_since: since, ..Answered::default() },
            ..state(OriginStatus::Unreachable, None, None)
        };
        assert_eq!(since(failed(5, Some(4)), failed(6, None)), Some(4));
        assert_eq!(since(failed(5, None), failed(6, None)), Some(5));
        assert_eq!(since(failed(5, Some(4)), failed(6, Some(6))), Some(6), "it was reached in between");
        assert_eq!(since(failed(7, None), failed(6, Some(3))), Some(3));
        assert_eq!(since(state(OriginStatus::RobotsTxt, Some(5), None), failed(6, None)), None);
        let incomplete = |time| OriginState { origin_status: OriginStatus::Incomplete, ..failed(time, None) };
        assert_eq!(since(incomplete(5), failed(6, None)), Some(5), "no robots.txt arrived, one way or the other");
        assert_eq!(since(failed(5, Some(4)), incomplete(6)), Some(4));
    }

    /// A policy of answers (host, time, status) that share one robots.txt, with overrides.
    fn policy(answers: &[(&str, i64, u16)], overrides: &str) -> Policy {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("overrides.toml");
        std::fs::write(&path, overrides).unwrap();
        let capture = |&(host, time, status): &(&str, i64, u16)| Capture {
            answered: Answered { status: Some(status), fetched_at: Some(time), ..Answered::default() },
            ..Capture::found(&format!("http://{host}"), "User-agent: *\nCrawl-delay: 7\nDisallow: /\n")
        };
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        captures.add(answers.iter().map(capture).collect()).unwrap();
        captures.add_overrides(&Overrides::read(&path).unwrap()).unwrap();
        captures.policy().unwrap()
    }

    #[test]
    fn an_override_stays_until_there_is_a_newer_one() {
        let old = policy(
            &[("a", 1, 200), ("b", 1, 200), ("c", 1, 200), ("d", 1, 200), ("e", 1, 200)],
            "['http://a']\nverdict = 'allow-all'\ncrawl-delay = 5\n['http://b']\ncrawl-delay = 1\n\
             ['http://c']\nrobots-txt = ''\n['http://d']\nrobots-txt = \"User-agent: *\\nAllow: /x\\nAllow: /y\"\n",
        );
        let new = policy(
            &[("a", 2, 200), ("d", 2, 404)],
            "['http://b']\ncrawl-delay = 2\n['http://c']\npaused-until = 1970-01-01T00:01:00Z\n\
             ['http://e']\nverdict = 'forbid-all'\n",
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("merged.rsv");
        let statistics = merge(&old, &new, &path).unwrap();
        assert_eq!((statistics.origins, statistics.overridden), (5, 5));
        let merged = Policy::open(&path).unwrap();
        let crawler = merged.crawler(None).unwrap();
        use OriginStatus::{RobotsTxt, Unavailable, Unfetched};
        for (host, origin_status, fetched_at, ruling, paused_until, delays, rules) in [
            ("a", RobotsTxt, Some(2), Some(Ruling::AllowAll), None, "0 5, 2 7", 1),
            ("b", RobotsTxt, Some(1), None, None, "0 2, 2 7", 1),
            // What its robots.txt said is not known.
            ("c", Unfetched, None, None, Some(60), "", 0),
            ("d", Unavailable, Some(2), Some(Ruling::RobotsTxt), None, "", 2),
            ("e", RobotsTxt, Some(1), Some(Ruling::ForbidAll), None, "2 7", 1),
        ] {
            let record = merged.lookup().get(format!("http://{host}").as_bytes()).unwrap();
            let state = record.state();
            assert_eq!((state.origin_status, state.answered.fetched_at), (origin_status, fetched_at), "{host}");
            assert_eq!(state.operator_override, OverrideState { ruling, paused_until }, "{host}");
            let found = merged.side_records(&record, 0).into_iter();
            let found: Vec<_> = found.map(|one| format!("{} {}", one.line, one.value.escape_ascii())).collect();
            assert_eq!(found.join(", "), delays, "{host}");
            let group = merged.groups(&crawler).group(record.row);
            assert_eq!(group.map_or(0, |group| merged.rules(group).rules.len()), rules, "{host}");
        }
    }
}
