//! `robosieve diff` and `robosieve history`: what changed between policies.

use serde_json::Value;

use crate::support::program::{Bench, said};

const WAS: &[(&str, &str)] = &[
    ("blocks.example", "User-agent: *\nDisallow: /a\n"),
    ("both.example", "User-agent: *\nDisallow: /a\n"),
    ("group.example", "User-agent: *\nDisallow: /a\n"),
    ("moved.example", "User-agent: *\nDisallow: /a\n"),
    ("one.example", "User-agent: onebot\nUser-agent: *\nDisallow: /a\n"),
    ("rewritten.example", "User-agent: *\nDisallow: /a\nDisallow: /b\n"),
    ("same.example", "User-agent: *\nDisallow: /a\n"),
    ("went.example", "User-agent: *\nDisallow: /\n"),
];

const NOW: &[(&str, &str)] = &[
    ("blocks.example", "User-agent: *\nDisallow: /a\nDisallow: /b/\nDisallow: /c\nDisallow: /d\nDisallow: /e\n"),
    ("both.example", "User-agent: *\nDisallow: /b\n"),
    ("came.example", "User-agent: *\nDisallow: /\n"),
    ("group.example", "User-agent: *\nDisallow: /a\n\nUser-agent: onebot\nDisallow: /a\n"),
    ("moved.example", "# Only a comment came.\nUser-agent: *\nDisallow: /a\n"),
    ("one.example", "User-agent: onebot\nAllow: /\n\nUser-agent: *\nDisallow: /a\n"),
    ("rewritten.example", "User-agent: *\nDisallow: /b*\nDisallow: /a\nDisallow: /ab\n"),
    ("same.example", "User-agent: *\nDisallow: /a\n"),
];

/// Policies of two times for the crawlers `onebot` and `*`, with origins that other answers stand for.
fn bench() -> Bench {
    let bench = Bench::new();
    for (folder, sites) in [("was", WAS), ("now", NOW)] {
        sites.iter().for_each(|(host, text)| bench.file(&format!("{folder}/https%3A%2F%2F{host}"), text));
    }
    let answer = |host: &str, status: u16| {
        let body = if status == 200 { ", \"body\": \"User-agent: *\\nDisallow: /a\\n\"" } else { "" };
        format!("{{\"url\": \"http://{host}/robots.txt\", \"status\": {status}{body}}}\n")
    };
    bench.file(
        "was.jsonl",
        answer("lost.example", 200) + &answer("missing.example", 404) + &answer("status.example", 404),
    );
    bench.file(
        "now.jsonl",
        answer("lost.example", 503) + &answer("missing.example", 200) + &answer("status.example", 410),
    );
    for (policy, agents) in [("was", "--agent onebot --agent *"), ("now", "--agent * --agent onebot")] {
        let words = format!("compile {agents} --out {policy}.rsv {policy} {policy}.jsonl");
        bench.program(&words).assert().success();
    }
    bench
}

fn printed(bench: &Bench, words: &str, status: i32) -> String {
    let done = bench.program(words).assert().code(status);
    String::from_utf8_lossy(&done.get_output().stdout).into_owned()
}

#[test]
fn changes_are_told_with_the_paths_that_show_them() {
    let bench = bench();
    let expected = "\
http://lost.example
  now-deferred for onebot, *; group everybody -> none; status robots-txt -> unreachable
http://missing.example
  now-blocked for onebot, *; group none -> everybody; status unavailable -> robots-txt
    /a: allowed -> blocked
https://blocks.example
  now-blocked for onebot, *
    /c: allowed -> blocked
    /d: allowed -> blocked
    /e: allowed -> blocked
    and 1 more
https://both.example
  both for onebot, *
    /a: blocked -> allowed
    /b: allowed -> blocked
https://came.example
  came for onebot, *; group none -> everybody
https://group.example
  group for onebot; group everybody -> own
https://one.example
  now-allowed for onebot
    /a: blocked -> allowed
https://rewritten.example
  rewritten for onebot, *
https://went.example
  went for onebot, *; group everybody -> none
9 of 12 origins changed
";
    assert_eq!(printed(&bench, "diff was.rsv now.rsv", 1), expected);
    assert_eq!(printed(&bench, "diff now.rsv now.rsv", 0), "0 of 11 origins changed\n");
    assert_eq!(printed(&bench, "diff was.rsv was.rsv --summary", 0), "agent\tchange\torigins\n");
    // One of them alone, one path, one kind.
    let blocked = printed(&bench, "diff was.rsv now.rsv --agent * --only now-blocked --paths 1", 1);
    let expected = "http://missing.example\n  now-blocked for *; group none -> everybody; status unavailable -> robots-txt\n    \
                    /a: allowed -> blocked\nhttps://blocks.example\n  now-blocked for *\n    /c: allowed -> blocked\n    \
                    and 3 more\n2 of 12 origins changed\n";
    assert_eq!(blocked, expected);
    assert_eq!(printed(&bench, "diff was.rsv now.rsv --only undecided", 0), "0 of 12 origins changed\n");
}

#[test]
fn changes_are_a_table() {
    let bench = bench();
    let rows = printed(&bench, "diff was.rsv now.rsv --json --paths 9", 1);
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 13);
    let row = rows.iter().find(|row| row["path"] == "/b/").expect("a path");
    let expected = serde_json::json!({
        "origin": "https://blocks.example", "change": "now-blocked", "agents": "onebot,*", "path": "/b/", "was": "allowed",
        "now": "blocked", "differences": 4, "are_all": "yes", "group_was": "everybody", "group_now": "everybody",
        "status_was": "robots-txt", "status_now": "robots-txt",
    });
    assert_eq!(*row, expected);
    let came = rows.iter().find(|row| row["change"] == "came").expect("an origin");
    assert_eq!((came.get("path"), came.get("status_was"), &came["status_now"]), (None, None, &"robots-txt".into()));
    bench.program("diff was.rsv now.rsv --paths 9 --out changes.tsv").assert().code(1);
    let table = String::from_utf8(bench.read("changes.tsv")).unwrap();
    assert_eq!(table.lines().count(), 1 + rows.len());
    // A text of the user is not replaced.
    let again = bench.program("diff was.rsv now.rsv --out changes.tsv").assert().code(2);
    said(&again.get_output().stderr, &["changes.tsv", "--force"]);
    let summary = printed(&bench, "diff was.rsv now.rsv --summary --only both,now-allowed", 1);
    assert_eq!(summary, "agent\tchange\torigins\nonebot\tnow-allowed\t1\nonebot\tboth\t1\n*\tboth\t1\n");
}

#[cfg(feature = "parquet")]
#[test]
fn changes_are_a_parquet_table() {
    use crate::support::tables::{rows, text};
    let bench = bench();
    bench.program("diff was.rsv now.rsv --format parquet --out changes.parquet").assert().code(1);
    let rows = rows(&bench, "changes.parquet");
    assert_eq!(rows.len(), 12);
    assert!(rows.iter().any(|row| text(row, "origin") == "https://both.example" && text(row, "path") == "/b"));
}

#[test]
fn policies_must_be_comparable() {
    let bench = bench();
    let refused = |words: &str, message: &[&str]| {
        said(&bench.program(words).assert().code(2).get_output().stderr, message);
    };
    bench.program("compile --agent twobot --out two.rsv now").assert().success();
    bench.program("compile --agent onebot --agent twobot --out three.rsv now").assert().success();
    bench.program("compile --agent * --dialect google --out google.rsv now").assert().success();
    refused("diff was.rsv two.rsv", &["the policies have no crawler in common", "onebot; *", "twobot"]);
    refused("diff was.rsv now.rsv --agent twobot", &["the older policy", "not compiled for twobot"]);
    refused("diff was.rsv google.rsv", &["the policies have different dialects", "google"]);
    refused("diff was.rsv none.rsv", &["none.rsv"]);
    let done = bench.program("diff was.rsv three.rsv").assert().code(1);
    said(&done.get_output().stderr, &["only one of the policies was compiled for *, twobot"]);
}

/// Groups that are walked by cursors are compared by the paths that their rules suggest, and nothing else is claimed.
#[test]
fn what_cannot_be_compared_is_undecided() {
    let bench = Bench::new();
    let intricate = |last: &str| {
        let rules: String = (0..200).map(|number| format!("Disallow: /*{number}a*b{number}*c\n")).collect();
        format!("User-agent: *\n{rules}{last}")
    };
    bench.file("was/a.example", intricate(""));
    bench.file("now/a.example", intricate("Disallow: /*x*y*z$\n").replace("Disallow: /*7a*", "Disallow: /*7a**"));
    bench.file("now/b.example", intricate("Disallow: /plain\n"));
    bench.file("was/b.example", intricate(""));
    for policy in ["was", "now"] {
        bench.program(&format!("compile --agent * --out {policy}.rsv {policy}")).assert().success();
    }
    let text = printed(&bench, "diff was.rsv now.rsv", 1);
    assert!(text.contains("/plain: allowed -> blocked\n    perhaps more: "), "{text}");
}

#[test]
fn access_has_a_history() {
    let bench = Bench::new();
    let answer = |status: u16, body: &str, day: u8| {
        let body = if status == 200 { format!(", \"body\": \"{body}\"") } else { String::new() };
        format!(
            "{{\"url\": \"https://a.example/robots.txt\", \"status\": {status}{body}, \"fetched_at\": \"2026-0{day}-01T00:00:00Z\"}}\n"
        )
    };
    let times = [
        answer(404, "", 1),
        answer(200, "User-agent: *\\nDisallow: /a\\n", 2),
        answer(200, "User-agent: *\\nDisallow: /b\\nDisallow: /a/b\\n", 3),
        answer(200, "User-agent: onebot\\nDisallow: /\\n", 4),
    ];
    for (number, text) in (1..).zip(&times) {
        bench.file(&format!("{number}.jsonl"), text);
        bench
            .program(&format!("compile --agent onebot --agent * --out {number}.rsv {number}.jsonl"))
            .assert()
            .success();
    }
    bench.file("other.jsonl", times[0].replace("a.example", "b.example"));
    bench.program("compile --agent * --agent onebot --out other.rsv other.jsonl").assert().success();
    let expected = "\
origin	agent	policy	change	blocked	root	group	origin_status	fetched_at
https://a.example	onebot	1.rsv		none	allowed	none	unavailable	2026-01-01T00:00:00Z
https://a.example	onebot	2.rsv	now-blocked	some	allowed	everybody	robots-txt	2026-02-01T00:00:00Z
https://a.example	onebot	3.rsv	both	some	allowed	everybody	robots-txt	2026-03-01T00:00:00Z
https://a.example	onebot	4.rsv	now-blocked	all	blocked	own	robots-txt	2026-04-01T00:00:00Z
https://a.example	*	1.rsv		none	allowed	none	unavailable	2026-01-01T00:00:00Z
https://a.example	*	2.rsv	now-blocked	some	allowed	everybody	robots-txt	2026-02-01T00:00:00Z
https://a.example	*	3.rsv	both	some	allowed	everybody	robots-txt	2026-03-01T00:00:00Z
https://a.example	*	4.rsv	now-allowed	none	allowed	none	robots-txt	2026-04-01T00:00:00Z
";
    assert_eq!(printed(&bench, "history 1.rsv 2.rsv 3.rsv 4.rsv", 0), expected);
    let asked = printed(&bench, "history 1.rsv 2.rsv 3.rsv 4.rsv https://A.example/x --agent *", 0);
    assert_eq!(asked.lines().skip(1).collect::<Vec<_>>(), expected.lines().skip(5).collect::<Vec<_>>());
    // Rules that are written otherwise change nothing, but what is asked about has its state; what no policy has is told.
    bench.file("same.jsonl", times[1].replace("Disallow: /a\\n", "Disallow: /a/c\\nDisallow: /a*\\n"));
    bench.program("compile --agent onebot --agent * --out same.rsv same.jsonl").assert().success();
    let head = expected.lines().next().unwrap();
    assert_eq!(printed(&bench, "history 2.rsv same.rsv", 0), format!("{head}\n"));
    assert_eq!(printed(&bench, "history 2.rsv same.rsv https://a.example", 0).lines().count(), 3);
    printed(&bench, "history 2.rsv same.rsv https://c.example", 1);
    // What a policy does not have was never fetched.
    let came = printed(&bench, "history other.rsv 2.rsv --agent onebot --format jsonl", 0);
    assert_eq!(printed(&bench, "history other.rsv 2.rsv --agent onebot --json", 0), came);
    let rows: Vec<Value> = came.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let access: Vec<_> =
        rows.iter().map(|row| (row["origin"].as_str().unwrap(), row["blocked"].as_str().unwrap())).collect();
    let [a, b] = ["https://a.example", "https://b.example"];
    assert_eq!(access, [(a, "deferred"), (a, "some"), (b, "none"), (b, "deferred")]);
    said(&bench.program("history https://a.example").assert().code(2).get_output().stderr, &["name policy files"]);
}

/// Policies with sites that say other things about uses than before, for the crawlers `onebot` and `*`.
fn bench_of_uses() -> Bench {
    let bench = Bench::new();
    for (host, was, now) in [
        // The path of the line is blocked before, or now.
        ("blocked", "User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /b\nContent-Usage: /a train-ai=n\n"),
        ("both", "User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /b\nContent-Signal: ai-train=no\n"),
        (
            "one",
            "User-agent: onebot\nContent-Usage: train-ai=y\nDisallow:\n\nUser-agent: *\nDisallow:\nContent-Usage: train-ai=y\n",
            "User-agent: onebot\nContent-Usage: train-ai=n\nDisallow:\n\nUser-agent: *\nDisallow:\nContent-Usage: train-ai=y\n",
        ),
        (
            "paths",
            "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /no\n",
            "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok/ train-ai=y, search=?\nContent-Usage: /no/ train-ai=y\nDisallow: /no\n",
        ),
        (
            "rewritten",
            "User-agent: *\nContent-Usage: train-ai=n\n",
            "User-agent: *\nContent-Usage: train-ai=n;x, other=y\nContent-Usage: / train-ai=n\n",
        ),
        (
            "said-otherwise",
            "User-agent: *\nContent-Usage: train-ai=n\n",
            "User-agent: *\nContent-Signal: ai-train=no\n",
        ),
    ] {
        bench.file(&format!("was/https%3A%2F%2F{host}.example"), was);
        bench.file(&format!("now/https%3A%2F%2F{host}.example"), now);
    }
    for policy in ["was", "now"] {
        bench.program(&format!("compile --agent onebot --agent * --out {policy}.rsv {policy}")).assert().success();
    }
    bench
}

#[test]
fn changes_of_preferences_are_told_with_pages_that_may_be_fetched() {
    let bench = bench_of_uses();
    let expected = "\
https://both.example
  preferences for onebot, *
    /: train-ai=unknown -> train-ai=n
https://one.example
  preferences for onebot
    /: train-ai=y -> train-ai=n
https://paths.example
  preferences for onebot, *
    /ok/: train-ai=n -> train-ai=broken
    /ok/: search=unknown -> search=broken
3 of 6 origins changed
";
    let found = printed(&bench, "diff was.rsv now.rsv --only preferences", 1);
    assert_eq!(found, expected);
    let all = printed(&bench, "diff was.rsv now.rsv", 1);
    assert!(
        all.contains("https://both.example\n  now-blocked for onebot, *\n    /b: allowed -> blocked\n  preferences"),
        "{all}"
    );
    assert!(!all.contains("rewritten.example") && !all.contains("said-otherwise"), "{all}");
    let rows = printed(&bench, "diff was.rsv now.rsv --only preferences --agent onebot --paths 0 --json", 1);
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    let told = rows.iter().map(|row| (row["origin"].as_str().unwrap(), row["differences"].as_u64().unwrap()));
    let all: Vec<_> = told.collect();
    assert_eq!(all, [("https://both.example", 1), ("https://one.example", 1), ("https://paths.example", 2)]);
    assert_eq!(printed(&bench, "diff was.rsv was.rsv --only preferences", 0), "0 of 6 origins changed\n");
    // Of layers, the one that has the origin is asked.
    bench.file("layer/https%3A%2F%2Fsaid-otherwise.example", "User-agent: *\nContent-Usage: train-ai=y\n");
    bench.program("compile --agent onebot --agent * --out layer.rsv layer").assert().success();
    bench.program("merge was.rsv layer.rsv --out merged.rsv").assert().success();
    let told = printed(&bench, "diff was.rsv merged.rsv", 1);
    assert!(
        told.contains("https://said-otherwise.example\n  preferences for onebot, *\n    /: train-ai=n -> train-ai=y"),
        "{told}"
    );
}

/// Policies with sites whose records about uses are only kept, for the crawlers `onebot` and `*`.
fn bench_of_kept() -> Bench {
    let bench = Bench::new();
    let own = "\n\nUser-agent: onebot\nDisallow:\n";
    for (host, was, now) in [
        ("came", "User-agent: *\nDisallow:\n", "User-agent: *\nDisallow:\nLicense: https://a.example/L\n"),
        ("went", "License: /l\nUser-agent: *\nDisallow: /\n", "User-agent: *\nDisallow: /\n"),
        ("other", "License: /l\nLicense: /m\nUser-agent: *\n", "License: /n\nLicense: /m\nUser-agent: *\nDisallow:\n"),
        (
            "groups",
            &format!("User-agent: *\nDisallowAITraining: /a\nDisallow:{own}"),
            &format!("User-agent: *\nDisallowAITraining: /a\nDisallowAITraining: /b\nLLM-Policy: /p\nDisallow:{own}"),
        ),
        (
            "signal",
            "Content-Signal: search=yes, use=full\nUser-agent: *\n",
            "Content-Signal: search=yes, Use=Reference\nUser-agent: *\n",
        ),
        (
            "beside",
            "User-agent: *\nLLM-Policy: /p\n",
            "User-agent: *\nLLM-Policy: /\x1b[31mq\nContent-Usage: /b/ train-ai=n\n",
        ),
        (
            "moved",
            "License: /l\nLicense: /m\nUser-agent: *\n",
            "# later\nLicense: /m\nUser-agent: *\nLicense: /l\nLicense: /l\n",
        ),
        ("same", "User-agent: *\nContent-Signal: use=full\n", "User-agent: *\nContent-Signal:  USE = full\n"),
    ] {
        bench.file(&format!("was/https%3A%2F%2F{host}.example"), was);
        bench.file(&format!("now/https%3A%2F%2F{host}.example"), now);
    }
    // Of the first, nothing is known now; the second one has no robots.txt any more.
    for host in ["failed", "missing"] {
        bench.file(&format!("was/https%3A%2F%2F{host}.example"), "License: /l\nUser-agent: *\n");
    }
    bench.file(
        "now.jsonl",
        "{\"origin\":\"https://failed.example\",\"status\":503}\n{\"origin\":\"https://missing.example\",\"status\":404}\n",
    );
    bench.program("compile --agent onebot --agent * --out was.rsv was").assert().success();
    bench.program("compile --agent onebot --agent * --out now.rsv now now.jsonl").assert().success();
    bench
}

#[test]
fn records_that_are_only_kept_are_told_when_they_come_and_go() {
    let bench = bench_of_kept();
    let expected = "\
https://beside.example
  preferences for onebot, *
    /b/: train-ai=unknown -> train-ai=n
    llm-policy: /p -> llm-policy: /\\u{1b}[31mq
https://came.example
  preferences for onebot, *
    nothing -> license: https://a.example/L
https://groups.example
  preferences for *
    nothing -> disallowaitraining: /b
    nothing -> llm-policy: /p
https://missing.example
  preferences for onebot, *; group everybody -> none; status robots-txt -> unavailable
    license: /l -> nothing
https://other.example
  preferences for onebot, *
    license: /l -> license: /n
https://signal.example
  preferences for onebot, *
    use=full -> use=reference
https://went.example
  preferences for onebot, *
    license: /l -> nothing
7 of 10 origins changed
";
    assert_eq!(printed(&bench, "diff was.rsv now.rsv --only preferences", 1), expected);
    let rows = printed(&bench, "diff was.rsv now.rsv --only preferences --json", 1);
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    let of =
        |host: &str| rows.iter().filter(|row| row["origin"] == format!("https://{host}.example")).collect::<Vec<_>>();
    let came = of("came");
    assert_eq!((came.len(), came[0].get("path"), came[0].get("was")), (1, None, None));
    assert_eq!((&came[0]["now"], &came[0]["differences"]), (&"license: https://a.example/L".into(), &1.into()));
    assert_eq!(of("went")[0].get("now"), None);
    assert_eq!((&of("beside")[0]["path"], of("beside")[1].get("path")), (&"/b/".into(), None));
    // The most that are shown holds for paths and for records: neither hides the other.
    let one = printed(&bench, "diff was.rsv now.rsv --only preferences --paths 1 --agent *", 1);
    assert!(one.contains("    nothing -> disallowaitraining: /b\n    and 1 more\n"), "{one}");
    assert!(one.contains("    /b/: train-ai=unknown -> train-ai=n\n    llm-policy: /p -> llm-policy: /"), "{one}");
    let none = printed(&bench, "diff was.rsv now.rsv --only preferences --paths 0 --format tsv", 1);
    assert!(none.contains("https://came.example\tpreferences\tonebot,*\t\t\t\t1\tyes\t"), "{none}");
    let summary = printed(&bench, "diff was.rsv now.rsv --only preferences --summary", 1);
    assert_eq!(summary, "agent\tchange\torigins\nonebot\tpreferences\t6\n*\tpreferences\t7\n");
    assert_eq!(printed(&bench, "diff now.rsv now.rsv", 0), "0 of 10 origins changed\n");
    // They stand in layers as in merged policies.
    bench.file("layer/https%3A%2F%2Fcame.example", "License: /mine\nUser-agent: *\n");
    bench.program("compile --agent onebot --agent * --out layer.rsv layer").assert().success();
    bench.program("merge was.rsv layer.rsv --out merged.rsv").assert().success();
    let told = printed(&bench, "diff was.rsv merged.rsv --only preferences", 1);
    assert!(told.contains("    nothing -> license: /mine\n"), "{told}");
}

#[cfg(feature = "parquet")]
#[test]
fn records_that_are_only_kept_are_in_the_parquet_table() {
    use crate::support::tables::{column, rows, text};
    use parquet::record::Field;
    let bench = bench_of_kept();
    bench.program("diff was.rsv now.rsv --only preferences --format parquet --out changes.parquet").assert().code(1);
    let rows = rows(&bench, "changes.parquet");
    let of =
        |host: &str| rows.iter().find(|row| text(row, "origin") == format!("https://{host}.example")).expect("a row");
    assert_eq!([column(of("came"), "path"), column(of("came"), "was")], [&Field::Null; 2]);
    assert_eq!(text(of("came"), "now"), "license: https://a.example/L");
    assert_eq!([column(of("went"), "path"), column(of("went"), "now")], [&Field::Null; 2]);
}
