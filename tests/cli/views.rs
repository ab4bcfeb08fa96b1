//! What the commands about policies tell is what `filter` does by the same choices.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::program::{Bench, said};

fn answer(host: &str, status: u16, second: u32, rest: &str) -> String {
    format!("{{\"origin\":\"http://{host}.example\",\"status\":{status},\"fetched_at\":{second}{rest}}}\n")
}

fn to(host: &str) -> String {
    format!(",\"location\":\"http://{host}.example/robots.txt\"")
}

/// What each origin answered; many have the same group, and no rules.
fn base() -> String {
    let rules = ",\"body\":\"User-agent: one\\nDisallow: /\\n\\nUser-agent: *\\nDisallow: /no\\n\"";
    let chain = |number: usize| answer(&format!("hop{number}"), 302, 1, &to(&format!("hop{}", number + 1)));
    let statuses = [400, 401, 403, 404, 410, 429, 500, 503, 599, 600];
    let answers = [
        answer("rules", 200, 1, rules),
        answer("to-rules", 301, 1, &to("rules")),
        answer("to-refused", 301, 1, &to("refused")),
        answer("to-missing", 301, 1, &to("missing")),
        answer("to-changed", 301, 1, &to("changed")),
        answer("to-nowhere", 301, 1, &to("nowhere")),
        answer("refused", 403, 1, ""),
        answer("missing", 404, 1, ""),
        answer("changed", 404, 1, ""),
        answer("kept", 200, 1, rules),
        answer("kept", 503, 2, ""),
        answer("was-refused", 403, 1, ""),
        answer("was-refused", 503, 2, ""),
        answer("fails-later", 200, 1, rules),
        answer("overridden", 403, 1, ""),
    ];
    answers.concat()
        + &(0..9).map(chain).collect::<String>()
        + &statuses.map(|status| answer(&format!("s{status}"), status, 1, "")).concat()
}

/// Policies of the same answers: in layers, and merged; for the crawlers `one` and `two`.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("base.jsonl", base());
    let newer = [
        answer("changed", 403, 2, ""),
        answer("new", 403, 2, ""),
        answer("to-base", 301, 2, &to("refused")),
        answer("fails-later", 503, 2, ""),
        answer("s404", 403, 2, ""),
        answer("s403", 404, 2, ""),
        answer("s500", 429, 2, ""),
    ];
    bench.file("newer.jsonl", newer.concat());
    bench.file("overrides.toml", "['http://overridden.example']\nverdict = 'allow-all'\n");
    for (name, options) in [("base", "--overrides overrides.toml"), ("newer", "")] {
        let words = format!("compile --agent one --agent two {name}.jsonl -o {name}.rsv {options}");
        bench.program(&words).assert().success();
    }
    bench.program("merge base.rsv newer.rsv -o merged.rsv").assert().success();
    bench
        .file("ours.toml", "401 = \"block\"\n403 = \"defer\"\n404 = \"block\"\n429 = \"allow\"\n\"5xx\" = \"allow\"\n");
    bench.file("open.toml", "403 = 'allow'\n503 = 'block'\n");
    bench
}

const STATUSES: [&str; 5] =
    ["", "--statuses ours.toml", "--statuses open.toml", "--statuses common-crawl", "--statuses nutch"];

fn printed(bench: &Bench, words: &str) -> String {
    let done = bench.program(words).output().expect("it runs");
    assert!(done.status.code().is_some_and(|code| code < 2), "{words}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("UTF-8")
}

/// The rows of a table, by the names of their columns.
fn rows(bench: &Bench, words: &str) -> Vec<Value> {
    let table = printed(bench, &format!("{words} --format jsonl"));
    table.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

/// A field of rows by their origins.
fn by_origin(rows: &[Value], field: &str) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    rows.iter().map(|row| (text(&row["origin"]), text(&row[field]))).collect()
}

/// The verdicts of `filter` on a path of each origin, by origin.
fn filtered(bench: &Bench, options: &str, origins: &BTreeMap<String, String>, path: &str) -> BTreeMap<String, String> {
    bench.file("urls", origins.keys().map(|origin| format!("{origin}{path}\n")).collect::<String>());
    let text = printed(bench, &format!("filter {options} --verdicts urls"));
    let verdicts = text.lines().skip(1).map(|line| line.split('\t').next().expect("a verdict").to_owned());
    origins.keys().cloned().zip(verdicts).collect()
}

#[test]
fn access_by_statuses_is_what_filter_does() {
    let bench = bench();
    let (mut seen, mut changed) = (BTreeMap::<String, usize>::new(), 0);
    for (file, others) in [("base.rsv", ""), ("base.rsv", "--policy newer.rsv"), ("merged.rsv", "")] {
        for agent in ["one", "two"] {
            let by_default =
                by_origin(&rows(&bench, &format!("export {file} {others} --what access --agent {agent}")), "blocked");
            for statuses in STATUSES {
                let told = rows(&bench, &format!("export {file} {others} --what access --agent {agent} {statuses}"));
                let (access, root) = (by_origin(&told, "blocked"), by_origin(&told, "root"));
                let options = format!("--policy {file} {others} --agent {agent} {statuses}");
                assert_eq!(filtered(&bench, &options, &access, "/"), root, "{options}");
                let of_others = filtered(&bench, &options, &access, "/yes");
                for (origin, access) in &access {
                    let expected: &[&str] = match &**access {
                        "none" => &["allowed"],
                        "all" => &["blocked"],
                        "deferred" => &["deferred"],
                        _ => &["allowed", "blocked"],
                    };
                    assert!(expected.contains(&&*of_others[origin]), "{origin} {options}: {access}");
                    *seen.entry(access.clone()).or_default() += 1;
                }
                changed += access.iter().filter(|(origin, access)| by_default[*origin] != **access).count();
                let summary =
                    rows(&bench, &format!("export {file} {others} --what access --summary --agent {agent} {statuses}"));
                for kind in ["none", "some", "all", "deferred"] {
                    let expected = access.values().filter(|access| *access == kind).count();
                    assert_eq!(summary[0][kind], expected, "{kind} {options}");
                }
            }
        }
    }
    assert!(seen.len() == 4 && changed > 50, "{seen:?} {changed}");
}

#[test]
fn one_origin_by_statuses_is_what_export_tells() {
    let bench = bench();
    for statuses in STATUSES {
        for (file, others) in [("base.rsv", "--policy newer.rsv"), ("merged.rsv", "")] {
            let told = rows(&bench, &format!("export {file} {others} --what access --agent two {statuses}"));
            for (origin, access) in by_origin(&told, "blocked") {
                let is_asked = [
                    "to-base",
                    "changed",
                    "to-changed",
                    "to-refused",
                    "was-refused",
                    "kept",
                    "overridden",
                    "rules",
                    "hop0",
                ];
                if !is_asked.iter().any(|host| origin == format!("http://{host}.example")) {
                    continue;
                }
                let entry = printed(&bench, &format!("inspect {file} {others} {origin} --agent two --json {statuses}"));
                let entry: Value = serde_json::from_str(&entry).expect("JSON");
                assert_eq!(entry["agents"][0]["blocked"], access, "{origin} {file} {statuses}");
            }
        }
        let told = rows(&bench, &format!("export merged.rsv --what access --agent two {statuses}"));
        let (access, root) = (by_origin(&told, "blocked"), by_origin(&told, "root"));
        for origin in ["http://s404.example", "http://new.example", "http://to-changed.example"] {
            let history = rows(&bench, &format!("history base.rsv merged.rsv {origin} --agent two {statuses}"));
            let last = history.last().expect("a row");
            assert_eq!(
                (&last["blocked"], &last["root"]),
                (&access[origin].as_str().into(), &root[origin].as_str().into())
            );
        }
    }
    let shown = printed(&bench, "inspect base.rsv http://s403.example --statuses common-crawl --agent two");
    assert!(shown.contains("\n  no verdict now"), "{shown}");
}

/// The change from a verdict on all paths to another one; empty if there is none.
fn change(was: &str, now: &str) -> &'static str {
    match (was, now) {
        _ if was == now => "",
        (_, "deferred") => "now-deferred",
        ("deferred", _) => "was-deferred",
        (_, "none") => "now-allowed",
        _ => "now-blocked",
    }
}

#[test]
fn changes_by_statuses_are_those_of_access() {
    let bench = bench();
    let mut kinds = BTreeMap::<&str, usize>::new();
    for statuses in STATUSES {
        let of = |file: &str| {
            by_origin(&rows(&bench, &format!("export {file} --what access --agent two {statuses}")), "blocked")
        };
        let (was, now) = (of("base.rsv"), of("merged.rsv"));
        let told = by_origin(&rows(&bench, &format!("diff base.rsv merged.rsv --agent two {statuses}")), "change");
        for (origin, now) in &now {
            let told = told.get(origin).map_or("", String::as_str);
            match was.get(origin) {
                None => assert_eq!(told, "came", "{origin} {statuses}"),
                Some(was) => {
                    let expected = change(was, now);
                    // Without a change of access, another state may be told.
                    assert!(
                        told == expected || expected.is_empty() && told == "status",
                        "{origin} {statuses}: {told:?}, {expected:?}"
                    );
                    *kinds.entry(expected).or_default() += 1;
                }
            }
        }
        // Another status of the same kind is a change if it means something else.
        let other_status = if statuses.ends_with("common-crawl") { Some("now-deferred") } else { None };
        if statuses.is_empty() || other_status.is_some() {
            assert_eq!(told.get("http://s404.example").map(String::as_str), other_status, "{statuses}");
        }
        let history = rows(&bench, &format!("history base.rsv merged.rsv --agent two {statuses}"));
        for row in history.iter().filter(|row| row["policy"] == 2) {
            let origin = row["origin"].as_str().expect("an origin");
            let was = was.get(origin).map_or("deferred", String::as_str);
            assert_eq!(
                row.get("change").and_then(Value::as_str).unwrap_or_default(),
                change(was, &now[origin]),
                "{row}"
            );
        }
    }
    assert_eq!(kinds.len(), 5, "each kind: {kinds:?}");
}

#[test]
fn a_signal_to_everybody_is_told_as_it_is_judged() {
    let bench = Bench::new();
    let rest = "\nUser-agent: two\nDisallow: /no\n";
    bench.file("was/a.example", format!("User-agent: *\nContent-Signal: search=yes\nDisallow:\n{rest}"));
    bench.file("now/a.example", format!("User-agent: *\nContent-Signal: ai-train=no, use=full\nDisallow:\n{rest}"));
    for policy in ["was", "now"] {
        bench.program(&format!("compile --agent one --agent two {policy} -o {policy}.rsv")).assert().success();
    }
    for agent in ["one", "two"] {
        for option in ["", "--content-signal group", "--content-signal everybody"] {
            let is_heard = agent == "one" || option.ends_with("everybody");
            let words = format!("filter --policy now.rsv --agent {agent} --require train-ai!=n {option} --verdicts -");
            let filtered = bench.program(&words).write_stdin("http://a.example/\n").assert().success();
            let filtered = String::from_utf8_lossy(&filtered.get_output().stdout).into_owned();
            assert_eq!(filtered.contains("\nblocked\t"), is_heard, "{agent} {option}: {filtered}");
            let exported = printed(&bench, &format!("export now.rsv --what preferences --agent {agent} {option}"));
            assert_eq!(exported.contains("\tai-train=no, use=full\tn\tunknown\tunknown\n"), is_heard, "{exported}");
            let shown = printed(&bench, &format!("inspect now.rsv http://a.example --agent {agent} {option}"));
            assert_eq!(
                shown.contains("content-signal: ai-train=no, use=full (line 2); train-ai n"),
                is_heard,
                "{shown}"
            );
            let told = printed(&bench, &format!("diff was.rsv now.rsv --agent {agent} {option}"));
            assert_eq!(told.contains("    /: train-ai=unknown -> train-ai=n\n"), is_heard, "{told}");
            assert_eq!(told.contains("    nothing -> use=full\n"), is_heard, "{told}");
        }
    }
}

#[test]
fn a_report_tells_access_and_uses_by_the_choices_of_its_run() {
    let bench = Bench::new();
    bench.file(
        "sites/http%3A%2F%2Fa.example",
        "User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n\nUser-agent: two\nDisallow: /no\n",
    );
    bench.file("in.jsonl", answer("b", 403, 1, ""));
    bench.program("compile --agent two sites in.jsonl -o policy.rsv").assert().success();
    bench.file("urls", "http://b.example/\n");
    for (options, deferred, uses) in [("", 0, false), ("--statuses common-crawl --content-signal everybody", 1, true)] {
        bench.program(&format!("filter --policy policy.rsv {options} --force --out out urls")).assert().success();
        bench.program("report out --policy policy.rsv -o report.html").assert().success();
        let page = String::from_utf8(bench.read("report.html")).expect("UTF-8");
        let (_, table) = page.split_once("block none, some or all of their paths").expect("a table");
        let row = table.split("<tr>").nth(2).expect("a row").split("</tr>").next().expect("its end");
        let numbers: Vec<&str> = row.split("</td>").map(|cell| cell.rsplit('>').next().expect("a value")).collect();
        assert_eq!(numbers[4], deferred.to_string(), "{row}");
        assert_eq!(page.contains("say yes or no to a use") && page.contains("train-ai"), uses, "{options}");
    }
}

#[test]
fn an_option_without_effect_is_refused() {
    let bench = Bench::with_site();
    bench.program("compile --agent one sites -o policy.rsv").assert().success();
    for what in ["delays", "sitemaps", "agents", "status", "preferences"] {
        let refused = bench.program(&format!("export policy.rsv --what {what} --statuses nutch")).assert().code(2);
        said(&refused.get_output().stderr, &["--statuses is for --what access, not", what]);
    }
    for what in ["delays", "sitemaps", "agents", "status", "access", "access --summary"] {
        let refused =
            bench.program(&format!("export policy.rsv --what {what} --content-signal group")).assert().code(2);
        said(&refused.get_output().stderr, &["--content-signal is for --what preferences, not"]);
    }
    for words in [
        "inspect policy.rsv --statuses nutch",
        "inspect policy.rsv --content-signal everybody",
        "inspect policy.rsv http://a.example --dot --statuses nutch",
        "inspect policy.rsv http://a.example --dot --content-signal everybody",
        "history policy.rsv policy.rsv --content-signal everybody",
        "export policy.rsv --what access --statuses no-such",
        "diff policy.rsv policy.rsv --statuses no-such",
        "history policy.rsv policy.rsv --statuses no-such",
        "inspect policy.rsv http://a.example --statuses no-such",
        "diff policy.rsv policy.rsv --content-signal nobody",
    ] {
        bench.program(words).assert().code(2);
    }
    bench.program("inspect policy.rsv http://a.example --statuses nutch --content-signal everybody").assert().success();
    bench.program("inspect policy.rsv --top 1").assert().success();
}
