//! `--metrics`: a file in Prometheus' text format, parsed here by the rules of the format.

use std::collections::{BTreeMap, HashSet};

use crate::support::program::{Bench, said};

/// The samples of a file, by name and labels as written.
///
/// Checks the format: HELP and TYPE once before the samples of each name, which are adjacent; names and labels of
/// legal characters; values in quotation marks with the three escapes; no duplicate sample; a final line feed.
fn parse(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n'), "no line feed at the end");
    let (mut samples, mut families) = (BTreeMap::new(), HashSet::new());
    let (mut family, mut kind) = ("", "");
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').expect("a text");
            assert!(is_name(name) && !help.is_empty(), "{line}");
            assert!(families.insert(name), "{name} twice");
            (family, kind) = (name, "");
        } else if let Some(of) = line.strip_prefix("# TYPE ") {
            let (name, of) = of.split_once(' ').expect("a type");
            assert_eq!((name, kind), (family, ""), "TYPE once, after HELP");
            assert!(["counter", "gauge"].contains(&of), "{of}");
            assert_eq!(of == "counter", name.ends_with("_total"), "counters are called so: {name}");
            kind = of;
        } else {
            assert!(!kind.is_empty(), "a sample before its type: {line}");
            let (sample, value) = line.rsplit_once(' ').expect("a value");
            let name = sample.split('{').next().expect("a name");
            assert_eq!(name, family);
            labels(&sample[name.len()..]);
            let value: f64 = value.parse().expect("a number");
            assert!(samples.insert(sample.to_owned(), value).is_none(), "{sample} twice");
        }
    }
    samples
}

fn is_name(name: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':';
    name.bytes().all(letters) && !name.is_empty() && !name.as_bytes()[0].is_ascii_digit()
}

/// Checks that `{name="value",...}`, or an empty string, is well-formed.
fn labels(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut rest = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).expect("braces");
    loop {
        let (name, after) = rest.split_once("=\"").expect("a value");
        assert!(is_name(name) && !name.contains(':'), "{text}");
        let mut end = None;
        let mut bytes = after.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\\' => assert!(matches!(bytes.next(), Some((_, b'\\' | b'"' | b'n'))), "{text}"),
                b'"' => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        rest = &after[end.expect("a closing mark") + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return assert!(rest.is_empty(), "{text}"),
        }
    }
}

fn metrics(bench: &Bench) -> BTreeMap<String, f64> {
    parse(&String::from_utf8(bench.read("run.prom")).expect("UTF-8"))
}

const LINES: &str = "http://a.example/1\nhttp://a.example/2\nhttp://a.example/no\nno url\n";

#[test]
fn the_numbers_are_those_of_the_run() {
    let bench = Bench::with_site();
    bench.file("urls", LINES);
    let words = "--agent * --robots sites --metrics run.prom --out out urls";
    let receipt = bench.filter(words).assert().success();
    drop(receipt);
    let found = metrics(&bench);
    let receipt = bench.receipt("out");
    for (file, agent) in [("default", "*"), ("examplebot", "examplebot")] {
        for partition in ["allowed", "blocked", "deferred", "invalid"] {
            let part = &receipt["partitions"][format!("{partition}.{file}")];
            let labels = format!("agent=\"{agent}\",partition=\"{partition}\"");
            let of = |name: &str| found[&format!("robosieve_partition_{name}_total{{{labels}}}")];
            assert_eq!(Some(of("lines")), part["lines"].as_f64());
            assert_eq!(Some(of("bytes")), part["bytes"].as_f64());
            for (reason, lines) in part["reasons"].as_object().expect("reasons") {
                let name = format!("robosieve_reason_lines_total{{{labels},reason=\"{reason}\"}}");
                assert_eq!(Some(found[&name]), lines.as_f64());
            }
        }
    }
    for (name, value) in [
        ("input_lines_total", 4.0),
        ("input_bytes_total", LINES.len() as f64),
        ("source_bytes_total", LINES.len() as f64),
        ("source_expected_bytes", LINES.len() as f64),
        ("chunks_total", 1.0),
        ("running", 0.0),
        ("run_success", 1.0),
        ("policy_origins", 2.0),
        ("policy_groups", 1.0),
        ("phase{phase=\"ended\"}", 1.0),
        ("phase{phase=\"judging\"}", 0.0),
    ] {
        assert_eq!(found[&format!("robosieve_{name}")], value, "{name}");
    }
    let times = ["start", "last_success"].map(|name| found[&format!("robosieve_{name}_timestamp_seconds")]);
    assert!(times[0] > 1.7e9 && times[1] >= times[0] + found["robosieve_run_seconds"], "{times:?}");
}

#[test]
fn of_compressed_lists_compressed_bytes_are_counted() {
    let bench = Bench::with_site();
    let gzip = crate::support::compression::gzip(LINES.repeat(1000).as_bytes());
    bench.file("urls.gz", &gzip);
    bench.file("urls", LINES);
    bench.filter("--robots sites --metrics run.prom --count urls.gz urls").assert().success();
    let found = metrics(&bench);
    let sources = (gzip.len() + LINES.len()) as f64;
    assert_eq!(found["robosieve_input_bytes_total"], (1001 * LINES.len()) as f64);
    assert_eq!(found["robosieve_source_bytes_total"], sources);
    assert_eq!(found["robosieve_source_expected_bytes"], sources);
}

#[test]
fn a_failure_is_reported_and_the_last_success_remembered() {
    let bench = Bench::with_site();
    bench.file("urls", LINES);
    bench.filter("--robots sites --metrics run.prom --count urls-that-are-not-there").assert().code(2);
    assert!(!metrics(&bench).contains_key("robosieve_last_success_timestamp_seconds"));
    bench.filter("--robots sites --metrics run.prom --count urls").assert().success();
    let success = metrics(&bench)["robosieve_last_success_timestamp_seconds"];
    for words in ["--robots sites --count urls-that-are-not-there", "--robots nowhere --count urls"] {
        bench.filter(&format!("{words} --metrics run.prom")).assert().code(2);
        let found = metrics(&bench);
        assert_eq!((found["robosieve_run_success"], found["robosieve_running"]), (0.0, 0.0));
        assert_eq!(found["robosieve_last_success_timestamp_seconds"], success);
        assert_eq!(found["robosieve_input_lines_total"], 0.0);
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let bench = Bench::with_site();
    bench.file("urls", LINES);
    let words = "filter --agent examplebot --robots sites --metrics run.prom --count urls";
    assert_eq!(crate::support::program::with_closed_stdout(&bench, words).status.code(), Some(0));
    assert_eq!(metrics(&bench)["robosieve_run_success"], 1.0);
}

#[test]
fn a_place_where_they_cannot_be_is_refused_at_once() {
    let bench = Bench::with_site();
    bench.file("urls", LINES);
    let done = bench.filter("--robots sites --metrics urls --out out urls").assert().code(2);
    said(&done.get_output().stderr, &["urls", "is not a robosieve metrics file", "choose another name"]);
    assert_eq!(bench.read("urls"), LINES.as_bytes());
    let done = bench.filter("--robots sites --metrics no/run.prom --out out urls").assert().code(2);
    said(&done.get_output().stderr, &["cannot write the metrics", "no/run.prom"]);
    for (metrics, out) in [("out/run.prom", "out"), ("out/../out/run.prom", "./out"), ("there/a/run.prom", "there")] {
        bench.file("there/a/x", "");
        let words = format!("--robots sites --force --metrics {metrics} --out {out} urls");
        let done = bench.filter(&words).assert().code(2);
        said(&done.get_output().stderr, &["run.prom", "would be in the --out folder", "--out"]);
    }
    assert_eq!(bench.names("out"), [""; 0], "nothing was begun");
}

/// Reading a pipe would block forever, and replacing a device would remove it.
#[cfg(unix)]
#[test]
fn they_go_to_files_only() {
    let bench = Bench::with_site();
    bench.file("urls", LINES);
    let pipe = bench.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for place in ["pipe", "/dev/null", "/dev/stderr", "/dev/stdout", "sites"] {
        let done = bench.filter(&format!("--robots sites --metrics {place} --count urls")).assert().code(2);
        said(&done.get_output().stderr, &["a folder, a pipe or a device"]);
    }
    assert!(pipe.exists());
}
