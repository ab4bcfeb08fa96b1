//! The table of what sites say about uses of their pages.

use super::column::{Column, Each, Kind, Value, always, perhaps};
use crate::policy::{Crawler, Policy, Record};
use crate::preferences::{PreferenceLine, Use};
use crate::robots::{SideKey, SideRecord};

pub(super) const COLUMNS: [Column; 9] = [
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

/// Whether a record says something about uses, also if it is only kept.
fn is_about_uses(record: &&SideRecord<'_>) -> bool {
    let only_kept = [SideKey::License, SideKey::DisallowAiTraining, SideKey::LlmPolicy];
    PreferenceLine::of(record).is_some() || only_kept.contains(&record.key)
}

/// Passes a row for each line of an origin that applies to a crawler to `each`.
pub(super) fn rows<E>(
    policy: &Policy,
    record: &Record<'_>,
    crawler: &Crawler,
    each: &mut Each<'_, E>,
) -> Result<(), E> {
    let (column, _) = policy.groups(crawler).answer(record.row);
    let agent = crawler.agents().to_string();
    for side in policy.side_records(record, column).iter().filter(is_about_uses) {
        let line = PreferenceLine::of(side);
        let path = line.map(|line| line.path).filter(|path| !path.is_empty());
        let said = |use_: Use| match line.filter(|line| line.source.label(use_).is_some()) {
            Some(line) => Value::Text(line.says(use_).name().as_bytes()),
            None => Value::None,
        };
        each(&[
            Value::Text(record.origin),
            Value::Text(agent.as_bytes()),
            Value::Text(side.key.name().as_bytes()),
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
