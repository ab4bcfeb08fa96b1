//! Changes as a table, and counted.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use super::change::{Change, Difference, OriginChange};
use super::policies::{Diff, Seen};
use crate::show::export::{self, Column, Format, Kind, Value, always, perhaps};

/// A table of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiffTable {
    /// A row for each path that shows a change of an origin, for the crawlers for which it is the same; one if there is no such path.
    Changes,
    /// A row for each crawler and kind of change: for how many origins.
    Summary,
}

const CHANGES: [Column; 12] = [
    always("origin", Kind::Text),
    always("change", Kind::Text),
    always("agents", Kind::Text),
    perhaps("path", Kind::Text),
    perhaps("was", Kind::Text),
    perhaps("now", Kind::Text),
    always("differences", Kind::Whole),
    always("are_all", Kind::Text),
    always("group_was", Kind::Text),
    always("group_now", Kind::Text),
    perhaps("status_was", Kind::Text),
    perhaps("status_now", Kind::Text),
];

const SUMMARY: [Column; 3] =
    [always("agent", Kind::Text), always("change", Kind::Text), always("origins", Kind::Whole)];

impl DiffTable {
    /// The name, for example `changes`.
    pub fn name(self) -> &'static str {
        match self {
            DiffTable::Changes => "changes",
            DiffTable::Summary => "changes-summary",
        }
    }

    /// The columns of the table.
    pub fn columns(self) -> &'static [Column] {
        match self {
            DiffTable::Changes => &CHANGES,
            DiffTable::Summary => &SUMMARY,
        }
    }
}

/// Passes all rows of a table to `each`.
///
/// # Errors
///
/// The first error of `each`.
pub fn rows<E>(
    diff: &Diff<'_>,
    table: DiffTable,
    each: &mut dyn FnMut(&[Value<'_>]) -> Result<(), E>,
) -> Result<Seen, E> {
    let names = diff.names();
    let mut counts: BTreeMap<(u16, Change), u64> = BTreeMap::new();
    let seen = diff.each(|change| match table {
        DiffTable::Changes => change_rows(change, &names, each),
        DiffTable::Summary => {
            change.crawlers.iter().for_each(|&crawler| *counts.entry((crawler, change.change)).or_default() += 1);
            Ok(())
        }
    })?;
    for ((crawler, change), origins) in counts {
        let agent = names[usize::from(crawler)].as_bytes();
        each(&[Value::Text(agent), Value::Name(change.name()), Value::Whole(origins)])?;
    }
    Ok(seen)
}

/// The rows of a change.
fn change_rows<E>(
    change: &OriginChange<'_>,
    names: &[String],
    each: &mut dyn FnMut(&[Value<'_>]) -> Result<(), E>,
) -> Result<(), E> {
    let agents: Vec<&str> = change.crawlers.iter().map(|&crawler| &*names[usize::from(crawler)]).collect();
    let agents = agents.join(",");
    let differences = &change.differences;
    let text = Value::Name;
    let perhaps = |name: Option<&'static str>| name.map_or(Value::None, text);
    let [group_was, group_now] = change.groups.map(|group| text(group.name()));
    let [status_was, status_now] = change.statuses.map(perhaps);
    let are_all = text(if differences.are_all { "yes" } else { "no" });
    let mut row = |path: Value<'_>, was: Value<'_>, now: Value<'_>| {
        each(&[
            Value::Text(change.origin),
            text(change.change.name()),
            Value::Text(agents.as_bytes()),
            path,
            was,
            now,
            Value::Whole(differences.count),
            are_all,
            group_was,
            group_now,
            status_was,
            status_now,
        ])
    };
    if differences.shown.is_empty() {
        return row(Value::None, Value::None, Value::None);
    }
    for difference in &differences.shown {
        let Difference { path, was, now } = difference;
        let [path, was, now] = [path, was.as_bytes(), now.as_bytes()]
            .map(|text| if text.is_empty() { Value::None } else { Value::Text(text) });
        row(path, was, now)?;
    }
    Ok(())
}

/// Writes a table.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write(diff: &Diff<'_>, table: DiffTable, format: Format, out: &mut (dyn Write + Send)) -> io::Result<Seen> {
    let mut seen = Seen::default();
    export::write_rows((table.name(), table.columns()), format, out, &mut |each| {
        seen = rows(diff, table, each)?;
        Ok(())
    })?;
    Ok(seen)
}

/// Writes a table to a file, as [`export::write_file`] does.
///
/// # Errors
///
/// If the file cannot be written, or exists and is not to be replaced.
pub fn write_file(diff: &Diff<'_>, table: DiffTable, format: Format, path: &Path, force: bool) -> io::Result<Seen> {
    export::to_file(path, format, force, |file| write(diff, table, format, file))
}
