//! When each crawler's access to an origin changed, by policies in the order of time.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::change::Change;
use super::compare::{Comparer, Side};
use super::policies::{DiffError, Found, decisions, same_dialect, side, side_by_side};
use crate::dialect::Dialect;
use crate::judge::Choices;
use crate::judge::decision::Decisions;
use crate::policy::{Crawler, Policy};
use crate::robots::Agents;
use crate::show::access::{AccessDecider, Blocked, Cell, GroupKind, paths_of};
use crate::show::export::{self, Column, Format, Kind, Value, always, perhaps};

/// Policies in the order of time, to tell when each crawler's access changed.
#[derive(Debug, Clone)]
pub struct History<'p> {
    policies: Vec<&'p Policy>,
    /// By policy.
    crawlers: Vec<Vec<Crawler>>,
    choices: Choices,
}

/// The columns of a history.
pub const HISTORY: [Column; 9] = [
    always("origin", Kind::Text),
    always("agent", Kind::Text),
    always("policy", Kind::Whole),
    perhaps("change", Kind::Text),
    always("access", Kind::Text),
    always("root", Kind::Text),
    always("group", Kind::Text),
    perhaps("origin_status", Kind::Text),
    perhaps("fetched_at", Kind::Time),
];

impl<'p> History<'p> {
    /// The history of these crawlers by policies, the oldest first; if no crawlers are given, of all that every policy was compiled for.
    ///
    /// # Errors
    ///
    /// [`DiffError`] if the policies have different dialects, or one lacks a crawler.
    pub fn new(policies: &[&'p Policy], agents: &[Agents]) -> Result<History<'p>, DiffError> {
        policies.windows(2).try_for_each(|pair| same_dialect(pair[0], pair[1]))?;
        let given =
            if agents.is_empty() { policies.first().map_or(&[][..], |first| first.columns().all()) } else { agents };
        let mut crawlers = vec![Vec::new(); policies.len()];
        for of in given {
            let of_each = (1..).zip(policies).map(|(number, policy)| {
                policy
                    .crawler(Some(of))
                    .map_err(|error| DiffError::Crawler { which: format!("policy number {number}"), error })
            });
            match of_each.collect::<Result<Vec<Crawler>, _>>() {
                Ok(of_each) => crawlers.iter_mut().zip(of_each).for_each(|(all, crawler)| all.push(crawler)),
                Err(_) if agents.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        if let ([first, .., last], Some([])) = (policies, crawlers.first().map(Vec::as_slice)) {
            return Err(DiffError::NoCrawler { was: first.columns().in_short(), now: last.columns().in_short() });
        }
        Ok(History { policies: policies.to_vec(), crawlers, choices: Choices::now() })
    }

    /// By these choices of the operator for all policies; without any, by those that the program makes by default, as of now. What
    /// depends on the URL does not count: [`Choices::www_fallback`] and [`Choices::require`].
    #[must_use]
    pub fn choices(self, choices: Choices) -> History<'p> {
        History { choices, ..self }
    }

    /// Passes a row to `each` for each origin and crawler, and each policy by which its access is another than by the one before; the
    /// first such row is that of the first policy. Access that is always the same has no rows; but if an `origin` is given, only that
    /// one counts, and has them anyway. Returns the number of origins.
    ///
    /// A row has values for the columns of [`HISTORY`]: `policy` is the number of the policy, counted from 1; `change` is what paths tell
    /// of the one before, by the name of a [`Change`]; `access`, `root` and `group` are those of
    /// [`ExportTable::Access`](export::ExportTable::Access), and `fetched_at` is when the robots.txt was fetched.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn rows<E>(&self, origin: Option<&str>, each: &mut dyn FnMut(&[Value<'_>]) -> Result<(), E>) -> Result<u64, E> {
        let mut walk = Walk::of(self);
        if let Some(origin) = origin {
            let found: Vec<_> = self.policies.iter().map(|policy| policy.origin(origin.as_bytes())).collect();
            if found.iter().all(Option::is_none) {
                return Ok(0);
            }
            walk.origin(origin.as_bytes(), &found, true, each)?;
            return Ok(1);
        }
        let mut origins = 0;
        for (origin, found) in side_by_side(&self.policies) {
            walk.origin(origin, &found, false, each)?;
            origins += 1;
        }
        Ok(origins)
    }

    /// Writes the rows as a table; returns the number of origins.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written.
    pub fn write(&self, origin: Option<&str>, format: Format, out: &mut (dyn Write + Send)) -> io::Result<u64> {
        let mut origins = 0;
        export::write_rows(("history", &HISTORY), format, out, &mut |each| {
            origins = self.rows(origin, each)?;
            Ok(())
        })?;
        Ok(origins)
    }

    /// Writes the table to a file, as [`export::write_file`] does.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or exists and is not to be replaced.
    pub fn write_file(&self, origin: Option<&str>, format: Format, path: &Path, force: bool) -> io::Result<u64> {
        export::to_file(path, format, force, |file| self.write(origin, format, file))
    }
}

/// Goes through origins, and keeps what was found out once.
struct Walk<'h, 'p> {
    history: &'h History<'p>,
    /// By policy.
    decisions: Vec<Decisions>,
    /// By policy.
    deciders: Vec<AccessDecider<'p>>,
    /// Of each policy but the first with the one before.
    comparers: Vec<(Comparer, Vec<[Crawler; 2]>)>,
}

/// A crawler's access to an origin by a policy, and what paths tell of the policy before.
type Step = (Cell, Option<Change>);

impl<'p> Walk<'_, 'p> {
    fn of<'h>(history: &'h History<'p>) -> Walk<'h, 'p> {
        let History { policies, crawlers, choices } = history;
        let dialect = policies.first().map_or(Dialect::DEFAULT, |policy| policy.dialect());
        let paths = paths_of(dialect);
        let pairs = crawlers.windows(2).map(|two| {
            let both = two[0].iter().zip(&two[1]).map(|(was, now)| [was.clone(), now.clone()]).collect();
            (Comparer::new(Arc::clone(&paths), 0), both)
        });
        Walk {
            history,
            decisions: policies.iter().map(|policy| decisions(policy, *choices)).collect(),
            deciders: policies.iter().map(|policy| AccessDecider::new(policy, *choices)).collect(),
            comparers: pairs.collect(),
        }
    }

    /// The rows of an origin, which these are the records of, by policy.
    fn origin<E>(
        &mut self,
        origin: &[u8],
        found: &[Found<'p>],
        always: bool,
        each: &mut dyn FnMut(&[Value<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let by_policy = self.steps(found);
        for (at, crawler) in self.history.crawlers.first().into_iter().flatten().enumerate() {
            let agent = crawler.agents().to_string();
            let is_same = |pair: &[Vec<Step>]| pair[0][at].0 == pair[1][at].0 && pair[1][at].1.is_none();
            if !always && by_policy.windows(2).all(is_same) {
                continue;
            }
            for (place, found) in found.iter().enumerate() {
                if place > 0 && is_same(&by_policy[place - 1..=place]) {
                    continue;
                }
                let (Cell { blocked, group }, change) = by_policy[place][at];
                let record = found.as_ref().map(|(_, record)| record);
                let fetched_at = record.and_then(|record| record.state().answered.fetched_at);
                each(&[
                    Value::Text(origin),
                    Value::Text(agent.as_bytes()),
                    Value::Whole(place as u64 + 1),
                    change.map_or(Value::None, |change| Value::Name(change.name())),
                    Value::Name(blocked.access.name()),
                    Value::Name(blocked.root.name()),
                    Value::Name(group.name()),
                    record.map_or(Value::None, |record| Value::Name(record.origin_status.name())),
                    fetched_at.map_or(Value::None, Value::Time),
                ])?;
            }
        }
        Ok(())
    }

    /// The access to an origin, by policy and crawler.
    fn steps(&mut self, found: &[Found<'p>]) -> Vec<Vec<Step>> {
        let Walk { history: History { policies, crawlers, .. }, decisions, deciders, comparers } = self;
        let by_policy = decisions.iter().zip(deciders).zip(crawlers);
        let cells = found.iter().zip(by_policy).map(|(found, ((decisions, decider), crawlers))| match found {
            Some((of, record)) => decider.cells(of, record, crawlers).iter().map(|cell| (*cell, None)).collect(),
            // It was never fetched.
            None => {
                let blocked = Blocked::whole(decisions.unfetched.partition());
                vec![(Cell { blocked, group: GroupKind::None }, None); crawlers.len()]
            }
        });
        let mut steps: Vec<Vec<Step>> = cells.collect();
        let sides: Vec<Side<'_>> = (policies.iter().zip(found).zip(decisions))
            .map(|((policy, found), decisions)| side(policy, found, decisions))
            .collect();
        for ((comparer, crawlers), (both, steps)) in
            comparers.iter_mut().zip(sides.windows(2).zip(steps.iter_mut().skip(1)))
        {
            for of_some in comparer.compare([both[0], both[1]], crawlers).iter() {
                let told = of_some.change.filter(Change::is_of_paths);
                of_some.crawlers.iter().for_each(|&crawler| steps[usize::from(crawler)].1 = told);
            }
        }
        steps
    }
}
