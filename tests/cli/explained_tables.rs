//! `--explain` with `--format parquet`: the rule that blocked a line, in columns of its row.

use parquet::basic::Compression;
use parquet::record::Field;

use crate::support::explained::{SOURCES, bench};
use crate::support::program::Bench;
use crate::support::results::PARTITIONS;
use crate::support::tables::{Row, Values, column, columns, of_partition, parquet, rows, text};

/// The explanation of a line: the rule, its line, its group, the time.
type Cause = [Field; 4];

const COLUMNS: [&str; 4] = ["rule", "rule_line", "agent", "captured"];

const NOTHING: Cause = [Field::Null, Field::Null, Field::Null, Field::Null];

/// 2026-01-02T00:00:00Z, in milliseconds.
const DAY: i64 = 1_767_312_000_000;

/// 2026-01-02T03:04:05Z
const CAPTURED: Field = Field::TimestampMillis(DAY + ((3 * 60 + 4) * 60 + 5) * 1000);

fn cause(row: &Row, label: &str) -> Cause {
    COLUMNS.map(|name| column(row, &format!("{name}{label}")).clone())
}

fn by_rule(rule: &str, line: i32, agent: &str, captured: Field) -> Cause {
    [Field::Str(rule.to_owned()), Field::Int(line), Field::Str(agent.to_owned()), captured]
}

/// A text with invalid UTF-8 percent-encoded.
fn encoded(text: &[u8]) -> String {
    let invalid = |bytes: &[u8]| bytes.iter().map(|byte| format!("%{byte:02X}")).collect::<String>();
    text.utf8_chunks().map(|part| part.valid().to_owned() + &invalid(part.invalid())).collect()
}

#[test]
fn rows_show_what_blocked_them() {
    let bench = bench();
    bench.file("sites/raw.example", b"User-agent: *\nDisallow: /\xffa\n");
    let mut urls = bench.read("urls");
    urls.extend_from_slice(b"\nhttp://raw.example/%FFab\n");
    bench.file("urls", urls);
    let no = || by_rule("Disallow: /no", 5, "examplebot", CAPTURED);
    let expected = [
        ("blocked", no()),
        ("allowed", NOTHING),
        ("blocked", by_rule("Disallow: /\tx\\", 6, "examplebot", CAPTURED)),
        ("blocked", [Field::Null, Field::Null, Field::Null, Field::TimestampMillis(DAY)]),
        ("blocked", by_rule("Disallow: /*.gif$", 2, "*", Field::Null)),
        ("allowed", NOTHING),
        ("invalid", NOTHING),
        ("blocked", no()),
        ("blocked", by_rule("Disallow: /%FFa", 2, "*", Field::Null)),
    ];
    let words = format!("{SOURCES} --robots sites --delimiter none --explain --format parquet --force --out out urls");
    for options in ["", "--threads 3"] {
        bench.filter(&format!("{words} --verdicts {options}")).assert().success();
        assert_eq!(
            columns(&bench, "out/verdicts/part-0001.parquet")[2..],
            [&["verdict", "reason"], &COLUMNS[..]].concat()
        );
        let verdicts = rows(&bench, "out/verdicts/part-0001.parquet");
        let found: Vec<(String, Cause)> = verdicts.iter().map(|row| (text(row, "verdict"), cause(row, ""))).collect();
        assert!(
            found.iter().map(|(verdict, cause)| (verdict.as_str(), cause.clone())).eq(expected.clone()),
            "{found:?}"
        );
        bench.program("verify out --inputs").assert().success();
        bench.filter(&format!("{words} {options}")).assert().success();
        for name in PARTITIONS {
            let written = rows(&bench, &format!("out/lines/verdict={name}/part-0001.parquet"));
            assert!(written == of_partition(&verdicts, name), "{name} {options}");
        }
        bench.program("verify out --inputs").assert().success();
    }
}

/// Explanations are kept apart from the rows, so row groups need not be smaller.
#[test]
fn explaining_makes_row_groups_no_smaller() {
    let bench = bench();
    let chunk_size = |options: &str| {
        let words = format!("{SOURCES} --format parquet --force --out out {options} urls");
        bench.filter(&words).assert().success();
        let receipt = bench.receipt("out");
        receipt["options"]["chunk_size"].as_u64().expect("a number")
    };
    assert_eq!(chunk_size("--explain"), chunk_size(""));
}

#[test]
fn every_crawler_has_columns_of_its_own() {
    let bench = bench();
    let words = format!("{SOURCES} --agent * --explain --format parquet --force --out out urls");
    bench.filter(&format!("{words} --verdicts")).assert().success();
    let of = |label: &str| {
        ["verdict", "reason", "rule", "rule_line", "agent", "captured"].map(|name| format!("{name}.{label}"))
    };
    assert_eq!(columns(&bench, "out/verdicts/part-0001.parquet")[2..], [of("examplebot"), of("default")].concat());
    let all = rows(&bench, "out/verdicts/part-0001.parquet");
    let both = |row: &Row| [".examplebot", ".default"].map(|label| cause(row, label));
    assert_eq!(both(&all[0]), [by_rule("Disallow: /no", 5, "examplebot", CAPTURED), NOTHING]);
    assert_eq!(both(&all[5]), [NOTHING, by_rule("Disallow: /all", 2, "*", CAPTURED)]);
    assert_eq!(both(&all[6]), [NOTHING, NOTHING]);
    bench.program("verify out --inputs").assert().success();
    bench.filter(&words).assert().success();
    let blocked = rows(&bench, "out/lines/crawler=default/verdict=blocked/part-0001.parquet");
    let row = blocked.iter().find(|row| text(row, "url") == "http://a.example/all").expect("a row");
    assert_eq!(cause(row, ""), by_rule("Disallow: /all", 2, "*", CAPTURED));
    bench.program("verify out --inputs").assert().success();
}

/// The columns hold what text output writes before its lines.
#[test]
fn tables_show_what_text_shows() {
    let bench = Bench::new();
    let sources = "--robots DATASETS/sites --robots DATASETS/origins.jsonl --now 2026-11-01T00:00:00Z --agent *";
    let words = format!("{sources} --explain --verdicts --force");
    bench.filter(&format!("{words} --out text DATASETS/urls.txt")).assert().success();
    let of_text = encoded(&bench.read("text/verdicts.tsv"));
    let of_text: Vec<Vec<&str>> = of_text.lines().skip(1).map(|line| line.split('\t').take(10).collect()).collect();
    for options in ["", "--threads 3"] {
        bench.filter(&format!("{words} --format parquet {options} --out out DATASETS/urls.txt")).assert().success();
        let shown = |field: &Field| match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            Field::Int(line) => line.to_string(),
            Field::TimestampMillis(time) => jiff::Timestamp::from_millisecond(*time).expect("a time").to_string(),
            other => panic!("{other:?}"),
        };
        let of_crawler = |row: &Row, label: &str| {
            ["verdict", "rule", "rule_line", "agent", "captured"]
                .map(|name| shown(column(row, &format!("{name}.{label}"))))
        };
        let found = rows(&bench, "out/verdicts/part-0001.parquet");
        let found = found.iter().map(|row| [of_crawler(row, "examplebot"), of_crawler(row, "default")].concat());
        assert!(found.eq(of_text.iter().cloned()), "{options}");
    }
    assert!(of_text.iter().any(|row| row[1].contains("%E9")), "a rule that is not UTF-8");
    assert!(of_text.iter().filter(|row| row[1].starts_with("Disallow: ")).count() > 100);
}

#[test]
fn rows_that_stay_keep_what_blocked_them() {
    let bench = Bench::with_site();
    bench.file("sites/b.example", "User-agent: *\n\nDisallow: /b\n");
    let kinds = ["http://a.example/no/", "http://b.example/b", "http://a.example/yes/", ""];
    let url = |n: usize| match kinds[n % 4] {
        "" => String::new(),
        start => format!("{start}{}", n % 60),
    };
    let urls = Values::Bytes((0..300).map(|n| Some(url(n).into_bytes())).collect());
    bench.file("list", parquet(&[("optional binary url (STRING)", urls)], 2, Compression::SNAPPY));
    for options in ["", "--threads 3"] {
        let words = format!("--unique --explain --format parquet --verdicts --force --out out {options} list");
        bench.filter(&format!("--robots sites {words}")).assert().success();
        let rows = rows(&bench, "out/verdicts/part-0001.parquet");
        assert_eq!(rows.len(), 45 + 2 * 300 / 4, "{options}");
        for row in &rows {
            let rule = match text(row, "url") {
                url if url.starts_with(kinds[0]) => Field::Str("Disallow: /no".to_owned()),
                url if url.starts_with(kinds[1]) => Field::Str("Disallow: /b".to_owned()),
                _ => Field::Null,
            };
            assert_eq!(*column(row, "rule"), rule, "{row:?}");
        }
        bench.program("verify out --inputs").assert().success();
    }
}
