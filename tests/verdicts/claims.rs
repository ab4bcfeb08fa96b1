//! What `lint` claims of effects, on real files: each claim is checked with the line removed, by rules compiled as a whole, path by
//! path and by a walk over all paths, or by the oracle.

use std::collections::BTreeMap;
use std::fs;

use crate::oracle;
use crate::properties::access::{normal, paths_of};
use crate::properties::lint::first_name;
use crate::support::{say, shared, verdict};
use robosieve::internals::RuleSetParts;
use robosieve::internals::automaton::{self, DifferSpace, Question, Rules, Scratch, newer};
use robosieve::internals::robots::{self, Agents, Robots};
use robosieve::lint::{self, Finding, FindingKind};
use robosieve::{Dialect, RuleSet, Verdict};

/// The claims of one kind that are checked in one file: the first ones, and some of the others.
const CHECKED: usize = 6;

/// The patterns of a group that paths are made from.
const PATTERNS: usize = 200;

/// The work of a DFA, and the places that are walked.
const DFA: usize = 1 << 16;
const PLACES: usize = 1 << 15;

#[test]
fn no_claim_of_an_effect_is_wrong_on_real_files() {
    check_all(&["rfc9309"], 0, 4);
}

/// Beside the first quarter of the files, so that two cores share them.
#[test]
fn no_claim_of_an_effect_is_wrong_on_another_quarter_of_real_files() {
    check_all(&["rfc9309"], 2, 4);
}

/// The other half of the files.
#[test]
#[ignore = "takes long"]
fn no_claim_of_an_effect_is_wrong_on_more_real_files() {
    check_all(&["rfc9309"], 1, 2);
}

#[test]
#[ignore = "takes long"]
fn no_claim_of_an_effect_is_wrong_on_real_files_in_other_dialects() {
    check_all(&["google", "extended-2008", "draft-1996", "original-1994"], 1, 2);
}

/// Checks one file of each few, from the one of this number on.
fn check_all(dialects: &[&str], from: usize, step: usize) {
    let Some(corpus) = shared("corpus") else { return };
    let mut hosts: Vec<_> =
        fs::read_dir(corpus.join("robots")).expect("a folder").map(|file| file.expect("a file").path()).collect();
    hosts.sort();
    for name in dialects {
        let dialect = Dialect::named(name).expect("a dialect");
        let mut checked: BTreeMap<&str, usize> = BTreeMap::new();
        for host in hosts.iter().skip(from).step_by(step) {
            let file = fs::read(host).expect("a robots.txt");
            let findings = lint::check(&file, dialect).findings;
            if let Err(problem) = together(&file, &findings, dialect) {
                panic!("{} under {name}, without all lines that are needless: {problem}", host.display());
            }
            for kind in FindingKind::all() {
                let claims: Vec<&Finding> = findings.iter().filter(|finding| finding.kind == kind).collect();
                let step = claims.len().div_ceil(CHECKED).max(1);
                for claim in claims.into_iter().step_by(step) {
                    match problem(&file, claim, dialect) {
                        Ok(is_checked) => *checked.entry(kind.name()).or_default() += usize::from(is_checked),
                        Err(problem) => panic!("{} under {name}: {claim:?}: {problem}", host.display()),
                    }
                }
            }
        }
        checked.retain(|_, count| *count > 0);
        say(&format!("claims of lint under {name}, checked on one of {step} of {} files: {checked:?}", hosts.len()));
        assert!(checked.values().sum::<usize>() > 200, "{name}: {checked:?}");
    }
}

/// Checks a claim. `false` if it is not one of an effect, or one that cannot be checked here.
fn problem(file: &[u8], claim: &Finding, dialect: &'static Dialect) -> Result<bool, String> {
    let text = robots::decode(file, dialect, &mut Vec::new());
    let robots = Robots::parse(&text, dialect);
    match claim.kind {
        FindingKind::UnreachableRule | FindingKind::RuleWithoutEffect | FindingKind::EmptyDisallow => {
            let group = robots.groups.iter().rfind(|group| robots.agents[group.agents.start].line < claim.line);
            let agents = group.map(|group| group.agents.clone()).ok_or("no group")?;
            without(&text, &[claim.line])
                .map_or(Ok(false), |less| same(&text, &less, &names(&robots, agents, dialect), dialect).map(|()| true))
        }
        FindingKind::RecordWithoutDisallow if claim.reason.starts_with("the record only allows") => {
            let found = robots.groups.iter().find(|group| robots.agents[group.agents.start].line == claim.line);
            let Some(group) = found.filter(|group| !group.rules.is_empty()) else { return Ok(false) };
            let lines: Vec<u32> = robots.rules[group.rules.clone()].iter().map(|rule| rule.line).collect();
            let names = names(&robots, group.agents.clone(), dialect);
            without(&text, &lines).map_or(Ok(false), |less| same(&text, &less, &names, dialect).map(|()| true))
        }
        FindingKind::NotInherited | FindingKind::RulesLifted if is_form_a_path(dialect) => {
            let (before, name) =
                claim.reason.split_once(" is blocked for everybody else, and allowed to ").ok_or("no path")?;
            let path = before.rsplit(": ").next().ok_or("no path")?.as_bytes();
            let name = first_name(name);
            let verdicts = ["*", name].map(|name| oracle::allowed(dialect.name, &[name], &text, path));
            if verdicts == [false, true] { Ok(true) } else { Err(format!("{verdicts:?}")) }
        }
        FindingKind::AllowAllOverruled if is_form_a_path(dialect) => {
            let path =
                claim.reason.strip_suffix(" is blocked").and_then(|text| text.rsplit(": ").next()).ok_or("no path")?;
            let name = claim.reason.split_once("all is allowed to ").and_then(|(_, text)| text.split_once(", but "));
            let name = name.map(|(name, _)| if name == "every crawler" { "*" } else { name }).ok_or("no name")?;
            let agents = Agents::published(name, dialect).map_err(|problem| problem.to_string())?;
            match RuleSet::compile(&text, &agents, dialect).explain(path.as_bytes()).verdict {
                Verdict::Blocked => Ok(true),
                Verdict::Allowed => Err(format!("allowed to {name}")),
            }
        }
        FindingKind::BlocksEverything => {
            let paths = ["/", "/a", "/index.html?x=1", "/robots.txt.gz", "//", "/%C3%A9/"];
            let allowed = paths.iter().find(|path| oracle::allowed(dialect.name, &["*"], &text, path.as_bytes()));
            allowed.map_or(Ok(true), |path| Err(format!("{path} is allowed")))
        }
        _ => Ok(false),
    }
}

/// Checks that all rules that are said to be needless are so together.
fn together(file: &[u8], findings: &[Finding], dialect: &'static Dialect) -> Result<(), String> {
    let text = robots::decode(file, dialect, &mut Vec::new());
    let robots = Robots::parse(&text, dialect);
    let (mut lines, mut agents) = (Vec::new(), Vec::new());
    for group in &robots.groups {
        let first = robots.agents[group.agents.start].line;
        let rules = robots.rules[group.rules.clone()].iter().map(|rule| rule.line);
        let is_needless = |&line: &u32| {
            findings.iter().any(|finding| match finding.kind {
                FindingKind::UnreachableRule | FindingKind::RuleWithoutEffect => finding.line == line,
                _ => finding.line == first && finding.reason.starts_with("the record only allows"),
            })
        };
        let needless: Vec<u32> = rules.filter(is_needless).collect();
        if !needless.is_empty() {
            agents.extend(names(&robots, group.agents.clone(), dialect));
        }
        lines.extend(needless);
    }
    let step = agents.len().div_ceil(CHECKED).max(1);
    let agents: Vec<Agents> = agents.into_iter().step_by(step).collect();
    without(&text, &lines).map_or(Ok(()), |less| same(&text, &less, &agents, dialect))
}

/// Whether the normal form of a path can be asked for as it is.
fn is_form_a_path(dialect: &Dialect) -> bool {
    !matches!(dialect.name, "draft-1996" | "original-1994")
}

/// The first and the last crawler that a group names.
fn names(robots: &Robots<'_>, agents: std::ops::Range<usize>, dialect: &Dialect) -> Vec<Agents> {
    let name = |value: &[u8]| Agents::published(std::str::from_utf8(value).ok()?, dialect).ok();
    let mut names: Vec<Agents> = robots.agents[agents].iter().filter_map(|agent| name(agent.value)).collect();
    if names.len() > 2 {
        names.drain(1..names.len() - 1);
    }
    names
}

/// The text without the values of these lines, so that each record has the lines it had. `None` if one has no colon.
fn without(text: &[u8], lines: &[u32]) -> Option<Vec<u8>> {
    let (mut less, mut rest, mut number) = (Vec::with_capacity(text.len()), text, 1);
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let line_end = if rest[end..].starts_with(b"\r\n") { end + 2 } else { rest.len().min(end + 1) };
        let kept = match lines.contains(&number) {
            true => rest[..end].iter().position(|&byte| byte == b':')? + 1,
            false => end,
        };
        less.extend_from_slice(&rest[..kept]);
        less.extend_from_slice(&rest[end..line_end]);
        rest = &rest[line_end..];
        number += 1;
    }
    Some(less)
}

/// Checks that two files say the same of all paths to each of these crawlers.
fn same(file: &[u8], less: &[u8], agents: &[Agents], dialect: &'static Dialect) -> Result<(), String> {
    // Crawlers of one group mostly have the same rules, and two files the same automaton: then their verdicts are the same, too.
    let mut known = Vec::new();
    for agents in agents {
        let sets = [file, less].map(|file| RuleSet::compile(file, agents, dialect));
        let mut scratch = Scratch::default();
        let is_asked = |path: &Vec<u8>| paths_of(dialect).contains(&normal(dialect, path));
        for path in paths(&sets[0]).into_iter().filter(is_asked) {
            let [with, without] = sets.each_ref().map(|set| set.verdict_with(&path, &mut scratch));
            if with != without {
                return Err(format!("{agents}, {}: {with} with it, {without} without", path.escape_ascii()));
            }
        }
        let words = sets.each_ref().map(|set| {
            let mut words = Vec::new();
            automaton::compile_within(set.patterns(), DFA, &mut words);
            words
        });
        if words[0] == words[1] || known.contains(&words) {
            continue;
        }
        let patterns = sets.each_ref().map(|set| move || set.patterns().clone());
        let rules = [0, 1].map(|side| Rules::Of(&words[side], &patterns[side]));
        let question = Question { rules, paths: paths_of(dialect), tell: &newer, shown: 1 };
        let found = DifferSpace::default().differences(&question, PLACES);
        if let Some(first) = found.shown.first() {
            return Err(format!("{agents}, {}: {} without it", first.path.escape_ascii(), first.told));
        }
        known.push(words);
    }
    Ok(())
}

/// Paths that rules suggest, and those beside them.
fn paths(rules: &RuleSet) -> Vec<Vec<u8>> {
    let patterns = rules.patterns();
    let mut paths = vec![b"/".to_vec(), b"/a".to_vec()];
    let step = patterns.all().len().div_ceil(PATTERNS).max(1);
    for pattern in patterns.all().iter().step_by(step) {
        let segments: Vec<&[u8]> = patterns.segments(pattern).map(|range| &patterns.text()[range]).collect();
        for (gap, end) in [(&b""[..], &b""[..]), (b"", b"x"), (b"/x", b"/")] {
            let path = [segments.join(gap).as_slice(), end].concat();
            paths.push(if path.starts_with(b"/") { path } else { [b"/", path.as_slice()].concat() });
        }
    }
    paths
}

#[test]
fn a_wrong_claim_would_be_found() {
    let file = b"User-agent: *\nDisallow: /a/\nAllow: /a/*b\r\nDisallow: /a/x\n";
    let check =
        |lines: &[u32]| same(file, &without(file, lines).expect("colons"), &[Agents::everybody()], Dialect::DEFAULT);
    assert!(check(&[2]).is_err() && check(&[3]).is_err());
    assert_eq!(check(&[4]), Ok(()));
    assert_eq!(verdict(oracle::allowed("rfc9309", &["*"], file, b"/a/b")), Verdict::Allowed);
}
