//! Rules and paths: every engine, the plain reading and the explanation against the oracle.
//!
//! The input is text, so that seeds can be read and mutations stay meaningful: the first byte picks the dialect, each
//! further line is a rule (`+pattern` for `Allow`, `-pattern` for `Disallow`) or a path (anything else).

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::Agents;
use robosieve::internals::automaton::{self, Scratch};
use robosieve::internals::{Axes, RuleSetParts};
use robosieve::{Dialect, RuleSet, Verdict};

#[allow(dead_code, reason = "preferences have tests of their own")]
#[path = "../../tests/verdicts/oracle.rs"]
mod oracle;

/// The maximum number of paths judged per input; the oracle is slow.
const MAX_PATHS: usize = 8;

/// The work a DFA may take, more than the library's budget; unbounded, it could take forever.
const DFA_BUDGET: usize = 1 << 18;

fuzz_target!(|input: &[u8]| {
    let Some((&first, text)) = input.split_first() else { return };
    let dialect = &Dialect::ALL[usize::from(first) % Dialect::ALL.len()];
    let (robots, paths) = read(text);
    let rules = RuleSet::compile(&robots, &Agents::everybody(), dialect);
    let mut dfa = Vec::new();
    automaton::compile_within(rules.patterns(), DFA_BUDGET, &mut dfa);
    let mut cursors = Vec::new();
    automaton::compile_within(rules.patterns(), 0, &mut cursors);
    let mut scratch = Scratch::default();
    for path in paths {
        let expected = verdict(oracle::allowed(dialect.name, &["*"], &robots, &path));
        assert_eq!(rules.verdict_with(&path, &mut scratch), expected, "chosen engine");
        assert_eq!(rules.explain(&path).verdict, expected, "explanation");
        let path = dialect.url_path().judged(&path);
        let normal = dialect.encoding().path(&path);
        let plain = rules.patterns().verdict(&normal);
        assert_eq!(automaton::verdict(&dfa, &normal, &mut scratch), plain, "DFA");
        assert_eq!(automaton::verdict(&cursors, &normal, &mut scratch), plain, "cursors");
    }
});

/// The input's rules as a group for `*`, and its paths.
fn read(text: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut robots = b"User-agent: *\n".to_vec();
    let mut paths = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        let (key, value) = match line.split_first() {
            Some((b'+', value)) => (b"Allow: ".as_slice(), value),
            Some((b'-', value)) => (b"Disallow: ".as_slice(), value),
            _ => {
                paths.push(as_path(line));
                continue;
            }
        };
        robots.extend_from_slice(&[key, value, b"\n"].concat());
    }
    paths.truncate(MAX_PATHS);
    (robots, paths)
}

/// A path begins with a slash and has neither fragment nor line end.
fn as_path(line: &[u8]) -> Vec<u8> {
    let mut path: Vec<u8> = line.iter().copied().filter(|byte| !matches!(byte, b'#' | b'\r')).collect();
    if path.first() != Some(&b'/') {
        path.insert(0, b'/');
    }
    path
}

fn verdict(allowed: bool) -> Verdict {
    if allowed { Verdict::Allowed } else { Verdict::Blocked }
}
