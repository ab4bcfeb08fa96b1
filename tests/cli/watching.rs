//! Progress output: lines, a bar on a terminal, JSON for machines.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Stdio};

use serde_json::{Value, json};

use crate::support::program::{Bench, said};

/// Two allowed, one blocked, one invalid.
const LINES: &str = "http://a.example/1\nhttp://a.example/2\nhttp://a.example/no\nno url at all\n";

/// How often [`LINES`] are written, so that some chunks of them are judged before the input ends.
const TIMES: usize = (4 << 20) / LINES.len();

/// A run that reads [`LINES`] many times from a standard input that stays open.
fn running(bench: &Bench, options: &str, stderr: Stdio) -> (Child, ChildStdin) {
    let words = format!("filter --agent examplebot --robots sites --count --json {options} -");
    let mut command = bench.command(&words);
    command.env("TERM", "xterm");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(stderr).spawn().expect("the program");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(LINES.repeat(TIMES).as_bytes()).expect("it reads");
    (child, stdin)
}

fn event(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn a_short_run_shows_no_progress() {
    let bench = Bench::with_site();
    bench.file("urls", LINES);
    for (options, lines) in [("", 7), ("-v", 9), ("-q", 0), ("--log json", 2), ("--log json -q", 0)] {
        let done = bench.filter(&format!("--robots sites --count --json {options} urls")).assert().success();
        let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert_eq!(stderr.lines().count(), lines, "{options}: {stderr}");
        assert_eq!(stderr.contains("urls"), options.contains("-v") || lines == 2, "{options}: {stderr}");
    }
}

/// The end of a run that was asked to stop is no error, and machines can tell it from one.
#[cfg(unix)]
#[test]
fn an_interruption_is_an_event_of_its_own() {
    let bench = Bench::with_site();
    let words = "filter --agent examplebot --robots sites --only allowed --log json -";
    let mut child = bench
        .command(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"http://a.example/1\n").expect("it reads");
    let mut first = [0; 19];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut first).expect("a line");
    assert!(std::process::Command::new("kill").arg(child.id().to_string()).status().expect("kill").success());
    let ended = child.wait_with_output().expect("it ends");
    drop(input);
    assert_eq!(ended.status.code(), Some(130));
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    let last = event(stderr.lines().last().expect("an event"));
    assert_eq!((&last["event"], &last["message"]), (&json!("interrupted"), &json!("interrupted")), "{stderr}");
}

#[test]
fn the_beginning_says_what_is_to_be_done() {
    let bench = Bench::with_site();
    bench.file("urls", LINES);
    let done = bench.filter("--robots sites --count --log json urls").assert().success();
    let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    let start = event(stderr.lines().next().expect("a line"));
    assert_eq!(start["event"], "start");
    assert_eq!(start["lists"], json!(["urls"]));
    assert_eq!(start["agents"], json!(["examplebot"]));
    assert_eq!((&start["origins"], &start["groups"]), (&json!(2), &json!(1)), "for http and https");
}

#[test]
fn errors_are_reported_in_the_same_form() {
    let bench = Bench::with_site();
    let words = "--robots sites --count --log json urls-that-are-not-there";
    for options in ["", "--quiet"] {
        let done = bench.filter(&format!("{words} {options}")).assert().code(2);
        let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        let error = event(stderr.lines().last().expect("a line"));
        assert_eq!(error["event"], "error");
        assert!(error["message"].as_str().expect("a message").contains("urls-that-are-not-there"), "{error}");
    }
    let done = bench.filter("--robots sites --count --quiet urls-that-are-not-there").assert().code(2);
    said(&done.get_output().stderr, &["robosieve: ", "urls-that-are-not-there"]);
}

/// Nobody reads standard error.
#[cfg(unix)]
#[test]
fn standard_error_need_not_be_read() {
    let bench = Bench::with_site();
    for options in ["", "--log json", "-v"] {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
        drop(ours);
        let (mut child, stdin) = running(&bench, options, Stdio::from(std::os::fd::OwnedFd::from(theirs)));
        drop(stdin);
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{options}");
    }
}

/// A pseudo-terminal: the user's end, and the end the program writes to.
#[cfg(target_os = "linux")]
fn terminal() -> (std::fs::File, Stdio) {
    use std::os::fd::{FromRawFd, OwnedFd};
    let (mut ours, mut theirs) = (0, 0);
    let size = libc::winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the pointers for results and size are to live values; the name and the settings may be null.
    let opened = unsafe { libc::openpty(&mut ours, &mut theirs, std::ptr::null_mut(), std::ptr::null(), &size) };
    assert_eq!(opened, 0, "a terminal");
    // SAFETY: both were just opened, and nothing else owns them.
    unsafe { (std::fs::File::from_raw_fd(ours), Stdio::from(OwnedFd::from_raw_fd(theirs))) }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_a_bar_that_goes_away() {
    let bench = Bench::with_site();
    let (mut ours, theirs) = terminal();
    let (mut child, stdin) = running(&bench, "", theirs);
    let mut stdin = Some(stdin);
    let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
    // At the end, reading from a terminal without a writer is an error.
    while let Ok(length @ 1..) = ours.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..length]);
        if String::from_utf8_lossy(&seen).contains("invalid 25.0%") {
            stdin = None;
        }
    }
    assert!(stdin.is_none());
    assert!(child.wait().expect("it ends").success());
    let text = String::from_utf8_lossy(&seen);
    assert!(text.contains("allowed 50.0%, blocked 25.0%, deferred 0.0%, invalid 25.0%"), "{text}");
    let (bar, table) = text.split_once("partition ").expect("a table");
    let after = bar.rsplit("invalid 25.0%").next().expect("what follows the bar");
    assert_eq!(after.matches("\x1b[2K").count(), 2, "both its lines are erased before the table: {bar:?}");
    assert!(table.contains("URLs a second") && !table.contains("robosieve:"), "{table}");
}

#[test]
fn invalid_arguments_are_reported_in_the_same_form() {
    let bench = Bench::with_site();
    for (options, words) in [
        ("--log json --no-such-option", "--no-such-option"),
        ("--threads many --log=json", "--threads"),
        ("--log json --count --out out urls", "cannot be used with"),
    ] {
        let done = bench.filter(&format!("--robots sites {options}")).assert().code(2);
        let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        let said = event(&stderr);
        assert_eq!(said["event"], "error");
        let message = said["message"].as_str().expect("a message");
        assert!(message.contains(words) && !message.starts_with("error"), "{message}");
    }
    let done = bench.filter("--log text --no-such-option").assert().code(2);
    assert!(done.get_output().stderr.starts_with(b"error: unexpected argument"));
    bench.filter("--log json --help").assert().success();
}
