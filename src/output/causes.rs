//! Why lines were blocked: stored beside their outcomes until they become rows.
//!
//! A rule blocks many lines of a chunk, so each cause is stored once and lines share it. Its text is cut to the same
//! length as in text output. Causes beyond a memory limit are not stored: the writer of the rows finds them again.

use std::collections::HashSet;
use std::rc::Rc;

use super::form::put_rule;
use crate::judge::explain::{Cause, Explainer};
use crate::judge::matcher::PreferredLines;
use crate::judge::outcomes::Refusals;
use crate::judge::urls::LineUrls;
use crate::rules::chosen::KeptRule;

/// The most bytes of a group's name that are shown; a rule's value has the same limit.
const LONGEST_AGENT: usize = 200;

/// The text of a cause, as rows show it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CauseText {
    /// The rule as in the columns before a line of text, but unescaped; and its line number.
    pub rule: Option<(Vec<u8>, u32)>,
    /// The group the rule is from.
    pub agent: Option<String>,
    /// When the deciding answer was captured, in seconds of Unix time.
    pub captured: Option<i64>,
}

/// Memory per cause besides its texts: the entry, its place in a table that doubles as it grows, and allocator overhead.
const BYTES_PER_CAUSE: usize = 224;

/// The stored part of a line's cause.
#[derive(Debug)]
enum LineCause {
    /// The line is not blocked.
    None,
    Text(Rc<CauseText>),
    /// The cause was not stored and must be found again.
    NotStored,
}

/// The causes of the lines of a chunk, for one crawler.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    lines: Vec<LineCause>,
    /// The memory limit for causes, and the memory they use, in bytes.
    limit: usize,
    bytes: usize,
    known: HashSet<Rc<CauseText>>,
}

impl Causes {
    /// Adds the next line, with the cause if it is blocked.
    pub fn push(&mut self, cause: Option<&Cause>) {
        let cause = cause.map_or(LineCause::None, |cause| self.kept(CauseText::of(cause)));
        self.lines.push(cause);
    }

    fn kept(&mut self, text: CauseText) -> LineCause {
        if let Some(known) = self.known.get(&text) {
            return LineCause::Text(Rc::clone(known));
        }
        self.bytes += BYTES_PER_CAUSE + text.size();
        if self.bytes > self.limit {
            return LineCause::NotStored;
        }
        let text = Rc::new(text);
        self.known.insert(Rc::clone(&text));
        LineCause::Text(text)
    }

    /// Removes all lines. Causes of the next lines may take `limit` bytes.
    pub fn clear(&mut self, limit: usize) {
        (self.limit, self.bytes) = (limit, 0);
        self.lines.clear();
        self.known.clear();
    }
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
    pub fn of(&mut self, crawler: usize, line: usize) -> Option<Rc<CauseText>> {
        match &self.kept[crawler].lines[line] {
            LineCause::None => None,
            LineCause::Text(text) => Some(Rc::clone(text)),
            LineCause::NotStored => {
                let cause = self.explainers[crawler].explain(self.urls.url(self.text, line));
                Some(Rc::new(CauseText::of(&cause)))
            }
        }
    }
}

impl CauseText {
    fn size(&self) -> usize {
        self.rule.as_ref().map_or(0, |(text, _)| text.len()) + self.agent.as_ref().map_or(0, String::len)
    }

    fn of(cause: &Cause) -> CauseText {
        let rule = |rule: &KeptRule| {
            let mut text = Vec::new();
            put_rule(rule, &mut text, |value, text| {
                text.extend_from_slice(value);
                true
            });
            (text, rule.line)
        };
        let agent = cause.agent.as_deref().map(shortened);
        CauseText { rule: cause.rule.as_ref().map(rule), agent, captured: cause.captured }
    }
}

/// A group's name, cut like a rule if it is too long, but never inside a character.
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
        KeptRule { allow: false, value: value.to_vec(), line, about_uses: None }
    }

    #[test]
    fn lines_share_the_text_of_a_cause() {
        let (one, other) = (rule(b"/a\t\xff", 2), rule(b"/a\t\xff", 3));
        let cause = |rule: Option<&KeptRule>| Cause {
            rule: rule.cloned(),
            agent: Some("x".into()),
            captured: Some(7),
            status: None,
        };
        let none = || Cause { rule: None, agent: None, captured: None, status: None };
        let mut causes = Causes::default();
        for _ in 0..2 {
            causes.clear(1 << 20);
            for cause in
                [Some(cause(Some(&one))), None, Some(cause(Some(&other))), Some(cause(Some(&one))), Some(none())]
            {
                causes.push(cause.as_ref());
            }
            let text = |line| CauseText {
                rule: Some((b"Disallow: /a\t\xff".to_vec(), line)),
                agent: Some("x".to_owned()),
                captured: Some(7),
            };
            let expected = [Some(text(2)), None, Some(text(3)), Some(text(2))];
            assert!((0..4).map(|line| kept(&causes, line)).eq(expected));
            assert_eq!(kept(&causes, 4), Some(CauseText { rule: None, agent: None, captured: None }));
            assert_eq!(causes.known.len(), 3);
        }
    }

    /// The cause of a line, if it was kept.
    fn kept(causes: &Causes, line: usize) -> Option<CauseText> {
        match &causes.lines[line] {
            LineCause::Text(text) => Some(CauseText::clone(text)),
            LineCause::None | LineCause::NotStored => None,
        }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let rules: Vec<KeptRule> = (0..100).map(|line| rule(b"/a", line)).collect();
        let mut causes = Causes::default();
        causes.clear(10 * BYTES_PER_CAUSE);
        for rule in &rules {
            causes.push(Some(&Cause { rule: Some(rule.clone()), agent: None, captured: None, status: None }));
        }
        let again = (0..100).filter(|&line| matches!(causes.lines[line], LineCause::NotStored)).count();
        assert!((90..100).contains(&again) && causes.known.len() == 100 - again, "{again}");
    }

    #[test]
    fn texts_are_never_long() {
        let (long, agent) = (rule(&b"\xff".repeat(500_000), 1), "é".repeat(500_000));
        let mut causes = Causes::default();
        causes.clear(1 << 20);
        causes.push(Some(&Cause {
            rule: Some(long.clone()),
            agent: Some(agent.clone()),
            captured: None,
            status: None,
        }));
        let text = kept(&causes, 0).unwrap();
        assert_eq!(text.rule.as_ref().unwrap().0, [b"Disallow: ", &b"\xff".repeat(200)[..], b"..."].concat());
        assert_eq!(text.agent.clone().unwrap(), format!("{}...", "é".repeat(100)));
        assert_eq!(shortened(&format!("x{agent}")), format!("x{}...", "é".repeat(99)));
        assert_eq!(shortened(&"x".repeat(200)), "x".repeat(200));
    }
}
