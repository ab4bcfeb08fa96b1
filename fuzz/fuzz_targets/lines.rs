//! The hot path against its oracle, the slow path: lines of a chunk, judged together and one by one.
//!
//! The first byte picks the dialect, the second the number of extra copies of the list's first line; then come a
//! robots.txt, a line `%%`, and the list. Lines of the list that begin with `/` get an origin, so that most are known.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::Agents;
use robosieve::Choices;
use robosieve::Dialect;
use robosieve::Outcome;
use robosieve::internals::judge::Scratch;
use robosieve::internals::{self, MatcherParts};
use robosieve::policy::{Answered, Capture, Captures, Crawlers, Policy};

const ORIGINS: [&str; 4] = [
    "http://a.example",
    "https://b.example:8443",
    "http://a-host-that-fills-its-key-exactly.example",
    "http://a-host-that-is-longer-than-a-key-of-forty-bytes.example",
];

fuzz_target!(|input: &[u8]| {
    let [dialect, cut, text @ ..] = input else { return };
    let dialect = &Dialect::ALL[usize::from(*dialect) % Dialect::ALL.len()];
    let at = text.windows(4).position(|bytes| bytes == b"\n%%\n").unwrap_or(text.len());
    let (robots, list) = (&text[..at], text.get(at + 4..).unwrap_or_default());
    let policy = policy(dialect, robots);
    let crawler = policy.crawler(None).expect("the only crawler");
    let matcher = internals::matcher(&policy, crawler, Choices::at(0));
    let judge = matcher.view();
    let lines = with_origins(list, *cut);
    let (mut fast, mut slow) = (Scratch::default(), Scratch::default());
    let mut outcomes = Vec::new();
    judge.judge_lines(&lines, &mut outcomes, &mut fast);
    let mut each: Vec<&[u8]> = lines.split(|&byte| byte == b'\n').collect();
    if lines.is_empty() || lines.ends_with(b"\n") {
        each.pop();
    }
    let expected: Vec<Outcome> = each.iter().map(|line| judge.judge_line(line, &mut slow)).collect();
    assert_eq!(outcomes, expected, "lines");
    judge.judge_all(&each, &mut outcomes, &mut fast);
    assert_eq!(outcomes, expected, "URLs");
    let once = slow.counts;
    slow.counts.add(&once);
    assert_eq!(fast.counts, slow.counts);
});

/// A policy in which all origins but the last have this robots.txt.
fn policy(dialect: &'static Dialect, robots: &[u8]) -> Policy {
    let mut captures = Captures::new(Crawlers::new(vec![Agents::everybody()]).expect("one column"), dialect);
    let capture = |(number, origin): (usize, &&str)| match number {
        3 => Capture::found(origin, "").answered(Answered::default().status(Some(404))),
        _ => Capture::found(origin, robots),
    };
    captures.add(ORIGINS.iter().enumerate().map(capture).collect()).expect("captures in memory");
    captures.policy().expect("a policy in memory")
}

/// The list with an origin before each path, after many copies of its first line, so that batches and blocks end anywhere.
/// Boxed, so that the address sanitizer knows where it ends.
fn with_origins(list: &[u8], copies: u8) -> Box<[u8]> {
    let mut lines = Vec::new();
    let first = list.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let repeated = std::iter::repeat_n(first, usize::from(copies) + 1);
    for (number, line) in repeated.chain(list.split(|&byte| byte == b'\n').skip(1)).enumerate() {
        if number > 0 {
            lines.push(b'\n');
        }
        if line.starts_with(b"/") {
            lines.extend_from_slice(ORIGINS[number % ORIGINS.len()].as_bytes());
        }
        lines.extend_from_slice(line);
    }
    lines.into_boxed_slice()
}
