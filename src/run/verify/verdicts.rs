//! The tallies of a file: of all its lines and, if they have verdicts, of those with each verdict.

use crate::judge::tally::{Tally, line_hash};
use crate::outcome::Partition;
use crate::output::form::{Rows, SEPARATOR, rest_of_row};
use crate::output::receipt::Part;
use crate::output::table::TableLines;

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

    /// The tallies of a partition's text, with this many columns before each line, and with or without a head line.
    pub fn of_partition(text: &[u8], columns: usize, has_head: bool) -> Columns {
        let end = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
        let (head, lines) = text.split_at(if has_head { end } else { 0 });
        let [head, lines] = [head, lines].map(|text| Tally::of_text(text, |line| rest_of_row(line, columns)));
        Columns { head, lines, ..Columns::default() }
    }

    /// The tallies of a text of these rows, which has a head if it is the `first` of its file.
    pub fn of(text: &[u8], rows: Rows, first: bool) -> Columns {
        let mut found = Columns::without_rows(rows.crawlers);
        let mut verdicts = vec![None; rows.crawlers];
        for line in text.split_inclusive(|&byte| byte == b'\n').skip(usize::from(first)) {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            let mut rest = content;
            for verdict in &mut verdicts {
                let name = memchr::memchr(SEPARATOR, rest).map_or(&b""[..], |end| &rest[..end]);
                *verdict = Partition::ALL.into_iter().find(|partition| partition.name().as_bytes() == name);
                rest = rest_of_row(rest, rows.columns_of_verdict());
            }
            found.add(rest, rest.len() + line.len() - content.len(), verdicts.iter().copied());
        }
        found
    }

    /// The tallies of rows of a table.
    pub fn of_table(rows: &TableLines) -> Columns {
        let mut found = Columns::without_rows(rows.verdicts.len());
        for (row, line) in rows.text.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let verdicts = rows.verdicts.iter().map(|verdicts| verdicts.get(row).copied().flatten());
            found.add(line.strip_suffix(b"\n").unwrap_or(line), line.len(), verdicts);
        }
        found
    }

    /// No lines yet, with verdicts in this many columns.
    fn without_rows(columns: usize) -> Columns {
        Columns { partitions: vec![Default::default(); columns], ..Columns::default() }
    }

    /// Adds a line, which has `bytes` bytes with its LF, and its verdict in each column.
    fn add(&mut self, line: &[u8], bytes: usize, verdicts: impl Iterator<Item = Option<Partition>> + Clone) {
        if verdicts.clone().any(|verdict| verdict.is_none()) {
            self.malformed += 1;
            return;
        }
        let hash = line_hash(line);
        self.lines.add_hashed(hash, bytes);
        for (column, partition) in self.partitions.iter_mut().zip(verdicts.flatten()) {
            column[partition as usize].add_hashed(hash, bytes);
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
    /// `names`.
    pub fn difference(&self, whole: &Part, parts: &[Part], names: &[String]) -> Option<String> {
        whole.difference(&self.lines).or_else(|| {
            let mut tallies = parts.iter().zip(self.partitions.as_flattened()).zip(names);
            tallies.find_map(|((part, tally), name)| Some(format!("{name}: {}", part.difference(tally)?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::form::Form;
    use crate::output::format::Format;

    #[test]
    fn what_has_no_rows_adds_nothing_and_loses_nothing() {
        let rows = Rows { form: Form::Verdicts, format: Format::Text, explain: false, crawlers: 2 };
        let text = Columns::of(b"allowed\tblocked\thttp://a.example/\n", rows, false);
        let (mut before, mut after) = (Columns::default(), text.clone());
        before.append(&text);
        after.append(&Columns::default());
        assert_eq!(before, text);
        assert_eq!(after, text);
    }
}
