//! The entry of one origin in a policy.

use hashbrown::HashMap;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::automaton::{self, Engine};
use crate::dialect::AnswerKind;
use crate::formats::time::time;
use crate::judge::Choices;
use crate::origin::{self, InvalidUrl};
use crate::policy::{Crawler, Group, Groups, Hop, OriginStatus, Policy, Record, Ruling, StoredAnswer, Times, unasked};
use crate::preferences::{Preference, PreferenceLine, SignalScope, Use};
use crate::robots::{BodyFlaw, Delay, GroupOrigin, SideKey, SideRecord};
use crate::rules::{ChosenRules, KeptRule};
use crate::show::access::{AccessDecider, Blocked, Cell, Found, GroupKind};

/// The entry of an origin in a policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OriginEntry {
    /// The origin in canonical form.
    pub(crate) origin: String,
    /// The origin status after the last answer.
    pub(crate) origin_status: OriginStatus,
    /// The HTTP status of the robots.txt itself, before redirects.
    pub(crate) status: Option<u16>,
    /// The last answer.
    #[serde(flatten)]
    pub(crate) answer: AnswerTimes,
    /// The answers that are kept for its robots.txt: the newest of each kind, the newest first.
    pub(crate) answers: Vec<KeptAnswer>,
    /// The URL to which its redirects lead, if that was never asked.
    pub(crate) needed: Option<String>,
    /// Since when the origin has been unreachable, as RFC 3339.
    pub(crate) unreachable_since: Option<String>,
    /// The earlier answer whose rules are kept, if the last one failed.
    pub(crate) last_good: Option<LastGoodAnswer>,
    /// Until when the answer in use is valid by the dialect's lifetime, as RFC 3339.
    pub(crate) usable_until: Option<String>,
    /// Whether it is too old; `None` if that is unknown, or there is no answer to use.
    pub(crate) stale: Option<bool>,
    /// Whether the robots.txt in use looks like an HTML page.
    pub(crate) html_page: bool,
    /// The operator's override, if there is one.
    #[serde(rename = "override")]
    pub(crate) operator_override: Option<OverrideEntry>,
    /// The robots.txt as it applies to each crawler.
    pub(crate) agents: Vec<AgentEntry>,
    /// The sitemaps, which belong to no group.
    pub(crate) sitemaps: Vec<SideLine>,
}

/// The times of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerTimes {
    /// When it was fetched, as RFC 3339.
    pub(crate) fetched_at: Option<String>,
    /// The server's `Expires`, as RFC 3339.
    pub(crate) expires: Option<String>,
}

/// An answer that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptAnswer {
    /// Its kind.
    pub(crate) kind: AnswerKind,
    /// The HTTP status; `None` if nothing answered.
    pub(crate) status: Option<u16>,
    /// Its times.
    #[serde(flatten)]
    pub(crate) answer: AnswerTimes,
    /// Whether the body did not arrive whole.
    pub(crate) incomplete: bool,
    /// Whether the body is no text.
    pub(crate) not_text: bool,
    /// The URL that a redirect leads to.
    pub(crate) target: Option<String>,
}

/// An earlier answer whose rules are in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LastGoodAnswer {
    /// The origin status after it.
    pub(crate) origin_status: OriginStatus,
    /// The times of the answer.
    #[serde(flatten)]
    pub(crate) answer: AnswerTimes,
}

/// The operator's override for an origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OverrideEntry {
    /// The ruling in place of the robots.txt.
    pub(crate) ruling: Option<Ruling>,
    /// Until when the origin is paused, as RFC 3339.
    pub(crate) paused_until: Option<String>,
    /// Whether that time is in the future.
    pub(crate) paused: bool,
    /// The operator's crawl delay, as written.
    pub(crate) crawl_delay: Option<String>,
}

/// The robots.txt as it applies to a crawler.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentEntry {
    /// The crawler's name.
    pub(crate) agent: String,
    /// Whose group applies.
    pub(crate) group: GroupKind,
    /// How much of the origin is blocked, by the operator's choices.
    pub(crate) blocked: Blocked,
    /// The product token that the crawler's own group was chosen for.
    pub(crate) token: Option<String>,
    /// The `User-agent` lines for which the group was chosen.
    pub(crate) user_agent: Vec<AgentLine>,
    /// The rules, in the order of the file.
    pub(crate) rules: Vec<KeptRule>,
    /// The engine of the automaton.
    pub(crate) engine: Option<Engine>,
    /// The size of the automaton in bytes.
    pub(crate) automaton_bytes: u64,
    /// The crawl delay that applies.
    pub(crate) crawl_delay: Option<DelayEntry>,
    /// All other records except sitemaps, in the order of the file.
    pub(crate) side_records: Vec<SideLine>,
}

/// A `User-agent` line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLine {
    /// The line, counted from 1.
    pub(crate) line: u32,
    /// The value as written.
    pub(crate) value: String,
}

/// A record other than a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SideLine {
    /// The line, counted from 1; 0 if the operator set it.
    pub(crate) line: u32,
    /// The key.
    pub(crate) key: SideKey,
    /// The value as written; invalid UTF-8 is replaced.
    pub(crate) value: String,
    /// What it says of uses of a page, by their names, as in [`Requirements`](crate::Requirements); empty if nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) says: Uses,
}

/// The preferences about uses of a page, by the names of the uses.
pub(crate) type Uses = BTreeMap<&'static str, Preference>;

/// A crawl delay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DelayEntry {
    /// The line, counted from 1; 0 if the operator set it.
    pub(crate) line: u32,
    /// The value as written; invalid UTF-8 is replaced.
    pub(crate) value: String,
    /// Seconds between two fetches; `None` if the value is not a number of seconds, or the dialect does not obey it.
    pub(crate) seconds: Option<f64>,
    /// The pages per day that this allows, 86,400 divided by the seconds; `None` if it sets no limit.
    pub(crate) pages_a_day: Option<f64>,
}

impl OriginEntry {
    /// The origin in canonical form.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The origin status after the last answer.
    pub fn origin_status(&self) -> OriginStatus {
        self.origin_status
    }

    /// The entry of an origin, given as such or as any URL on it, for some of the policy's crawlers; `None` if the policy has none. By
    /// the operator's choices, such as [`Choices::now`]: with [`Choices::www_fallback`](field@Choices::www_fallback), it is the entry
    /// of the origin that judges its URLs. What depends on the URL does not count: [`Choices::require`].
    ///
    /// # Errors
    ///
    /// [`InvalidUrl`] if the text is neither an origin nor a URL.
    ///
    /// # Panics
    ///
    /// If a crawler was taken from a policy for other crawlers.
    pub fn of(
        policy: &Policy,
        url: &[u8],
        crawlers: &[Crawler],
        choices: Choices,
    ) -> Result<Option<OriginEntry>, InvalidUrl> {
        let (origin, _) = origin::split(url)?;
        let own = policy.origin(origin.as_bytes());
        let sibling = origin::www_sibling(origin.as_bytes()).filter(|_| choices.www_fallback && own.is_none());
        let found = own.or_else(|| policy.origin(sibling.as_deref()?));
        let origin = found.as_ref().map_or(origin, |(_, record)| String::from_utf8_lossy(record.origin));
        let chain = policy.chain(&origin);
        // Its redirects may lead to answers of other layers.
        let entry =
            |found| OriginEntry::of_record(&found, &chain, crawlers, AccessDecider::new(policy, choices), choices);
        Ok(found.map(entry))
    }

    /// The entry with this record of a policy.
    fn of_record<'p>(
        found: &Found<'p>,
        chain: &[Hop],
        crawlers: &[Crawler],
        mut decider: AccessDecider<'p>,
        choices: Choices,
    ) -> OriginEntry {
        let ((policy, record), side) = (found, decider.side(Some(found)));
        let now = choices.timed().now;
        let state = record.state();
        let is_in_use = state.operator_override.ruling.is_none() && state.origin_status_in_use().is_definite();
        let until = state.times_in_use().until(policy.dialect().lifetime).filter(|_| is_in_use);
        // Sitemaps and the operator's overrides are the same for all columns.
        let records = policy.side_records(record, 0);
        let operators_delay = Delay::of(&records, policy.dialect()).filter(|delay| delay.record.is_operators());
        let operator_override = OverrideEntry {
            ruling: state.operator_override.ruling,
            paused_until: state.operator_override.paused_until.map(time),
            paused: state.operator_override.paused_until.is_some_and(|until| now < until),
            crawl_delay: operators_delay.map(|delay| text(delay.record.value)),
        };
        let of_crawler = |(crawler, cell): (&Crawler, &Cell)| {
            AgentEntry::of(policy, record, crawler, cell.blocked, choices.content_signal)
        };
        let is_overridden = record.is_overridden() || operators_delay.is_some();
        let good = state
            .last_good
            .map(|good| LastGoodAnswer { origin_status: good.origin_status, answer: answer(good.times) });
        OriginEntry {
            answers: chain.first().map(answers).unwrap_or_default(),
            needed: unasked(chain).filter(|_| chain.len() > 1).map(str::to_owned),
            origin: text(record.origin),
            origin_status: state.origin_status,
            status: state.answered.status,
            answer: answer(state.answered.times()),
            unreachable_since: state.answered.unreachable_since.map(time),
            last_good: good,
            usable_until: until.map(time),
            stale: until.map(|until| until < now),
            html_page: state.html_page,
            operator_override: is_overridden.then_some(operator_override),
            agents: crawlers.iter().zip(decider.cells(side, crawlers)).map(of_crawler).collect(),
            sitemaps: records.iter().filter(|record| record.key == SideKey::Sitemap).map(side_line).collect(),
        }
    }
}

impl AgentEntry {
    /// The robots.txt of an origin as it applies to a crawler of the policy.
    fn of(policy: &Policy, record: &Record<'_>, crawler: &Crawler, blocked: Blocked, scope: SignalScope) -> AgentEntry {
        let groups = policy.groups(crawler);
        let (column, group) = groups.answer(record.row);
        let records = policy.side_records_with(record, column, scope);
        let mut entry = AgentEntry {
            agent: crawler.agents().to_string(),
            group: GroupKind::of(group),
            blocked,
            token: None,
            user_agent: Vec::new(),
            rules: Vec::new(),
            engine: None,
            automaton_bytes: 0,
            crawl_delay: Delay::of(&records, policy.dialect()).map(|delay| delay_entry(&delay)),
            side_records: records.iter().filter(|record| record.key != SideKey::Sitemap).map(side_line).collect(),
        };
        let Some(group) = group else { return entry };
        let chosen = policy.rules(group, column);
        if let GroupOrigin::Own(place) = chosen.origin {
            entry.token = policy.columns().all()[column].tokens().get(place).cloned();
        }
        entry.user_agent = agent_lines(&chosen);
        entry.rules = chosen.rules;
        let words = groups.automaton(group);
        entry.engine = Some(automaton::engine(words));
        entry.automaton_bytes = groups.item(group).len() as u64;
        entry
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The answers that are kept for a URL, the newest first.
fn answers(hop: &Hop) -> Vec<KeptAnswer> {
    let mut answers: Vec<&StoredAnswer> = hop.kept.iter().flat_map(|kept| kept.answers()).collect();
    answers.sort_by_key(|answer| Reverse(answer.precedence()));
    let kept = |one: &StoredAnswer| KeptAnswer {
        kind: one.kind,
        status: one.status,
        answer: answer(one.times()),
        incomplete: one.flaw == Some(BodyFlaw::Incomplete),
        not_text: one.flaw == Some(BodyFlaw::NotText),
        target: one.target().map(str::to_owned),
    };
    answers.into_iter().map(kept).collect()
}

fn answer(times: Times) -> AnswerTimes {
    AnswerTimes { fetched_at: times.fetched_at.map(time), expires: times.expires.map(time) }
}

fn side_line(record: &SideRecord<'_>) -> SideLine {
    let line = PreferenceLine::of(record);
    let says = line.map(|line| uses(|use_| line.says(use_))).unwrap_or_default();
    SideLine { line: record.line, key: record.key, value: text(record.value), says }
}

/// The uses that something is said of.
pub(crate) fn uses(preference: impl Fn(Use) -> Preference) -> Uses {
    let all = Use::all().map(|use_| (use_.name(), preference(use_)));
    all.filter(|(_, preference)| *preference != Preference::Unknown).collect()
}

/// The `User-agent` lines for which a group was chosen.
pub(crate) fn agent_lines(chosen: &ChosenRules) -> Vec<AgentLine> {
    chosen.agent_lines.iter().map(|(value, line)| AgentLine { line: *line, value: value.clone() }).collect()
}

fn delay_entry(delay: &Delay<'_>) -> DelayEntry {
    DelayEntry {
        line: delay.record.line,
        value: text(delay.record.value),
        seconds: delay.seconds,
        pages_a_day: delay.pages_a_day(),
    }
}

// Finds the groups that many origins share.

/// A group that several origins share: their rules give the same verdicts, whichever lines they are on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedGroup {
    /// The number of origins with the group, for any of the crawlers.
    pub(crate) origins: u64,
    /// The first of these origins.
    pub(crate) example: String,
    /// The number of its rules in that origin's robots.txt.
    pub(crate) rules: u64,
    /// The engine of its automaton.
    pub(crate) engine: Engine,
    /// Bytes of its automaton, including the front.
    pub(crate) bytes: u64,
}

/// The groups of more than one origin, at most `most` of them, those with the most origins first.
pub(super) fn most_shared(policy: &Policy, groups: &Groups<'_>, most: usize) -> Vec<SharedGroup> {
    let mut counted: Vec<_> = by_automaton(policy, groups).into_values().filter(|(origins, ..)| *origins > 1).collect();
    counted.sort_unstable_by_key(|&(origins, first, group)| (Reverse(origins), first, group.automaton));
    counted.truncate(most);
    let shared = |(origins, first, group): CountedGroup<'_>| {
        let words = groups.automaton(group);
        SharedGroup {
            origins,
            example: String::from_utf8_lossy(first).into_owned(),
            rules: policy.outline(group).rules,
            engine: automaton::engine(words),
            bytes: groups.item(group).len() as u64,
        }
    };
    counted.into_iter().map(shared).collect()
}

/// How many origins share an automaton, the first of them, and its group there.
type CountedGroup<'p> = (u64, &'p [u8], Group);

/// The groups, one for each automaton.
fn by_automaton<'p>(policy: &'p Policy, groups: &Groups<'_>) -> HashMap<u32, CountedGroup<'p>> {
    // For each row, the number of origins and the first one; origins come in order.
    let mut rows: HashMap<u32, (u64, &[u8])> = HashMap::new();
    for record in policy.lookup().records() {
        rows.entry(record.row).or_insert((0, record.origin)).0 += 1;
    }
    let mut by_automaton: HashMap<u32, CountedGroup<'p>> = HashMap::new();
    let mut of_row: Vec<Group> = Vec::new();
    for (&row, &(origins, first)) in &rows {
        of_row.clear();
        of_row.extend(groups.row(row).classes().filter_map(|(group, _)| group));
        // An origin counts once, even if the group applies to several crawlers.
        of_row.sort_by_key(|group| group.automaton);
        of_row.dedup_by_key(|group| group.automaton);
        for &group in &of_row {
            let counted = by_automaton.entry(group.automaton).or_insert((0, first, group));
            counted.0 += origins;
            if first < counted.1 {
                (counted.1, counted.2) = (first, group);
            }
        }
    }
    by_automaton
}
