//! `inspect`: the contents of a policy file, and its data on an origin.

use serde_json::{Value, json};

use crate::support::program::{Bench, said};

const NOW: &str = "--now 2026-01-12T12:00:00Z";

const SHOP: &str = "User-agent: one\nDisallow: /a\nCrawl-delay: 0.5\n\nUser-agent: ONE\nAllow: /a/b\n\nSitemap: http://s/1\n\
                    User-agent: two\nUser-agent: *\nDisallow: /\nHost: shop\n";

/// A policy of several origins for `one`, `two` and `three`; the operator overrides some.
fn bench() -> Bench {
    let bench = Bench::new();
    let answer = |origin: &str, rest: &str| format!("{{\"origin\":\"http://{origin}\",{rest}}}\n");
    let body = |text: &str| format!("\"status\":200,\"body\":{}", json!(text));
    let lines = [
        answer("shop", &format!("{},\"fetched_at\":\"2026-01-12T02:00:00Z\"", body(SHOP))),
        answer("same", &format!("{},\"fetched_at\":\"2026-01-01T12:00:00Z\"", body(&format!("# Moved\n{SHOP}")))),
        answer("html", &body("<html><p>Not found</p></html>\n")),
        answer("gone", "\"status\":404,\"fetched_at\":\"2026-01-12T12:00:00Z\""),
        answer("was", &format!("{},\"fetched_at\":\"2026-01-01T12:00:00Z\"", body("User-agent: *\nDisallow: /x\n"))),
        answer(
            "was",
            "\"status\":503,\"fetched_at\":\"2026-01-12T00:00:00Z\",\"unreachable_since\":\"2026-01-11T00:00:00Z\"",
        ),
        answer("down", "\"status\":null,\"fetched_at\":\"2026-01-12T00:00:00Z\""),
    ];
    bench.file("in.jsonl", lines.concat());
    bench.file(
        "overrides.toml",
        "['http://shop']\ncrawl-delay = 10\n['http://no']\nverdict = 'forbid-all'\n\
         ['http://busy']\npaused-until = 2026-02-01T00:00:00Z\n\
         ['http://free']\nverdict = 'allow-all'\npaused-until = 2026-01-01T00:00:00Z\n",
    );
    let words = "compile --agent one --agent two --agent three in.jsonl --overrides overrides.toml -o policy.rsv";
    bench.program(words).assert().success();
    bench
}

/// The output and the exit status.
fn printed(bench: &Bench, words: &str) -> (String, i32) {
    let done = bench.program(&format!("inspect policy.rsv {words}")).output().expect("it runs");
    (String::from_utf8(done.stdout).expect("UTF-8"), done.status.code().expect("a status"))
}

fn object(bench: &Bench, words: &str) -> Value {
    let (text, status) = printed(bench, &format!("{words} --json {NOW}"));
    assert_eq!(status, 0);
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_policy_is_counted() {
    let bench = bench();
    let found = object(&bench, "");
    assert_eq!(found["origins"], 9);
    let origin_status = |name: &str| {
        let all = found["origin_statuses"].as_array().expect("a list");
        let one = all.iter().find(|one| one["origin_status"] == name).expect("every status");
        (one["origins"].clone(), one["last_good"].clone())
    };
    assert_eq!(origin_status("robots-txt"), (json!(3), json!(0)));
    assert_eq!(origin_status("unavailable"), (json!(1), json!(0)));
    assert_eq!(origin_status("unreachable"), (json!(2), json!(1)));
    assert_eq!(origin_status("unfetched"), (json!(3), json!(0)));
    let statuses = json!([
        {"status": null, "origins": 4}, {"status": 200, "origins": 3}, {"status": 404, "origins": 1},
        {"status": 503, "origins": 1}
    ]);
    assert_eq!(found["statuses"], statuses);
    let agents = json!([
        {"agent": "one", "own": 2, "everybody": 1, "none": 1}, {"agent": "two", "own": 2, "everybody": 1, "none": 1},
        {"agent": "three", "own": 0, "everybody": 3, "none": 1}
    ]);
    assert_eq!(found["agents"], agents);
    let dropped = found["dropped"].as_object().expect("kinds");
    assert_eq!((&dropped["looks-like-html"], &found["html_pages"]), (&json!(1), &json!(["http://html"])));
    assert_eq!(
        (&found["answers"], &found["last_good"]),
        (&json!({"failed": 2, "html-page": 1, "robots-txt": 3, "unavailable": 1}), &json!(1))
    );
    let bytes: u64 = found["sections"].as_array().unwrap().iter().map(|one| one["bytes"].as_u64().unwrap()).sum();
    let whole = bench.read("policy.rsv").len() as u64;
    assert_eq!(found["bytes"], whole);
    assert!(bytes + 256 <= whole && whole < bytes + 256 + 11 * 64, "{bytes} {whole}");
}

#[test]
fn groups_are_counted_by_size_and_by_how_many_share_them() {
    let found = object(&bench(), "");
    let groups = &found["groups"];
    // `one`, `two` and `*` of the shop, and `*` of `was`; in the moved copies only line numbers differ.
    assert_eq!((&groups["automata"], &groups["dfa"], &groups["as_written"]), (&json!(3), &json!(3), &json!(7)));
    let sizes: Vec<(u64, u64)> = groups["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bucket| (bucket["from"].as_u64().unwrap(), bucket["count"].as_u64().unwrap()))
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(sizes, [(1, 5), (2, 2)]);
    let shared: Vec<_> = groups["most_shared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["origins"], &one["example"], &one["rules"]))
        .collect();
    let (two, example) = (json!(2), json!("http://same"));
    assert_eq!(shared.len(), 2, "{shared:?}");
    assert!(shared.contains(&(&two, &example, &json!(1))) && shared.contains(&(&two, &example, &json!(2))));
    assert_eq!(object(&bench(), "--top 1")["groups"]["most_shared"].as_array().unwrap().len(), 1);
}

#[test]
fn lifetimes_are_those_of_the_dialect_at_the_time_given() {
    let bench = bench();
    let at = |now: &str| {
        let (text, _) = printed(&bench, &format!("--json --now {now}"));
        let found: Value = serde_json::from_str(&text).expect("JSON");
        ["fresh", "stale", "unknown", "ageless"].map(|name| found["lifetimes"][name].as_u64().unwrap())
    };
    // Without an age: the one that is down, and the three known only from overrides.
    assert_eq!(at("2026-01-12T12:00:00Z"), [2, 2, 1, 4]);
    assert_eq!(at("2026-01-13T02:00:00Z"), [2, 2, 1, 4], "a day, to the second");
    assert_eq!(at("2026-01-13T02:00:01Z"), [1, 3, 1, 4]);
    let found = object(&bench, "");
    let used = |name: &str| -> Vec<Value> {
        let all = found["lifetimes"][name].as_array().unwrap();
        all.iter().filter(|bucket| bucket["count"] != 0).cloned().collect()
    };
    assert_eq!(
        used("left"),
        [json!({"from": 43200, "below": 86400, "count": 1}), json!({"from": 86400, "below": 172_800, "count": 1})]
    );
    assert_eq!(used("over"), [json!({"from": 604_800, "below": 2_592_000, "count": 2})]);
}

#[test]
fn overrides_are_counted_and_listed() {
    let bench = bench();
    let found = &object(&bench, "")["overrides"];
    let counts = ["origins", "allow_all", "forbid_all", "robots_txt", "crawl_delays", "paused", "pauses_over"];
    assert_eq!(counts.map(|name| found[name].as_u64().unwrap()), [4, 1, 1, 0, 1, 1, 1]);
    let (text, _) = printed(&bench, &format!("{NOW} --top 2"));
    assert!(text.contains("\n  http://busy: paused until 2026-02-01T00:00:00Z\n"), "{text}");
    assert!(text.contains("\n  http://free: allow-all, paused until 2026-01-01T00:00:00Z\n  and 2 more\n"), "{text}");
    assert!(!text.contains("http://shop: "), "{text}");
}

#[test]
fn an_origin_is_shown_with_the_reason_of_each_group() {
    let bench = bench();
    let expected = "http://shop
state             robots-txt (status 200)
fetched at        2026-01-12T02:00:00Z
lifetime          fresh, until 2026-01-13T02:00:00Z
override          crawl-delay 10
answer            robots-txt (status 200), fetched at 2026-01-12T02:00:00Z
sitemap           http://s/1 (line 8)

one: its own group, by User-agent: one (line 1), ONE (line 5)
  2 rules; dfa
  some paths are blocked
  line 2: Disallow: /a
  line 6: Allow: /a/b
  crawl delay: 10 (from the override); one fetch every 10 seconds, 8640 pages a day
  crawl-delay: 0.5 (line 3)

two: its own group, by User-agent: two (line 9)
  1 rule; dfa
  all paths are blocked
  line 11: Disallow: /
  crawl delay: 10 (from the override); one fetch every 10 seconds, 8640 pages a day
  host: shop (line 12)

three: the group of *, because it has no group of its own, by User-agent: * (line 10)
  1 rule; dfa
  all paths are blocked
  line 11: Disallow: /
  crawl delay: 10 (from the override); one fetch every 10 seconds, 8640 pages a day
  host: shop (line 12)
";
    for form in ["http://shop", "http://shop/a?b#c", "HTTP://user@SHOP:80/"] {
        assert_eq!(printed(&bench, &format!("{form} {NOW}")), (expected.to_owned(), 0), "{form}");
    }
    let (text, _) = printed(&bench, &format!("http://shop {NOW} --agent three,one"));
    assert!(text.contains("\n\nthree,one: its own group as one, by User-agent: one (line 1)"), "{text}");
    assert!(!text.contains("Disallow: /\n"), "{text}");
}

#[test]
fn an_origin_without_rules_says_why() {
    let bench = bench();
    for (origin, facts) in [
        ("gone", vec!["unavailable (status 404)", "one: no group: there is no robots.txt (status 404)"]),
        ("html", vec!["robots-txt (status 200)", "one: no group, neither its own nor that of *"]),
        ("down", vec!["state             unreachable\n"]),
        (
            "was",
            vec![
                "unreachable (status 503)",
                "unreachable since 2026-01-11T00:00:00Z",
                "last good         robots-txt, fetched at 2026-01-01T12:00:00Z",
                "lifetime          stale, until 2026-01-02T12:00:00Z",
                "line 2: Disallow: /x",
            ],
        ),
        ("busy", vec!["unfetched", "override          paused until 2026-02-01T00:00:00Z"]),
        ("free", vec!["override          allow-all, was paused until 2026-01-01T00:00:00Z"]),
    ] {
        let (text, status) = printed(&bench, &format!("http://{origin} {NOW}"));
        assert_eq!(status, 0);
        for fact in facts {
            assert!(text.contains(fact), "{fact:?} is not in: {text}");
        }
    }
}

#[test]
fn a_crawl_delay_is_in_effect_as_the_dialect_says() {
    for (dialect, seconds, pages) in [
        ("rfc9309", json!(0.5), json!(172_800.0)),
        ("extended-2008", json!(0.5), json!(172_800.0)),
        ("mandelbot", json!(null), json!(null)),
    ] {
        let bench = Bench::new();
        bench.file("sites/a", "User-agent: *\nCrawl-delay: 0.5\nDisallow: /\n");
        bench.program(&format!("compile --agent * --dialect {dialect} sites -o policy.rsv")).assert().success();
        let found = &object(&bench, "http://a")["agents"][0]["crawl_delay"];
        assert_eq!((&found["value"], &found["line"]), (&json!("0.5"), &json!(2)), "{dialect}");
        assert_eq!((&found["seconds"], &found["pages_a_day"]), (&seconds, &pages), "{dialect}");
    }
}

#[test]
fn the_object_of_an_origin_has_what_the_text_has() {
    let found = object(&bench(), "http://was --agent three");
    assert_eq!((&found["origin_status"], &found["status"]), (&json!("unreachable"), &json!(503)));
    let good = json!({"origin_status": "robots-txt", "fetched_at": "2026-01-01T12:00:00Z", "expires": null});
    assert_eq!((&found["last_good"], &found["stale"]), (&good, &json!(true)));
    let agents = found["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 1);
    assert_eq!((&agents[0]["agent"], &agents[0]["group"]), (&json!("three"), &json!("everybody")));
    assert_eq!(agents[0]["user_agent"], json!([{"line": 1, "value": "*"}]));
    assert_eq!(agents[0]["rules"], json!([{"line": 2, "key": "Disallow", "value": "/x"}]));
}

#[test]
fn what_the_policy_does_not_have_is_said() {
    let bench = bench();
    let none = ("https://shop is not in the policy\n".to_owned(), 1);
    assert_eq!(printed(&bench, "https://shop/x"), none);
    assert_eq!(printed(&bench, "https://shop --json"), ("null\n".to_owned(), 1));
    assert_eq!(printed(&bench, "https://shop --dot --agent one").1, 1);
    for (words, message) in [
        ("policy.rsv shop", vec!["shop", "absolute http"]),
        ("policy.rsv http://:", vec!["http://:", "host"]),
        ("policy.rsv http://shop --agent four", vec!["not compiled for four"]),
        ("policy.rsv --dot", vec!["ORIGIN", "required"]),
        ("policy.rsv http://shop --dot", vec!["several crawlers"]),
        ("policy.rsv http://gone --dot --agent one", vec!["no automaton", "http://gone", "one"]),
        ("policy.rsv http://shop --dot --json --agent one", vec!["--dot", "--json"]),
        ("missing.rsv", vec!["cannot read the policy", "missing.rsv"]),
        ("in.jsonl", vec!["in.jsonl", "not a policy file"]),
    ] {
        let done = bench.program(&format!("inspect {words}")).assert().code(2);
        said(&done.get_output().stderr, &message);
    }
}

/// The nodes declared in a drawing, and the pairs its edges join.
fn drawn(text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let lines = text.strip_prefix("digraph automaton {\n").and_then(|text| text.strip_suffix("}\n")).expect("a graph");
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for line in lines.lines() {
        let statement = line.trim().strip_suffix(';').expect("a statement");
        let first = statement.split([' ', '=']).next().expect("a word").to_owned();
        match statement.split_once(" -> ") {
            Some((from, to)) if !statement.contains("[label=\"http") => {
                edges.push((from.to_owned(), to.split(' ').next().expect("a node").to_owned()));
            }
            _ => nodes.push(first),
        }
    }
    (nodes, edges)
}

#[test]
fn an_automaton_is_drawn() {
    let bench = bench();
    let (text, status) = printed(&bench, "http://shop --dot --agent one");
    assert_eq!(status, 0);
    let (nodes, edges) = drawn(&text);
    assert!(edges.iter().all(|(from, to)| nodes.contains(from) && nodes.contains(to)), "{text}");
    for part in [
        "priority 2, allowed: Allow: /a/b (line 6, rank 0)\\l",
        "priority 1, blocked: Disallow: /a (line 2, rank 1)\\l",
        "[label=\"blocked at the end, priority 1\"]",
        " -> allowed [label=\"/b\"]",
        " -> blocked [style=dashed]",
    ] {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}

#[test]
fn cursors_are_drawn_as_their_scanner() {
    let bench = Bench::new();
    let rule = |n: usize| format!("{}llow: /*{}*{n}*x\n", ["A", "Disa"][n % 2], n * 7919 % 1000);
    bench.file("sites/a", format!("User-agent: *\n{}", (0..400).map(rule).collect::<String>()));
    bench.program("compile --agent * sites -o policy.rsv").assert().success();
    assert_eq!(object(&bench, "")["groups"]["cursors"], 1);
    let (text, _) = printed(&bench, "http://a --dot");
    let (nodes, edges) = drawn(&text);
    assert!(edges.iter().all(|(from, to)| nodes.contains(from) && nodes.contains(to)));
    assert!(text.contains("this is the scanner") && text.contains("segment 0 ends here"), "{}", &text[..2000]);
}

#[test]
fn the_documents_show_what_is_printed() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/policy.md")).expect("docs/policy.md");
    let bench = Bench::new();
    let words = "compile --agent examplebot --agent * DATASETS/sites DATASETS/origins.jsonl -o policy.rsv";
    bench.program(words).assert().success();
    for words in ["inspect policy.rsv https://shop.example/ --agent examplebot", "export policy.rsv --what delays"] {
        let command = format!("robosieve {words}\n```\n\n```text\n");
        let (_, shown) = page.split_once(&command).unwrap_or_else(|| panic!("{words} is not shown"));
        let (shown, _) = shown.split_once("```").expect("its end");
        bench.program(words).assert().success().stdout(shown.to_owned());
    }
}

#[test]
fn html_pages_are_listed_whatever_became_of_them() {
    let bench = Bench::new();
    let page = json!("<!DOCTYPE html>\n<p>Not found</p>\n");
    let answer = |origin: &str, rest: &str| format!("{{\"origin\":\"http://{origin}\",{rest}}}\n");
    let lines = [
        answer("page", &format!("\"status\":200,\"fetched_at\":1,\"body\":{page}")),
        answer("to", "\"status\":301,\"location\":\"http://page/robots.txt\""),
        answer("was", &format!("\"status\":200,\"fetched_at\":1,\"body\":{page}")),
        answer("was", "\"status\":503,\"fetched_at\":2"),
        answer("mended", &format!("\"status\":200,\"fetched_at\":1,\"body\":{page}")),
        answer("mended", "\"status\":200,\"fetched_at\":2,\"body\":\"User-agent: *\\nDisallow: /\\n\""),
    ];
    bench.file("in.jsonl", lines.concat());
    bench.program("compile --agent one in.jsonl -o policy.rsv").assert().success();
    assert_eq!(object(&bench, "")["html_pages"], json!(["http://page", "http://to", "http://was"]));
    let (text, _) = printed(&bench, "--top 2");
    let block = text.split("\n\n").find(|block| block.starts_with("HTML pages")).expect("a block");
    let lines: Vec<&str> = block.lines().map(str::trim).collect();
    assert!(lines[1].starts_with("all ") && lines[1].ends_with(" 3"), "{block}");
    assert_eq!(lines[2..], ["http://page", "http://to", "and 1 more"]);
    assert!(printed(&bench, "http://was").0.contains("looks like an HTML page"));
    assert!(!printed(&bench, "http://mended").0.contains("HTML"));
    // A newer answer from another policy removes it from the list; a failure does not.
    let newer = [answer("page", "\"status\":503,\"fetched_at\":3"), answer("was", "\"status\":404,\"fetched_at\":3")];
    bench.file("newer.jsonl", newer.concat());
    bench.program("compile --agent one newer.jsonl -o newer.rsv").assert().success();
    bench.program("merge policy.rsv newer.rsv -o policy.rsv").assert().success();
    assert_eq!(object(&bench, "")["html_pages"], json!(["http://page", "http://to"]));
}

#[test]
fn the_answers_that_are_kept_are_shown() {
    let bench = Bench::new();
    let answer = |host: &str, rest: &str| format!("{{\"origin\":\"http://{host}\",{rest}}}\n");
    let lines = [
        answer("a", "\"status\":404,\"fetched_at\":\"2026-01-01T00:00:00Z\""),
        answer("a", "\"status\":301,\"location\":\"http://b/robots.txt\",\"fetched_at\":\"2026-01-02T00:00:00Z\""),
        answer("b", "\"status\":302,\"location\":\"/x\\u001b?y\",\"expires\":\"2026-01-03T00:00:00Z\""),
        answer("c", "\"status\":206,\"body\":\"\""),
    ];
    bench.file("in.jsonl", lines.concat());
    bench.program("compile --agent one in.jsonl -o policy.rsv").assert().success();
    let (text, _) = printed(&bench, "http://a");
    let shown = "\n\
        answer            redirect (status 301), fetched at 2026-01-02T00:00:00Z, to http://b/robots.txt\n\
        answer            unavailable (status 404), fetched at 2026-01-01T00:00:00Z\n\
        needed            http://b/x%1B?y\n";
    assert!(text.contains(shown), "{text}");
    let (text, _) = printed(&bench, "http://b");
    assert!(
        text.contains("\nanswer            redirect (status 302), expires 2026-01-03T00:00:00Z, to http://b/x"),
        "{text}"
    );
    let (text, _) = printed(&bench, "http://c");
    assert!(text.contains("\nanswer            failed (status 206), incomplete\n"), "{text}");
    let found = object(&bench, "http://a");
    let redirect = json!({
        "kind": "redirect", "status": 301, "fetched_at": "2026-01-02T00:00:00Z", "expires": null, "incomplete": false, "not_text": false,
        "target": "http://b/robots.txt"
    });
    assert_eq!((&found["answers"][0], found["answers"].as_array().map(Vec::len)), (&redirect, Some(2)));
    assert_eq!((&found["needed"], &object(&bench, "http://c")["needed"]), (&json!("http://b/x%1B?y"), &json!(null)));
    bench.file("more.jsonl", "{\"url\":\"http://b/x%1B?y\",\"status\":404}\n");
    bench.program("compile --agent one more.jsonl -o more.rsv").assert().success();
    assert_eq!(object(&bench, "http://a --policy more.rsv")["needed"], json!(null));
    assert_eq!(object(&bench, "")["other_urls"], json!(0));
    bench.program("merge policy.rsv more.rsv -o policy.rsv").assert().success();
    assert_eq!(object(&bench, "")["other_urls"], json!(1));
}
