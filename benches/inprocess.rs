//! What the parts cost by themselves, in one process and one thread: compiling all files, matching when the policy is
//! known, and splitting the origin and looking it up.
//!
//! `--robots DIR [--urls FILE] [--agent NAME]` prints one JSON object. `ns_per_url` is matching alone, in the order of
//! the list: automaton and path are known, and so is whether the path is plain, as the pipeline's scan tells it; paths
//! that are not are brought into normal form within the time. `ns_split_and_look_up` is the batch interface over the
//! same URLs when no path has to be walked.

use robosieve::automaton::{self, Scratch};
use robosieve::filter::{Bench, Choices, Judge, Outcome, Partition, Url};
use robosieve::pattern::Patterns;
use robosieve::policy::{Captures, Policy, source};
use robosieve::robots::{self, Agents, Robots};
use robosieve::{Dialect, Verdict, origin};
use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// A round goes on until it has taken this long, so that short lists are measured well.
const ROUND_SECONDS: f64 = 0.2;
const ROUNDS: usize = 7;
/// As many lines as the pipeline judges at a time.
const BATCH: usize = 128;

/// Hosts and their robots.txt.
type Bodies = Vec<(String, Vec<u8>)>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    // `cargo bench` and `cargo test` run every target; without data there is nothing to measure.
    let Some(robots) = option("--robots") else { return Ok(()) };
    let agents: Agents = option("--agent").map_or("examplebot", String::as_str).parse()?;
    let bodies = read(Path::new(robots))?;
    let compile_seconds = median((0..ROUNDS).map(|_| compile_all(&bodies, &agents)).collect());
    let mut report = serde_json::json!({ "files": bodies.len(), "compile_seconds": compile_seconds });
    if let Some(urls) = option("--urls") {
        let text = std::fs::read(urls)?;
        let lines: Vec<&[u8]> = text.split(|&octet| octet == b'\n').filter(|line| !line.is_empty()).collect();
        report["urls"] = lines.len().into();
        let policy = policy(Path::new(robots), &agents)?;
        let (matching, allowed) = matching(&policy, &lines);
        report["ns_per_url"] = matching.into();
        report["allowed"] = allowed.into();
        report["ns_split_and_look_up"] = look_up(&bodies, &lines)?.into();
    }
    println!("{report}");
    Ok(())
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

/// Seconds from the octets of all files to all their automata.
fn compile_all(bodies: &Bodies, agents: &Agents) -> f64 {
    let dialect = Dialect::DEFAULT;
    let start = Instant::now();
    let mut words = Vec::new();
    for (_, body) in bodies {
        let text = robots::decode(body, dialect, &mut Vec::new());
        let robots = Robots::parse(&text, dialect);
        let selection = robots.select(agents, dialect);
        automaton::compile(&Patterns::rank(selection.rules(&robots), dialect), &mut words);
    }
    black_box(words);
    start.elapsed().as_secs_f64()
}

fn policy(robots: &Path, agents: &Agents) -> Result<Policy, Box<dyn Error>> {
    let mut captures = Captures::new(agents.clone(), Dialect::DEFAULT);
    source::add(&[robots], &source::Options::default(), &mut captures)?;
    Ok(captures.policy()?)
}

/// Nanoseconds a URL, and how many are allowed.
fn matching(policy: &Policy, lines: &[&[u8]]) -> (f64, usize) {
    let encoding = policy.dialect().encoding;
    let crawler = policy.crawler(None).expect("one crawler");
    let groups = policy.groups(&crawler);
    let mut known = HashMap::new();
    let paths: Vec<(u32, &[u8], usize, bool)> = lines
        .iter()
        .filter_map(|line| {
            let end = origin::cut(line)?;
            let record = known.entry(&line[..end]).or_insert_with(|| policy.index().get(&line[..end]));
            let rest = &line[end..];
            let plain = !rest.iter().any(|&octet| octet == b'#' || encoding.changed_octets().contains(octet));
            Some((groups.automaton_of(record.as_ref()?.row), *line, end, plain))
        })
        .collect();
    let mut scratch = Scratch::default();
    let mut pass = || {
        let mut allowed = 0;
        for &(at, line, end, plain) in black_box(&paths) {
            let automaton = groups.automaton_at(at);
            let verdict = if at == 0 {
                // A robots.txt without a group for the crawler.
                Verdict::Allowed
            } else if plain {
                automaton::finish(automaton, line, automaton::begin(automaton, line, end), &mut scratch)
            } else {
                automaton::verdict(automaton, &encoding.path(&origin::path(&line[end..])), &mut scratch)
            };
            allowed += usize::from(verdict == Verdict::Allowed);
        }
        allowed
    };
    let expected = pass();
    let times = (0..ROUNDS).map(|_| round(paths.len(), || assert_eq!(pass(), expected, "passes differ"))).collect();
    (median(times), expected)
}

/// Nanoseconds a URL for the batch interface when every robots.txt is empty, so that no path is walked.
fn look_up(bodies: &Bodies, lines: &[&[u8]]) -> Result<f64, Box<dyn Error>> {
    let empty = tempfile::tempdir()?;
    for (host, _) in bodies {
        std::fs::write(empty.path().join(host), "")?;
    }
    let policy = policy(empty.path(), &Agents::everybody())?;
    let crawler = policy.crawler(None)?;
    let judge = Judge::new(&policy, &crawler, Choices::default());
    let urls: Vec<Url<'_>> = lines.iter().map(|line| Url { line, plain: true }).collect();
    let (mut outcomes, mut bench) = (Vec::<Outcome>::new(), Bench::default());
    let mut pass = || {
        let mut allowed = 0;
        for batch in black_box(&urls).chunks(BATCH) {
            judge.judge(batch, &mut outcomes, &mut bench);
            allowed += outcomes.iter().filter(|outcome| outcome.partition() == Partition::Allowed).count();
        }
        allowed
    };
    let expected = pass();
    Ok(median((0..ROUNDS).map(|_| round(urls.len(), || assert_eq!(pass(), expected, "passes differ"))).collect()))
}

/// Nanoseconds a URL, over as many passes as a round takes.
fn round(urls: usize, mut pass: impl FnMut()) -> f64 {
    let (start, mut passes) = (Instant::now(), 0.0);
    while start.elapsed().as_secs_f64() < ROUND_SECONDS {
        pass();
        passes += 1.0;
    }
    start.elapsed().as_secs_f64() * 1e9 / passes / urls.max(1) as f64
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
