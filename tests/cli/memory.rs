//! `--memory`: measures a run's memory against its budget.
//!
//! The measure is the anonymous memory of the process (RssAnon), sampled while it runs: a counting allocator in Rust
//! would miss libzstd and the kernel.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Output, Stdio};

use crate::support::compression::{gzip, looking_back};
use crate::support::program::{Bench, assert_no_result, said};
use crate::support::results::Split;

/// The memory budget in these tests.
const MEMORY: u64 = 64 << 20;

/// Runs `filter` with a memory budget, and checks that it stays within it.
fn within(bench: &Bench, memory: u64, words: &str) -> Output {
    let words = format!("filter --robots sites --out out --memory {memory} --threads 3 {words}");
    watched(bench, memory, &mut bench.command(&words))
}

/// Runs a command, and checks that it takes no more memory than this.
fn watched(_bench: &Bench, memory: u64, command: &mut Command) -> Output {
    let words = format!("{command:?}");
    command.stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("a state").is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let anonymous = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.strip_suffix("kB"));
        peak = peak.max(anonymous.map_or(0, |kib| kib.trim().parse::<u64>().expect("a number") << 10));
        std::thread::yield_now();
    }
    assert!(peak < memory, "{words}: {peak}");
    child.wait_with_output().expect("it ends")
}

#[test]
#[ignore = "takes long"]
fn a_line_that_has_no_room_is_refused_and_what_is_before_it_kept() {
    let bench = Bench::with_site();
    let mut text = "http://a.example/before\n".repeat(100_000).into_bytes();
    let before = text.len();
    text.extend_from_slice(b"http://a.example/");
    text.resize(before + (200 << 20), b'x');
    text.extend_from_slice(b"\nhttp://a.example/after\n");
    bench.file("text", &text);
    bench.file("gzip", gzip(&text));
    bench.file("zstd", looking_back(&text, 1, 20));
    drop(text);
    for list in ["text", "gzip", "zstd"] {
        let ended = within(&bench, MEMORY, &format!("--agent examplebot --force --checkpoint 0 {list}"));
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        let place = format!("at byte {before} ");
        said(&ended.stderr, &[list, "a line of more than", &place, "--memory", "--resume"]);
        assert_no_result(&bench.names("out"));
    }
    fs::remove_file(bench.path("text")).expect("removed");
}

#[test]
#[ignore = "takes long"]
fn a_line_that_has_room_is_split() {
    for option in ["", "--compress gz", "--compress zst", "--verdicts"] {
        let bench = Bench::with_site();
        let line = |path: &str| format!("http://a.example/{path}/{}\n", "x".repeat(700_000));
        let text = [line("no"), "http://a.example/\n".repeat(100), line("yes"), line("no").repeat(5)].concat();
        bench.file("text", &text);
        bench.file("gzip", gzip(text.as_bytes()));
        let ended = within(&bench, MEMORY, &format!("--agent examplebot {option} text gzip"));
        assert!(ended.status.success(), "{ended:?}");
        if option != "--verdicts" {
            Split::read(&bench, "out").accounts_for(&[text.clone().into_bytes(), text.into_bytes()]);
        }
        bench.program("verify out --inputs").assert().success();
    }
}

#[test]
#[ignore = "takes long"]
fn a_window_that_has_no_room_is_refused() {
    let bench = Bench::with_site();
    let line = format!("http://a.example/{}\n", "x".repeat(1000));
    bench.file("list", looking_back(line.as_bytes(), 200_000, 27));
    let ended = within(&bench, MEMORY, "--agent examplebot list");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["list", "needs a larger window", "--memory"]);
    let ended = within(&bench, 1 << 30, "--agent examplebot --force list");
    assert!(ended.status.success(), "{ended:?}");
    // Likewise for sources.
    let answer = "{\"origin\":\"http://b.example\",\"status\":404}\n";
    bench.file("answers", looking_back(answer.as_bytes(), 500_000, 27));
    bench.file("urls", "http://b.example/\n");
    let ended = within(&bench, MEMORY, "--agent examplebot --force --robots answers urls");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["answers", "needs a larger window", "--memory"]);
    let ended = within(&bench, 1 << 30, "--agent examplebot --force --robots answers urls");
    assert!(ended.status.success(), "{ended:?}");
}

/// Lists are read at once as far as there is room for their windows.
#[test]
#[ignore = "takes long"]
fn many_lists_stay_within() {
    let bench = Bench::with_site();
    let line = format!("http://a.example/{}\n", "x".repeat(2000));
    let mut lists = String::new();
    for number in 0..64 {
        let name = format!("list{number}");
        // Windows of 128 KiB to 16 MiB, each filled.
        let window = [23, 17, 24][number % 3];
        bench.file(&name, looking_back(line.as_bytes(), if window == 17 { 1000 } else { 9000 }, window));
        lists += &format!(" {name}");
    }
    for (memory, option) in
        [(MEMORY, "--count"), (MEMORY, "--out out"), (256 << 20, "--count"), (256 << 20, "--out two")]
    {
        let words = format!("filter --agent examplebot --robots sites --memory {memory} --threads 8 {option} {lists}");
        let ended = watched(&bench, memory, &mut bench.command(&words));
        // Without room for the window of one list, the run fails.
        assert_eq!(ended.status.success(), memory > MEMORY, "{ended:?}");
    }
}

/// A table can store a URL once and say that a thousand rows have it.
#[cfg(feature = "parquet")]
#[test]
#[ignore = "takes long"]
fn rows_that_say_little_and_give_much_stay_within() {
    use crate::support::tables::{Values::Texts, parquet};

    let bench = Bench::with_site();
    let url: &'static str = Box::leak(format!("http://a.example/no/{}", "x".repeat(300_000)).into_boxed_str());
    let rows = Texts(vec![Some(url); 400]);
    bench.file("list", parquet(&[("required binary url", rows)], 2, parquet::basic::Compression::SNAPPY));
    for option in ["", "--unique", "--verdicts"] {
        let ended = within(&bench, MEMORY, &format!("--agent examplebot --force {option} list"));
        assert!(ended.status.success(), "{option} {ended:?}");
        bench.program("verify out").assert().success();
    }
}

#[test]
#[ignore = "takes long"]
fn many_crawlers_and_origins_stay_within() {
    let bench = Bench::with_site();
    let agents: String = (0..15).map(|number| format!("--agent bot{} ", (b'a' + number) as char)).collect();
    bench.file("urls", (0..400_000).map(|number| format!("http://{number}.a/\n")).collect::<String>());
    let ended = within(&bench, 160 << 20, &format!("{agents} --agent * --checkpoint 1 urls"));
    assert!(ended.status.success(), "{ended:?}");
    let needed = String::from_utf8(bench.read("out/robots-needed.tsv")).expect("UTF-8");
    assert_eq!(needed.lines().count(), 400_001);
}

#[test]
fn memory_too_small_for_one_worker_is_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    let words = "--robots sites --memory 1M --out out urls";
    bench.refused(
        words,
        &["1048576 bytes of memory are too few", "at least", "the unknown origins of a chunk", "--memory"],
    );
    bench.refused(&words.replace("1M", "0"), &["--memory"]);
}

/// A resumed run keeps the chunk size it began with, and may have more or less memory.
#[test]
fn a_run_resumes_with_other_memory() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n".repeat(1000));
    let words = "filter --agent examplebot --robots sites --out out";
    bench.program(&format!("{words} urls")).assert().success();
    let words = format!("{words} --resume --memory 100M --threads 2");
    bench.program(&format!("{words} urls")).assert().success();
}
