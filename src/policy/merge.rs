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

use super::captures::Captures;
use super::error::MergeError;
use super::image::{Content, HELD, Home, NewOrigin, Pool, Record, SideList, WriteError, Writer, folder_of, replace};
use super::overrides::Overrides;
use super::resolve::Resolved;
use super::state::{LastGood, OriginState, OriginStatus, OverrideState, Ruling};
use super::{Policy, Statistics, side_records};
use crate::robots::{Note, NoteKind};

/// Merges two policies into a policy file.
///
/// For each origin, the entry with the newer last answer counts; that of `new` if both have the same time or none. If its
/// last answer is a failure, the newest good answer of both is kept as well, and an origin that was unreachable before
/// counts as unreachable since then. The operator's override in `new` counts, else the one in `old`.
///
/// # Errors
///
/// [`MergeError`] if dialects or crawlers differ, or the file cannot be written.
pub fn merge(old: &Policy, new: &Policy, path: &Path) -> Result<Statistics, MergeError> {
    if old.dialect != new.dialect {
        return Err(MergeError::Dialects { old: old.dialect.name, new: new.dialect.name });
    }
    if !old.columns.is_same(&new.columns) {
        return Err(MergeError::Crawlers { old: old.columns.to_string(), new: new.columns.to_string() });
    }
    let home = Home::Folder { folder: folder_of(path), limit: HELD };
    Ok(merged(old, new, &home, |writer, statistics| replace(path, |file| writer.write(statistics, file)))?)
}

impl Policy {
    /// This policy with more overrides, which take precedence over those it has. Data beyond the first few MiB goes to a
    /// temporary file in `folder`.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if a temporary file cannot be written, or beyond what a policy can hold.
    pub fn with_overrides(&self, overrides: &Overrides, folder: &Path) -> Result<Policy, WriteError> {
        let mut additions = Captures::spilling(folder, (*self.columns).clone(), self.dialect);
        additions.add_overrides(overrides)?;
        let additions = additions.policy()?;
        let home = Home::Folder { folder: folder.to_owned(), limit: HELD };
        merged(self, &additions, &home, |writer, counted| {
            // The sources are the same.
            let statistics = Statistics { overridden: counted.overridden, ..(*self.statistics).clone() };
            let (image, statistics) = writer.image(statistics, &home)?;
            Ok(Policy::of(image, Content { dialect: self.dialect, columns: (*self.columns).clone(), statistics }))
        })
    }
}

/// Feeds all origins of both policies to a writer and lets `write` finish it.
fn merged<T>(
    old: &Policy,
    new: &Policy,
    home: &Home,
    write: impl FnOnce(Writer<'_>, Statistics) -> Result<T, WriteError>,
) -> Result<T, WriteError> {
    let parts = [old, new].map(|policy| policy.image.parts());
    let sources = parts.map(|parts| parts.source());
    let writer = Writer::new((*new.columns).clone(), new.dialect, &sources, home);
    let lists = parts.map(|parts| parts.side);
    let mut merging = Merging { writer, lists, statistics: Statistics::default() };
    merging.all(old, new)?;
    write(merging.writer, merging.statistics)
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

/// One of the two policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Old = 0,
    New = 1,
}

/// The result for an entry: its state, and the side whose row and side records are in use.
struct Merged {
    state: OriginState,
    rules_of: Side,
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
        let Some(origin) = new.or(old).map(|record| record.origin) else { return Ok(()) };
        let records = [old, new];
        let overriding = [Side::New, Side::Old].into_iter().find(|&side| self.is_overridden(records, side));
        let operator_override = overriding
            .and_then(|side| records[side as usize])
            .map_or(OverrideState::default(), |record| record.operator_override());
        // If the robots.txt of an origin was replaced, the policy has the answers but not their rules: without the
        // replacement, the origin counts as never fetched.
        let is_void = |side: Side, record: &Record<'_>| {
            record.ruling == Some(Ruling::RobotsTxt) && overriding.is_some_and(|overriding| overriding != side)
        };
        let entry = |side: Side| {
            let record = records[side as usize]?;
            match is_void(side, &record) {
                true => Some(Resolved::unfetched()),
                false => Some(Resolved { state: record.state(), row: record.row, side: record.side() }),
            }
        };
        let [old, new] = [entry(Side::Old), entry(Side::New)];
        let states = (old.as_ref().map(|old| old.state), new.as_ref().map(|new| new.state));
        let mut merged = match states {
            (Some(old), Some(new)) => both(old, new),
            (Some(state), None) => Merged { state, rules_of: Side::Old },
            (None, Some(state)) => Merged { state, rules_of: Side::New },
            (None, None) => return Ok(()),
        };
        merged.state.operator_override = operator_override;
        if let (Some(Ruling::RobotsTxt), Some(overriding)) = (operator_override.ruling, overriding) {
            merged.rules_of = overriding;
        }
        let rules_of = match merged.rules_of {
            Side::Old => old,
            Side::New => new,
        };
        let Resolved { row, side, .. } = rules_of.unwrap_or_else(Resolved::unfetched);
        let made = self.merged_side_list(merged.rules_of, side, overriding, records);
        let side = made.as_deref().map_or(SideList::OfSource(side), SideList::Made);
        self.count(&merged.state, overriding.is_some());
        self.writer.add(NewOrigin { origin, state: &merged.state, source: merged.rules_of as usize, row, side })
    }

    fn count(&mut self, state: &OriginState, overridden: bool) {
        let Statistics { captures, notes, overridden: all_overridden, .. } = &mut self.statistics;
        captures.read += u64::from(state.standing != OriginStatus::Unfetched);
        captures.last_good_kept += u64::from(state.last_good.is_some());
        *all_overridden += u64::from(overridden);
        if state.html_page {
            notes.add_all(&[Note { kind: NoteKind::LooksLikeHtml, line: 1 }]);
        }
    }

    /// Whether the operator overrides anything for an origin on this side.
    fn is_overridden(&self, records: [Option<Record<'_>>; 2], side: Side) -> bool {
        records[side as usize].is_some_and(|record| record.is_overridden() || !self.own(side, record.side()).is_empty())
    }

    /// The operator's own side records at a place.
    fn own(&self, side: Side, place: u32) -> &'p [u8] {
        side_records::split_own(self.lists[side as usize].item(place)).0
    }

    /// The side records of a file on side `of`, after the operator's own from `overriding`; `None` if that list exists already.
    fn merged_side_list(
        &self,
        of: Side,
        place: u32,
        overriding: Option<Side>,
        records: [Option<Record<'_>>; 2],
    ) -> Option<Vec<u8>> {
        let overriding_record = overriding.and_then(|side| Some((side, records[side as usize]?)));
        let own = overriding_record.map_or(&b""[..], |(side, record)| self.own(side, record.side()));
        let (own_here, of_file) = side_records::split_own(self.lists[of as usize].item(place));
        (own != own_here).then(|| [own, of_file].concat())
    }
}

/// Merges two entries of one origin.
fn both(old: OriginState, new: OriginState) -> Merged {
    // An origin never fetched is older than any that was.
    let age = |state: &OriginState| (state.standing != OriginStatus::Unfetched, state.answered.fetched_at);
    let new_is_newer = age(&new) >= age(&old);
    let ((mut state, of), (other, of_other)) = match new_is_newer {
        true => ((new, Side::New), (old, Side::Old)),
        false => ((old, Side::Old), (new, Side::New)),
    };
    if state.standing.is_definite() {
        return Merged { state, rules_of: of };
    }
    if state.standing == OriginStatus::Unreachable && other.standing == OriginStatus::Unreachable {
        let since = other.answered.unreachable_since.or(other.answered.fetched_at);
        state.answered.unreachable_since = state.answered.unreachable_since.or(since);
    }
    let others = match other.standing.is_definite() {
        true => Some(LastGood { standing: other.standing, times: other.answered.times() }),
        false => other.last_good,
    };
    let of_others =
        others.filter(|good| state.last_good.is_none_or(|own| good.times.fetched_at > own.times.fetched_at));
    match of_others {
        Some(good) => {
            let state = OriginState { last_good: Some(good), html_page: other.html_page, ..state };
            Merged { state, rules_of: of_other }
        }
        None => Merged { state, rules_of: of },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Answered, Capture, Captures, Overrides, Times};
    use crate::robots::Agents;

    fn state(standing: OriginStatus, fetched_at: Option<i64>, good: Option<i64>) -> OriginState {
        let answered = Answered { status: Some(200), fetched_at, ..Answered::default() };
        let times = |fetched_at| Times { fetched_at: Some(fetched_at), expires: None };
        let last_good = good.map(|at| LastGood { standing: OriginStatus::RobotsTxt, times: times(at) });
        OriginState { standing, answered, last_good, html_page: false, operator_override: OverrideState::default() }
    }

    /// The time of the entry, that of its last good answer, and the side whose rules are in use.
    fn merged(old: OriginState, new: OriginState) -> (Option<i64>, Option<i64>, usize) {
        let Merged { state, rules_of } = both(old, new);
        let good = state.last_good.map(|good| good.times.fetched_at.unwrap_or(-1));
        (state.answered.fetched_at, good, rules_of as usize)
    }

    #[test]
    fn the_newest_entry_counts_and_keeps_the_last_good_rules_of_either() {
        use OriginStatus::{RedirectUnresolved, RobotsTxt, Unavailable, Unreachable};
        let at = |standing, time: i64| state(standing, Some(time), None);
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
    fn the_html_page_flag_is_that_of_the_answer_in_use() {
        let page = |standing, time, good| OriginState { html_page: true, ..state(standing, Some(time), good) };
        let plain = |standing, time, good| state(standing, Some(time), good);
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
    }

    /// A policy of answers (host, time, status) that share one robots.txt, with overrides.
    fn policy(answers: &[(&str, i64, u16)], overrides: &str) -> Policy {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("overrides.toml");
        std::fs::write(&path, overrides).unwrap();
        let body = b"User-agent: *\nCrawl-delay: 7\nDisallow: /\n".as_slice();
        let capture = |&(host, time, status): &(&str, i64, u16)| Capture {
            url: format!("http://{host}/robots.txt"),
            origin: Some(format!("http://{host}")),
            answered: Answered { status: Some(status), fetched_at: Some(time), ..Answered::default() },
            body: (status == 200).then(|| body.into()),
            ..Capture::default()
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
        let of = |host: &str| {
            let record = merged.lookup().get(format!("http://{host}").as_bytes()).unwrap();
            let delays = merged.side_records(&record, 0).into_iter();
            let delays: Vec<_> =
                delays.map(|one| (one.line, String::from_utf8_lossy(one.value).into_owned())).collect();
            let rules = merged.groups(&crawler).group(record.row).map_or(0, |group| merged.rules(group).rules.len());
            let OriginState { standing, operator_override, answered, .. } = record.state();
            (standing, answered.fetched_at, operator_override, delays, rules)
        };
        let state = |ruling, paused_until| OverrideState { ruling, paused_until };
        let delays =
            |list: &[(u32, &str)]| list.iter().map(|&(line, value)| (line, value.to_owned())).collect::<Vec<_>>();
        let allowed = state(Some(Ruling::AllowAll), None);
        assert_eq!(of("a"), (OriginStatus::RobotsTxt, Some(2), allowed, delays(&[(0, "5"), (2, "7")]), 1));
        assert_eq!(
            of("b"),
            (OriginStatus::RobotsTxt, Some(1), OverrideState::default(), delays(&[(0, "2"), (2, "7")]), 1)
        );
        assert_eq!(
            of("c"),
            (OriginStatus::Unfetched, None, state(None, Some(60)), vec![], 0),
            "what it said is not known"
        );
        assert_eq!(of("d"), (OriginStatus::Unavailable, Some(2), state(Some(Ruling::RobotsTxt), None), vec![], 2));
        assert_eq!(of("e").2, state(Some(Ruling::ForbidAll), None));
    }
}
