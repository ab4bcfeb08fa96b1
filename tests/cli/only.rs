//! `--only` and `--verdicts` on standard output: the program in a pipe.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::program::{Bench, PROGRAM, SOURCES_NOW, said};
use crate::support::results::PARTITIONS;

const LIST: &str = "DATASETS/urls.txt";

#[test]
fn one_partition_goes_to_standard_output() {
    let bench = Bench::new();
    let plain = bench.split(SOURCES_NOW, &[LIST]);
    for (name, text) in PARTITIONS.iter().zip(&plain.partitions) {
        for options in ["", "--threads 3"] {
            let from_file = bench.filter(&format!("{SOURCES_NOW} --only {name} {options} {LIST}")).assert().success();
            assert!(from_file.get_output().stdout == *text, "{name} {options}");
            let table = String::from_utf8_lossy(&from_file.get_output().stderr).into_owned();
            assert!(table.contains("every line is accounted for"), "{table}");
            let from_pipe = bench.filter(&format!("{SOURCES_NOW} --only {name} {options} -"));
            let from_pipe = { from_pipe }.write_stdin(bench.read(LIST)).assert().success();
            assert!(from_pipe.get_output().stdout == *text, "{name} {options}");
        }
    }
    assert_eq!(bench.names("."), ["out"], "nothing else is written");
}

#[test]
fn verdicts_go_to_standard_output_without_a_folder() {
    let bench = Bench::new();
    for agents in ["", "--agent other"] {
        bench.filter(&format!("{SOURCES_NOW} {agents} --verdicts --out out --force {LIST}")).assert().success();
        let done = bench.filter(&format!("{SOURCES_NOW} {agents} --verdicts {LIST}")).assert().success();
        assert!(done.get_output().stdout == bench.read("out/verdicts.tsv"));
    }
}

#[test]
fn lists_are_separated_by_a_line_feed_here_too() {
    let bench = Bench::with_site();
    bench.file("one", "http://a.example/1");
    bench.file("two", "http://a.example/no");
    let done = bench.filter("--robots sites --only allowed one two one").assert().success();
    assert_eq!(done.get_output().stdout, b"http://a.example/1\nhttp://a.example/1");
}

/// Each line comes out before the next one goes in; otherwise this test would never end.
#[test]
fn a_line_does_not_wait_for_the_next_one() {
    let bench = Bench::with_site();
    let mut child = bench
        .command("filter --agent examplebot --robots sites --only allowed -")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for number in 0..20 {
        writeln!(input, "http://a.example/no/{number}\nhttp://a.example/{number}").expect("written");
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        assert_eq!(line, format!("http://a.example/{number}\n"));
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_ends_the_run_quietly() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/some/path\n".repeat(200_000));
    for words in ["--only allowed", "--verdicts"] {
        let words = format!("filter --agent examplebot --robots sites {words} urls");
        let done = crate::support::program::with_closed_stdout(&bench, &words);
        assert_eq!(done.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&done.stderr), "");
        let mut command = assert_cmd::Command::new("sh");
        command.current_dir(bench.path(".")).args(["-c", "\"$0\" \"$@\" | head -n 2", PROGRAM]);
        let done = command.args(bench.arguments(&words)).assert().success();
        assert_eq!(done.get_output().stdout.iter().filter(|&&byte| byte == b'\n').count(), 2);
        assert!(done.get_output().stderr.is_empty());
    }
}

#[test]
fn nonsense_is_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    for option in [
        "--out out",
        "--count",
        "--verdicts",
        "--compress gz",
        "--split-size 1k",
        "--force",
        "--per-input",
        "--shard 1/2",
    ] {
        let done = bench.filter(&format!("--robots sites --only allowed {option} urls")).assert().code(2);
        said(&done.get_output().stderr, &["--only"]);
    }
    for option in ["--compress gz", "--split-size 1k", "--force", "--per-input"] {
        bench.filter(&format!("--robots sites --verdicts {option} urls")).assert().code(2);
    }
    let done = bench.filter("--agent other --robots sites --only allowed urls").assert().code(2);
    said(&done.get_output().stderr, &["2 were given"]);
    bench.refused("--robots sites urls", &["--out"]);
    assert_eq!(bench.names("."), ["sites", "urls"]);
}

#[test]
fn several_partitions_keep_the_order_of_their_lines() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/1\nhttp://a.example/no\nnone\nhttp://b.example/\nhttp://a.example/2\tx");
    for (words, expected) in [
        ("--only allowed,deferred", "http://a.example/1\nhttp://b.example/\nhttp://a.example/2\tx"),
        ("--only invalid --only blocked", "http://a.example/no\nnone\n"),
        ("--only allowed,blocked,deferred,invalid", std::str::from_utf8(&bench.read("urls")).expect("text")),
        (
            "--only blocked,invalid --explain",
            "rule\trule_line\tagent\tcaptured\turl\nDisallow: /no\t2\t*\t\thttp://a.example/no\n\t\t\t\tnone\n",
        ),
    ] {
        let done = bench.filter(&format!("--robots sites --quiet --delimiter none {words} urls")).assert().success();
        assert_eq!(String::from_utf8_lossy(&done.get_output().stdout), expected, "{words}");
    }
}
