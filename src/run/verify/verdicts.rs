//! The tallies of a file: of all its lines and, if they have verdicts, of those with each verdict.

use crate::judge::tally::{Tally, line_hash};
use crate::outcome::Partition;
use crate::output::form::{Form, Rows, rest_of_row};
use crate::output::receipt::Part;
use crate::run::stored::StoredLines;

/// The tallies of a text of lines with their verdicts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Columns {
    /// The head line of a list, or of a partition's text.
    head: Tally,
    /// All lines, without the columns before them.
    pub lines: Tally,
    /// For each column of verdicts, by partition.
    partitions: Vec<[Tally; Partition::COUNT]>,
    /// Lines without a verdict in each column.
    malformed: u64,
}

impl Columns {
    /// The tallies of a list with this head line, which may be empty, and these lines below it.
    pub fn of_list(head: &[u8], lines: Tally) -> Columns {
        Columns { head: Tally::of_text(head, |line| line), lines, ..Columns::default() }
    }

    /// The tallies of some lines of a file with these rows, which begins with a head line or not.
    pub fn of(mut stored: StoredLines<'_>, rows: Rows, file: usize, has_head: bool) -> Columns {
        let head = if has_head { stored.split_head() } else { b"" };
        let head = Tally::of_text(head, |line| rest_of_row(line, rows.columns(file)));
        let mut found = Columns { head, ..Columns::default() };
        stored.each(rows, file, |line, bytes, verdicts| found.add(line, bytes, verdicts));
        found
    }

    /// Adds a line, which has `bytes` bytes with its LF, and its verdict in each column.
    fn add(&mut self, line: &[u8], bytes: usize, verdicts: &[Option<Partition>]) {
        if verdicts.contains(&None) {
            self.malformed += 1;
            return;
        }
        let hash = line_hash(line);
        self.lines.add_hashed(hash, bytes);
        self.partitions.resize(verdicts.len(), Default::default());
        for (column, partition) in self.partitions.iter_mut().zip(verdicts.iter().flatten()) {
            column[*partition as usize].add_hashed(hash, bytes);
        }
    }

    /// Appends the tallies of the text that follows.
    pub fn append(&mut self, next: &Columns) {
        self.head.append(&next.head);
        self.lines.append(&next.lines);
        self.malformed += next.malformed;
        // A file without rows, such as the table of an empty list, has no columns either.
        let columns = self.partitions.len().max(next.partitions.len());
        self.partitions.resize(columns, Default::default());
        for (column, next) in self.partitions.iter_mut().zip(&next.partitions) {
            column.iter_mut().zip(next).for_each(|(tally, next)| tally.append(next));
        }
    }

    /// The problem of lines that are wrong whatever the receipt says.
    pub fn malformed_problem(&self) -> Option<String> {
        (self.malformed > 0).then(|| format!("{} lines without a verdict for each crawler", self.malformed))
    }

    /// The problem of another head line than `head`. Bytes are not compared: the line feed after it may be missing if nothing
    /// follows.
    pub fn other_head(&self, head: Option<&Tally>) -> Option<String> {
        let is_other = head.is_some_and(|head| head.sum != self.head.sum);
        is_other.then(|| "its head line differs".to_owned())
    }

    /// How the tallies differ from the receipt: the lines must be `whole`, and those of each partition `parts`, in the order of
    /// `names`. In columns of the crawlers that may not fetch a line, invalid lines are among the blocked ones.
    pub fn difference(&self, form: Form, whole: &Part, parts: &[Part], names: &[String]) -> Option<String> {
        whole.difference(&self.lines).or_else(|| {
            let of_crawlers = parts.chunks(Partition::COUNT).zip(&self.partitions);
            let wanted = of_crawlers.flat_map(|(parts, found)| match form {
                Form::BlockedFor => with_invalid(parts, found),
                Form::Partitions | Form::Verdicts => parts.to_vec(),
            });
            let mut tallies = wanted.zip(self.partitions.as_flattened()).zip(names);
            tallies.find_map(|((part, tally), name)| Some(format!("{name}: {}", part.difference(tally)?)))
        })
    }
}

/// The parts of a crawler with its invalid lines among the blocked ones. The order of these does not follow from that of the parts,
/// so the one that was `found` is taken; all lines together are in order.
fn with_invalid(parts: &[Part], found: &[Tally; Partition::COUNT]) -> Vec<Part> {
    let mut tallies: Vec<Tally> = parts.iter().map(Part::tally).collect();
    let invalid = std::mem::take(&mut tallies[Partition::Invalid as usize]);
    let blocked = &mut tallies[Partition::Blocked as usize];
    blocked.append(&invalid);
    blocked.order = found[Partition::Blocked as usize].order;
    tallies.iter().map(|tally| Part::of(tally, true)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::format::Format;

    #[test]
    fn what_has_no_rows_adds_nothing_and_loses_nothing() {
        let rows = Rows {
            form: Form::Verdicts,
            format: Format::Text,
            explain: false,
            preferences: crate::PreferenceColumns::default(),
            crawlers: 2,
        };
        let stored = StoredLines::Text(b"allowed\tblocked\thttp://a.example/\n", true, &[]);
        let text = Columns::of(stored, rows, 0, false);
        let (mut before, mut after) = (Columns::default(), text.clone());
        before.append(&text);
        after.append(&Columns::default());
        assert_eq!(before, text);
        assert_eq!(after, text);
    }
}
