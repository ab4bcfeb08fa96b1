//! Lists in Parquet: each row is a line, and the line is its URL.

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::WriterProperties;

use crate::support::compression::gzip;
use crate::support::program::{Bench, SOURCES};
use crate::support::results::{Split, lines};
use crate::support::tables::Values::{Bytes, Int32, Texts};
use crate::support::tables::{next_column, parquet, table};

/// The results of a run without times and without how the list was stored; and its compression.
fn without_storage(split: Split) -> (Split, String) {
    let mut split = split.timeless();
    let list = split.receipt["lists"][0].as_object_mut().expect("a list");
    list.remove("path");
    list.remove("file");
    list.remove("compression");
    let format = list.remove("format").expect("a format");
    (split, format.as_str().expect("a name").to_owned())
}

#[test]
#[ignore = "takes long"]
fn rows_go_where_their_urls_go() {
    let bench = Bench::new();
    let text = bench.read("DATASETS/urls.txt");
    let urls: Vec<Option<Vec<u8>>> =
        lines(&text).into_iter().map(|line| Some(line.strip_suffix(b"\n").unwrap_or(line).to_vec())).collect();
    let plain: Vec<u8> = urls.iter().flatten().flat_map(|url| [&url[..], b"\n"].concat()).collect();
    bench.file("plain", plain.repeat(2));
    // Rows may have tabs in their URLs.
    let plain = without_storage(bench.split(&format!("{SOURCES} --delimiter none"), &["plain"]));
    assert_eq!(plain.1, "lines");
    let numbers = || Int32((0..urls.len()).map(|number| Some(number as i32)).collect());
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())] {
        let columns = [
            ("optional int32 number", numbers()),
            ("optional binary url", Bytes(urls.clone())),
            ("optional binary page (UTF8)", Bytes(urls.clone())),
        ];
        let file = parquet(&columns, 2, compression);
        bench.file("list", &file);
        bench.file("list.gz", gzip(&file));
        for options in ["--threads 1 list", "--threads 3 list", "--column page list.gz", "--column 2 -", "-"] {
            let words = format!("{SOURCES} --force --out out {options}");
            bench.filter(&words).write_stdin(file.clone()).assert().success();
            let mut split = without_storage(Split::read(&bench, "out"));
            assert_eq!(split.1, "parquet");
            split.0.receipt["options"]["url_field"] = plain.0.receipt["options"]["url_field"].clone();
            assert!(split.0 == plain.0, "{options} {compression:?}");
        }
    }
    bench.filter(&format!("{SOURCES} --force --out out list")).assert().success();
    bench.program("verify out --inputs").assert().success();
}

#[test]
fn a_url_may_be_put_together_from_the_columns_of_common_crawl() {
    let bench = Bench::with_site();
    let columns = || {
        vec![
            (
                "optional binary url_protocol (UTF8)",
                Texts(vec![Some("http"), Some("http"), Some("https"), None, Some("http")]),
            ),
            ("optional binary url_host_name (UTF8)", {
                Texts(vec![
                    Some("a.example"),
                    Some("a.example"),
                    Some("b.example"),
                    Some("a.example"),
                    Some("a.example"),
                ])
            }),
            ("optional int32 url_port", Int32(vec![None, Some(80), Some(8443), None, Some(-1)])),
            ("optional binary url_path (UTF8)", {
                Texts(vec![Some("/no"), Some("/yes"), Some("/x"), Some("/y"), None])
            }),
            ("optional binary url_query (UTF8)", Texts(vec![None, Some(""), Some("a=b&c"), None, Some("q")])),
        ]
    };
    bench.file("list", parquet(&columns(), 1, Compression::SNAPPY));
    bench.filter("--robots sites --out out list").assert().success();
    let split = Split::read(&bench, "out");
    assert_eq!(split.lines("blocked"), ["http://a.example/no"]);
    assert_eq!(split.lines("allowed"), ["http://a.example:80/yes?", "http://a.example/?q"]);
    assert_eq!(split.lines("deferred"), ["https://b.example:8443/x?a=b&c"]);
    assert_eq!(split.lines("invalid"), [""]);
    assert_eq!(split.reasons("invalid"), [("empty".to_owned(), 1)].into());
    // A column with the URL itself takes precedence.
    let mut columns = columns();
    columns.push(("optional binary url", Texts(vec![Some("http://a.example/whole"); 5])));
    bench.file("list", parquet(&columns, 1, Compression::SNAPPY));
    bench.filter("--robots sites --force --out out list").assert().success();
    assert_eq!(Split::read(&bench, "out").lines("allowed"), ["http://a.example/whole"; 5]);
}

#[test]
fn rows_without_a_url_or_with_line_feeds_are_invalid_lines() {
    let bench = Bench::with_site();
    let urls = ["http://a.example/1", "http://a.example/\nno", "\n", "http://a.example/2", "http://a.example/x\r"];
    let mut urls: Vec<Option<&'static str>> = urls.map(Some).into();
    urls.push(None);
    let urls = urls.repeat(40);
    bench.file("list", parquet(&[("optional binary url", Texts(urls))], 1, Compression::UNCOMPRESSED));
    for options in ["", "--threads 3"] {
        bench.filter(&format!("--robots sites --force --out out {options} list")).assert().success();
        let split = Split::read(&bench, "out");
        let allowed = ["http://a.example/1", "http://a.example/2", "http://a.example/x\r"].repeat(40);
        assert_eq!(split.lines("allowed"), allowed, "{options}");
        assert_eq!(split.lines("invalid"), ["http://a.example/%0Ano", "%0A", ""].repeat(40), "{options}");
        let reasons = [("empty".to_owned(), 40), ("line-break".to_owned(), 80)];
        assert_eq!(split.reasons("invalid"), reasons.into(), "{options}");
        bench.program("verify out --inputs").assert().success();
    }
}

#[test]
fn tables_without_urls_are_refused() {
    let bench = Bench::with_site();
    let refused = |columns: &[(&str, crate::support::tables::Values)], options: &str, words: &[&str]| {
        bench.file("list", parquet(columns, 1, Compression::UNCOMPRESSED));
        bench.refused(&format!("--robots sites --out out {options} list"), &[&["list"], words].concat());
    };
    let page = || ("optional binary page", Texts(vec![Some("http://a.example/")]));
    refused(&[page()], "", &["neither a column \"url\"", "Common Crawl", "page", "--column"]);
    refused(&[page()], "--column uri", &["no column \"uri\"", "page"]);
    refused(&[page()], "--column 2", &["no column 2", "page"]);
    refused(&[("optional int32 url", Int32(vec![Some(7)]))], "", &["\"url\"", "bytes or text"]);
    refused(&[("repeated binary url", Texts(vec![Some("http://a.example/")]))], "", &["\"url\"", "one value per row"]);
}

#[test]
fn damaged_tables_are_refused() {
    let bench = Bench::with_site();
    let urls: Vec<_> = (0..3000).map(|number| Some(format!("http://a.example/{number}").into_bytes())).collect();
    let file = parquet(&[("optional binary url", Bytes(urls))], 3, Compression::SNAPPY);
    for length in [4, 5, 11, file.len() / 2, file.len() - 1] {
        bench.file("list", &file[..length]);
        bench.refused("--robots sites --out out list", &["the list list: "]);
    }
    let mut refused = 0;
    for at in (4..file.len() - 8).step_by(file.len() / 40) {
        let mut damaged = file.clone();
        damaged[at..at + 4].iter_mut().for_each(|byte| *byte ^= 0x55);
        bench.file("list", damaged);
        let done = bench.filter("--robots sites --force --out out list").output().expect("the program");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(!said.contains("panicked"), "{said}");
        if !done.status.success() {
            assert_eq!(done.status.code(), Some(2), "byte {at}: {said}");
            assert!(said.contains("the list list: "), "{said}");
            refused += 1;
        }
    }
    assert!(refused > 5, "{refused}: what is changed inside a text is another text, but pages and schemas are noticed");
}

/// Idle workers decode rows ahead; the bytes written and the damaged rows skipped do not depend on it.
#[test]
#[ignore = "takes long"]
fn rows_that_others_decode_are_the_same() {
    let bench = Bench::with_site();
    let url = |row: usize| match row % 977 {
        0 => b"http://a.example/\n".to_vec(),
        _ => format!("http://a.example/{}{row}", ["no/", ""][row % 2]).into_bytes(),
    };
    let urls = Bytes((0..150_000).map(|row| Some(url(row))).collect());
    let file = parquet(&[("optional binary url", urls)], 2, Compression::SNAPPY);
    let same = |options: &str| {
        let split = |threads: usize| {
            let out = format!("--robots sites --force --now 2026-01-01T00:00:00Z --threads {threads} {options}");
            bench.filter(&format!("{out} --out out list list")).assert().success();
            let mut receipt = bench.receipt("out");
            let fields = receipt.as_object_mut().expect("an object");
            ["seconds", "urls_per_second", "speed"].iter().for_each(|time| drop(fields.remove(*time)));
            fields["options"].as_object_mut().expect("options").remove("threads");
            (receipt, crate::support::results::PARTITIONS.map(|name| bench.read(&format!("out/{name}.txt"))))
        };
        let (receipt, texts) = split(1);
        for threads in [2, 4] {
            let (other, of_other) = split(threads);
            assert_eq!(receipt, other, "{options} {threads}");
            assert!(texts == of_other, "{options} {threads}");
        }
        receipt
    };
    bench.file("list", &file);
    let receipt = same("");
    assert_eq!(receipt["input"]["lines"], 600_000);
    assert_eq!(receipt["partitions"]["invalid"]["reasons"]["line-break"], 4 * 150_000_usize.div_ceil(977));
    let mut skipped = 0;
    for at in (file.len() / 9..file.len() - 1000).step_by(file.len() / 9) {
        let mut damaged = file.clone();
        damaged[at..at + 40].iter_mut().for_each(|byte| *byte ^= 0x55);
        bench.file("list", damaged);
        skipped += same("--skip-bad")["skipped"].as_u64().unwrap_or(0);
    }
    assert!(skipped > 4, "{skipped}");
}

#[test]
fn the_url_may_be_a_nested_column() {
    let bench = Bench::with_site();
    let schema =
        "message list { optional group page { optional binary url (STRING); required int32 n; } required int32 n; }";
    let file = table(schema, WriterProperties::default(), 1, |_, group| {
        let urls = ["http://a.example/1", "http://a.example/no"].map(ByteArray::from);
        // The last row has no page, so its URL is null.
        next_column(group, |column| column.typed::<ByteArrayType>().write_batch(&urls, Some(&[2, 2, 0]), None));
        next_column(group, |column| column.typed::<Int32Type>().write_batch(&[1, 2], Some(&[1, 1, 0]), None));
        next_column(group, |column| column.typed::<Int32Type>().write_batch(&[1, 2, 3], None, None));
    });
    bench.file("list", file);
    bench.filter("--robots sites --column page.url --out texts list").assert().success();
    let texts = ["allowed", "blocked", "invalid"].map(|name| bench.read(&format!("texts/{name}.txt")));
    assert_eq!(texts, [&b"http://a.example/1\n"[..], b"http://a.example/no\n", b"\n"]);
    bench.filter("--robots sites --column page.url --format parquet --out tables list").assert().success();
    bench.program("verify tables --inputs").assert().success();
    bench.refused("--robots sites --out out list", &["\"url\"", "page.url, page.n, n"]);
    bench.refused("--robots sites --column page --out out list", &["page.url, page.n, n"]);
}
