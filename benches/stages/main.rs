//! The cost of each stage: parse, compile, match, split and look up, and the whole filter.
//!
//! `cargo bench --bench stages` measures all, `cargo bench --bench stages -- match/real` those whose name begins with that.
//! Each benchmark first checks its answer against the plain reading ([`data::Expected`]) or another computation; then
//! every timed pass must give the same answer. `cargo test` runs each once, on the hand-made samples.

mod data;

use criterion::{Criterion, Throughput};
use data::{List, Set};
use robosieve::Choices;
use robosieve::Partition;
use robosieve::internals::automaton;
use robosieve::internals::policy::Groups;
use robosieve::internals::robots::{self, Agents, Robots};
use robosieve::internals::rules::Patterns;
use robosieve::internals::{Axes, PolicyParts};
use robosieve::policy::{Captures, Policy, source};
use robosieve::run::{Folder, Job, Progress};
use robosieve::{Dialect, Verdict, origin};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often the whole filter gets the same list in one run, so that runs are long enough to start the workers.
const REPEATED: usize = 10;

fn main() {
    let measuring = std::env::args().any(|argument| argument == "--bench");
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4))
        .configure_from_args();
    for set in data::sets(measuring) {
        parse(&mut criterion, &set);
        compile(&mut criterion, &set);
        matching(&mut criterion, &set);
        look_up(&mut criterion, &set);
        whole_filter(&mut criterion, &set);
    }
    criterion.final_summary();
}

/// Parses the bytes of all files into groups.
fn parse(criterion: &mut Criterion, set: &Set) {
    let pass = || -> usize {
        let records = |body: &[u8]| {
            let text = robots::decode(body, Dialect::DEFAULT, &mut Vec::new());
            let robots = black_box(Robots::parse(&text, Dialect::DEFAULT));
            robots.agents.len() + robots.rules.len()
        };
        black_box(&set.bodies).iter().map(|(_, body)| records(body)).sum()
    };
    assert_eq!(pass(), set.records, "agents and rules of {}", set.name);
    let bytes = set.bodies.iter().map(|(_, body)| body.len() as u64).sum();
    let mut group = criterion.benchmark_group("parse");
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function(set.name, |bencher| bencher.iter(|| assert_eq!(pass(), set.records)));
}

/// Compiles the groups of all files to automata.
fn compile(criterion: &mut Criterion, set: &Set) {
    let (dialect, agents) = (Dialect::DEFAULT, data::agents());
    let mut notes = Vec::new();
    let texts: Vec<_> = set.bodies.iter().map(|(_, body)| robots::decode(body, dialect, &mut notes)).collect();
    let parsed: Vec<Robots<'_>> = texts.iter().map(|text| Robots::parse(text, dialect)).collect();
    let pass = || -> usize {
        let mut words = Vec::new();
        for robots in black_box(&parsed) {
            let selection = robots.select(&agents, dialect);
            automaton::compile_item(&Patterns::rank(selection.rules(robots), dialect), &mut words);
        }
        black_box(words).len()
    };
    // The benchmarks that walk these automata check that they are correct.
    let expected = pass();
    let bytes = set.bodies.iter().map(|(_, body)| body.len() as u64).sum();
    let mut group = criterion.benchmark_group("compile");
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function(set.name, |bencher| bencher.iter(|| assert_eq!(pass(), expected)));
}

/// A path to match: its automaton, its line, its start, and whether it is plain.
type Known<'l> = (u32, &'l [u8], usize, bool);

/// Matching alone, when automaton and path are known.
fn matching(criterion: &mut Criterion, set: &Set) {
    let policy = policy(&set.robots, data::agents());
    let crawler = policy.crawler(None).expect("one crawler");
    let groups = policy.groups(&crawler);
    let (url_path, encoding) = (policy.dialect().url_path(), policy.dialect().encoding());
    let mut group = criterion.benchmark_group(format!("match/{}", set.name));
    for list in &set.lists {
        let (known, sure) = known(&policy, &groups, list);
        let mut scratch = automaton::Scratch::default();
        let mut pass = || -> u64 {
            let mut allowed = sure;
            for &(at, line, end, plain) in black_box(&known) {
                let automaton = groups.automaton_at(at);
                let verdict = if plain {
                    automaton::verdict_from(automaton, line, end, &mut scratch)
                } else {
                    automaton::verdict(automaton, &encoding.path(&url_path.of(&line[end..])), &mut scratch)
                };
                allowed += u64::from(verdict == Verdict::Allowed);
            }
            allowed
        };
        let expected = pass();
        assert_eq!(expected, set.expected.lines_of(Partition::Allowed), "allowed of {}, {}", set.name, list.order);
        group.throughput(Throughput::Elements(known.len() as u64));
        group.bench_function(list.order, |bencher| bencher.iter(|| assert_eq!(pass(), expected)));
    }
}

/// The lines whose path decides, and the number of others allowed: those without a group for the crawler, and robots.txt.
fn known<'l>(policy: &Policy, groups: &Groups<'_>, list: &'l List) -> (Vec<Known<'l>>, u64) {
    let (url_path, encoding) = (policy.dialect().url_path(), policy.dialect().encoding());
    let (mut known, mut sure) = (Vec::new(), 0);
    for line in list.lines().map(origin::trimmed) {
        let Ok((origin, rest)) = origin::split(line) else { continue };
        let Some(record) = policy.lookup().get(origin.as_bytes()) else { continue };
        let automaton = groups.automaton_of(record.row);
        if automaton == 0 || *url_path.of(rest) == *b"/robots.txt" {
            sure += 1;
            continue;
        }
        let changed = |&byte: &u8| byte == b'#' || encoding.changed_bytes().contains(byte);
        let plain = rest.first() == Some(&b'/') && !rest.iter().any(changed) && !url_path.rewrites(rest);
        known.push((automaton, line, line.len() - rest.len(), plain));
    }
    (known, sure)
}

/// The batch interface when every robots.txt is empty, so that no path is walked.
fn look_up(criterion: &mut Criterion, set: &Set) {
    let empty = tempfile::tempdir().expect("a folder");
    for (host, _) in &set.bodies {
        std::fs::write(empty.path().join(host), "").expect("an empty file");
    }
    let policy = policy(empty.path(), Agents::everybody());
    let matcher = policy.matcher("*").expect("its only crawler");
    let known = set.expected.lines_of(Partition::Allowed) + set.expected.lines_of(Partition::Blocked);
    let mut group = criterion.benchmark_group(format!("split-and-look-up/{}", set.name));
    for list in &set.lists {
        let mut outcomes = Vec::new();
        let mut pass = || -> u64 {
            matcher.judge_lines(black_box(list.text()), &mut outcomes);
            outcomes.iter().filter(|outcome| outcome.partition() == Partition::Allowed).count() as u64
        };
        assert_eq!(pass(), known, "origins found of {}, {}", set.name, list.order);
        group.throughput(Throughput::Elements(list.lines().count() as u64));
        group.bench_function(list.order, |bencher| bencher.iter(|| assert_eq!(pass(), known)));
    }
}

/// The whole filter: mapped lists to counts, or to files in a memory file system where there is one.
fn whole_filter(criterion: &mut Criterion, set: &Set) {
    let policy = policy(&set.robots, data::agents());
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let out = tempfile::tempdir_in(parent).expect("a folder for the partitions");
    let mut group = criterion.benchmark_group(format!("filter/{}", set.name));
    for list in &set.lists {
        group.throughput(Throughput::Elements((list.lines().count() * REPEATED) as u64));
        for (form, directory) in [("count", None), ("written", Some(out.path().to_owned()))] {
            for threads in [1, 2] {
                let job = job(&policy, list, directory.clone(), threads);
                let name = format!("{}/{form}/{threads}", list.order);
                group.bench_function(name, |bencher| bencher.iter(|| filtered(&policy, &job, set)));
            }
        }
    }
}

fn job(policy: &Policy, list: &List, directory: Option<PathBuf>, threads: usize) -> Job {
    let crawlers = vec![policy.crawler(None).expect("one crawler")];
    let job = Job::new(vec![list.path.clone(); REPEATED], crawlers).choices(Choices::at(0)).threads(threads);
    // SAFETY: nothing writes into the list.
    let job = unsafe { job.map_lists() };
    match directory {
        Some(directory) => job.destination(Folder::new(directory).force(true)),
        None => job,
    }
}

/// Runs the filter and checks its counts against the plain reading.
fn filtered(policy: &Policy, job: &Job, set: &Set) {
    let receipt = job.run(policy, &Progress::new()).expect("a receipt");
    for (name, lines) in receipt.partitions() {
        let expected = set.expected.partitions[name] * REPEATED as u64;
        assert_eq!(lines, expected, "lines {name} of {}", set.name);
    }
    assert_eq!(receipt.is_balanced(), job.destination.as_ref().map(|_| true), "checksums of {}", set.name);
}

fn policy(robots: &Path, agents: Agents) -> Policy {
    let mut captures = Captures::new(agents, Dialect::DEFAULT);
    source::add(&[robots], &source::Options::default(), &mut captures).expect("a folder of robots.txt files");
    captures.policy().expect("few origins")
}
