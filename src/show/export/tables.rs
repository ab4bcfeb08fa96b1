//! The tables that can be exported.

use super::access;
use super::column::{Column, Each, Kind, Value, always, perhaps};
use super::preferences;
use crate::policy::{Crawler, Policy, Record};
use crate::robots::{Delay, SideKey};
use crate::show::group_kind::GroupKind;

/// A table of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportTable {
    /// Crawl delays: a row for each origin and crawler that has one.
    Delays,
    /// Sitemaps: a row for each.
    Sitemaps,
    /// The groups that apply: a row for each origin and crawler.
    Agents,
    /// Origins: a row for each.
    Status,
    /// How much is blocked: a row for each origin and crawler. Decided for all paths that a fetcher can ask for, by the choices that the
    /// program makes by default, as of now.
    Access,
    /// The same, counted: a row for each crawler.
    AccessSummary,
    /// What sites say about uses of their pages: a row for each line that applies to a crawler.
    Preferences,
}

impl ExportTable {
    /// All tables.
    pub const ALL: [ExportTable; 7] = [
        ExportTable::Delays,
        ExportTable::Sitemaps,
        ExportTable::Agents,
        ExportTable::Status,
        ExportTable::Access,
        ExportTable::AccessSummary,
        ExportTable::Preferences,
    ];

    /// The name, for example `delays`.
    pub fn name(self) -> &'static str {
        match self {
            ExportTable::Delays => "delays",
            ExportTable::Sitemaps => "sitemaps",
            ExportTable::Agents => "agents",
            ExportTable::Status => "status",
            ExportTable::Access => "access",
            ExportTable::AccessSummary => "access-summary",
            ExportTable::Preferences => "preferences",
        }
    }

    /// The columns of the table.
    pub fn columns(self) -> &'static [Column] {
        match self {
            ExportTable::Delays => &DELAYS,
            ExportTable::Sitemaps => &SITEMAPS,
            ExportTable::Agents => &AGENTS,
            ExportTable::Status => &STATUS,
            ExportTable::Access => &access::COLUMNS,
            ExportTable::AccessSummary => &access::SUMMARY,
            ExportTable::Preferences => &preferences::COLUMNS,
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
/// the [columns](ExportTable::columns).
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
pub fn rows<E>(policy: &Policy, table: ExportTable, crawlers: &[Crawler], each: &mut Each<'_, E>) -> Result<(), E> {
    match table {
        ExportTable::Access => return access::rows(policy, crawlers, each),
        ExportTable::AccessSummary => return access::summary(policy, crawlers, each),
        _ => {}
    }
    for (policy, record) in policy.records() {
        match table {
            ExportTable::Delays => crawlers.iter().try_for_each(|crawler| delay(policy, &record, crawler, each))?,
            ExportTable::Sitemaps => sitemaps(policy, &record, each)?,
            ExportTable::Agents => crawlers.iter().try_for_each(|crawler| agent(policy, &record, crawler, each))?,
            ExportTable::Status => status(&record, each)?,
            ExportTable::Preferences => {
                crawlers.iter().try_for_each(|crawler| preferences::rows(policy, &record, crawler, each))?
            }
            ExportTable::Access | ExportTable::AccessSummary => {}
        }
    }
    Ok(())
}

fn delay<E>(policy: &Policy, record: &Record<'_>, crawler: &Crawler, each: &mut Each<'_, E>) -> Result<(), E> {
    let (column, _) = policy.groups(crawler).answer(record.row);
    let records = policy.side_records(record, column);
    let Some(delay) = Delay::of(&records, policy.dialect()) else { return Ok(()) };
    each(&[
        Value::Text(record.origin),
        Value::Text(crawler.agents().to_string().as_bytes()),
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

fn agent<E>(policy: &Policy, record: &Record<'_>, crawler: &Crawler, each: &mut Each<'_, E>) -> Result<(), E> {
    let group = policy.groups(crawler).group(record.row);
    let outline = group.map(|group| policy.outline(group));
    let first = outline.and_then(|outline| outline.first_agent);
    each(&[
        Value::Text(record.origin),
        Value::Text(crawler.agents().to_string().as_bytes()),
        Value::Text(GroupKind::of(group).name().as_bytes()),
        first.map_or(Value::None, |agent| Value::Text(agent.value)),
        first.map_or(Value::None, |agent| Value::Whole(agent.line.into())),
        outline.map_or(Value::None, |outline| Value::Whole(outline.rules)),
    ])
}

fn status<E>(record: &Record<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
    let state = record.state();
    let good = state.last_good;
    let name = |name: Option<&'static str>| name.map_or(Value::None, |name| Value::Text(name.as_bytes()));
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
