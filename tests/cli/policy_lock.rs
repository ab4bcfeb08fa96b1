//! Two commands that write one policy file: the second waits for the first, then reads what that wrote. A killed one leaves nothing
//! that the next does not remove.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::support::program::{Bench, said};

const LOCK: &str = ".policy.rsv.lock";

/// A folder with policies of one origin each: `policy.rsv` of `a.example`, `b.rsv`, and `c.rsv`.
fn bench() -> Bench {
    let bench = Bench::new();
    for (name, policy) in [("a", "policy"), ("b", "b"), ("c", "c")] {
        bench.file(&format!("{name}.jsonl"), answer(name));
        bench.program(&format!("compile -q --agent examplebot {name}.jsonl -o {policy}.rsv")).assert().success();
    }
    bench
}

fn answer(name: &str) -> String {
    format!("{{\"origin\":\"http://{name}.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /\"}}\n")
}

/// A command that has begun.
fn begun(bench: &Bench, words: &str) -> Child {
    let mut command = bench.command(words);
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the program")
}

/// A command that has said that it waits.
struct Waiting {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
}

impl Waiting {
    fn new(bench: &Bench, words: &str, file: &str) -> Waiting {
        let mut child = begun(bench, words);
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("a line");
        assert_eq!(line, format!("robosieve: waiting for another robosieve that writes {file}\n"));
        Waiting { child, stderr }
    }

    /// How it ended, and what else it said.
    fn end(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).expect("text");
        (self.child.wait().expect("a child"), rest)
    }

    fn succeed(self) {
        let (status, rest) = self.end();
        assert!(status.success() && !rest.contains("waiting"), "{status}: {rest}");
    }
}

/// Takes a lock as the program does.
fn take(bench: &Bench, lock: &str) -> File {
    let file = File::create(bench.path(lock)).expect("a file");
    file.lock().expect("a lock");
    file
}

/// Gives up a lock as the program does.
fn release(bench: &Bench, lock: &str, file: File) {
    fs::remove_file(bench.path(lock)).expect("deleted");
    drop(file);
}

/// A `compile` that has the lock and waits for its source, and that source.
fn compiling(bench: &Bench) -> (Child, File) {
    let made = Command::new("mkfifo").arg(bench.path("pipe")).status();
    assert!(made.expect("mkfifo").success());
    let child = begun(bench, "compile --agent examplebot a.jsonl pipe -o policy.rsv");
    // Opened once the program reads it.
    let pipe = File::options().write(true).open(bench.path("pipe")).expect("a pipe");
    (child, pipe)
}

fn has(bench: &Bench, origins: &[&str]) {
    for origin in origins {
        bench.program(&format!("inspect policy.rsv http://{origin}.example")).assert().success();
    }
}

/// The hidden files.
fn hidden(bench: &Bench) -> Vec<String> {
    bench.names(".").into_iter().filter(|name| name.starts_with('.')).collect()
}

#[test]
fn merges_into_one_file_at_once_all_count() {
    let bench = bench();
    let lock = take(&bench, LOCK);
    let merges = ["b", "c"]
        .map(|name| Waiting::new(&bench, &format!("merge policy.rsv {name}.rsv -o policy.rsv"), "policy.rsv"));
    release(&bench, LOCK, lock);
    merges.into_iter().for_each(Waiting::succeed);
    has(&bench, &["a", "b", "c"]);
    assert!(hidden(&bench).is_empty(), "{:?}", hidden(&bench));
}

#[test]
fn a_merge_waits_for_a_compile_and_reads_its_file() {
    let bench = bench();
    let (mut first, mut pipe) = compiling(&bench);
    let second = Waiting::new(&bench, "merge policy.rsv b.rsv -o policy.rsv", "policy.rsv");
    pipe.write_all(answer("c").as_bytes()).expect("a line");
    drop(pipe);
    assert!(first.wait().expect("a child").success());
    second.succeed();
    has(&bench, &["a", "b", "c"]);
    assert!(hidden(&bench).is_empty(), "{:?}", hidden(&bench));
}

#[test]
fn what_a_killed_one_left_is_removed_by_the_next() {
    let bench = bench();
    let (mut first, _pipe) = compiling(&bench);
    let second = Waiting::new(&bench, "compile --agent examplebot b.jsonl -o policy.rsv", "policy.rsv");
    // As if it had been killed while it wrote.
    let [partial, other] = [".policy.rsv.a1B2c3.partial", ".policy.rsv.old.a1B2c3.partial"];
    bench.file(partial, "robo");
    bench.file(other, "robo");
    first.kill().expect("killed");
    first.wait().expect("a child");
    second.succeed();
    has(&bench, &["b"]);
    assert_eq!(hidden(&bench), [other]);
    // Now nothing holds it.
    bench.file(LOCK, "");
    bench.file(partial, "robo");
    bench.program("merge -q policy.rsv c.rsv -o policy.rsv").assert().success().stderr("");
    has(&bench, &["b", "c"]);
    assert_eq!(hidden(&bench), [other]);
}

#[test]
fn a_wait_can_be_interrupted() {
    let bench = bench();
    let before = bench.read("policy.rsv");
    let lock = take(&bench, LOCK);
    let second = Waiting::new(&bench, "merge policy.rsv b.rsv -o policy.rsv", "policy.rsv");
    // SAFETY: it takes numbers only.
    unsafe { libc::kill(second.child.id() as libc::pid_t, libc::SIGTERM) };
    let (status, rest) = second.end();
    assert_eq!((status.signal(), rest.as_str()), (Some(libc::SIGTERM), ""));
    assert_eq!(hidden(&bench), [LOCK]);
    assert_eq!(bench.read("policy.rsv"), before);
    release(&bench, LOCK, lock);
    bench.program("merge -q policy.rsv b.rsv -o policy.rsv").assert().success();
    has(&bench, &["a", "b"]);
}

/// Whether a process sleeps while it has a file of this name open.
#[cfg(target_os = "linux")]
fn sleeps_at(process: u32, name: &str) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let is_open = open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|path| path.ends_with(name));
    let state = fs::read_to_string(format!("/proc/{process}/stat")).expect("a state");
    is_open && state.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('S'))
}

#[cfg(target_os = "linux")]
#[test]
fn a_quiet_one_waits_in_silence() {
    let bench = bench();
    let lock = take(&bench, LOCK);
    let child = begun(&bench, "merge --quiet policy.rsv b.rsv -o policy.rsv");
    while !sleeps_at(child.id(), LOCK) {
        std::thread::yield_now();
    }
    release(&bench, LOCK, lock);
    let done = child.wait_with_output().expect("a child");
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    has(&bench, &["a", "b"]);
}

#[test]
fn behind_a_link_the_file_itself_is_locked() {
    let bench = bench();
    fs::create_dir(bench.path("sub")).expect("a folder");
    fs::rename(bench.path("policy.rsv"), bench.path("sub/policy.rsv")).expect("moved");
    std::os::unix::fs::symlink("sub/policy.rsv", bench.path("link.rsv")).expect("a link");
    let beside = format!("sub/{LOCK}");
    let lock = take(&bench, &beside);
    let merge = Waiting::new(&bench, "merge link.rsv b.rsv -o link.rsv", "link.rsv");
    release(&bench, &beside, lock);
    merge.succeed();
    bench.program("inspect sub/policy.rsv http://b.example").assert().success();
    assert!(bench.path("link.rsv").is_symlink() && hidden(&bench).is_empty());
    assert_eq!(bench.names("sub"), ["policy.rsv"]);
}

#[test]
fn a_file_in_the_place_of_the_lock_stays() {
    let bench = bench();
    bench.file(LOCK, "mine");
    let done = bench.program("merge policy.rsv b.rsv -o policy.rsv").assert().code(2);
    said(&done.get_output().stderr, &["cannot write the policy policy.rsv: .policy.rsv.lock: it is not empty"]);
    assert_eq!(bench.read(LOCK), b"mine");
}

#[test]
fn where_nothing_can_be_written_the_policy_is_named() {
    let bench = bench();
    for words in ["merge policy.rsv b.rsv", "compile --agent examplebot a.jsonl"] {
        let done = bench.program(&format!("{words} -o missing/p.rsv")).assert().code(2);
        done.stderr("robosieve: cannot write the policy missing/p.rsv: No such file or directory; make its folder first, or choose \
             another\n");
    }
}

#[test]
fn a_stream_is_not_locked() {
    let bench = bench();
    for words in ["merge policy.rsv b.rsv", "compile --agent examplebot a.jsonl"] {
        let done = bench.program(&format!("{words} -q -o /dev/stdout")).assert().success();
        assert!(done.get_output().stdout.starts_with(&bench.read("policy.rsv")[..8]));
    }
    assert!(hidden(&bench).is_empty());
}
