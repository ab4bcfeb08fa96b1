//! The rules that blocked URLs, as written in their robots.txt, and their lines.

use std::ops::Range;

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::{Int32Array, StringArray};
use robosieve::python_package::check_stop;
use robosieve::{Explainer, KeptRule, Matcher, Outcome, Partition};

use crate::column::Column;

/// The bytes of a rule that are shown, as in the program's tables. A rule may be as long as its robots.txt, and block
/// every URL.
const LONGEST: usize = 200;

/// For each row and matcher, the rule that blocked it, and its line; those of one row are adjacent.
pub fn rules(
    matchers: &[Matcher],
    column: &Column,
    rows: Range<usize>,
    outcomes: &[Vec<Outcome>],
) -> (StringArray, Int32Array) {
    let mut explainers: Vec<Explainer> = matchers.iter().map(Matcher::explainer).collect();
    let (mut rules, mut lines) = (StringBuilder::new(), Int32Builder::new());
    for row in rows {
        check_stop();
        for (explainer, outcomes) in explainers.iter_mut().zip(outcomes) {
            let is_blocked = outcomes[row].partition() == Partition::Blocked;
            let rule = if is_blocked { explainer.explain(column.get(row)).rule } else { None };
            lines.append_option(rule.as_ref().map(|rule| i32::try_from(rule.line).unwrap_or(i32::MAX)));
            rules.append_option(rule.as_ref().map(rule_text));
        }
    }
    (rules.finish(), lines.finish())
}

/// The text of a rule, cut if it is long.
fn rule_text(rule: &KeptRule) -> String {
    let (value, cut) = match rule.value.get(..LONGEST) {
        Some(value) if value.len() < rule.value.len() => (value, "..."),
        _ => (&rule.value[..], ""),
    };
    format!("{}: {}{cut}", rule.key(), String::from_utf8_lossy(value))
}
