//! `--explain` in text output: the rule that blocked a line, written before it.

use std::fs;
use std::io::Read;

use robosieve::internals::formats::compression::Reader;

use crate::support::explained::{SOURCES, bench};
use crate::support::program::{Bench, said};

const RULE: &str = "Disallow: /no\t5\texamplebot\t2026-01-02T03:04:05Z\t";

/// The columns of a line that nothing blocked.
const NOTHING: &str = "\t\t\t\t";

fn text(bench: &Bench, name: &str) -> String {
    String::from_utf8(bench.read(name)).expect("UTF-8")
}

fn proven(bench: &Bench, folder: &str) {
    bench.program(&format!("verify {folder} --inputs")).assert().success();
}

#[test]
fn blocked_lines_follow_what_blocked_them() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --delimiter none --out plain urls")).assert().success();
    bench.filter(&format!("{SOURCES} --delimiter none --explain --out out urls")).assert().success();
    let names = ["allowed.txt", "blocked.tsv", "deferred.txt", "invalid.txt", "receipt.json", "robots-needed.tsv"];
    assert_eq!(bench.names("out"), names);
    let expected = format!(
        "rule\trule_line\tagent\tcaptured\turl\n\
         {RULE}http://a.example/no/1\n\
         Disallow: /\\tx\\\\\t6\texamplebot\t2026-01-02T03:04:05Z\thttp://a.example/%09x%5C?\tq\n\
         \t\t\t2026-01-02T00:00:00Z\thttp://down.example/\n\
         Disallow: /*.gif$\t2\t*\t\thttp://odd.example/x.gif\n\
         {RULE}http://a.example/no"
    );
    assert_eq!(text(&bench, "out/blocked.tsv"), expected);
    for name in ["allowed.txt", "deferred.txt", "invalid.txt", "robots-needed.tsv"] {
        assert_eq!(bench.read(&format!("out/{name}")), bench.read(&format!("plain/{name}")), "{name}");
    }
    let [plain, explained] = ["plain", "out"].map(|folder| bench.receipt(folder)["partitions"]["blocked"].clone());
    for key in ["lines", "bytes", "sum", "order", "written", "reasons"] {
        assert_eq!(explained[key], plain[key], "the columns are no part of the proof: {key}");
    }
    assert_eq!(bench.receipt("out")["options"]["explain"], true);
    assert_eq!(bench.receipt("plain")["options"].get("explain"), None);
    proven(&bench, "out");
    bench.filter(&format!("{SOURCES} --force --out out urls")).assert().success();
    assert_eq!(bench.names("out"), bench.names("plain"), "the earlier run's files are replaced");
}

#[test]
fn each_verdict_has_its_own_columns() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --explain --verdicts --out out urls")).assert().success();
    let verdicts = text(&bench, "out/verdicts.tsv");
    let lines: Vec<&str> = verdicts.lines().collect();
    assert_eq!(lines[0], "examplebot\trule\trule_line\tagent\tcaptured\turl");
    assert_eq!(lines[1], format!("blocked\t{RULE}http://a.example/no/1"));
    assert_eq!(lines[2], format!("allowed\t{NOTHING}http://a.example/yes"));
    proven(&bench, "out");
    let options = format!("{SOURCES} --agent * --explain");
    bench.filter(&format!("{options} --verdicts --out two urls")).assert().success();
    let verdicts = text(&bench, "two/verdicts.tsv");
    let lines: Vec<&str> = verdicts.lines().collect();
    let head = "examplebot\trule.examplebot\trule_line.examplebot\tagent.examplebot\tcaptured.examplebot\t\
                *\trule.*\trule_line.*\tagent.*\tcaptured.*\turl";
    assert_eq!(lines[0], head);
    let all = "Disallow: /all\t2\t*\t2026-01-02T03:04:05Z\t";
    assert_eq!(lines[6], format!("allowed\t{NOTHING}blocked\t{all}http://a.example/all"));
    assert_eq!(lines[8], format!("blocked\t{RULE}allowed\t{NOTHING}http://a.example/no"));
    proven(&bench, "two");
    bench.filter(&format!("{options} --out parted urls")).assert().success();
    assert!(text(&bench, "parted/blocked.default.tsv").contains(&format!("{all}http://a.example/all\n")));
    assert!(text(&bench, "parted/blocked.examplebot.tsv").ends_with(&format!("{RULE}http://a.example/no")));
    proven(&bench, "parted");
}

/// However files are written, their rows are the same.
#[test]
fn all_ways_to_write_have_the_same_rows() {
    let bench = bench();
    bench.file("more", "http://a.example/no/2\n".repeat(100));
    bench.filter(&format!("{SOURCES} --explain --out whole urls more")).assert().success();
    let whole = text(&bench, "whole/blocked.tsv");
    let rows = |folder: &str| {
        let files = bench.receipt(folder)["partitions"]["blocked"]["files"].clone();
        let mut rows = String::new();
        for file in files.as_array().expect("files") {
            let path = bench.path(&format!("{folder}/{}", file["name"].as_str().expect("a name")));
            Reader::open(&path).and_then(|mut text| text.read_to_string(&mut rows)).expect("text");
        }
        rows
    };
    for options in ["--compress zst", "--compress gz", "--threads 3"] {
        bench.filter(&format!("{SOURCES} --explain {options} --force --out out urls more")).assert().success();
        assert_eq!(rows("out"), whole, "{options}");
        proven(&bench, "out");
    }
    let head = "rule\trule_line\tagent\tcaptured\turl\n";
    for options in ["--split-size 200", "--per-input"] {
        bench.filter(&format!("{SOURCES} --explain {options} --force --out out urls more")).assert().success();
        let found = rows("out");
        assert!(found.matches(head).count() > 1, "every file has a head: {options}");
        let end = if options.contains("per-input") { "/no" } else { "/no\n" };
        let expected =
            whole.replacen(head, "", 1).replacen("http://a.example/no\n", &format!("http://a.example{end}"), 1);
        assert_eq!(found.replace(head, ""), expected, "{options}");
        proven(&bench, "out");
    }
    let done = bench.filter(&format!("{SOURCES} --explain --only blocked urls more")).assert().success();
    assert_eq!(String::from_utf8_lossy(&done.get_output().stdout), whole);
    let done = bench.filter(&format!("{SOURCES} --explain --verdicts urls")).assert().success();
    bench.filter(&format!("{SOURCES} --explain --verdicts --out verdicts urls")).assert().success();
    assert_eq!(done.get_output().stdout, bench.read("verdicts/verdicts.tsv"));
    for number in 1..=3 {
        let shard = format!("--now 2026-01-01T00:00:00Z --shard {number}/3 --out part-{number}");
        bench.filter(&format!("{SOURCES} --explain {shard} urls more")).assert().success();
    }
    bench.program("join --concat --out joined part-1 part-2 part-3").assert().success();
    assert_eq!(text(&bench, "joined/blocked.tsv"), whole);
    proven(&bench, "joined");
}

/// A receipt without the names of the columns is that of a version that had no column `agent`.
#[test]
fn outputs_of_earlier_versions_are_read() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --delimiter none --explain --out out urls")).assert().success();
    let mut receipt = bench.receipt("out");
    let columns = receipt["options"].as_object_mut().and_then(|options| options.remove("columns"));
    assert_eq!(columns, Some(serde_json::json!(["rule", "rule_line", "agent", "captured"])));
    let table = text(&bench, "out/blocked.tsv");
    let row = |row: &str| {
        let fields = row.split('\t').enumerate().filter(|(at, _)| *at != 2);
        fields.map(|(_, field)| field).collect::<Vec<_>>().join("\t")
    };
    let earlier = table.split('\n').map(row).collect::<Vec<_>>().join("\n").replacen("rule_line", "line", 1);
    assert!(earlier.starts_with("rule\tline\tcaptured\turl\nDisallow: /no\t5\t2026"), "{earlier}");
    fs::write(bench.path("out/blocked.tsv"), &earlier).expect("written");
    let file = &mut receipt["partitions"]["blocked"]["files"][0];
    (file["file_bytes"], file["head_bytes"]) = (earlier.len().into(), "rule\tline\tcaptured\turl\n".len().into());
    fs::write(bench.path("out/receipt.json"), receipt.to_string()).expect("written");
    proven(&bench, "out");
}

/// The header of lists follows the names of the columns, and the report reads the lines without those columns.
#[test]
fn heads_and_reports_know_the_columns() {
    let bench = bench();
    let table = "id\tpage\n1\thttp://a.example/no\n2\thttp://a.example/yes\n";
    bench.file("table", table);
    let options = format!("{SOURCES} --column page --delimiter \\t");
    bench.filter(&format!("{options} --explain --out out table")).assert().success();
    let expected = format!("rule\trule_line\tagent\tcaptured\tid\tpage\n{RULE}1\thttp://a.example/no\n");
    assert_eq!(text(&bench, "out/blocked.tsv"), expected);
    assert_eq!(text(&bench, "out/allowed.txt"), "id\tpage\n2\thttp://a.example/yes\n");
    proven(&bench, "out");
    for (options, list) in [(options.as_str(), "table"), (SOURCES, "urls")] {
        for form in ["", "--verdicts"] {
            bench.filter(&format!("{options} {form} --force --out plain {list}")).assert().success();
            bench.filter(&format!("{options} {form} --explain --force --out out {list}")).assert().success();
            let blocked = ["plain", "out"].map(|folder| {
                bench.program(&format!("report {folder} --robots captures.jsonl")).assert().success();
                let page = text(&bench, &format!("{folder}/report.html"));
                let start = page.find("<section id=\"costs\">").expect("a section");
                let end = page[start..].find("</section>").expect("its end");
                page[start..start + end].to_owned()
            });
            assert_eq!(blocked[0], blocked[1], "{list} {form}");
        }
    }
}

#[test]
fn what_is_changed_is_found() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --delimiter none --explain --out out urls")).assert().success();
    let before = text(&bench, "out/blocked.tsv");
    for (from, to, problem) in [
        ("http://a.example/no/1\n", "http://a.example/no/2\n", "different ones"),
        ("\t5\texamplebot", "", "found"),
        ("captured\turl", "captured\tx", "head line"),
        (RULE, "", "found"),
    ] {
        let changed = before.replacen(from, to, 1);
        assert_ne!(changed, before);
        fs::write(bench.path("out/blocked.tsv"), changed).expect("written");
        let done = bench.program("verify out").assert().code(1);
        let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        let line = table.lines().find(|line| line.contains("blocked.tsv")).expect("a line of the file");
        assert!(line.contains(problem), "{line}");
    }
}

#[test]
fn another_choice_is_another_run() {
    let bench = bench();
    let now = "--now 2026-01-01T00:00:00Z";
    bench.filter(&format!("{SOURCES} {now} --explain --out out urls")).assert().success();
    bench.filter(&format!("{SOURCES} {now} --explain --resume --out out urls")).assert().success();
    let done = bench.filter(&format!("{SOURCES} {now} --resume --out out urls")).assert().code(2);
    said(&done.get_output().stderr, &["another job"]);
    for only in ["allowed", "deferred", "invalid"] {
        let done = bench.filter(&format!("{SOURCES} --explain --only {only} urls")).assert().code(2);
        said(&done.get_output().stderr, &["--explain", "--only blocked"]);
        assert!(done.get_output().stdout.is_empty());
    }
    bench.filter(&format!("{SOURCES} --explain --count urls")).assert().code(2);
}
