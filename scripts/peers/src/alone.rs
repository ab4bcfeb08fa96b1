//! The cost of a matcher alone, in one process: compiling all files, and matching with a known policy.
//!
//! Nanoseconds per URL are measured in list order, without reading lines, splitting them, or looking up the policy. Times are processor time.

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
    let known: Vec<_> = lines.iter().filter_map(|line| table.locate(line)).collect();
    let (nanoseconds, allowed) = match_all(&table, &known, args.rounds)?;
    report
        .number("urls", known.len())
        .number("allowed", allowed)
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

/// Judges all URLs in rounds; returns the rounds' median of nanoseconds per URL, and the number of allowed URLs.
fn match_all<P: Peer>(table: &Table<P>, known: &[(usize, Target<'_>)], rounds: usize) -> Result<(f64, usize)> {
    let expected = allowed(table, known);
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = clock::seconds();
        let mut passes = 0.0;
        while clock::seconds() - start < ROUND_SECONDS {
            if allowed(table, black_box(known)) != expected {
                return Err("two passes over the same list differ".into());
            }
            passes += 1.0;
        }
        times.push((clock::seconds() - start) * 1e9 / passes / known.len() as f64);
    }
    Ok((median(times), expected))
}

fn allowed<P: Peer>(table: &Table<P>, known: &[(usize, Target<'_>)]) -> usize {
    known.iter().filter(|(at, target)| table.verdict(*at, target) == Verdict::Allowed).count()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
