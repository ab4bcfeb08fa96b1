//! The public cases in `datasets/cases`, through the whole program: every line must come out in the partition that its case states.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::support::program::Bench;

/// The robots.txt of a case.
fn robots(case: &Value) -> Vec<u8> {
    if let Some(base64) = case["robots_b64"].as_str() {
        return BASE64_STANDARD.decode(base64).expect("base64");
    }
    let Some(parts) = case["robots_parts"].as_array() else { return case["robots"].as_str().expect("text").into() };
    let part = |part: &Value| {
        let times = part[1].as_u64().and_then(|times| usize::try_from(times).ok()).expect("a number");
        part[0].as_str().expect("text").repeat(times).into_bytes()
    };
    parts.iter().flat_map(part).collect()
}

/// The host of a URL, as files are named: cut by hand, since the program's own way is what is tested.
fn host(url: &str) -> String {
    let (_, rest) = url.split_once("://").expect("a scheme");
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default().to_ascii_lowercase()
}

#[test]
fn every_line_of_the_public_cases_is_in_its_partition() {
    let bench = Bench::new();
    let mut by_agent: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
    for entry in fs::read_dir(bench.path("DATASETS/cases")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        for line in fs::read_to_string(path).expect("a file").lines() {
            let case: Value = serde_json::from_str(line).expect("JSON");
            let (agent, url) = (case["agent"].as_str().expect("text"), case["url"].as_str().expect("text"));
            bench.file(&format!("sites/{}", host(url)), robots(&case));
            by_agent.entry(agent.to_owned()).or_default().push((url.to_owned(), case["expect"] == "allowed"));
        }
    }
    assert_eq!(by_agent.len(), 3);
    for (agent, cases) in by_agent {
        bench.file("list", cases.iter().map(|(url, _)| format!("{url}\n")).collect::<String>());
        let words = format!("filter --agent {agent} --robots sites --out out --force list");
        bench.program(&words).assert().success();
        let lines = |name: &str| String::from_utf8(bench.read(&format!("out/{name}.txt"))).expect("UTF-8");
        let (allowed, blocked) = (lines("allowed"), lines("blocked"));
        let allowed: HashSet<&str> = allowed.lines().collect();
        let blocked: HashSet<&str> = blocked.lines().collect();
        assert_eq!(allowed.len() + blocked.len(), cases.len(), "{agent}: every line has a verdict");
        for (url, expected) in &cases {
            assert_eq!(
                (allowed.contains(&url[..]), blocked.contains(&url[..])),
                (*expected, !expected),
                "{agent}: {url}"
            );
        }
    }
}
