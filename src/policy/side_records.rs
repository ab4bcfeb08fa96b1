//! Side records of each origin, such as `Crawl-delay` and `Sitemap`, with their line numbers. Many files have the same
//! side records, so each distinct list is stored once.
//!
//! ```text
//! list     records, one after the other
//! record   key u8 | length of a set | the set of columns that it is for, none for all | line | length of the value | value
//! ```
//!
//! A `Content-Signal` of a group that applies to no column is stored, too, with an empty set, because a caller may
//! apply every `Content-Signal` to all crawlers.
//!
//! All numbers except the key are encoded as in [`bytes`](crate::formats::bytes). Line 0 marks the operator's own record.

use super::crawlers::{check_set, is_in_set, set_count, set_of};
use crate::formats::bytes::{Reader, push_number, push_text};
use crate::preferences::SignalScope;
use crate::robots::{Robots, Selection, SideKey, SideRecord};

/// The set of all columns.
const ALL: &[u8] = &[];

/// Encodes the side records of a file for all columns: those of the groups chosen for each, and those outside every group; and
/// `Content-Signal` of others.
pub(super) fn encode(robots: &Robots<'_>, selections: &[Selection]) -> Vec<u8> {
    let mut list = Vec::new();
    for record in &robots.side_records {
        let columns = match record.group {
            None => ALL.to_vec(),
            Some(group) => {
                let chose = |selection: &Selection| selection.groups.binary_search(&group).is_ok();
                let chosen = (0..selections.len()).filter(|&column| chose(&selections[column]));
                let set = set_of(chosen, selections.len());
                match set_count(&set) {
                    0 if record.key != SideKey::ContentSignal => continue,
                    all if all == selections.len() => ALL.to_vec(),
                    _ => set,
                }
            }
        };
        push(record, &columns, &mut list);
    }
    list
}

fn push(record: &SideRecord<'_>, columns: &[u8], list: &mut Vec<u8>) {
    list.push(record.key as u8);
    push_text(columns, list);
    push_number(u64::from(record.line), list);
    push_text(record.value, list);
}

/// A list with only the operator's crawl delay, at line 0, to go before the records of a file.
pub(super) fn operators_delay(crawl_delay: &str) -> Vec<u8> {
    let mut list = Vec::new();
    let record = SideRecord { key: SideKey::CrawlDelay, value: crawl_delay.as_bytes(), line: 0, group: None };
    push(&record, ALL, &mut list);
    list
}

fn read<'o>(list: &'o [u8], mut each: impl FnMut(&'o [u8], SideRecord<'o>)) -> Result<(), &'static str> {
    let mut reader = Reader(list);
    while !reader.0.is_empty() {
        let key = SideKey::ALL.get(usize::from(reader.byte()?)).copied().ok_or("unknown key")?;
        let (columns, line, value) = (reader.text()?, reader.small()?, reader.text()?);
        each(columns, SideRecord { key, value, line, group: None });
    }
    Ok(())
}

/// Checks that bytes are a valid list of a policy with this many columns.
pub(super) fn check(list: &[u8], width: usize) -> Result<(), &'static str> {
    let mut sets = Ok(());
    read(list, |set, record| {
        let is_of_others = record.key == SideKey::ContentSignal && set == set_of([], width);
        if set != ALL && !is_of_others && sets.is_ok() {
            sets = check_set(set, width);
        }
    })?;
    sets
}

/// The records of a list with wanted keys, as a list without line numbers; equal records for the same columns make
/// equal lists.
pub(super) fn only(list: &[u8], is_wanted: impl Fn(SideKey) -> bool) -> Vec<u8> {
    let mut wanted = Vec::new();
    // A checked list is read without errors.
    let _ = read(list, |columns, record| {
        if is_wanted(record.key) {
            push(&SideRecord { line: 0, ..record }, columns, &mut wanted);
        }
    });
    wanted
}

/// The records of a list that are for a column, in file order, with `Content-Signal` of this scope.
pub(super) fn decode(list: &[u8], column: usize, scope: SignalScope) -> Vec<SideRecord<'_>> {
    let is_for_all = |key| scope == SignalScope::Everybody && key == SideKey::ContentSignal;
    let mut records = Vec::new();
    // A checked list decodes without errors.
    let _ = read(list, |columns, record| {
        if columns == ALL || is_in_set(columns, column) || is_for_all(record.key) {
            records.push(record);
        }
    });
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    #[test]
    fn each_column_gets_its_own_records() {
        let dialect = Dialect::DEFAULT;
        let file = b"Sitemap: s\nUser-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 1\nDisallow:\n\n\
                     User-agent: *\nDisallow:\nCrawl-delay: 9\nHost: h\n\nUser-agent: c\nCrawl-delay: 5\n";
        let robots = Robots::parse(file, dialect);
        let selections = ["a", "b", "x", "*"].map(|agent| robots.select(&agent.parse().unwrap(), dialect));
        let list = encode(&robots, &selections);
        assert_eq!(check(&list, 4), Ok(()));
        for (column, selection) in selections.iter().enumerate() {
            let expected: Vec<SideRecord<'_>> =
                selection.side_records(&robots).map(|record| SideRecord { group: None, ..*record }).collect();
            assert_eq!(decode(&list, column, SignalScope::Group), expected, "{column}");
            assert!(expected.len() >= 2);
        }
        let after = [operators_delay("2"), list.clone()].concat();
        assert_eq!(decode(&after, 3, SignalScope::Group)[0].line, 0);
        let whole = (1..list.len()).filter(|&length| check(&list[..length], 4).is_ok()).count();
        assert_eq!(whole, 4, "five records, cut after each but the last");
        assert!(check(&[99, 0, 0, 0], 4).is_err());
        assert!(check(&list, 9).is_err(), "another number of columns");
        let one = encode(&robots, &selections[..1]);
        assert!(one.len() < list.len() && !one.contains(&b'9'), "what is for nobody is not kept");
    }

    #[test]
    fn a_signal_is_for_its_group_or_for_everybody() {
        let dialect = Dialect::DEFAULT;
        let file = b"Content-Signal: a\nUser-agent: x\nContent-Signal: b\nDisallow: /\n\n\
                     User-agent: *\nContent-Signal: c\nCrawl-delay: 1\nDisallow: /\n\n\
                     User-agent: other\nContent-Signal: d\nContent-Usage: train-ai=n\nDisallow: /\n";
        let robots = Robots::parse(file, dialect);
        let selections = ["x", "*"].map(|agent| robots.select(&agent.parse().unwrap(), dialect));
        let list = encode(&robots, &selections);
        assert_eq!(check(&list, 2), Ok(()));
        let values = |column, scope| {
            let found = decode(&list, column, scope).into_iter().map(|record| record.value[0]).collect();
            String::from_utf8(found).unwrap()
        };
        assert_eq!([0, 1].map(|column| values(column, SignalScope::Group)), ["ab", "ac1"]);
        assert_eq!([0, 1].map(|column| values(column, SignalScope::Everybody)), ["abcd", "abc1d"]);
    }
}
