//! `robosieve report --against`: what changed since the run before.

use serde_json::{Value, json};

use crate::support::page::rows;
use crate::support::program::{Bench, said};

/// The section about changes.
const CHANGES: &str = "<section id=\"changes\">";

/// The sites of two days, compiled, and the run of each day.
fn bench() -> Bench {
    let bench = Bench::new();
    let everywhere = "User-agent: *\nDisallow: /no\n";
    for (day, sites) in [
        ("old", [("a", everywhere), ("b", "User-agent: *\nDisallow: /\n"), ("went", everywhere), ("same", everywhere)]),
        ("new", [("a", "User-agent: *\nDisallow: /\n"), ("b", everywhere), ("came", everywhere), ("same", everywhere)]),
    ] {
        let capture = |(host, body): (&str, &str)| {
            let url = format!("http://{host}.example/robots.txt");
            json!({"url": url, "status": 200, "body": body, "fetched_at": "2026-01-01T00:00:00Z"}).to_string() + "\n"
        };
        let down = |status| json!({"url": "http://down.example/robots.txt", "status": status, "body": everywhere});
        let last = down(if day == "old" { 200 } else { 503 }).to_string() + "\n";
        bench.file(&format!("{day}.jsonl"), sites.map(capture).concat() + &last);
        bench.program(&format!("compile --agent examplebot {day}.jsonl -o {day}.rsv")).assert().success();
    }
    let hosts = ["a", "a", "a", "b", "went", "came", "same", "down", "down"];
    let urls = hosts.iter().enumerate().map(|(number, host)| format!("http://{host}.example/yes{number}\n"));
    bench.file("urls", urls.collect::<String>() + "http://same.example/no\nno url\n");
    bench.file("more", "http://same.example/\n");
    bench.filter("--policy old.rsv --now 2026-01-01T00:00:00Z --out yesterday urls more").assert().success();
    let options = "--policy new.rsv --now 2026-01-02T00:00:00Z --on-unreachable block";
    bench.filter(&format!("{options} --out today urls")).assert().success();
    bench
}

fn page(bench: &Bench, options: &str) -> String {
    bench.program(&format!("report today {options}")).assert().success();
    String::from_utf8(bench.read("today/report.html")).expect("UTF-8")
}

#[test]
fn an_earlier_run_is_compared_by_its_receipt() {
    let bench = bench();
    let page = page(&bench, "--against yesterday");
    let numbers = ["lines read|12|11|-1", "lists|2|1|-1", "origins in the policy|5|5|0", "robots.txt to fetch|1|1|0"];
    assert_eq!(rows(&page, CHANGES, "Both runs in numbers"), numbers);
    let lines = [
        "allowed|8|3|-5",
        "allowed: rules|8|3|-5",
        "blocked|2|6|+4",
        "blocked: rules|2|4|+2",
        "blocked: unreachable|0|2|+2",
        "deferred|1|1|0",
        "invalid|1|1|0",
    ];
    assert_eq!(rows(&page, CHANGES, "Lines by partition, and"), lines);
    assert_eq!(rows(&page, CHANGES, "Options that differ"), ["on-unreachable|defer|block"]);
    for told in [
        "The run before judged by another policy, at 2026-01-01T00:00:00Z.",
        "What changed</a>: -5 allowed, +4 blocked<",
        "Receipts count no origins",
        "From the receipt of this run, and that of yesterday.",
    ] {
        assert!(page.contains(told), "{told} in {page}");
    }
    let by_receipt = self::page(&bench, "--against yesterday/receipt.json");
    assert_eq!(by_receipt.replace("yesterday/receipt.json", "yesterday"), page);
    let with_itself = self::page(&bench, "--against today");
    assert!(with_itself.contains("The run before judged by the same policy"), "{with_itself}");
    let rows = rows(&with_itself, CHANGES, "Lines by partition, and");
    assert!(rows.iter().all(|row| row.ends_with("|0")), "{rows:?}");
}

#[test]
fn crawlers_of_both_runs_are_compared() {
    let bench = bench();
    let run = |agents: &str, folder: &str| {
        let words = format!("filter {agents} --robots new.jsonl --force --out {folder} urls");
        bench.program(&words).assert().success();
    };
    run("--agent onebot --agent twobot", "yesterday");
    run("--agent twobot --agent threebot", "today");
    let page = page(&bench, "--against yesterday");
    let section =
        &page[page.find(CHANGES).expect("a section")..page.find("<section id=\"partitions\"").expect("a section")];
    assert!(section.contains("<h3>twobot</h3>") && !section.contains("<h3>threebot</h3>"), "{section}");
    assert!(section.contains("Only the run before was for onebot."), "{section}");
    assert!(section.contains("Only the run now was for threebot."), "{section}");
    assert_eq!(rows(section, CHANGES, "Lines by partition")[0], "allowed|3|3|0");
}

#[test]
fn an_earlier_policy_is_compared_as_diff_does() {
    let bench = bench();
    let page = page(&bench, "--policy new.rsv --against old.rsv");
    let counts = ["examplebot|came|1", "examplebot|went|1", "examplebot|now-blocked|2", "examplebot|now-allowed|1"];
    assert_eq!(rows(&page, CHANGES, "Changed origins"), counts);
    let diff = bench.program("diff old.rsv new.rsv --summary --on-unreachable block").assert().code(1);
    let by_diff = String::from_utf8_lossy(&diff.get_output().stdout).replace('\t', "|");
    assert_eq!(by_diff.lines().skip(1).collect::<Vec<_>>(), counts);
    // Those with the most lines come first.
    let changes = [
        "http://a.example|now-blocked|3|/: allowed -&gt; blocked",
        "http://down.example|now-blocked|2|/: allowed -&gt; blocked",
        "http://went.example|went|1|robots-txt -&gt; not there",
        "http://b.example|now-allowed|0|/: blocked -&gt; allowed",
        "http://came.example|came|0|not there -&gt; robots-txt",
    ];
    assert_eq!(rows(&page, CHANGES, "Changes, those of the most"), changes);
    assert!(page.contains("Of 6 origins in either policy, 5 changed."), "{page}");
    assert!(page.contains("What changed</a>: 5 of 6 origins of the policies<"), "{page}");
    assert!(page.contains("Which robots.txt cost the most</a>: http://a.example, 3 lines (blocked: rules)<"), "{page}");
    let first = self::page(&bench, "--policy new.rsv --against old.rsv --top 2");
    assert_eq!(
        rows(&first, CHANGES, "Changes, those of the most blocked or deferred lines first: the first 2 of 5"),
        changes[..2]
    );
    // Several files are one policy, and a run may be given, too.
    bench.file(
        "none.jsonl",
        "{\"url\":\"http://came.example/robots.txt\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\\n\"}\n",
    );
    bench.program("compile --agent examplebot none.jsonl -o none.rsv").assert().success();
    let both = self::page(&bench, "--policy new.rsv --against old.rsv --against none.rsv --against yesterday");
    assert_eq!(rows(&both, CHANGES, "Changed origins")[0], "examplebot|went|1");
    assert_eq!(rows(&both, CHANGES, "Options that differ").len(), 1);
    assert!(!both.contains("Receipts count no origins"), "{both}");
}

#[test]
fn what_is_no_earlier_run_or_policy_is_refused() {
    let bench = bench();
    let policy = bench.read("old.rsv");
    let receipt = String::from_utf8(bench.read("yesterday/receipt.json")).expect("UTF-8");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&receipt).expect("JSON");
        change(&mut value);
        value.to_string()
    };
    bench.file("empty", "");
    bench.file("cut.rsv", &policy[..policy.len() / 2]);
    bench.file("short.rsv", &policy[..5]);
    let mut flipped = policy.clone();
    flipped[policy.len() / 2] ^= 1;
    bench.file("flipped.rsv", flipped);
    bench.file("cut.json", &receipt[..receipt.len() / 2]);
    bench.file("other.json", "{\"lines\": 3}");
    bench.file("lines.json", changed(&|receipt| receipt["partitions"]["allowed"]["lines"] = json!(9)));
    bench.file("reasons.json", changed(&|receipt| receipt["partitions"]["allowed"]["reasons"]["rules"] = json!(9)));
    bench.file("version.json", changed(&|receipt| receipt["version"] = json!(2)));
    bench.file("agents.json", changed(&|receipt| receipt["agents"] = json!(["otherbot"])));
    std::fs::create_dir(bench.path("folder")).expect("a folder");
    bench.program("compile --agent otherbot old.jsonl -o other.rsv").assert().success();
    bench.program("compile --agent examplebot --dialect google old.jsonl -o google.rsv").assert().success();
    let cases: [(&str, &[&str]); 17] = [
        ("--against nowhere", &["cannot read nowhere"]),
        ("--against empty", &["empty", "neither a policy file nor the folder or receipt"]),
        ("--against urls", &["urls", "neither a policy file nor the folder or receipt"]),
        ("--against short.rsv", &["short.rsv", "neither a policy file"]),
        ("--policy new.rsv --against cut.rsv", &["cut.rsv"]),
        ("--policy new.rsv --against flipped.rsv", &["flipped.rsv"]),
        ("--against old.rsv", &["the policy of the run is needed", "--policy"]),
        ("--policy new.rsv --against other.rsv", &["the older policy", "examplebot"]),
        ("--policy new.rsv --against google.rsv", &["the policies have different dialects"]),
        ("--against cut.json", &["cut.json", "not a receipt"]),
        ("--against other.json", &["other.json", "not a receipt"]),
        ("--against lines.json", &["lines.json", "cannot be compared", "do not add up"]),
        ("--against reasons.json", &["reasons.json", "cannot be compared", "the reasons of allowed"]),
        ("--against version.json", &["version.json", "version 2"]),
        ("--against agents.json", &["agents.json", "for other crawlers", "otherbot", "examplebot"]),
        ("--against folder", &["folder/receipt.json", "not the folder of a complete run"]),
        ("--against yesterday --against today", &["2 earlier runs"]),
    ];
    for (options, told) in cases {
        let done = bench.program(&format!("report today {options}")).assert().code(2);
        said(&done.get_output().stderr, told);
        assert!(!bench.names("today").contains(&"report.html".to_owned()), "{options}");
    }
    let done =
        bench.program("report today --against yesterday/receipt.json -o yesterday/receipt.json").assert().code(2);
    said(&done.get_output().stderr, &["is an input"]);
}

#[test]
fn foreign_text_of_an_earlier_run_and_policy_is_only_text() {
    let bench = bench();
    let evil = "</code></script><script>alert(1)</script>\"'";
    let rules = |path: &str| {
        let body = format!("User-agent: *\nDisallow: /{path}\n");
        json!({"url": "http://a.example/robots.txt", "status": 200, "body": body}).to_string()
    };
    bench.file("old.jsonl", rules("x"));
    bench.file("new.jsonl", rules(evil));
    for day in ["old", "new"] {
        bench.program(&format!("compile --agent examplebot {day}.jsonl -o {day}.rsv")).assert().success();
    }
    bench.filter("--policy new.rsv --force --out today urls").assert().success();
    let receipt = String::from_utf8(bench.read("yesterday/receipt.json")).expect("UTF-8");
    let mut receipt: Value = serde_json::from_str(&receipt).expect("JSON");
    receipt["options"]["columns"] = json!([evil]);
    receipt["partitions"]["allowed"]["reasons"] = json!({evil: receipt["partitions"]["allowed"]["lines"]});
    bench.file("<b>before.json", receipt.to_string());
    let page = page(&bench, "--policy new.rsv --against old.rsv --against <b>before.json");
    assert_eq!(page.matches("<script>").count(), 1, "ours");
    let changes = rows(&page, CHANGES, "Changes, those");
    assert!(changes[0].contains("both"), "{changes:?}");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("&lt;b&gt;before.json"), "{page}");
    assert!(!page.contains("<b>"), "{page}");
}

/// The run itself may have compared two policies, line by line.
#[test]
fn changes_of_lines_are_shown_where_the_run_counted_them() {
    let bench = bench();
    bench.filter("--policy new.rsv --against old.rsv --force --out today urls").assert().success();
    let page = page(&bench, "");
    let changes = rows(&page, CHANGES, "Lines that changed since the older policy of the run");
    let expected = ["allowed-to-blocked|3", "allowed-to-deferred|3", "blocked-to-allowed|1", "deferred-to-allowed|1"];
    assert_eq!(changes, expected);
    assert!(page.contains("8 verdicts changed"), "{page}");
    assert!(page.contains("What changed</a>: 8 verdicts<"), "{page}");
}
