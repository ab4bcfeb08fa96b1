//! The cost of the parts on their own, in one process and one thread: compiling all files, matching with a known policy,
//! and splitting and looking up origins. Times are processor time.
//!
//! `--robots DIR [--urls FILE] [--agent NAME]` prints one JSON object. `ns_per_url` is matching alone, in list order:
//! automaton and path are known, and so is whether the path is plain, which the pipeline's scan finds out; the time
//! includes normalising paths that are not. `front` is the same for fronts followed by walks, on normalised paths: the
//! share of paths that pass, and nanoseconds per URL in list order and shuffled, for the front alone and with the walks.
//! `ns_split_and_look_up` is the batch interface on the same URLs when no path needs a walk. `--one-url` prints instead what one URL
//! costs at a time ([`one_url`]).

use robosieve::internals::automaton::{self, Scratch, front};
use robosieve::internals::{self, Axes, PolicyParts};

use robosieve::Partition;
use robosieve::internals::policy::Groups;
use robosieve::internals::robots::{self, Agents, Robots};
use robosieve::internals::rules::Patterns;
use robosieve::policy::{Captures, Policy, source};
use robosieve::{Dialect, Verdict, origin};
use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;

mod clock;
mod one_url;

/// The minimum length of a round, so that short lists are measured well too.
const ROUND_SECONDS: f64 = 0.2;
const ROUNDS: usize = 7;

/// Hosts and their robots.txt.
type Bodies = Vec<(String, Vec<u8>)>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    // `cargo bench` and `cargo test` run every target; without data there is nothing to measure.
    let Some(robots) = option("--robots") else { return Ok(()) };
    let agents: Agents = option("--agent").map_or("examplebot", String::as_str).parse()?;
    let bodies = read(Path::new(robots))?;
    let text = option("--urls").map(std::fs::read).transpose()?;
    let lines: Option<Vec<&[u8]>> =
        text.as_ref().map(|text| text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect());
    let report = if arguments.iter().any(|argument| argument == "--one-url") {
        one_url::measured(&bodies, &agents, &policy(Path::new(robots), &agents)?, &lines.unwrap_or_default())?
    } else {
        parts(&bodies, Path::new(robots), &agents, lines)?
    };
    println!("{report}");
    Ok(())
}

/// Compiling, matching and looking up, each alone.
fn parts(
    bodies: &Bodies,
    robots: &Path,
    agents: &Agents,
    lines: Option<Vec<&[u8]>>,
) -> Result<serde_json::Value, Box<dyn Error>> {
    let compile_seconds = median((0..ROUNDS).map(|_| compile_all(bodies, agents)).collect());
    let mut report = serde_json::json!({ "files": bodies.len(), "compile_seconds": compile_seconds });
    if let Some(lines) = lines {
        report["urls"] = lines.len().into();
        let policy = policy(robots, agents)?;
        let (matching, allowed) = matching(&policy, &lines);
        report["ns_per_url"] = matching.into();
        report["allowed"] = allowed.into();
        report["front"] = fronts(&policy, &lines);
        report["ns_split_and_look_up"] = look_up(bodies, &lines)?.into();
    }
    Ok(report)
}

fn read(directory: &Path) -> Result<Bodies, Box<dyn Error>> {
    let mut bodies = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        bodies.push((entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path())?));
    }
    bodies.sort();
    Ok(bodies)
}

/// Seconds to compile the bytes of all files to their automata.
fn compile_all(bodies: &Bodies, agents: &Agents) -> f64 {
    let dialect = Dialect::DEFAULT;
    let start = clock::seconds();
    let mut words = Vec::new();
    for (_, body) in bodies {
        let text = robots::decode(body, dialect, &mut Vec::new());
        let robots = Robots::parse(&text, dialect);
        let selection = robots.select(agents, dialect);
        automaton::compile_item(&Patterns::rank(selection.rules(&robots), dialect), &mut words);
    }
    black_box(words);
    clock::seconds() - start
}

fn policy(robots: &Path, agents: &Agents) -> Result<Policy, Box<dyn Error>> {
    let mut captures = Captures::new(agents.clone(), Dialect::DEFAULT);
    source::add(&[robots], &source::Options::default(), &mut captures)?;
    Ok(captures.policy()?)
}

/// Nanoseconds per URL, and the number of allowed URLs.
fn matching(policy: &Policy, lines: &[&[u8]]) -> (f64, usize) {
    let (url_path, encoding) = (policy.dialect().url_path(), policy.dialect().encoding());
    let crawler = policy.crawler(None).expect("one crawler");
    let groups = policy.groups(&crawler);
    let mut known = HashMap::new();
    let paths: Vec<(u32, &[u8], usize, bool)> = lines
        .iter()
        .filter_map(|line| {
            let (origin, rest) = origin::split(line).ok()?;
            let record = known.entry(origin).or_insert_with_key(|origin| policy.lookup().get(origin.as_bytes()));
            let changed = |&byte: &u8| byte == b'#' || encoding.changed_bytes().contains(byte);
            let plain = rest.starts_with(b"/") && !rest.iter().any(changed) && !url_path.rewrites(rest);
            Some((groups.automaton_of(record.as_ref()?.row), *line, line.len() - rest.len(), plain))
        })
        .collect();
    let mut scratch = automaton::Scratch::default();
    let mut pass = || {
        let mut allowed = 0;
        for &(at, line, end, plain) in black_box(&paths) {
            let automaton = groups.automaton_at(at);
            let verdict = if at == 0 {
                // A robots.txt without a group for the crawler.
                Verdict::Allowed
            } else if plain {
                automaton::verdict_from(automaton, line, end, &mut scratch)
            } else {
                automaton::verdict(automaton, &encoding.path(&url_path.of(&line[end..])), &mut scratch)
            };
            allowed += usize::from(verdict == Verdict::Allowed);
        }
        allowed
    };
    let expected = pass();
    let times = (0..ROUNDS).map(|_| round(paths.len(), || assert_eq!(pass(), expected, "passes differ"))).collect();
    (median(times), expected)
}

/// A path in a text, and the position of its automaton.
#[derive(Debug, Clone, Copy)]
struct Known {
    automaton: u32,
    start: usize,
    length: usize,
}

/// The cost of asking fronts first, and the share of paths that pass.
fn fronts(policy: &Policy, lines: &[&[u8]]) -> serde_json::Value {
    let crawler = policy.crawler(None).expect("one crawler");
    let groups = policy.groups(&crawler);
    let mut shuffled = lines.to_vec();
    shuffle(&mut shuffled);
    let mut report = serde_json::json!({});
    for (order, lines) in [("in_order", lines), ("shuffled", &shuffled)] {
        let (text, all) = known(policy, &groups, lines);
        let path = |known: &Known| &text[known.start..known.start + known.length];
        let mut scratch = Scratch::default();
        let mut differs = |known: &Known| {
            let verdict = automaton::verdict(groups.automaton_at(known.automaton), path(known), &mut scratch);
            (verdict == Verdict::Blocked) != front::base_is_blocked(groups.item_at(known.automaton))
        };
        let mut passing = Vec::with_capacity(all.len());
        pass(&groups, &text, &all, &mut passing);
        let (passed, different) = (passing.len(), all.iter().filter(|known| differs(known)).count());
        let mut times = |walks: bool| {
            let mut once = || {
                pass(&groups, &text, black_box(&all), &mut passing);
                let found = if walks { passing.iter().filter(|known| differs(known)).count() } else { passing.len() };
                assert_eq!(found, if walks { different } else { passed }, "passes differ");
            };
            median((0..ROUNDS).map(|_| round(all.len(), &mut once)).collect())
        };
        report[format!("ns_{order}")] = times(false).into();
        report[format!("ns_{order}_with_walks")] = times(true).into();
        report["passes"] = (passed as f64 / all.len().max(1) as f64).into();
        report["differs"] = (different as f64 / all.len().max(1) as f64).into();
    }
    report
}

fn shuffle<T>(items: &mut [T]) {
    let mut state = 1u64;
    for at in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(at, (state >> 33) as usize % (at + 1));
    }
}

/// The normalised paths of lines whose robots.txt has a group for the crawler, each after its origin, in a text with
/// padding at its end.
fn known(policy: &Policy, groups: &Groups<'_>, lines: &[&[u8]]) -> (Vec<u8>, Vec<Known>) {
    let (mut text, mut known) = (Vec::new(), Vec::new());
    for line in lines {
        let Some(end) = internals::origin::cut(line) else { continue };
        let Some(record) = policy.lookup().get(&line[..end]) else { continue };
        let automaton = groups.automaton_of(record.row);
        if automaton != 0 {
            text.extend_from_slice(&line[..end]);
            let start = text.len();
            let dialect = policy.dialect();
            dialect.encoding().extend_path(&dialect.url_path().of(&line[end..]), &mut text);
            known.push(Known { automaton, start, length: text.len() - start });
        }
    }
    text.resize(text.len() + 32 + front::PADDING, 0);
    (text, known)
}

/// Collects the paths that fronts let through, by the fastest method on this processor.
fn pass(groups: &Groups<'_>, text: &[u8], all: &[Known], passing: &mut Vec<Known>) {
    passing.clear();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt") {
        // SAFETY: a processor with these has BMI1 and POPCNT too. All positions are of items of a checked policy; a path
        // is not empty, and the text has the padding after it.
        return unsafe { pass_avx2(groups, text, all, passing) };
    }
    let path = |known: &Known| &text[known.start..known.start + known.length];
    passing.extend(all.iter().filter(|known| front::passes(groups.item_at(known.automaton), path(known))));
}

/// # Safety
///
/// Callers must uphold the contract of [`front::passes_avx2`] for each path.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn pass_avx2(groups: &Groups<'_>, text: &[u8], all: &[Known], passing: &mut Vec<Known>) {
    for known in all {
        let (item, path) = (groups.item_at(known.automaton), text[known.start..].as_ptr());
        // SAFETY: guaranteed by the caller.
        if unsafe { front::passes_avx2(item.as_ptr(), path, known.length) } {
            passing.push(*known);
        }
    }
}

/// Nanoseconds per URL for the batch interface when every robots.txt is empty, so that no path is walked.
fn look_up(bodies: &Bodies, lines: &[&[u8]]) -> Result<f64, Box<dyn Error>> {
    let empty = tempfile::tempdir()?;
    for (host, _) in bodies {
        std::fs::write(empty.path().join(host), "")?;
    }
    let policy = policy(empty.path(), &Agents::everybody())?;
    let matcher = policy.matcher("*")?;
    let text = lines.join(&b'\n');
    let mut outcomes = Vec::new();
    let mut pass = || {
        matcher.judge_lines(black_box(&text), &mut outcomes);
        outcomes.iter().filter(|outcome| outcome.partition() == Partition::Allowed).count()
    };
    let expected = pass();
    Ok(median((0..ROUNDS).map(|_| round(lines.len(), || assert_eq!(pass(), expected, "passes differ"))).collect()))
}

/// Nanoseconds per URL, over as many passes as fit in a round.
fn round(urls: usize, mut pass: impl FnMut()) -> f64 {
    let (start, mut passes) = (clock::seconds(), 0.0);
    while clock::seconds() - start < ROUND_SECONDS {
        pass();
        passes += 1.0;
    }
    (clock::seconds() - start) * 1e9 / passes / urls.max(1) as f64
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
