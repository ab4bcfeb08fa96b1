//! Rows of Parquet lists that cannot be read and are left out of tables.

use std::ops::Range;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use serde_json::Value;

use crate::support::interruptions::interrupted_until_done;
use crate::support::program::{Bench, SKIPPING, said};
use crate::support::results::{PARTITIONS, files, lines, skipped};
use crate::support::tables::{Row, column, nested, next_column, rows, table, text};

/// The columns of a list, by position.
const ID: usize = 0;
const URL: usize = 1;
const SIZE: usize = 2;

const GROUPS: usize = 3;

/// Rows per row group, and per page.
const GROUP: usize = 1000;
const PAGE: usize = 100;

const ROWS: usize = GROUPS * GROUP;

fn url(row: usize) -> String {
    format!("http://a.example/{}{row}", if row.is_multiple_of(4) { "no" } else { "" })
}

/// A list with these URLs, in pages of few rows, whose damage is certain to show.
fn list(url: impl Fn(usize) -> String) -> Vec<u8> {
    let schema = "message list { required int32 id; optional binary url (STRING); optional int64 size; }";
    let properties = WriterProperties::builder()
        .set_compression(Compression::GZIP(Default::default()))
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(PAGE)
        .set_write_batch_size(PAGE)
        .build();
    table(schema, properties, GROUPS, |number, group| {
        let numbers = number * GROUP..(number + 1) * GROUP;
        let ids: Vec<i32> = numbers.clone().map(|row| row as i32).collect();
        let urls: Vec<ByteArray> = numbers.clone().map(|row| ByteArray::from(url(row).into_bytes())).collect();
        let sizes: Vec<i64> = numbers.map(|row| (row * row) as i64).collect();
        let there = vec![1; GROUP];
        for place in [ID, URL, SIZE] {
            next_column(group, |column| match place {
                ID => column.typed::<Int32Type>().write_batch(&ids, None, None),
                URL => column.typed::<ByteArrayType>().write_batch(&urls, Some(&there), None),
                _ => column.typed::<Int64Type>().write_batch(&sizes, Some(&there), None),
            });
        }
    })
}

/// Damages the page of a column that holds this row; the checksum at the page's end reveals it.
fn damage(file: &mut [u8], column: usize, row: usize) {
    let options = ReadOptionsBuilder::new().with_page_index().build();
    let reader = SerializedFileReader::new_with_options(Bytes::copy_from_slice(file), options).expect("a table");
    let group = reader.metadata().page_index_for_row_group(row / GROUP);
    let page = &group.page_locations(column).expect("an index")[row % GROUP / PAGE];
    assert_eq!(page.first_row_index as usize, row % GROUP / PAGE * PAGE);
    let end = (page.offset + i64::from(page.compressed_page_size)) as usize;
    file[end - 8..end].iter_mut().for_each(|byte| *byte ^= 0x55);
}

/// A list with these pages damaged.
fn damaged(pages: &[(usize, usize)]) -> Vec<u8> {
    let mut file = list(url);
    pages.iter().for_each(|&(column, row)| damage(&mut file, column, row));
    file
}

/// The rows that the receipt says were left out.
fn gaps(receipt: &Value, list: usize) -> Vec<Range<usize>> {
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let rows = |part: &Value| {
        let (first, count) = (number(&part["rows"]["first"]), number(&part["rows"]["count"]));
        first..first + count
    };
    skipped(receipt, list).iter().map(rows).collect()
}

/// The numbers of the rows outside these gaps.
fn outside(gaps: &[Range<usize>]) -> Vec<usize> {
    (0..ROWS).filter(|row| !gaps.iter().any(|gap| gap.contains(row))).collect()
}

fn id(row: &Row) -> usize {
    column(row, "id").to_string().parse().expect("a number")
}

/// Checks that these are the rows with these numbers in the list, with all their values.
fn assert_rows(found: &[Row], numbers: &[usize]) {
    assert_eq!(found.iter().map(id).collect::<Vec<_>>(), numbers);
    for row in found {
        assert_eq!(text(row, "url"), url(id(row)));
        assert_eq!(column(row, "size").to_string(), (id(row) * id(row)).to_string());
    }
}

fn verified(bench: &Bench, folder: &str, status: i32) -> String {
    let done = bench.program(&format!("verify --inputs {folder}")).assert().code(status);
    String::from_utf8_lossy(&done.get_output().stdout).into_owned()
}

/// A receipt without the values that differ in each run.
#[test]
#[ignore = "takes long"]
fn a_damaged_page_of_any_column_costs_the_rest_of_its_row_group() {
    for damaged_column in [ID, URL, SIZE] {
        let bench = Bench::with_site();
        bench.file("bad", damaged(&[(damaged_column, 1250)]));
        let words = format!("{SKIPPING} --format parquet --verdicts --out out bad");
        let done = bench.program(&words).assert().success();
        said(&done.get_output().stderr, &["the list bad: skipped ", " rows from row 1", "in its row group 1:"]);
        let receipt = bench.receipt("out");
        let gaps = gaps(&receipt, 0);
        assert_eq!(gaps, std::slice::from_ref(&(1200..2000)), "{damaged_column}");
        assert_eq!(receipt["skipped"], 1);
        assert_rows(&rows(&bench, "out/verdicts/part-0001.parquet"), &outside(&gaps));
        assert_eq!(receipt["input"]["lines"], ROWS - 800);
        assert!(verified(&bench, "out", 0).contains("parts that the run skipped: 1"));
        bench.program(&words.replace(" --skip-bad", " --force")).assert().code(2);
    }
}

#[test]
#[ignore = "takes long"]
fn what_is_skipped_depends_on_no_threads() {
    let bench = Bench::with_site();
    bench.file("bad", damaged(&[(SIZE, 0), (URL, 150), (ID, 1999), (SIZE, 2999)]));
    bench.file("good", list(|row| format!("http://b.example/{row}")));
    bench.file("packed", crate::support::compression::gzip(&damaged(&[(URL, 2000)])));
    let run = format!("{SKIPPING} --format parquet");
    for options in ["", "--unique", "--per-input", "--explain"] {
        for (folder, threads) in [("one", 1), ("four", 4)] {
            let words =
                format!("{run} {options} --threads {threads} --force --out {folder} bad missing good bad packed");
            bench.program(&words).assert().success();
            verified(&bench, folder, 0);
        }
        assert_eq!(bench.timeless("one"), bench.timeless("four"), "{options}");
        let receipt = bench.receipt("one");
        let parts: Vec<usize> = (0..5).map(|list| skipped(&receipt, list).len()).collect();
        assert_eq!(parts, [3, 1, 0, 3, 1], "one of each row group: {receipt}");
        assert_eq!(gaps(&receipt, 0), gaps(&receipt, 3));
        let folders = if options == "--per-input" { ["0001-bad/", "0003-good/"] } else { [""; 2] };
        for (folder, name) in folders.iter().flat_map(|folder| PARTITIONS.map(|name| (folder, name))) {
            let [one, four] =
                ["one", "four"].map(|run| bench.read(&format!("{run}/{folder}lines/verdict={name}/part-0001.parquet")));
            assert!(one == four, "{options} {folder} {name}");
        }
    }
}

#[test]
fn partitions_have_the_rows_that_can_be_read() {
    let bench = Bench::with_site();
    bench.file("bad", damaged(&[(SIZE, 500), (URL, 2500)]));
    bench.program(&format!("{SKIPPING} --format parquet --out out bad")).assert().success();
    let kept = outside(&gaps(&bench.receipt("out"), 0));
    let (blocked, allowed): (Vec<usize>, Vec<usize>) = kept.iter().partition(|&row| row % 4 == 0);
    assert_rows(&rows(&bench, "out/lines/verdict=blocked/part-0001.parquet"), &blocked);
    assert_rows(&rows(&bench, "out/lines/verdict=allowed/part-0001.parquet"), &allowed);
}

/// URLs in skipped rows do not count as seen: their next occurrences stay.
#[test]
fn urls_of_rows_that_are_skipped_were_not_seen() {
    let bench = Bench::with_site();
    bench.file("bad", damaged(&[(SIZE, 1250), (ID, 2000)]));
    bench.file("good", list(url));
    bench.program(&format!("{SKIPPING} --unique --format parquet --verdicts --out out bad good")).assert().success();
    let receipt = bench.receipt("out");
    let gaps = gaps(&receipt, 0);
    assert_eq!(gaps.len(), 2);
    let left: Vec<usize> = gaps.iter().cloned().flatten().collect();
    assert_rows(&rows(&bench, "out/verdicts/part-0001.parquet"), &[outside(&gaps), left.clone()].concat());
    assert_eq!(receipt["duplicates"]["lines"], ROWS - left.len());
    assert!(verified(&bench, "out", 0).contains("parts that the run skipped: 2"));
}

#[test]
fn a_proof_leaves_out_the_same_rows_and_no_others() {
    let bench = Bench::with_site();
    bench.file("bad", damaged(&[(SIZE, 1250)]));
    bench.program(&format!("{SKIPPING} --format parquet --out out bad")).assert().success();
    let gap = gaps(&bench.receipt("out"), 0).remove(0);
    // A part that was left out may since have been repaired.
    bench.file("bad", list(url));
    assert!(verified(&bench, "out", 0).contains("parts that the run skipped: 1"));
    for changed in [0, gap.start - 1, gap.end, ROWS - 1] {
        bench.file(
            "bad",
            list(|row| url(row).replace("a.example", if row == changed { "c.example" } else { "a.example" })),
        );
        assert!(verified(&bench, "out", 1).contains("different ones"), "{changed}");
    }
    for unseen in [gap.start, gap.end - 1] {
        bench.file(
            "bad",
            list(|row| url(row).replace("a.example", if row == unseen { "c.example" } else { "a.example" })),
        );
        verified(&bench, "out", 0);
    }
    // Another page of URLs is damaged.
    bench.file("bad", damaged(&[(SIZE, 1250), (URL, 2250)]));
    assert!(verified(&bench, "out", 1).contains("in its row group 2"));
    // A receipt that claims that more or fewer rows were left out.
    bench.file("bad", damaged(&[(SIZE, 1250)]));
    verified(&bench, "out", 0);
    let honest = String::from_utf8(bench.read("out/receipt.json")).expect("UTF-8");
    for (from, to) in [
        (format!("\"first\": {}", gap.start), format!("\"first\": {}", gap.start + 1)),
        (format!("\"count\": {}", gap.len()), format!("\"count\": {}", gap.len() - 1)),
        (format!("\"count\": {}", gap.len()), format!("\"count\": {}", u64::MAX)),
    ] {
        assert_eq!(honest.matches(&from).count(), 1);
        bench.file("out/receipt.json", honest.replace(&from, &to));
        verified(&bench, "out", 1);
    }
}

#[test]
fn a_list_none_of_whose_rows_can_be_read_makes_tables_without_rows() {
    let bench = Bench::with_site();
    bench.file("bad", damaged(&(0..ROWS).step_by(PAGE).map(|row| (SIZE, row)).collect::<Vec<_>>()));
    for options in ["", "--threads 3", "--unique"] {
        bench.program(&format!("{SKIPPING} {options} --format parquet --force --out out bad")).assert().success();
        for name in PARTITIONS {
            assert!(rows(&bench, &format!("out/lines/verdict={name}/part-0001.parquet")).is_empty());
        }
        let receipt = bench.receipt("out");
        assert_eq!(receipt["input"]["lines"], 0);
        assert!(outside(&gaps(&receipt, 0)).is_empty(), "{receipt}");
        verified(&bench, "out", 0);
    }
}

/// Also where seen URLs are read again, up to the point where the run resumes.
#[test]
#[ignore = "takes long"]
fn runs_resume_over_damaged_rows() {
    let bench = Bench::with_site();
    bench.file("bad", damaged(&[(SIZE, 150), (URL, 1250), (ID, 2950)]));
    bench.file("good", list(url));
    for options in ["", "--unique"] {
        let run = format!("{SKIPPING} {options} --format parquet --threads 2");
        let lists = format!("bad{}", " good".repeat(20));
        bench.program(&format!("{run} --force --out whole {lists}")).assert().success();
        let words = format!("{run} --checkpoint 0 --resume --out out {lists}");
        let interrupted = interrupted_until_done(&bench, |_| words.clone());
        assert!(interrupted > 0, "{options}");
        assert_eq!(bench.timeless("out"), bench.timeless("whole"), "{options}");
        for name in files(&bench, "whole").iter().filter(|name| *name != "receipt.json") {
            assert!(bench.read(&format!("out/{name}")) == bench.read(&format!("whole/{name}")), "{options} {name}");
        }
        verified(&bench, "out", 0);
        std::fs::remove_dir_all(bench.path("out")).expect("removed");

        // A run that ended at the damage resumes after it, once it may skip it.
        let strict = run.replace(" --skip-bad", "");
        let once = format!("once{options}");
        let lists = format!("{}bad", "good ".repeat(20));
        let done = bench.program(&format!("{strict} --checkpoint 0 --out {once} {lists}")).assert().code(2);
        said(&done.get_output().stderr, &["in its row group 0", "--resume"]);
        bench.program(&format!("{run} --resume --out {once} {lists}")).assert().success();
        bench.program(&format!("{run} --force --out whole {lists}")).assert().success();
        assert_eq!(bench.timeless(&once)["lists"], bench.timeless("whole")["lists"], "{options}");
    }
}

/// Whatever part of a list is damaged, even with nested lists in its rows, the run skips it and `verify` proves it.
#[test]
#[ignore = "takes long"]
fn damage_anywhere_is_skipped_and_proven() {
    let bench = Bench::with_site();
    let urls =
        ["http://a.example/1", "http://a.example/no", "http://b.example/", "", "http://a.example/\n"].repeat(200);
    let file = nested(&urls, 400);
    bench.file("good", &file);
    let (mut damaged, mut reported) = (0, 0);
    for (round, at) in (4..file.len() - 8).step_by(file.len() / 40).enumerate() {
        let mut list = file.clone();
        list[at..at + 4].iter_mut().for_each(|byte| *byte ^= 0x55);
        bench.file("bad", list);
        let options = ["--verdicts", "--unique", "--threads 3", "--unique --verdicts"][round % 4];
        let words = format!("{SKIPPING} {options} --per-input --format parquet --force --out out bad good");
        let done = bench.program(&words).output().expect("the program");
        let said = String::from_utf8_lossy(&done.stderr);
        // Damage to the footer may show as a missing column.
        if !done.status.success() {
            assert!(said.contains("column"), "byte {at}: {said}");
            continue;
        }
        verified(&bench, "out", 0);
        damaged += 1;
        reported += usize::from(said.contains(" rows from row "));
    }
    assert!(damaged > 30 && reported > 10, "{damaged} {reported}");
}

/// For text output only the URL column is needed, and it is read sequentially.
#[test]
fn text_needs_only_the_urls() {
    let bench = Bench::with_site();
    bench.file("bad", damaged(&[(SIZE, 1250)]));
    bench.program(&format!("{SKIPPING} --verdicts --out out bad")).assert().success();
    assert_eq!(bench.receipt("out")["lists"][0].get("skipped"), None);
    bench.file("bad", damaged(&[(URL, 1250)]));
    bench.program(&format!("{SKIPPING} --verdicts --force --out out bad")).assert().success();
    let receipt = bench.receipt("out");
    let parts = skipped(&receipt, 0);
    assert_eq!(parts.len(), 1);
    assert_eq!(gaps(&receipt, 0), std::slice::from_ref(&(1000..2000)), "no row of it is read by itself");
    let written = bench.read("out/verdicts.tsv");
    assert_eq!(lines(&written).len(), 1 + ROWS - GROUP);
    verified(&bench, "out", 0);
}
