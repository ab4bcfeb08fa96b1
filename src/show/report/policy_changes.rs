//! What changed between an earlier policy and that of the run, as `diff` finds it.

use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::greatest::Greatest;
use super::reread::RereadLines;
use crate::error::policy::Error;
use crate::output::receipt::Receipt;
use crate::policy::Policy;
use crate::show::diff::{Change, Diff, OriginChange, Seen};

/// What changed between an earlier policy and that of the run.
#[derive(Debug, Clone)]
pub(crate) struct PolicyChanges {
    /// The names of the crawlers, by number.
    pub names: Vec<String>,
    pub seen: Seen,
    /// How many origins changed, by crawler and kind.
    pub counts: BTreeMap<(u16, Change), u64>,
    /// The changes; an origin has one for each that some crawlers share.
    pub changes: u64,
    /// The first of them, by lines of the run.
    pub first: Vec<ChangedOrigin>,
}

/// A change of an origin. The greatest has the most blocked and deferred lines; among equals, it is the first by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChangedOrigin {
    pub lines: u64,
    pub origin: Reverse<String>,
    pub change: Reverse<Change>,
    pub crawlers: Vec<u16>,
    pub example: String,
}

impl PolicyChanges {
    /// Compares an earlier policy with that of a run, for the crawlers and by the choices of the run. The first `most` changes are kept, by
    /// the blocked and deferred `lines` of each crawler.
    pub fn of(
        [was, now]: [&Policy; 2],
        receipt: &Receipt,
        lines: &[RereadLines],
        most: usize,
    ) -> Result<PolicyChanges, Error> {
        let splits = receipt.splits();
        let diff = Diff::new(was, now, splits.agents())?.choices(receipt.options.choices).shown(1);
        let costs: Vec<HashMap<&str, u64>> = lines.iter().map(|lines| lines.by_origin()).collect();
        let mut found = PolicyChanges {
            names: diff.names(),
            seen: Seen::default(),
            counts: BTreeMap::new(),
            changes: 0,
            first: vec![],
        };
        let mut first = Greatest::new(most);
        let Ok(seen) = diff.each(|change| {
            change
                .crawlers()
                .iter()
                .for_each(|&crawler| *found.counts.entry((crawler, change.change())).or_default() += 1);
            found.changes += 1;
            first.add(ChangedOrigin::of(change, &costs));
            Ok::<(), std::convert::Infallible>(())
        });
        found.seen = seen;
        found.first = first.into_vec();
        Ok(found)
    }
}

impl ChangedOrigin {
    /// A change, with the lines of the run by crawler and origin.
    fn of(change: &OriginChange<'_>, costs: &[HashMap<&str, u64>]) -> ChangedOrigin {
        let origin = String::from_utf8_lossy(change.origin()).into_owned();
        let lines = |&crawler: &u16| costs.get(usize::from(crawler))?.get(&*origin).copied();
        let lines = change.crawlers().iter().filter_map(lines).sum();
        let said = |said: &str| if said.is_empty() { "nothing".to_owned() } else { said.to_owned() };
        let example = match (change.differences().next(), change.statuses) {
            (Some(([], was, now)), _) => format!("{} -> {}", said(was), said(now)),
            (Some((path, was, now)), _) => format!("{}: {} -> {}", String::from_utf8_lossy(path), said(was), said(now)),
            (None, [was, now]) if was != now => {
                format!("{} -> {}", was.unwrap_or("not there"), now.unwrap_or("not there"))
            }
            _ => String::new(),
        };
        let (change, crawlers) = (Reverse(change.change()), change.crawlers().to_vec());
        ChangedOrigin { lines, origin: Reverse(origin), change, crawlers, example }
    }
}
