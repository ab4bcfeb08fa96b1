//! The tables of how much is blocked.

use super::column::{Column, Each, Kind, Value, always};
use crate::judge::Choices;
use crate::policy::{Crawler, Policy};
use crate::show::access::{Access, AccessCounts, AccessDecider};
use crate::show::group_kind::GroupKind;

pub(super) const COLUMNS: [Column; 6] = [
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

/// Passes a row for each origin and crawler to `each`.
pub(super) fn rows<E>(policy: &Policy, crawlers: &[Crawler], each: &mut Each<'_, E>) -> Result<(), E> {
    let mut decider = AccessDecider::new(policy, Choices::now().now);
    let agents: Vec<String> = crawlers.iter().map(|crawler| crawler.agents().to_string()).collect();
    for (of, record) in policy.records() {
        let origin_status = record.origin_status.name();
        for (cell, agent) in decider.cells(of, &record, crawlers).iter().zip(&agents) {
            each(&[
                Value::Text(record.origin),
                Value::Text(agent.as_bytes()),
                Value::Text(cell.blocked.access.name().as_bytes()),
                Value::Text(cell.blocked.root.name().as_bytes()),
                Value::Text(cell.group.name().as_bytes()),
                Value::Text(origin_status.as_bytes()),
            ])?;
        }
    }
    Ok(())
}

/// Passes a row for each crawler to `each`.
pub(super) fn summary<E>(policy: &Policy, crawlers: &[Crawler], each: &mut Each<'_, E>) -> Result<(), E> {
    for counts in AccessCounts::of(policy, crawlers, Choices::now().now) {
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
