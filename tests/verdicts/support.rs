//! Shared by several test files: data, the path of a URL as Google's library cuts it, and all engines at once.

use std::io::Write;
use std::path::{Path, PathBuf};

use robosieve::internals::automaton::{self, Engine, Scratch, front};
use robosieve::internals::robots::{Agents, GroupOrigin};
use robosieve::internals::{Axes, PolicyParts, RuleSetParts};
use robosieve::policy::{Capture, Captures, Policy};
use robosieve::{Dialect, RuleSet, Verdict};

/// The work a forced DFA may take: hundreds of times the library's budget, but no case runs forever.
const DFA_BUDGET: usize = 1 << 24;

/// The name of the automaton that was stored in a policy file.
const POLICY_FILE: &str = "the policy file";

/// Writes to standard error even where the test harness captures output.
pub fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").expect("standard error is open");
}

/// A folder of the data next to the repository, which is not part of it; reports it as skipped if missing.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    say(&format!("SKIPPED: ../shared/{folder} is missing; nothing of it was tested"));
    None
}

/// Path, parameters and query of a URL, as Google's library cuts them (`GetPathParamsQuery`).
///
/// Whatever precedes the path is ignored: a scheme and a host, a host alone, or nothing.
pub fn google_path(url: &[u8]) -> Vec<u8> {
    let from = if url.starts_with(b"//") { 2 } else { 0 };
    let starts_path = |byte: &u8| matches!(byte, b'/' | b'?' | b';');
    let find = |start: usize| url[start..].iter().position(starts_path).map(|at| start + at);
    let scheme = memchr::memmem::find(&url[from..], b"://").map(|at| from + at);
    let host = match (scheme, find(from)) {
        (Some(scheme), Some(early)) if early < scheme => from,
        (Some(scheme), _) => scheme + 3,
        (None, _) => from,
    };
    let hash = memchr::memchr(b'#', &url[from..]).map(|at| from + at);
    match find(host) {
        Some(start) if hash.is_none_or(|hash| start < hash) => {
            let path = &url[start..hash.unwrap_or(url.len())];
            if path[0] == b'/' { path.to_vec() } else { [b"/", path].concat() }
        }
        _ => b"/".to_vec(),
    }
}

/// The verdict for a boolean.
pub fn verdict(allowed: bool) -> Verdict {
    if allowed { Verdict::Allowed } else { Verdict::Blocked }
}

/// The automaton of a robots.txt after a round trip through a policy file, whose rules and side records must equal
/// those of the robots.txt; `None` where no group applies.
fn from_policy(file: &[u8], agents: &Agents, rules: &RuleSet, dialect: &'static Dialect) -> Option<Vec<u32>> {
    // A policy defers what is no robots.txt.
    if rules.flaw().is_some() {
        return None;
    }
    let mut captures = Captures::new(agents.clone(), dialect);
    captures.add(vec![Capture::found("http://a.example", file)]).expect("one capture");
    let made = captures.policy().expect("one origin");
    let policy = Policy::from_bytes(made.bytes()).expect("what was just written");
    let record = policy.lookup().get(b"http://a.example").expect("the only origin");
    let kept = rules.side_records();
    let found =
        policy.side_records(&record, 0).into_iter().map(|record| (record.key.name(), record.value, record.line));
    assert!(kept.eq(found), "side records");
    let crawler = policy.crawler(None).expect("one crawler");
    let groups = policy.groups(&crawler);
    let group = groups.group(record.row);
    assert_eq!(group.is_none(), rules.origin() == GroupOrigin::None);
    let group = group?;
    assert_eq!(policy.rules(group, 0), *rules.chosen());
    Some(groups.automaton(group).to_vec())
}

/// The rules of one file for one crawler, in every form that can give verdicts.
pub struct Engines {
    pub rules: RuleSet,
    dialect: Dialect,
    forced: Vec<(&'static str, Vec<u32>)>,
    scratch: Scratch,
}

impl Engines {
    /// All engines: the chosen one, a DFA far beyond its budget, cursors, and the automaton from a policy file.
    pub fn all(file: &[u8], agents: &Agents, dialect: &'static Dialect) -> Engines {
        Engines::forced(file, agents, dialect, &[("DFA", DFA_BUDGET), ("cursors", 0)])
    }

    /// All engines but the DFA beyond its budget, for files of any size.
    pub fn bounded(file: &[u8], agents: &Agents, dialect: &'static Dialect) -> Engines {
        Engines::forced(file, agents, dialect, &[("cursors", 0)])
    }

    fn forced(file: &[u8], agents: &Agents, dialect: &'static Dialect, budgets: &[(&'static str, usize)]) -> Engines {
        let rules = RuleSet::compile(file, agents, dialect);
        let compile = |&(name, budget): &(&'static str, usize)| {
            let mut words = Vec::new();
            automaton::compile_within(rules.patterns(), budget, &mut words);
            (name, words)
        };
        let mut forced: Vec<_> = budgets.iter().map(compile).collect();
        forced.extend(from_policy(file, agents, &rules, dialect).map(|words| (POLICY_FILE, words)));
        Engines { rules, dialect: dialect.clone(), forced, scratch: Scratch::default() }
    }

    /// Whether the library chooses cursors, as a DFA would be too large.
    pub fn is_over_budget(&self) -> bool {
        self.forced.iter().any(|(name, words)| *name == POLICY_FILE && automaton::engine(words) == Engine::Cursors)
    }

    /// The verdict of the rules, tried one by one or compiled.
    ///
    /// # Errors
    ///
    /// If another one differs: a forced engine, the plain reading or the explanation.
    pub fn verdict(&mut self, path: &[u8]) -> Result<Verdict, String> {
        let chosen = self.rules.verdict_with(path, &mut self.scratch);
        let explained = self.rules.explain(path).verdict;
        if explained != chosen {
            return Err(format!("explanation says {explained:?}, the rules {chosen:?}"));
        }
        let path = self.dialect.url_path().judged(path);
        let normal = self.dialect.encoding().path(&path);
        let plain = self.rules.patterns().verdict(&normal);
        for (name, words) in &self.forced {
            let forced = automaton::verdict(words, &normal, &mut self.scratch);
            if forced != plain {
                return Err(format!("{name} says {forced:?}, the plain reading {plain:?}"));
            }
        }
        Ok(chosen)
    }

    /// Like [`Engines::verdict`], but panics if the engines disagree.
    pub fn agreed(&mut self, path: &[u8]) -> Verdict {
        self.verdict(path).unwrap_or_else(|error| panic!("{}: {error}", path.escape_ascii()))
    }
}

/// Whether the processor has what the fast version needs.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt")
}

/// Whether a front lets a path through. Where there is AVX2, checks that the fast version agrees whatever bytes follow
/// the path.
pub fn front_passes(item: &[u8], path: &[u8]) -> bool {
    let passes = front::passes(item, path);
    #[cfg(target_arch = "x86_64")]
    if !path.is_empty() && has_avx2() {
        for after in [0, b'a', u8::MAX] {
            let mut padded = path.to_vec();
            padded.resize(path.len().next_multiple_of(32) + front::PADDING, after);
            // SAFETY: the item comes from a checked policy, the path is padded, and the features were detected.
            let fast = unsafe { front::passes_avx2(item.as_ptr(), padded.as_ptr(), path.len()) };
            assert_eq!(fast, passes, "{} with {after} after it", path.escape_ascii());
        }
    }
    passes
}
