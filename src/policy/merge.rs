//! Two policies as one: of each origin the newest entry.
//!
//! A day's captures make a small policy, which updates a large one without the sources of the large one. What an entry
//! lacks, the other one may have: a failure keeps the last good rules of either, and when it began.

use std::path::Path;

use super::captures::{CaptureCounts, HELD};
use super::image::{Copier, Home, Record, WriteError, Writer, folder_of, replace};
use super::standing::{LastGood, Standing, State};
use super::{Policy, Statistics};

/// Why two policies cannot be one.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// They read robots.txt differently.
    #[error("the policies are of different dialects, {old} and {new}; compile one of them again under the other's")]
    Dialects {
        /// The older one's.
        old: &'static str,
        /// The newer one's.
        new: &'static str,
    },
    /// They are for different crawlers.
    #[error(
        "the policies are for different crawlers, or in another order: {old} and {new}; compile one of them again for \
         those of the other"
    )]
    Crawlers {
        /// The older one's.
        old: String,
        /// The newer one's.
        new: String,
    },
    /// What comes of them cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Merges two policies into a policy file.
///
/// Of each origin the entry counts whose last answer is newer, that of `new` where both are of one time or have none. If
/// it is a failure, the newest good answer of both stands beside it, and an origin that was unreachable before has been
/// since then.
///
/// # Errors
///
/// [`MergeError`] where dialects or crawlers differ, or the file cannot be written.
pub fn merge(old: &Policy, new: &Policy, path: &Path) -> Result<Statistics, MergeError> {
    if old.dialect != new.dialect {
        return Err(MergeError::Dialects { old: old.dialect.name, new: new.dialect.name });
    }
    if !old.columns.is_same(&new.columns) {
        return Err(MergeError::Crawlers { old: old.columns.to_string(), new: new.columns.to_string() });
    }
    let home = Home::Folder { folder: folder_of(path).to_owned(), limit: HELD };
    let mut merging = Merging {
        writer: Writer::new(new.columns.clone(), new.dialect, &home),
        copiers: [old, new].map(|policy| Copier::from_parts(&policy.image.parts(), policy.columns.count())),
        last_good_kept: 0,
    };
    merging.all(old, new)?;
    let mut captures = old.statistics.captures;
    captures.merge(&new.statistics.captures);
    let captures = CaptureCounts { last_good_kept: merging.last_good_kept, ..captures };
    let mut notes = old.statistics.notes;
    notes.merge(&new.statistics.notes);
    let statistics = Statistics { captures, notes, ..Statistics::default() };
    Ok(replace(path, |file| merging.writer.write(statistics, file))?)
}

/// A policy that is being put together from an old and a new one.
struct Merging<'p> {
    writer: Writer,
    /// From the old one, from the new one.
    copiers: [Copier<'p>; 2],
    last_good_kept: u64,
}

/// One of the two.
#[derive(Debug, Clone, Copy)]
enum Side {
    Old = 0,
    New = 1,
}

/// What an entry comes to: its state, and whose row and side records are in use.
struct Merged {
    state: State,
    rules_of: Side,
}

impl Merging<'_> {
    fn all(&mut self, old: &Policy, new: &Policy) -> Result<(), WriteError> {
        let (mut old, mut new) = (old.index().records().peekable(), new.index().records().peekable());
        loop {
            // Both are sorted: the smaller origin comes next, or the same one of both.
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
        let merged = match (old.map(|old| old.state()), new.map(|new| new.state())) {
            (Some(old), Some(new)) => both(old, new),
            (Some(state), None) => Merged { state, rules_of: Side::Old },
            (None, Some(state)) => Merged { state, rules_of: Side::New },
            (None, None) => return Ok(()),
        };
        let record = match merged.rules_of {
            Side::Old => old.or(new),
            Side::New => new.or(old),
        };
        let Some(record) = record else { return Ok(()) };
        let copier = &mut self.copiers[merged.rules_of as usize];
        let row = copier.row(record.row, &mut self.writer.tables)?;
        let side = copier.side(record.side(), &mut self.writer.tables)?;
        self.last_good_kept += u64::from(merged.state.last_good.is_some());
        self.writer.add(record.origin, row, side, &merged.state)
    }
}

/// What two entries of one origin come to.
fn both(old: State, new: State) -> Merged {
    let new_is_newer = new.answered.fetched_at >= old.answered.fetched_at;
    let ((mut state, of), (other, of_other)) = match new_is_newer {
        true => ((new, Side::New), (old, Side::Old)),
        false => ((old, Side::Old), (new, Side::New)),
    };
    if state.standing.is_definite() {
        return Merged { state, rules_of: of };
    }
    if state.standing == Standing::Unreachable && other.standing == Standing::Unreachable {
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
        Some(good) => Merged { state: State { last_good: Some(good), ..state }, rules_of: of_other },
        None => Merged { state, rules_of: of },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Answered, Times};

    fn state(standing: Standing, fetched_at: Option<i64>, good: Option<i64>) -> State {
        let answered = Answered { status: Some(200), fetched_at, ..Answered::default() };
        let times = |fetched_at| Times { fetched_at: Some(fetched_at), expires: None };
        let last_good = good.map(|at| LastGood { standing: Standing::RobotsTxt, times: times(at) });
        State { standing, answered, last_good }
    }

    /// Time of the entry, of its last good answer, and whose rules are in use.
    fn merged(old: State, new: State) -> (Option<i64>, Option<i64>, usize) {
        let Merged { state, rules_of } = both(old, new);
        let good = state.last_good.map(|good| good.times.fetched_at.unwrap_or(-1));
        (state.answered.fetched_at, good, rules_of as usize)
    }

    #[test]
    fn the_newest_entry_counts_and_keeps_the_last_good_rules_of_either() {
        use Standing::{RedirectUnresolved, RobotsTxt, Unavailable, Unreachable};
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
    }

    #[test]
    fn an_origin_is_unreachable_since_it_was_first_seen_to_be() {
        let since = |old: State, new: State| both(old, new).state.answered.unreachable_since;
        let failed = |time, since| State {
            answered: Answered { fetched_at: Some(time), unreachable_since: since, ..Answered::default() },
            ..state(Standing::Unreachable, None, None)
        };
        assert_eq!(since(failed(5, Some(4)), failed(6, None)), Some(4));
        assert_eq!(since(failed(5, None), failed(6, None)), Some(5));
        assert_eq!(since(failed(5, Some(4)), failed(6, Some(6))), Some(6), "it was reached in between");
        assert_eq!(since(failed(7, None), failed(6, Some(3))), Some(3));
        assert_eq!(since(state(Standing::RobotsTxt, Some(5), None), failed(6, None)), None);
    }
}
