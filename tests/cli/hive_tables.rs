//! Tables in folders whose names are columns, as in Hive datasets.

use std::fs;

use parquet::basic::Compression;
use parquet::record::Field;
use serde_json::Value;

use crate::support::program::{Bench, said};
use crate::support::tables::Values::{Int32, Texts};
use crate::support::tables::{Row, column, columns, parquet, rows, text};

const OPTIONS: &str = "--robots sites --force --format parquet --out out";
const WARC: &str = "crawl=CC-MAIN-2026-40/subset=warc";
const ROBOTS: &str = "crawl=CC-MAIN-2026-40/subset=robots%3Atxt";
const NONE: &str = "crawl=CC-MAIN-2026-41/subset=__HIVE_DEFAULT_PARTITION__";

fn list(urls: &[&'static str]) -> Vec<u8> {
    let columns = [
        ("optional binary url (STRING)", Texts(urls.iter().map(|url| Some(*url)).collect())),
        ("optional int32 n", Int32((0..urls.len() as i32).map(Some).collect())),
    ];
    parquet(&columns, 1, Compression::SNAPPY)
}

/// A table of four files in three folders.
fn table() -> Bench {
    let bench = Bench::with_site();
    for (place, urls) in [
        (format!("table/{WARC}/a.parquet"), ["http://a.example/1", "http://a.example/no"]),
        (format!("table/{WARC}/b.parquet"), ["http://b.example/", "x"]),
        (format!("table/{ROBOTS}/a.parquet"), ["http://a.example/2", "http://a.example/no/2"]),
        (format!("table/{NONE}/a.parquet"), ["http://a.example/3", "http://a.example/no/3"]),
    ] {
        bench.file(&place, list(&urls));
    }
    bench.file("table/_SUCCESS", "");
    bench.file(&format!("table/{WARC}/.a.parquet.crc"), "x");
    bench
}

fn receipt(bench: &Bench) -> Value {
    bench.program("verify out --inputs").assert().success();
    serde_json::from_slice(&bench.read("out/receipt.json")).expect("a receipt")
}

/// The URL of a row, and the columns of its folders.
fn placed(row: &Row) -> (String, String, Option<String>) {
    let subset = match column(row, "subset") {
        Field::Null => None,
        Field::Str(subset) => Some(subset.clone()),
        other => panic!("{other:?}"),
    };
    (text(row, "url"), text(row, "crawl"), subset)
}

#[test]
fn the_columns_of_folders_are_columns_of_the_files() {
    let bench = table();
    let written = "out/lines/verdict=allowed/part-0001.parquet";
    let expected = [
        ("http://a.example/2", "CC-MAIN-2026-40", Some("robots:txt")),
        ("http://a.example/1", "CC-MAIN-2026-40", Some("warc")),
        ("http://a.example/3", "CC-MAIN-2026-41", None),
    ]
    .map(|(url, crawl, subset)| (url.to_owned(), crawl.to_owned(), subset.map(str::to_owned)));
    for lists in ["table", "table/crawl=*", "table/*/*", "table/*/*/*.parquet", "--threads 3 table/**/*.parquet"] {
        bench.filter(&format!("{OPTIONS} {lists}")).assert().success();
        assert_eq!(columns(&bench, written), ["url", "n", "crawl", "subset", "reason"], "{lists}");
        assert!(rows(&bench, written).iter().map(placed).eq(expected.clone()), "{lists}");
        receipt(&bench);
    }
    // Duplicates are left out, and their rows with them.
    bench.filter(&format!("{OPTIONS} --unique table/{WARC} table/{ROBOTS} table")).assert().success();
    assert_eq!(rows(&bench, written).iter().map(placed).collect::<Vec<_>>(), [1, 0, 2].map(|at| expected[at].clone()));
    // A later run takes what an earlier one wrote: the folders of its verdicts are no columns.
    bench.filter(&format!("{OPTIONS} table")).assert().success();
    fs::rename(bench.path("out"), bench.path("before")).expect("renamed");
    for lists in ["before/lines/verdict=allowed", "before/lines/verdict=allowed/*"] {
        bench.filter(&format!("{OPTIONS} {lists}")).assert().success();
        assert_eq!(columns(&bench, written), ["url", "n", "crawl", "subset", "reason"], "{lists}");
        assert!(rows(&bench, written).iter().map(placed).eq(expected.clone()), "{lists}");
    }
    bench.filter(&format!("{OPTIONS} --path-columns ignored table")).assert().success();
    assert_eq!(columns(&bench, written), ["url", "n", "reason"]);
    // As lines, only URLs count.
    bench.filter("--robots sites --force --out out table").assert().success();
    assert_eq!(bench.read("out/allowed.txt"), b"http://a.example/2\nhttp://a.example/1\nhttp://a.example/3\n");
}

#[test]
fn rows_go_to_such_folders_again() {
    let bench = table();
    let place = |partition: &str, folder: &str| format!("out/lines/verdict={partition}/{folder}/part-0001.parquet");
    let urls = |name: &str| rows(&bench, name).iter().map(|row| text(row, "url")).collect::<Vec<_>>();
    for options in ["", "--threads 3", "--split-size 1"] {
        bench.filter(&format!("{OPTIONS} --path-columns folders {options} table")).assert().success();
        for (folder, allowed, blocked) in [
            (WARC, "http://a.example/1", "http://a.example/no"),
            (ROBOTS, "http://a.example/2", "http://a.example/no/2"),
            (NONE, "http://a.example/3", "http://a.example/no/3"),
        ] {
            assert_eq!(urls(&place("allowed", folder)), [allowed], "{folder}");
            assert_eq!(urls(&place("blocked", folder)), [blocked], "{folder}");
            assert_eq!(columns(&bench, &place("deferred", folder)), ["url", "n", "reason"]);
        }
        assert_eq!(receipt(&bench)["options"]["path_columns"], "folders");
    }
    bench
        .filter(&format!("{OPTIONS} --path-columns folders --verdicts table/crawl=CC-MAIN-2026-40"))
        .assert()
        .success();
    assert_eq!(rows(&bench, &format!("out/verdicts/{WARC}/part-0001.parquet")).len(), 4);
    receipt(&bench);
    bench.file("nothing", "");
    bench.filter(&format!("{OPTIONS} --path-columns folders nothing table nothing")).assert().success();
    assert_eq!(rows(&bench, &place("allowed", NONE)).len(), 1);
    receipt(&bench);
    bench.filter(&format!("{OPTIONS} --path-columns folders --verdicts table")).assert().success();
    // What an earlier run wrote there is replaced, and what a user put there is in the way.
    bench.filter(&format!("{OPTIONS} table")).assert().success();
    assert!(!bench.path(&format!("out/verdicts/{WARC}")).exists());
    bench.file(&place("allowed", WARC), "mine");
    let refused = bench.filter(&format!("{OPTIONS} --path-columns folders table")).assert().code(2);
    said(&refused.get_output().stderr, &[WARC, "in the way"]);
    assert_eq!(bench.read(&place("allowed", WARC)), b"mine");
    let missed = bench.program("verify out").assert().code(1);
    assert!(String::from_utf8_lossy(&missed.get_output().stdout).contains(WARC));
}

#[test]
fn shards_and_later_runs_write_the_same_folders() {
    let bench = table();
    let options = "--robots sites --format parquet --path-columns folders --now 2026-01-01T00:00:00Z";
    bench.filter(&format!("{options} --out whole table")).assert().success();
    for shard in 1..=2 {
        bench.filter(&format!("{options} --shard {shard}/2 --out shard{shard} table")).assert().success();
    }
    bench.program("join --out joined shard1 shard2 --concat").assert().success();
    bench.program("verify joined").assert().success();
    let all = |out: &str| {
        let folders = [WARC, ROBOTS, NONE].map(|folder| format!("{out}/lines/verdict=allowed/{folder}"));
        folders.map(|folder| {
            let names = bench.names(&folder);
            names
                .iter()
                .flat_map(|name| rows(&bench, &format!("{folder}/{name}")))
                .map(|row| text(&row, "url"))
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(all("joined"), all("whole"));
    bench.filter(&format!("{options} --resume --out whole table")).assert().success();
    let other = options.replace("folders", "columns");
    let refused = bench.filter(&format!("{other} --resume --out whole table")).assert().code(2);
    said(&refused.get_output().stderr, &["cannot be resumed", "path-columns"]);
    let differ = bench.filter(&format!("{other} --shard 2/2 --force --out shard2 table")).assert();
    differ.success();
    let refused = bench.program("join --out other shard1 shard2").assert().code(2);
    said(&refused.get_output().stderr, &["options"]);
}

/// What no table can have is an error that names both.
#[test]
fn folders_that_cannot_be_columns_are_refused() {
    let bench = table();
    bench.file("n=1/a.parquet", list(&["http://a.example/1"]));
    bench.file("reason=1/a.parquet", list(&["http://a.example/1"]));
    bench.file("verdict=allowed/a.parquet", list(&["http://a.example/1"]));
    bench.file("k=1/k=2/a.parquet", list(&["http://a.example/1"]));
    bench.file("k=%FF/a.parquet", list(&["http://a.example/1"]));
    bench.file("other/crawl=1/a.parquet", list(&["http://a.example/1"]));
    bench.file("urls.txt", "http://a.example/1\n");
    let (first, other) = (format!("table/{WARC}/a.parquet"), format!("table/{ROBOTS}/a.parquet"));
    let again = format!("{first} {other} table/{WARC}/b.parquet");
    for (lists, words) in [
        ("n=1", &["n=1/a.parquet", "\"n\"", "folder n=1", "--path-columns ignored"][..]),
        ("reason=1/a.parquet", &["\"reason\"", "a.parquet"]),
        ("verdict=allowed/a.parquet", &["\"verdict\"", "a.parquet"]),
        ("k=1", &["k=1 and k=2", "a.parquet"]),
        ("k=%FF", &["k=%FF", "UTF-8"]),
        ("table other/crawl=1", &["other/crawl=1/a.parquet", "crawl, subset; crawl", "--per-input"]),
        (
            &format!("table {first} --path-columns folders"),
            &[&first, "one after the other", WARC, "--path-columns columns"],
        ),
        (&format!("{again} --path-columns folders"), &["b.parquet", "one after the other"]),
        ("table other/crawl=1 --path-columns folders", &["crawl, subset; crawl"]),
    ] {
        let refused = bench.filter(&format!("{OPTIONS} {lists}")).assert().code(2);
        said(&refused.get_output().stderr, words);
        assert!(!bench.path("out/receipt.json").exists(), "{lists}");
    }
    bench.file("two/k=1/a.parquet", list(&["http://a.example/1"]));
    bench
        .file("two/k=2/a.parquet", parquet(&[("optional binary url", Texts(vec![Some("x")]))], 1, Compression::SNAPPY));
    let refused = bench.filter(&format!("{OPTIONS} --path-columns folders two")).assert().code(2);
    said(&refused.get_output().stderr, &["k=1/a.parquet", "k=2/a.parquet", "different columns"]);
    for lists in ["table other/crawl=1 --per-input", "table other/crawl=1 --path-columns ignored"] {
        bench.filter(&format!("{OPTIONS} {lists}")).assert().success();
        receipt(&bench);
    }
    let refused = bench.filter("--robots sites --out text --path-columns folders table").assert().code(2);
    said(&refused.get_output().stderr, &["--path-columns", "--format parquet"]);
}

/// A folder of other lists is an error that says how to write the pattern.
#[test]
fn a_folder_of_other_lists_says_the_pattern() {
    let bench = Bench::with_site();
    bench.file("texts/a.txt.gz", "x");
    bench.file("tables/a.parquet", list(&["http://a.example/1"]));
    bench.file("deep/x/y/a.cdxj", "x");
    bench.file("mixed/k=1/a.parquet", list(&["http://a.example/1"]));
    bench.file("mixed/k=1/b.txt", "http://a.example/1\n");
    bench.file("empty/_x/a", "");
    for (folder, words) in [
        ("texts", &["'texts/*.gz'"][..]),
        ("tables", &["'tables/*.parquet'", "day=2026-01-31"]),
        ("deep", &["'deep/**/*.cdxj'"]),
        ("mixed", &["'mixed/**/*.parquet'"]),
        ("empty", &["empty", "no lists"]),
    ] {
        let refused = bench.filter(&format!("--robots sites --out out {folder}")).assert().code(2);
        said(&refused.get_output().stderr, words);
    }
}

/// Links may lead in a circle.
#[cfg(unix)]
#[test]
fn a_folder_that_leads_to_itself_is_no_table() {
    let bench = table();
    std::os::unix::fs::symlink(bench.path("table"), bench.path("table/crawl=again")).expect("a link");
    bench.refused("--robots sites --out out table", &["table is a folder"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on_in_its_folders() {
    use crate::support::interruptions::interrupted_until_done;
    use crate::support::results::assert_same;

    let bench = Bench::with_site();
    let urls = ["http://a.example/1", "http://a.example/no", "http://b.example/", "x"].repeat(10_000);
    for day in 1..=6 {
        bench.file(&format!("table/day={day}/a.parquet"), list(&urls));
    }
    let options = "--agent examplebot --robots sites --format parquet --path-columns folders --now 2026-01-01T00:00:00Z \
                   --checkpoint 0 --threads 2";
    bench.program(&format!("filter {options} --out whole table")).assert().success();
    let words = format!("filter {options} --resume --out out table");
    assert!(interrupted_until_done(&bench, |_| words.clone()) > 0, "too fast");
    assert_same(&bench, "whole", "out");
    receipt(&bench);
}
