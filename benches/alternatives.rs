//! Compares our automaton with general ones on the same groups and paths: a table for `scripts/engines`.
//!
//! `--robots DIR --urls DIR [--agent NAME]` pairs the files with the same name in both folders: a robots.txt, and links of
//! its host, one per line. Each engine compiles the group of the agent, and judges the paths of the host's links:
//!
//! - *robosieve*: our automaton, with the length of the best pattern in its states;
//! - *dense DFA*: regex-automata, all patterns of the group in one DFA, ordered by rank, within a size bound;
//! - *Aho-Corasick*: searches for the longest literal of each pattern, then tries the patterns whose literal was found one
//!   by one, ordered by rank.
//!
//! Before an engine is timed, its verdicts must equal those of the patterns tried one by one. Times are processor time of
//! one thread; each group's paths are judged repeatedly, for at least a thousand verdicts.

use aho_corasick::AhoCorasick;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};
use robosieve::internals::Axes;
use robosieve::internals::automaton::{self, Scratch};
use robosieve::internals::robots::{self, Agents, Robots};
use robosieve::internals::rules::Patterns;
use robosieve::{Dialect, Verdict, origin};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;

mod clock;

/// The maximum size of a dense DFA, and of the memory to build it, in bytes.
const BOUND: usize = 10 << 20;

/// The minimum number of timed verdicts per group.
const VERDICTS: usize = 1000;

/// A group of rules, and paths in normal form with the correct verdicts.
struct Group {
    patterns: Patterns,
    paths: Vec<Vec<u8>>,
    expected: Vec<Verdict>,
}

/// The totals of one engine over all groups.
#[derive(Default)]
struct Totals {
    groups: usize,
    given_up: usize,
    bytes: usize,
    compiling: f64,
    verdicts: usize,
    judging: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    let (Some(robots), Some(urls)) = (option("--robots"), option("--urls")) else {
        return Err("--robots DIR or --urls DIR is missing".into());
    };
    let agents: Agents = option("--agent").map_or("examplebot", String::as_str).parse()?;
    let groups = groups(Path::new(robots), Path::new(urls), &agents)?;
    assert!(!groups.is_empty(), "no file of one folder has the name of one in the other");
    println!("| engine | groups | given up | bytes | compiling, ms | ns a verdict |");
    println!("|---|---:|---:|---:|---:|---:|");
    tell("robosieve", &measured(&groups, own));
    tell("dense DFA (regex-automata)", &measured(&groups, dense_dfa));
    tell("Aho-Corasick and the patterns found", &measured(&groups, literals));
    Ok(())
}

fn tell(name: &str, totals: &Totals) {
    let Totals { groups, given_up, bytes, compiling, verdicts, judging } = totals;
    let nanoseconds = judging / *verdicts as f64 * 1e9;
    println!("| {name} | {groups} | {given_up} | {bytes} | {:.1} | {nanoseconds:.0} |", compiling * 1e3);
}

/// The groups of the files present in both folders.
fn groups(robots: &Path, urls: &Path, agents: &Agents) -> Result<Vec<Group>, Box<dyn Error>> {
    let mut names =
        std::fs::read_dir(urls)?.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<Vec<_>>>()?;
    names.sort();
    let mut groups = Vec::new();
    for name in names {
        let Ok(file) = std::fs::read(robots.join(&name)) else { continue };
        let links = std::fs::read(urls.join(&name))?;
        let text = robots::decode(&file, Dialect::DEFAULT, &mut Vec::new());
        let parsed = Robots::parse(&text, Dialect::DEFAULT);
        let selection = parsed.select(agents, Dialect::DEFAULT);
        let patterns = Patterns::rank(selection.rules(&parsed), Dialect::DEFAULT);
        let paths: Vec<Vec<u8>> = links.split(|&byte| byte == b'\n').filter_map(path).collect();
        if patterns.all().is_empty() || paths.is_empty() {
            continue;
        }
        let verdict = |path: &Vec<u8>| patterns.verdict(path);
        let expected = paths.iter().map(verdict).collect();
        groups.push(Group { patterns, paths, expected });
    }
    Ok(groups)
}

/// The path of a link in normal form.
fn path(link: &[u8]) -> Option<Vec<u8>> {
    let (_, rest) = origin::split(link).ok()?;
    Some(Dialect::DEFAULT.encoding().path(&Dialect::DEFAULT.url_path().of(rest)).into_owned())
}

/// A compiled group: its size in bytes and a function that judges paths; `None` if the engine gives up.
type Compiled<'g> = Option<(usize, Box<dyn FnMut(&[u8]) -> Verdict + 'g>)>;

fn measured(groups: &[Group], compile: impl for<'g> Fn(&'g Patterns) -> Compiled<'g>) -> Totals {
    let mut totals = Totals::default();
    for group in groups {
        let start = clock::seconds();
        let compiled = compile(black_box(&group.patterns));
        totals.compiling += clock::seconds() - start;
        let Some((bytes, mut judge)) = compiled else {
            totals.given_up += 1;
            continue;
        };
        (totals.groups, totals.bytes) = (totals.groups + 1, totals.bytes + bytes);
        let verdicts: Vec<Verdict> = group.paths.iter().map(|path| judge(path)).collect();
        assert_eq!(verdicts, group.expected);
        let rounds = VERDICTS.div_ceil(group.paths.len());
        let start = clock::seconds();
        for _ in 0..rounds {
            group.paths.iter().for_each(|path| _ = black_box(judge(black_box(path))));
        }
        totals.judging += clock::seconds() - start;
        totals.verdicts += rounds * group.paths.len();
    }
    totals
}

fn own(patterns: &Patterns) -> Compiled<'_> {
    let mut words = Vec::new();
    automaton::compile(patterns, &mut words);
    let (bytes, mut scratch) = (words.len() * 4, Scratch::default());
    Some((bytes, Box::new(move |path| automaton::verdict(&words, path, &mut scratch))))
}

fn dense_dfa(patterns: &Patterns) -> Compiled<'_> {
    let literal = |text: &[u8]| text.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    let regex = |pattern| {
        let segments: Vec<String> = patterns.segments(pattern).map(|range| literal(&patterns.text()[range])).collect();
        segments.join(".*") + if pattern.anchored { "\\z" } else { "" }
    };
    let regexes: Vec<String> = patterns.all().iter().map(regex).collect();
    let config = dense::Config::new()
        .match_kind(MatchKind::LeftmostFirst)
        .start_kind(StartKind::Anchored)
        .dfa_size_limit(Some(BOUND))
        .determinize_size_limit(Some(BOUND));
    let syntax = syntax::Config::new().unicode(false).utf8(false).dot_matches_new_line(true);
    let mut builder = dense::Builder::new();
    builder.configure(config).syntax(syntax).thompson(thompson::Config::new().utf8(false));
    let dfa = builder.build_many(&regexes).ok()?;
    let bytes = dfa.memory_usage();
    let judge = move |path: &[u8]| {
        let found = dfa.try_search_fwd(&Input::new(path).anchored(Anchored::Yes)).expect("no byte makes it give up");
        found.map_or(Verdict::Allowed, |found| patterns.all()[found.pattern().as_usize()].verdict)
    };
    Some((bytes, Box::new(judge)))
}

fn literals(patterns: &Patterns) -> Compiled<'_> {
    let longest =
        |pattern| patterns.segments(pattern).map(|range| &patterns.text()[range]).max_by_key(|text| text.len());
    let literals: Vec<&[u8]> = patterns.all().iter().map(|pattern| longest(pattern).unwrap_or_default()).collect();
    let finder = AhoCorasick::new(&literals).ok()?;
    let mut found = Vec::new();
    let bytes = finder.memory_usage();
    let judge = move |path: &[u8]| {
        found.clear();
        found.extend(finder.find_overlapping_iter(path).map(|found| found.pattern().as_usize()));
        found.sort_unstable();
        found.dedup();
        let first = found.iter().map(|&rank| &patterns.all()[rank]).find(|pattern| patterns.matches(pattern, path));
        first.map_or(Verdict::Allowed, |pattern| pattern.verdict)
    };
    Some((bytes, Box::new(judge)))
}
