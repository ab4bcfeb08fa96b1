//! What a body says: as it was sent, decoded before, cut, damaged, or no text at all.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robosieve::lint::{self, FindingKind};
use robosieve::policy::source::{self, Answer, Options};
use robosieve::policy::{Capture, Captures, Overrides, Policy};
use robosieve::{Agents, BodyFlaw, Dialect, RuleSet, Verdict};
use serde_json::json;
use std::io::Write;
use std::path::Path;

use crate::support::program::{Bench, ROBOTS, said};
use crate::support::{archives, compression};

/// What a body means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    /// The rules of [`ROBOTS`] apply.
    Rules,
    /// It is a robots.txt without groups.
    Empty,
    Incomplete,
    NotText,
    /// Nothing is known of it, as if nobody had answered.
    Unreachable,
}

impl Means {
    /// The outcome of `/no`.
    fn outcome(self) -> &'static str {
        match self {
            Means::Rules => "blocked rules",
            Means::Empty => "allowed no-group",
            Means::Incomplete => "deferred incomplete",
            Means::NotText => "deferred not-text",
            Means::Unreachable => "deferred unreachable",
        }
    }

    fn is_robots_txt(self) -> bool {
        matches!(self, Means::Rules | Means::Empty)
    }
}

/// A body, with the value of its `Content-Encoding`.
struct Case {
    name: &'static str,
    body: Vec<u8>,
    coding: Option<&'static str>,
    means: Means,
}

impl Case {
    /// As a text: what it is, or the text that has a character for each of its bytes; `None` if that means something else.
    fn text(&self) -> Option<String> {
        if self.body.starts_with(b"\xff\xfe") || self.body.starts_with(b"\xfe\xff") {
            return None;
        }
        Some(match std::str::from_utf8(&self.body) {
            Ok(text) => text.to_owned(),
            Err(_) => self.body.iter().map(|&byte| char::from(byte)).collect(),
        })
    }
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// Brotli of a text, in one block that is not compressed.
fn brotli(text: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len() - 1).expect("a short text");
    // A window of 64 KiB, a block of that length in four nibbles that is not the last one, stored; then an empty last one.
    let head = length << 4 | 1 << 20;
    [&head.to_le_bytes()[..3], text, &[3]].concat()
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

fn cut(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len() * 2 / 3].to_vec()
}

fn damaged(bytes: &[u8]) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let at = bytes.len() - 6;
    damaged[at] ^= 1;
    damaged
}

fn cases() -> Vec<Case> {
    use Means::{Empty, Incomplete, NotText, Rules, Unreachable};
    let robots = ROBOTS.as_bytes();
    let zstd = |text: &[u8]| compression::zstd(text, b"");
    let gzip = compression::gzip;
    let checked = compression::checked_zstd(robots);
    let bzip2 = compression::bzip2(robots);
    let zipped = gzip(robots);
    let marked = format!("\u{feff}{ROBOTS}");
    let nuls = |of: usize| [vec![0; of], robots.to_vec(), vec![b'#'; 100 - of - robots.len()]].concat();
    let characters: String = zipped.iter().map(|&byte| char::from(byte)).collect();
    let replaced = String::from_utf8_lossy(&zipped).into_owned();
    let tar = [&[0; 257][..], b"ustar\x0000", &[0; 248]].concat();
    let many = format!("{ROBOTS}{}", "# nothing more to say\n".repeat(400_000));
    let case = |name, body: &[u8], coding, means| Case { name, body: body.to_vec(), coding, means };
    let plain = |name, body: &[u8], means| case(name, body, None, means);
    let coded = |name, body: &[u8], coding, means| case(name, body, Some(coding), means);
    vec![
        plain("a text", robots, Rules),
        plain("nothing", b"", Empty),
        plain("an HTML page", b"<!doctype html><p>", Empty),
        plain("a NUL", b"# \0 once in a while\nUser-agent: *\nDisallow: /no\n", Rules),
        plain("a tenth of NULs", &[vec![0; 10], vec![b'#'; 90]].concat(), Empty),
        plain("more than a tenth of NULs", &nuls(11), NotText),
        plain("UTF-16 with its mark", &utf16(&marked, u16::to_le_bytes), Rules),
        plain("UTF-16 with its mark, big-endian", &utf16(&marked, u16::to_be_bytes), Rules),
        plain("UTF-16 without a mark", &utf16(ROBOTS, u16::to_le_bytes), NotText),
        plain("a comment on WebP", format!("# about WEBP images\n{ROBOTS}").as_bytes(), Rules),
        // By their marks.
        plain("gzip", &zipped, Rules),
        plain("two members", &[gzip(&robots[..9]), gzip(&robots[9..])].concat(), Rules),
        plain("gzip of nothing", &gzip(b""), Empty),
        plain("gzip in gzip", &gzip(&zipped), Rules),
        plain("Zstandard", &zstd(robots), Rules),
        plain("bzip2", &bzip2, Rules),
        plain("zlib", &zlib(robots), Rules),
        plain("gzip of a long text", &gzip(many.as_bytes()), Rules),
        plain("bare deflate without its header", &deflate(robots), Rules),
        plain("Brotli without its header", &brotli(robots), Rules),
        plain("gzip cut short", &cut(&zipped), Incomplete),
        plain("a byte of gzip", &zipped[..1], Incomplete),
        plain("gzip in gzip cut short", &gzip(&cut(&zipped)), Incomplete),
        plain("gzip that is damaged", &damaged(&zipped), Incomplete),
        plain("Zstandard cut short", &cut(&zstd(robots)), Incomplete),
        plain("Zstandard that is damaged", &damaged(&checked), Incomplete),
        plain("bzip2 cut short", &cut(&bzip2), Incomplete),
        plain("zlib cut short", &cut(&zlib(robots)), Incomplete),
        plain("a window of 256 MiB", b"\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00", Incomplete),
        plain("a window of 16 MiB", &compression::looking_back(robots, 1, 24), Incomplete),
        // By their header.
        coded("gzip with its header", &zipped, "gzip", Rules),
        coded("gzip by its old name", &zipped, " X-GZip ", Rules),
        coded("a file of gzip, sent in gzip", &gzip(&zipped), "gzip", Rules),
        coded("two codings", &gzip(&zstd(robots)), "zstd, gzip", Rules),
        coded("no coding, named so", robots, "identity", Rules),
        coded("gzip that is called none", &zipped, "identity", Rules),
        coded("deflate", &zlib(robots), "deflate", Rules),
        coded("bare deflate", &deflate(robots), "deflate", Rules),
        coded("Brotli", &brotli(robots), "br", Rules),
        coded("Zstandard with its header", &zstd(robots), "zstd", Rules),
        coded("decoded before", robots, "gzip", Rules),
        coded("decoded before, by half", &zipped, "gzip, gzip", Rules),
        coded("a text in no coding", robots, "utf-8", Rules),
        coded("gzip with its header, cut short", &cut(&zipped), "gzip", Incomplete),
        coded("bare deflate cut short", &cut(&deflate(robots)), "deflate", Incomplete),
        coded("Brotli cut short", &cut(&brotli(robots)), "br", Incomplete),
        coded("nothing of gzip", b"", "gzip", Incomplete),
        coded("an unknown coding", b"\x1f\x9d\x90\x01\x02", "compress", Unreachable),
        coded("another coding than the one named", &zipped, "br", Unreachable),
        coded("an image in gzip", &gzip(b"\x89PNG\r\n\x1a\n"), "gzip", NotText),
        // As a text with a character for each byte.
        plain("gzip as characters", characters.as_bytes(), Rules),
        coded("gzip as characters, with its header", characters.as_bytes(), "gzip", Rules),
        plain("gzip with replaced bytes", replaced.as_bytes(), NotText),
        coded("gzip with replaced bytes and a header", replaced.as_bytes(), "gzip", NotText),
        // No text.
        plain("xz", b"\xfd7zXZ\0\0\x04\xe6\xd6", NotText),
        plain("LZ4", b"\x04\x22\x4d\x18\x64\x40\xa7", NotText),
        plain("zip", b"PK\x03\x04\x14\0\0\0", NotText),
        plain("7z", b"7z\xbc\xaf\x27\x1c\0\x04", NotText),
        plain("tar", &tar, NotText),
        plain("tar in gzip", &gzip(&tar), NotText),
        plain("PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", NotText),
        plain("PNG", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", NotText),
        plain("JPEG", b"\xff\xd8\xff\xe0\0\x10JFIF", NotText),
        plain("GIF", b"GIF89a\x01\0\x01\0", NotText),
        plain("SQLite", b"SQLite format 3\0\x10\0", NotText),
    ]
}

/// The host of a case.
fn host(number: usize) -> String {
    format!("case{number}.example")
}

/// A source with a body for each of these hosts.
type Door = fn(&Bench, &[(usize, &Case)]) -> Policy;

fn captures() -> Captures {
    Captures::new("examplebot".parse::<Agents>().expect("a name"), Dialect::DEFAULT)
}

fn added(path: &Path) -> Policy {
    let mut captures = captures();
    source::add(&[path], &Options::default(), &mut captures).expect("a source");
    captures.policy().expect("a policy")
}

fn json_lines(
    bench: &Bench,
    cases: &[(usize, &Case)],
    mut fields: impl FnMut(&Case, &mut serde_json::Value),
) -> Policy {
    let line = |&(number, case): &(usize, &Case)| {
        let mut line = json!({"url": format!("http://{}/robots.txt", host(number)), "status": 200});
        fields(case, &mut line);
        format!("{line}\n")
    };
    bench.file("in.jsonl", cases.iter().map(line).collect::<String>());
    added(&bench.path("in.jsonl"))
}

/// JSON Lines with bodies in Base64, and headers as an object.
fn base64(bench: &Bench, cases: &[(usize, &Case)]) -> Policy {
    json_lines(bench, cases, |case, line| {
        line["body_base64"] = BASE64_STANDARD.encode(&case.body).into();
        line["headers"] = match case.coding {
            Some(coding) => json!({"Server": "x", "content-encoding": coding, "Content-Length": 7}),
            None => serde_json::Value::Null,
        };
    })
}

/// JSON Lines with bodies as text, and headers as a list of pairs.
fn text(bench: &Bench, cases: &[(usize, &Case)]) -> Policy {
    json_lines(bench, cases, |case, line| {
        line["body"] = case.text().expect("a text").into();
        if let Some(coding) = case.coding {
            line["headers"] = json!([["Server", "x"], ["CONTENT-ENCODING", coding]]);
        }
    })
}

#[cfg(feature = "parquet")]
fn parquet_with(bench: &Bench, cases: &[(usize, &Case)], body: impl Fn(&Case) -> Vec<u8>, kind: &str) -> Policy {
    use crate::support::tables::{Values, parquet};
    let urls = cases.iter().map(|&(number, _)| Some(format!("http://{}/robots.txt", host(number)).into_bytes()));
    let headers = |case: &Case| Some(json!({"Content-Encoding": case.coding?}).to_string().into_bytes());
    let columns = [
        ("required binary url (STRING)", Values::Bytes(urls.collect())),
        ("optional int32 status", Values::Int32(vec![Some(200); cases.len()])),
        (kind, Values::Bytes(cases.iter().map(|(_, case)| Some(body(case))).collect())),
        ("optional int64 fetched_at", Values::Int64(vec![None; cases.len()])),
        ("optional binary headers (STRING)", Values::Bytes(cases.iter().map(|(_, case)| headers(case)).collect())),
    ];
    bench.file("in.parquet", parquet(&columns, 1, parquet::basic::Compression::SNAPPY));
    added(&bench.path("in.parquet"))
}

#[cfg(feature = "parquet")]
fn parquet(bench: &Bench, cases: &[(usize, &Case)]) -> Policy {
    parquet_with(bench, cases, |case| case.body.clone(), "optional binary body")
}

#[cfg(feature = "parquet")]
fn parquet_text(bench: &Bench, cases: &[(usize, &Case)]) -> Policy {
    parquet_with(bench, cases, |case| case.text().expect("a text").into_bytes(), "optional binary body (STRING)")
}

#[cfg(feature = "warc")]
fn warc(bench: &Bench, cases: &[(usize, &Case)]) -> Policy {
    let record = |&(number, case): &(usize, &Case)| {
        let coding = case.coding.map(|coding| format!("\r\nContent-Encoding: {coding}")).unwrap_or_default();
        let url = format!("http://{}/robots.txt", host(number));
        archives::answer(&url, 1, &format!("200 OK{coding}"), &case.body)
    };
    bench.file("in.warc", cases.iter().flat_map(record).collect::<Vec<u8>>());
    added(&bench.path("in.warc"))
}

fn memory(_: &Bench, cases: &[(usize, &Case)]) -> Policy {
    let answer = |&(number, case): &(usize, &Case)| {
        let headers = case.coding.map(|coding| ("Content-Encoding".to_owned(), coding.to_owned()));
        Answer::found(format!("http://{}", host(number)), case.body.clone(), None)
            .headers(headers.into_iter().collect())
    };
    let mut captures = captures();
    source::add_answers(cases.iter().map(answer).collect::<Vec<_>>(), &Options::default(), &mut captures)
        .expect("answers");
    captures.policy().expect("a policy")
}

fn folder(bench: &Bench, cases: &[(usize, &Case)]) -> Policy {
    for (number, case) in cases {
        bench.file(&format!("sites/{}", host(*number)), &case.body);
    }
    added(&bench.path("sites"))
}

fn added_captures(_: &Bench, cases: &[(usize, &Case)]) -> Policy {
    let capture =
        |&(number, case): &(usize, &Case)| Capture::found(&format!("http://{}", host(number)), &case.body).exact(true);
    let mut captures = captures();
    captures.add(cases.iter().map(capture).collect()).expect("captures");
    captures.policy().expect("a policy")
}

/// `--origin FILE`.
fn single(bench: &Bench, cases: &[(usize, &Case)]) -> Policy {
    let mut captures = captures();
    for (number, case) in cases {
        bench.file("robots.txt", &case.body);
        let origin = format!("http://{}", host(*number));
        // A file that is certainly no robots.txt is refused by its name, rather than deferred.
        if let Err(error) = robosieve::python_package::add_single(
            &bench.path("robots.txt"),
            &origin,
            &Options::default(),
            &mut captures,
        ) {
            assert_eq!(case.means.outcome(), "deferred not-text", "{}: {error}", case.name);
            captures.add(vec![Capture::found(&origin, &case.body).exact(true)]).expect("a capture");
        }
    }
    captures.policy().expect("a policy")
}

/// The doors for bodies with headers: each with its name, and whether it takes bodies as text.
const WITH_HEADERS: &[(&str, bool, Door)] = &[
    ("JSON Lines, Base64", false, base64),
    ("JSON Lines, text", true, text),
    #[cfg(feature = "parquet")]
    ("Parquet, bytes", false, parquet),
    #[cfg(feature = "parquet")]
    ("Parquet, text", true, parquet_text),
    #[cfg(feature = "warc")]
    ("WARC", false, warc),
    ("memory", false, memory),
];

/// The doors for bodies alone.
const WITHOUT_HEADERS: &[(&str, bool, Door)] =
    &[("folder", false, folder), ("captures", false, added_captures), ("single file", false, single)];

fn assert_outcomes(door: &str, policy: &Policy, cases: &[(usize, &Case)]) {
    let matcher = policy.matcher("examplebot").expect("a matcher");
    for (number, case) in cases {
        let outcome = matcher.judge(format!("http://{}/no", host(*number)));
        let found = format!("{} {}", outcome.partition(), outcome.reason());
        assert_eq!(found, case.means.outcome(), "{} by {door}", case.name);
    }
}

#[test]
fn a_body_means_the_same_in_every_source() {
    let (bench, cases) = (Bench::new(), cases());
    let all: Vec<(usize, &Case)> = cases.iter().enumerate().collect();
    let plain: Vec<(usize, &Case)> = all.iter().copied().filter(|(_, case)| case.coding.is_none()).collect();
    for (cases, doors) in [(&all, WITH_HEADERS), (&plain, WITHOUT_HEADERS)] {
        for &(door, is_text, policy) in doors {
            let cases: Vec<(usize, &Case)> =
                cases.iter().copied().filter(|(_, case)| !is_text || case.text().is_some()).collect();
            assert_outcomes(door, &policy(&bench, &cases), &cases);
        }
    }
}

#[test]
fn a_body_that_is_no_robots_txt_is_none_to_those_who_cannot_defer() {
    let (bench, cases) = (Bench::with_site(), cases());
    for case in cases.iter().filter(|case| case.coding.is_none()) {
        let name = case.name;
        let rules = RuleSet::compile(&case.body, &Agents::everybody(), Dialect::DEFAULT);
        let flaw = match case.means {
            Means::Incomplete => Some(BodyFlaw::Incomplete),
            Means::NotText => Some(BodyFlaw::NotText),
            _ => None,
        };
        let verdicts = match case.means {
            Means::Rules => [Verdict::Blocked, Verdict::Allowed],
            Means::Empty => [Verdict::Allowed; 2],
            _ => [Verdict::Blocked; 2],
        };
        assert_eq!((["/no", "/yes"].map(|path| rules.verdict(path)), rules.flaw()), (verdicts, flaw), "{name}");
        let report = lint::check(&case.body, Dialect::DEFAULT);
        let is_refused = report.findings.iter().any(|finding| finding.kind == FindingKind::NotText);
        assert_eq!(is_refused, !case.means.is_robots_txt(), "{name}");
        bench.file("robots.txt", &case.body);
        bench.file("o.toml", "[\"http://a.example\"]\nrobots-txt-file = \"robots.txt\"\n");
        let read = Overrides::read(&bench.path("o.toml"));
        assert_eq!(read.is_ok(), case.means.is_robots_txt(), "{name}: {read:?}");
        if let Some(text) = case.text() {
            let written = json!(text).to_string().replace('\u{7f}', "\\u007f");
            bench.file("o.toml", format!("[\"http://a.example\"]\nrobots-txt = {written}\n"));
            let read = Overrides::read(&bench.path("o.toml"));
            assert_eq!(read.is_ok(), case.means.is_robots_txt(), "{name} in the file: {read:?}");
        }
    }
}

#[test]
fn check_and_lint_say_what_a_file_is() {
    let (bench, cases) = (Bench::new(), cases());
    bench.file("files/good.txt", ROBOTS);
    for case in cases.iter().filter(|case| case.coding.is_none()) {
        bench.file("files/robots.txt", &case.body);
        let checked = bench.program("check --agent me --robots files/robots.txt http://a.example/no").assert();
        let code = match case.means {
            Means::Rules => 1,
            Means::Empty => 0,
            _ => 2,
        };
        assert_eq!(checked.get_output().status.code(), Some(code), "{}", case.name);
        let linted = bench.program("lint files").assert();
        let output = linted.get_output();
        assert_eq!(output.status.code() == Some(2), !case.means.is_robots_txt(), "{}", case.name);
        if !case.means.is_robots_txt() {
            for output in [checked.get_output(), output] {
                said(&output.stderr, &["files/robots.txt is "]);
            }
            said(&output.stderr, &["1 file, "]);
        }
    }
}

/// What costs more than its share is told, and is damage of its origin alone.
#[test]
fn a_window_that_is_too_large_is_told_with_its_cause() {
    let bench = Bench::new();
    let frame = b"\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
    bench.file("sites/a.example", frame);
    bench.file("sites/b.example", ROBOTS);
    let done = bench.program("compile --agent examplebot sites -o policy.rsv").assert().success();
    said(&done.get_output().stderr, &["1 file is damaged or cut short: a.example: ", "window of more than 8 MiB"]);
    bench.file("urls", "http://a.example/no\nhttp://b.example/no\n");
    let split = bench.split("--robots sites", &["urls"]);
    assert_eq!(split.reasons("deferred"), [("incomplete".to_owned(), 1)].into());
    assert_eq!(split.reasons("blocked"), [("rules".to_owned(), 1)].into());
    // Of a whole file of answers, it is what --skip-bad passes over.
    let lines = format!("{{\"origin\":\"http://b.example\",\"status\":200,\"body\":{}}}\n", json!(ROBOTS));
    bench.file("good.jsonl", &lines);
    bench.file("in.jsonl", compression::looking_back(lines.as_bytes(), 3_000_000, 28));
    let done = bench.program("compile --agent examplebot good.jsonl in.jsonl -o policy.rsv").assert().code(2);
    said(&done.get_output().stderr, &["in.jsonl", "larger window", "compress it with a smaller one"]);
    let done = bench.program("compile --skip-bad --agent examplebot good.jsonl in.jsonl -o policy.rsv").assert();
    said(&done.success().get_output().stderr, &["in.jsonl: 1 source ends in damage: ", "larger window"]);
}

#[test]
fn what_is_no_text_is_counted_and_told() {
    let bench = Bench::new();
    bench.file("sites/a.example", b"\x89PNG\r\n\x1a\n");
    let line = |host: &str, fields: &str| format!("{{\"origin\":\"http://{host}\",\"status\":200,{fields}}}\n");
    bench.file(
        "in.jsonl",
        line("b.example", "\"body\":\"%PDF-1.7\"")
            + &line("c.example", "\"body_base64\":\"H4sI\"")
            + &line("d.example", "\"body_base64\":\"H52QAQI=\",\"headers\":{\"Content-Encoding\":\"compress\"}"),
    );
    let done = bench.program("compile --agent examplebot sites in.jsonl -o policy.rsv").assert().success();
    said(
        &done.get_output().stderr,
        &[
            "sites and another source: 2 bodies are no text: a.example: it is a PNG image, not a text, ...; ",
            "in.jsonl: 1 file did not arrive whole or is damaged: line 2 (byte ",
            "http://c.example/robots.txt: its gzip data is cut short; ",
            "in.jsonl: 1 file is in an unknown coding: line 3 (byte ",
        ],
    );
    bench.file("urls", "http://a.example/no\nhttp://b.example/no\nhttp://c.example/no\nhttp://d.example/no\n");
    let split = bench.split("--robots sites --robots in.jsonl", &["urls"]);
    let captures = &bench.receipt("out")["policy"]["captures"];
    let counts = ["not_text", "damaged_bodies", "undecodable_bodies"].map(|name| captures[name].as_u64());
    assert_eq!(counts, [Some(2), Some(1), Some(1)], "{captures}");
    let needed: Vec<&str> = split.needed_rows().iter().map(|row| row[1]).collect();
    assert_eq!(needed, ["not-text", "not-text", "incomplete", "unreachable"]);
    let text = bench.program("inspect policy.rsv http://a.example").assert().success();
    let text = String::from_utf8_lossy(&text.get_output().stdout).into_owned();
    assert!(text.contains("not-text") && text.contains("failed (status 200), no text"), "{text}");
}

/// A later answer that is no text keeps the last good rules.
#[test]
fn no_text_keeps_the_last_good_rules() {
    let bench = Bench::new();
    let line = |body: &str, at: u32| {
        format!("{{\"origin\":\"http://a.example\",\"status\":200,\"body\":{},\"fetched_at\":{at}}}\n", json!(body))
    };
    bench.file("in.jsonl", line("GIF89a", 2) + &line(ROBOTS, 1));
    assert_eq!(bench.outcome("--robots in.jsonl", "http://a.example/no"), "deferred not-text");
    assert_eq!(bench.outcome("--robots in.jsonl --on-unreachable use", "http://a.example/no"), "blocked last-good");
    assert_eq!(bench.outcome("--robots in.jsonl --on-unreachable use", "http://a.example/yes"), "allowed last-good");
    let long = "--robots in.jsonl --now 2026-01-12T12:00:00Z --unreachable-as-unavailable 30d";
    assert_eq!(bench.outcome(long, "http://a.example/no"), "deferred not-text", "it has arrived");
}
