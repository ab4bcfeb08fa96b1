//! `--against`: each verdict beside the one that it would have had by an older policy.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::interruptions::interrupted_until_done;
use crate::support::program::{Bench, said};
use crate::support::results::files;
use crate::support::tables::{Row, columns, rows, text};

/// Sites of two times, compiled for two crawlers, and a list with lines of every kind.
fn bench() -> Bench {
    let bench = Bench::new();
    let sites = [
        ("a.example", "User-agent: onebot\nDisallow: /one\n\nUser-agent: *\nDisallow: /all\n", ""),
        (
            "b.example",
            "User-agent: *\nDisallow: /one\n",
            "User-agent: *\nDisallow: /\n\nUser-agent: onebot\nAllow: /\n",
        ),
        ("c.example", "User-agent: *\nDisallow: /all\n", "User-agent: *\nDisallow: /all\nDisallow: /all/x\n"),
        ("new.example", "", "User-agent: *\nDisallow: /one\n"),
    ];
    for (host, was, now) in sites {
        for (folder, text) in [("was", was), ("now", now)] {
            // What a site does not have yet is never fetched.
            if (host, folder) != ("new.example", "was") {
                bench.file(&format!("{folder}/{host}"), text);
            }
        }
    }
    let paths = ["one", "all", "x", "", "one?a"];
    let urls =
        ["http://a.example", "http://b.example", "http://c.example", "http://new.example", "http://unknown.example"]
            .into_iter()
            .flat_map(|host| paths.map(|path| format!("{host}/{path}\n")))
            .chain([
                "\n".to_owned(),
                "no URL\twith a tab\n".to_owned(),
                "http://a.example/all\tno line end".to_owned(),
            ]);
    bench.file("urls", urls.collect::<String>());
    for folder in ["was", "now"] {
        let words = format!("compile --agent onebot --agent * --out {folder}.rsv {folder}");
        bench.program(&words).assert().success();
    }
    bench
}

/// The lines of the list, each with the verdicts for `agents` by both policies, as two runs find them.
fn verdicts(bench: &Bench, agents: &[&str]) -> Vec<(String, Vec<String>, Vec<String>)> {
    let options: String = agents.iter().map(|agent| format!(" --agent {agent}")).collect();
    let [now, was] = ["now", "was"].map(|policy| {
        let words = format!("filter --policy {policy}.rsv{options} --verdicts --out verdicts-{policy} --force urls");
        bench.program(&words).assert().success();
        let text = String::from_utf8(bench.read(&format!("verdicts-{policy}/verdicts.tsv"))).expect("UTF-8");
        let lines = text.split('\n').skip(1).map(str::to_owned);
        lines.collect::<Vec<_>>()
    });
    let split = |line: &str| {
        let parts: Vec<String> = line.splitn(agents.len() + 1, '\t').map(str::to_owned).collect();
        let (verdicts, line) = parts.split_at(agents.len());
        (line[0].clone(), verdicts.to_vec())
    };
    let both = now.iter().zip(&was).map(|(now, was)| {
        let ((line, now), (_, was)) = (split(now), split(was));
        (line, now, was)
    });
    both.collect()
}

/// Runs the program, which must fail with this status and a message of all these words.
fn refused(bench: &Bench, words: &str, message: &[&str]) {
    let done = bench.program(words).assert().code(2);
    said(&done.get_output().stderr, message);
}

/// The number of lines that change between partitions, for the crawler with this index.
fn changes(lines: &[(String, Vec<String>, Vec<String>)], crawler: usize) -> BTreeMap<String, u64> {
    let mut counted = BTreeMap::new();
    for (_, now, was) in lines.iter().filter(|(_, now, was)| now[crawler] != was[crawler]) {
        *counted.entry(format!("{}-to-{}", was[crawler], now[crawler])).or_default() += 1;
    }
    counted
}

#[test]
fn each_line_has_its_verdict_before() {
    let bench = bench();
    let lines = verdicts(&bench, &["onebot"]);
    let row = |(line, now, was): &(String, Vec<String>, Vec<String>)| format!("{}\t{}\t{line}", now[0], was[0]);
    let expected = format!("onebot\twas\turl\n{}", lines.iter().map(row).collect::<Vec<_>>().join("\n"));
    let options = "filter --policy now.rsv --against was.rsv --agent onebot";
    let printed = bench.program(&format!("{options} --verdicts urls")).assert().success();
    assert_eq!(String::from_utf8_lossy(&printed.get_output().stdout), expected);
    for more in ["", "--threads 3", "--unique", "--compress gzip --split-size 90"] {
        bench.program(&format!("{options} --verdicts {more} --force --out out urls")).assert().success();
        bench.program("verify out --inputs").assert().success();
    }
    // The columns of the only crawler have the names that they have without an older policy.
    let explained = bench.program(&format!("{options} --verdicts --explain urls")).assert().success();
    let head = "onebot\trule\trule_line\tagent\tcaptured\twas\trule.was\trule_line.was\tagent.was\tcaptured.was\turl\n";
    assert!(String::from_utf8_lossy(&explained.get_output().stdout).starts_with(head));
    let receipt = bench.receipt("out");
    assert_eq!(receipt["changes"], json!(changes(&lines, 0)));
    let kinds: Vec<&str> =
        ["allowed-to-blocked", "blocked-to-allowed", "deferred-to-allowed", "deferred-to-blocked"].to_vec();
    let found: Vec<String> = changes(&lines, 0).into_keys().collect();
    assert!(found.iter().all(|kind| kinds.contains(&kind.as_str())) && found.len() >= 3, "{found:?}");
    for (partition, count) in [("blocked", "verdicts-now"), ("blocked.was", "verdicts-was")] {
        let alone = &bench.receipt(count)["partitions"]["blocked"]["lines"];
        assert_eq!(&receipt["partitions"][partition]["lines"], alone, "{partition}");
    }
}

#[test]
fn several_crawlers_have_columns_of_both_policies() {
    let bench = bench();
    let lines = verdicts(&bench, &["onebot", "*"]);
    bench
        .program("filter --policy now.rsv --against was.rsv --agent onebot --agent * --verdicts --out out urls")
        .assert()
        .success();
    let row = |(line, now, was): &(String, Vec<String>, Vec<String>)| {
        format!("{}\t{}\t{line}", now.join("\t"), was.join("\t"))
    };
    let rows = lines.iter().map(row).collect::<Vec<_>>().join("\n");
    let expected = format!("onebot\t*\twas.onebot\twas.*\turl\n{rows}");
    assert_eq!(String::from_utf8(bench.read("out/verdicts.tsv")).expect("UTF-8"), expected);
    bench.program("verify out").assert().success();
    let counted = bench.receipt("out")["changes"].clone();
    for (crawler, label) in [(0, "onebot"), (1, "default")] {
        for (change, count) in changes(&lines, crawler) {
            assert_eq!(counted[format!("{change}.{label}")], json!(count), "{change} of {label}");
        }
    }
    // Split once for all, by both policies.
    let any = |verdicts: &[String]| verdicts.iter().any(|verdict| verdict == "allowed");
    let lost = lines.iter().filter(|(_, now, was)| any(was) && !any(now)).count();
    let mut printed = bench.program(
        "filter --policy now.rsv --against was.rsv --agent onebot --agent * --allowed-if any --count --json urls",
    );
    let counted: serde_json::Value = serde_json::from_slice(&printed.output().unwrap().stdout).unwrap();
    let found: u64 =
        ["blocked", "deferred"].iter().filter_map(|to| counted["changes"][format!("allowed-to-{to}")].as_u64()).sum();
    assert_eq!(found, lost as u64);
}

#[test]
fn only_changed_lines_stay() {
    let bench = bench();
    let lines = verdicts(&bench, &["onebot"]);
    let options = "filter --policy now.rsv --against was.rsv --agent onebot --only-changed";
    let in_partition = |partition: &str| {
        let those = lines.iter().filter(|(_, now, was)| now != was && now[0] == partition);
        those.map(|(line, ..)| format!("{line}\n")).collect::<String>()
    };
    assert!(!in_partition("blocked").is_empty() && !in_partition("allowed").is_empty());
    for more in ["", "--threads 3", "--per-input", "--compress gzip", "--format parquet", "--explain"] {
        bench.program(&format!("{options} {more} --force --out out urls")).assert().success();
        bench.program("verify out --inputs").assert().success();
        if more.is_empty() {
            for partition in ["allowed", "blocked", "deferred", "invalid"] {
                let found = String::from_utf8(bench.read(&format!("out/{partition}.txt"))).expect("UTF-8");
                assert_eq!(found, in_partition(partition), "{partition}");
            }
        }
    }
    let receipt = bench.receipt("out");
    let changed = lines.iter().filter(|(_, now, was)| now != was).count();
    assert_eq!(receipt["unchanged"]["lines"], json!(lines.len() - changed));
    for only in ["blocked", "allowed,blocked"] {
        let printed = bench.program(&format!("{options} --only {only} urls")).assert().success();
        let text = String::from_utf8_lossy(&printed.get_output().stdout).into_owned();
        let those = lines.iter().filter(|(_, now, was)| now != was && only.split(',').any(|name| name == now[0]));
        assert_eq!(text, those.map(|(line, ..)| format!("{line}\n")).collect::<String>(), "{only}");
    }
    // A line stays if it changed for any of the crawlers.
    let lines = verdicts(&bench, &["onebot", "*"]);
    let printed = bench
        .program("filter --policy now.rsv --against was.rsv --agent onebot --agent * --only-changed --blocked-for urls")
        .output()
        .unwrap();
    let count = String::from_utf8(printed.stdout).unwrap().lines().count() - 1;
    assert_eq!(count, lines.iter().filter(|(_, now, was)| now != was).count());
}

#[test]
fn unchanged_lines_and_duplicates_are_left_out_of_tables() {
    let bench = bench();
    let urls = bench.read("urls");
    bench.file("twice", [&urls[..], b"\n", &urls].concat());
    let options = "filter --policy now.rsv --against was.rsv --agent onebot --format parquet --verdicts --force";
    bench.program(&format!("{options} --out whole twice")).assert().success();
    let list = "whole/verdicts/part-0001.parquet";
    assert_eq!(columns(&bench, list), ["url", "line", "verdict", "reason", "verdict.was", "reason.was"]);
    bench.program(&format!("{options} --unique --only-changed --out few {list}")).assert().success();
    bench.program("verify few --inputs").assert().success();
    let mut known = std::collections::BTreeSet::new();
    let is_new = |row: &Row| known.insert(text(row, "url"));
    let changed = rows(&bench, list).into_iter().filter(|row| text(row, "verdict") != text(row, "verdict.was"));
    let expected: Vec<String> = changed.filter(is_new).map(|row| text(&row, "url")).collect();
    let found: Vec<String> =
        rows(&bench, "few/verdicts/part-0001.parquet").iter().map(|row| text(row, "url")).collect();
    assert_eq!(found, expected);
    let receipt = bench.receipt("few");
    let left_out = ["duplicates", "unchanged"].map(|name| receipt[name]["lines"].as_u64().unwrap());
    assert!(left_out.iter().all(|&lines| lines > 3), "{left_out:?}");
    assert_eq!(left_out.iter().sum::<u64>() + expected.len() as u64, receipt["input"]["lines"].as_u64().unwrap());
}

#[test]
fn a_run_against_another_policy_is_not_resumed() {
    let bench = bench();
    let urls = bench.read("urls");
    bench.file("many", urls.repeat((8 << 20) / urls.len()));
    let run =
        |more: &str| format!("filter --policy now.rsv --agent onebot {more} --checkpoint 0 --now 2026-01-01T00:00:00Z");
    let compared = "--against was.rsv --only-changed --verdicts";
    bench.program(&format!("{} --out whole many", run(compared))).assert().success();
    let times = interrupted_until_done(&bench, |_| format!("{} --resume --out out many", run(compared)));
    assert!(times > 0);
    assert_eq!(bench.read("out/verdicts.tsv"), bench.read("whole/verdicts.tsv"));
    assert_eq!(files(&bench, "out"), files(&bench, "whole"));
    for other in ["--verdicts", "--against now.rsv --only-changed --verdicts", "--against was.rsv --verdicts"] {
        refused(&bench, &format!("{} --resume --out out many", run(other)), &["complete", "of another job"]);
    }
}

#[test]
fn shards_are_joined_with_their_changes() {
    let bench = bench();
    let options = "filter --policy now.rsv --against was.rsv --agent onebot --only-changed --now 2026-01-01T00:00:00Z";
    for shard in ["1/2", "2/2"] {
        let out = format!("shard-{}", &shard[..1]);
        bench.program(&format!("{options} --shard {shard} --out {out} urls")).assert().success();
    }
    bench.program("join --out joined shard-1 shard-2").assert().success();
    bench.program("verify joined").assert().success();
    bench.program(&format!("{options} --out whole urls")).assert().success();
    for field in ["changes", "unchanged"] {
        assert_eq!(bench.receipt("joined")[field], bench.receipt("whole")[field], "{field}");
    }
}

#[test]
fn policies_must_be_comparable() {
    let bench = bench();
    let compile = |options: &str, out: &str| {
        bench.program(&format!("compile {options} --out {out} was")).assert().success();
    };
    compile("--agent onebot", "one.rsv");
    refused(
        &bench,
        "filter --policy now.rsv --against one.rsv --agent onebot --agent * --count urls",
        &["the policy to compare with", "*"],
    );
    compile("--agent onebot --agent * --dialect google", "dialect.rsv");
    refused(
        &bench,
        "filter --policy now.rsv --against dialect.rsv --agent onebot --agent * --count urls",
        &["different dialects", "google"],
    );
    refused(&bench, "filter --policy now.rsv --agent onebot --only-changed --count urls", &["--against"]);
    // A receipt that contradicts itself.
    bench
        .program("filter --policy now.rsv --against was.rsv --agent onebot --agent * --out out urls")
        .assert()
        .success();
    let receipt = String::from_utf8(bench.read("out/receipt.json")).unwrap();
    let count = bench.receipt("out")["changes"]["allowed-to-blocked.default"].as_u64().unwrap();
    let (true_count, false_count) = (format!("default\": {count}"), format!("default\": {}", count + 1));
    assert!(receipt.contains(&true_count), "{receipt}");
    bench.file("out/receipt.json", receipt.replacen(&true_count, &false_count, 1));
    let verified = bench.program("verify out").assert().code(1);
    assert!(String::from_utf8_lossy(&verified.get_output().stdout).contains("the changes do not add up"));
}
