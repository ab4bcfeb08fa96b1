//! Kinds of files, by every door that opens one: a file of another format is refused by its name, with what to do, and nothing is made
//! of it; also if it is compressed.

use crate::support::compression::gzip;
use crate::support::program::{Bench, ROBOTS, assert_no_result, said};

/// A file of another format, and what it is called.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let tar = [&[b'a'; 257][..], b"ustar\x0000", &[0; 248]].concat();
    let ended = |mark: &[u8]| [mark, &[0, 1, 2, 3, b'\n'][..]].concat();
    vec![
        ("an encrypted Parquet file", ended(b"PARE")),
        ("an ORC file", ended(b"ORC\x0a")),
        ("an Arrow IPC file", ended(b"ARROW1\0\0")),
        ("an Arrow IPC stream", ended(b"\xff\xff\xff\xff\x70\0\0\0")),
        ("a SQLite database", ended(b"SQLite format 3\0")),
        ("an Avro file", ended(b"Obj\x01")),
        ("a tar archive", tar),
        ("a 7z archive", ended(b"7z\xbc\xaf\x27\x1c")),
        ("an xz file", ended(b"\xfd7zXZ\0")),
        ("an LZ4 file", ended(b"\x04\x22\x4d\x18")),
        ("a zip file", ended(b"PK\x03\x04")),
        ("an ARC archive", b"filedesc://a.arc 0.0.0.0 20110310233243 text/plain 76\n".to_vec()),
        ("a pickle of Python", ended(b"\x80\x04\x95")),
        ("an encrypted OpenPGP message", b"-----BEGIN PGP MESSAGE-----\n\nx\n".to_vec()),
        ("a PNG image", ended(b"\x89PNG\r\n\x1a\n")),
        ("a file of seen URLs", ended(b"\x89RSS\r\n\x1a\n")),
    ]
}

/// The doors, as commands about the file `it`.
const DOORS: [&str; 14] = [
    "filter --agent x --robots sites --out out it",
    "filter --agent x --robots sites --skip-bad --out out it",
    "filter --agent x --robots sites --files-from it --count",
    "filter --agent x --robots it --count urls",
    "filter --agents-file it --robots sites --count urls",
    "filter --agent x --robots sites --overrides it --count urls",
    "filter --agent x --robots sites --statuses ./it --count urls",
    "filter --policy it --count urls",
    "compile --agent x it -o new.rsv",
    "compile --agent x it --skip-bad -o new.rsv",
    "compile --agent x it --origin http://a.example -o new.rsv",
    "check --agent x --robots it http://a.example/",
    "check --agent x --robots it --origin http://a.example http://a.example/",
    "lint it",
];

#[test]
fn a_file_of_another_format_is_refused_by_its_name() {
    let bench = Bench::new();
    bench.file("sites/a.example", ROBOTS);
    bench.file("urls", "http://a.example/\n");
    for (name, file) in files() {
        for is_packed in [false, true] {
            bench.file("it", if is_packed { gzip(&file) } else { file.clone() });
            for door in DOORS {
                let done = bench.program(door).assert().code(2);
                let stderr = &done.get_output().stderr;
                let is_policy = door.contains("--policy");
                said(stderr, &["it", if is_packed && is_policy { "a gzip file" } else { name }]);
                assert_no_result(&bench.names("out"));
                assert!(!bench.path("new.rsv").exists(), "{door}");
            }
        }
    }
}

/// The texts that operators write, each with its door.
const TEXTS: [(&str, &str); 5] = [
    ("http://a.example/yes\n", "filter --agent x --robots sites --count --json it"),
    ("urls\n", "filter --agent x --robots sites --count --json --files-from it"),
    ("x\n", "filter --agents-file it --robots sites --count --json urls"),
    (
        "['http://a.example']\nverdict = 'forbid-all'\n",
        "filter --agent x --robots sites --count --json --overrides it urls",
    ),
    ("404 = 'allow'\n", "filter --agent x --robots sites --count --json --statuses ./it urls"),
];

#[test]
fn a_text_is_read_alike_compressed_and_with_a_byte_order_mark() {
    let bench = Bench::new();
    bench.file("sites/a.example", ROBOTS);
    bench.file("urls", "http://a.example/yes\n");
    for (text, door) in TEXTS {
        let marked = format!("\u{feff}{text}").into_bytes();
        let mut first = None;
        for file in [text.as_bytes().to_vec(), marked.clone(), gzip(text.as_bytes()), gzip(&marked)] {
            bench.file("it", &file);
            let done = bench.program(door).assert().success();
            let receipt: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
            let partitions = receipt["partitions"].clone();
            let lines = |name: &str| partitions[name]["lines"].clone();
            let found = ["allowed", "blocked", "deferred", "invalid"].map(lines);
            assert_eq!(*first.get_or_insert_with(|| found.clone()), found, "{door}");
        }
    }
    // A policy is mapped as it is.
    bench.program("compile --agent x sites -o policy.rsv").assert().success();
    bench.file("it", gzip(&bench.read("policy.rsv")));
    for door in ["filter --policy it --count urls", "inspect it", "merge it -o new.rsv", "diff it it"] {
        let done = bench.program(door).assert().code(2);
        said(&done.get_output().stderr, &["it is a gzip file, not a policy file; unpack it first"]);
    }
    // Given as something else, it is called what it is.
    bench.file("it", bench.read("policy.rsv"));
    for door in DOORS.into_iter().filter(|door| !door.contains("--policy")) {
        let done = bench.program(door).assert().code(2);
        said(&done.get_output().stderr, &["a policy file"]);
    }
}

#[test]
fn a_binary_list_is_told() {
    let bench = Bench::new();
    bench.file("sites/a.example", ROBOTS);
    let noise: Vec<u8> = (0..90_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 23) as u8).collect();
    for list in [noise.clone(), gzip(&noise)] {
        bench.file("list", list);
        let done = bench.filter("--robots sites --count list").assert().success();
        said(&done.get_output().stderr, &["lines are invalid", "it is binary", "not-absolute"]);
    }
    bench.file("list", "nothing known\n".repeat(20));
    let done = bench.filter("--robots sites --count list").assert().success();
    said(&done.get_output().stderr, &["20 lines are invalid", "was not recognised", "not-absolute 20"]);
    let done = bench.filter("--robots sites --count -").write_stdin(gzip(b"x\n")).assert().success();
    said(&done.get_output().stderr, &["1 line is invalid", "through a pipe"]);
}
