//! `--format parquet`: partitions and verdicts as tables, read back with the library.

use std::fs::{self, File};

use parquet::basic::{Compression, Encoding, LogicalType, TimeUnit};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArrayType, Int96, Int96Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::support::compression::gzip;
use crate::support::program::{Bench, SOURCES_NOW, said};
use crate::support::results::{PARTITIONS, Split, files};
use crate::support::tables::Values::{Bytes, Int32, Texts};
use crate::support::tables::{
    Row, column, columns, nested, next_column, of_partition, parquet, parquet_with, reader, rows, table, text,
};

/// The line a row was made from.
fn line(row: &Row) -> Vec<u8> {
    match (column(row, "line"), column(row, "url")) {
        (Field::Bytes(line), _) => line.data().to_vec(),
        (Field::Null, Field::Str(url)) => url.clone().into_bytes(),
        other => panic!("{other:?}"),
    }
}

fn content(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

#[test]
#[ignore = "takes long"]
fn lines_of_any_list_become_the_rows_that_they_are_as_text() {
    let bench = Bench::new();
    let plain = bench.read("DATASETS/urls.txt");
    let odd = b"http://a.example/\xff\r\n  http://a.example/x\n\n\xffno\nhttp://a.example/last";
    bench.file("odd", [&plain[..], b"\n", odd].concat());
    bench.file("packed", gzip(&plain));
    bench.file("fields.csv", "id,page\n1,https://shop.example/cart\n2,\"https://shop.example/a,b\"\n3\n4,\n");
    bench.file(
        "index.cdxj",
        "example,shop)/ 20200101000000 {\"url\": \"https://shop.example/\\u0061\", \"status\": \"200\"}\n\
         example,shop)/ 20200101000000 {\"url\": 7}\n",
    );
    bench.file("nothing", "");
    for list in
        ["odd", "packed", "--column page --delimiter , fields.csv", "index.cdxj", "nothing", "odd nothing packed"]
    {
        for options in ["", "--threads 3"] {
            let as_text = format!("{SOURCES_NOW} --force --out text {list}");
            bench.filter(&as_text).assert().success();
            bench
                .filter(&format!("{SOURCES_NOW} --force --format parquet --out out {options} {list}"))
                .assert()
                .success();
            for name in PARTITIONS {
                let expected = bench.read(&format!("text/{name}.txt"));
                let has_head = list.contains("csv");
                let expected: Vec<&[u8]> = crate::support::results::lines(&expected)
                    .into_iter()
                    .skip(usize::from(has_head))
                    .map(content)
                    .collect();
                let rows = rows(&bench, &format!("out/lines/verdict={name}/part-0001.parquet"));
                assert!(rows.iter().map(line).eq(expected), "{list} {options} {name}");
            }
            bench.program("verify out --inputs").assert().success();
        }
    }
    bench.filter(&format!("{SOURCES_NOW} --force --format parquet --out out odd")).assert().success();
    assert_eq!(bench.names("out"), ["lines", "receipt.json", "robots-needed.tsv"]);
    assert_eq!(bench.names("out/lines"), PARTITIONS.map(|name| format!("verdict={name}")));
    assert_eq!(bench.names("out/lines/verdict=allowed"), ["part-0001.parquet"]);
    assert_eq!(columns(&bench, "out/lines/verdict=invalid/part-0001.parquet"), ["url", "line", "reason"]);
    let last = rows(&bench, "out/lines/verdict=deferred/part-0001.parquet").pop().expect("a row");
    assert_eq!(text(&last, "url"), "http://a.example/last");
    assert_eq!(*column(&last, "line"), Field::Null, "the line is the URL");
    let deferred = rows(&bench, "out/lines/verdict=deferred/part-0001.parquet");
    let replaced = deferred.iter().find(|row| text(row, "url") == "http://a.example/%FF");
    assert_eq!(line(replaced.expect("trimmed, and what is not UTF-8 percent-encoded")), b"http://a.example/\xff\r");
}

#[test]
fn the_url_of_a_line_of_fields_has_a_column_and_the_file_has_the_head_line() {
    let bench = Bench::with_site();
    bench.file("fields.csv", "id,page\n1,http://a.example/no\n2,http://a.example/yes\n3\n");
    bench.filter("--robots sites --format parquet --out out --column page --delimiter , fields.csv").assert().success();
    let blocked = rows(&bench, "out/lines/verdict=blocked/part-0001.parquet");
    assert_eq!(text(&blocked[0], "url"), "http://a.example/no");
    assert_eq!(line(&blocked[0]), b"1,http://a.example/no");
    assert_eq!(text(&blocked[0], "reason"), "rules");
    let invalid = rows(&bench, "out/lines/verdict=invalid/part-0001.parquet");
    assert_eq!((column(&invalid[0], "url"), text(&invalid[0], "reason")), (&Field::Null, "column".to_owned()));
    assert_eq!(line(&invalid[0]), b"3");
    let reader = reader(&bench, "out/lines/verdict=allowed/part-0001.parquet");
    let metadata = reader.metadata().file_metadata().key_value_metadata().expect("a head line");
    let metadata: Vec<_> = metadata.iter().map(|metadata| (metadata.key.as_str(), metadata.value.as_deref())).collect();
    assert_eq!(metadata, [("robosieve.columns", Some("reason")), ("robosieve.head", Some("id,page"))]);
}

#[test]
fn all_columns_of_a_table_pass_through() {
    let bench = Bench::with_site();
    let urls = ["http://a.example/1", "http://a.example/no", "http://b.example/", "", "http://a.example/\n"].repeat(50);
    bench.file("list", nested(&urls, 37));
    bench.file("list.gz", gzip(&bench.read("list")));
    let input = rows(&bench, "list");
    assert!(input.iter().any(|row| matches!(column(row, "tags"), Field::ListInternal(_))));
    for options in ["list", "list.gz", "--threads 3 list", "--column 2 list"] {
        bench
            .filter(&format!("--robots sites --force --format parquet --verdicts --out out {options}"))
            .assert()
            .success();
        let all = rows(&bench, "out/verdicts/part-0001.parquet");
        let (kept, ours): (Vec<Row>, Vec<Row>) =
            all.iter().map(|row| (row[..row.len() - 2].to_vec(), row[row.len() - 2..].to_vec())).unzip();
        assert!(kept == input, "{options}");
        let verdicts = ["allowed", "blocked", "deferred", "invalid", "invalid"].repeat(50);
        assert!(ours.iter().map(|row| text(row, "verdict")).eq(verdicts), "{options}");
        bench.program("verify out --inputs").assert().success();
        bench.filter(&format!("--robots sites --force --format parquet --out out {options}")).assert().success();
        for name in PARTITIONS {
            let expected = of_partition(&all, name);
            assert!(
                rows(&bench, &format!("out/lines/verdict={name}/part-0001.parquet")) == expected,
                "{options} {name}"
            );
        }
        bench.program("verify out --inputs").assert().success();
    }
    let reasons: Vec<String> =
        rows(&bench, "out/lines/verdict=invalid/part-0001.parquet").iter().map(|row| text(row, "reason")).collect();
    assert_eq!(reasons[..2], ["empty", "line-break"]);
}

/// A list with columns whose meaning Arrow has no type for; times in INT96 are `days` after 1970.
fn described(days: u32) -> Vec<u8> {
    const SCHEMA: &str = "message list { required binary url (UTF8); optional binary kind (ENUM); optional binary note \
                          (UTF8); optional fixed_len_byte_array(12) span (INTERVAL); optional int96 time; }";
    let bytes = |bytes: &[u8]| ByteArray::from(bytes.to_vec());
    let mut time = Int96::new();
    time.set_data(1, 0, 2_440_588 + days);
    table(SCHEMA, WriterProperties::default(), 1, |_, group| {
        for place in 0..5 {
            next_column(group, |column| match place {
                0 => column.typed::<ByteArrayType>().write_batch(&[bytes(b"http://a.example/")], None, None),
                1 => column.typed::<ByteArrayType>().write_batch(&[bytes(b"kind")], Some(&[1]), None),
                2 => column.typed::<ByteArrayType>().write_batch(&[bytes(b"not UTF-8: \xff")], Some(&[1]), None),
                3 => column.typed::<FixedLenByteArrayType>().write_batch(&[SPAN.to_vec().into()], Some(&[1]), None),
                _ => column.typed::<Int96Type>().write_batch(&[time], Some(&[1]), None),
            });
        }
    })
}

/// Two months, three days and four milliseconds.
const SPAN: [u8; 12] = [2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0];

#[test]
fn what_a_list_says_of_its_columns_stays_said_but_for_int96() {
    let bench = Bench::with_site();
    bench.file("list", described(10));
    bench.filter("--robots sites --format parquet --out out list").assert().success();
    let written = File::open(bench.path("out/lines/verdict=allowed/part-0001.parquet")).expect("a file");
    let written = SerializedFileReader::new(written).expect("a table");
    let described = |reader: &dyn FileReader| {
        let fields = reader.metadata().file_metadata().schema().get_fields().to_vec();
        fields.into_iter().take(4).collect::<Vec<_>>()
    };
    let read = SerializedFileReader::new(File::open(bench.path("list")).expect("a file")).expect("a table");
    assert_eq!(described(&written), described(&read));
    let group = written.get_row_group(0).expect("a group");
    let (mut spans, mut times, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let column = |place| group.get_column_reader(place).expect("a column");
    let ColumnReader::ByteArrayColumnReader(mut note) = column(2) else { panic!("notes are bytes") };
    note.read_records(1, Some(&mut Vec::new()), None, &mut notes).expect("a value");
    let ColumnReader::FixedLenByteArrayColumnReader(mut span) = column(3) else { panic!("intervals are bytes") };
    span.read_records(1, Some(&mut Vec::new()), None, &mut spans).expect("a value");
    let ColumnReader::Int64ColumnReader(mut time) = column(4) else { panic!("times are numbers") };
    time.read_records(1, Some(&mut Vec::new()), None, &mut times).expect("a value");
    assert_eq!((notes[0].data(), spans[0].data(), times[0]), (&b"not UTF-8: \xff"[..], &SPAN[..], 864_000_000_000_001));
    // The year 2292.
    bench.file("list", self::described(117_700));
    let failed = bench.filter("--robots sites --format parquet --force --out out list").assert().code(2);
    said(&failed.get_output().stderr, &["list", "row group 0", "\"time\"", "1677 to 2262"]);
}

/// Spark reads no nanoseconds, and its times are whole microseconds.
#[test]
fn int96_of_spark_becomes_microseconds() {
    let bench = Bench::with_site();
    let list = |days: u32, nanoseconds: u32| {
        let rows = "{\"type\":\"struct\",\"fields\":[{\"name\":\"url\"},{\"name\":\"time\"}]}";
        let rows = KeyValue::new("org.apache.spark.sql.parquet.row.metadata".to_owned(), rows.to_owned());
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![rows])).build();
        let mut time = Int96::new();
        time.set_data(nanoseconds, 0, 2_440_588 + days);
        table("message list { required binary url (UTF8); optional int96 time; }", properties, 1, |_, group| {
            let url = ByteArray::from("http://a.example/");
            next_column(group, |column| column.typed::<ByteArrayType>().write_batch(&[url], None, None));
            next_column(group, |column| column.typed::<Int96Type>().write_batch(&[time], Some(&[1]), None));
        })
    };
    // The second is in the year 2292, which nanoseconds cannot hold.
    for (days, microseconds) in [(10, 864_000_000_007), (117_700, 10_169_280_000_000_007)] {
        bench.file("list", list(days, 7000));
        bench.filter("--robots sites --force --format parquet --out out list").assert().success();
        let written = "out/lines/verdict=allowed/part-0001.parquet";
        assert_eq!(column(&rows(&bench, written)[0], "time"), &Field::TimestampMicros(microseconds));
        let schema = reader(&bench, written).metadata().file_metadata().schema_descr_ptr();
        let utc_microseconds = LogicalType::timestamp(true, TimeUnit::MICROS);
        assert_eq!(schema.column(1).logical_type_ref(), Some(&utc_microseconds));
    }
    bench.file("list", list(10, 7001));
    let failed = bench.filter("--robots sites --force --format parquet --out out list").assert().code(2);
    said(&failed.get_output().stderr, &["list", "\"time\"", "no whole microsecond"]);
}

#[test]
fn urls_that_are_put_together_are_proved_too() {
    let bench = Bench::with_site();
    let columns = [
        ("optional binary url_protocol (UTF8)", Texts(vec![Some("http"), Some("http"), None])),
        ("optional binary url_host_name (UTF8)", Texts(vec![Some("a.example"); 3])),
        ("optional int32 url_port", Int32(vec![None, Some(80), None])),
        ("optional binary url_path (UTF8)", Texts(vec![Some("/no"), Some("/a\nb"), Some("/")])),
        ("optional binary url_query (UTF8)", Texts(vec![None, Some("q"), None])),
    ];
    bench.file("list", parquet(&columns, 3, Compression::SNAPPY));
    bench.filter("--robots sites --format parquet --out out list").assert().success();
    assert_eq!(rows(&bench, "out/lines/verdict=blocked/part-0001.parquet").len(), 3);
    assert_eq!(text(&rows(&bench, "out/lines/verdict=invalid/part-0001.parquet")[0], "url_path"), "/a\nb");
    bench.program("verify out --inputs").assert().success();
}

#[test]
fn every_crawler_has_its_verdicts() {
    let bench = Bench::new();
    bench.file("sites/a.example", "User-agent: one\nDisallow: /1\n\nUser-agent: *\nDisallow: /2\n");
    bench.file("urls", "http://a.example/1\nhttp://a.example/2\nno url\n");
    let run = |options: &str| {
        let words =
            format!("filter --agent one --agent * --robots sites --force --format parquet --out out {options} urls");
        bench.program(&words).assert().success();
        bench.program("verify out --inputs").assert().success();
    };
    run("");
    for (crawler, url) in [("one", "http://a.example/1"), ("default", "http://a.example/2")] {
        let file = format!("out/lines/crawler={crawler}/verdict=blocked/part-0001.parquet");
        let rows = rows(&bench, &file);
        assert_eq!(rows.iter().map(|row| text(row, "url")).collect::<Vec<_>>(), [url]);
        assert_eq!(columns(&bench, &file)[2..], ["reason"]);
    }
    run("--verdicts");
    let own = ["verdict.one", "reason.one", "verdict.default", "reason.default"];
    assert_eq!(columns(&bench, "out/verdicts/part-0001.parquet")[2..], own);
    let rows = rows(&bench, "out/verdicts/part-0001.parquet");
    let found: Vec<[String; 4]> = rows.iter().map(|row| own.map(|name| text(row, name))).collect();
    assert_eq!(found[0], ["blocked", "rules", "allowed", "rules"]);
    assert_eq!(found[1], ["allowed", "rules", "blocked", "rules"]);
    assert_eq!(found[2], ["invalid", "not-absolute", "invalid", "not-absolute"]);
}

#[test]
fn tables_that_do_not_fit_are_reported_before_anything_is_written() {
    let bench = Bench::with_site();
    let urls = || ("optional binary url", Texts(vec![Some("http://a.example/")]));
    bench.file("one", parquet(&[urls()], 1, Compression::SNAPPY));
    bench.file("two", parquet(&[urls(), ("optional int32 id", Int32(vec![Some(1)]))], 1, Compression::SNAPPY));
    bench.file("taken", parquet(&[urls(), ("optional int32 reason", Int32(vec![Some(1)]))], 1, Compression::SNAPPY));
    bench.file("verdict", parquet(&[urls(), ("optional int32 verdict", Int32(vec![None]))], 1, Compression::SNAPPY));
    bench.file("caused", parquet(&[urls(), ("optional int32 rule_line", Int32(vec![None]))], 1, Compression::SNAPPY));
    bench.file("urls", "http://a.example/\n");
    let refused = |words: &str, message: &[&str]| {
        bench.refused(&format!("--robots sites --format parquet {words}"), message);
        assert_eq!(bench.names("out"), [""; 0]);
    };
    refused("--out out one two", &["one", "two", "columns", "--per-input"]);
    refused("--out out urls one", &["urls", "one", "columns", "--per-input"]);
    refused("--out out taken", &["taken", "\"reason\"", "--format text"]);
    refused("--out out verdict", &["verdict", "\"verdict\"", "--format text"]);
    refused("--out out --compress gz urls", &["--compress", "Parquet", "Zstandard"]);
    refused("--out out --explain caused", &["caused", "\"rule_line\"", "--format text"]);
    refused("--only allowed urls", &["--format parquet", "--out"]);
    refused("--count urls", &["--format parquet", "--out"]);
    bench.filter("--robots sites --format parquet --per-input --out out one two urls").assert().success();
    assert_eq!(columns(&bench, "out/0001-one/lines/verdict=allowed/part-0001.parquet"), ["url", "reason"]);
    assert_eq!(columns(&bench, "out/0002-two/lines/verdict=allowed/part-0001.parquet"), ["url", "id", "reason"]);
    assert_eq!(columns(&bench, "out/0003-urls/lines/verdict=blocked/part-0001.parquet"), ["url", "line", "reason"]);
    bench.program("verify out --inputs").assert().success();
    bench.filter("--robots sites --format parquet --force --out out one one").assert().success();
    assert_eq!(rows(&bench, "out/lines/verdict=allowed/part-0001.parquet").len(), 2);
}

#[test]
#[ignore = "takes long"]
fn a_table_with_fewer_or_more_rows_in_a_column_is_refused() {
    let bench = Bench::with_site();
    let urls: Vec<_> = (0..4000).map(|number| Some(format!("http://a.example/{number}").into_bytes())).collect();
    let numbers = Int32((0..4000).map(|number| Some(number * 7919)).collect());
    let file = parquet(&[("optional binary url", Bytes(urls)), ("optional int32 id", numbers)], 2, Compression::SNAPPY);
    let mut refused = 0;
    for at in (4..file.len() - 8).step_by(file.len() / 60) {
        let mut damaged = file.clone();
        damaged[at..at + 4].iter_mut().for_each(|byte| *byte ^= 0x55);
        bench.file("list", damaged);
        let words = "--robots sites --force --format parquet --out out list";
        let done = bench.filter(words).output().expect("the program");
        if !done.status.success() {
            assert_eq!(done.status.code(), Some(2), "byte {at}");
            said(&done.stderr, &["the list list: "]);
            refused += 1;
        }
    }
    assert!(refused > 5, "{refused}");
}

#[test]
fn parts_are_tables_of_their_own_and_no_longer_than_they_may_be() {
    let bench = Bench::new();
    bench.file("urls", bench.read("DATASETS/urls.txt").repeat(6));
    let run = |options: &str| {
        let words = format!("{SOURCES_NOW} --force --format parquet {options} urls");
        bench.filter(&words).assert().success();
    };
    run("--out whole");
    for threads in [1, 3] {
        run(&format!("--out out --split-size 20k --threads {threads}"));
        let folder = "out/lines/verdict=allowed";
        let parts = bench.names(folder);
        assert!(parts.len() > 2, "{parts:?}");
        let all: Vec<Row> = parts.iter().flat_map(|name| rows(&bench, &format!("{folder}/{name}"))).collect();
        assert!(all == rows(&bench, "whole/lines/verdict=allowed/part-0001.parquet"));
        for (place, name) in parts.iter().enumerate() {
            let length = fs::metadata(bench.path(&format!("{folder}/{name}"))).expect("a file").len();
            assert!(length <= 20 << 10, "{name} has {length} bytes");
            // Merging row groups makes files smaller.
            assert!(length > 5 << 10 || place + 1 == parts.len(), "{name} has {length} bytes");
            assert_eq!(*name, format!("part-{:04}.parquet", place + 1));
        }
        bench.program("verify out --inputs").assert().success();
    }
}

#[test]
fn tables_do_not_depend_on_threads() {
    let bench = Bench::with_site();
    bench.file("text", bench.read("DATASETS/urls.txt").repeat(5));
    let urls = ["http://a.example/1", "http://a.example/no", "http://b.example/", ""].repeat(500);
    bench.file("table", nested(&urls, 370));
    for list in ["text", "table"] {
        let stored = |threads: usize| {
            let words = format!("--robots sites --force --format parquet --out out --threads {threads}");
            bench.filter(&format!("{words} {list}")).assert().success();
            PARTITIONS.map(|name| bench.read(&format!("out/lines/verdict={name}/part-0001.parquet")))
        };
        assert!(stored(1) == stored(3), "{list}");
    }
}

#[test]
fn shards_are_joined_to_one_dataset() {
    let bench = Bench::new();
    for form in ["", "--verdicts", "--verdicts --explain", "--per-input"] {
        let run = |options: &str| {
            let words = format!("{SOURCES_NOW} --format parquet {form} --force {options}");
            bench.filter(&format!("{words} DATASETS/urls.txt")).assert().success();
        };
        run("--out whole");
        for shard in 1..=3 {
            run(&format!("--shard {shard}/3 --out part-{shard}"));
        }
        bench.program("join --force --out all part-1 part-2 part-3").assert().success();
        bench.program("verify all").assert().success();
        bench.program("join --force --concat --out all part-1 part-2 part-3").assert().success();
        bench.program("verify all --inputs").assert().success();
        let folder = if form == "--per-input" { "0001-urls.txt/" } else { "" };
        let folders: Vec<String> = match form {
            "" | "--per-input" => PARTITIONS.map(|name| format!("{folder}lines/verdict={name}")).into(),
            _ => vec!["verdicts".to_owned()],
        };
        for folder in folders {
            assert_eq!(bench.names(&format!("all/{folder}")), [1, 2, 3].map(|part| format!("part-000{part}.parquet")));
            let all = [1, 2, 3].map(|part| rows(&bench, &format!("all/{folder}/part-000{part}.parquet"))).concat();
            assert!(all == rows(&bench, &format!("whole/{folder}/part-0001.parquet")), "{folder} {form}");
        }
    }
}

#[test]
fn verify_notices_tables_that_are_not_what_was_written() {
    let bench = Bench::new();
    bench.filter(&format!("{SOURCES_NOW} --format parquet --out out DATASETS/urls.txt")).assert().success();
    let [allowed, blocked] =
        ["allowed", "blocked"].map(|name| bench.read(&format!("out/lines/verdict={name}/part-0001.parquet")));
    let is_noticed = |name: &str, bytes: &[u8]| {
        bench.file(&format!("out/lines/verdict={name}/part-0001.parquet"), bytes);
        let done = bench.program("verify out").output().expect("the program");
        assert_ne!(done.status.code(), Some(0), "{name}");
        bench.file("out/lines/verdict=allowed/part-0001.parquet", &allowed);
        bench.file("out/lines/verdict=blocked/part-0001.parquet", &blocked);
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    assert!(is_noticed("allowed", &blocked).contains("lines of"));
    is_noticed("allowed", &allowed[..allowed.len() - 1]);
    let other =
        "--robots DATASETS/sites --robots DATASETS/origins.jsonl --now 2026-11-01T00:00:00Z --on-unfetched allow";
    bench.filter(&format!("{other} --format parquet --out other DATASETS/urls.txt")).assert().success();
    assert!(is_noticed("allowed", &bench.read("other/lines/verdict=allowed/part-0001.parquet")).contains("lines of"));
    bench.program("verify out").assert().success();
}

#[test]
fn a_report_reads_tables() {
    let bench = Bench::new();
    let rules = |format: &str| {
        bench
            .filter(&format!("{SOURCES_NOW} --force --format {format} --out out DATASETS/urls.txt"))
            .assert()
            .success();
        bench.program("report out --robots DATASETS/sites --robots DATASETS/origins.jsonl").assert().success();
        let page = String::from_utf8(bench.read("out/report.html")).expect("UTF-8");
        page.lines().filter(|line| line.contains("Disallow")).map(str::to_owned).collect::<Vec<_>>()
    };
    let of_text = rules("text");
    assert!(of_text.len() > 3, "{of_text:?}");
    assert_eq!(rules("parquet"), of_text);
    assert_eq!(rules("parquet --verdicts"), of_text);
    assert_eq!(rules("parquet --explain"), of_text);
    assert_eq!(rules("parquet --verdicts --explain"), of_text);
}

#[test]
fn a_table_of_ours_is_a_list() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/no\nhttp://a.example/yes\n");
    bench.filter("--robots sites --format parquet --verdicts --out out urls").assert().success();
    bench.filter("--robots sites --out again out/verdicts/part-0001.parquet").assert().success();
    assert_eq!(Split::read(&bench, "again").lines("blocked"), ["http://a.example/no"]);
}

/// `--force` removes the files and folders of an earlier run, and no other files.
#[test]
fn folders_of_tables_come_and_go_with_their_run() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/no\n");
    let run = |options: &str| bench.filter(&format!("--robots sites --out out {options}"));
    run("--format parquet --agent * urls").assert().success();
    run("--format parquet --verdicts --force urls").assert().success();
    assert_eq!(bench.names("out"), ["receipt.json", "robots-needed.tsv", "verdicts"]);
    run("--format parquet --per-input --force urls").assert().success();
    assert_eq!(bench.names("out"), ["0001-urls", "receipt.json", "robots-needed.tsv"]);
    run("--format parquet --force urls").assert().success();
    let mine = "out/lines/verdict=allowed/mine.parquet";
    bench.file(mine, "mine");
    run("--force urls").assert().success();
    assert_eq!(files(&bench, "out/lines"), ["verdict=allowed/mine.parquet"]);
    for (name, content) in
        [("out/lines/verdict=allowed/part-0002.parquet", "mine"), ("out/lines/verdict=blocked", "mine")]
    {
        bench.file(name, content);
        let done = run("--format parquet --force urls").assert().code(2);
        said(&done.get_output().stderr, &[name, "in the way"]);
        assert_eq!(bench.read(name), b"mine");
        fs::remove_file(bench.path(name)).expect("removed");
    }
    run("--format parquet --force urls").assert().success();
    assert_eq!(bench.read(mine), b"mine");
    // The run would remove the list before reading it.
    let done = run("--format parquet --force out/lines/verdict=blocked/part-0001.parquet").assert().code(2);
    said(&done.get_output().stderr, &["out/lines/verdict=blocked/part-0001.parquet"]);
    assert_eq!(rows(&bench, "out/lines/verdict=blocked/part-0001.parquet").len(), 1);
}

/// A run replaces the columns that an earlier one added, and drops no others.
#[test]
fn our_own_columns_are_replaced() {
    let bench = Bench::with_site();
    let urls = ["http://a.example/1", "http://b.example/", "http://a.example/no"].repeat(40);
    bench.file("table", nested(&urls, 37));
    bench.file("text", urls.iter().map(|url| format!("{url} \n")).collect::<String>());
    for list in ["table", "text"] {
        let run = |options: &str| {
            let words = format!("--robots sites --format parquet {options}");
            bench.filter(&words).assert().success();
        };
        run(&format!("--force --out first --explain {list}"));
        let deferred = rows(&bench, "first/lines/verdict=deferred/part-0001.parquet");
        run("--force --out again --on-unfetched block first/lines/verdict=deferred/part-0001.parquet");
        let again = rows(&bench, "again/lines/verdict=blocked/part-0001.parquet");
        let others = |rows: &[Row]| {
            let is_other = |(name, _): &&(String, Field)| {
                !["reason", "rule", "rule_line", "agent", "captured"].contains(&name.as_str())
            };
            rows.iter().map(|row| row.iter().filter(is_other).cloned().collect::<Row>()).collect::<Vec<_>>()
        };
        assert_eq!(again.len(), 40);
        assert!(others(&again) == others(&deferred), "{list}");
        assert!(again.iter().all(|row| text(row, "reason") == "unfetched"));
        assert_eq!(columns(&bench, "again/lines/verdict=blocked/part-0001.parquet").last().expect("columns"), "reason");
        bench.program("verify again --inputs").assert().success();
        // The rows of all partitions are the list's rows again, and equal after another run.
        run(&format!("--force --out first --verdicts --agent * {list}"));
        run("--force --out again --verdicts --agent * first/verdicts/part-0001.parquet");
        let [first, again] = ["first", "again"].map(|run| rows(&bench, &format!("{run}/verdicts/part-0001.parquet")));
        assert!(first == again, "{list}");
    }
    // A column that is not ours is never replaced, even with one of our names or at the table's end.
    bench.file(
        "mine",
        parquet(
            &[
                ("optional binary url", Texts(vec![Some("http://a.example/")])),
                ("optional binary reason (STRING)", Texts(vec![Some("mine")])),
            ],
            1,
            Compression::SNAPPY,
        ),
    );
    bench.refused("--robots sites --format parquet --out out mine", &["mine", "\"reason\""]);
    let named = "--robots sites --format parquet --out out --column reason first/verdicts/part-0001.parquet";
    bench.refused(named, &["no column", "reason"]);
}

#[test]
fn rows_whose_urls_were_there_before_are_left_out() {
    let bench = Bench::with_site();
    let urls =
        ["http://a.example/1", "http://a.example/no", "http://a.example/1", "", "", "http://b.example/"].repeat(30);
    bench.file("table", nested(&urls, 37));
    bench.file("text", urls.iter().map(|url| format!("{url}\n")).collect::<String>());
    let first = [0, 1, 5];
    for list in ["table", "text"] {
        for options in ["--threads 3", ""] {
            let words =
                format!("--robots sites --force --format parquet --verdicts --unique --out out {options} {list}");
            bench.filter(&words).assert().success();
            let rows = rows(&bench, "out/verdicts/part-0001.parquet");
            let kept: Vec<&str> = urls
                .iter()
                .enumerate()
                .filter(|(place, url)| url.is_empty() || first.contains(place))
                .map(|(_, url)| *url)
                .collect();
            assert!(rows.iter().map(|row| text(row, "url")).eq(kept), "{list} {options}");
            if list == "table" {
                let ids =
                    rows.iter().filter(|row| text(row, "verdict") != "invalid").map(|row| column(row, "id").clone());
                assert!(
                    ids.eq(first.map(|id| Field::Int(id as i32))),
                    "the other columns are those of the rows that stay"
                );
            }
            bench.program("verify out --inputs").assert().success();
        }
    }
}

/// Pages that a chunk does not need are skipped without mixing up the values of rows.
#[test]
#[ignore = "takes long"]
fn values_that_are_made_of_those_before_them_stay_in_their_rows() {
    let bench = Bench::with_site();
    let url = |row: usize| format!("http://a.example/{}{row}", ["no/", ""][row % 2]).into_bytes();
    let urls = Bytes((0..5000).map(|row| Some(url(row))).collect());
    let others = Bytes((0..5000).map(|row| (row % 7 > 0).then(|| url(row))).collect());
    let columns = [("required binary url", urls), ("optional binary other", others)];
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = WriterProperties::builder().set_writer_version(version).set_dictionary_enabled(false);
        let properties = properties.set_encoding(Encoding::DELTA_BYTE_ARRAY).set_data_page_row_count_limit(300);
        bench.file("list", parquet_with(&columns, 1, properties.set_write_batch_size(100).build()));
        let run = "filter --agent examplebot --robots sites --out out --force --format parquet --threads 3";
        bench.program(&format!("{run} list")).assert().success();
        let written =
            ["allowed", "blocked"].map(|name| rows(&bench, &format!("out/lines/verdict={name}/part-0001.parquet")));
        assert_eq!(written.each_ref().map(Vec::len), [2500, 2500]);
        for (place, row) in written.iter().flat_map(|rows| rows.iter().enumerate()) {
            let Field::Bytes(found) = column(row, "url") else { panic!("{row:?}") };
            let number = 2 * place + usize::from(!found.data().starts_with(b"http://a.example/no/"));
            assert_eq!(found.data(), url(number));
            let other = if number % 7 > 0 { column(row, "url").clone() } else { Field::Null };
            assert_eq!(column(row, "other"), &other);
        }
        bench.program("verify out --inputs").assert().success();
    }
}
