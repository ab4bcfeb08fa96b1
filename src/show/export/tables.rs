//! The tables that can be exported: their columns, and their rows.

use serde::{Deserialize, Serialize};

use crate::judge::Choices;
use crate::policy::{Crawler, Policy, Record};
use crate::preferences::{PreferenceLine, SignalScope, Use, is_about_uses};
use crate::robots::{Delay, SideKey};
use crate::show::access::{Access, AccessCounts, AccessDecider, Cell, GroupKind};

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The name of the column.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// Whether every row has a value in it.
    pub always: bool,
}

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Texts.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers with decimals.
    Decimal,
    /// Times.
    Time,
}

/// A value in a table.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value<'v> {
    /// No value.
    None,
    /// A text as written in a robots.txt; usually UTF-8.
    Text(&'v [u8]),
    /// One of the program's own names, such as `blocked`, in printable ASCII.
    Name(&'static str),
    /// A whole number.
    Whole(u64),
    /// A number with decimals.
    Decimal(f64),
    /// A time, in seconds of Unix time.
    Time(i64),
}

pub(in crate::show) const fn always(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, always: true }
}

pub(in crate::show) const fn perhaps(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, always: false }
}

/// A function that receives rows.
pub(super) type Each<'e, E> = dyn FnMut(&[Value<'_>]) -> Result<(), E> + 'e;

named! {
    /// A table of a policy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum ExportTable {
        /// Crawl delays: a row for each origin and crawler that has one.
        Delays = "delays",
        /// Sitemaps: a row for each.
        Sitemaps = "sitemaps",
        /// The groups that apply: a row for each origin and crawler.
        Agents = "agents",
        /// Origins: a row for each.
        Status = "status",
        /// How much is blocked: a row for each origin and crawler. Decided for all paths that a fetcher can ask for, by the operator's
        /// [choices](Export::choices).
        Access = "access",
        /// The same, counted: a row for each crawler.
        AccessSummary = "access-summary",
        /// What sites say about uses of their pages: a row for each line that applies to a crawler.
        Preferences = "preferences",
    }
}

impl ExportTable {
    /// The columns of the table.
    pub fn columns(self) -> &'static [Column] {
        match self {
            ExportTable::Delays => &DELAYS,
            ExportTable::Sitemaps => &SITEMAPS,
            ExportTable::Agents => &AGENTS,
            ExportTable::Status => &STATUS,
            ExportTable::Access => &ACCESS_COLUMNS,
            ExportTable::AccessSummary => &SUMMARY,
            ExportTable::Preferences => &PREFERENCE_COLUMNS,
        }
    }
}

const DELAYS: [Column; 6] = [
    always("origin", Kind::Text),
    always("agent", Kind::Text),
    always("value", Kind::Text),
    always("line", Kind::Whole),
    perhaps("seconds", Kind::Decimal),
    perhaps("pages_a_day", Kind::Decimal),
];

const SITEMAPS: [Column; 3] =
    [always("origin", Kind::Text), always("sitemap", Kind::Text), always("line", Kind::Whole)];

const AGENTS: [Column; 6] = [
    always("origin", Kind::Text),
    always("agent", Kind::Text),
    always("group", Kind::Text),
    perhaps("user_agent", Kind::Text),
    perhaps("line", Kind::Whole),
    perhaps("rules", Kind::Whole),
];

const STATUS: [Column; 11] = [
    always("origin", Kind::Text),
    always("origin_status", Kind::Text),
    perhaps("status", Kind::Whole),
    perhaps("fetched_at", Kind::Time),
    perhaps("expires", Kind::Time),
    perhaps("unreachable_since", Kind::Time),
    perhaps("last_good", Kind::Text),
    perhaps("last_good_fetched_at", Kind::Time),
    perhaps("last_good_expires", Kind::Time),
    perhaps("override", Kind::Text),
    perhaps("paused_until", Kind::Time),
];

/// Passes all rows of a table to `each`, in the order of the origins, for some of the policy's crawlers. A row has a value for each of
/// the [columns](ExportTable::columns). [`Export`] does the same by other choices.
///
/// ```
/// use robosieve::export::{self, ExportTable, Value};
/// use robosieve::policy::{Captures, source};
/// use robosieve::{Agents, Dialect};
///
/// let mut captures = Captures::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
/// source::add(&["datasets/sites"], &source::Options::default(), &mut captures)?;
/// let policy = captures.policy()?;
/// let mut sitemaps = Vec::new();
/// export::rows(&policy, ExportTable::Sitemaps, &[], &mut |row| {
///     if let [Value::Text(origin), Value::Text(sitemap), Value::Whole(line)] = row {
///         sitemaps.push((origin.to_vec(), sitemap.to_vec(), *line));
///     }
///     Ok::<(), std::io::Error>(())
/// })?;
/// assert!(sitemaps.iter().any(|(origin, ..)| origin == b"https://shop.example"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The first error of `each`, after which no row follows.
///
/// # Panics
///
/// If a crawler was taken from a policy for other crawlers.
pub fn rows<E>(policy: &Policy, table: ExportTable, crawlers: &[Crawler], each: &mut Each<'_, E>) -> Result<(), E> {
    Export::new(policy, table, crawlers).rows(each)
}

/// A table of a policy, for some of its crawlers.
///
/// ```
/// use robosieve::export::{Export, ExportTable, Value};
/// use robosieve::policy::{Answered, Capture, Captures};
/// use robosieve::{Agents, Choices, Dialect, Statuses};
///
/// let answered = Answered::default().status(Some(403));
/// let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
/// captures.add(vec![Capture::found("https://a.example", "").answered(answered)])?;
/// let (policy, statuses) = (captures.policy()?, "403 = 'block'".parse::<Statuses>()?);
/// let (crawlers, choices) = ([policy.crawler(None)?], Choices::now().statuses(statuses));
/// Export::new(&policy, ExportTable::Access, &crawlers).choices(choices).rows(&mut |row| {
///     assert_eq!(row[2], Value::Name("all"), "all paths are blocked");
///     Ok::<(), std::io::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Export<'p> {
    pub(super) policy: &'p Policy,
    pub(super) table: ExportTable,
    pub(super) crawlers: &'p [Crawler],
    pub(super) choices: Choices,
}

impl<'p> Export<'p> {
    /// By the choices that the program makes by default, as of now.
    pub fn new(policy: &'p Policy, table: ExportTable, crawlers: &'p [Crawler]) -> Export<'p> {
        Export { policy, table, crawlers, choices: Choices::now() }
    }

    /// By these choices of the operator. What depends on the URL does not count: [`Choices::www_fallback`] and [`Choices::require`].
    #[must_use]
    pub fn choices(self, choices: Choices) -> Export<'p> {
        Export { choices, ..self }
    }

    /// Passes all rows to `each`, as [`rows()`] does.
    ///
    /// # Errors
    ///
    /// The first error of `each`, after which no row follows.
    ///
    /// # Panics
    ///
    /// If a crawler was taken from a policy for other crawlers.
    pub fn rows<E>(&self, each: &mut Each<'_, E>) -> Result<(), E> {
        if self.table == ExportTable::AccessSummary {
            return summary(self, each);
        }
        let mut maker = RowMaker::new(self);
        self.policy.records().try_for_each(|(of, record)| maker.rows(of, &record, each))
    }
}

/// Makes the rows of origins, one after the other.
pub(super) struct RowMaker<'p> {
    table: ExportTable,
    crawlers: &'p [Crawler],
    /// The names of the crawlers.
    agents: Vec<String>,
    decider: Option<AccessDecider<'p>>,
    content_signal: SignalScope,
}

impl<'p> RowMaker<'p> {
    /// For a table with rows for each origin.
    pub fn new(export: &Export<'p>) -> RowMaker<'p> {
        let Export { policy, table, crawlers, choices } = *export;
        let agents = crawlers.iter().map(|crawler| crawler.agents().to_string()).collect();
        let decider = (table == ExportTable::Access).then(|| AccessDecider::new(policy, choices));
        RowMaker { table, crawlers, agents, decider, content_signal: choices.content_signal }
    }

    /// Passes the rows of an origin to `each`. The record is of this policy: that of the maker, or that of the layers over it.
    pub fn rows<E>(&mut self, policy: &Policy, record: &Record<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
        let RowMaker { table, crawlers, agents, decider, content_signal } = self;
        let mut crawlers_named = crawlers.iter().zip(agents.iter().map(String::as_bytes));
        match table {
            ExportTable::Delays => crawlers_named.try_for_each(|crawler| delay(policy, record, crawler, each)),
            ExportTable::Sitemaps => sitemaps(policy, record, each),
            ExportTable::Agents => crawlers_named.try_for_each(|crawler| agent(policy, record, crawler, each)),
            ExportTable::Status => status(record, each),
            ExportTable::Preferences => {
                crawlers_named.try_for_each(|crawler| preference_rows(policy, record, crawler, *content_signal, each))
            }
            ExportTable::Access => {
                let cells = decider.iter_mut().flat_map(|decider| decider.cells(policy, record, crawlers));
                cells.zip(agents).try_for_each(|(cell, agent)| access(record, cell, agent, each))
            }
            ExportTable::AccessSummary => Ok(()),
        }
    }
}

/// A crawler, and its name.
type Named<'c> = (&'c Crawler, &'c [u8]);

fn delay<E>(policy: &Policy, record: &Record<'_>, (crawler, name): Named<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
    let (column, _) = policy.groups(crawler).answer(record.row);
    let records = policy.side_records(record, column);
    let Some(delay) = Delay::of(&records, policy.dialect()) else { return Ok(()) };
    each(&[
        Value::Text(record.origin),
        Value::Text(name),
        Value::Text(delay.record.value),
        Value::Whole(delay.record.line.into()),
        delay.seconds.map_or(Value::None, Value::Decimal),
        delay.pages_a_day().map_or(Value::None, Value::Decimal),
    ])
}

fn sitemaps<E>(policy: &Policy, record: &Record<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
    // Sitemaps belong to no group, so every column has them.
    let records = policy.side_records(record, 0);
    let mut sitemaps = records.iter().filter(|record| record.key == SideKey::Sitemap);
    sitemaps.try_for_each(|sitemap| {
        each(&[Value::Text(record.origin), Value::Text(sitemap.value), Value::Whole(sitemap.line.into())])
    })
}

fn agent<E>(policy: &Policy, record: &Record<'_>, (crawler, name): Named<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
    let group = policy.groups(crawler).group(record.row);
    let outline = group.map(|group| policy.outline(group));
    let first = outline.and_then(|outline| outline.first_agent);
    each(&[
        Value::Text(record.origin),
        Value::Text(name),
        Value::Name(GroupKind::of(group).name()),
        first.map_or(Value::None, |agent| Value::Text(agent.value)),
        first.map_or(Value::None, |agent| Value::Whole(agent.line.into())),
        outline.map_or(Value::None, |outline| Value::Whole(outline.rules)),
    ])
}

fn status<E>(record: &Record<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
    let state = record.state();
    let good = state.last_good;
    let name = |name: Option<&'static str>| name.map_or(Value::None, Value::Name);
    let time = |time: Option<i64>| time.map_or(Value::None, Value::Time);
    each(&[
        Value::Text(record.origin),
        name(Some(state.origin_status.name())),
        state.answered.status.map_or(Value::None, |status| Value::Whole(status.into())),
        time(state.answered.fetched_at),
        time(state.answered.expires),
        time(state.answered.unreachable_since),
        name(good.map(|good| good.origin_status.name())),
        time(good.and_then(|good| good.times.fetched_at)),
        time(good.and_then(|good| good.times.expires)),
        name(state.operator_override.ruling.map(|ruling| ruling.name())),
        time(state.operator_override.paused_until),
    ])
}

const ACCESS_COLUMNS: [Column; 6] = [
    always("origin", Kind::Text),
    always("agent", Kind::Text),
    always("access", Kind::Text),
    always("root", Kind::Text),
    always("group", Kind::Text),
    always("origin_status", Kind::Text),
];

pub(super) const SUMMARY: [Column; 13] = [
    always("agent", Kind::Text),
    always("origins", Kind::Whole),
    always("none", Kind::Whole),
    always("some", Kind::Whole),
    always("all", Kind::Whole),
    always("deferred", Kind::Whole),
    always("undecided", Kind::Whole),
    always("root_blocked", Kind::Whole),
    always("own_group", Kind::Whole),
    always("own_group_some", Kind::Whole),
    always("own_group_all", Kind::Whole),
    always("everybodys_group", Kind::Whole),
    always("no_group", Kind::Whole),
];

fn access<E>(record: &Record<'_>, cell: &Cell, agent: &str, each: &mut Each<'_, E>) -> Result<(), E> {
    each(&[
        Value::Text(record.origin),
        Value::Text(agent.as_bytes()),
        Value::Name(cell.blocked.access.name()),
        Value::Name(cell.blocked.root.name()),
        Value::Name(cell.group.name()),
        Value::Name(record.origin_status.name()),
    ])
}

/// Passes a row for each crawler to `each`.
pub(super) fn summary<E>(export: &Export<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
    for counts in AccessCounts::of(export.policy, export.crawlers, export.choices) {
        let with = |access| counts.with(access);
        let by_own = |access: Access| counts.origins[access as usize][GroupKind::Own as usize];
        let numbers = [
            Access::ALL.map(with).iter().sum(),
            with(Access::None),
            with(Access::Some),
            with(Access::All),
            with(Access::Deferred),
            with(Access::Undecided),
            counts.root_blocked,
            counts.of_kind(GroupKind::Own),
            by_own(Access::Some),
            by_own(Access::All),
            counts.of_kind(GroupKind::Everybody),
            counts.of_kind(GroupKind::None),
        ];
        let mut row = vec![Value::Text(counts.agent.as_bytes())];
        row.extend(numbers.map(Value::Whole));
        each(&row)?;
    }
    Ok(())
}

const PREFERENCE_COLUMNS: [Column; 9] = [
    always("origin", Kind::Text),
    always("agent", Kind::Text),
    always("source", Kind::Text),
    perhaps("path", Kind::Text),
    always("line", Kind::Whole),
    always("value", Kind::Text),
    perhaps("train_ai", Kind::Text),
    perhaps("search", Kind::Text),
    perhaps("ai_input", Kind::Text),
];

/// Passes a row for each line of an origin that applies to a crawler to `each`.
fn preference_rows<E>(
    policy: &Policy,
    record: &Record<'_>,
    (crawler, name): Named<'_>,
    scope: SignalScope,
    each: &mut Each<'_, E>,
) -> Result<(), E> {
    let (column, _) = policy.groups(crawler).answer(record.row);
    for side in policy.side_records_with(record, column, scope).iter().filter(|side| is_about_uses(side.key)) {
        let line = PreferenceLine::of(side);
        let path = line.map(|line| line.path).filter(|path| !path.is_empty());
        let said = |use_: Use| match line.filter(|line| line.source.label(use_).is_some()) {
            Some(line) => Value::Name(line.says(use_).name()),
            None => Value::None,
        };
        each(&[
            Value::Text(record.origin),
            Value::Text(name),
            Value::Name(side.key.name()),
            path.map_or(Value::None, Value::Text),
            Value::Whole(side.line.into()),
            Value::Text(side.value),
            said(Use::TrainAi),
            said(Use::Search),
            said(Use::AiInput),
        ])?;
    }
    Ok(())
}
