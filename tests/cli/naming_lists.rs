//! Ways to name lists: patterns, and files that name lists.

use std::fs;

use crate::support::compression::gzip;
use crate::support::program::{Bench, PROGRAM};
use crate::support::results::Split;

/// A folder with lists of one line each; the line contains the list's name.
fn bench() -> Bench {
    let bench = Bench::with_site();
    for name in ["lists/b.txt", "lists/a.txt", "lists/more/c.txt", "lists/d.tsv", "lists/odd[1].txt"] {
        bench.file(name, format!("http://a.example/{name}\n"));
    }
    bench
}

/// The paths of the lists, in receipt order.
fn lists(bench: &Bench, words: &[&str]) -> Vec<String> {
    bench.filter("--robots sites --force --out out").args(words).assert().success();
    let split = Split::read(bench, "out");
    let lists = split.receipt["lists"].as_array().expect("lists");
    let paths = lists.iter().map(|list| list["path"].as_str().expect("a path").replace('\\', "/"));
    let paths: Vec<String> = paths.collect();
    let lines: Vec<String> = paths.iter().map(|path| format!("http://a.example/{path}")).collect();
    assert_eq!(split.lines("allowed"), lines);
    paths
}

#[test]
fn a_pattern_stands_for_the_files_it_matches_in_their_order() {
    let bench = bench();
    assert_eq!(lists(&bench, &["lists/?.txt"]), ["lists/a.txt", "lists/b.txt"]);
    assert_eq!(lists(&bench, &["lists/d*", "lists/[ab].txt"]), ["lists/d.tsv", "lists/a.txt", "lists/b.txt"]);
    assert_eq!(lists(&bench, &["lists/**/[a-c]*"]), ["lists/a.txt", "lists/b.txt", "lists/more/c.txt"]);
    let no_folders = lists(&bench, &["lists/[dm]*"]);
    assert_eq!(no_folders, ["lists/d.tsv"], "a folder is no list");
    assert_eq!(lists(&bench, &["lists/odd[1].txt"]), ["lists/odd[1].txt"], "a file of that name is meant");
}

#[test]
fn a_pattern_leaves_hidden_files_out_as_a_shell_does() {
    let bench = bench();
    bench.file("lists/.a.txt.partial", "http://a.example/lists/.a.txt.partial\n");
    bench.file("lists/.git/c.txt", "http://a.example/lists/.git/c.txt\n");
    assert_eq!(lists(&bench, &["lists/*a*t*"]), ["lists/a.txt"]);
    assert_eq!(lists(&bench, &["lists/**/c*"]), ["lists/more/c.txt"]);
    let named = lists(&bench, &["lists/.a.txt.partial"]);
    assert_eq!(named, ["lists/.a.txt.partial"], "the file is meant");
}

#[test]
fn numbers_beyond_all_use_are_refused() {
    let bench = bench();
    bench.refused("--robots sites --out out --threads 100000 lists/a.txt", &["--threads", "100000"]);
    let checkpoint = "--robots sites --out out --checkpoint 18446744073709551615 lists/a.txt";
    bench.refused(checkpoint, &["--checkpoint", "18446744073709551615"]);
}

#[test]
fn a_pattern_that_matches_nothing_is_refused() {
    let bench = bench();
    bench.refused("--robots sites --out out lists/*.gz", &["lists/*.gz", "matches no file"]);
    bench.refused("--robots sites --out out lists/a.txt lists/m*e", &["lists/m*e", "matches no file"]);
    bench.refused("--robots sites --out out lists/[a", &["lists/[a", "nor a pattern"]);
    assert!(!bench.path("out").exists());
}

#[cfg(unix)]
#[test]
fn names_may_end_in_nul() {
    let bench = bench();
    bench.file("lists/two\nlines.txt", "http://a.example/1\n");
    bench.file("names", "lists/two\nlines.txt\0lists/a.txt\0");
    for words in ["--files-from names -0", "--null --files-from names"] {
        bench.filter(&format!("--robots sites --force --out out {words}")).assert().success();
        let receipt = bench.receipt("out");
        assert_eq!(
            (&receipt["lists"][0]["path"], receipt["input"]["lines"].as_u64()),
            (&"lists/two\nlines.txt".into(), Some(2))
        );
    }
    let mut printed = bench.filter("--robots sites --only allowed --files-from - -0");
    let done = printed.write_stdin("lists/a.txt\0").assert().success();
    assert_eq!(done.get_output().stdout, b"http://a.example/lists/a.txt\n");
    fs::remove_dir_all(bench.path("out")).expect("removed");
    bench.refused("--robots sites --out out --files-from names", &["--files-from: names has NUL in its lines", "(-0)"]);
    bench.refused("--robots sites --out out -0 lists/a.txt", &["--files-from"]);
}

#[test]
fn a_file_may_name_the_lists() {
    let bench = bench();
    bench.file("names", "lists/b.txt\n\nlists/odd[1].txt\r\nlists/a.txt");
    let named = ["lists/b.txt", "lists/odd[1].txt", "lists/a.txt"];
    assert_eq!(lists(&bench, &["--files-from", "names"]), named);
    assert_eq!(lists(&bench, &["--files-from", "names", "lists/d.tsv"])[..2], ["lists/d.tsv", "lists/b.txt"]);
    let words = "--robots sites --force --out out --files-from -";
    bench.filter(words).write_stdin(bench.read("names")).assert().success();
    assert_eq!(Split::read(&bench, "out").lines("allowed").len(), 3);
    bench.file("names", "-\n");
    let words = "--robots sites --force --out out --files-from names";
    bench.filter(words).write_stdin("http://a.example/in\n").assert().success();
    assert_eq!(Split::read(&bench, "out").lines("allowed"), ["http://a.example/in"]);
}

#[test]
fn a_file_that_names_no_lists_or_missing_ones_is_refused() {
    let bench = bench();
    bench.file("names", "\n\r\n");
    bench.refused("--robots sites --out out --files-from names", &["names", "no list"]);
    bench.refused("--robots sites --out out --files-from missing", &["missing"]);
    bench.file("names", "lists/a.txt\nlists/*.txt\n");
    bench.refused("--robots sites --out out --files-from names", &["lists/*.txt"]);
    bench.file("names", format!("lists/a.txt\n{}\n", "x".repeat(200_000)));
    bench.refused("--robots sites --out out --files-from names", &["names, path 2: 200000 bytes are no path"]);
}

#[test]
fn standard_input_is_read_once() {
    let bench = bench();
    bench.file("names", "-\n");
    for words in ["- lists/a.txt -", "--files-from names -", "--files-from - -"] {
        bench.refused(&format!("--robots sites --out out {words}"), &["standard input"]);
    }
}

/// Lists are opened again when they are needed, because a process may have fewer files open.
#[cfg(target_os = "linux")]
#[test]
fn lists_may_be_more_than_files_that_may_be_open() {
    let bench = Bench::with_site();
    for number in 0..600 {
        let line = format!("http://a.example/{number}\n");
        let list = if number % 3 == 0 { gzip(line.as_bytes()) } else { line.into_bytes() };
        bench.file(&format!("many/{number:04}"), list);
    }
    let limited = |words: &str| {
        let mut command = assert_cmd::Command::new("sh");
        command.current_dir(bench.path(".")).args(["-c", "ulimit -n 180 && exec \"$@\"", "sh", PROGRAM]);
        command.args(bench.arguments(words));
        command
    };
    for options in ["", "--skip-bad", "--unique --memory 64M", "--per-input --resume"] {
        let words = format!("filter --agent examplebot --robots sites {options} --out out many/*");
        limited(&words).assert().success();
        assert_eq!(bench.receipt("out")["partitions"]["allowed"]["lines"], 600, "{options}");
        limited("verify --inputs out").assert().success();
        std::fs::remove_dir_all(bench.path("out")).expect("removed");
    }
}
