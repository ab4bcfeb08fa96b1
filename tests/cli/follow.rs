//! A pipe that lives: policies that are replaced under it, the robots.txt it waits for, and its end by a signal. Nothing here waits
//! for a time: each line comes back before the next step.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::support::program::{Bench, said};

/// The program in a pipe.
struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Whether the next line is the head of a table, which comes once the program has looked into the input.
    has_head: bool,
}

impl Pipe {
    fn start(bench: &Bench, words: &str) -> Pipe {
        let mut child = bench
            .command(&format!("filter {words}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("a pipe")));
        Pipe { child, input, output, has_head: words.contains("--verdicts") }
    }

    fn write(&mut self, text: &str) {
        self.input.as_mut().expect("open").write_all(text.as_bytes()).expect("written");
    }

    /// Writes a line and returns the verdict that comes back.
    fn verdict(&mut self, url: &str) -> String {
        self.write(&format!("{url}\n"));
        let line = self.line();
        let (verdict, same) = line.split_once('\t').expect("a verdict");
        assert_eq!(same, url);
        verdict.to_owned()
    }

    fn line(&mut self) -> String {
        if std::mem::take(&mut self.has_head) {
            assert!(self.line().ends_with("\turl"), "the head");
        }
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end_matches('\n').to_owned()
    }

    fn signal(&self, name: &str) {
        let done = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(done.expect("kill").success());
    }

    /// The rest of the output, the messages and the status after the end of the input.
    fn end(mut self) -> (String, String, Option<i32>) {
        drop(self.input.take());
        self.rest()
    }

    /// The same, without ending the input.
    fn rest(mut self) -> (String, String, Option<i32>) {
        let (mut rest, mut messages) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).expect("text");
        self.child.stderr.take().expect("a pipe").read_to_string(&mut messages).expect("text");
        (rest, messages, self.child.wait().expect("it ends").code())
    }
}

/// An answer of `http://HOST.example`.
fn answer(host: &str, time: u32, rest: &str) -> String {
    format!("{{\"url\":\"http://{host}.example/robots.txt\",\"fetched_at\":\"2026-01-0{time}T00:00:00Z\",{rest}}}\n")
}

fn rules(path: &str) -> String {
    format!("\"status\":200,\"body\":\"User-agent: *\\nDisallow: {path}\\n\"")
}

/// Compiles answers to a policy file, which replaces the one of that name.
fn compile(bench: &Bench, name: &str, answers: &str, more: &str) {
    bench.file("answers.jsonl", answers);
    let more = if more.is_empty() { "--agent examplebot" } else { more };
    bench.program(&format!("compile answers.jsonl {more} -o {name} --quiet")).assert().success();
}

#[test]
fn each_policy_file_is_replaced_by_itself() {
    for threads in ["1", "4"] {
        let bench = Bench::new();
        compile(&bench, "base.rsv", &(answer("a", 1, &rules("/")) + &answer("b", 1, &rules("/"))), "");
        compile(&bench, "today.rsv", &answer("c", 1, &rules("/")), "");
        let options = format!("--policy base.rsv --policy today.rsv --follow --verdicts --threads {threads} -");
        let mut pipe = Pipe::start(&bench, &options);
        assert_eq!(pipe.verdict("http://a.example/"), "blocked");
        assert_eq!(pipe.verdict("http://d.example/"), "deferred");
        compile(&bench, "today.rsv", &(answer("a", 2, &rules("/no")) + &answer("d", 2, &rules("/no"))), "");
        assert_eq!(pipe.verdict("http://a.example/"), "allowed");
        assert_eq!(pipe.verdict("http://b.example/"), "blocked", "of the base");
        assert_eq!(pipe.verdict("http://c.example/"), "deferred", "its answer is gone with the earlier file");
        assert_eq!(pipe.verdict("http://d.example/"), "allowed");
        compile(&bench, "base.rsv", &answer("b", 1, &rules("/no")), "");
        assert_eq!(pipe.verdict("http://b.example/"), "allowed");
        assert_eq!(pipe.verdict("http://a.example/no"), "blocked", "of the layer");
        let (rest, messages, status) = pipe.end();
        assert_eq!((rest.as_str(), status), ("", Some(0)));
        for name in ["today.rsv", "base.rsv"] {
            let of_file: Vec<&str> = messages.lines().filter(|line| line.contains(name)).collect();
            let [line] = of_file[..] else { panic!("one line: {messages}") };
            assert!(line.contains("was replaced"), "{line}");
        }
        assert!(messages.contains("every line is accounted for"), "{messages}");
    }
}

#[test]
fn without_the_option_a_run_keeps_its_policy() {
    let bench = Bench::new();
    compile(&bench, "base.rsv", &answer("a", 1, &rules("/")), "");
    let mut pipe = Pipe::start(&bench, "--policy base.rsv --verdicts -");
    assert_eq!(pipe.verdict("http://a.example/"), "blocked");
    compile(&bench, "base.rsv", &answer("a", 2, &rules("/no")), "");
    assert_eq!(pipe.verdict("http://a.example/"), "blocked");
    assert_eq!(pipe.end().2, Some(0));
}

#[test]
fn a_file_that_cannot_be_used_is_reported_once_and_the_one_before_it_stays() {
    let bench = Bench::new();
    let good = answer("a", 1, &rules("/"));
    compile(&bench, "today.rsv", &good, "");
    compile(&bench, "base.rsv", &answer("b", 1, &rules("/")), "");
    compile(&bench, "other.rsv", &good, "--agent other");
    compile(&bench, "google.rsv", &good, "--agent examplebot --dialect google");
    bench.file("damaged.rsv", {
        let mut bytes = bench.read("today.rsv");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    });
    bench.file("text.rsv", "no policy\n");
    for files in ["--policy today.rsv", "--policy base.rsv --policy today.rsv"] {
        compile(&bench, "today.rsv", &good, "");
        let mut pipe = Pipe::start(&bench, &format!("{files} --follow --quiet --verdicts -"));
        assert_eq!(pipe.verdict("http://a.example/"), "blocked");
        for bad in ["damaged.rsv", "text.rsv", "other.rsv", "google.rsv"] {
            fs::copy(bench.path(bad), bench.path("new")).expect("copied");
            fs::rename(bench.path("new"), bench.path("today.rsv")).expect("renamed");
            assert_eq!(pipe.verdict("http://a.example/"), "blocked", "{bad}");
            assert_eq!(pipe.verdict("http://a.example/"), "blocked", "{bad}");
        }
        fs::remove_file(bench.path("today.rsv")).expect("removed");
        assert_eq!(pipe.verdict("http://a.example/"), "blocked", "no file");
        compile(&bench, "today.rsv", &answer("a", 2, &rules("/no")), "");
        assert_eq!(pipe.verdict("http://a.example/"), "allowed");
        let (_, messages, status) = pipe.end();
        assert_eq!(status, Some(0));
        let lines: Vec<&str> = messages.lines().collect();
        assert_eq!(lines.len(), 5, "{messages}");
        assert!(lines.iter().all(|line| line.contains("today.rsv") && line.contains("stays in use")), "{messages}");
        for (line, problem) in lines[2..4].iter().zip(["examplebot", "google"]) {
            assert!(line.contains(problem), "{line}");
        }
    }
}

#[test]
fn overrides_and_explanations_follow_too() {
    let bench = Bench::new();
    compile(&bench, "base.rsv", &answer("a", 1, &rules("/x")), "");
    bench.file("overrides.toml", "[\"http://b.example\"]\nverdict = \"forbid-all\"\n");
    let mut pipe =
        Pipe::start(&bench, "--policy base.rsv --overrides overrides.toml --follow --verdicts --explain --threads 1 -");
    pipe.write("http://a.example/x\n");
    assert!(pipe.line().starts_with("blocked\tDisallow: /x\t2\t*\t2026-01-01"));
    compile(&bench, "base.rsv", &(answer("a", 2, &rules("/")) + &answer("b", 2, &rules("/no"))), "");
    pipe.write("http://a.example/x\n");
    assert!(pipe.line().starts_with("blocked\tDisallow: /\t2\t*\t2026-01-02"));
    pipe.write("http://b.example/\n");
    assert!(pipe.line().starts_with("blocked"), "the override");
    assert_eq!(pipe.end().2, Some(0));
}

#[test]
fn what_lines_wait_for_is_listed_before_them_and_once() {
    let bench = Bench::new();
    let redirect = answer("r", 1, "\"status\":301,\"location\":\"http://t.example/robots.txt\"");
    let down = answer("down", 1, "\"status\":503");
    compile(&bench, "base.rsv", &(redirect.clone() + &down + &answer("a", 1, &rules("/no"))), "");
    let options = "--policy base.rsv --follow --verdicts --robots-needed needed.tsv --threads 1 -";
    let mut pipe = Pipe::start(&bench, options);
    let needed = || String::from_utf8(bench.read("needed.tsv")).expect("text");
    let mut expected = "robots_txt\treason\tstatus\tasked_at\n".to_owned();
    for (url, row) in [
        ("http://a.example/", ""),
        ("http://b.example/1", "http://b.example/robots.txt\tunfetched\t\t\n"),
        ("http://b.example/2", ""),
        ("http://down.example/", "http://down.example/robots.txt\tunreachable\t503\t2026-01-01T00:00:00Z\n"),
        ("http://r.example/", "http://t.example/robots.txt\tredirect-unresolved\t301\t\n"),
        ("http://t.example/", ""),
        ("none", ""),
    ] {
        pipe.verdict(url);
        expected += row;
        assert_eq!(needed(), expected, "{url}");
    }
    // What the target answered leads on.
    let on = answer("t", 2, "\"status\":301,\"location\":\"http://u.example/robots.txt\"");
    compile(&bench, "base.rsv", &(redirect + &on), "");
    assert_eq!(pipe.verdict("http://r.example/"), "deferred");
    expected += "http://u.example/robots.txt\tredirect-unresolved\t301\t\n";
    assert_eq!(needed(), expected);
    assert_eq!(pipe.end().2, Some(0));
    // A list of an earlier run is replaced; in the order of the lines, by whatever threads.
    bench.file("urls", (0..500).map(|host| format!("http://h{}.example/\n", host % 100)).collect::<String>());
    bench.program("filter --policy base.rsv --only deferred --robots-needed needed.tsv urls").assert().success();
    let rows = (0..100).map(|host| format!("http://h{host}.example/robots.txt\tunfetched\t\t\n"));
    assert_eq!(needed(), "robots_txt\treason\tstatus\tasked_at\n".to_owned() + &rows.collect::<String>());
}

#[test]
fn the_list_goes_to_a_pipe_and_replaces_nothing_of_a_user() {
    let bench = Bench::with_site();
    bench.file("urls", "http://b.example/\n");
    let row = "robots_txt\treason\tstatus\tasked_at\nhttp://b.example/robots.txt\tunfetched\t\t\n";
    let done =
        bench.filter("--robots sites --quiet --only allowed --robots-needed /dev/stderr urls").assert().success();
    assert_eq!(String::from_utf8_lossy(&done.get_output().stderr), row);
    assert!(Command::new("mkfifo").arg(bench.path("fifo")).status().expect("mkfifo").success());
    let fifo = bench.path("fifo");
    let reader = std::thread::spawn(move || fs::read_to_string(fifo).expect("text"));
    bench.filter("--robots sites --quiet --only allowed --robots-needed fifo urls").assert().success();
    assert_eq!(reader.join().expect("read"), row);
    bench.file("mine", "my notes\n");
    for (name, message) in [("mine", "not a list of robots.txt"), ("urls", "is an input"), ("sites", "directory")] {
        let done = bench.filter(&format!("--robots sites --only allowed --robots-needed {name} urls")).assert().code(2);
        said(&done.get_output().stderr, &[name, message]);
    }
    assert_eq!(bench.read("mine"), b"my notes\n");
    assert_eq!(bench.read("urls"), b"http://b.example/\n");
}

#[test]
fn a_signal_ends_a_pipe_after_the_lines_it_has_read() {
    for signal in ["TERM", "INT"] {
        for more in ["", "--threads 4", "--skip-bad"] {
            let bench = Bench::with_site();
            let words = format!("--agent examplebot --robots sites --only allowed,deferred {more} -");
            let mut pipe = Pipe::start(&bench, &words);
            pipe.write("http://a.example/1\nhttp://a.example/2\nhttp://a.example/not-all-of-it");
            assert_eq!([pipe.line(), pipe.line()], ["http://a.example/1", "http://a.example/2"]);
            pipe.signal(signal);
            // The input stays open until the program has ended.
            let input = pipe.input.take();
            let (rest, messages, status) = pipe.rest();
            drop(input);
            assert_eq!((rest.as_str(), status), ("", Some(130)), "{signal} {more}");
            assert_eq!(messages, "robosieve: interrupted\n", "{signal} {more}");
        }
    }
}

#[test]
fn options_without_effect_are_refused() {
    let bench = Bench::with_site();
    compile(&bench, "base.rsv", &answer("a", 1, &rules("/")), "");
    bench.file("urls", "http://a.example/\n");
    for (words, message) in [
        ("--robots sites --follow --only allowed urls", ["--follow", "--policy FILE"]),
        ("--policy base.rsv --follow --out out urls", ["--follow", "receipt"]),
        ("--policy base.rsv --follow --verdicts --out out urls", ["--follow", "receipt"]),
        ("--policy base.rsv --follow --count urls", ["--follow", "--count counts the lines by one policy"]),
        ("--policy base.rsv --robots-needed needed --out out urls", ["--robots-needed", "--out"]),
        ("--policy base.rsv --robots-needed needed --count urls", ["--robots-needed", "--count"]),
    ] {
        bench.refused(words, &message);
    }
    assert_eq!(bench.names("."), ["answers.jsonl", "base.rsv", "sites", "urls"]);
}
