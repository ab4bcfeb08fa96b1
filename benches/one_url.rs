//! The cost of one URL at a time: by the rules of its robots.txt, given its path or the whole URL, and by a policy, alone and as one of
//! many. The four judge in turn, the same plain URLs, and must agree with each other and with the rules tried one by one.
//!
//! `hot` judges some URLs of a few hosts again and again, so that nothing waits for memory; `shuffled` judges all in random order.

use robosieve::policy::Policy;
use robosieve::{Agents, Dialect, Matcher, Outcome, Partition, RuleSet, Verdict, origin};
use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;

use crate::{Bodies, ROUNDS, clock, median, shuffle};

/// URLs that are judged together.
const TOGETHER: usize = 256;
/// How often in a row, if they are hot.
const REPEATED: usize = 16;

/// A URL, where its path begins, and the rules of its host.
#[derive(Clone, Copy)]
struct Asked<'u> {
    url: &'u [u8],
    path: usize,
    rules: &'u RuleSet,
}

/// The ways to judge a URL.
const WAYS: [&str; 4] = ["verdict", "verdict_url", "judge", "judge_all"];

/// Nanoseconds per URL and way.
pub fn measured(
    bodies: &Bodies,
    agents: &Agents,
    policy: &Policy,
    lines: &[&[u8]],
) -> Result<serde_json::Value, Box<dyn Error>> {
    let mut compiled = Vec::new();
    let compile_seconds = median((0..ROUNDS).map(|_| compile(bodies, agents, &mut compiled)).collect());
    let rules: HashMap<&str, RuleSet> = bodies.iter().map(|(host, _)| host.as_str()).zip(compiled).collect();
    let mut asked: Vec<Asked<'_>> = lines.iter().filter_map(|&url| asked(url, &rules)).collect();
    let matcher = policy.matcher(&agents.to_string())?;
    let blocked = check(&matcher, &asked);
    asked.sort_by_key(|asked| asked.url);
    let hot = in_turn(&matcher, &asked, REPEATED, blocked);
    shuffle(&mut asked);
    let shuffled = in_turn(&matcher, &asked, 1, blocked);
    Ok(serde_json::json!({
        "compile_seconds": compile_seconds,
        "urls": asked.len(),
        "blocked": blocked,
        "ns_hot": hot,
        "ns_shuffled": shuffled,
    }))
}

/// Seconds to compile all files to rules that can be asked and explained, to judge a first path by each, and to free those of the round
/// before.
fn compile(bodies: &Bodies, agents: &Agents, compiled: &mut Vec<RuleSet>) -> f64 {
    let start = clock::seconds();
    compiled.clear();
    compiled.extend(bodies.iter().map(|(_, body)| RuleSet::compile(body, agents, Dialect::DEFAULT)));
    for rules in &*compiled {
        black_box(rules.verdict("/shop/a.html?id=1"));
    }
    clock::seconds() - start
}

/// The question that a line asks, if it is a plain URL of a known host.
fn asked<'u>(url: &'u [u8], rules: &'u HashMap<&str, RuleSet>) -> Option<Asked<'u>> {
    let (origin, rest) = origin::split(url).ok()?;
    let rules = rules.get(origin.split_once("://")?.1)?;
    let is_odd = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"-._~/?&=+:;,@".contains(byte);
    let is_plain = url.starts_with(origin.as_bytes()) && rest.starts_with(b"/") && !rest.iter().any(is_odd);
    is_plain.then_some(Asked { url, path: url.len() - rest.len(), rules })
}

/// Asserts that all ways agree with the rules tried one by one; returns how many URLs are blocked.
fn check(matcher: &Matcher, asked: &[Asked<'_>]) -> usize {
    let urls: Vec<&[u8]> = asked.iter().map(|asked| asked.url).collect();
    let mut outcomes = Vec::new();
    matcher.judge_all(&urls, &mut outcomes);
    let mut blocked = 0;
    for (&Asked { url, path, rules }, outcome) in asked.iter().zip(outcomes) {
        let is_blocked = rules.explain(&url[path..]).verdict == Verdict::Blocked;
        let expected = if is_blocked { Verdict::Blocked } else { Verdict::Allowed };
        assert_eq!(
            (rules.verdict(&url[path..]), rules.verdict_url(url)),
            (expected, Ok(expected)),
            "{}",
            url.escape_ascii()
        );
        assert_eq!(outcome.partition(), if is_blocked { Partition::Blocked } else { Partition::Allowed });
        assert_eq!(matcher.judge(url), outcome, "{}", url.escape_ascii());
        blocked += usize::from(is_blocked);
    }
    blocked
}

/// The median over several rounds of the nanoseconds per URL, in each of which all ways take their turn.
fn in_turn(matcher: &Matcher, asked: &[Asked<'_>], repeated: usize, blocked: usize) -> serde_json::Value {
    let urls: Vec<&[u8]> = asked.iter().map(|asked| asked.url).collect();
    let mut outcomes = Vec::new();
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..ROUNDS {
        for (way, times) in times.iter_mut().enumerate() {
            let (mut found, start) = (0, clock::seconds());
            for (some, urls) in asked.chunks(TOGETHER).zip(urls.chunks(TOGETHER)) {
                for _ in 0..repeated {
                    found += match way {
                        0 => verdict(black_box(some)),
                        1 => verdict_url(black_box(some)),
                        2 => judge(matcher, black_box(some)),
                        _ => judge_all(matcher, black_box(urls), &mut outcomes),
                    };
                }
            }
            times.push((clock::seconds() - start) * 1e9 / (repeated * asked.len()) as f64);
            assert_eq!(found, repeated * blocked, "{}", WAYS[way]);
        }
    }
    WAYS.iter().zip(times).map(|(&way, times)| (way, median(times))).collect()
}

// Not inlined, so that `callgrind_annotate --inclusive=yes` names each.

#[inline(never)]
fn verdict(asked: &[Asked<'_>]) -> usize {
    asked.iter().filter(|asked| asked.rules.verdict(&asked.url[asked.path..]) == Verdict::Blocked).count()
}

#[inline(never)]
fn verdict_url(asked: &[Asked<'_>]) -> usize {
    asked.iter().filter(|asked| asked.rules.verdict_url(asked.url) == Ok(Verdict::Blocked)).count()
}

#[inline(never)]
fn judge(matcher: &Matcher, asked: &[Asked<'_>]) -> usize {
    asked.iter().filter(|asked| matcher.judge(asked.url).partition() == Partition::Blocked).count()
}

#[inline(never)]
fn judge_all(matcher: &Matcher, urls: &[&[u8]], outcomes: &mut Vec<Outcome>) -> usize {
    matcher.judge_all(urls, outcomes);
    outcomes.iter().filter(|outcome| outcome.partition() == Partition::Blocked).count()
}
