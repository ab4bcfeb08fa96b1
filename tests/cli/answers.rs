//! What an answer means: the same from every kind of source that can say it, alone and after an older good answer, in any order
//! of the sources and merged from two policies, in all dialects. `docs/inputs.md` has the table for people.

use robosieve::Agents;
use robosieve::internals::{self, PolicyParts};
use robosieve::policy::{Captures, Policy, WriteLock, merge, source};
use robosieve::{Choices, Dialect, Fallback};

use crate::support::program::{Bench, ROBOTS};
use crate::support::{archives, compression};

/// A kind of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    JsonLines,
    Warc,
    #[cfg(feature = "parquet")]
    Parquet,
    Folder,
}

/// The kinds whose answers have times.
const WITH_TIMES: &[Source] = &[
    Source::JsonLines,
    #[cfg(feature = "warc")]
    Source::Warc,
    #[cfg(feature = "parquet")]
    Source::Parquet,
];

/// What an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedRules {
    /// Its rules apply.
    Rules,
    /// It is a robots.txt without groups.
    Empty,
    /// There is no robots.txt.
    Unavailable,
    /// Status 401 and 403.
    Refused,
    /// Status 429.
    TooMany,
    /// Status 408 and 425.
    TryAgain,
    Unreachable,
    Incomplete,
    Unresolved,
    NotModified,
    /// The source is refused, with these words.
    Error(&'static [&'static str]),
}

/// An answer, as the kinds of source have it that can say it.
struct Case {
    name: &'static str,
    means: ExpectedRules,
    /// The fields of JSON Lines besides origin and time.
    json: Option<String>,
    /// The block of a WARC record and further fields of the record, by the record's kind.
    warc: Option<(&'static str, &'static str, Vec<u8>)>,
    /// Status and body of a row.
    parquet: Option<(Option<i32>, Option<Vec<u8>>)>,
    /// A file of a folder, which has no time.
    folder: Option<Vec<u8>>,
}

impl Case {
    fn new(name: &'static str, means: ExpectedRules) -> Case {
        Case { name, means, json: None, warc: None, parquet: None, folder: None }
    }

    /// An answer that every source with times can say.
    fn status(name: &'static str, status: u16, body: &'static str, means: ExpectedRules) -> Case {
        Case::new(name, means)
            .json(&format!("\"status\":{status},\"body\":{}", serde_json::json!(body)))
            .warc("response", "", archives::http(&format!("{status:03} Text"), body))
            .parquet(Some(i32::from(status)), Some(body.as_bytes()))
    }

    fn json(mut self, fields: &str) -> Case {
        self.json = Some(fields.to_owned());
        self
    }

    fn warc(mut self, kind: &'static str, fields: &'static str, block: Vec<u8>) -> Case {
        self.warc = Some((kind, fields, block));
        self
    }

    fn parquet(mut self, status: Option<i32>, body: Option<&[u8]>) -> Case {
        self.parquet = Some((status, body.map(<[u8]>::to_vec)));
        self
    }

    fn folder(mut self, file: impl AsRef<[u8]>) -> Case {
        self.folder = Some(file.as_ref().to_vec());
        self
    }

    fn can_be_in(&self, source: Source) -> bool {
        match source {
            Source::JsonLines => self.json.is_some(),
            Source::Warc => self.warc.is_some(),
            #[cfg(feature = "parquet")]
            Source::Parquet => self.parquet.is_some(),
            Source::Folder => self.folder.is_some(),
        }
    }
}

/// The table. Errors are those of JSON Lines and Parquet, whose writers can mend them.
fn cases() -> Vec<Case> {
    use ExpectedRules::{
        Empty, Error, Incomplete, NotModified, Refused, Rules, TooMany, TryAgain, Unavailable, Unreachable, Unresolved,
    };
    let mut cases = vec![
        Case::status("a robots.txt", 200, ROBOTS, Rules).folder(ROBOTS),
        Case::status("an empty file", 200, "", Empty).folder(""),
        Case::status("an HTML page", 200, "<!DOCTYPE html>\n<html><body>Hello</body></html>\n", Empty).folder("<html>"),
        Case::status("created", 201, ROBOTS, Rules),
        Case::status("no content", 204, "", Empty),
        Case::status("a part", 206, ROBOTS, Incomplete),
        Case::status("not modified", 304, "", NotModified),
        Case::status("a redirect to nowhere", 301, "", Unresolved),
        Case::status("choices", 300, ROBOTS, Unresolved),
        Case::status("refused", 403, ROBOTS, Refused),
        Case::status("not logged in", 401, "", Refused),
        Case::status("not found", 404, ROBOTS, Unavailable),
        Case::status("gone", 410, "", Unavailable),
        Case::status("too many requests", 429, ROBOTS, TooMany),
        Case::status("asked too slowly", 408, ROBOTS, TryAgain),
        Case::status("asked too early", 425, "", TryAgain),
        Case::status("a server error", 500, ROBOTS, Unreachable),
        Case::status("unavailable", 503, "", Unreachable),
        Case::status("a status of no class", 999, ROBOTS, Unreachable),
        Case::status("early hints", 103, ROBOTS, Unreachable),
        Case::new("status 0", Unreachable).json("\"status\":0").parquet(Some(0), Some(ROBOTS.as_bytes())),
        Case::new("status 99", Unreachable).json("\"status\":99,\"body\":\"\"").parquet(Some(99), None),
        Case::new("nobody answered", Unreachable).json("\"status\":null").parquet(None, None),
        Case::new("nobody answered in full", Unreachable)
            .json(&format!("\"status\":null,\"body\":{}", serde_json::json!(ROBOTS)))
            .parquet(None, Some(ROBOTS.as_bytes())),
        Case::new("a server error without a body", Unreachable).json("\"status\":503").parquet(Some(503), None),
        Case::new("not found without a body", Unavailable).json("\"status\":404").parquet(Some(404), None),
        Case::new("not modified without a body", NotModified).json("\"status\":304").parquet(Some(304), None),
        Case::new("a body in Base64", Empty).json("\"status\":200,\"body_base64\":\"\""),
        Case::new("null beside a body in Base64", Empty).json("\"status\":200,\"body\":null,\"body_base64\":\"\""),
        // What no writer of answers meant.
        Case::new("no body", Error(&["status 200", "\"body\"", "status, content"]))
            .json("\"status\":200,\"content\":\"User-agent: *\\nDisallow: /no\""),
        Case::new("a body of null", Error(&["status 200", "status, body"])).json("\"status\":200,\"body\":null"),
        Case::new("a body of null in Base64", Error(&["status 200"])).json("\"status\":200,\"body_base64\":null"),
        Case::new("no content and no body", Error(&["status 204"])).json("\"status\":204"),
        Case::new("a null body", Error(&["row 1", "200", "null"])).parquet(Some(200), None),
        Case::new("a null body of a part", Error(&["row 1", "206", "null"])).parquet(Some(206), None),
        Case::new("no status", Error(&["no \"status\"", "status_code"])).json("\"status_code\":503"),
        Case::new("no status but a body", Error(&["no \"status\"", "body"])).json("\"body\":\"\""),
        Case::new("a status as text", Error(&["\"200\" is no HTTP status"])).json("\"status\":\"200\",\"body\":\"\""),
        Case::new("a status with a point", Error(&["404.0 is no HTTP status"])).json("\"status\":404.0"),
        Case::new("a status of four digits", Error(&["1000 is no HTTP status"]))
            .json("\"status\":1000,\"body\":\"\"")
            .parquet(Some(1000), Some(b"")),
        Case::new("a negative status", Error(&["-1 is no HTTP status"]))
            .json("\"status\":-1,\"body\":\"\"")
            .parquet(Some(-1), Some(b"")),
        Case::new("milliseconds", Error(&["expires", "year 5000", "milliseconds"]))
            .json("\"status\":404,\"expires\":1768003200000"),
        Case::new("unreachable since milliseconds", Error(&["unreachable_since", "year 5000"]))
            .json("\"status\":503,\"unreachable_since\":1768003200000"),
        Case::new("a year far away", Error(&["expires is 9998-12-31", "year 5000"]))
            .json("\"status\":404,\"expires\":\"9998-12-31T23:59:59Z\""),
    ];
    cases.extend(damaged());
    cases
}

/// Answers that may have lost something on their way, which only archives can say.
fn damaged() -> Vec<Case> {
    use ExpectedRules::{Incomplete, Rules, Unreachable};
    let response =
        |name, means, head: &str, body: &[u8]| Case::new(name, means).warc("response", "", archives::http(head, body));
    let (whole, zipped) = (ROBOTS.len(), compression::gzip(ROBOTS.as_bytes()));
    let range = format!("206 Partial Content\r\nContent-Range: bytes 0-{}/{whole}", whole - 1);
    let mut wrong = zipped.clone();
    wrong[zipped.len() - 6] ^= 1;
    let second = [&zipped[..], &zipped[..12]].concat();
    let packed = compression::zstd(ROBOTS.as_bytes(), b"");
    vec![
        response("fewer bytes than the head says", Incomplete, "200 OK\r\nContent-Length: 100", ROBOTS.as_bytes()),
        response("chunks without the last", Incomplete, "200 OK\r\nTransfer-Encoding: chunked", b"1\r\n#\r\n"),
        response("a coding", Rules, "200 OK\r\nContent-Encoding: gzip", &zipped),
        response("a coding cut short", Incomplete, "200 OK\r\nContent-Encoding: gzip", &zipped[..zipped.len() - 9]),
        response("all of it as a part", Rules, &range, ROBOTS.as_bytes()),
        response("a part of it", Incomplete, "206 Partial Content\r\nContent-Range: bytes 0-9/99", ROBOTS.as_bytes()),
        response("a wrong checksum", Incomplete, "200 OK\r\nContent-Encoding: gzip", &wrong),
        response("a second member cut short", Incomplete, "200 OK\r\nContent-Encoding: gzip", &second),
        response("garbage after a member", Rules, "200 OK\r\nContent-Encoding: gzip", &[&zipped[..], b"more"].concat()),
        response("Zstandard cut short", Incomplete, "200 OK\r\nContent-Encoding: zstd", &packed[..packed.len() - 3]),
        response("Brotli cut short", Incomplete, "200 OK\r\nContent-Encoding: br", b"\x1b\x37"),
        response("nothing of a coding", Incomplete, "200 OK\r\nContent-Encoding: deflate", b""),
        response("decoded before", Rules, "200 OK\r\nContent-Encoding: br\r\nContent-Length: 99", ROBOTS.as_bytes()),
        response("malformed chunks", Incomplete, "200 OK\r\nTransfer-Encoding: chunked", b"x\r\n#\r\n0\r\n\r\n"),
        response("an unknown coding", Unreachable, "200 OK\r\nContent-Encoding: compress", b"\x1f\x9d\x90\x01\x02"),
        Case::new("no HTTP", Unreachable).warc("response", "", b"hello".to_vec()),
        Case::new("a line that went dead", Incomplete).warc(
            "response",
            "WARC-Truncated: disconnect\r\n",
            archives::http("200 OK", ROBOTS),
        ),
        Case::new("a file too long to keep", Rules).warc(
            "response",
            "WARC-Truncated: length\r\n",
            archives::http("200 OK", ROBOTS),
        ),
        Case::new("a resource", Rules).warc("resource", "", ROBOTS.as_bytes().to_vec()),
    ]
}

/// The time of an answer in seconds after [`archives::fields`]'s.
const MIDNIGHT: i64 = 1_768_003_200;
const OLDER: u32 = 1;
const NEWER: u32 = 2;

/// The URL of the robots.txt of a case's host.
fn url(number: usize) -> String {
    format!("http://case{number}.example/robots.txt")
}

/// A source with an answer for each of these hosts; returns its path.
fn write(bench: &Bench, name: &str, source: Source, answers: &[(usize, &Case)], second: u32) -> std::path::PathBuf {
    let time = MIDNIGHT + i64::from(second);
    match source {
        Source::JsonLines => {
            let line = |&(number, case): &(usize, &Case)| {
                let fields = case.json.as_deref().expect("an answer of JSON Lines");
                format!("{{\"url\":\"{}\",{fields},\"fetched_at\":{time}}}\n", url(number))
            };
            bench.file(name, answers.iter().map(line).collect::<String>());
        }
        Source::Warc => {
            let record = |&(number, case): &(usize, &Case)| {
                let (kind, fields, block) = case.warc.as_ref().expect("an answer of an archive");
                archives::record(kind, &(archives::fields(&url(number), second) + fields), block)
            };
            bench.file(name, answers.iter().flat_map(record).collect::<Vec<u8>>());
        }
        #[cfg(feature = "parquet")]
        Source::Parquet => {
            use crate::support::tables::{Values, parquet};
            let rows: Vec<&(Option<i32>, Option<Vec<u8>>)> =
                answers.iter().map(|(_, case)| case.parquet.as_ref().expect("a row")).collect();
            let urls = answers.iter().map(|&(number, _)| Some(url(number).into_bytes())).collect();
            let columns = [
                ("required binary url (STRING)", Values::Bytes(urls)),
                ("optional int32 status", Values::Int32(rows.iter().map(|(status, _)| *status).collect())),
                ("optional binary body", Values::Bytes(rows.iter().map(|(_, body)| body.clone()).collect())),
                ("optional int64 fetched_at", Values::Int64(vec![Some(time); rows.len()])),
            ];
            bench.file(name, parquet(&columns, 1, parquet::basic::Compression::SNAPPY));
        }
        Source::Folder => {
            for (number, case) in answers {
                let file = case.folder.as_ref().expect("a file of a folder");
                bench.file(&format!("{name}/case{number}.example"), file);
            }
        }
    }
    bench.path(name)
}

fn compiled(dialect: &'static Dialect, sources: &[&std::path::PathBuf]) -> Policy {
    let mut captures = Captures::new(Agents::everybody(), dialect);
    source::add(sources, &source::Options::default(), &mut captures).expect("sources");
    captures.policy().expect("a policy")
}

/// The outcome of a case's path.
fn outcome(policy: &Policy, on_unreachable: Fallback, number: usize, path: &str) -> String {
    let crawler = policy.crawler(None).expect("one crawler");
    let choices = Choices::at(MIDNIGHT).on_unreachable(on_unreachable);
    let outcome = internals::matcher(policy, crawler, choices).judge(format!("http://case{number}.example{path}"));
    format!("{} {}", outcome.partition().name(), outcome.reason().name())
}

/// The outcome of `/no` if the answer stands alone, and if it follows a robots.txt that blocks it.
fn expected(means: ExpectedRules, dialect: &Dialect) -> [&'static str; 2] {
    match means {
        ExpectedRules::Rules => ["blocked rules"; 2],
        ExpectedRules::Empty => ["allowed no-group"; 2],
        ExpectedRules::Refused if dialect.name == "draft-1996" => ["blocked forbidden"; 2],
        ExpectedRules::TryAgain if dialect.name == "google" => ["allowed unavailable"; 2],
        ExpectedRules::Unavailable | ExpectedRules::Refused => ["allowed unavailable"; 2],
        ExpectedRules::Unreachable | ExpectedRules::TooMany | ExpectedRules::TryAgain => ["deferred unreachable"; 2],
        ExpectedRules::Incomplete => ["deferred incomplete"; 2],
        ExpectedRules::Unresolved => ["deferred redirect-unresolved"; 2],
        ExpectedRules::NotModified => ["deferred not-modified", "blocked rules"],
        ExpectedRules::Error(_) => unreachable!("refused"),
    }
}

fn is_error(case: &Case) -> bool {
    matches!(case.means, ExpectedRules::Error(_))
}

#[test]
fn an_answer_means_the_same_in_every_source() {
    let (bench, cases) = (Bench::new(), cases());
    for &source in WITH_TIMES.iter().chain(&[Source::Folder]) {
        let answers: Vec<(usize, &Case)> =
            cases.iter().enumerate().filter(|(_, case)| !is_error(case) && case.can_be_in(source)).collect();
        let path = write(&bench, &format!("{source:?}"), source, &answers, NEWER);
        for dialect in Dialect::ALL {
            let policy = compiled(dialect, &[&path]);
            for (number, case) in &answers {
                let [alone, _] = expected(case.means, dialect);
                let found = outcome(&policy, Fallback::Defer, *number, "/no");
                assert_eq!(found, alone, "{} in {source:?}, {}", case.name, dialect.name);
            }
        }
    }
}

#[test]
fn after_a_good_answer_failures_keep_its_rules_in_any_order() {
    let (bench, cases) = (Bench::new(), cases());
    for &source in WITH_TIMES {
        let answers: Vec<(usize, &Case)> =
            cases.iter().enumerate().filter(|(_, case)| !is_error(case) && case.can_be_in(source)).collect();
        let good: Vec<(usize, &Case)> = answers.iter().map(|&(number, _)| (number, &cases[0])).collect();
        let older = write(&bench, &format!("{source:?}.good"), source, &good, OLDER);
        let newer = write(&bench, &format!("{source:?}"), source, &answers, NEWER);
        for dialect in Dialect::ALL {
            let (good, new) = (compiled(dialect, &[&older]), compiled(dialect, &[&newer]));
            let merged = |old: &Policy, new: &Policy| {
                let path = bench.path("merged.rsv");
                merge(&[old.clone(), new.clone()], None, &WriteLock::take(&path, |_| ()).expect("a lock"))
                    .expect("a policy");
                Policy::open(&path).expect("a policy")
            };
            let policies = [
                ("in order", compiled(dialect, &[&older, &newer])),
                ("reversed", compiled(dialect, &[&newer, &older])),
                ("merged", merged(&good, &new)),
                ("merged in reverse", merged(&new, &good)),
            ];
            for (order, policy) in &policies {
                for (number, case) in &answers {
                    let [_, after] = expected(case.means, dialect);
                    let name = format!("{} in {source:?}, {}, {order}", case.name, dialect.name);
                    assert_eq!(outcome(policy, Fallback::Defer, *number, "/no"), after, "{name}");
                    // The last good rules are there if the operator wants them.
                    if after.starts_with("deferred") {
                        assert_eq!(outcome(policy, Fallback::Use, *number, "/no"), "blocked last-good", "{name}");
                        assert_eq!(outcome(policy, Fallback::Use, *number, "/yes"), "allowed last-good", "{name}");
                    }
                }
            }
        }
    }
}

/// A 304 renews the newest 2xx before it, whatever came between, and whatever came after it failed.
#[test]
fn a_304_confirms_the_newest_robots_txt_before_it() {
    use robosieve::policy::OriginStatus::{NotModified, RobotsTxt, Unavailable, Unreachable};
    let bench = Bench::new();
    let answer = |&(second, status, path): &(u32, u16, &str)| match status {
        200 => format!(
            "\"status\":200,\"body\":\"User-agent: *\\nDisallow: {path}\",\"expires\":99,\"fetched_at\":{second}"
        ),
        301 => format!("\"status\":301,\"location\":\"{path}\",\"fetched_at\":{second}"),
        _ => format!("\"status\":{status},\"fetched_at\":{second}"),
    };
    let moved = [(1, 301, "/moved"), (5, 304, "")];
    for (history, status, used, blocked) in [
        (&[(1, 200, "/a"), (5, 304, "")][..], RobotsTxt, Some(5), "/a"),
        (&[(1, 200, "/a"), (2, 200, "/b"), (5, 304, "")], RobotsTxt, Some(5), "/b"),
        (&[(1, 200, "/a"), (3, 404, ""), (5, 304, "")], RobotsTxt, Some(5), "/a"),
        (&[(1, 200, "/a"), (3, 503, ""), (5, 304, "")], RobotsTxt, Some(5), "/a"),
        (&[(1, 200, "/a"), (3, 304, ""), (5, 304, "")], RobotsTxt, Some(5), "/a"),
        (&[(1, 200, "/a"), (5, 304, ""), (6, 404, "")], Unavailable, Some(6), ""),
        (&[(1, 200, "/a"), (5, 304, ""), (6, 200, "/b")], RobotsTxt, Some(6), "/b"),
        (&[(1, 200, "/a"), (5, 304, ""), (6, 503, "")], Unreachable, Some(5), "/a"),
        (&[(1, 200, "/a"), (3, 404, ""), (5, 304, ""), (6, 503, "")], Unreachable, Some(5), "/a"),
        (&[(5, 304, ""), (7, 200, "/a"), (8, 503, "")], Unreachable, Some(7), "/a"),
        (&[(5, 304, "")], NotModified, None, ""),
        (&[(1, 404, ""), (5, 304, "")], NotModified, None, ""),
        (&[(1, 404, ""), (5, 304, ""), (6, 503, "")], Unreachable, None, ""),
        (&moved, RobotsTxt, Some(5), "/m"),
        (&[(1, 200, "/a"), (2, 301, "/moved"), (5, 304, "")], RobotsTxt, Some(5), "/m"),
        (&[(1, 200, "/a"), (2, 301, "/lost"), (5, 304, "")], RobotsTxt, Some(5), "/a"),
        (&[(1, 301, "/again"), (5, 304, "")], RobotsTxt, Some(5), "/again"),
    ] {
        let line = |answer: String| format!("{{\"origin\":\"http://case0.example\",{answer}}}\n");
        let mut lines: Vec<String> = history.iter().map(answer).map(line).collect();
        let page = |path: &str, second, status, rule| {
            let fields = answer(&(second, status, rule));
            format!("{{\"url\":\"http://case0.example{path}\",{fields}}}\n")
        };
        lines.extend([page("/moved", 1, 200, "/m"), page("/again", 1, 200, "/again"), page("/again", 2, 304, "")]);
        for _ in 0..lines.len() {
            lines.rotate_left(1);
            bench.file("in.jsonl", lines.concat());
            for dialect in Dialect::ALL {
                let policy = compiled(dialect, &[&bench.path("in.jsonl")]);
                let state = policy.lookup().get(b"http://case0.example").expect("an origin").state();
                let name = format!("{history:?} under {}", dialect.name);
                let in_use = state.origin_status_in_use().is_definite().then(|| state.times_in_use());
                assert_eq!(state.origin_status, status, "{name}");
                assert_eq!(in_use.and_then(|times| times.fetched_at), used, "{name}");
                let renewed = used == Some(5);
                assert!(!renewed || in_use.is_some_and(|times| times.expires.is_none()), "its own Expires: {name}");
                if !blocked.is_empty() {
                    assert!(outcome(&policy, Fallback::Use, 0, blocked).starts_with("blocked"), "{name}");
                    let reason = if status == RobotsTxt { "rules" } else { "last-good" };
                    assert_eq!(outcome(&policy, Fallback::Use, 0, "/yes"), format!("allowed {reason}"), "{name}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_answer_is_refused_by_file_and_place() {
    let (bench, cases) = (Bench::new(), cases());
    for (number, case) in cases.iter().enumerate() {
        let ExpectedRules::Error(words) = case.means else { continue };
        for &source in WITH_TIMES.iter().filter(|&&source| case.can_be_in(source)) {
            let path = write(&bench, "in", source, &[(number, case)], NEWER);
            let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
            let error = source::add(&[path], &source::Options::default(), &mut captures);
            let error = error.expect_err(case.name).to_string();
            let place = if source == Source::JsonLines { "line 1 (byte 0)" } else { "row 1" };
            for word in [&["in", place], words].concat() {
                assert!(error.contains(word), "{word:?} is not in: {error}");
            }
        }
    }
}
