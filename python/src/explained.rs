//! What blocked URLs: the rule as it stands in its robots.txt, and its line.

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::{Int32Array, StringArray};
use robosieve::outcome::{Outcome, Partition};

use crate::engine::Matcher;
use crate::urls::Column;

/// A rule, with its line, for each row and matcher; those of a row stand together.
pub fn rules(
    matchers: &[Matcher],
    column: &Column,
    rows: std::ops::Range<usize>,
    outcomes: &[Vec<Outcome>],
) -> (StringArray, Int32Array) {
    let (mut rules, mut lines) = (StringBuilder::new(), Int32Builder::new());
    for row in rows {
        for (matcher, outcomes) in matchers.iter().zip(outcomes) {
            let is_blocked = outcomes[row].partition() == Partition::Blocked;
            let rule = if is_blocked { matcher.explain(column.get(row)).rule } else { None };
            lines.append_option(rule.as_ref().map(|(line, _)| i32::try_from(*line).unwrap_or(i32::MAX)));
            rules.append_option(rule.map(|(_, rule)| rule));
        }
    }
    (rules.finish(), lines.finish())
}
