//! Looks up origins in policies of different sizes, in random order.
//!
//! `N ...` makes a policy of N origins for each number, all without a robots.txt (every answer was 404), and prints
//! a JSON object: nanoseconds per look-up, one at a time through the index (`alone`) and as the pipeline does it, on whole
//! URLs in batches whose cache misses overlap (`in_batches`, including splitting and judging), and the bytes of the policy.
//! Times are medians. The URLs lie in memory in the order they are looked up, so only accesses to the policy are random.

use robosieve::Agents;
use robosieve::Choices;
use robosieve::Dialect;
use robosieve::Partition;
use robosieve::internals::{self, PolicyParts};
use robosieve::policy::{Answered, Capture, Captures, Policy};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// URLs looked up per round.
const ASKED: u64 = 2_000_000;
const ROUNDS: usize = 7;
/// The approximate size of a chunk in the pipeline, in bytes.
const CHUNK: usize = 1 << 19;
/// Captures added at a time.
const ADDED: u64 = 1 << 16;

fn main() -> Result<(), Box<dyn Error>> {
    for count in std::env::args().skip(1).filter_map(|word| word.parse().ok()) {
        let policy = policy(count)?;
        let (text, ends) = urls(count);
        let mut start = 0;
        let urls: Vec<&[u8]> = ends.iter().map(|&end| &text[std::mem::replace(&mut start, end)..end]).collect();
        let report = serde_json::json!({
            "origins": count,
            "policy_bytes": policy.bytes().len(),
            "ns_alone": median(|| alone(&policy, &urls)),
            "ns_in_batches": in_batches(&policy, &urls)?,
        });
        println!("{report}");
    }
    Ok(())
}

/// The origin for a number; consecutive numbers are far apart in the policy, which is sorted.
fn name(number: u64) -> String {
    format!("https://{:08x}.host.example", (number as u32).wrapping_mul(2_654_435_761))
}

fn policy(count: u64) -> Result<Policy, Box<dyn Error>> {
    let mut captures = Captures::spilling(&std::env::temp_dir(), Agents::everybody(), Dialect::DEFAULT);
    let missing = Answered::default().status(Some(404));
    let capture = |number| Capture::found(&name(number), "").answered(missing).body(None);
    for first in (0..count).step_by(ADDED as usize) {
        captures.add((first..count.min(first + ADDED)).map(capture).collect())?;
    }
    Ok(captures.policy()?)
}

/// URLs of random origins in one text, and the end of each.
fn urls(count: u64) -> (Vec<u8>, Vec<usize>) {
    let (mut text, mut ends) = (Vec::new(), Vec::new());
    let mut random = 1_u64;
    for _ in 0..ASKED {
        // Knuth's generator; its upper bits are the good ones.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.extend_from_slice(name(((random >> 32) * count) >> 32).as_bytes());
        text.extend_from_slice(b"/path");
        ends.push(text.len());
    }
    (text, ends)
}

/// Seconds for one look-up after another.
fn alone(policy: &Policy, urls: &[&[u8]]) -> f64 {
    let index = policy.lookup();
    let start = Instant::now();
    let found = urls
        .iter()
        .filter(|url| internals::origin::cut(url).is_some_and(|end| index.get(&url[..end]).is_some()))
        .count();
    assert_eq!(black_box(found), urls.len(), "every origin is known");
    start.elapsed().as_secs_f64()
}

fn in_batches(policy: &Policy, urls: &[&[u8]]) -> Result<f64, Box<dyn Error>> {
    let crawler = policy.crawler(None)?;
    let matcher = internals::matcher(policy, crawler, Choices::at(0));
    let text = urls.join(&b'\n');
    let mut outcomes = Vec::new();
    Ok(median(|| {
        let (start, mut allowed) = (Instant::now(), 0);
        for part in parts(&text) {
            matcher.judge_lines(part, &mut outcomes);
            allowed += outcomes.iter().filter(|outcome| outcome.partition() == Partition::Allowed).count();
        }
        assert_eq!(allowed, urls.len(), "without a robots.txt all is allowed");
        start.elapsed().as_secs_f64()
    }))
}

/// Splits a text of lines into parts that are judged at once.
fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.len().min(CHUNK);
        let end = rest[end..].iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| end + at + 1);
        let part;
        (part, rest) = rest.split_at(end);
        (!part.is_empty()).then_some(part)
    })
}

/// Nanoseconds per URL: the median of several rounds, after one to warm up.
fn median(mut round: impl FnMut() -> f64) -> f64 {
    round();
    let mut seconds: Vec<f64> = (0..ROUNDS).map(|_| round()).collect();
    seconds.sort_by(f64::total_cmp);
    (seconds[ROUNDS / 2] * 1e10 / ASKED as f64).round() / 10.0
}
