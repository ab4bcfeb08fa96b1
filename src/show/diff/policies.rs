//! Walks the origins of several policies side by side, and tells what changed between two, as a table or counted.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use super::change::{Change, Difference, OriginChange};
use super::compare::{Comparer, UseComparer};
use crate::error::policy::{Error, ErrorKind};
use crate::judge::Choices;
use crate::judge::decision::DecisionTable;
use crate::output::form::crawler_name;
use crate::policy::{Crawler, Policy};
use crate::robots::Agents;
use crate::show::access::{Found, Side, paths_of};
use crate::show::export::{self, Column, Format, Kind, Value, table};

/// How many origins were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// Origins in either policy.
    pub origins: u64,
    /// Those that changed for some crawler, in a way that is asked for.
    pub changed: u64,
}

/// Two policies to compare.
#[derive(Debug, Clone)]
pub struct Diff<'p> {
    policies: [&'p Policy; 2],
    /// Each crawler by both policies.
    crawlers: Vec<[Crawler; 2]>,
    choices: Choices,
    only: Vec<Change>,
    shown: usize,
}

/// The most paths that are shown of a change, unless another number is given.
const SHOWN: usize = 3;

/// These crawlers by each policy; if none are given, all that every policy was compiled for. `which` names a policy by its number.
pub(super) fn crawlers_of(
    policies: &[&Policy],
    agents: &[Agents],
    which: impl Fn(usize) -> String,
) -> Result<Vec<Vec<Crawler>>, Error> {
    for pair in policies.windows(2) {
        let [was, now] = [pair[0], pair[1]].map(|policy| policy.dialect().name);
        if was != now {
            let problem = format!("the policies have different dialects, {was} and {now}; compile one of them again");
            return Err(ErrorKind::Differ.of(problem));
        }
    }
    let given =
        if agents.is_empty() { policies.first().map_or(&[][..], |first| first.columns().all()) } else { agents };
    let mut crawlers = vec![Vec::new(); policies.len()];
    for of in given {
        let by = |(number, policy): (usize, &&Policy)| {
            policy.crawler(Some(of)).map_err(|error| error.within(format_args!("{}: ", which(number))).plain())
        };
        match policies.iter().enumerate().map(by).collect::<Result<Vec<_>, _>>() {
            Ok(of_each) => crawlers.iter_mut().zip(of_each).for_each(|(all, crawler)| all.push(crawler)),
            Err(_) if agents.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    match (policies, crawlers.first()) {
        ([was, .., now], Some(none)) if none.is_empty() => {
            let [was, now] = [was, now].map(|policy| policy.columns().in_short());
            let problem =
                format!("the policies have no crawler in common: the older one is for {was}, the newer one for {now}");
            Err(ErrorKind::Differ.of(problem))
        }
        _ => Ok(crawlers),
    }
}

impl<'p> Diff<'p> {
    /// Compares an older policy with a newer one for these crawlers; if none are given, for all that both were compiled for.
    ///
    /// # Errors
    ///
    /// If they have different dialects, or one lacks a crawler.
    pub fn new(was: &'p Policy, now: &'p Policy, agents: &[Agents]) -> Result<Diff<'p>, Error> {
        let which = |number| format!("the {} policy", ["older", "newer"][number]);
        let Ok([of_was, of_now]) = <[_; 2]>::try_from(crawlers_of(&[was, now], agents, which)?) else {
            unreachable!("two policies")
        };
        let crawlers = of_was.into_iter().zip(of_now).map(|(was, now)| [was, now]).collect();
        Ok(Diff { policies: [was, now], crawlers, choices: Choices::now(), only: Vec::new(), shown: SHOWN })
    }

    /// Only these kinds of change; all if none are given.
    #[must_use]
    pub fn only(self, only: Vec<Change>) -> Diff<'p> {
        Diff { only, ..self }
    }

    /// By these choices of the operator for both policies; without any, by those that the program makes by default, as of now. Ages of
    /// the older policy are not judged. What depends on the URL does not count: [`Choices::www_fallback`] and [`Choices::require`].
    #[must_use]
    pub fn choices(self, choices: Choices) -> Diff<'p> {
        Diff { choices, ..self }
    }

    /// Shows at most so many paths of a change.
    #[must_use]
    pub fn shown(self, shown: usize) -> Diff<'p> {
        Diff { shown, ..self }
    }

    /// The names of the crawlers, by number; those of a list have `+` between them.
    pub fn names(&self) -> Vec<String> {
        self.crawlers.iter().map(|[_, now]| crawler_name(now.agents())).collect()
    }

    /// The crawlers that only one of the policies was compiled for, so that they are not compared unless lists name them.
    pub fn left_out(&self) -> Vec<String> {
        let is_known = |agents: &&Agents| self.crawlers.iter().any(|[_, now]| now.agents().is_same(agents));
        let all = self.policies.iter().flat_map(|policy| policy.columns().all());
        all.filter(|agents| !is_known(agents)).map(Agents::to_string).collect()
    }

    /// Passes each change to `each`, of the kinds that are asked for, in the order of the origins. Returns how many origins were compared.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn each<E>(&self, mut each: impl FnMut(&OriginChange<'p>) -> Result<(), E>) -> Result<Seen, E> {
        let dialect = self.policies[0].dialect();
        let [was, now] = self.policies;
        let decisions = [(self.choices.of_older(), was), (self.choices, now)]
            .map(|(choices, policy)| DecisionTable::new(choices, policy));
        let paths = paths_of(dialect);
        let mut comparer = Comparer::new(Arc::clone(&paths), self.shown);
        let mut uses = UseComparer::new(paths, self.shown, self.policies, &self.crawlers, self.choices.content_signal);
        let mut seen = Seen::default();
        for (origin, found) in side_by_side(&self.policies) {
            seen.origins += 1;
            let change = match found[..] {
                [None, _] => Some(Change::Came),
                [_, None] => Some(Change::Went),
                _ => None,
            };
            let sides = [0, 1].map(|at| Side::of(self.policies[at], found[at].as_ref(), &decisions[at]));
            let statuses = [0, 1].map(|at| found[at].as_ref().map(|(_, record)| record.origin_status));
            let mut is_changed = false;
            let of_groups = comparer.compare(sides, &self.crawlers);
            let of_uses = match &found[..] {
                [Some((_, was)), Some((_, now))] => uses.compare(sides, [was, now], &self.crawlers),
                _ => Arc::default(),
            };
            for of_some in of_groups.iter().chain(of_uses.iter()) {
                let change = of_some.of_origin(origin, statuses, change);
                if let Some(change) = change.filter(|change| self.is_wanted(change.change)) {
                    is_changed = true;
                    each(&change)?;
                }
            }
            seen.changed += u64::from(is_changed);
        }
        Ok(seen)
    }

    /// Passes all rows of a table to `each`; its first error ends it.
    pub(crate) fn rows<E>(&self, table: Table, each: &mut dyn FnMut(&[Value<'_>]) -> Result<(), E>) -> Result<Seen, E> {
        let names = self.names();
        let mut counts: BTreeMap<(u16, Change), u64> = BTreeMap::new();
        let seen = self.each(|change| match table {
            Table::Changes => change_rows(change, &names, each),
            Table::Summary => {
                change.crawlers.iter().for_each(|&crawler| *counts.entry((crawler, change.change)).or_default() += 1);
                Ok(())
            }
        })?;
        for ((crawler, change), origins) in counts {
            each(&summary_row(&names[usize::from(crawler)], change, origins))?;
        }
        Ok(seen)
    }

    /// Writes a table. Returns how many origins were compared.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written.
    pub fn write(&self, table: Table, format: Format, out: &mut (dyn Write + Send)) -> io::Result<Seen> {
        let mut seen = Seen::default();
        export::write_rows((table.name(), table.columns()), format, out, &mut |each| {
            seen = self.rows(table, each)?;
            Ok(())
        })?;
        Ok(seen)
    }

    fn is_wanted(&self, change: Change) -> bool {
        self.only.is_empty() || self.only.contains(&change)
    }
}

/// All origins that any of these policies has, in order, each with its record by every policy.
pub(super) fn side_by_side<'p>(
    policies: &[&'p Policy],
) -> impl Iterator<Item = (&'p [u8], Vec<Option<Found<'p>>>)> + use<'p> {
    let mut records: Vec<_> = policies.iter().map(|policy| policy.records().peekable()).collect();
    std::iter::from_fn(move || {
        let first = records.iter_mut().filter_map(|records| records.peek().map(|(_, record)| record.origin)).min()?;
        let found = records.iter_mut().map(|records| records.next_if(|(_, record)| record.origin == first));
        Some((first, found.collect()))
    })
}

named! {
    /// A table of changes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Table {
        /// A row for each path that shows a change of an origin, for the crawlers for which it is the same; one if there is no such path.
        Changes = "changes",
        /// A row for each crawler and kind of change: for how many origins.
        Summary = "changes-summary",
    }
}

impl Table {
    /// The columns of the table.
    pub(crate) fn columns(self) -> &'static [Column] {
        match self {
            Table::Changes => &CHANGES,
            Table::Summary => &SUMMARY,
        }
    }
}

table! {
    const CHANGES;
    fn change_row<'r>(change: &'r OriginChange<'_>, agents: &'r str, shown: Option<&'r Difference>) {
        always "origin" Text = change.origin,
        always "change" Name = change.change.name(),
        always "agents" Text = agents.as_bytes(),
        perhaps "path" Text = shown.map(|shown| &*shown.path).filter(|path| !path.is_empty()),
        perhaps "was" Text = shown.map(|shown| shown.was.as_bytes()).filter(|was| !was.is_empty()),
        perhaps "now" Text = shown.map(|shown| shown.now.as_bytes()).filter(|now| !now.is_empty()),
        always "differences" Whole = change.differences.count,
        always "are_all" Name = if change.differences.are_all { "yes" } else { "no" },
        always "group_was" Name = change.groups[0].name(),
        always "group_now" Name = change.groups[1].name(),
        perhaps "status_was" Name = change.statuses[0],
        perhaps "status_now" Name = change.statuses[1],
    }
}

table! {
    const SUMMARY;
    fn summary_row<'r>(agent: &'r str, change: Change, origins: u64) {
        always "agent" Text = agent.as_bytes(),
        always "change" Name = change.name(),
        always "origins" Whole = origins,
    }
}

fn change_rows<E>(
    change: &OriginChange<'_>,
    names: &[String],
    each: &mut dyn FnMut(&[Value<'_>]) -> Result<(), E>,
) -> Result<(), E> {
    let agents: Vec<&str> = change.crawlers.iter().map(|&crawler| &*names[usize::from(crawler)]).collect();
    let agents = agents.join(",");
    match &*change.differences.shown {
        [] => each(&change_row(change, &agents, None)),
        shown => shown.iter().try_for_each(|shown| each(&change_row(change, &agents, Some(shown)))),
    }
}
