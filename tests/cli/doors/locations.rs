//! Where a redirect leads, by what its server wrote as the location.

use robosieve::Agents;
use robosieve::internals;
use robosieve::policy::source::{self, Answer, Options, add_answers};
use robosieve::policy::{Answered, Capture, Captures, Policy};
use robosieve::{Choices, Dialect};
use serde::Deserialize;
use std::sync::LazyLock;

#[cfg(feature = "warc")]
use crate::support::archives;
use crate::support::program::Bench;

const NOWHERE: &str = "deferred redirect-unresolved";
const LOOP: &str = "allowed unavailable";
const RULES: &str = "blocked rules";

/// Locations with one meaning: the outcome of a line of an origin that redirects there. Of other URLs, only
/// `http://b.example/robots.txt` has an answer. The doors of Python are held to the same table.
#[derive(Deserialize)]
struct Group {
    outcome: String,
    locations: Vec<String>,
    #[serde(default = "yes")]
    in_headers: bool,
}

fn yes() -> bool {
    true
}

static TABLE: LazyLock<Vec<Group>> =
    LazyLock::new(|| serde_json::from_str(include_str!("locations.json")).expect("a table of locations"));

/// Each location with its outcome.
fn cases(groups: impl Fn(&Group) -> bool) -> Vec<(&'static str, &'static str)> {
    let groups = TABLE.iter().filter(|group| groups(group));
    groups.flat_map(|group| group.locations.iter().map(|location| (&**location, &*group.outcome))).collect()
}

fn host(number: usize) -> String {
    format!("http://case{number}.example")
}

const ROBOTS_B: &str = "User-agent: *\nDisallow: /no\n";

fn judged(door: &str, policy: &Policy, cases: &[(&str, &str)]) {
    let crawler = policy.crawler(None).expect("one crawler");
    let matcher = internals::matcher(policy, crawler, Choices::at(0));
    for (number, (location, expected)) in cases.iter().enumerate() {
        let outcome = matcher.judge(format!("{}/no", host(number)));
        let found = format!("{} {}", outcome.partition().name(), outcome.reason().name());
        assert_eq!(found, *expected, "{location:?} in {door}");
    }
}

fn empty() -> Captures {
    Captures::new(Agents::everybody(), Dialect::DEFAULT)
}

/// The policy of a source of these bytes.
fn compiled(bench: &Bench, source: impl AsRef<[u8]>) -> Policy {
    bench.file("source", source);
    let mut captures = empty();
    source::add(&[bench.path("source")], &Options::default(), &mut captures).expect("a source");
    captures.policy().expect("a policy")
}

fn all() -> Vec<(&'static str, &'static str)> {
    cases(|_| true)
}

#[test]
fn a_location_leads_to_the_same_from_every_door() {
    let (bench, cases) = (Bench::new(), all());
    let redirect = |(number, (location, _)): (usize, &(&str, &str))| {
        let location = serde_json::json!(location);
        format!("{{\"origin\":\"{}\",\"status\":301,\"location\":{location}}}\n", host(number))
    };
    let lines: String = cases.iter().enumerate().map(redirect).collect();
    let rules = serde_json::json!(ROBOTS_B);
    let json = format!("{lines}{{\"origin\":\"http://b.example\",\"status\":200,\"body\":{rules}}}\n");
    judged("JSON Lines", &compiled(&bench, json), &cases);

    let answers = cases.iter().enumerate().map(|(number, (location, _))| {
        Answer::new(host(number) + "/robots.txt", Some(301)).location(Some((*location).to_owned()))
    });
    let found = Answer::new("http://b.example/robots.txt", Some(200)).body(Some(ROBOTS_B.as_bytes().into()));
    let mut captures = empty();
    add_answers(answers.chain([found]), &Options::default(), &mut captures).expect("answers");
    judged("memory", &captures.policy().expect("a policy"), &cases);

    let mut captures = empty();
    let captured = |url: &str, origin: &str, status| {
        let capture = Capture::default().url(url.to_owned()).origin(Some(origin.to_owned())).exact(true);
        capture.answered(Answered::default().status(Some(status)))
    };
    let redirects = cases.iter().enumerate().map(|(number, (location, _))| {
        let origin = host(number);
        captured(&(origin.clone() + "/robots.txt"), &origin, 301).location(Some((*location).to_owned()))
    });
    let found = captured("http://b.example/robots.txt", "http://b.example", 200).body(Some(ROBOTS_B.as_bytes().into()));
    captures.add(redirects.chain([found]).collect()).expect("captures");
    judged("captures", &captures.policy().expect("a policy"), &cases);
}

#[cfg(feature = "warc")]
#[test]
fn so_does_a_header_of_an_archive() {
    let bench = Bench::new();
    let moved = |number: usize, fields: &str| {
        archives::answer(&format!("{}/robots.txt", host(number)), 1, &format!("301 Moved{fields}"), "")
    };
    let cases = cases(|group| group.in_headers);
    let headers =
        cases.iter().enumerate().flat_map(|(number, (location, _))| moved(number, &format!("\r\nLocation:{location}")));
    let archive: Vec<u8> = headers.chain(archives::rules("b")).collect();
    judged("WARC", &compiled(&bench, archive), &cases);

    // Clients would not agree on one of several that differ.
    let there = "\r\nLocation: http://b.example/robots.txt";
    let several = [
        (there.repeat(2), RULES),
        (format!("\r\nLocation:{there}"), NOWHERE),
        (format!("{there}\r\nLocation:"), NOWHERE),
        (format!("{there}\r\nlocation: /robots.txt"), NOWHERE),
        (format!("\r\nLocation: /robots.txt{there}"), NOWHERE),
        ("\r\nLocation: /robots.txt".repeat(2), LOOP),
        (String::new(), NOWHERE),
    ];
    let headers = several.iter().enumerate().flat_map(|(number, (fields, _))| moved(number, fields));
    let archive: Vec<u8> = headers.chain(archives::rules("b")).collect();
    let cases: Vec<(&str, &str)> = several.iter().map(|(fields, expected)| (fields.as_str(), *expected)).collect();
    judged("WARC", &compiled(&bench, archive), &cases);
}

#[cfg(feature = "parquet")]
#[test]
fn so_does_a_column_of_a_table() {
    use crate::support::tables::{Values, parquet};
    let (bench, cases) = (Bench::new(), all());
    let mut urls: Vec<Option<Vec<u8>>> =
        (0..cases.len()).map(|number| Some(format!("{}/robots.txt", host(number)).into_bytes())).collect();
    urls.push(Some(b"http://b.example/robots.txt".to_vec()));
    let rows = cases.len();
    let last = |most: Option<i32>| (0..rows).map(|_| Some(301)).chain([most]).collect();
    let mut locations: Vec<Option<Vec<u8>>> =
        cases.iter().map(|(location, _)| Some(location.as_bytes().to_vec())).collect();
    locations.push(None);
    let mut bodies = vec![None; rows];
    bodies.push(Some(ROBOTS_B.as_bytes().to_vec()));
    let columns = [
        ("required binary url (STRING)", Values::Bytes(urls)),
        ("optional int32 status", Values::Int32(last(Some(200)))),
        ("optional binary location (STRING)", Values::Bytes(locations)),
        ("optional binary body", Values::Bytes(bodies)),
        ("optional int64 fetched_at", Values::Int64(vec![None; rows + 1])),
    ];
    let table = parquet(&columns, 1, parquet::basic::Compression::SNAPPY);
    judged("Parquet", &compiled(&bench, table), &cases);
}
