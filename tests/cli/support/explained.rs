//! A list, and sources in which each rule has a known place and time.

use super::program::Bench;

/// A robots.txt with groups for `examplebot` and `*`, captured at a known time; an unreachable one; one without a time.
const CAPTURES: &str = r#"{"url": "http://a.example/robots.txt", "status": 200, "fetched_at": "2026-01-02T03:04:05Z", "body": "User-agent: *\nDisallow: /all\n\nUser-agent: examplebot\nDisallow: /no\nDisallow: /\tx\\\n"}
{"url": "http://down.example/robots.txt", "status": 503, "fetched_at": "2026-01-02T00:00:00Z"}
{"url": "http://odd.example/robots.txt", "status": 200, "body": "User-agent: *\nDisallow: /*.gif$\n"}
"#;

const URLS: &str = "http://a.example/no/1\nhttp://a.example/yes\nhttp://a.example/%09x%5C?\tq\nhttp://down.example/\n\
                    http://odd.example/x.gif\nhttp://a.example/all\nnone\nhttp://a.example/no";

pub const SOURCES: &str = "--robots captures.jsonl --on-unreachable block";

pub fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("captures.jsonl", CAPTURES);
    bench.file("urls", URLS);
    bench
}
