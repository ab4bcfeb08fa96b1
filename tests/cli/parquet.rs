//! Parquet sources, written with the library that reads them; `scripts/foreign-sources` uses another library.

use parquet::basic::{Compression, ZstdLevel};

use robosieve::Agents;
use robosieve::Dialect;
use robosieve::policy::{Captures, source};

use crate::support::archives::answer;
use crate::support::compression::gzip;
use crate::support::program::{Bench, ROBOTS};
use crate::support::tables::Values::{Days, Doubles, Int32, Int64, Texts};
use crate::support::tables::{Values, parquet};

/// The columns of most files: answers with status 200, 404 and 503, and a redirect to the first.
fn usual() -> Vec<(&'static str, Values)> {
    let urls = ["a", "b", "c", "d"].map(|host| match host {
        "a" => "http://a.example/robots.txt",
        "b" => "HTTP://B.example:80/robots.txt",
        "c" => "http://c.example/robots.txt",
        _ => "http://d.example/robots.txt",
    });
    vec![
        ("required binary url (STRING)", Texts(urls.map(Some).to_vec())),
        ("optional int32 status (INTEGER(16,true))", Int32(vec![Some(200), Some(404), Some(503), Some(301)])),
        ("optional binary body", Texts(vec![Some(ROBOTS), Some("Not found"), None, Some("")])),
        ("optional int64 fetched_at", Int64(vec![Some(7), None, Some(7), Some(7)])),
    ]
}

fn outcomes(bench: &Bench, options: &str) -> Vec<String> {
    ["a", "b", "c", "d"].map(|host| bench.outcome(options, format!("http://{host}.example/no"))).to_vec()
}

const USUAL: [&str; 4] =
    ["blocked rules", "allowed unavailable", "deferred unreachable", "deferred redirect-unresolved"];

#[test]
fn rows_are_answers_whatever_the_compression_and_the_name() {
    let bench = Bench::new();
    let (gzip_codec, zstd) = (Compression::GZIP(Default::default()), Compression::ZSTD(ZstdLevel::default()));
    let others = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4, Compression::LZ4_RAW];
    for compression in others.into_iter().chain([gzip_codec, zstd]) {
        let file = parquet(&usual(), 2, compression);
        for (name, file) in [("in.parquet", file.clone()), ("in.jsonl", file.clone()), ("in.gz", gzip(&file))] {
            bench.file(name, file);
            assert_eq!(outcomes(&bench, &format!("--robots {name}")), USUAL, "{name} {compression}");
        }
    }
    bench.file("urls", "http://a.example/no\n");
    let receipt = bench.split("--robots in.parquet", &["urls"]).receipt;
    assert_eq!(receipt["policy"]["captures"]["read"], 8);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_may_come_through_a_pipe() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\n");
    let file = parquet(&usual(), 1, Compression::SNAPPY);
    bench.filter("--robots /dev/stdin --out out urls").write_stdin(file).assert().success();
    assert_eq!(bench.read("out/blocked.txt"), b"http://a.example/no\n");
}

#[test]
fn more_rows_than_are_read_at_a_time() {
    let bench = Bench::new();
    let mut columns = usual();
    for (_, values) in &mut columns {
        match values {
            Texts(texts) => *texts = texts.repeat(1000),
            Int32(numbers) => *numbers = numbers.repeat(1000),
            Int64(numbers) => *numbers = numbers.repeat(1000),
            _ => unreachable!("not among the usual"),
        }
    }
    let Texts(urls) = &mut columns[0].1 else { unreachable!("text") };
    let last = urls.len() - 1;
    urls[last] = Some("http://last.example/robots.txt");
    let Texts(bodies) = &mut columns[2].1 else { unreachable!("text") };
    bodies[last] = Some(ROBOTS);
    let Int32(statuses) = &mut columns[1].1 else { unreachable!("numbers") };
    statuses[last] = Some(200);
    bench.file("in.parquet", parquet(&columns, 1, Compression::SNAPPY));
    assert_eq!(outcomes(&bench, "--robots in.parquet"), USUAL);
    assert_eq!(bench.outcome("--robots in.parquet", "http://last.example/no"), "blocked rules");
}

/// The newer answer wins, whatever the form of its time.
#[test]
fn times_have_several_forms() {
    let bench = Bench::new();
    let second = 5 * 86_400;
    let older = |second: i64| format!("{{\"origin\":\"http://a.example\",\"status\":404,\"fetched_at\":{second}}}\n");
    let forms = [
        ("optional int64 fetched_at", Int64(vec![Some(second)]), 0),
        ("optional int32 fetched_at", Int32(vec![Some(second as i32)]), 0),
        ("optional int64 fetched_at (INTEGER(64,false))", Int64(vec![Some(second)]), 0),
        ("optional int64 fetched_at (TIMESTAMP(MILLIS,true))", Int64(vec![Some(second * 1000 + 999)]), 0),
        ("optional int64 fetched_at (TIMESTAMP(MICROS,false))", Int64(vec![Some(second * 1_000_000)]), 0),
        ("optional int64 fetched_at (TIMESTAMP(NANOS,true))", Int64(vec![Some(second * 1_000_000_000)]), 0),
        ("optional int64 fetched_at (TIMESTAMP_MICROS)", Int64(vec![Some(second * 1_000_000)]), 0),
        ("optional int96 fetched_at", Days(vec![Some(5)]), 12 * 3600),
        ("optional binary fetched_at (STRING)", Texts(vec![Some("1970-01-06T01:00:00+01:00")]), 0),
    ];
    for (field, times, more) in forms {
        let columns = [
            ("required binary url", Texts(vec![Some("http://a.example/robots.txt")])),
            ("required int64 status", Int64(vec![Some(200)])),
            ("required binary body", Texts(vec![Some(ROBOTS)])),
            (field, times),
        ];
        bench.file("in.parquet", parquet(&columns, 1, Compression::UNCOMPRESSED));
        for (other, expected) in [(-1, "blocked rules"), (1, "allowed unavailable")] {
            bench.file("in.jsonl", older(second + more + other));
            let found = bench.outcome("--robots in.parquet --robots in.jsonl", "http://a.example/no");
            assert_eq!(found, expected, "{field}, {other}");
        }
    }
}

#[test]
fn columns_may_have_other_names_and_some_may_be_missing() {
    let bench = Bench::new();
    let mut columns = usual();
    columns[0].0 = "required binary content_url";
    let location = Texts(vec![None, None, None, Some("http://a.example/robots.txt")]);
    columns[3] = ("optional binary redirect (STRING)", location);
    bench.file("in.parquet", parquet(&columns, 1, Compression::SNAPPY));
    bench.file("urls", "http://a.example/\n");
    let known = "content_url, status, body, redirect";
    bench.refused("--robots in.parquet --out out urls", &["in.parquet", "\"url\"", known, "--columns"]);
    bench.refused("--robots in.parquet --columns url=content_url --out out urls", &["\"fetched_at\"", known]);
    let options = "--robots in.parquet --columns url=content_url,fetched_at=";
    assert_eq!(outcomes(&bench, options), USUAL);
    let redirected = outcomes(&bench, &format!("{options},location=redirect"));
    assert_eq!(redirected, ["blocked rules", USUAL[1], USUAL[2], "blocked rules"]);
    bench.refused(&format!("{options},location=elsewhere --out out urls"), &["\"elsewhere\"", known]);
    for wrong in ["uri=x", "url", "url=", "body=", "location=a,location=b", ""] {
        bench.refused(
            &format!("--robots in.parquet --columns={wrong} --out out urls"),
            &["--columns", "FIELD=NAME", "fetched_at"],
        );
    }
}

#[test]
fn redirects_lead_from_rows_to_archives() {
    let bench = Bench::new();
    let mut columns = usual();
    columns.push(("optional binary location (STRING)", Texts(vec![None, None, None, Some("/policy")])));
    bench.file("in.parquet", parquet(&columns, 1, Compression::SNAPPY));
    bench.file("in.warc", answer("http://d.example/policy", 1, "200 OK", ROBOTS));
    for sources in ["--robots in.parquet --robots in.warc", "--robots in.warc --robots in.parquet"] {
        assert_eq!(bench.outcome(sources, "http://d.example/no"), "blocked rules");
    }
}

#[test]
fn a_wrong_row_is_named_by_its_number() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/\n");
    let with = |column: usize, field: &'static str, values: Values| {
        let mut columns = usual();
        columns[column] = (field, values);
        columns
    };
    let texts = |second: Option<&'static str>| Texts(vec![Some("http://a.example/robots.txt"), second, None, None]);
    for (columns, message) in [
        (with(0, "optional binary url", texts(None)), &["row 2", "no URL"][..]),
        (with(0, "optional binary url", texts(Some("/robots.txt"))), &["row 2", "absolute"]),
        (with(1, "optional int64 status", Int64(vec![None, Some(-1), None, None])), &["row 2", "-1", "status"]),
        (with(1, "optional int64 status", Int64(vec![None, Some(70_000), None, None])), &["row 2", "70000"]),
        (with(1, "optional double status", Doubles(vec![Some(2e2); 4])), &["\"status\"", "integers"]),
        (with(2, "optional int32 body", Int32(vec![None; 4])), &["\"body\"", "text"]),
        (with(3, "optional int32 fetched_at (DATE)", Int32(vec![None; 4])), &["\"fetched_at\"", "times with a date"]),
        (
            with(3, "optional binary fetched_at", Texts(vec![None, Some("soon"), None, None])),
            &["row 2", "soon", "RFC 3339"],
        ),
    ] {
        bench.file("in.parquet", parquet(&columns, 1, Compression::SNAPPY));
        bench.refused("--robots in.parquet --out out urls", &[&["in.parquet"], message].concat());
    }
    bench.file("in.parquet", parquet(&usual(), 0, Compression::SNAPPY));
    let outcome = bench.outcome("--robots in.parquet", "http://a.example/");
    assert_eq!(outcome, "deferred unfetched", "no rows are no error");
}

#[test]
fn a_damaged_file_is_refused() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/\n");
    let file = parquet(&usual(), 1, Compression::SNAPPY);
    for end in [4, 5, file.len() / 2, file.len() - 1] {
        bench.file("in.parquet", &file[..end]);
        bench.refused("--robots in.parquet --out out urls", &["in.parquet"]);
    }
}

/// Whatever a damaged file claims, it is refused or read; nothing panics, and claimed sizes allocate no memory.
#[test]
fn a_flipped_bit_is_no_crash() {
    let bench = Bench::new();
    let file = parquet(&usual(), 1, Compression::UNCOMPRESSED);
    let (mut read, mut refused) = (0, 0);
    for bit in (8 * "PAR1".len()..8 * file.len()).step_by(7) {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        bench.file("in.parquet", damaged);
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        match source::add(&[bench.path("in.parquet")], &source::Options::default(), &mut captures) {
            Ok(()) => read += 1,
            Err(error) => {
                assert!(error.to_string().contains("in.parquet"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} were read, {refused} refused");
}
