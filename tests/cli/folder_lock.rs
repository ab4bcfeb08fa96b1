//! Two runs into one folder: the second is refused while the first is running, and accepted once it has died. A run in a folder
//! below is another one, and left alone.

use std::io::Write;
use std::process::{Child, Stdio};

use crate::support::program::{Bench, said};

const LOCK: &str = "out/.robosieve.lock";

/// A file that a run creates once it holds the lock.
const PARTIAL: &str = ".allowed.txt.partial";

/// A run into a folder that waits for more of its list.
fn waiting_run(bench: &Bench, folder: &str) -> Child {
    let words = format!("filter --agent examplebot --robots sites --out {folder} --quiet -");
    let mut command = bench.command(&words);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    child.stdin.as_mut().expect("a pipe").write_all(b"http://a.example/1\n").expect("a line");
    while !bench.path(&format!("{folder}/{PARTIAL}")).exists() {
        std::thread::yield_now();
        assert!(child.try_wait().expect("a child").is_none(), "it ended without its files");
    }
    child
}

#[test]
fn a_folder_has_one_run_at_a_time() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/2\n");
    let mut first = waiting_run(&bench, "out");
    let split = "filter --agent examplebot --robots sites --out out";
    for words in [split, &format!("{split} --force"), &format!("{split} --resume")] {
        let ended = bench.program(&format!("{words} urls")).assert().code(2);
        said(&ended.get_output().stderr, &["another run is writing to out"]);
    }
    drop(first.stdin.take());
    assert!(first.wait().expect("a child").success());
    assert!(!bench.path(LOCK).exists());
    assert_eq!(bench.read("out/allowed.txt"), b"http://a.example/1\n");
    bench.program("verify out").assert().success();
}

#[test]
fn the_lock_ends_with_its_process() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/2\n");
    let mut first = waiting_run(&bench, "out");
    first.kill().expect("killed");
    first.wait().expect("a child");
    // The dead run's files belong to no run, so the folder counts as empty.
    let split = bench.split("--robots sites", &["urls"]);
    assert_eq!(split.lines("allowed"), ["http://a.example/2"]);
    assert!(!bench.path(LOCK).exists());
}

#[test]
fn shards_are_not_joined_where_a_run_writes() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/2\n");
    let shard = "filter --agent examplebot --robots sites --shard 1/1 --now 2026-01-01T00:00:00Z --out part urls";
    bench.program(shard).assert().success();
    let mut first = waiting_run(&bench, "out");
    let ended = bench.program("join --force --out out part").assert().code(2);
    said(&ended.get_output().stderr, &["another run is writing to out"]);
    drop(first.stdin.take());
    assert!(first.wait().expect("a child").success());
    bench.program("join --force --out out part").assert().success();
    assert!(!bench.path(LOCK).exists());
}

/// Its folder may be named like that of a list.
#[test]
fn a_run_in_a_folder_below_keeps_its_files() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/2\n");
    let split = "filter --agent examplebot --robots sites --now 2026-01-01T00:00:00Z";
    bench.program(&format!("{split} --shard 1/1 --out part urls")).assert().success();
    let mut first = waiting_run(&bench, "job/0003-other");
    for words in ["join --out job --force part", "join --out job --force --concat part"] {
        bench.program(words).assert().success();
    }
    bench.program(&format!("{split} --out job --force --per-input urls")).assert().success();
    drop(first.stdin.take());
    assert!(first.wait().expect("a child").success());
    assert_eq!(bench.read("job/0003-other/allowed.txt"), b"http://a.example/1\n");
    for folder in ["job", "job/0003-other"] {
        bench.program(&format!("verify {folder}")).assert().success();
    }
}
