//! Why lines were blocked: stored beside their outcomes until they become rows.
//!
//! A rule blocks many lines of a chunk, so each cause is stored once and lines share it. Its texts are cut to the same
//! length as in text output, whatever the rules are. Causes beyond a memory limit are not kept: the writer of the rows asks for
//! them again.

use std::collections::HashSet;
use std::rc::Rc;

use super::columns::{CauseValue, Value};
use crate::judge::explain::{Cause, Explainer};
use crate::judge::line_urls::LineUrls;
use crate::judge::matcher::PreferredLines;
use crate::judge::outcomes::Refusals;

/// The value of a column in a cause, as rows show it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    /// In UTF-8, and unescaped.
    Text(Vec<u8>),
    /// Of a time, seconds of Unix time.
    Number(i64),
}

/// The values of all columns of a cause.
pub(crate) type CauseCells = [Option<Cell>];

/// Memory per cause besides its values and their texts: the entry, its place in a table that doubles as it grows, and allocator
/// overhead.
const BYTES_PER_CAUSE: usize = 128;

/// The stored part of a line's cause.
#[derive(Debug)]
enum LineCause {
    /// The line is not blocked.
    None,
    Cells(Rc<CauseCells>),
    /// The cause was not kept and must be asked for again.
    NotStored,
}

/// The causes of the lines of a chunk, for one crawler.
#[derive(Debug)]
pub(crate) struct Causes {
    values: Vec<CauseValue>,
    lines: Vec<LineCause>,
    /// The memory limit for causes, and the memory they use, in bytes.
    limit: usize,
    bytes: usize,
    known: HashSet<Rc<CauseCells>>,
}

impl Causes {
    /// Causes of which columns show these values.
    pub fn new(values: Vec<CauseValue>) -> Causes {
        Causes { values, lines: Vec::new(), limit: 0, bytes: 0, known: HashSet::new() }
    }

    /// Adds the next line; `cause` is what blocked it, `None` if it is not blocked.
    pub fn push(&mut self, cause: Option<&Cause>) {
        let cause = cause.map_or(LineCause::None, |cause| self.stored(self.cells(cause)));
        self.lines.push(cause);
    }

    fn stored(&mut self, cells: Vec<Option<Cell>>) -> LineCause {
        if let Some(known) = self.known.get(&*cells) {
            return LineCause::Cells(Rc::clone(known));
        }
        self.bytes += BYTES_PER_CAUSE + cells.iter().map(size).sum::<usize>();
        if self.bytes > self.limit {
            return LineCause::NotStored;
        }
        let cells: Rc<CauseCells> = cells.into();
        self.known.insert(Rc::clone(&cells));
        LineCause::Cells(cells)
    }

    /// The values that columns show of a cause.
    fn cells(&self, cause: &Cause) -> Vec<Option<Cell>> {
        let cell = |value: Value<'_>| match value {
            Value::Text(text) => {
                let mut utf8 = Vec::new();
                text.put_utf8(&mut utf8);
                Cell::Text(utf8)
            }
            Value::Whole(number) => Cell::Number(number.into()),
            Value::Time(seconds) => Cell::Number(seconds),
        };
        self.values.iter().map(|value| value(cause).map(cell)).collect()
    }

    /// Removes all lines. Causes of the next lines may take `limit` bytes.
    pub fn clear(&mut self, limit: usize) {
        (self.limit, self.bytes) = (limit, 0);
        self.lines.clear();
        self.known.clear();
    }

    /// Frees the memory of all lines.
    pub fn release(&mut self) {
        *self = Causes::new(std::mem::take(&mut self.values));
    }
}

/// The memory of a value.
fn size(cell: &Option<Cell>) -> usize {
    size_of::<Option<Cell>>() + if let Some(Cell::Text(text)) = cell { text.len() } else { 0 }
}

/// For the lines of a chunk: what blocked them for each crawler, which crawlers may not fetch them, and the preferences
/// of their pages; each is empty if it is not wanted.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) struct ChunkCauses<'c> {
    pub kept: &'c [Causes],
    pub explainers: &'c mut [Explainer],
    pub refusals: Option<&'c Refusals>,
    pub preferred: Option<&'c PreferredLines>,
    pub text: &'c [u8],
    pub urls: &'c LineUrls,
}

#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
impl ChunkCauses<'_> {
    /// What blocked a crawler's line, if it is blocked.
    pub fn of(&mut self, crawler: usize, line: usize) -> Option<Rc<CauseCells>> {
        let causes = &self.kept[crawler];
        match &causes.lines[line] {
            LineCause::None => None,
            LineCause::Cells(cells) => Some(Rc::clone(cells)),
            LineCause::NotStored => {
                let cause = self.explainers[crawler].explain(self.urls.url(self.text, line));
                Some(causes.cells(&cause).into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::form::OutputOptions;
    use crate::rules::chosen::KeptRule;

    fn causes(limit: usize) -> Causes {
        let mut causes = Causes::new(OutputOptions { causes: 4, ..OutputOptions::default() }.cause_values());
        causes.clear(limit);
        causes
    }

    fn rule(value: &[u8], line: u32) -> KeptRule {
        KeptRule { allow: false, value: value.to_vec(), line, about_uses: None }
    }

    #[test]
    fn each_line_has_its_own_cause_and_equal_ones_are_kept_once() {
        let (one, other) = (rule(b"/a\t\xff", 2), rule(b"/a\t\xff", 3));
        let cause = |rule: &KeptRule| Cause {
            rule: Some(rule.clone()),
            agent: Some("x".into()),
            captured: Some(7),
            ..Cause::default()
        };
        let mut causes = causes(0);
        for _ in 0..2 {
            causes.clear(1 << 20);
            for cause in [Some(cause(&one)), None, Some(cause(&other)), Some(cause(&one)), Some(Cause::default())] {
                causes.push(cause.as_ref());
            }
            let cells = |line| {
                let texts = [&b"Disallow: /a\t%FF"[..], b"x"].map(|text| Some(Cell::Text(text.to_vec())));
                let [rule, agent] = texts;
                Some(vec![rule, Some(Cell::Number(line)), agent, Some(Cell::Number(7))])
            };
            let expected = [cells(2), None, cells(3), cells(2), Some(vec![None; 4])];
            assert!((0..5).map(|line| stored(&causes, line)).eq(expected));
            assert_eq!(causes.known.len(), 3);
        }
    }

    /// The cause of a line, if it was stored.
    fn stored(causes: &Causes, line: usize) -> Option<Vec<Option<Cell>>> {
        match &causes.lines[line] {
            LineCause::Cells(cells) => Some(cells.to_vec()),
            LineCause::None | LineCause::NotStored => None,
        }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let mut causes = causes(10 * (BYTES_PER_CAUSE + 4 * size_of::<Option<Cell>>()));
        for line in 0..100 {
            causes.push(Some(&Cause { rule: Some(rule(b"/a", line)), ..Cause::default() }));
        }
        let again = (0..100).filter(|&line| matches!(causes.lines[line], LineCause::NotStored)).count();
        assert!((90..100).contains(&again) && causes.known.len() == 100 - again, "{again}");
    }

    #[test]
    fn texts_are_never_long() {
        let (long, agent) = (rule(&b"\xff".repeat(500_000), 1), Some("é".repeat(500_000)));
        let mut causes = causes(1 << 20);
        causes.push(Some(&Cause { rule: Some(long), agent, ..Cause::default() }));
        let cells = stored(&causes, 0).unwrap();
        let text = |text: String| Some(Cell::Text(text.into_bytes()));
        assert_eq!(cells[0], text(format!("Disallow: {}...", "%FF".repeat(200))));
        assert_eq!(cells[2], text(format!("{}...", "é".repeat(100))));
    }
}
