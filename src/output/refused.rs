//! Columns of the crawlers that may not fetch a line's URL, read back.

use std::collections::HashMap;

use super::form::{SEPARATOR, crawler_name};
use crate::outcome::Partition;
use crate::robots::Agents;

/// Texts of columns that are kept with what they mean.
const KEPT: usize = 4096;

/// Reads the names of crawlers that lines are blocked and deferred for.
pub(crate) struct RefusedColumns {
    /// The indexes of crawlers, by name.
    crawlers: HashMap<Vec<u8>, usize>,
    verdicts: Vec<Option<Partition>>,
    known: HashMap<Vec<u8>, Vec<Option<Partition>>>,
}

impl RefusedColumns {
    /// Columns that may name these crawlers.
    pub fn new(agents: &[Agents]) -> RefusedColumns {
        let crawlers: HashMap<_, _> = agents.iter().map(|agents| crawler_name(agents).into_bytes()).zip(0..).collect();
        RefusedColumns { crawlers, verdicts: vec![None; agents.len()], known: HashMap::new() }
    }

    /// The verdict for each crawler of a line with these columns, each ended by a tab; `None` for all if they are not two lists of
    /// its crawlers. Of a line that is blocked for all, they do not tell whether it is invalid.
    pub fn of_text(&mut self, columns: &[u8]) -> &[Option<Partition>] {
        if !self.known.contains_key(columns) {
            if self.known.len() == KEPT {
                self.known.clear();
            }
            let texts: Vec<&[u8]> = columns.split(|&byte| byte == SEPARATOR).collect();
            let verdicts = match texts[..] {
                [blocked, deferred, b""] => self.of_lists([blocked, deferred].map(names)).to_vec(),
                _ => vec![None; self.verdicts.len()],
            };
            self.known.insert(columns.to_vec(), verdicts);
        }
        &self.known[columns]
    }

    /// The verdict for each crawler of a line that is blocked for the crawlers of the first list, and deferred for those of the
    /// second; `None` for all if a name is unknown or stands twice.
    pub fn of_lists<'n>(&mut self, lists: [impl IntoIterator<Item = &'n [u8]>; 2]) -> &[Option<Partition>] {
        self.verdicts.fill(Some(Partition::Allowed));
        for (names, partition) in lists.into_iter().zip([Partition::Blocked, Partition::Deferred]) {
            for name in names {
                match self.crawlers.get(name).map(|&crawler| &mut self.verdicts[crawler]) {
                    Some(verdict) if *verdict == Some(Partition::Allowed) => *verdict = Some(partition),
                    _ => {
                        self.verdicts.fill(None);
                        return &self.verdicts;
                    }
                }
            }
        }
        &self.verdicts
    }
}

/// The names in a text, separated by commas.
fn names(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let all = (!text.is_empty()).then(|| text.split(|&byte| byte == b','));
    all.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_name_the_crawlers_that_may_not_fetch() {
        let agents = ["a", "b,c", "*"].map(|name| name.parse().unwrap());
        let mut columns = RefusedColumns::new(&agents);
        let [allowed, blocked, deferred] = [Partition::Allowed, Partition::Blocked, Partition::Deferred].map(Some);
        for (text, expected) in [
            ("\t\t", [allowed; 3]),
            ("a\t\t", [blocked, allowed, allowed]),
            ("a,*\tb+c\t", [blocked, deferred, blocked]),
            ("", [None; 3]),
            ("a\t", [None; 3]),
            ("d\t\t", [None; 3]),
            ("a,a\t\t", [None; 3]),
            ("a\ta\t", [None; 3]),
            ("a,\t\t", [None; 3]),
        ] {
            assert_eq!(columns.of_text(text.as_bytes()), expected, "{text:?}");
            assert_eq!(columns.of_text(text.as_bytes()), expected, "{text:?}, again");
        }
    }
}
