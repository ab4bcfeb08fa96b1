//! Lists read at once: the output does not depend on how many, or on the number of workers.
#![cfg(unix)]

use crate::support::compression::{bzip2, gzip, looking_back, zstd};
use crate::support::program::Bench;
use crate::support::results::assert_same;

/// The lines of a list; most texts end with a line feed.
fn text(list: usize) -> Vec<u8> {
    let line = |n: usize| match n % 6 {
        0 => format!("http://a.example/no/{n}"),
        1 => format!("http://{}.example/{n}", n * 7919 % 50),
        2 => String::new(),
        3 if n % 300 == 3 => format!("http://a.example/{}/{n}", "long".repeat(n % 5000)),
        3 => format!("no url {n}"),
        _ => format!("http://a.example/{}/{n}", n % 400),
    };
    let lines: String = (list * 700..list * 700 + 2500).map(|n| line(n) + "\n").collect();
    if list % 4 == 2 { lines.trim_end().into() } else { lines.into() }
}

/// Lists of all kinds, and their names: compressed with usual and unusual windows, in one part or several, plain, and
/// empty.
fn lists(bench: &Bench) -> String {
    let mut names = Vec::new();
    for list in 0..16 {
        let text = text(list);
        let (half, rest) = text.split_at(text.len() / 2);
        let file = match list % 8 {
            0 => gzip(&text),
            1 => zstd(&text, b""),
            2 => [gzip(half), gzip(rest)].concat(),
            3 => looking_back(&text, 1, 25),
            4 => text,
            5 => gzip(b""),
            6 => bzip2(&text),
            // The window of the second frame is unknown until its header is read.
            _ => [zstd(half, b""), looking_back(rest, 1, 26)].concat(),
        };
        names.push(format!("list{list}"));
        bench.file(&names[list], file);
    }
    names.join(" ")
}

#[test]
#[ignore = "takes long"]
fn threads_change_nothing_of_many_lists() {
    let bench = Bench::with_site();
    let lists = lists(&bench);
    let forms = ["", "--per-input", "--unique", "--verdicts", "--compress zst --per-input", "--per-input --unique"];
    for (number, form) in forms.into_iter().enumerate() {
        let run = |threads: usize, out: &str| {
            let words = format!("--now 2026-01-01T00:00:00Z --threads {threads} {form} --out {out}");
            bench.filter(&format!("--robots sites {words} {lists}")).assert().success();
        };
        let expected = format!("out{number}-1");
        run(1, &expected);
        for threads in [2, 8] {
            let out = format!("out{number}-{threads}");
            run(threads, &out);
            assert_same(&bench, &expected, &out);
        }
        bench.program(&format!("verify {expected} --inputs")).assert().success();
    }
}

#[test]
fn what_is_counted_or_piped_does_not_depend_on_threads() {
    let bench = Bench::with_site();
    let lists = lists(&bench);
    for form in ["--count --json", "--count --json --unique", "--only allowed", "--only allowed,blocked"] {
        let printed = |threads: usize| {
            let words = format!("--now 2026-01-01T00:00:00Z --threads {threads} {form} {lists}");
            let done = bench.filter(&format!("--robots sites {words}")).assert().success();
            let printed = done.get_output().stdout.clone();
            if !form.contains("--json") {
                return printed;
            }
            bench.file("receipts/receipt.json", &printed);
            bench.timeless("receipts").to_string().into_bytes()
        };
        let expected = printed(1);
        assert!([2, 8].into_iter().all(|threads| printed(threads) == expected), "{form}");
    }
}

#[test]
#[ignore = "takes long"]
fn a_list_that_is_damaged_ends_the_run_after_those_before_it() {
    let bench = Bench::with_site();
    let lists = lists(&bench);
    let whole = bench.read("list7");
    bench.file("list7", &whole[..whole.len() - 9]);
    for threads in [1, 8] {
        let words = format!("--robots sites --checkpoint 0 --threads {threads}");
        bench.refused(&format!("{words} --force --out out {lists}"), &["list7", "damaged or cut short", "--resume"]);
        let out = format!("rest{threads}");
        bench.filter(&format!("{words} --now 2026-01-01T00:00:00Z --skip-bad --out {out} {lists}")).assert().success();
    }
    assert_same(&bench, "rest1", "rest8");
}
