//! Compressed lists: same lines, verdicts and checksums as for the plain list, whatever their file names.

use crate::support::compression::{bzip2, gzip, zstd};
use crate::support::program::{Bench, SOURCES, assert_no_result, said};
use crate::support::results::Split;

/// A text, compressed in every format, in parts cut at arbitrary bytes.
fn all(text: &[u8]) -> [(&'static str, Vec<u8>); 3] {
    let parts = || text.chunks(text.len() / 7 + 1);
    [
        ("gzip", parts().flat_map(gzip).collect()),
        ("zstd", parts().flat_map(|part| zstd(part, b"")).collect()),
        ("bzip2", parts().flat_map(bzip2).collect()),
    ]
}

/// The results of a run without times and without how the list was stored; and its compression.
fn without_storage(split: Split) -> (Split, serde_json::Value) {
    let mut split = split.timeless();
    let list = split.receipt["lists"][0].as_object_mut().expect("a list");
    list.remove("path");
    list.remove("file");
    let compression = list.remove("compression").unwrap_or_default();
    (split, compression)
}

#[test]
fn a_compressed_list_is_split_like_a_plain_one() {
    let bench = Bench::new();
    let text = bench.read("DATASETS/urls.txt");
    let (plain, compression) = without_storage(bench.split(SOURCES, &["DATASETS/urls.txt"]));
    assert!(compression.is_null());
    for (name, file) in all(&text) {
        bench.file("list", &file);
        for options in ["--threads 1", "--threads 3"] {
            bench.filter(&format!("{SOURCES} --force --out out {options} list")).assert().success();
            let from_file = without_storage(Split::read(&bench, "out"));
            assert!(from_file == (plain.clone(), name.into()), "{name} {options}");
            let words = format!("{SOURCES} --force --out out {options} -");
            bench.filter(&words).write_stdin(file.clone()).assert().success();
            let from_standard_input = without_storage(Split::read(&bench, "out"));
            assert!(from_standard_input == (plain.clone(), name.into()), "{name} {options}, from standard input");
        }
    }
}

#[test]
fn compressed_lists_may_be_mixed_with_others() {
    let bench = Bench::with_site();
    bench.file("one", gzip(b"http://a.example/1"));
    bench.file("two", "http://a.example/2");
    bench.file("three", zstd(b"", b""));
    bench.file("four", bzip2(b"http://a.example/no/4\nhttp://a.example/4"));
    bench.filter("--robots sites --out out one two three four").assert().success();
    let split = Split::read(&bench, "out");
    assert_eq!(split.lines("allowed"), ["http://a.example/1", "http://a.example/2", "http://a.example/4"]);
    assert_eq!(split.lines("blocked"), ["http://a.example/no/4"]);
    assert_eq!(split.receipt["added_line_feeds"], 2);
    let lists = split.receipt["lists"].as_array().expect("lists");
    let compressions: Vec<_> = lists.iter().map(|list| list["compression"].as_str()).collect();
    assert_eq!(compressions, [Some("gzip"), None, Some("zstd"), Some("bzip2")]);
    assert_eq!(lists[0]["bytes"], 18, "bytes are those of the text");
}

/// The run fails and names file and position, whatever the chunks, and leaves no result.
fn refused(bench: &Bench, words: &[&str]) {
    for options in ["--threads 1", "--threads 3"] {
        bench.refused(&format!("--robots sites --force --out out {options} list"), words);
        let words = [&["-: ", "byte "], words.get(1..).unwrap_or_default()].concat();
        let command = format!("--robots sites --force --out out {options} -");
        let done = bench.filter(&command).write_stdin(bench.read("list")).assert().code(2);
        said(&done.get_output().stderr, &words);
        assert_no_result(&bench.names("out"));
    }
}

/// The format is detected from the first lines, and each is examined only once, even a million empty ones.
#[test]
fn a_million_empty_lines_are_no_more_than_that() {
    let bench = Bench::with_site();
    let text = [&b"\n".repeat(1_100_000)[..], b"http://a.example/1\n"].concat();
    bench.file("list", gzip(&text));
    bench.program("filter --agent examplebot --robots sites --out out list").assert().success();
    assert_eq!(bench.read("out/invalid.txt").len(), 1_100_000);
    assert_eq!(bench.read("out/allowed.txt"), b"http://a.example/1\n");
}

#[test]
fn a_list_that_is_cut_short_is_an_error_with_file_and_place() {
    let bench = Bench::with_site();
    let text: String = (0..5000).map(|n| format!("http://a.example/{}\n", n * n)).collect();
    for (name, file) in all(text.as_bytes()) {
        let name = if name == "zstd" { "Zstandard" } else { name };
        for length in [file.len() / 3, file.len() / 2, file.len() - 1] {
            bench.file("list", &file[..length]);
            refused(&bench, &["list", name, "damaged or cut short", &format!("byte {length} ")]);
        }
    }
}

#[test]
fn damage_in_the_middle_is_an_error_with_file_and_place() {
    let bench = Bench::with_site();
    let text: String = (0..5000).map(|n| format!("http://a.example/{}\n", n * n)).collect();
    for (name, file) in all(text.as_bytes()) {
        let name = if name == "zstd" { "Zstandard" } else { name };
        let mut damaged = file.clone();
        let middle = file.len() / 2;
        damaged[middle..middle + 40].fill(0x55);
        bench.file("list", damaged);
        refused(&bench, &["list", name, "damaged or cut short", "byte "]);
        bench.file("list", [&file[..], b"http://a.example/more\n"].concat());
        refused(&bench, &["list", name, "damaged or cut short", "byte "]);
    }
}
