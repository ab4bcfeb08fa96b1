//! The tables that can be exported: their columns, and their rows. One list has both, in the order of the table.

use serde::{Deserialize, Serialize};

use crate::judge::Choices;
use crate::policy::{Crawler, Group, OriginState, Outline, Policy, Record, Ruling};
use crate::preferences::{PreferenceLine, SignalScope, Use, is_about_uses};
use crate::robots::{Delay, SideKey, SideRecord};
use crate::show::access::{AccessCounts, AccessDecider, Blocked, Cell, Found, GroupKind};

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

/// Defines the columns of a table, and the function that makes a row: a value for each of them, which `perhaps` is missing.
macro_rules! table {
    (
        $(#[$meta:meta])*
        $visible:vis const $COLUMNS:ident;
        fn $row:ident<$life:lifetime>($($name:ident: $Type:ty),* $(,)?) {
            $($presence:ident $column:literal $Kind:ident = $value:expr,)+
        }
    ) => {
        $(#[$meta])*
        $visible const $COLUMNS: [Column; [$($column),+].len()] = [
            $(Column { name: $column, kind: table!(@kind $Kind), always: table!(@is_always $presence) }),+
        ];

        fn $row<$life>($($name: $Type),*) -> [Value<$life>; $COLUMNS.len()] {
            [$(table!(@value $presence $Kind $value)),+]
        }
    };
    (@kind Name) => { Kind::Text };
    (@kind $Kind:ident) => { Kind::$Kind };
    (@is_always always) => { true };
    (@is_always perhaps) => { false };
    (@value always $Kind:ident $value:expr) => { Value::$Kind($value) };
    (@value perhaps $Kind:ident $value:expr) => { $value.map_or(Value::None, Value::$Kind) };
}
pub(in crate::show) use table;

/// A function that receives rows.
type Each<'e, E> = dyn FnMut(&[Value<'_>]) -> Result<(), E> + 'e;

/// A function that passes rows on.
pub(super) type Rows<'r> = dyn FnMut(&mut Each<'_, std::io::Error>) -> std::io::Result<()> + Send + 'r;

named! {
    /// A table of a policy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Table {
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

impl Table {
    /// The columns of the table.
    pub(crate) fn columns(self) -> &'static [Column] {
        match self {
            Table::Delays => &DELAYS,
            Table::Sitemaps => &SITEMAPS,
            Table::Agents => &AGENTS,
            Table::Status => &STATUS,
            Table::Access => &ACCESS,
            Table::AccessSummary => &SUMMARY,
            Table::Preferences => &PREFERENCES,
        }
    }
}

/// A table of a policy, for some of its crawlers.
///
/// ```
/// use robosieve::export::{Export, Format, Table};
/// use robosieve::policy::{Answered, Capture, Captures};
/// use robosieve::{Agents, Choices, Dialect, Statuses};
///
/// let answered = Answered::default().status(Some(403));
/// let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
/// captures.add(vec![Capture::found("https://a.example", "").answered(answered)])?;
/// let (policy, statuses) = (captures.policy()?, "403 = 'block'".parse::<Statuses>()?);
/// let (crawlers, choices) = ([policy.crawler(None)?], Choices::now().statuses(statuses));
/// let mut table = Vec::new();
/// Export::new(&policy, Table::Access, &crawlers).choices(choices).write(Format::Tsv, &mut table)?;
/// let row = String::from_utf8(table)?.lines().nth(1).map(str::to_owned);
/// assert!(row.is_some_and(|row| row.starts_with("https://a.example\t*\tall\t")), "all paths are blocked");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// Its rows panic if a crawler was taken from a policy for other crawlers.
#[derive(Debug, Clone, Copy)]
pub struct Export<'p> {
    pub(super) policy: &'p Policy,
    pub(super) table: Table,
    pub(super) crawlers: &'p [Crawler],
    choices: Choices,
}

impl<'p> Export<'p> {
    /// By the choices that the program makes by default, as of now.
    pub fn new(policy: &'p Policy, table: Table, crawlers: &'p [Crawler]) -> Export<'p> {
        Export { policy, table, crawlers, choices: Choices::now() }
    }

    /// By these choices of the operator. What depends on the URL does not count: [`Choices::www_fallback`] and [`Choices::require`].
    #[must_use]
    pub fn choices(self, choices: Choices) -> Export<'p> {
        Export { choices, ..self }
    }

    /// Passes all rows to `each`, in the order of the origins, until its first error. A row has a value for each of the
    /// [columns](Table::columns).
    pub(crate) fn rows<E>(&self, each: &mut Each<'_, E>) -> Result<(), E> {
        if self.table == Table::AccessSummary {
            let counts = AccessCounts::of(self.policy, self.crawlers, self.choices);
            return counts.iter().try_for_each(|counts| each(&summary_row(counts)));
        }
        let mut maker = RowMaker::new(self);
        self.policy.records().try_for_each(|found| maker.rows(&found, each))
    }
}

/// Makes the rows of origins, one after the other.
pub(super) struct RowMaker<'p> {
    table: Table,
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
        let decider = (table == Table::Access).then(|| AccessDecider::new(policy, choices));
        RowMaker { table, crawlers, agents, decider, content_signal: choices.content_signal }
    }

    /// Passes the rows of an origin to `each`.
    pub fn rows<E>(&mut self, found: &Found<'p>, each: &mut Each<'_, E>) -> Result<(), E> {
        let (policy, record) = found;
        let RowMaker { table, crawlers, agents, decider, content_signal } = self;
        let mut named = crawlers.iter().zip(agents.iter().map(String::as_bytes));
        let column = |crawler| policy.groups(crawler).answer(record.row).0;
        match table {
            Table::Delays => named.try_for_each(|(crawler, name)| {
                let records = policy.side_records(record, column(crawler));
                Delay::of(&records, policy.dialect()).map_or(Ok(()), |delay| each(&delay_row(record, name, &delay)))
            }),
            Table::Sitemaps => {
                // Sitemaps belong to no group, so every column has them.
                let records = policy.side_records(record, 0);
                let mut sitemaps = records.iter().filter(|record| record.key == SideKey::Sitemap);
                sitemaps.try_for_each(|sitemap| each(&sitemap_row(record, sitemap)))
            }
            Table::Agents => named.try_for_each(|(crawler, name)| {
                let group = policy.groups(crawler).group(record.row);
                each(&agent_row(record, name, group, group.map(|group| policy.outline(group))))
            }),
            Table::Status => each(&status_row(record, &record.state())),
            Table::Preferences => named.try_for_each(|(crawler, name)| {
                let records = policy.side_records_with(record, column(crawler), *content_signal);
                let mut about_uses = records.iter().filter(|side| is_about_uses(side.key));
                about_uses.try_for_each(|side| each(&preference_row(record, name, side, PreferenceLine::of(side))))
            }),
            Table::Access => {
                let Some(decider) = decider else { return Ok(()) };
                let side = decider.side(Some(found));
                let mut cells = decider.cells(side, crawlers).iter().zip(agents);
                cells.try_for_each(|(cell, agent)| each(&access_row(record, agent.as_bytes(), cell)))
            }
            Table::AccessSummary => Ok(()),
        }
    }
}

table! {
    const DELAYS;
    fn delay_row<'r>(record: &'r Record<'_>, agent: &'r [u8], delay: &'r Delay<'_>) {
        always "origin" Text = record.origin,
        always "agent" Text = agent,
        always "value" Text = delay.record.value,
        always "line" Whole = delay.record.line.into(),
        perhaps "seconds" Decimal = delay.seconds,
        perhaps "pages_a_day" Decimal = delay.pages_a_day(),
    }
}

table! {
    const SITEMAPS;
    fn sitemap_row<'r>(record: &'r Record<'_>, sitemap: &'r SideRecord<'_>) {
        always "origin" Text = record.origin,
        always "sitemap" Text = sitemap.value,
        always "line" Whole = sitemap.line.into(),
    }
}

table! {
    const AGENTS;
    fn agent_row<'r>(record: &'r Record<'_>, agent: &'r [u8], group: Option<Group>, outline: Option<Outline<'r>>) {
        always "origin" Text = record.origin,
        always "agent" Text = agent,
        always "group" Name = GroupKind::of(group).name(),
        perhaps "user_agent" Text = outline.and_then(|outline| outline.first_agent).map(|agent| agent.value),
        perhaps "line" Whole = outline.and_then(|outline| outline.first_agent).map(|agent| agent.line.into()),
        perhaps "rules" Whole = outline.map(|outline| outline.rules),
    }
}

table! {
    const STATUS;
    fn status_row<'r>(record: &'r Record<'_>, state: &OriginState) {
        always "origin" Text = record.origin,
        always "origin_status" Name = state.origin_status.name(),
        perhaps "status" Whole = state.answered.status.map(u64::from),
        perhaps "fetched_at" Time = state.answered.fetched_at,
        perhaps "expires" Time = state.answered.expires,
        perhaps "unreachable_since" Time = state.answered.unreachable_since,
        perhaps "last_good" Name = state.last_good.map(|good| good.origin_status.name()),
        perhaps "last_good_fetched_at" Time = state.last_good.and_then(|good| good.times.fetched_at),
        perhaps "last_good_expires" Time = state.last_good.and_then(|good| good.times.expires),
        perhaps "override" Name = state.operator_override.ruling.map(Ruling::name),
        perhaps "paused_until" Time = state.operator_override.paused_until,
    }
}

table! {
    const ACCESS;
    fn access_row<'r>(record: &'r Record<'_>, agent: &'r [u8], cell: &Cell) {
        always "origin" Text = record.origin,
        always "agent" Text = agent,
        always "blocked" Name = cell.blocked.name(),
        always "root" Name = cell.root.name(),
        always "group" Name = cell.group.name(),
        always "origin_status" Name = record.origin_status.name(),
    }
}

table! {
    const SUMMARY;
    fn summary_row<'r>(counts: &'r AccessCounts) {
        always "agent" Text = counts.agent.as_bytes(),
        always "origins" Whole = Blocked::ALL.map(|blocked| counts.with(blocked)).iter().sum(),
        always "none" Whole = counts.with(Blocked::None),
        always "some" Whole = counts.with(Blocked::Some),
        always "all" Whole = counts.with(Blocked::All),
        always "deferred" Whole = counts.with(Blocked::Deferred),
        always "undecided" Whole = counts.with(Blocked::Undecided),
        always "root_blocked" Whole = counts.root_blocked,
        always "own_group" Whole = counts.of_kind(GroupKind::Own),
        always "own_group_some" Whole = counts.origins[Blocked::Some as usize][GroupKind::Own as usize],
        always "own_group_all" Whole = counts.origins[Blocked::All as usize][GroupKind::Own as usize],
        always "everybodys_group" Whole = counts.of_kind(GroupKind::Everybody),
        always "no_group" Whole = counts.of_kind(GroupKind::None),
    }
}

table! {
    const PREFERENCES;
    fn preference_row<'r>(record: &'r Record<'_>, agent: &'r [u8], side: &'r SideRecord<'_>, line: Option<PreferenceLine<'r>>) {
        always "origin" Text = record.origin,
        always "agent" Text = agent,
        always "source" Name = side.key.name(),
        perhaps "path" Text = line.map(|line| line.path).filter(|path| !path.is_empty()),
        always "line" Whole = side.line.into(),
        always "value" Text = side.value,
        perhaps "train_ai" Name = said(line, Use::TrainAi),
        perhaps "search" Name = said(line, Use::Search),
        perhaps "ai_input" Name = said(line, Use::AiInput),
    }
}

/// What a line says of a use, if it can say something of it.
fn said(line: Option<PreferenceLine<'_>>, use_: Use) -> Option<&'static str> {
    line.filter(|line| line.source.label(use_).is_some()).map(|line| line.says(use_).name())
}
