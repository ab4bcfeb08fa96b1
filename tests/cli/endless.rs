//! Files that never end, or that are small and much longer once decompressed: every command reads a robots.txt as far as its dialect
//! does, and any other text to a limit.
#![cfg(target_os = "linux")]

use std::process::{Command, Output, Stdio};

use crate::support::compression::gzip;
use crate::support::program::{Bench, PROGRAM, said};

/// Rules that block everything, and then a gibibyte of comment that is not read, in many members.
fn bomb() -> Vec<u8> {
    let line = gzip(&[&[b'#'; 1 << 20][..], b"\n"].concat());
    [gzip(b"User-agent: *\nDisallow: /\n"), line.repeat(1 << 10)].concat()
}

/// Runs a command in less memory than any of these texts would take.
fn limited(bench: &Bench, words: &str, input: Stdio) -> Output {
    let script = "ulimit -v 900000; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.current_dir(bench.path(".")).args(["-c", script, PROGRAM]).args(bench.arguments(words));
    command.env("RAYON_NUM_THREADS", "2").stdin(input).output().expect("the program")
}

#[test]
fn a_robots_txt_is_read_no_further_than_its_dialect_reads() {
    let bench = Bench::with_site();
    let bomb = bomb();
    bench.file("bomb.gz", &bomb);
    bench.file("sites/b.example", &bomb);
    bench.file("o.toml", "[\"http://a.example\"]\nrobots-txt-file = \"bomb.gz\"\n");
    bench.file("answers.jsonl", "{\"url\":\"http://a.example/robots.txt\",\"status\":200,\"body\":\"\"}\n");
    bench.file("urls", "http://a.example/x\nhttp://b.example/x\n");
    let done = limited(&bench, "lint --dialect all bomb.gz", Stdio::null());
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8_lossy(&done.stdout);
    for dialect in ["google", "rfc9309"] {
        assert!(text.lines().any(|line| line.contains("file-cut") && line.contains(dialect)), "{text}");
    }
    let crawler = "--agent x --robots";
    for words in [
        format!("check {crawler} bomb.gz http://a.example/x"),
        format!("check {crawler} bomb.gz --origin http://a.example http://a.example/x"),
        format!("check {crawler} answers.jsonl --overrides o.toml http://a.example/x"),
    ] {
        let done = limited(&bench, &words, Stdio::null());
        said_by(&done, "blocked\thttp://a.example/x\t");
    }
    let bombed = || Stdio::from(std::fs::File::open(bench.path("bomb.gz")).expect("a file"));
    said_by(&limited(&bench, "check --agent x --robots - http://a.example/x", bombed()), "blocked\t");
    assert_eq!(limited(&bench, "lint -", bombed()).status.code(), Some(1));
    for words in ["--robots sites --overrides o.toml", "--robots bomb.gz --origin http://a.example"] {
        let done = limited(&bench, &format!("filter --agent x --only blocked {words} urls"), Stdio::null());
        said_by(&done, "http://a.example/x\n");
    }
}

fn said_by(done: &Output, start: &str) {
    let (out, error) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(out.starts_with(start), "{out}{error}");
}

#[test]
fn a_device_ends() {
    let bench = Bench::with_site();
    bench.file("zeros.toml", "[\"http://a.example\"]\nrobots-txt-file = \"/dev/zero\"\n");
    bench.file("urls", "http://a.example/no\n");
    let words = "check --agent x --robots /dev/zero --origin http://a.example http://a.example/no";
    let done = limited(&bench, words, Stdio::null());
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    for (words, part) in [
        // Zeros are no robots.txt.
        ("check --agent x --robots /dev/zero http://a.example/no", "full of NULs"),
        ("check --agent x --robots sites --overrides zeros.toml http://a.example/no", "full of NULs"),
        ("filter --agent x --robots sites --overrides zeros.toml --count urls", "full of NULs"),
        ("compile --agent x sites --overrides zeros.toml -o policy", "full of NULs"),
        ("lint /dev/zero", "full of NULs"),
        ("check --agent x --robots sites --overrides /dev/zero http://a.example/no", "longer than"),
        ("compile --agent x sites --overrides /dev/zero -o policy", "longer than"),
        ("check --agent x --robots sites -", "a line of more than"),
        ("filter --agent x --robots sites --count /dev/zero", "a line of more than"),
        ("inspect /dev/zero", "/dev/zero"),
    ] {
        let zeros = std::fs::File::open("/dev/zero").expect("a device");
        let done = limited(&bench, words, zeros.into());
        assert_eq!(done.status.code(), Some(2), "{words}: {}", String::from_utf8_lossy(&done.stderr));
        said(&done.stderr, &[part]);
        assert!(!String::from_utf8_lossy(&done.stderr).contains("out of memory"), "{words}");
    }
}

/// A pipe can be read once only, so what has been read of it to learn its kind is not lost.
#[test]
fn a_robots_txt_from_a_pipe_is_read_whole() {
    let bench = Bench::with_site();
    let script = "printf 'User-agent: *\\nDisallow: /\\n' | \"$0\" check --agent x --origin http://a.example --robots /dev/stdin http://a.example/x";
    let done = Command::new("sh").current_dir(bench.path(".")).args(["-c", script, PROGRAM]).output().expect("a shell");
    said_by(&done, "blocked\t");
}

#[test]
fn a_compressed_replacement_is_a_robots_txt() {
    let bench = Bench::with_site();
    bench.file("own.gz", crate::support::compression::gzip(b"User-agent: *\nDisallow: /\n"));
    bench.file("o.toml", "[\"http://a.example\"]\nrobots-txt-file = \"own.gz\"\n");
    let done = bench.program("check --agent x --robots sites --overrides o.toml http://a.example/x").output();
    said_by(&done.expect("the program"), "blocked\t");
}
