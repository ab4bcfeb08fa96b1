//! Findings about what a crawler's groups come to beside those of everybody: a group of its own does not inherit from `*`, and groups
//! of one crawler are combined.

use hashbrown::HashMap;

use super::FindingKind;
use super::audience::Audience;
use super::effects::{Effects, Merged, Shown};
use super::finding::{Findings, Related, excerpt};
use super::records::GroupLines;
use crate::dialect::Dialect;
use crate::robots::{Robots, Rule};
use crate::rules::{Patterns, Verdict};

/// The groups of a file, and for whom they are.
pub(super) struct File<'f> {
    pub robots: &'f Robots<'f>,
    pub dialect: &'f Dialect,
    pub lines: &'f [GroupLines],
    pub audiences: &'f [Audience],
}

impl File<'_> {
    /// The rules of an audience as one, those that are left. `None` if the work is done.
    pub fn merged(
        &self,
        audience: &Audience,
        is_left: impl Fn(usize) -> bool + Clone,
        effects: &mut Effects,
    ) -> Option<Merged> {
        let numbers = audience.numbers(self.robots).filter(|&number| is_left(number));
        if !effects.spend(numbers.clone().count()) {
            effects.unanswered += 1;
            return None;
        }
        let rules = numbers.map(|number| &self.robots.rules[number]);
        Some(effects.merged(Patterns::rank(rules, self.dialect)))
    }

    /// The line of its first agent.
    pub fn first_line(&self, group: u32) -> u32 {
        self.robots.agents[self.robots.groups[group as usize].agents.start].line
    }
}

/// Reports what crawlers do not inherit, and what is combined. Returns for each audience whether it is known that everything that is
/// blocked for everybody is blocked for it.
pub(super) fn check(file: &File<'_>, effects: &mut Effects, findings: &mut Findings<'_>) -> Vec<bool> {
    let everybody = file.audiences.iter().find(|audience| audience.everybody);
    let of_everybody = match everybody {
        Some(audience) => file.merged(audience, |_| true, effects),
        None => Some(Merged::default()),
    };
    if let (Some(audience), Some(merged)) = (everybody, &of_everybody) {
        blocks_everything(file, audience, merged, effects, findings);
    }
    let mut known = HashMap::new();
    let mut inherit = Vec::with_capacity(file.audiences.len());
    for audience in file.audiences {
        let own = match audience.everybody {
            true => of_everybody.clone(),
            false => file.merged(audience, |_| true, effects),
        };
        if let Some(own) = own.as_ref().filter(|_| audience.groups.len() > 1) {
            overruled(file, audience, own, effects, findings);
        }
        let (Some(own), Some(of_everybody), false) = (own, &of_everybody, audience.everybody) else {
            inherit.push(audience.everybody);
            continue;
        };
        let lifted = match everybody {
            None => Shown::ByNone,
            Some(_) => known
                .entry(own.words().to_vec())
                .or_insert_with(|| {
                    effects.shown([of_everybody, &own], |both| both == [Verdict::Blocked, Verdict::Allowed])
                })
                .clone(),
        };
        if let Shown::By(path) = &lifted {
            not_inherited(file, audience, path, findings);
        }
        inherit.push(lifted == Shown::ByNone);
    }
    inherit
}

/// Reports what is lifted for an audience, with a path.
fn not_inherited(file: &File<'_>, audience: &Audience, path: &[u8], findings: &mut Findings<'_>) {
    if audience.is_by_mistake() {
        return;
    }
    let (name, path) = (audience.names(), excerpt(path));
    let says_all = audience.groups.iter().any(|&group| file.lines[group as usize].allow_all.is_some());
    let (kind, reason) = match says_all {
        true => (
            FindingKind::RulesLifted,
            format!(
                "a record of its own lifts what * blocks: {path} is blocked for everybody else, and allowed to {name}"
            ),
        ),
        false => (
            FindingKind::NotInherited,
            format!(
                "a record of its own does not inherit the rules of *: {path} is blocked for everybody else, and allowed to {name}"
            ),
        ),
    };
    findings.add(kind, audience.line, reason);
}

/// Reports a file that blocks everything for all that it does not name.
fn blocks_everything(
    file: &File<'_>,
    audience: &Audience,
    merged: &Merged,
    effects: &mut Effects,
    findings: &mut Findings<'_>,
) {
    let rules: Vec<&Rule<'_>> = audience.numbers(file.robots).map(|number| &file.robots.rules[number]).collect();
    if rules.is_empty() || effects.found([merged], |[one]| one == Verdict::Allowed) != Shown::ByNone {
        return;
    }
    // Only a rule for all paths matches one with a byte that no rule has.
    let strange = (0..=u8::MAX).find(|byte| !merged.patterns.text().contains(byte));
    let deciding = strange.and_then(|byte| merged.patterns.deciding(&[b'/', byte]));
    let Some(pattern) = deciding.or_else(|| merged.patterns.deciding(b"/")) else { return };
    let reason = match file.audiences.len() {
        1 => "it blocks everything for every crawler: is this the file of a staging site?",
        _ => "it blocks everything for every crawler that no other record names",
    };
    findings.add(FindingKind::BlocksEverything, rules[pattern.rule as usize].line, reason);
}

/// Reports a record that allows all, if another one of the same crawler blocks something.
fn overruled(file: &File<'_>, audience: &Audience, own: &Merged, effects: &mut Effects, findings: &mut Findings<'_>) {
    let blocks = |group: &&u32| file.lines[**group as usize].disallows;
    let allows_all = |group: &u32| file.lines[*group as usize].allow_all.filter(|_| !blocks(&group));
    let lines: Vec<u32> = audience.groups.iter().filter_map(allows_all).collect();
    let Some(other) = audience.groups.iter().find(blocks).filter(|_| !lines.is_empty()) else { return };
    let Shown::By(path) = effects.found([own], |[one]| one == Verdict::Blocked) else { return };
    let (whom, path, line) = (audience.whom(), excerpt(&path), file.first_line(*other));
    for allow_all in lines {
        let reason = format!(
            "it says that all is allowed to {whom}, but the record at line {line} is combined with this one: {path} is blocked"
        );
        let related = Related { line, text: super::records::agent_line(file.robots, line) };
        findings.add_with(FindingKind::AllowAllOverruled, allow_all, reason, None, Some(related));
    }
}
