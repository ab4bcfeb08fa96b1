//! Any bytes as a robots.txt: no dialect panics, nor does lint, parsed entries fit the file, and verdicts match the oracle.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::internals::automaton::{self, Scratch};
use robosieve::internals::robots::{self, Agents, Robots};
use robosieve::internals::{Axes, RuleSetParts};
use robosieve::lint;
use robosieve::{Dialect, RuleSet, Verdict};

#[allow(dead_code, reason = "preferences have tests of their own")]
#[path = "../../tests/verdicts/oracle.rs"]
mod oracle;

/// Larger files are parsed, but not given to the oracle.
const MAX_FOR_THE_ORACLE: usize = 2048;

const AGENTS: [&[&str]; 3] = [&["*"], &["foo"], &["foobot", "bar"]];
const PATHS: [&[u8]; 4] = [b"/", b"/a/b.html?c=d", b"/robots.txt", b"/%7E%2f\xc3\xa9 $*"];

fuzz_target!(|file: &[u8]| {
    for dialect in Dialect::ALL {
        keeps_within_the_file(file, dialect);
        lint::check(file, dialect);
        for agents in AGENTS {
            judge(file, agents, dialect);
        }
    }
});

/// Checks that parsing keeps at most as many entries as there are lines, in file order.
fn keeps_within_the_file(file: &[u8], dialect: &Dialect) {
    let mut notes = Vec::new();
    let text = robots::decode(file, dialect, &mut notes);
    assert!(notes.len() <= 2, "{notes:?}");
    let parsed = Robots::parse(&text, dialect);
    let lines = 1 + text.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
    assert!(parsed.agents.len() + parsed.rules.len() + parsed.side_records.len() <= lines);
    assert!(parsed.groups.len() <= parsed.agents.len());
    // A truncated line can also be no rule, and the file can look like HTML.
    assert!(parsed.notes.len() <= 2 * lines + 1);
    assert!(parsed.rules.is_sorted_by_key(|rule| rule.line));
    assert!(parsed.rules.iter().all(|rule| !rule.value.is_empty() && rule.line as usize <= lines));
}

fn judge(file: &[u8], agents: &[&str], dialect: &Dialect) {
    let asked: Agents = agents.join(",").parse().expect("known agents");
    let rules = RuleSet::compile(file, &asked, dialect);
    // The last line of the file serves as one more path.
    let last: Vec<u8> = file.rsplit(|byte| matches!(byte, b'\n' | b'\r' | b'#')).next().unwrap_or_default().to_vec();
    let own = [b"/", last.as_slice()].concat();
    // So few paths are tried one by one.
    let mut words = Vec::new();
    automaton::compile(rules.patterns(), &mut words);
    for path in PATHS.into_iter().chain([own.as_slice()]) {
        let verdict = rules.verdict(path);
        let normal = dialect.encoding().path(&dialect.url_path().judged(path)).into_owned();
        let compiled = automaton::verdict(&words, &normal, &mut Scratch::default());
        assert_eq!(compiled, rules.patterns().verdict(&normal), "automaton");
        assert_eq!(verdict, rules.explain(path).verdict, "explanation");
        if file.len() <= MAX_FOR_THE_ORACLE {
            let allowed = oracle::allowed(dialect.name, agents, file, path);
            assert_eq!(verdict == Verdict::Allowed, allowed, "{} {agents:?} {}", dialect.name, path.escape_ascii());
        }
    }
}
