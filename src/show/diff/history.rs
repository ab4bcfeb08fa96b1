//! When each crawler's access to an origin changed, by policies in the order of time.

use std::io::{self, Write};
use std::sync::Arc;

use super::change::Change;
use super::compare::Comparer;
use super::policies::{crawlers_of, side_by_side};
use crate::dialect::Dialect;
use crate::error::policy::Error;
use crate::formats::{shortened, visible};
use crate::judge::Choices;
use crate::policy::{Crawler, OriginStatus, Policy};
use crate::robots::Agents;
use crate::show::access::{AccessDecider, Cell, Found, Side, paths_of};
use crate::show::export::{self, Column, Format, Kind, Value, table};

/// Policies in the order of time, to tell when each crawler's access changed.
#[derive(Debug, Clone)]
pub struct History<'p> {
    policies: Vec<&'p Policy>,
    /// By policy.
    names: Vec<String>,
    /// By policy.
    crawlers: Vec<Vec<Crawler>>,
    choices: Choices,
}

table! {
    const HISTORY;
    fn row<'r>(origin: &'r [u8], agent: &'r str, policy: &'r str, step: &Step, status: Option<OriginStatus>, fetched_at: Option<i64>) {
        always "origin" Text = origin,
        always "agent" Text = agent.as_bytes(),
        always "policy" Text = policy.as_bytes(),
        perhaps "change" Name = step.1.map(Change::name),
        always "blocked" Name = step.0.blocked.name(),
        always "root" Name = step.0.root.name(),
        always "group" Name = step.0.group.name(),
        perhaps "origin_status" Name = status.map(OriginStatus::name),
        perhaps "fetched_at" Time = fetched_at,
    }
}

impl<'p> History<'p> {
    /// The history of these crawlers by policies, each with the name that rows give it, such as that of its file, the oldest first; if
    /// no crawlers are given, of all that every policy was compiled for.
    ///
    /// # Errors
    ///
    /// If the policies have different dialects, or one lacks a crawler.
    pub fn new(policies: &[(String, &'p Policy)], agents: &[Agents]) -> Result<History<'p>, Error> {
        let (names, policies): (Vec<String>, Vec<&Policy>) = policies.iter().cloned().unzip();
        let crawlers =
            crawlers_of(&policies, agents, |number| format!("the policy {}", shortened(visible(&names[number]))))?;
        Ok(History { policies, names, crawlers, choices: Choices::now() })
    }

    /// By these choices of the operator for all policies; without any, by those that the program makes by default, as of now. Ages are
    /// judged of the last policy only. What depends on the URL does not count: [`Choices::www_fallback`] and [`Choices::require`].
    #[must_use]
    pub fn choices(self, choices: Choices) -> History<'p> {
        History { choices, ..self }
    }

    /// Passes a row to `each` for each origin and crawler, and each policy by which its access is another than by the one before; the
    /// first such row is that of the first policy. Access that is always the same has no rows; but if an `origin` is given, only that
    /// one counts, and has them anyway. Returns the number of origins.
    ///
    /// A row has values for the columns of [`HISTORY`]: `policy` is the name of the policy; `change` is what paths tell
    /// of the one before, by the name of a [`Change`]; `blocked`, `root` and `group` are those of
    /// [`Table::Access`](export::Table::Access), and `fetched_at` is when the robots.txt was fetched.
    fn rows<E>(&self, origin: Option<&str>, each: &mut dyn FnMut(&[Value<'_>]) -> Result<(), E>) -> Result<u64, E> {
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
}

/// Goes through origins, and keeps what was found out once.
struct Walk<'h, 'p> {
    history: &'h History<'p>,
    /// By policy.
    deciders: Vec<AccessDecider<'p>>,
    /// Of each policy but the first with the one before.
    comparers: Vec<(Comparer, Vec<[Crawler; 2]>)>,
}

/// A crawler's access to an origin by a policy, and what paths tell of the policy before.
type Step = (Cell, Option<Change>);

impl<'p> Walk<'_, 'p> {
    fn of<'h>(history: &'h History<'p>) -> Walk<'h, 'p> {
        let History { policies, crawlers, choices, .. } = history;
        let dialect = policies.first().map_or(Dialect::DEFAULT, |policy| policy.dialect());
        let paths = paths_of(dialect);
        let pairs = crawlers.windows(2).map(|two| {
            let both = two[0].iter().zip(&two[1]).map(|(was, now)| [was.clone(), now.clone()]).collect();
            (Comparer::new(Arc::clone(&paths), 0), both)
        });
        let decider = |(number, policy): (usize, &&'p Policy)| {
            let is_last = number + 1 == policies.len();
            AccessDecider::new(policy, if is_last { *choices } else { choices.of_older() })
        };
        Walk { history, deciders: policies.iter().enumerate().map(decider).collect(), comparers: pairs.collect() }
    }

    /// The rows of an origin, which these are the records of, by policy.
    fn origin<E>(
        &mut self,
        origin: &[u8],
        found: &[Option<Found<'p>>],
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
                let record = found.as_ref().map(|(_, record)| record);
                let fetched_at = record.and_then(|record| record.state().answered.fetched_at);
                let status = record.map(|record| record.origin_status);
                let name = &self.history.names[place];
                each(&row(origin, &agent, name, &by_policy[place][at], status, fetched_at))?;
            }
        }
        Ok(())
    }

    /// The access to an origin, by policy and crawler.
    fn steps(&mut self, found: &[Option<Found<'p>>]) -> Vec<Vec<Step>> {
        let Walk { history, deciders, comparers } = self;
        let side = |(decider, found): (&AccessDecider<'p>, &Option<Found<'p>>)| decider.side(found.as_ref());
        let sides: Vec<Side<'_>> = deciders.iter().zip(found).map(side).collect();
        let of_policy = deciders.iter_mut().zip(&sides).zip(&history.crawlers);
        let cells = of_policy.map(|((decider, side), crawlers)| {
            decider.cells(*side, crawlers).iter().map(|cell| (*cell, None)).collect()
        });
        let mut steps: Vec<Vec<Step>> = cells.collect();
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
