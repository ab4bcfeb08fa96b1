//! The cost of a call, in one process: parsing all files, and one URL at a time, from the URL to its verdict.
//!
//! Nanoseconds per URL are measured in list order. `ns_one` is what a user of the crate pays: finding the host, its policy and the
//! path, and the crate's answer. `ns_per_url` is the last of these alone, for scripts/goals. Times are processor time.

use std::hint::black_box;

use crate::Result;
use crate::args::Args;
use crate::clock;
use crate::list;
use crate::report::Report;
use crate::table::{Bodies, Peer, Table, Target, Verdict, read_bodies};

/// The minimum length of a round over the list, so that short lists are measured well too.
const ROUND_SECONDS: f64 = 0.2;

/// Compiles all files of `--robots`, matches all URLs of `--urls`, and prints the times.
///
/// # Errors
///
/// On wrong arguments or unreadable input, or if two passes over the list differ.
pub fn measure<P: Peer>(args: &Args) -> Result<()> {
    let bodies = read_bodies(args.robots()?)?;
    let (table, compile) = compile::<P>(args, &bodies);
    let report = Report::new("inprocess")
        .text("peer", P::NAME)
        .number("files", bodies.len())
        .number("refused", table.refused.len())
        .number("compile_seconds", compile);
    let data = list::map(args.urls()?)?;
    let lines: Vec<&str> =
        list::lines(&data).map(|line| std::str::from_utf8(list::text(line))).collect::<std::result::Result<_, _>>()?;
    let (one, allowed) =
        in_rounds(lines.len(), args.rounds, || count(&lines, |line| table.judge(line.as_bytes()) == Verdict::Allowed))?;
    let known: Vec<_> = lines.iter().filter_map(|line| table.locate(line)).collect();
    let walk = |(at, target): &(usize, Target<'_>)| table.verdict(*at, target) == Verdict::Allowed;
    let (nanoseconds, _) = in_rounds(known.len(), args.rounds, || count(&known, walk))?;
    report
        .number("urls", lines.len())
        .number("allowed", allowed)
        .number("parse_seconds", compile)
        .number("ns_one", format!("{one:.1}"))
        .number("ns_per_url", format!("{nanoseconds:.1}"))
        .memory()
        .print();
    Ok(())
}

/// Compiles all files several times, after a first time if there are several; returns the median time.
fn compile<P: Peer>(args: &Args, bodies: &Bodies) -> (Table<P>, f64) {
    let mut table = Table::build(&args.agent, bodies);
    let mut times = vec![table.compile_seconds];
    for round in 1..args.rounds {
        table = Table::build(&args.agent, bodies);
        if round == 1 {
            times.clear();
        }
        times.push(table.compile_seconds);
    }
    (table, median(times))
}

/// Does something with all of a number of URLs in rounds; returns the rounds' median of nanoseconds per URL, and how many are allowed.
///
/// # Errors
///
/// If two passes differ.
pub fn in_rounds(urls: usize, rounds: usize, judge: impl Fn() -> usize) -> Result<(f64, usize)> {
    let expected = judge();
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = clock::seconds();
        let mut passes = 0.0;
        while clock::seconds() - start < ROUND_SECONDS {
            if judge() != expected {
                return Err("two passes over the same list differ".into());
            }
            passes += 1.0;
        }
        times.push((clock::seconds() - start) * 1e9 / passes / urls as f64);
    }
    Ok((median(times), expected))
}

fn count<T>(questions: &[T], allowed: impl Fn(&T) -> bool) -> usize {
    black_box(questions).iter().filter(|question| allowed(question)).count()
}

/// The median of some numbers.
///
/// # Panics
///
/// If there are none.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
