//! Lists that change while they are read.
//!
//! The program opens its lists in order, then reads them in order. With a named pipe on either side of a list, a test
//! knows how far the program is: once the second pipe is open the list is mapped, and it is not read before the first
//! pipe is closed. Once more has gone into the first pipe than it holds, the program has examined all lists.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use crate::support::compression::gzip;
use crate::support::program::{Bench, assert_no_result, said};
use crate::support::results::Split;

/// The number of copies of [`LINE`] in the list.
const LINES: usize = 10_000;

const LINE: &str = "http://a.example/0123456789\n";

/// When a list changes: after it was opened, or after it was examined too.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Opened,
    Examined,
}

/// Copies of [`BEFORE`] to write to the first pipe until the program has examined the lists.
const MANY: usize = 100_000;

const BEFORE: &str = "http://a.example/before\n";

/// Runs `filter` with a list, and calls `change` after the list is mapped and before it is read.
fn changed(bench: &Bench, options: &str, change: impl FnOnce(&Path) + Send + 'static) -> Output {
    changed_when(When::Opened, bench, options, change)
}

fn changed_when(when: When, bench: &Bench, options: &str, change: impl FnOnce(&Path) + Send + 'static) -> Output {
    let text = LINE.repeat(LINES).into_bytes();
    changed_of(&text, when, bench, options, change)
}

/// Like [`changed_when`], with a list of these bytes.
fn changed_of(
    bytes: &[u8],
    when: When,
    bench: &Bench,
    options: &str,
    change: impl FnOnce(&Path) + Send + 'static,
) -> Output {
    bench.file("urls", bytes);
    let list = bench.path("urls");
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    File::options().write(true).open(&list).and_then(|file| file.set_modified(long_ago)).expect("a time");
    let pipes = ["before", "after"].map(|name| bench.path(name));
    assert!(Command::new("mkfifo").args(&pipes).status().expect("mkfifo").success());
    let words = format!("filter --agent examplebot --robots sites {options} before urls after");
    let child = bench.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    // Not joined: if the program never opens the pipes, the thread blocks forever, and the test fails below.
    std::thread::spawn(move || {
        let open = |pipe: &Path| OpenOptions::new().write(true).open(pipe).expect("a pipe");
        let mut before = open(&pipes[0]);
        let after = open(&pipes[1]);
        if when == When::Examined {
            // The program examines this pipe too.
            drop(after);
            before.write_all(BEFORE.repeat(MANY).as_bytes()).expect("many lines");
        }
        change(&list);
        before.write_all(BEFORE.as_bytes()).expect("a line");
    });
    child.wait_with_output().expect("the program ends")
}

fn set_length(list: &Path, length: u64) {
    OpenOptions::new().write(true).open(list).and_then(|file| file.set_len(length)).expect("another length");
}

/// The run must end with status 2, a message with these words, and no result.
fn fails(options: &str, words: &[&str], change: impl FnOnce(&Path) + Send + Clone + 'static) {
    for when in [When::Opened, When::Examined] {
        let bench = Bench::with_site();
        let done = changed_when(when, &bench, &format!("{options} --out out"), change.clone());
        assert_eq!(done.status.code(), Some(2), "{done:?}");
        said(&done.stderr, words);
        if when == When::Examined || bench.path("out").exists() {
            assert_no_result(&bench.names("out"));
        }
    }
}

#[test]
fn a_list_that_does_not_change_is_split() {
    let bench = Bench::with_site();
    let done = changed(&bench, "--out out --threads 2", |_| ());
    assert!(done.status.success(), "{done:?}");
    let lists = [b"http://a.example/before\n".to_vec(), LINE.repeat(LINES).into_bytes(), Vec::new()];
    Split::read(&bench, "out").accounts_for(&lists);
}

#[test]
fn a_list_that_is_emptied_ends_the_run_with_a_message() {
    for options in ["--threads 1", "--threads 3"] {
        fails(options, &["urls", "cut short", "at byte 0 of 280000"], |list| set_length(list, 0));
    }
}

/// In no form of output is anything written for the lost lines.
#[test]
fn a_list_that_loses_whole_pages_ends_the_run_with_a_message() {
    let table = if cfg!(feature = "parquet") { "--format parquet" } else { "" };
    for options in ["--threads 2", "--unique", "--explain --verdicts", "--compress gz", table] {
        fails(options, &["urls", "cut short", "at byte 4096 of 280000"], |list| set_length(list, 4096));
    }
}

/// With `--skip-bad`, the rest of a list that was cut short is left out, from the end of its last whole line.
#[test]
#[ignore = "takes long"]
fn the_rest_of_a_list_that_is_cut_short_is_skipped() {
    let table = if cfg!(feature = "parquet") { "--format parquet" } else { "" };
    for options in ["--threads 1", "--threads 3 --unique", "--explain --verdicts", "--compress gz --threads 2", table] {
        for length in [4096, 5600, 0] {
            for when in [When::Opened, When::Examined] {
                let bench = Bench::with_site();
                let options = format!("--out out --skip-bad {options}");
                let done = changed_when(when, &bench, &options, move |list| set_length(list, length));
                assert!(done.status.success(), "{options} {done:?}");
                let cut = format!("cut short while it was read, at byte {length} of 280000");
                said(&done.stderr, &["urls", &cut]);
                let receipt = bench.receipt("out");
                let whole = length as usize / LINE.len();
                let list = &receipt["lists"][1];
                assert_eq!(list["lines"], whole, "{options}");
                let [skipped] = &list["skipped"].as_array().expect("an array")[..] else { panic!("{list}") };
                assert_eq!(skipped["at"], whole * LINE.len(), "{options}");
                assert_eq!(receipt["skipped"], 1);
                // Lists that came through pipes are not read again.
                bench.program("verify out --inputs").assert().success();
            }
        }
    }
}

/// Lists that are not memory-mapped are read as far as they go.
#[test]
#[ignore = "takes long"]
fn the_rest_of_a_compressed_list_or_a_table_that_is_cut_short_is_skipped() {
    let urls: Vec<String> = (0..60_000u64)
        .map(|number| format!("http://a.example/{:x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)))
        .collect();
    let text = urls.iter().map(|url| format!("{url}\n")).collect::<String>();
    let compressed = vec![("", gzip(text.as_bytes()))];
    #[cfg(not(feature = "parquet"))]
    let tables = Vec::new();
    #[cfg(feature = "parquet")]
    let tables = {
        use crate::support::tables::{Values::Texts, parquet};
        let urls = urls.iter().take(10_000).map(|url| Some(&*Box::leak(url.clone().into_boxed_str()))).collect();
        let table = parquet(&[("required binary url", Texts(urls))], 6, parquet::basic::Compression::SNAPPY);
        vec![("", table.clone()), ("--format parquet --per-input", table)]
    };
    for (options, list) in compressed.into_iter().chain(tables) {
        let bench = Bench::with_site();
        // A second worker would read the list while the first waits for the list before it.
        let options = format!("--out out --skip-bad --threads 1 {options}");
        let length = list.len() as u64 / 2;
        let cut = move |list: &Path| set_length(list, length);
        let done = changed_of(&list, When::Examined, &bench, &options, cut);
        assert!(done.status.success(), "{options} {done:?}");
        let receipt = bench.receipt("out");
        let list = &receipt["lists"][1];
        let lines = list["lines"].as_u64().expect("a number");
        assert!((10_000..50_000).contains(&lines) && receipt["skipped"].as_u64() > Some(0), "{options} {list}");
        bench.program("verify out").assert().success();
    }
}

/// The new bytes may be different ones.
#[test]
fn a_list_that_is_cut_short_and_grows_again_is_not_skipped() {
    fails("--skip-bad", &["urls", "changed"], |list| {
        set_length(list, 5000);
        set_length(list, 280_000);
    });
}

/// The rest of the last page reads as zeros and raises no signal, so only the length shows it.
#[test]
fn a_list_that_loses_a_few_bytes_is_noticed() {
    fails("--threads 2", &["urls", "cut short", "at byte 279990"], |list| {
        set_length(list, (LINE.len() * LINES - 10) as u64)
    });
}

/// Bytes written to a pipe cannot be taken back.
#[test]
fn nothing_of_a_list_that_is_cut_short_goes_to_standard_output() {
    for length in [0, 5000, LINE.len() * LINES - 10] {
        let bench = Bench::with_site();
        let cut = move |list: &Path| set_length(list, length as u64);
        let done = changed_when(When::Examined, &bench, "--only allowed", cut);
        assert_eq!(done.status.code(), Some(2));
        said(&done.stderr, &["urls", "cut short"]);
        // A chunk may be judged and still not written, because a later one has failed.
        assert!(BEFORE.repeat(MANY + 1).as_bytes().starts_with(&done.stdout));
    }
}

#[test]
fn a_list_that_grows_is_noticed() {
    fails("--threads 2", &["urls", "changed"], |list| {
        let mut file = OpenOptions::new().append(true).open(list).expect("the list");
        file.write_all(b"http://a.example/more\n").expect("a line");
    });
}

#[test]
fn a_list_whose_bytes_change_is_noticed() {
    fails("--threads 2", &["urls", "changed"], |list| {
        let file = OpenOptions::new().write(true).open(list).expect("the list");
        file.write_all_at(b"X", 20).expect("a byte");
    });
}

#[test]
fn a_list_that_changes_is_noticed_when_only_counted() {
    let bench = Bench::with_site();
    let done = changed(&bench, "--count", |list| set_length(list, 0));
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(done.stdout.is_empty(), "no receipt");
    said(&done.stderr, &["urls", "cut short", "at byte 0"]);
}

/// A list replaced by another file of the same name is still the one that was opened.
#[test]
fn a_list_that_is_replaced_is_read_as_it_was() {
    let bench = Bench::with_site();
    let done = changed(&bench, "--out out", |list| {
        std::fs::remove_file(list).expect("removed");
        std::fs::write(list, "http://a.example/other\n").expect("another");
    });
    assert!(done.status.success(), "{done:?}");
    assert_eq!(Split::read(&bench, "out").receipt["input"]["lines"], LINES + 1);
}
