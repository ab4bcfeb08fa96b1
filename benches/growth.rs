//! How speed and memory grow with the number of origins: figures for `scripts/growth`.
//!
//! `--robots SOURCE --list FILE ... [--agent NAME] [--rounds N] [--threads N,N] [--out DIR]` compiles the policy once, then
//! filters each list with each number of threads, counting and (with `--out`) writing, for N rounds after one to warm up;
//! each round runs all combinations in turn. It prints one JSON object: the times of all runs from their receipts, their
//! processor time, the counts, which must be the same in all runs of a list, and the process's memory after compiling.

use robosieve::Choices;
use robosieve::Dialect;
use robosieve::internals::robots::{Agents, Robots};
use robosieve::internals::rules::Patterns;
use robosieve::policy::{Captures, Crawler, Policy, source};
use robosieve::run::{Destination, Folder, Job, Progress};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

mod clock;

/// The command-line options.
struct Options {
    robots: PathBuf,
    lists: Vec<PathBuf>,
    agents: Agents,
    rounds: usize,
    threads: Vec<usize>,
    out: Option<PathBuf>,
}

impl Options {
    fn read() -> Result<Options, Box<dyn Error>> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let all = |name: &str| -> Vec<&str> {
            arguments.chunks(2).filter(|pair| pair[0] == name && pair.len() == 2).map(|pair| pair[1].as_str()).collect()
        };
        let one = |name: &str, default: &'static str| all(name).first().map_or(default.to_owned(), |&v| v.to_owned());
        Ok(Options {
            robots: all("--robots").first().ok_or("--robots SOURCE is missing")?.into(),
            lists: all("--list").into_iter().map(PathBuf::from).collect(),
            agents: one("--agent", "examplebot").parse()?,
            rounds: one("--rounds", "5").parse()?,
            threads: one("--threads", "1,2").split(',').map(str::parse).collect::<Result<_, _>>()?,
            out: all("--out").first().map(PathBuf::from),
        })
    }

    /// All combinations of list, number of threads and form of output.
    fn jobs(&self, crawler: &Crawler) -> Vec<Job> {
        let forms: Vec<Option<Destination>> = [None, self.out.clone()]
            .into_iter()
            .take(1 + usize::from(self.out.is_some()))
            .map(|out| out.map(|directory| Folder::new(directory).force(true).into()))
            .collect();
        let mut jobs = Vec::new();
        for list in &self.lists {
            for &threads in &self.threads {
                for destination in forms.clone() {
                    let job = Job::new([list], vec![crawler.clone()]).choices(Choices::at(0)).threads(threads);
                    // SAFETY: nothing writes into the list.
                    let mut job = unsafe { job.map_lists() };
                    job.destination = destination;
                    jobs.push(job);
                }
            }
        }
        jobs
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    let start = Instant::now();
    // Five million origins do not fit into memory.
    let mut captures = Captures::spilling(&std::env::temp_dir(), options.agents.clone(), Dialect::DEFAULT);
    source::add(&[&options.robots], &source::Options::default(), &mut captures)?;
    let policy = captures.policy()?;
    let policy_seconds = start.elapsed().as_secs_f64();
    let memory = json!({ "rss_anon": memory("RssAnon"), "peak_rss": memory("VmHWM") });
    let runs = runs(&policy, &options)?;
    let report = json!({
        "policy": policy.statistics(),
        "policy_seconds": policy_seconds,
        "memory": memory,
        "text": text(&options.robots, &options.agents)?,
        "runs": runs,
    });
    println!("{report}");
    Ok(())
}

/// The times of all rounds of all jobs; each round runs the jobs in turn.
fn runs(policy: &Policy, options: &Options) -> Result<Vec<Value>, Box<dyn Error>> {
    let jobs = options.jobs(&policy.crawler(None)?);
    let mut seconds = vec![Vec::new(); jobs.len()];
    let mut cpu_seconds = vec![Vec::new(); jobs.len()];
    let mut counts = vec![Value::Null; jobs.len()];
    for round in 0..=options.rounds {
        for (at, job) in jobs.iter().enumerate() {
            let before = clock::process_seconds();
            let receipt = job.run(policy, &Progress::new())?;
            let taken = clock::process_seconds() - before;
            let found: Value =
                receipt.partitions().map(|(name, lines)| (name.to_owned(), Value::from(lines))).collect();
            let first = jobs.iter().position(|other| other.lists == job.lists).unwrap_or(at);
            if counts[first].is_null() {
                counts[first] = found.clone();
            }
            if counts[first] != found {
                return Err(format!("counts differ: {found} and {} before", counts[first]).into());
            }
            counts[at] = found;
            if round > 0 {
                seconds[at].push(receipt.seconds());
                cpu_seconds[at].push(taken);
            }
        }
    }
    let run = |(at, job): (usize, &Job)| {
        let form = if job.destination.is_some() { "written" } else { "count" };
        json!({
            "list": job.lists[0],
            "threads": job.threads,
            "form": form,
            "seconds": seconds[at],
            "cpu_seconds": cpu_seconds[at],
            "counts": counts[at],
        })
    };
    Ok(jobs.iter().enumerate().map(run).collect())
}

/// A line of the process's status, in bytes; `None` where the system has no such file.
fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Counts and bytes of all robots.txt files of a source in JSON Lines, and of the crawler's patterns in them; the bytes of
/// patterns also for distinct files alone.
fn text(source: &Path, agents: &Agents) -> Result<Value, Box<dyn Error>> {
    if source.is_dir() {
        return Ok(Value::Null);
    }
    let dialect = Dialect::DEFAULT;
    let mut seen = HashSet::new();
    let mut sums = [0_usize; 5];
    for line in BufReader::with_capacity(1 << 20, File::open(source)?).lines() {
        let entry: Value = serde_json::from_str(&line?)?;
        let Some(body) = entry["body"].as_str() else { continue };
        let robots = Robots::parse(body.as_bytes(), dialect);
        let patterns = Patterns::rank(robots.select(agents, dialect).rules(&robots), dialect);
        let distinct = seen.insert(xxhash_rust::xxh3::xxh3_128(body.as_bytes()));
        let counts = [1, body.len(), patterns.all().len(), patterns.text().len()];
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        sums[4] += if distinct { patterns.text().len() } else { 0 };
    }
    let [files, bytes, rules, patterns, distinct_patterns] = sums;
    Ok(json!({
        "files": files,
        "distinct_files": seen.len(),
        "bytes": bytes,
        "rules": rules,
        "pattern_bytes": patterns,
        "distinct_pattern_bytes": distinct_patterns,
    }))
}
