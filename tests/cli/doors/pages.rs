//! Pages of Parquet files that take more memory than there is: an error that says so, before they are decoded, from lists, sources and
//! at every way to read them.

use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::support::program::{Bench, said};
use crate::support::tables::{Values, parquet_with};

/// A value of 100 MB, in a file of some KB.
fn huge() -> String {
    format!("http://a.example/{}", "x".repeat(100 << 20))
}

#[test]
fn a_page_that_has_no_room_is_not_decoded() {
    let bench = Bench::with_site();
    let properties = |compression, dictionary| {
        WriterProperties::builder().set_compression(compression).set_dictionary_enabled(dictionary).build()
    };
    for properties in [
        properties(Compression::ZSTD(ZstdLevel::default()), false),
        properties(Compression::ZSTD(ZstdLevel::default()), true),
        properties(Compression::GZIP(GzipLevel::default()), false),
        WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(false)
            .set_column_encoding("url".into(), Encoding::DELTA_BYTE_ARRAY)
            .set_column_encoding("body".into(), Encoding::DELTA_BYTE_ARRAY)
            .build(),
    ] {
        let urls = Values::Bytes(vec![Some(huge().into_bytes()), Some("http://a.example/no".into())]);
        bench.file("list", parquet_with(&[("required binary url (UTF8)", urls)], 1, properties.clone()));
        let common = "--robots sites --memory 64M --force --out out";
        for options in ["", "--threads 3", "--format parquet", "--verdicts"] {
            let done = bench.filter(&format!("{common} {options} list")).assert().code(2);
            said(&done.get_output().stderr, &["list", "than the memory limit has room for", "--memory", "--skip-bad"]);
            let done = bench.filter(&format!("{common} {options} --skip-bad list")).assert().success();
            said(&done.get_output().stderr, &["skipped 2 rows from row 0 on", "row group 0"]);
            assert_eq!(bench.receipt("out")["skipped"], 1);
            bench.program("verify out --inputs").assert().success();
        }
        let answers = [
            ("required binary origin (UTF8)", Values::Bytes(vec![Some("http://b.example".into())])),
            ("required int32 status", Values::Int32(vec![Some(200)])),
            ("required binary body (UTF8)", Values::Bytes(vec![Some(huge().into_bytes())])),
            ("required binary fetched_at (UTF8)", Values::Bytes(vec![Some("2026-01-01T00:00:00Z".into())])),
        ];
        bench.file("answers", parquet_with(&answers, 1, properties));
        let compile = "compile --agent examplebot answers --memory 64M -o policy.rsv";
        let done = bench.program(compile).assert().code(2);
        said(&done.get_output().stderr, &["answers", "than the memory limit has room for", "--memory"]);
        let done = bench.program(&format!("{compile} --skip-bad")).assert();
        said(&done.get_output().stderr, &["answers", "than the memory limit has room for"]);
    }
}
