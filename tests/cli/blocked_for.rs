//! `--blocked-for`: every line after the names of the crawlers that may not fetch it.

use std::fs;

use parquet::record::Field;

use crate::support::program::{Bench, said};
use crate::support::tables::{Row, column, columns, rows};

const AGENTS: [&str; 4] = ["onebot", "twobot", "three,onebot", "*"];

/// Sites whose groups differ, and a list with lines of every kind.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("sites/a.example", "User-agent: onebot\nDisallow: /one\n\nUser-agent: *\nDisallow: /all\n");
    bench.file("sites/b.example", "User-agent: twobot\nUser-agent: three\nDisallow: /\n");
    let paths = ["one", "all", "x", "b", ""];
    let urls = ["http://a.example", "http://b.example", "http://unknown.example"]
        .into_iter()
        .flat_map(|host| paths.map(|path| format!("{host}/{path}\n")))
        .chain(["\n".to_owned(), "no URL\twith a tab\n".to_owned(), "http://a.example/all\tno tab ends it".to_owned()]);
    bench.file("urls", urls.collect::<String>());
    bench
}

fn agents() -> String {
    AGENTS.map(|agent| format!("--agent {agent}")).join(" ")
}

/// The columns that the verdicts of a file of verdicts amount to, and the rest of each line.
fn expected(bench: &Bench) -> String {
    bench.program(&format!("filter --robots sites {} --verdicts --out verdicts urls", agents())).assert().success();
    let verdicts = String::from_utf8(bench.read("verdicts/verdicts.tsv")).expect("UTF-8");
    let row = |line: &str| {
        let parts: Vec<&str> = line.splitn(AGENTS.len() + 1, '\t').collect();
        let named = |wanted: &[&str]| {
            let those = AGENTS.iter().zip(&parts).filter(|(_, verdict)| wanted.contains(verdict));
            those.map(|(agent, _)| agent.replace(',', "+")).collect::<Vec<_>>().join(",")
        };
        format!("{}\t{}\t{}", named(&["blocked", "invalid"]), named(&["deferred"]), parts[AGENTS.len()])
    };
    let rows = verdicts.split('\n').skip(1).map(row).collect::<Vec<_>>();
    format!("blocked_for\tdeferred_for\turl\n{}", rows.join("\n"))
}

#[test]
fn lines_follow_the_crawlers_that_may_not_fetch_them() {
    let bench = bench();
    let expected = expected(&bench);
    assert!(
        expected.contains("\nonebot,twobot,three+onebot,*\t\tno URL\twith a tab\n"),
        "nobody can fetch what is no URL"
    );
    let options = format!("filter --robots sites {} --blocked-for", agents());
    let printed = bench.program(&format!("{options} urls")).assert().success();
    assert_eq!(String::from_utf8_lossy(&printed.get_output().stdout), expected);
    for more in ["", "--threads 3", "--split-size 100", "--compress gzip"] {
        bench.program(&format!("{options} {more} --force --out out urls")).assert().success();
        bench.program("verify out --inputs").assert().success();
        if more.is_empty() {
            assert_eq!(String::from_utf8(bench.read("out/verdicts.tsv")).expect("UTF-8"), expected);
        }
    }
    let receipt = bench.receipt("out");
    assert_eq!(receipt["options"]["form"], "blocked-for");
    for (name, part) in receipt["partitions"].as_object().expect("partitions") {
        assert_eq!(part["lines"], bench.receipt("verdicts")["partitions"][name]["lines"], "{name}");
    }
}

/// URLs that must be decoded are judged apart from the others.
#[test]
fn decoded_urls_have_the_crawlers_of_plain_ones() {
    let bench = bench();
    let urls = String::from_utf8(bench.read("urls")).expect("UTF-8");
    let urls: Vec<&str> = urls.lines().filter(|line| line.starts_with("http") && !line.contains('\t')).collect();
    let line = |(at, url): (usize, &&str)| {
        let url = if at % 3 == 0 { (*url).to_owned() } else { url.replace('/', "\\/") };
        format!("key 20260101000000 {{\"url\": \"{url}\"}}\n")
    };
    bench.file("plain", urls.iter().map(|url| format!("{url}\n")).collect::<String>());
    bench.file("index", urls.iter().enumerate().map(line).collect::<String>());
    let columns = |list: &str| {
        let options = format!("filter --robots sites {} --blocked-for {list}", agents());
        let printed = bench.program(&options).assert().success();
        let text = String::from_utf8(printed.get_output().stdout.clone()).expect("UTF-8");
        let columns = |line: &str| line.splitn(3, '\t').take(2).map(str::to_owned).collect::<Vec<_>>();
        text.lines().skip(1).map(columns).collect::<Vec<_>>()
    };
    assert_eq!(columns("index"), columns("plain"));
}

#[test]
fn a_changed_name_is_found() {
    let bench = bench();
    bench.program(&format!("filter --robots sites {} --blocked-for --out out urls", agents())).assert().success();
    let text = String::from_utf8(bench.read("out/verdicts.tsv")).expect("UTF-8");
    for (from, to) in [
        ("\nonebot,three+onebot\t\thttp://a.example/one", "\ntwobot,three+onebot\t\thttp://a.example/one"),
        ("\nonebot,three+onebot\t\thttp://a.example/one", "\nonebut,three+onebot\t\thttp://a.example/one"),
        ("\nonebot,three+onebot\t\thttp://a.example/one", "\nthree+onebot\tonebot\thttp://a.example/one"),
        ("\nonebot,three+onebot\t\thttp://a.example/one", "\n\t\thttp://a.example/one"),
    ] {
        assert!(text.contains(from), "{text}");
        fs::write(bench.path("out/verdicts.tsv"), text.replacen(from, to, 1)).expect("written");
        bench.program("verify out").assert().code(1);
    }
}

#[test]
fn shards_are_joined() {
    let bench = bench();
    let expected = expected(&bench);
    let options = format!("filter --robots sites {} --blocked-for", agents());
    for shard in 1..=3 {
        bench
            .program(&format!("{options} --now 2026-11-01T00:00:00Z --shard {shard}/3 --out part{shard} urls"))
            .assert()
            .success();
    }
    bench.program("join --out joined --concat part1 part2 part3").assert().success();
    bench.program("verify joined --inputs").assert().success();
    assert_eq!(String::from_utf8(bench.read("joined/verdicts.tsv")).expect("UTF-8"), expected);
}

#[test]
fn tables_have_lists_of_crawlers() {
    let bench = bench();
    let expected = expected(&bench);
    let options = format!("filter --robots sites {} --blocked-for --format parquet", agents());
    for more in ["", "--threads 3"] {
        bench.program(&format!("{options} {more} --force --out out urls")).assert().success();
        bench.program("verify out --inputs").assert().success();
        let name = "out/verdicts/part-0001.parquet";
        assert_eq!(columns(&bench, name), ["url", "line", "blocked_for", "deferred_for"]);
        let lists = |row: &Row| {
            let names = ["blocked_for", "deferred_for"].map(|name| match column(row, name) {
                Field::ListInternal(list) => {
                    let name = |name: &Field| name.to_string().trim_matches('"').to_owned();
                    list.elements().iter().map(name).collect::<Vec<_>>().join(",")
                }
                other => panic!("{other:?}"),
            });
            names.join("\t")
        };
        let of_text: Vec<String> =
            expected.lines().skip(1).map(|line| line.splitn(3, '\t').take(2).collect::<Vec<_>>().join("\t")).collect();
        assert_eq!(rows(&bench, name).iter().map(lists).collect::<Vec<_>>(), of_text);
    }
    let text = bench.read("out/verdicts/part-0001.parquet");
    assert!(text.windows(6).any(|bytes| bytes == b"twobot"));
    // A table of such a run is a list; its columns are made anew.
    bench.program(&format!("{options} --out again out/verdicts/part-0001.parquet")).assert().success();
    bench.program("verify again --inputs").assert().success();
    assert_eq!(columns(&bench, "again/verdicts/part-0001.parquet"), ["url", "line", "blocked_for", "deferred_for"]);
}

#[test]
fn the_report_knows_the_columns() {
    let bench = bench();
    for (folder, option) in [("out", "--blocked-for"), ("table", "--blocked-for --format parquet")] {
        bench.program(&format!("filter --robots sites {} {option} --out {folder} urls", agents())).assert().success();
        bench.program(&format!("report {folder} --robots sites")).assert().success();
        let page = String::from_utf8(bench.read(&format!("{folder}/report.html"))).expect("UTF-8");
        assert!(page.contains("Disallow: /all"), "the rules that blocked lines");
    }
}

#[test]
fn lines_are_split_once_for_any_or_for_all() {
    let bench = bench();
    let verdicts = expected(&bench);
    let columns = |line: &str| line.splitn(3, '\t').map(str::to_owned).collect::<Vec<_>>();
    let count = |text: &str| if text.is_empty() { 0 } else { text.split(',').count() };
    for (which, verdict) in [
        (
            "any",
            (|blocked, deferred| {
                if blocked == 4 {
                    1
                } else if blocked + deferred == 4 {
                    2
                } else {
                    0
                }
            }) as fn(usize, usize) -> usize,
        ),
        ("all", |blocked, deferred| {
            if blocked > 0 {
                1
            } else if deferred > 0 {
                2
            } else {
                0
            }
        }),
    ] {
        let mut split = [const { String::new() }; 3];
        for line in verdicts.split_inclusive('\n').skip(1) {
            let [blocked, deferred, line] = &columns(line)[..] else { panic!("{line}") };
            if !line.trim_end().is_empty() && !line.contains('\t') && !line.starts_with("no URL") {
                split[verdict(count(blocked), count(deferred))].push_str(line);
            }
        }
        let options = format!("filter --robots sites {} --allowed-if {which}", agents());
        for more in ["", "--threads 3", "--compress gzip", "--format parquet", "--unique"] {
            bench.program(&format!("{options} {more} --force --out out urls")).assert().success();
            bench.program("verify out --inputs").assert().success();
            if more == "--threads 3" {
                for (name, lines) in ["allowed", "blocked", "deferred"].iter().zip(&split) {
                    assert_eq!(
                        &String::from_utf8_lossy(&bench.read(&format!("out/{name}.txt"))),
                        lines,
                        "{which} {name}"
                    );
                }
            }
        }
        let printed = bench.program(&format!("{options} --only allowed urls")).assert().success();
        assert_eq!(String::from_utf8_lossy(&printed.get_output().stdout), split[0]);
        bench.program("report out").assert().success();
        let page = String::from_utf8(bench.read("out/report.html")).expect("UTF-8");
        assert!(page.contains("any of onebot") || which == "all");
        let failed = bench.program("report out --robots sites").assert().code(2);
        said(&failed.get_output().stderr, &["split lines once for all"]);
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let bench = bench();
    for option in ["--verdicts --out out", "--explain --out out", "--only allowed", "--count"] {
        let failed =
            bench.program(&format!("filter --robots sites --agent a --blocked-for {option} urls")).assert().code(2);
        said(&failed.get_output().stderr, &["cannot be used with"]);
    }
}
