//! Files that are read, changed and replaced; pipes where a regular file is expected; outputs that are closed.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use crate::support::program::{Bench, PROGRAM, said};

/// A program that has said that it waits for a lock.
struct Waiting {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Waiting {
    fn new(bench: &Bench, words: &str) -> Waiting {
        let mut command = bench.command(words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("a line");
        assert!(line.starts_with("robosieve: waiting for another robosieve that writes "), "{words}: {line}");
        Waiting { child, stderr }
    }

    fn succeed(mut self) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).expect("text");
        assert!(self.child.wait().expect("a child").success(), "{rest}");
    }
}

/// A folder with files of seen URLs, each with one of its own: `all`, and those with these names.
fn with_seen(names: &[String]) -> Bench {
    let bench = Bench::with_site();
    for name in names.iter().map(String::as_str).chain(["all"]) {
        bench.file("urls", format!("http://a.example/{name}\n"));
        let words = format!("filter --agent examplebot --robots sites --quiet --count --unique --seen {name} urls");
        bench.program(&words).assert().success();
    }
    bench
}

fn has_urls(bench: &Bench, name: &str, count: usize) {
    let done = bench.program(&format!("seen {name}")).assert().success();
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.contains(&format!(" {count} URL")), "{text}");
}

fn hidden(bench: &Bench) -> Vec<String> {
    bench.names(".").into_iter().filter(|name| name.starts_with('.')).collect()
}

/// Each reads the file after the one before has replaced it, under whatever name it is given.
#[test]
fn merges_of_seen_urls_at_once_all_count() {
    let names: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
    let bench = with_seen(&names);
    fs::create_dir(bench.path("sub")).expect("a folder");
    symlink("../all", bench.path("sub/link")).expect("a link");
    let lock = File::create(bench.path(".all.lock")).expect("a file");
    lock.lock().expect("a lock");
    let paths = ["all", "./all", "sub/link", "sub/../all"];
    let merges: Vec<Waiting> = names
        .iter()
        .zip(paths.iter().cycle())
        .map(|(name, path)| Waiting::new(&bench, &format!("seen {path} {name} -o {path}")))
        .collect();
    fs::remove_file(bench.path(".all.lock")).expect("deleted");
    drop(lock);
    merges.into_iter().for_each(Waiting::succeed);
    has_urls(&bench, "all", 9);
    assert!(bench.path("sub/link").is_symlink() && hidden(&bench).is_empty(), "{:?}", hidden(&bench));
}

/// Without anything that makes them wait for each other at first.
#[test]
fn many_merges_of_seen_urls_lose_none() {
    let names: Vec<String> = (0..24).map(|number| format!("s{number}")).collect();
    let bench = with_seen(&names);
    let begin = |name: &String| {
        let mut command = bench.command(&format!("seen all {name} -o all"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program")
    };
    let merges: Vec<Child> = names.iter().map(begin).collect();
    for mut merge in merges {
        assert!(merge.wait().expect("a child").success());
    }
    has_urls(&bench, "all", 25);
    assert!(hidden(&bench).is_empty(), "{:?}", hidden(&bench));
}

/// A run that adds URLs, and a merge, take the same lock.
#[test]
fn a_run_and_a_merge_do_not_replace_the_same_file_at_once() {
    let bench = with_seen(&["other".to_owned()]);
    bench.file("urls", "http://a.example/new\n");
    let lock = File::create(bench.path(".all.lock")).expect("a file");
    lock.lock().expect("a lock");
    let words = "filter --agent examplebot --robots sites --quiet --count --unique --seen all urls";
    let done = bench.program(words).assert().code(2);
    said(&done.get_output().stderr, &["another run is adding URLs to", "all"]);
    let merge = Waiting::new(&bench, "seen all other -o all");
    fs::remove_file(bench.path(".all.lock")).expect("deleted");
    drop(lock);
    merge.succeed();
    bench.program(words).assert().success();
    has_urls(&bench, "all", 3);
}

/// A hard link is another name of the same file, which keeps what it had.
#[test]
fn a_hard_link_keeps_its_file() {
    let bench = with_seen(&["other".to_owned()]);
    fs::hard_link(bench.path("all"), bench.path("hard")).expect("a link");
    bench.program("seen hard other -o all").assert().success();
    has_urls(&bench, "all", 2);
    has_urls(&bench, "hard", 1);
}

fn mkfifo(bench: &Bench, name: &str) {
    assert!(Command::new("mkfifo").arg(bench.path(name)).status().expect("mkfifo").success());
}

/// The commands that expect a policy or another file of this program, and those that name one for `lint`. None of them may wait: the
/// test would never end.
#[test]
fn a_pipe_is_refused_where_a_regular_file_is_expected() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench.program("compile --quiet --agent examplebot sites -o policy.rsv").assert().success();
    bench.program("filter --quiet --policy policy.rsv --out out urls").assert().success();
    mkfifo(&bench, "pipe");
    symlink("pipe", bench.path("link")).expect("a link");
    for name in ["pipe", "link"] {
        for words in [
            "filter --policy PIPE --out new urls",
            "filter --policy policy.rsv --policy PIPE --only allowed urls",
            "filter --policy PIPE --follow --only allowed urls",
            "filter --policy policy.rsv --against PIPE --only allowed urls",
            "check --policy PIPE http://a.example/",
            "inspect PIPE",
            "inspect PIPE http://a.example",
            "inspect policy.rsv --policy PIPE",
            "inspect --trust-checksum PIPE",
            "export PIPE --what access",
            "merge policy.rsv PIPE -o new.rsv",
            "diff policy.rsv PIPE",
            "diff PIPE policy.rsv",
            "history policy.rsv PIPE",
            "report out --policy PIPE -o new.html",
            "lint PIPE",
            "lint sites PIPE",
            "seen PIPE",
            "seen PIPE -o new.rss",
        ] {
            let words = words.replace("PIPE", name);
            let done = bench.program(&words).assert().code(2);
            said(&done.get_output().stderr, &[name, "not a regular file"]);
        }
    }
    for name in ["new", "new.rsv", "new.html", "new.rss"] {
        assert!(!bench.path(name).exists(), "{name}");
    }
    // Of the program's own files, those in the place of a pipe are as damaged.
    fs::remove_file(bench.path("out/receipt.json")).expect("deleted");
    mkfifo(&bench, "out/receipt.json");
    for words in
        ["verify out", "report out", "join --out all out", "filter --policy policy.rsv --out out --resume urls"]
    {
        bench.program(words).assert().code(2);
    }
}

/// A policy that is replaced by a pipe while it is followed stays in use.
#[test]
fn a_followed_policy_is_not_waited_for() {
    let bench = Bench::with_site();
    bench.program("compile --quiet --agent examplebot sites -o policy.rsv").assert().success();
    let mut command = bench.command("filter --policy policy.rsv --follow --only allowed -");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    let mut input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut ask = |url: &str| {
        std::io::Write::write_all(&mut input, format!("{url}\n").as_bytes()).expect("written");
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        assert_eq!(line, format!("{url}\n"));
    };
    ask("http://a.example/1");
    fs::remove_file(bench.path("policy.rsv")).expect("deleted");
    mkfifo(&bench, "policy.rsv");
    ask("http://a.example/2");
    drop(input);
    let done = child.wait_with_output().expect("a child");
    assert!(done.status.success());
    let text = String::from_utf8_lossy(&done.stderr);
    assert!(text.contains("the file before it stays in use") && text.contains("not a regular file"), "{text}");
}

/// Pipes stay where a text is read once.
#[test]
fn pipes_of_texts_are_read() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/no\n");
    bench.file(
        "answers.jsonl",
        "{\"origin\":\"http://a.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\"}\n",
    );
    for (words, code) in [
        ("check --agent x --robots <(cat sites/a.example) http://a.example/no", 1),
        ("check --agent x --robots <(cat answers.jsonl) http://a.example/no", 1),
        ("filter --agent x --robots <(cat answers.jsonl) --only blocked <(cat urls)", 0),
        ("filter --agent x --robots <(cat sites/a.example) --origin http://a.example --only blocked urls", 0),
        ("lint <(cat sites/a.example)", 0),
        ("lint - < sites/a.example", 0),
        ("lint /dev/stdin < sites/a.example", 0),
    ] {
        let done = shell(&bench, words);
        assert_eq!(done.status.code(), Some(code), "{words}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

/// Runs the program by a shell, which redirects.
fn shell(bench: &Bench, words: &str) -> Output {
    let mut command = Command::new("bash");
    command.current_dir(bench.path(".")).args(["-c", &format!("{PROGRAM} {words}")]);
    command.stdin(Stdio::null()).output().expect("a shell")
}

/// What each command prints is lost without standard output; what prints nothing does not need it.
#[test]
fn a_closed_standard_output_is_an_error_for_what_prints() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\nhttp://a.example/no\n");
    bench.file("bad", "User-agent: *\nDisallow: no\n");
    for words in [
        "compile --quiet --agent examplebot sites -o policy.rsv",
        "filter --quiet --policy policy.rsv --out out urls",
        "filter --quiet --policy policy.rsv --unique --seen seen --count urls",
    ] {
        bench.program(words).assert().success();
    }
    for words in [
        "filter --policy policy.rsv --only allowed urls",
        "filter --policy policy.rsv --only deferred urls",
        "filter --policy policy.rsv --verdicts urls",
        "filter --policy policy.rsv --blocked-for urls",
        "filter --policy policy.rsv --count urls",
        "filter --policy policy.rsv --count --json urls",
        "check --policy policy.rsv http://a.example/",
        "check --policy policy.rsv --json http://a.example/no",
        "inspect policy.rsv",
        "inspect policy.rsv http://a.example",
        "inspect policy.rsv http://never.example",
        "export policy.rsv --what access",
        "diff policy.rsv policy.rsv",
        "diff policy.rsv policy.rsv --summary",
        "history policy.rsv",
        "lint bad",
        "lint --format sarif sites/a.example",
        "lint --kinds",
        "seen seen",
        "seen seen -o /dev/stdout",
        "keys --shard 1/2 -o keys.rss urls",
        "verify out",
        "completions bash",
        "man",
        "man filter",
        "help",
        "help filter",
        "--help",
        "filter -h",
        "--version",
        "compile --agent examplebot sites -o /dev/stdout",
        "export policy.rsv --what access -o /dev/stdout",
    ] {
        for (redirected, prints) in [(">&-", "is closed"), ("1</dev/null", "open only for reading"), (">/dev/full", "")]
        {
            let done = shell(&bench, &format!("{words} {redirected}"));
            let text = String::from_utf8_lossy(&done.stderr).into_owned();
            // Nothing to print is no loss.
            if redirected == ">/dev/full" && words.contains("--only deferred") {
                continue;
            }
            assert_eq!(done.status.code(), Some(2), "{words} {redirected}: {text}");
            assert!(text.contains("robosieve: cannot ") && text.contains(prints), "{words} {redirected}: {text}");
        }
    }
    for words in [
        "compile --agent examplebot sites -o new.rsv >&-",
        "merge policy.rsv new.rsv -o new.rsv >&-",
        "filter --policy policy.rsv --out new urls >&-",
        "filter --policy policy.rsv --only allowed urls >/dev/null",
        "filter --policy policy.rsv --only allowed urls 1<>/dev/null",
        "export policy.rsv --what access -o access.tsv >&-",
        "export policy.rsv --what access -o /dev/null >&-",
        "report out >&-",
        "man -o pages >&-",
    ] {
        let done = shell(&bench, words);
        assert_eq!(done.status.code(), Some(0), "{words}: {}", String::from_utf8_lossy(&done.stderr));
    }
    // A reader that is gone is no error.
    let done = shell(&bench, "check --policy policy.rsv http://a.example/ | true; exit ${PIPESTATUS[0]}");
    assert_eq!(done.status.code(), Some(0));
}

/// A file of that name is no folder, and stays.
#[test]
fn a_file_in_the_place_of_the_folder_is_named() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench.file("file", "mine");
    bench.program("compile --quiet --agent examplebot sites -o policy.rsv").assert().success();
    for words in [
        "filter --policy policy.rsv --out file urls",
        "filter --policy policy.rsv --out file --resume urls",
        "filter --policy policy.rsv --out file --force urls",
        "filter --policy policy.rsv --out file --verdicts urls",
    ] {
        let done = bench.program(words).assert().code(2);
        said(&done.get_output().stderr, &["file is a file, not a folder", "--out"]);
        assert_eq!(bench.read("file"), b"mine", "{words}");
    }
}

/// A run that writes no receipt says nothing of one.
#[test]
fn only_what_writes_a_receipt_speaks_of_one() {
    let bench = Bench::new();
    bench.file("sites/a.example", "User-agent: *\nDisallow: no\n");
    bench.file("urls", "http://a.example/\n");
    let run = |words: &str| {
        let done = bench.program(&format!("filter --agent examplebot --robots sites {words} urls")).assert().success();
        let output = done.get_output();
        [&output.stdout[..], &output.stderr].concat()
    };
    for words in ["--count", "--only allowed", "--verdicts"] {
        let text = String::from_utf8(run(words)).expect("UTF-8");
        assert!(!text.contains("receipt"), "{words}: {text}");
        assert!(words != "--count" || text.contains("`robosieve lint` lists the lines"), "{text}");
    }
    let text = String::from_utf8(run("--out out")).expect("UTF-8");
    assert!(text.contains("the receipt lists their kinds"), "{text}");
}
