//! `--skip-bad`: unreadable parts of lists are left out.

use serde_json::Value;

use crate::support::compression::{Compress, bzip2, checked_zstd, gzip, looking_back};
use crate::support::interruptions::interrupted_until_done;
use crate::support::program::{Bench, SKIPPING, said};
use crate::support::results::{lines, skipped};

fn text(lines: std::ops::Range<usize>) -> String {
    lines.map(|n| format!("http://a.example/{}\n", n * n)).collect()
}

/// A list in seven parts, and the range of the fourth; parts end anywhere in a line.
fn parts(text: &[u8], compress: Compress) -> (Vec<u8>, std::ops::Range<usize>) {
    let parts: Vec<Vec<u8>> = text.chunks(text.len() / 7 + 1).map(compress).collect();
    let start = parts[..3].iter().map(Vec::len).sum();
    let fourth = start..start + parts[3].len();
    (parts.concat(), fourth)
}

const KINDS: [(&str, Compress); 3] =
    [("gzip", |text| gzip(text)), ("Zstandard", checked_zstd), ("bzip2", |text| bzip2(text))];

#[test]
fn the_rest_of_a_damaged_list_is_skipped() {
    let text = text(0..20_000);
    let part = text.len() / 7 + 1;
    // In its first block, and in its middle, where only the checksum at the end may show it.
    for ((name, compress), place) in KINDS.into_iter().flat_map(|kind| [(kind, 10), (kind, 4000)]) {
        let bench = Bench::with_site();
        let (mut file, fourth) = parts(text.as_bytes(), compress);
        file[fourth.start + place..][..40].fill(0xff);
        bench.file("bad", file);
        bench.file("good", "http://a.example/good\n");
        let mut outputs = Vec::new();
        for options in ["--threads 1", "--threads 3"] {
            let done = bench
                .program(&format!("{SKIPPING} {options} --verdicts --force --out out bad good"))
                .assert()
                .success();
            said(&done.get_output().stderr, &["the list bad: skipped after byte", name, "damaged"]);
            let receipt = bench.receipt("out");
            assert_eq!((skipped(&receipt, 0).len(), &receipt["skipped"]), (1, &1.into()), "{name}");
            assert_eq!(skipped(&receipt, 0)[0]["at"], receipt["lists"][0]["bytes"], "{name}");
            bench.program("verify --inputs out").assert().success();
            outputs.push(bench.read("out/verdicts.tsv"));
        }
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{name}: it depends on chunks or workers");
        let columns = lines(&outputs[0]).into_iter().skip(1).map(|line| line.splitn(2, |&byte| byte == b'\t').nth(1));
        let found: Vec<u8> = columns.flat_map(|line| line.expect("a verdict").to_vec()).collect();
        let before = &text[..=text[..3 * part].rfind('\n').expect("a line")];
        assert!(
            found.starts_with(before.as_bytes()) && found.ends_with(b"\nhttp://a.example/good\n"),
            "{name} {place}"
        );
        assert!(found.len() < 4 * part + 100, "{name} {place}");
    }
}

#[test]
fn a_list_that_is_cut_short_is_read_to_its_last_whole_line() {
    let text = text(0..20_000);
    for (name, compress) in KINDS {
        let bench = Bench::with_site();
        let (file, fourth) = parts(text.as_bytes(), compress);
        bench.file("bad", &file[..fourth.end - 10]);
        bench.file("good", "http://a.example/good\n");
        bench.program(&format!("{SKIPPING} --out out bad good")).assert().success();
        let receipt = bench.receipt("out");
        let skipped = skipped(&receipt, 0);
        assert_eq!(skipped.len(), 1, "{name}");
        let at = skipped[0]["at"].as_u64().expect("a number") as usize;
        assert_eq!(receipt["lists"][0]["bytes"], at);
        let written = String::from_utf8(bench.read("out/allowed.txt")).expect("UTF-8");
        assert_eq!(written, format!("{}http://a.example/good\n", &text[..at]), "{name}");
        bench.program("verify --inputs out").assert().success();
        bench.program(&format!("{} --out strict bad good", SKIPPING.replace(" --skip-bad", ""))).assert().code(2);
        // A list from a pipe is also read up to the damage.
        let mut program = bench.program(&format!("{SKIPPING} --only allowed - good"));
        let piped = program.write_stdin(bench.read("bad")).assert().success().get_output().stdout.clone();
        assert!(piped.len() > text.len() / 4 && piped.ends_with(b"\nhttp://a.example/good\n"), "{name}");
    }
}

#[test]
fn a_list_that_cannot_be_opened_is_skipped() {
    let bench = Bench::with_site();
    bench.file("good", "http://a.example/good\n");
    bench.file("folder/file", "");
    bench.file("bad.gz", &gzip(b"http://a.example/1\n")[..15]);
    bench.file("bad.parquet", "PAR1 and no more");
    let words = format!("{SKIPPING} --log json --out out missing good bad.gz folder bad.parquet");
    let done = bench.program(&words).assert().success();
    let warnings: Vec<Value> = String::from_utf8_lossy(&done.get_output().stderr)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|event: &Value| event["event"] == "warning")
        .collect();
    for name in ["missing", "bad.gz", "folder", "bad.parquet"] {
        let named = |warning: &Value| warning["message"].as_str().is_some_and(|text| text.contains(name));
        assert!(warnings.iter().any(named), "{name}: {warnings:?}");
    }
    assert_eq!(bench.read("out/allowed.txt"), b"http://a.example/good\n");
    assert_eq!(bench.receipt("out")["skipped"], 4);
    bench.program("verify --inputs out").assert().success();
}

/// Parts left out for lack of memory for their window are left out by `verify` too, which has more.
#[test]
fn a_window_that_had_no_room_is_skipped_again() {
    let bench = Bench::with_site();
    let text = text(0..20_000);
    let (before, after) = text.split_at(text.len() / 2);
    bench.file("wide", looking_back(text.as_bytes(), 1, 25));
    let mixed = [checked_zstd(before.as_bytes()), looking_back(after.as_bytes(), 1, 25)].concat();
    bench.file("mixed", &mixed);
    bench.file("good", "http://a.example/good\n");
    bench.program(&format!("{SKIPPING} --memory 64M --out out wide mixed good")).assert().success();
    let receipt = bench.receipt("out");
    for list in 0..2 {
        let skipped = skipped(&receipt, list);
        assert_eq!(skipped.len(), 1, "{receipt}");
        assert!(skipped[0]["problem"].as_str().is_some_and(|problem| problem.contains("larger window")), "{skipped:?}");
    }
    let whole_lines = before.rfind('\n').expect("a line") + 1;
    assert_eq!(receipt["lists"][1]["bytes"], whole_lines);
    let verify = |status: i32| {
        let done = bench.program("verify --inputs out").assert().code(status);
        String::from_utf8_lossy(&done.get_output().stdout).into_owned()
    };
    assert_eq!(verify(0).matches("; parts that the run skipped: 1").count(), 2);
    // A complete run stays complete, even with more memory.
    bench.program(&format!("{SKIPPING} --memory 1G --resume --out out wide mixed good")).assert().success();
    verify(0);
    let changed = before.replacen("/4\n", "/5\n", 1);
    bench.file("mixed", [checked_zstd(changed.as_bytes()), looking_back(after.as_bytes(), 1, 25)].concat());
    assert!(verify(1).contains("different ones"), "what was read is looked at");
    bench.file("mixed", checked_zstd(&before.as_bytes()[..before.len() / 2]));
    assert!(verify(1).contains("expected "), "it must be there");
}

#[test]
fn lists_none_of_which_can_be_opened_are_an_error() {
    let bench = Bench::with_site();
    bench.file("bad.gz", &gzip(b"http://a.example/1\n")[..15]);
    let ended = bench.program(&format!("{SKIPPING} --out out missing bad.gz")).assert().code(2);
    said(&ended.get_output().stderr, &["none of the lists", "missing", "No such file"]);
    assert!(!bench.path("out").exists());
}

/// A wrong column name is the user's mistake, not damage.
#[test]
fn a_column_that_is_not_there_is_no_damage() {
    let bench = Bench::with_site();
    bench.file("table.csv", "url,size\nhttp://a.example/,1\n");
    bench.file("good", "http://a.example/good\n");
    let ended = bench.program(&format!("{SKIPPING} --out out --delimiter , --column link table.csv")).assert().code(2);
    said(&ended.get_output().stderr, &["table.csv", "link", "url, size"]);
    #[cfg(feature = "parquet")]
    {
        use crate::support::tables::{Values::Bytes, Values::Int64, parquet};

        let urls = Bytes(vec![Some(b"http://a.example/".to_vec())]);
        let columns = [("optional binary link", urls), ("required int64 size", Int64(vec![Some(1)]))];
        bench.file("table.parquet", parquet(&columns, 1, parquet::basic::Compression::UNCOMPRESSED));
        let refused =
            [("", "\"url\""), ("--column href", "\"href\""), ("--column 3", "3"), ("--column size", "bytes or text")];
        for (options, what) in refused {
            let ended = bench.program(&format!("{SKIPPING} --out out {options} table.parquet")).assert().code(2);
            said(&ended.get_output().stderr, &["table.parquet", what]);
        }
    }
    assert!(!bench.path("out").exists());
}

#[cfg(feature = "parquet")]
#[test]
fn a_bad_row_group_is_skipped_and_the_others_are_read() {
    use crate::support::tables::{Values::Bytes, parquet};
    use parquet::basic::Compression;

    let bench = Bench::with_site();
    let urls: Vec<_> = (0..9000).map(|number| Some(format!("http://a.example/{number}").into_bytes())).collect();
    let file = parquet(&[("optional binary url", Bytes(urls))], 3, Compression::SNAPPY);
    let mut damaged = file.clone();
    let middle = file.len() / 2;
    damaged[middle - 2000..middle + 2000].fill(0x55);
    bench.file("bad", damaged);
    let mut outputs = Vec::new();
    for options in ["--threads 1", "--threads 3"] {
        bench.program(&format!("{SKIPPING} {options} --force --out out bad")).assert().success();
        let receipt = bench.receipt("out");
        let skipped = skipped(&receipt, 0);
        assert_eq!(skipped.len(), 1);
        assert!(skipped[0]["problem"].as_str().is_some_and(|problem| problem.contains("row group 1")), "{skipped:?}");
        let lines = receipt["input"]["lines"].as_u64().expect("a number");
        // Both undamaged groups of the three have all their rows.
        assert!((18_000..27_000).contains(&lines), "{lines}");
        assert_eq!(skipped[0]["rows"]["count"], 27_000 - lines);
        bench.program("verify --inputs out").assert().success();
        outputs.push(bench.read("out/allowed.txt"));
    }
    assert!(outputs[0] == outputs[1] && outputs[0].ends_with(b"/8999\n"));
}

#[test]
fn runs_resume_over_damage() {
    // Enough for chunks before the damage.
    let text = text(0..250_000);
    for (name, compress) in KINDS {
        let bench = Bench::with_site();
        let (mut file, fourth) = parts(text.as_bytes(), compress);
        let middle = fourth.start + fourth.len() / 2;
        file[middle..middle + 40].fill(0x55);
        bench.file("bad", file);
        bench.file("good", text.replace("http://a", "http://b"));
        let run = SKIPPING;
        bench.program(&format!("{run} --out whole missing bad good bad")).assert().success();
        let words = format!("{run} --checkpoint 0 --out out missing bad good bad");

        let strict = run.replace(" --skip-bad", "");
        let done = bench.program(&format!("{strict} --out once bad")).assert().code(2);
        said(&done.get_output().stderr, &["damaged", "--resume"]);
        bench.program(&format!("{run} --resume --out once bad")).assert().success();
        bench.program(&format!("{run} --out at-once bad")).assert().success();
        assert_eq!(bench.read("once/allowed.txt"), bench.read("at-once/allowed.txt"), "{name}");
        assert_eq!(bench.receipt("once")["lists"], bench.receipt("at-once")["lists"], "{name}");

        let interrupted = interrupted_until_done(&bench, |_| format!("{words} --resume"));
        assert!(interrupted > 1, "{name}: {interrupted}");
        for file in ["allowed.txt", "deferred.txt", "robots-needed.tsv"] {
            assert!(bench.read(&format!("out/{file}")) == bench.read(&format!("whole/{file}")), "{name} {file}");
        }
        assert_eq!(bench.receipt("out")["lists"], bench.receipt("whole")["lists"], "{name}");
        bench.program("verify --inputs out").assert().success();
    }
}
