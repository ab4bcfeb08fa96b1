//! What sites say about uses of their pages, and what a run requires of it.

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::support::program::{Bench, said};
use crate::support::results::reasons_of;

/// Sites that say something, and one that says nothing.
fn bench() -> Bench {
    let bench = Bench::new();
    let draft = "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n\
                 Content-Usage: /ai-ok/ train-ai=y\n\nUser-Agent: ExampleBot\nAllow: /\nContent-Usage: train-ai=y\n";
    bench.file("sites/draft.example", draft);
    bench.file(
        "sites/signal.example",
        "Content-Signal: search=yes, ai-train=no, use=reference\nUser-agent: a\nDisallow: /\n",
    );
    bench.file(
        "sites/both.example",
        "User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\nDisallow:\n",
    );
    bench.file(
        "sites/broken.example",
        "User-agent: *\nContent-Usage: Train-AI=n\nContent-Usage: /a search=y\nDisallow:\n",
    );
    bench.file("sites/silent.example", "User-agent: *\nDisallow: /no\n\nContent-Usage: /no train-ai=n\n");
    bench.file(
        "sites/managed.example",
        "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n\nUser-agent: a\nDisallow: /no\n\nUser-agent: *\nDisallow: /\n",
    );
    bench.file("sites/outside.example", "Content-Usage: train-ai=n\n\nUser-agent: *\nDisallow: /no\n");
    bench
}

/// The partition and reason of a URL.
fn outcome(bench: &Bench, options: &str, url: &str) -> String {
    let run = bench.program(&format!("filter {options} --count --json -")).write_stdin(url).assert().success();
    let receipt: Value = serde_json::from_slice(&run.get_output().stdout).expect("a receipt");
    let reasons = ["allowed", "blocked", "deferred"].map(|partition| {
        let reasons = reasons_of(&receipt, partition).into_keys();
        reasons.map(|reason| format!("{partition} {reason}")).collect::<Vec<_>>()
    });
    reasons.concat().join(", ")
}

/// The outcome of each URL, by the option `--require` and the crawler.
const OUTCOMES: &[(&str, &str, &str, &str)] = &[
    ("train-ai!=n", "other", "draft.example/test", "blocked preference"),
    ("train-ai!=n", "other", "draft.example/never/test", "blocked rules"),
    ("train-ai!=n", "other", "draft.example/ai-ok/test", "allowed rules"),
    ("train-ai=y", "other", "draft.example/ai-ok/test", "allowed rules"),
    ("train-ai=y", "other", "draft.example/never/ai-ok/", "blocked rules"),
    ("train-ai=y", "ExampleBot", "draft.example/never/test", "allowed rules"),
    ("search!=n", "other", "draft.example/test", "allowed rules"),
    ("search=y", "other", "draft.example/ai-ok/", "blocked preference"),
    ("train-ai!=n", "other", "signal.example/", "blocked preference"),
    ("search=y,ai-input!=n", "other", "signal.example/", "allowed no-group"),
    ("train-ai!=n", "a", "signal.example/", "blocked rules"),
    ("train-ai!=n", "other", "both.example/", "blocked preference"),
    ("train-ai!=n", "other", "broken.example/", "blocked preference"),
    ("search!=n", "other", "broken.example/", "blocked preference"),
    ("search=y", "other", "broken.example/a", "allowed rules"),
    ("train-ai!=n", "other", "broken.example/a", "allowed rules"),
    ("ai-input!=n", "other", "broken.example/", "allowed rules"),
    ("train-ai!=n", "a", "managed.example/", "allowed rules"),
    ("train-ai!=n --content-signal everybody", "a", "managed.example/", "blocked preference"),
    ("train-ai!=n --content-signal everybody", "a", "managed.example/no", "blocked rules"),
    ("train-ai!=n --content-signal everybody", "other", "both.example/", "blocked preference"),
    ("train-ai!=n --content-signal group", "a", "managed.example/", "allowed rules"),
    ("train-ai!=n", "other", "silent.example/x?y#z", "allowed rules"),
    ("train-ai=y", "other", "silent.example/x", "blocked preference"),
    ("train-ai!=n", "other", "outside.example/", "allowed rules"),
    ("train-ai=y", "other", "unknown.example/", "deferred unfetched"),
];

#[test]
fn what_is_required_of_preferences_decides_what_is_allowed() {
    let bench = bench();
    bench.program("compile --agent other --agent ExampleBot --agent a sites -o policy.rsv").assert().success();
    for (require, agent, url, expected) in OUTCOMES {
        for source in ["--policy policy.rsv", "--robots sites"] {
            // With a mark before it, it is judged apart from plain URLs.
            for url in [format!("http://{url}"), format!("HTTP://{url}")] {
                let options = format!("{source} --agent {agent} --require {require}");
                assert_eq!(outcome(&bench, &options, &url), *expected, "{require} {agent} {url}");
            }
        }
    }
    bench.file("urls", "http://draft.example/test\nhttp://signal.example/\nhttp://silent.example/\n");
    let split = bench.split("--policy policy.rsv --require train-ai!=n", &["urls"]);
    assert_eq!(split.receipt["options"]["require"], "train-ai!=n");
    assert_eq!(split.reasons("blocked"), [("preference".to_owned(), 1)].into());
    let without = bench.split("--policy policy.rsv --force", &["urls"]);
    assert_eq!(without.receipt["options"].get("require"), None);
    assert_eq!(without.lines("allowed").len(), 3);
    bench.program("report out --policy policy.rsv -o report.html").assert().success();
}

/// Lines are refused for each crawler by what is said to it, in every form of output.
#[test]
fn each_crawler_has_its_own_preferences() {
    let bench = bench();
    let agents = "--agent other --agent ExampleBot --agent a";
    let paths = ["", "test", "never/x", "ai-ok/x", "no"];
    let hosts = ["draft", "signal", "both", "broken", "silent", "outside", "unknown"];
    let urls: Vec<String> =
        hosts.iter().flat_map(|host| paths.map(|path| format!("http://{host}.example/{path}\n"))).collect();
    bench.file("urls", urls.concat());
    let verdicts = |agents: &str| {
        let run = bench.program(&format!("filter --robots sites {agents} --require train-ai!=n --verdicts urls"));
        String::from_utf8({ run }.assert().success().get_output().stdout.clone()).expect("UTF-8")
    };
    let alone = ["other", "ExampleBot", "a"].map(|agent| verdicts(&format!("--agent {agent}")));
    let [other, own, third] = alone.each_ref().map(|text| text.lines().collect::<Vec<_>>());
    let together = verdicts(agents);
    let rows: Vec<&str> = together.lines().collect();
    assert_eq!(rows.len(), urls.len() + 1);
    for (line, row) in rows.iter().enumerate().skip(1) {
        let verdict = |text: &[&str]| text[line].split('\t').next().expect("a verdict").to_owned();
        let expected = [verdict(&other), verdict(&own), verdict(&third)].join("\t");
        assert!(row.starts_with(&expected), "{row}: {expected}");
    }
    let blocked = |rows: &[&str]| rows.iter().filter(|row| row.starts_with("blocked")).count();
    assert!(blocked(&other) > blocked(&own), "what is refused differs");
    let options = format!("filter --robots sites {agents} --require train-ai!=n --now 2026-01-12T12:00:00Z");
    let refused = bench.program(&format!("{options} --blocked-for urls")).assert().success();
    let refused = String::from_utf8_lossy(&refused.get_output().stdout).into_owned();
    assert!(refused.contains("\nother,a\t\thttp://draft.example/test\n"), "{refused}");
    assert!(refused.contains("\n\t\thttp://draft.example/ai-ok/x\n"), "{refused}");
    for more in ["--allowed-if any", "--allowed-if all", "--threads 2", "--explain"] {
        bench.program(&format!("{options} {more} --force --out out urls")).assert().success();
        bench.program("verify out --inputs").assert().success();
    }
    for (shard, folder) in [("1/2", "one"), ("2/2", "two")] {
        bench.program(&format!("{options} --shard {shard} --out {folder} urls")).assert().success();
    }
    bench.program("join one two -o joined.json").assert().success();
}

/// Layers over a policy and merged policies say what their newest answers say.
#[test]
fn layers_have_their_own_preferences() {
    let bench = Bench::new();
    let answer = |host: &str, time: u32, value: &str| {
        format!(
            "{{\"origin\":\"http://{host}.example\",\"status\":200,\"fetched_at\":{time},\
             \"body\":\"User-agent: *\\nContent-Usage: train-ai={value}\\nDisallow: /no\\n\"}}\n"
        )
    };
    bench.file("old.jsonl", [answer("a", 1, "y"), answer("b", 1, "n"), answer("c", 1, "n")].concat());
    bench.file("new.jsonl", [answer("a", 2, "n"), answer("b", 2, "y")].concat());
    for name in ["old", "new"] {
        bench.program(&format!("compile --agent x {name}.jsonl -o {name}.rsv")).assert().success();
    }
    bench.program("merge old.rsv new.rsv -o merged.rsv").assert().success();
    for source in ["--policy merged.rsv", "--policy old.rsv --policy new.rsv"] {
        for (host, expected) in [("a", "blocked preference"), ("b", "allowed rules"), ("c", "blocked preference")] {
            let url = format!("http://{host}.example/");
            assert_eq!(outcome(&bench, &format!("{source} --require train-ai!=n"), &url), expected, "{source} {host}");
            assert_eq!(
                outcome(&bench, &format!("{source} --require train-ai!=n"), &format!("{url}no")),
                "blocked rules"
            );
        }
    }
}

#[test]
fn a_wrong_requirement_is_an_error_that_says_what_is_right() {
    let bench = bench();
    bench.file("urls", "");
    for (require, message) in [
        ("train-ai=n", "\"train-ai=n\" is no requirement"),
        ("training!=n", "train-ai, search, ai-input"),
        ("search=y,search!=n", "search is required twice"),
    ] {
        let run = bench.program(&format!("filter --robots sites --agent a --require {require} --count urls"));
        said(&{ run }.assert().code(2).get_output().stderr, &[message]);
    }
}

#[test]
fn what_sites_say_is_exported_line_by_line() {
    let bench = bench();
    bench.file(
        "sites/kept.example",
        "License: /l.xml\nUser-agent: a\nDisallowAITraining: /\nLLM-Policy: /x\nDisallow:\n",
    );
    bench.program("compile --agent other --agent ExampleBot --agent a sites -o policy.rsv").assert().success();
    let export = |options: &str| {
        let run = bench.program(&format!("export policy.rsv --what preferences {options}")).assert().success();
        String::from_utf8(run.get_output().stdout.clone()).expect("UTF-8")
    };
    let table = export("--agent other");
    let expected = "origin\tagent\tsource\tpath\tline\tvalue\ttrain_ai\tsearch\tai_input
both.example\tother\tcontent-usage\t\t2\ttrain-ai=y\ty\tunknown\t
both.example\tother\tcontent-signal\t\t3\tai-train=no\tn\tunknown\tunknown
broken.example\tother\tcontent-usage\t\t2\tTrain-AI=n\tbroken\tbroken\t
broken.example\tother\tcontent-usage\t/a\t3\t/a search=y\tunknown\ty\t
draft.example\tother\tcontent-usage\t\t4\ttrain-ai=n\tn\tunknown\t
draft.example\tother\tcontent-usage\t/ai-ok/\t5\t/ai-ok/ train-ai=y\ty\tunknown\t
kept.example\tother\tlicense\t\t1\t/l.xml\t\t\t
managed.example\tother\tcontent-signal\t\t2\tai-train=no\tn\tunknown\tunknown
signal.example\tother\tcontent-signal\t\t1\tsearch=yes, ai-train=no, use=reference\tn\ty\tunknown
silent.example\tother\tcontent-usage\t/no\t4\t/no train-ai=n\tn\tunknown\t
";
    // A folder's names stand for both schemes.
    let of_http: String =
        table.lines().filter(|line| !line.starts_with("https:")).map(|line| format!("{line}\n")).collect();
    assert_eq!(of_http.replace("http://", ""), expected);
    let all = export("--format jsonl");
    let rows: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |source: &'static str| {
        rows.iter().filter(move |row| row["source"] == source && row["origin"] == "http://kept.example")
    };
    assert_eq!(of("disallowaitraining").map(|row| &row["agent"]).collect::<Vec<_>>(), ["a"]);
    assert_eq!(of("llm-policy").map(|row| &row["line"]).collect::<Vec<_>>(), [4]);
    assert_eq!(of("license").count(), 3, "it belongs to no group");
    bench.program("export policy.rsv --what preferences --format parquet -o table.parquet").assert().success();
    let shown = bench.program("inspect policy.rsv http://both.example --agent other").assert().success();
    let shown = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    assert!(shown.contains("\n  content-usage: train-ai=y (line 2); train-ai y\n"), "{shown}");
    assert!(shown.contains("\n  content-signal: ai-train=no (line 3); train-ai n\n"), "{shown}");
}

#[test]
fn check_tells_what_is_said_of_an_allowed_page() {
    let bench = bench();
    bench.program("compile --agent other sites -o policy.rsv").assert().success();
    let check = |source: &str, url: &str, status: i32| {
        let run = bench.program(&format!("check {source} {url}")).assert().code(status);
        String::from_utf8(run.get_output().stdout.clone()).expect("UTF-8").trim_end().to_owned()
    };
    for source in ["--agent other --robots sites", "--policy policy.rsv", "--agent other --robots sites/both.example"] {
        let text = check(source, "http://both.example/x", 0);
        let said = "\tpreferences: train-ai n (content-signal train-ai n; content-usage train-ai y)";
        assert!(text.ends_with(said), "{source} {text}");
        let json: Value = serde_json::from_str(&check(source, "http://both.example/x --json", 0)).expect("JSON");
        let expected = serde_json::json!({
            "combined": {"train-ai": "n"},
            "content-usage": {"train-ai": "y"},
            "content-signal": {"train-ai": "n"},
        });
        assert_eq!(json["preferences"], expected, "{source}");
    }
    for source in ["--agent a --robots sites", "--agent a --robots sites/managed.example"] {
        for (options, status) in [
            ("--require train-ai!=n", 0),
            ("--require train-ai=y", 1),
            ("--content-signal everybody", 0),
            ("--require train-ai!=n --content-signal everybody", 1),
        ] {
            let text = check(source, &format!("http://managed.example/ {options}"), status);
            assert_eq!(text.contains("train-ai n"), options.contains("everybody"), "{options} {text}");
            assert_eq!(text.contains("but what is said of its uses does not meet train-ai"), status == 1, "{text}");
            let text = check(source, &format!("http://managed.example/no {options}"), 1);
            assert!(text.contains("line 6: Disallow: /no") && !text.contains("train-ai"), "{options} {text}");
        }
    }
    for (url, status) in
        [("http://draft.example/never/x", 1), ("http://silent.example/x", 0), ("http://unknown.example/", 1)]
    {
        assert!(!check("--policy policy.rsv", url, status).contains("preferences"), "{url}");
    }
    let text = check("--policy policy.rsv", "http://broken.example/", 0);
    assert!(
        text.ends_with("\tpreferences: search broken, train-ai broken (content-usage search broken, train-ai broken)"),
        "{text}"
    );
}

/// The columns after each verdict, in text and in tables, with and without causes, for one crawler and for several.
#[test]
fn columns_show_what_is_said_of_each_line() {
    let bench = bench();
    let lines = [
        ("http://both.example/", "allowed", ["n", "y", "n", "", "", ""]),
        ("http://draft.example/ai-ok/", "allowed", ["y", "y", "", "", "", ""]),
        ("http://draft.example/never/", "blocked", [""; 6]),
        ("http://broken.example/", "allowed", [""; 6]),
        ("http://signal.example/x", "allowed", ["n", "", "n", "y", "", "y"]),
        ("http://unknown.example/", "deferred", [""; 6]),
        ("no URL", "invalid", [""; 6]),
    ];
    bench.file("urls", lines.map(|(line, ..)| format!("{line}\n")).concat());
    let names = [
        "train_ai",
        "train_ai_content_usage",
        "train_ai_content_signal",
        "search",
        "search_content_usage",
        "search_content_signal",
    ];
    let row = |(line, verdict, said): &(&str, &str, [&str; 6])| format!("{verdict}\t{}\t{line}\n", said.join("\t"));
    let rows: String = lines.iter().map(row).collect();
    let expected = format!("other\t{}\turl\n{rows}", names.join("\t"));
    let options = "filter --robots sites --verdicts --preferences search,train-ai";
    let printed = bench.program(&format!("{options} --agent other urls")).assert().success();
    assert_eq!(String::from_utf8_lossy(&printed.get_output().stdout), expected);
    for more in ["", "--threads 2", "--explain", "--agent ExampleBot", "--agent a --explain --compress gzip"] {
        bench.program(&format!("{options} --agent other {more} --force --out out urls")).assert().success();
        bench.program("verify out --inputs").assert().success();
        if more.is_empty() {
            assert_eq!(String::from_utf8(bench.read("out/verdicts.tsv")).expect("UTF-8"), expected);
            assert_eq!(bench.receipt("out")["options"]["preferences"], "train-ai,search");
        }
    }
    let two = bench.program(&format!("{options} --agent other --agent ExampleBot --force --out out urls"));
    { two }.assert().success();
    let text = String::from_utf8(bench.read("out/verdicts.tsv")).expect("UTF-8");
    assert!(
        text.starts_with("other\ttrain_ai.other\t") && text.contains("\tExampleBot\ttrain_ai.ExampleBot\t"),
        "{text}"
    );
    assert!(text.contains("blocked\t\t\t\t\t\t\tallowed\ty\ty\t\t\t\t\thttp://draft.example/never/\n"), "{text}");
    let required = bench.program(&format!("{options} --agent other --require train-ai!=n urls")).assert().success();
    let required = String::from_utf8_lossy(&required.get_output().stdout).into_owned();
    assert!(
        required.contains("\nblocked\tn\ty\tn\t\t\t\thttp://both.example/\n"),
        "what it is refused for: {required}"
    );
    for (output, message) in [
        ("--count", "--count"),
        ("--only blocked,deferred", "--only allowed"),
        ("--blocked-for", "cannot be used with '--blocked-for'"),
        ("--out new --allowed-if any", "cannot be used with '--allowed-if"),
    ] {
        let run = bench.program(&format!("filter --agent other --robots sites --preferences search {output} urls"));
        said(&{ run }.assert().code(2).get_output().stderr, &[message]);
    }
    let run = bench.program("filter --agent other --robots sites --preferences training --verdicts urls");
    said(&{ run }.assert().code(2).get_output().stderr, &["train-ai, search, ai-input"]);
}

/// Before each allowed line, and nowhere else.
#[test]
fn columns_of_partitions_are_those_of_pages_that_may_be_fetched() {
    let bench = bench();
    let urls = ["both.example/x", "draft.example/ai-ok/", "draft.example/never/", "broken.example/a", "new.example/"];
    bench.file("urls", urls.map(|url| format!("http://{url}\n")).concat());
    let text = |name: &str| String::from_utf8(bench.read(name)).expect("UTF-8");
    let head = "train_ai\ttrain_ai_content_usage\ttrain_ai_content_signal\t";
    let allowed = format!(
        "{head}url\nn\ty\tn\thttp://both.example/x\ny\ty\t\thttp://draft.example/ai-ok/\n\t\t\thttp://broken.example/a\n"
    );
    let options = "filter --robots sites --agent other --preferences train-ai";
    for more in ["", "--threads 2", "--explain"] {
        bench.program(&format!("{options} {more} --force --out out urls")).assert().success();
        bench.program("verify out --inputs").assert().success();
        assert_eq!(text("out/allowed.tsv"), allowed, "{more}");
        assert_eq!(text("out/deferred.txt"), "http://new.example/\n");
        let blocked = if more == "--explain" { "out/blocked.tsv" } else { "out/blocked.txt" };
        assert!(text(blocked).ends_with("http://draft.example/never/\n") && !text(blocked).contains("train_ai"));
    }
    for (only, expected) in
        [("allowed", allowed.clone()), ("allowed,deferred", format!("{allowed}\t\t\thttp://new.example/\n"))]
    {
        let printed = bench.program(&format!("{options} --only {only} urls")).assert().success();
        assert_eq!(String::from_utf8_lossy(&printed.get_output().stdout), expected);
    }
    for number in 1..=2 {
        let words = format!(
            "{options} --agent ExampleBot --now 2026-08-01T00:00:00Z --compress gzip --shard {number}/2 --out part-{number} urls"
        );
        bench.program(&words).assert().success();
    }
    bench.program("join --concat --out joined part-1 part-2").assert().success();
    bench.program("verify joined --inputs").assert().success();
    let joined = std::io::read_to_string(MultiGzDecoder::new(&*bench.read("joined/allowed.ExampleBot.tsv.gz")));
    let joined = joined.expect("text");
    assert!(joined.starts_with(head) && joined.contains("\ny\ty\t\thttp://draft.example/never/\n"), "{joined}");
}

#[cfg(feature = "parquet")]
#[test]
fn tables_have_the_same_columns() {
    use crate::support::tables::{column, columns, rows};

    let bench = bench();
    let urls = ["http://both.example/", "http://draft.example/ai-ok/", "http://draft.example/never/", "no URL"];
    bench.file("urls", urls.map(|line| format!("{line}\n")).concat());
    let options = "--robots sites --agent other --preferences train-ai,ai-input --format parquet";
    bench.program(&format!("filter {options} --agent ExampleBot --out parts urls")).assert().success();
    bench.program("verify parts --inputs").assert().success();
    for (file, expected) in [
        ("crawler=other/verdict=allowed", vec!["\"n\"", "\"y\""]),
        ("crawler=other/verdict=blocked", vec!["null"]),
        ("crawler=ExampleBot/verdict=allowed", vec!["\"n\"", "\"y\"", "\"y\""]),
    ] {
        let rows = rows(&bench, &format!("parts/lines/{file}/part-0001.parquet"));
        let said: Vec<String> = rows.iter().map(|row| column(row, "train_ai").to_string()).collect();
        assert_eq!(said, expected, "{file}");
    }
    for (more, crawlers) in [("", 1), ("--agent ExampleBot", 2), ("--explain", 1)] {
        bench.program(&format!("filter {options} --verdicts {more} --force --out out urls")).assert().success();
        bench.program("verify out --inputs").assert().success();
        let names = columns(&bench, "out/verdicts/part-0001.parquet");
        let said: Vec<&String> =
            names.iter().filter(|name| name.starts_with("train_ai") || name.starts_with("ai_input")).collect();
        assert_eq!(said.len(), 5 * crawlers, "{names:?}");
        let label = if crawlers > 1 { ".other" } else { "" };
        let found: Vec<Vec<String>> = rows(&bench, "out/verdicts/part-0001.parquet")
            .iter()
            .map(|row| {
                let of = |name: &str| column(row, &format!("{name}{label}")).to_string().trim_matches('"').to_owned();
                ["train_ai", "train_ai_content_usage", "train_ai_content_signal", "ai_input"].map(of).to_vec()
            })
            .collect();
        let expected = [["n", "y", "n", "null"], ["y", "y", "null", "null"], ["null"; 4], ["null"; 4]];
        assert_eq!(found, expected, "{more}");
    }
}

/// Not the first line that says no, but one that is not overruled for the path.
#[test]
fn the_line_that_refuses_is_named() {
    let bench = Bench::new();
    let site = "User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: /a/b train-ai=y\nDisallow: /no\n\
                Content-Usage: /c search=n\nContent-Signal: ai-train=yes\nContent-Usage: /d ?\n";
    bench.file("sites/a.example", site);
    bench.file("urls", ["a", "a/b", "no/a", "c", "d", "e"].map(|path| format!("http://a.example/{path}\n")).concat());
    let explained = |require: &str| {
        let words =
            format!("filter --agent examplebot --robots sites --require {require} --explain --only blocked urls");
        let run = bench.program(&words).assert().success();
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        text.lines().skip(1).map(|line| line.replace("http://a.example/", "")).collect::<Vec<_>>()
    };
    let (rule, broken) = ("Disallow: /no\t4\t*\t\tno/a", "Content-Usage: /d ?\t7\t\t\td");
    assert_eq!(explained("train-ai!=n"), ["Content-Usage: /a train-ai=n\t2\t\t\ta", rule, broken]);
    assert_eq!(explained("search!=n"), [rule, "Content-Usage: /c search=n\t5\t\t\tc", broken]);
    // What is only not said is said by no line.
    assert_eq!(
        explained("search=y"),
        ["\t\t\t\ta", "\t\t\t\ta/b", rule, "Content-Usage: /c search=n\t5\t\t\tc", broken, "\t\t\t\te"]
    );
    bench.filter("--robots sites --require train-ai!=n --explain --out out urls").assert().success();
    assert_eq!(bench.receipt("out")["partitions"]["blocked"]["reasons"]["preference"], 2);
    bench.program("report out --robots sites -o report.html").assert().success();
    let page = String::from_utf8(bench.read("report.html")).expect("UTF-8");
    assert!(!page.contains("Disallow: /a train-ai=n"), "{page}");
}
