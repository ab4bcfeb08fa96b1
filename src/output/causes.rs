//! What blocked the lines that become rows, kept beside their outcomes until the rows are made.
//!
//! A rule blocks many lines of a chunk. So what is told of it is kept once, and each line knows its place. What is told is
//! no longer than in text, whatever the rules are.

use std::collections::HashMap;
use std::rc::Rc;

use super::form::put_rule;
use crate::judge::explain::Cause;

/// How many bytes of the name of a group are told; a rule has as many.
const LONGEST_AGENT: usize = 200;

/// What is told of a cause.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Told {
    /// The rule, as it stands before a line of text, but nothing is escaped; and its line.
    pub rule: Option<(Vec<u8>, u32)>,
    /// The group that it is from.
    pub agent: Option<String>,
    /// When the answer that decided was captured, in seconds of Unix time.
    pub captured: Option<i64>,
}

/// The causes of the lines of a chunk, for one crawler.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    /// For each line, the place of its cause in `told`; `None` where it is not blocked.
    lines: Vec<Option<u32>>,
    told: Vec<Rc<Told>>,
    places: HashMap<Rc<Told>, u32>,
}

impl Causes {
    /// Adds the next line, which is blocked by this, or not blocked.
    pub fn push(&mut self, cause: Option<&Cause<'_>>) {
        let place = cause.map(|cause| self.place(Told::of(cause)));
        self.lines.push(place);
    }

    fn place(&mut self, told: Told) -> u32 {
        if let Some(&place) = self.places.get(&told) {
            return place;
        }
        // There are no more causes than lines, and of these no more than 32 bits can count.
        let place = self.told.len() as u32;
        let told = Rc::new(told);
        self.told.push(Rc::clone(&told));
        self.places.insert(told, place);
        place
    }

    /// What blocked a line, if anything did.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub fn of(&self, line: usize) -> Option<&Told> {
        let place = self.lines.get(line).copied().flatten()?;
        self.told.get(place as usize).map(Rc::as_ref)
    }

    /// Forgets all lines.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.told.clear();
        self.places.clear();
    }
}

impl Told {
    fn of(cause: &Cause<'_>) -> Told {
        let rule = |rule: &crate::rules::chosen::KeptRule| {
            let mut text = Vec::new();
            put_rule(rule, &mut text, |value, text| text.extend_from_slice(value));
            (text, rule.line)
        };
        Told { rule: cause.rule.map(rule), agent: cause.agent.map(shortened), captured: cause.captured }
    }
}

/// The name of a group, cut as a rule is if it is too long, but never inside a character.
fn shortened(agent: &str) -> String {
    if agent.len() <= LONGEST_AGENT {
        return agent.to_owned();
    }
    let end = (0..=LONGEST_AGENT).rev().find(|&end| agent.is_char_boundary(end)).unwrap_or(0);
    format!("{}...", &agent[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::chosen::KeptRule;

    fn rule(value: &[u8], line: u32) -> KeptRule {
        KeptRule { allow: false, value: value.to_vec(), line }
    }

    #[test]
    fn lines_share_what_is_told_of_a_rule() {
        let (one, other) = (rule(b"/a\t\xff", 2), rule(b"/a\t\xff", 3));
        let cause = |rule| Cause { rule, agent: Some("x"), captured: Some(7) };
        let none = Cause { rule: None, agent: None, captured: None };
        let mut causes = Causes::default();
        for _ in 0..2 {
            causes.clear();
            for cause in [Some(cause(Some(&one))), None, Some(cause(Some(&other))), Some(cause(Some(&one))), Some(none)]
            {
                causes.push(cause.as_ref());
            }
            let told = |line| Told {
                rule: Some((b"Disallow: /a\t\xff".to_vec(), line)),
                agent: Some("x".to_owned()),
                captured: Some(7),
            };
            let expected = [Some(told(2)), None, Some(told(3)), Some(told(2))];
            assert!((0..4).map(|line| causes.of(line).cloned()).eq(expected));
            assert_eq!(causes.of(4), Some(&Told { rule: None, agent: None, captured: None }));
            assert_eq!(causes.of(5), None);
            assert_eq!(causes.told.len(), 3);
        }
    }

    #[test]
    fn what_is_told_is_never_long() {
        let (long, agent) = (rule(&b"\xff".repeat(500_000), 1), "é".repeat(500_000));
        let mut causes = Causes::default();
        causes.push(Some(&Cause { rule: Some(&long), agent: Some(&agent), captured: None }));
        let told = causes.of(0).unwrap();
        assert_eq!(told.rule.as_ref().unwrap().0, [b"Disallow: ", &b"\xff".repeat(200)[..], b"..."].concat());
        assert_eq!(*told.agent.as_ref().unwrap(), format!("{}...", "é".repeat(100)));
        assert_eq!(shortened(&format!("x{agent}")), format!("x{}...", "é".repeat(99)));
        assert_eq!(shortened(&"x".repeat(200)), "x".repeat(200));
    }
}
