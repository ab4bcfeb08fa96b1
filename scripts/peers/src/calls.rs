//! The cost of a call, in one process: parsing all files, and one URL at a time, from the URL to its verdict.
//!
//! Nanoseconds per URL are measured in list order. `ns_one` is what a user of the crate pays: finding the host, its policy and the
//! path, and the crate's answer. `ns_per_url` is the last of these alone, for scripts/goals (`--mode walk`). These are processor
//! time. [`Latency`] is the time of single calls, on a clock that shows what else stops them.

use std::hint::black_box;
use std::time::Instant;

use crate::Result;
use crate::args::Args;
use crate::clock;
use crate::list;
use crate::report::Report;
use crate::table::{Bodies, Peer, Table, Target, Verdict, read_bodies};

/// The minimum length of a round over the list, so that short lists are measured well too.
const ROUND_SECONDS: f64 = 0.2;

/// After so many seconds no further round begins: a matcher that needs them for one round is measured well by it.
const ENOUGH_SECONDS: f64 = 3.0;

/// How often the clock is read to know what that takes.
const CLOCK_READS: usize = 10_000;

/// Compiles all files of `--robots`, matches all URLs of `--urls`, and prints the times.
///
/// # Errors
///
/// On wrong arguments or unreadable input, or if two passes over the list differ.
pub fn measure<P: Peer>(args: &Args) -> Result<()> {
    let bodies = read_bodies(args.robots()?)?;
    let (table, compile) = compile::<P>(args, &bodies)?;
    let report = Report::new("inprocess")
        .text("peer", P::NAME)
        .number("files", bodies.len())
        .number("refused", table.refused.len())
        .number("compile_seconds", compile);
    let data = list::map(args.urls()?)?;
    let lines: Vec<&[u8]> = list::lines(&data).collect();
    let judge = |line: &&[u8]| table.judge(line) == Verdict::Allowed;
    let (one, allowed) = in_rounds(lines.len(), args.rounds, || count(&lines, judge))?;
    let latency = Latency::of(&lines, judge);
    let mut report = report
        .number("urls", lines.len())
        .number("allowed", allowed)
        .number("parse_seconds", compile)
        .number("ns_one", format!("{one:.1}"));
    if args.mode.as_deref() == Some("walk") {
        report = report.number("ns_per_url", format!("{:.1}", walk_only(&table, &lines, args.rounds)?));
    }
    latency.add_to(report).memory().print();
    Ok(())
}

/// Nanoseconds a URL of the crate's answer alone, with hosts and paths found beforehand.
fn walk_only<P: Peer>(table: &Table<P>, lines: &[&[u8]], rounds: usize) -> Result<f64> {
    let texts: Vec<_> = lines.iter().map(|line| list::as_text(line)).collect();
    let known: Vec<_> = texts.iter().filter_map(|line| table.locate(line)).collect();
    let walk = |(at, target): &(usize, Target<'_>)| table.verdict(*at, target) == Verdict::Allowed;
    Ok(in_rounds(known.len(), rounds, || count(&known, walk))?.0)
}

/// Compiles all files in rounds; returns the last table, and the median of the seconds.
fn compile<P: Peer>(args: &Args, bodies: &Bodies) -> Result<(Table<P>, f64)> {
    let mut table = Table::build(&args.agent, bodies);
    let first = table.compile_seconds;
    let seconds = median_after(first, args.rounds, || {
        table = Table::build(&args.agent, bodies);
        Ok(table.compile_seconds)
    })?;
    Ok((table, seconds))
}

/// The median of the seconds of some rounds after a first one. If that alone took long, it is all there is.
///
/// # Errors
///
/// Those of a round.
pub fn median_after(first: f64, rounds: usize, mut round: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut times = Vec::new();
    let mut sum = first;
    while times.len() < rounds && sum < ENOUGH_SECONDS {
        let seconds = round()?;
        sum += seconds;
        times.push(seconds);
    }
    Ok(if times.is_empty() { first } else { median(times) })
}

/// Does something with all of a number of URLs in rounds; returns the rounds' median of nanoseconds per URL, and how many are allowed.
///
/// # Errors
///
/// If two passes differ.
pub fn in_rounds(urls: usize, rounds: usize, judge: impl Fn() -> usize) -> Result<(f64, usize)> {
    let began = clock::seconds();
    let expected = judge();
    let mut times = Vec::new();
    for round in 0..rounds {
        let start = clock::seconds();
        if round > 0 && start - began > ENOUGH_SECONDS {
            break;
        }
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

/// How long single calls take, in nanoseconds, on a monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latency {
    /// The percentiles 50, 99 and 99.9 of all calls.
    percentiles: [u64; 3],
    /// The median of reading the clock twice with nothing between, which is part of the time of each call.
    clock: u64,
}

impl Latency {
    /// Times each call alone, in one pass in list order, after passes that have warmed up everything.
    ///
    /// # Panics
    ///
    /// Without questions.
    pub fn of<T>(questions: &[T], judge: impl Fn(&T) -> bool) -> Self {
        let timed = |question: &T| {
            let start = Instant::now();
            black_box(judge(black_box(question)));
            u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
        };
        let read = |_| u64::try_from(black_box(Instant::now()).elapsed().as_nanos()).unwrap_or(u64::MAX);
        Self::of_times(questions.iter().map(timed).collect(), (0..CLOCK_READS).map(read).collect())
    }

    /// From the times of all calls, and of reading the clock.
    fn of_times(mut calls: Vec<u64>, mut reads: Vec<u64>) -> Self {
        calls.sort_unstable();
        reads.sort_unstable();
        Self { percentiles: [500, 990, 999].map(|share| ranked(&calls, share)), clock: ranked(&reads, 500) }
    }

    /// Adds the figures to a report.
    pub fn add_to(self, report: Report) -> Report {
        let [p50, p99, p999] = self.percentiles;
        report.number("ns_p50", p50).number("ns_p99", p99).number("ns_p999", p999).number("ns_clock", self.clock)
    }
}

/// The smallest of some sorted numbers that at least this share of them, in thousandths, does not exceed.
fn ranked(sorted: &[u64], share: usize) -> u64 {
    sorted[(sorted.len() * share).div_ceil(1000) - 1]
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

#[cfg(test)]
mod tests {
    use super::{Latency, in_rounds, median_after, ranked};

    #[test]
    fn ranks() {
        let numbers: Vec<u64> = (1..=1000).collect();
        assert_eq!([500, 990, 999].map(|share| ranked(&numbers, share)), [500, 990, 999]);
        assert_eq!([500, 990, 999].map(|share| ranked(&[7, 8, 9], share)), [8, 9, 9]);
        assert_eq!(ranked(&[7], 500), 7);
    }

    /// One call in a hundred is slow: the median and the next are not, and 99.9 % of the calls are.
    #[test]
    fn slow_calls_are_seen() {
        let calls = (0..1000).map(|number| if number % 100 == 0 { 2_000_000 } else { number }).collect();
        let found = Latency::of_times(calls, vec![30, 20, 1_000]);
        assert_eq!(found, Latency { percentiles: [505, 999, 2_000_000], clock: 30 });
    }

    #[test]
    fn each_question_is_asked_once() {
        let asked = std::cell::Cell::new(0);
        let found = Latency::of(&[1, 2, 3], |number| asked.replace(asked.get() + number) > 0);
        assert_eq!(asked.get(), 6, "{found:?}");
    }

    #[test]
    fn the_first_round_counts_only_alone() {
        let mut times = [3.0, 1.0, 2.0].into_iter();
        assert_eq!(median_after(0.5, 3, || Ok(times.next().unwrap())).unwrap(), 3.0);
        let mut times = [0.3, 0.1, 0.2].into_iter();
        assert_eq!(median_after(0.5, 3, || Ok(times.next().unwrap())).unwrap(), 0.2);
        assert_eq!(median_after(9.0, 3, || unreachable!()).unwrap(), 9.0);
    }

    #[test]
    fn passes_must_agree() {
        let calls = std::cell::Cell::new(0);
        let more = || {
            calls.set(calls.get() + 1);
            calls.get()
        };
        assert!(in_rounds(1, 2, more).is_err());
    }
}
