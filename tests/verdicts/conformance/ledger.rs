//! The ledger: records on which a dialect of ours rightly differs from the source's expectation, and why.

use std::collections::HashSet;

/// One row of `ledger.tsv`: ids, a dialect, and our reason.
#[derive(Debug)]
struct Row {
    ids: Vec<String>,
    dialect: &'static str,
    reason: &'static str,
}

/// All rows, and the ids matched so far.
#[derive(Debug)]
pub struct Ledger {
    rows: Vec<Row>,
    met: HashSet<(usize, String)>,
}

impl Ledger {
    /// The ledger next to this file. A row is `ids <TAB> dialect <TAB> reason`; ids are separated by blanks, and an id
    /// that ends in `*` matches by prefix. Lines that begin with `#` are comments.
    pub fn read() -> Ledger {
        let is_row = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let row = |line: &'static str| {
            let columns: Vec<&'static str> = line.split('\t').collect();
            let [ids, dialect, reason] = columns[..] else { panic!("three columns: {line}") };
            Row { ids: ids.split(' ').map(str::to_owned).collect(), dialect, reason }
        };
        let rows = include_str!("ledger.tsv").lines().filter(is_row).map(row).collect();
        Ledger { rows, met: HashSet::new() }
    }

    /// Why `dialect` may differ from the record, if the ledger lists it.
    pub fn reason(&mut self, id: &str, dialect: &str) -> Option<&'static str> {
        for (at, row) in self.rows.iter().enumerate() {
            let has = |listed: &&String| match listed.strip_suffix('*') {
                Some(prefix) => id.starts_with(prefix),
                None => *listed == id,
            };
            if let Some(listed) = row.ids.iter().find(has).filter(|_| row.dialect == dialect) {
                self.met.insert((at, listed.clone()));
                return Some(row.reason);
            }
        }
        None
    }

    /// Ids in the ledger that matched no record.
    pub fn unmet(&self) -> Vec<String> {
        let rows = self.rows.iter().enumerate();
        let listed = rows.flat_map(|(at, row)| row.ids.iter().map(move |id| (at, id.clone(), row.dialect)));
        let unmet = listed.filter(|(at, id, _)| !self.met.contains(&(*at, id.clone())));
        unmet.map(|(_, id, dialect)| format!("{id} under {dialect}")).collect()
    }
}
