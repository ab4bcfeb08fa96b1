//! Times: what each door takes for one, and whose answers have the time that is given for those without.

use robosieve::Agents;
use robosieve::Dialect;
use robosieve::internals::{PolicyParts, ties};
use robosieve::policy::source::{self, Answer, FetchedAt, Options, add_answers};
use robosieve::policy::{Captures, Policy};

use crate::support::program::{Bench, said};

/// A time as JSON has it, and its second; or what is said of it.
const CASES: &[(&str, Result<i64, &str>)] = &[
    ("1795852800", Ok(1_795_852_800)),
    ("1795852800.25", Ok(1_795_852_800)),
    ("1795852800.99999999999", Ok(1_795_852_800)),
    ("1795852800.0", Ok(1_795_852_800)),
    ("1.79585280025e9", Ok(1_795_852_800)),
    ("0.75", Ok(0)),
    ("-0.25", Ok(-1)),
    ("-7.5", Ok(-8)),
    ("-7.0", Ok(-7)),
    ("\"2026-11-28T08:00:00Z\"", Ok(1_795_852_800)),
    ("\"2026-11-28T08:00:00.999Z\"", Ok(1_795_852_800)),
    ("\"2026-11-28T09:00:00.5+01:00\"", Ok(1_795_852_800)),
    ("\"1969-12-31T23:59:58.5Z\"", Ok(-2)),
    ("95649119999.9", Ok(95_649_119_999)),
    ("95649120000.0", Err("beyond the year 5000")),
    ("1795852800250.5", Err("milliseconds")),
    ("\"9999-12-31T23:59:59Z\"", Err("\"9999-12-31T23:59:59Z\" is beyond the year 5000")),
    ("\"9999-12-31T23:59:59.9+01:00\"", Err("beyond the year 5000")),
    ("\"5001-01-01T00:00:00Z\"", Err("beyond the year 5000")),
    ("\"1795852800.25\"", Err("not an RFC 3339 time")),
    ("\"2026-11-28\"", Err("not an RFC 3339 time")),
    ("1e300", Err("no time")),
    ("-1e300", Err("no time")),
    ("true", Err("no time; expected seconds of Unix time, or text in RFC 3339")),
    ("[1]", Err("no time")),
];

/// Late enough that no case is in the future.
const NOW: i64 = 95_649_119_999;

fn options() -> Options {
    Options::default().now(Some(NOW))
}

fn empty() -> Captures {
    Captures::new(Agents::everybody(), Dialect::DEFAULT)
}

/// The policy of these sources, or the error.
fn compiled(bench: &Bench, sources: &[&str], options: &Options) -> Result<Policy, String> {
    let mut captures = empty();
    let paths: Vec<_> = sources.iter().map(|name| bench.path(name)).collect();
    source::add(&paths, options, &mut captures).map_err(|error| error.to_string())?;
    captures.policy().map_err(|error| error.to_string())
}

/// The times of an origin's answer: when it came, and when it expires.
fn times(policy: &Policy, origin: &str) -> [Option<i64>; 2] {
    let record = policy.lookup().get(origin.as_bytes()).expect("an origin");
    let answered = record.state().answered;
    [answered.fetched_at, answered.expires]
}

fn agrees(door: &str, case: &str, found: Result<Option<i64>, String>, expected: Result<i64, &str>) {
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, Some(expected), "{case} in {door}"),
        (Err(found), Err(expected)) => assert!(found.contains(expected), "{case} in {door}: {found}"),
        (found, expected) => panic!("{case} in {door}: {found:?}, not {expected:?}"),
    }
}

#[test]
fn a_time_is_the_same_from_every_door() {
    let bench = Bench::new();
    for (time, expected) in CASES {
        for (at, field) in ["fetched_at", "expires"].into_iter().enumerate() {
            bench.file("in.jsonl", format!("{{\"origin\":\"http://a.example\",\"status\":404,\"{field}\":{time}}}\n"));
            let found = compiled(&bench, &["in.jsonl"], &options());
            let found = found.map(|policy| times(&policy, "http://a.example")[at]);
            agrees(&format!("JSON Lines, {field}"), time, found, *expected);
        }
        // An origin that fails since then.
        let line = format!("{{\"origin\":\"http://a.example\",\"status\":503,\"unreachable_since\":{time}}}\n");
        bench.file("in.jsonl", line);
        let found = compiled(&bench, &["in.jsonl"], &options());
        let found = found.map(|policy| {
            policy.lookup().get(b"http://a.example").expect("an origin").state().answered.unreachable_since
        });
        agrees("JSON Lines, unreachable_since", time, found, *expected);
        // Options have text.
        if let Some(text) = time.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            let found = text.parse::<FetchedAt>().map(|time| match time {
                FetchedAt::At(time) => Some(time),
                _ => None,
            });
            if !text.starts_with("5001") {
                agrees("--fetched-at", time, found, *expected);
            }
        }
    }
}

#[cfg(feature = "parquet")]
#[test]
fn so_it_is_in_the_columns_of_tables() {
    use crate::support::tables::{Values, parquet};
    let bench = Bench::new();
    let read = |columns: [(&str, Values); 2]| {
        let [fetched_at, expires] = columns;
        let url = Values::Bytes(vec![Some(b"http://a.example/robots.txt".to_vec())]);
        let others = [
            ("required binary url (STRING)", url),
            ("optional int32 status", Values::Int32(vec![Some(404)])),
            ("optional binary body", Values::Bytes(vec![None])),
        ];
        let columns: Vec<_> = others.into_iter().chain([fetched_at, expires]).collect();
        bench.file("in.parquet", parquet(&columns, 1, parquet::basic::Compression::SNAPPY));
        compiled(&bench, &["in.parquet"], &options()).map(|policy| times(&policy, "http://a.example"))
    };
    let doubles = |time| {
        let column = || Values::Doubles(vec![time]);
        read([("optional double fetched_at", column()), ("optional double expires", column())])
    };
    for (time, expected) in [
        (1_795_852_800.25, Ok(1_795_852_800)),
        (1_795_852_800.0, Ok(1_795_852_800)),
        (-0.25, Ok(-1)),
        (-7.0, Ok(-7)),
        (1.795e12, Err("milliseconds")),
        (1e300, Err("no time")),
        (f64::NAN, Err("no time")),
        (f64::INFINITY, Err("no time")),
        (f64::NEG_INFINITY, Err("no time")),
    ] {
        let found = doubles(Some(time));
        agrees("a table", &time.to_string(), found.clone().map(|[fetched_at, _]| fetched_at), expected);
        agrees("a table", &time.to_string(), found.map(|[_, expires]| expires), expected);
    }
    assert_eq!(doubles(None), Ok([None; 2]));
    let integers = |name: &'static str, time| {
        read([(name, Values::Int64(vec![Some(time)])), ("optional int64 expires", Values::Int64(vec![None]))])
    };
    let decimal = "optional int64 fetched_at (DECIMAL(18,3))";
    assert_eq!(integers(decimal, 1_795_852_800_250), Ok([Some(1_795_852_800), None]));
    assert_eq!(integers(decimal, -250), Ok([Some(-1), None]));
    let day = ("optional int32 fetched_at (DATE)", Values::Int32(vec![Some(20_000)]));
    let refused = read([day, ("optional int64 expires", Values::Int64(vec![None]))]).unwrap_err();
    assert!(refused.contains("\"fetched_at\" does not hold times with a date"), "{refused}");
    let late = ("optional binary fetched_at (STRING)", Values::Bytes(vec![Some(b"9999-12-31T23:59:59Z".to_vec())]));
    let refused = read([late, ("optional int64 expires", Values::Int64(vec![None]))]).unwrap_err();
    assert!(refused.contains("beyond the year 5000"), "{refused}");
}

/// A source of a kind whose answer, for `http://a.example`, has no time of its own; and one that has.
fn sources(bench: &Bench) -> Vec<(&'static str, bool)> {
    let line = |fields: &str| format!("{{\"origin\":\"http://a.example\",\"status\":404{fields}}}\n");
    bench.file("none.jsonl", line(""));
    bench.file("null.jsonl", line(",\"fetched_at\":null"));
    bench.file("own.jsonl", line(",\"fetched_at\":7"));
    bench.file("sites/a.example", "User-agent: *\nDisallow: /no\n");
    let mut all = vec![("none.jsonl", false), ("null.jsonl", false), ("own.jsonl", true), ("sites", false)];
    if cfg!(feature = "warc") {
        use crate::support::archives;
        let url = "http://a.example/robots.txt";
        let block = archives::http("404 Not Found", "");
        bench.file("none.warc", archives::record("response", &format!("WARC-Target-URI: {url}\r\n"), &block));
        let own = format!("WARC-Target-URI: {url}\r\nWARC-Date: 1970-01-01T00:00:07Z\r\n");
        bench.file("own.warc", archives::record("response", &own, &block));
        all.extend([("none.warc", false), ("own.warc", true)]);
    }
    #[cfg(feature = "parquet")]
    {
        use crate::support::tables::{Values, parquet};
        for (name, time) in [("null.parquet", None), ("own.parquet", Some(7))] {
            let columns = [
                ("required binary url (STRING)", Values::Bytes(vec![Some(b"http://a.example/robots.txt".to_vec())])),
                ("optional int32 status", Values::Int32(vec![Some(404)])),
                ("optional binary body", Values::Bytes(vec![None])),
                ("optional int64 fetched_at", Values::Int64(vec![time])),
            ];
            bench.file(name, parquet(&columns, 1, parquet::basic::Compression::SNAPPY));
        }
        all.extend([("null.parquet", false), ("own.parquet", true)]);
    }
    all
}

#[test]
fn an_answer_without_a_time_has_the_one_that_is_given_whatever_its_source() {
    let bench = Bench::new();
    let modified: jiff::Timestamp = "2026-01-10T12:00:00.9Z".parse().expect("a time");
    for (source, is_own) in sources(&bench) {
        let of = |fetched_at| {
            let policy = compiled(&bench, &[source], &options().fetched_at(Some(fetched_at))).expect(source);
            times(&policy, "http://a.example")[0]
        };
        assert_eq!(of(FetchedAt::At(99)), Some(if is_own { 7 } else { 99 }), "{source}");
        let file = if source == "sites" { "sites/a.example" } else { source };
        let file = std::fs::File::options().append(true).open(bench.path(file)).expect("a file");
        file.set_modified(modified.into()).expect("a time");
        assert_eq!(of(FetchedAt::Modified), Some(if is_own { 7 } else { modified.as_second() }), "{source}");
        // So says the program, whatever reads the source.
        let judged = ["--fetched-at 2026-01-01T00:00:00Z", "--fetched-at mtime"].map(|option| {
            let words = format!("--robots {source} {option} --now 2026-01-10T13:00:00Z --max-age 2h --on-stale defer");
            bench.outcome(&words, "http://a.example/x")
        });
        let fresh = if is_own {
            "deferred stale"
        } else if source == "sites" {
            "allowed rules"
        } else {
            "allowed unavailable"
        };
        assert_eq!(judged, ["deferred stale", fresh], "{source}");
        bench.program(&format!("compile --agent me {source} --fetched-at mtime -o {source}.rsv")).assert().success();
        let now = "2026-01-10T13:00:00Z".parse::<jiff::Timestamp>().expect("a time").as_second();
        let policy = Policy::open(bench.path(&format!("{source}.rsv"))).expect("a policy");
        let found = times(&policy, "http://a.example")[0].expect("a time");
        assert_eq!(now - found < 2 * 3600, !is_own, "{source}");
    }
}

#[test]
fn so_has_one_in_memory_but_that_has_no_file() {
    let add = |fetched_at, own| {
        let mut captures = empty();
        let answers = [Answer::found("http://a.example", *b"", own)];
        add_answers(answers, &options().fetched_at(fetched_at), &mut captures).map_err(|error| error.to_string())?;
        Ok::<_, String>(times(&captures.policy().expect("a policy"), "http://a.example")[0])
    };
    assert_eq!(add(None, None), Ok(None));
    assert_eq!(add(Some(FetchedAt::At(99)), None), Ok(Some(99)));
    assert_eq!(add(Some(FetchedAt::At(99)), Some(7)), Ok(Some(7)));
    assert!(add(Some(FetchedAt::Modified), None).unwrap_err().contains("time of modification"));
    assert!(add(Some(FetchedAt::At(i64::MAX)), None).unwrap_err().contains("beyond the year 5000"));
}

/// A source with these answers.
fn answers(bench: &Bench, name: &str, lines: &[(&str, &str, &str)]) {
    let line = |(host, path, time): &(&str, &str, &str)| {
        let body = serde_json::json!(format!("User-agent: *\nDisallow: {path}\n"));
        format!("{{\"origin\":\"http://{host}.example\",\"status\":200,\"body\":{body}{time}}}\n")
    };
    bench.file(name, lines.iter().map(line).collect::<String>());
}

const AT_7: &str = ",\"fetched_at\":7";
const AT_9: &str = ",\"fetched_at\":9";

/// URLs whose answers tie, by the answers of two sources: how many of one time, how many without, and the first of them.
type Tied<'c> = (&'c [(&'c str, &'c str, &'c str)], &'c [(&'c str, &'c str, &'c str)], (u64, u64, Option<&'c str>));

const TIES: &[Tied<'static>] = &[
    (&[("a", "/x", "")], &[("a", "/", "")], (0, 1, Some("a"))),
    (&[("a", "/x", AT_7)], &[("a", "/", AT_7)], (1, 0, Some("a"))),
    // A URL counts once, and the first is the first in order.
    (&[("b", "/x", ""), ("a", "/1", AT_7)], &[("a", "/2", AT_7), ("b", "/", "")], (1, 1, Some("a"))),
    (&[("a", "/1", ""), ("a", "/2", "")], &[("a", "/3", "")], (0, 1, Some("a"))),
    // The same answer is no other one.
    (&[("a", "/x", "")], &[("a", "/x", "")], (0, 0, None)),
    (&[("a", "/x", AT_7)], &[("a", "/x", AT_7)], (0, 0, None)),
    // A newer one decides.
    (&[("a", "/x", ""), ("a", "/y", "")], &[("a", "/", AT_7)], (0, 0, None)),
    (&[("a", "/x", AT_7), ("a", "/y", AT_9)], &[("a", "/", AT_7)], (0, 0, None)),
    (&[("a", "/x", AT_7), ("a", "/y", AT_9)], &[("a", "/", AT_9)], (1, 0, Some("a"))),
    (&[("a", "/x", AT_7)], &[("b", "/", AT_7)], (0, 0, None)),
];

#[test]
fn ties_are_counted_by_url_however_they_are_read() {
    let bench = Bench::new();
    for (one, other, (same_time, without_time, first)) in TIES {
        answers(&bench, "one.jsonl", one);
        answers(&bench, "other.jsonl", other);
        let first = first.map(|host| format!("http://{host}.example/robots.txt"));
        let expected = (*same_time, *without_time, first.clone());
        for sources in [["one.jsonl", "other.jsonl"], ["other.jsonl", "one.jsonl"]] {
            let policy = compiled(&bench, &sources, &options()).expect("a policy");
            assert_eq!(ties(policy.statistics()), expected, "{one:?} {other:?}");
            // Without memory, each answer is a run of its own.
            let mut captures = Captures::within(1, &bench.path("."), Agents::everybody(), Dialect::DEFAULT);
            let lists = if sources[0] == "one.jsonl" { [one, other] } else { [other, one] };
            let in_memory = lists.into_iter().flat_map(|list| list.iter()).map(|&(host, path, time)| {
                let time = time.rsplit_once(':').map(|(_, seconds)| seconds.parse::<i64>().expect("seconds"));
                let body = format!("User-agent: *\nDisallow: {path}\n").into_bytes();
                Answer::found(format!("http://{host}.example"), body, time)
            });
            add_answers(in_memory.collect::<Vec<_>>(), &options(), &mut captures).expect("answers");
            let spilled = captures.policy().expect("a policy");
            assert_eq!(ties(spilled.statistics()), expected, "{one:?} {other:?} in runs");
            assert!(spilled.bytes() == policy.bytes(), "{one:?} {other:?}");
        }
        let words = [
            "compile --agent * one.jsonl other.jsonl -o both.rsv",
            "filter --robots one.jsonl --robots other.jsonl --agent * --count urls",
            "check --robots one.jsonl --robots other.jsonl --agent * http://a.example/",
        ];
        bench.file("urls", "http://a.example/\n");
        for words in words {
            let done = bench.program(words).assert();
            let text = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
            let told = first.as_ref().map(|first| {
                let count = same_time + without_time;
                let urls = if count == 1 { "1 URL has".to_owned() } else { format!("{count} URLs have") };
                (format!("{urls} different answers"), format!("the first is {first}"))
            });
            match told {
                Some((urls, first)) => said(text.as_bytes(), &[&urls, &first, "--fetched-at"]),
                None => assert!(!text.contains("different answers"), "{words}: {text}"),
            }
        }
    }
}

#[test]
fn ties_between_policies_are_told_when_they_are_merged() {
    let bench = Bench::new();
    answers(&bench, "one.jsonl", &[("b", "/x", ""), ("a", "/1", AT_7), ("c", "/", AT_9)]);
    answers(&bench, "other.jsonl", &[("a", "/2", AT_7), ("b", "/", ""), ("c", "/", AT_9)]);
    for name in ["one", "other"] {
        bench.program(&format!("compile --agent * {name}.jsonl -o {name}.rsv")).assert().success();
    }
    let merged = |words: &str| {
        let done = bench.program(words).assert().success();
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    for words in ["merge one.rsv other.rsv -o both.rsv", "merge other.rsv one.rsv one.rsv -o both.rsv"] {
        let text = merged(words);
        said(text.as_bytes(), &["2 URLs have different answers", "the first is http://a.example/robots.txt"]);
    }
    assert!(!merged("merge one.rsv one.rsv -o both.rsv").contains("different"));
    assert!(merged("merge one.rsv other.rsv -o both.rsv --quiet").is_empty());
    // The law of union: the ties leave no trace in a policy.
    merged("compile --agent * one.jsonl other.jsonl -o together.rsv");
    merged("merge one.rsv other.rsv -o both.rsv");
    assert!(bench.read("both.rsv") == bench.read("together.rsv"));
}

#[test]
fn overrides_know_the_end_of_times() {
    let bench = Bench::with_site();
    bench.file("overrides.toml", "[\"http://a.example\"]\npaused-until = 9999-12-31T23:59:59Z\n");
    let done = bench.program("compile --agent * sites --overrides overrides.toml -o p.rsv").assert().code(2);
    said(&done.get_output().stderr, &["paused-until is 9999-12-31T23:59:59Z", "beyond the year 5000"]);
    let done = bench.program("filter --robots sites --now 9999-12-31T23:59:59Z --count urls").assert().code(2);
    said(&done.get_output().stderr, &["beyond the year 5000"]);
}
