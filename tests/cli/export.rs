//! `export`: side tables of a policy.

use crate::support::program::{Bench, said};

/// A policy for `one` and `two`, with a bit of everything.
fn bench() -> Bench {
    let bench = Bench::new();
    let body = r#""status":200,"body":"Sitemap: /a\\b\tc\nUser-agent: one\nCrawl-delay: 2.5\nDisallow: /\nAllow: /x\n\nUser-agent: *\nCrawl-delay: soon\nDisallow: /y\nSitemap: /d\n""#;
    let lines = format!(
        "{{\"origin\":\"http://a\",{body},\"fetched_at\":0,\"expires\":60}}\n\
         {{\"origin\":\"http://b\",{body},\"fetched_at\":0,\"expires\":60}}\n\
         {{\"origin\":\"http://b\",\"status\":503,\"fetched_at\":120,\"unreachable_since\":90}}\n\
         {{\"origin\":\"http://c\",\"status\":404}}\n"
    );
    bench.file("in.jsonl", lines);
    bench.file(
        "overrides.toml",
        "['http://d']\ncrawl-delay = 0\nverdict = 'allow-all'\npaused-until = 1970-01-01T00:01:00Z\n",
    );
    bench
        .program("compile --agent one --agent two in.jsonl --overrides overrides.toml -o policy.rsv")
        .assert()
        .success();
    bench
}

fn exported(bench: &Bench, words: &str) -> String {
    let done = bench.program(&format!("export policy.rsv {words}")).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8")
}

#[test]
fn delays_are_exported_for_each_crawler() {
    let bench = bench();
    let expected = "origin\tagent\tvalue\tline\tseconds\tpages_a_day
http://a\tone\t2.5\t3\t2.5\t34560
http://a\ttwo\tsoon\t8\t\t
http://b\tone\t2.5\t3\t2.5\t34560
http://b\ttwo\tsoon\t8\t\t
http://d\tone\t0\t0\t0\t
http://d\ttwo\t0\t0\t0\t
";
    assert_eq!(exported(&bench, "--what delays"), expected);
    let only: Vec<&str> = expected.lines().filter(|line| !line.contains("\ttwo\t")).collect();
    assert_eq!(exported(&bench, "--what delays --agent one").lines().collect::<Vec<_>>(), only);
    let lists = exported(&bench, "--what delays --agent two,one");
    assert!(lists.contains("\nhttp://a\ttwo,one\t2.5\t3\t"), "{lists}");
}

#[test]
fn sitemaps_are_exported_once_and_escaped() {
    let bench = bench();
    let expected = "origin\tsitemap\tline
http://a\t/a\\\\b\\tc\t1
http://a\t/d\t10
http://b\t/a\\\\b\\tc\t1
http://b\t/d\t10
";
    assert_eq!(exported(&bench, "--what sitemaps"), expected);
    let json = exported(&bench, "--what sitemaps --format jsonl");
    let first: serde_json::Value = serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first, serde_json::json!({"origin": "http://a", "sitemap": "/a\\b\tc", "line": 1}));
    assert_eq!(json.lines().count(), 4);
    assert_eq!(exported(&bench, "--what sitemaps --json"), json);
    let two = bench.program("export policy.rsv --what sitemaps --json --format tsv").assert().code(2);
    said(&two.get_output().stderr, &["--json", "--format"]);
}

#[test]
fn groups_are_exported_for_each_origin_and_crawler() {
    let expected = "origin\tagent\tgroup\tuser_agent\tline\trules
http://a\tone\town\tone\t2\t2
http://a\ttwo\teverybody\t*\t7\t1
http://b\tone\town\tone\t2\t2
http://b\ttwo\teverybody\t*\t7\t1
http://c\tone\tnone\t\t\t
http://c\ttwo\tnone\t\t\t
http://d\tone\tnone\t\t\t
http://d\ttwo\tnone\t\t\t
";
    assert_eq!(exported(&bench(), "--what agents"), expected);
}

#[test]
fn states_are_exported_with_their_times() {
    let bench = bench();
    let head = "origin\torigin_status\tstatus\tfetched_at\texpires\tunreachable_since\tlast_good\tlast_good_fetched_at\t\
                last_good_expires\toverride\tpaused_until\n";
    let rows = "http://a\trobots-txt\t200\t1970-01-01T00:00:00Z\t1970-01-01T00:01:00Z\t\t\t\t\t\t
http://b\tunreachable\t503\t1970-01-01T00:02:00Z\t\t1970-01-01T00:01:30Z\trobots-txt\t1970-01-01T00:00:00Z\t1970-01-01T00:01:00Z\t\t
http://c\tunavailable\t404\t\t\t\t\t\t\t\t
http://d\tunfetched\t\t\t\t\t\t\t\tallow-all\t1970-01-01T00:01:00Z
";
    assert_eq!(exported(&bench, "--what status"), format!("{head}{rows}"));
    let json = exported(&bench, "--what status --format jsonl");
    let third = "{\"origin\":\"http://c\",\"origin_status\":\"unavailable\",\"status\":404}";
    assert_eq!(json.lines().nth(2), Some(third));
}

#[test]
fn how_much_is_blocked_is_exported_for_each_origin_and_crawler() {
    let bench = bench();
    let expected = "origin\tagent\tblocked\troot\tgroup\torigin_status
http://a\tone\tsome\tblocked\town\trobots-txt
http://a\ttwo\tsome\tallowed\teverybody\trobots-txt
http://b\tone\tdeferred\tdeferred\town\tunreachable
http://b\ttwo\tdeferred\tdeferred\teverybody\tunreachable
http://c\tone\tnone\tallowed\tnone\tunavailable
http://c\ttwo\tnone\tallowed\tnone\tunavailable
http://d\tone\tnone\tallowed\tnone\tunfetched
http://d\ttwo\tnone\tallowed\tnone\tunfetched
";
    assert_eq!(exported(&bench, "--what access"), expected);
    let lists = exported(&bench, "--what access --agent two,one");
    assert!(lists.contains("\nhttp://a\ttwo,one\tsome\tblocked\town\t"), "{lists}");
    let head = "agent\torigins\tnone\tsome\tall\tdeferred\tundecided\troot_blocked\town_group\town_group_some\t\
                own_group_all\teverybodys_group\tno_group\n";
    let rows = "one\t4\t2\t1\t0\t1\t0\t1\t2\t1\t0\t0\t2\ntwo\t4\t2\t1\t0\t1\t0\t0\t0\t0\t0\t2\t2\n";
    assert_eq!(exported(&bench, "--what access --summary"), format!("{head}{rows}"));
    // Layers: all of one origin is blocked now, of another one nothing.
    bench.file(
        "later.jsonl",
        "{\"origin\":\"http://a\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /\\n\",\"fetched_at\":999}\n\
         {\"origin\":\"http://b\",\"status\":404,\"fetched_at\":999}\n",
    );
    bench.program("compile --agent one --agent two later.jsonl -o later.rsv").assert().success();
    let layered = exported(&bench, "--policy later.rsv --what access");
    assert!(layered.contains("\nhttp://a\tone\tall\tblocked\teverybody\trobots-txt\n"), "{layered}");
    assert!(layered.contains("\nhttp://b\ttwo\tnone\tallowed\tnone\tunavailable\n"), "{layered}");
    let summary = exported(&bench, "--policy later.rsv --what access --summary");
    assert!(summary.contains("\none\t4\t3\t0\t1\t0\t0\t1\t0\t0\t0\t1\t3\n"), "{summary}");
}

/// The same table as Parquet, converted to tab-separated values.
#[cfg(feature = "parquet")]
fn printed(bench: &Bench, words: &str) -> String {
    use parquet::file::reader::SerializedFileReader;
    use parquet::record::Field;

    bench.program(&format!("export policy.rsv {words} --format parquet -o out/table")).assert().success().stdout("");
    let file = std::fs::File::open(bench.path("out/table")).expect("a file");
    let value = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(text) => text.replace('\\', "\\\\").replace('\t', "\\t"),
        Field::Long(number) => number.to_string(),
        Field::Double(number) => number.to_string(),
        Field::TimestampMillis(millis) => robosieve::internals::formats::time(millis / 1000),
        other => panic!("{other}"),
    };
    let rows = SerializedFileReader::new(file).expect("Parquet").into_iter();
    let rows: Vec<Vec<(String, Field)>> = rows.map(|row| row.expect("a row").into_columns()).collect();
    let line = |cells: Vec<String>| cells.join("\t") + "\n";
    let head = line(rows[0].iter().map(|(name, _)| name.clone()).collect());
    let rows = rows.iter().map(|row| line(row.iter().map(|(_, field)| value(field)).collect()));
    head + &rows.collect::<String>()
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_says_the_same() {
    let bench = bench();
    bench.file("out/other", "");
    for table in ["delays", "sitemaps", "agents", "access", "access --summary", "status"] {
        let words = format!("--what {table}");
        assert_eq!(printed(&bench, &words), exported(&bench, &words));
    }
    let done = bench.program("export policy.rsv --what status --format parquet").assert().success();
    assert_eq!(done.get_output().stdout, bench.read("out/table"), "to standard output too");
}

#[test]
fn a_table_may_go_to_a_file() {
    let bench = bench();
    bench.file(
        "out/table.tsv",
        "origin\tan earlier one, which is longer than what comes now, by far: it is to be gone\n".repeat(99),
    );
    bench.program("export policy.rsv --what status -o out/table.tsv --force").assert().success().stdout("");
    assert_eq!(String::from_utf8(bench.read("out/table.tsv")).expect("UTF-8"), exported(&bench, "--what status"));
    assert_eq!(bench.names("out"), ["table.tsv"]);
    for (words, message) in [
        ("policy.rsv --what status -o missing/table.tsv", vec!["cannot write", "missing/table.tsv"]),
        ("policy.rsv --what status -o out", vec!["cannot write", "out"]),
        ("policy.rsv", vec!["--what", "required"]),
        ("policy.rsv --what rules", vec!["rules", "delays"]),
        ("policy.rsv --what delays --summary", vec!["--summary is for --what access, not delays"]),
        ("policy.rsv --what delays --agent three", vec!["not compiled for three"]),
        ("missing.rsv --what delays", vec!["missing.rsv"]),
    ] {
        let done = bench.program(&format!("export {words}")).assert().code(2);
        said(&done.get_output().stderr, &message);
    }
}
