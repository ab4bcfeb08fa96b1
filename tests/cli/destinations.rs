//! Files whose names a user gives: no command overwrites one that a user made.

use std::fs;

use crate::support::program::{Bench, said};

/// A policy, a run, and what users keep beside them.
fn bench() -> Bench {
    let bench = Bench::with_site();
    bench.program("compile -q --agent examplebot sites -o policy.rsv").assert().success();
    bench.file("urls", "http://a.example/\nhttp://a.example/no\n");
    bench.filter("-q --robots sites --out out urls").assert().success();
    bench
}

/// Files that look like tables, or begin like something of ours, but are a user's.
fn mine() -> Vec<(&'static str, Vec<u8>)> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("list.txt", text("http://a.example/\n")),
        ("list.tsv", text("origin\tmine\nhttp://a.example\tx\n")),
        ("source.jsonl", text("{\"origin\":\"http://a.example\",\"status\":200,\"body\":\"\"}\n")),
        ("line", text("\n")),
        ("notes.prom", text("# HELP robosieve_running mine\n# a note\n")),
        ("page.html", text("<!DOCTYPE html>\n<html lang=\"en\">\n")),
        ("robosieve.1", text(".ie \\n(.g .ds Aq \\(aq\n.TH mine 1\n")),
        ("archive.warc", text("WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n")),
        ("list.gz", crate::support::compression::gzip(b"http://a.example/\n")),
        ("binary", b"\x7fELF\0\0".to_vec()),
        ("not.parquet", b"PAR1 and no more".to_vec()),
    ]
}

/// A command with `-o NAME` must refuse to write, name the file, and leave it as it is.
fn refused(bench: &Bench, words: &str, name: &str) {
    let before = bench.read(name);
    let done = bench.program(words).output().expect("the program");
    assert_eq!(done.status.code(), Some(2), "{words}");
    said(&done.stderr, &[name]);
    assert_eq!(bench.read(name), before, "{words}");
}

const FORMATS: [&str; 3] = ["tsv", "jsonl", if cfg!(feature = "parquet") { "parquet" } else { "tsv" }];

#[test]
fn no_file_of_a_user_is_overwritten() {
    let bench = bench();
    for (name, content) in mine() {
        bench.file(name, &content);
        for format in FORMATS {
            refused(&bench, &format!("export policy.rsv --what delays --format {format} -o {name}"), name);
        }
        refused(&bench, &format!("compile --agent examplebot sites -o {name}"), name);
        refused(&bench, &format!("merge policy.rsv policy.rsv -o {name}"), name);
        refused(&bench, &format!("report out -o {name}"), name);
        refused(&bench, &format!("filter --agent examplebot --robots sites --count --metrics {name} urls"), name);
        fs::create_dir_all(bench.path("man")).expect("a folder");
        bench.file("man/robosieve.1", &content);
        refused(&bench, "man -o man", "man/robosieve.1");
    }
}

#[test]
fn files_of_a_run_are_never_a_destination() {
    let bench = bench();
    bench.filter("-q --robots sites --per-input --out per urls").assert().success();
    let names = ["allowed.txt", "blocked.txt", "deferred.txt", "invalid.txt", "receipt.json", "robots-needed.tsv"];
    let mut names: Vec<String> = names.iter().map(|name| format!("out/{name}")).collect();
    names.push("per/0001-urls/deferred.txt".to_owned());
    #[cfg(feature = "parquet")]
    {
        bench.filter("-q --robots sites --format parquet --out tables urls").assert().success();
        names.push("tables/lines/verdict=allowed/part-0001.parquet".to_owned());
    }
    for name in &names {
        for format in FORMATS {
            for force in ["", "--force"] {
                refused(&bench, &format!("export policy.rsv --what delays {force} --format {format} -o {name}"), name);
            }
        }
        refused(&bench, &format!("compile --agent examplebot sites -o {name}"), name);
        refused(&bench, &format!("report out -o {name}"), name);
    }
    bench.program("verify out").assert().success();
}

#[test]
fn text_is_replaced_by_force_and_nothing_else_is() {
    let bench = bench();
    let is_text = |name: &str| !["archive.warc", "list.gz", "binary", "not.parquet"].contains(&name);
    for (name, content) in mine() {
        for format in FORMATS {
            bench.file(name, &content);
            let words = format!("export policy.rsv --what delays --format {format} -o {name}");
            let done = bench.program(&words).assert().code(2);
            let hint = String::from_utf8_lossy(&done.get_output().stderr).contains("--force");
            assert_eq!(hint, is_text(name), "{words}");
            match is_text(name) {
                true => drop(bench.program(&format!("{words} --force")).assert().success()),
                false => refused(&bench, &format!("{words} --force"), name),
            }
        }
    }
    for format in FORMATS {
        refused(
            &bench,
            &format!("export policy.rsv --what delays --force --format {format} -o policy.rsv"),
            "policy.rsv",
        );
        bench.file("empty", "");
        bench.program(&format!("export policy.rsv --what delays --format {format} -o empty")).assert().success();
        let done =
            bench.program(&format!("export policy.rsv --what delays --force --format {format} -o sites")).assert();
        said(&done.code(2).get_output().stderr, &["sites"]);
    }
    said(&bench.program("export policy.rsv --what delays --force").assert().code(2).get_output().stderr, &["--out"]);
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_table_is_ours_by_its_mark() {
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    let bench = bench();
    let export = |what: &str| format!("export policy.rsv --what {what} --format parquet -o table.parquet");
    bench.program(&export("delays")).assert().success();
    bench.program(&export("status")).assert().success();
    // A table of text in its place is a mistake.
    refused(&bench, "export policy.rsv --what status --force -o table.parquet", "table.parquet");
    // The same columns, by the same library, without the mark.
    let schema = "message status { required binary origin (STRING); required binary origin_status (STRING); }";
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let file = fs::File::create(bench.path("table.parquet")).expect("a file");
    let properties = Arc::new(WriterProperties::builder().build());
    SerializedFileWriter::new(file, schema, properties).and_then(|file| file.close()).expect("a table");
    refused(&bench, &export("status"), "table.parquet");
    refused(&bench, &format!("{} --force", export("status")), "table.parquet");
    // Lists and the output of runs are Parquet, too.
    bench.filter("-q --robots sites --format parquet --out tables urls").assert().success();
    fs::rename(bench.path("tables/lines/verdict=allowed/part-0001.parquet"), bench.path("table.parquet")).unwrap();
    refused(&bench, &export("status"), "table.parquet");
}

#[test]
fn what_we_wrote_is_replaced() {
    let bench = bench();
    for _ in 0..2 {
        bench.program("compile -q --agent examplebot sites -o new.rsv").assert().success();
        bench.program("report out -o page.html").assert().success();
        bench.program("man -o man").assert().success();
        bench.filter("-q --robots sites --count --metrics x.prom urls").assert().success();
    }
    assert!(bench.read("man/robosieve-filter.1").starts_with(b".\\\" "));
}

#[cfg(unix)]
#[test]
fn streams_take_all_kinds() {
    let bench = bench();
    let done = bench.program("export policy.rsv --what status -o /dev/stdout").assert().success();
    assert!(done.get_output().stdout.starts_with(b"origin\t"));
    bench.program("export policy.rsv --what status -o /dev/null").assert().success();
}
