//! `--agent`: crawler names, and several crawlers in one run.

use crate::support::program::{Bench, said};

/// Groups for several agents, each with its own path.
const FILE: &str = "User-agent: googlebot-news\nDisallow: /news\n\nUser-agent: googlebot\nDisallow: /google\n\n\
                    User-agent: *\nDisallow: /all\n\nUser-agent: shielded\nDisallow:\n";

/// The paths of [`FILE`] that are blocked for an agent.
fn blocked(agent: &str, dialect: &str) -> Vec<&'static str> {
    let bench = Bench::new();
    bench.file("sites/a.example", FILE);
    let paths = ["/news", "/google", "/all"];
    bench.file("urls", paths.map(|path| format!("http://a.example{path}\n")).concat());
    let mut command = bench.program("filter --robots sites --out out urls --dialect");
    command.args([dialect, "--agent", agent]).assert().success();
    let lines = String::from_utf8(bench.read("out/blocked.txt")).expect("UTF-8");
    paths.into_iter().filter(|path| lines.lines().any(|line| line.ends_with(path))).collect()
}

#[test]
fn a_token_has_its_own_group_or_everybodys() {
    assert_eq!(blocked("Googlebot", "rfc9309"), ["/google"]);
    assert_eq!(blocked("GOOGLEBOT-NEWS", "rfc9309"), ["/news"]);
    assert_eq!(blocked("examplebot", "rfc9309"), ["/all"]);
    assert_eq!(blocked("shielded", "rfc9309"), [""; 0], "an empty group of its own shields");
    assert_eq!(blocked("*", "rfc9309"), ["/all"]);
}

#[test]
fn a_list_is_an_order_of_preference() {
    assert_eq!(blocked("Googlebot-News,Googlebot", "rfc9309"), ["/news"]);
    assert_eq!(blocked("Googlebot,Googlebot-News", "rfc9309"), ["/google"]);
    assert_eq!(blocked("Googlebot-Image, Googlebot", "rfc9309"), ["/google"]);
    assert_eq!(blocked("unknown,another", "rfc9309"), ["/all"]);
    assert_eq!(blocked("Googlebot-News,Googlebot", "mandelbot"), ["/news"]);
    assert_eq!(blocked("Googlebot-News,Googlebot", "google"), ["/news", "/google"], "its library merges");
    assert_eq!(blocked("unknown,another", "google"), ["/all"]);
}

#[test]
fn a_version_is_no_part_of_the_name() {
    for agent in ["googlebot/2.1", "googlebot/", "unknown/1,googlebot/2"] {
        assert_eq!(blocked(agent, "rfc9309"), ["/google"], "{agent}");
    }
}

#[test]
fn what_is_no_token_is_refused_with_a_proposal() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    for (agent, words) in [
        ("Mozilla/5.0 (compatible; examplebot/1.0; +http://example.com/bot)", &["whole user-agent", "examplebot"][..]),
        ("examplebot (contact@example.com)", &["whole user-agent", "examplebot"]),
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1 Otherbot/2", &["Otherbot"]),
        ("", &["empty"]),
        ("a,,b", &["empty"]),
        ("a,*", &["*"]),
        ("bot.example", &["'.'"]),
        ("bücher", &["'ü'"]),
    ] {
        for words_before in ["filter --robots sites --out out urls", "check --robots sites/a.example http://a.example/"]
        {
            let done = bench.program(words_before).args(["--agent", agent]).assert().code(2);
            said(&done.get_output().stderr, &[words, &["--agent"]].concat());
            assert!(!bench.path("out").exists());
        }
    }
}

#[test]
fn the_receipt_names_the_crawler() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench.program("filter --agent B/1,a --robots sites --out out urls").assert().success();
    let receipt = bench.receipt("out");
    assert_eq!(receipt["agents"], serde_json::json!(["B,a"]));
}

/// One line of every kind, with tabs and without a final line feed.
const LINES: &str = "http://a.example/news\nhttp://a.example/google\nhttp://a.example/all\tx\nhttp://b.example/\n\n\
                     http://a.example/robots.txt";

const AGENTS: [&str; 3] = ["--agent=Googlebot-News", "--agent=unknown,Googlebot", "--agent=*"];

fn with_lines() -> Bench {
    let bench = Bench::new();
    bench.file("sites/a.example", FILE);
    bench.file("urls", LINES);
    bench
}

/// A part of a receipt without its files' names.
fn nameless(part: &serde_json::Value) -> serde_json::Value {
    let mut part = part.clone();
    for file in part["files"].as_array_mut().expect("files") {
        assert!(file.as_object_mut().expect("an object").remove("name").is_some());
    }
    part
}

#[test]
fn several_agents_split_the_lines_each_of_its_own() {
    let bench = with_lines();
    for words in ["filter --robots sites --out out urls", "filter --robots sites --out each --per-input urls urls"] {
        bench.program(words).args(AGENTS).assert().success();
    }
    for (agent, name) in
        ["Googlebot-News", "unknown,Googlebot", "*"].into_iter().zip(["Googlebot-News", "unknown+Googlebot", "default"])
    {
        bench.program("filter --robots sites --out alone --force urls --agent").arg(agent).assert().success();
        let alone = bench.receipt("alone");
        let receipt = bench.receipt("out");
        for partition in ["allowed", "blocked", "deferred", "invalid"] {
            let file = bench.read(&format!("alone/{partition}.txt"));
            let named = format!("{partition}.{name}");
            assert_eq!(bench.read(&format!("out/{named}.txt")), file, "{named}");
            assert_eq!(bench.read(&format!("each/0002-urls/{named}.txt")), file, "{named}");
            assert_eq!(nameless(&receipt["partitions"][&named]), nameless(&alone["partitions"][partition]), "{named}");
            assert_eq!(receipt["lists"][0]["partitions"][&named], alone["lists"][0]["partitions"][partition]);
        }
        assert_eq!(bench.read("out/robots-needed.tsv"), bench.read("alone/robots-needed.tsv"));
        assert_eq!(receipt["dot_segments"], alone["dot_segments"]);
    }
    assert!(!bench.path("out/allowed.txt").exists());
}

#[test]
fn verdicts_come_before_each_line() {
    let bench = with_lines();
    let out = "filter --robots sites --out out --verdicts --delimiter none urls";
    bench.program(out).args(AGENTS).assert().success();
    let expected = "Googlebot-News\tunknown,Googlebot\t*\turl\n\
                    blocked\tallowed\tallowed\thttp://a.example/news\n\
                    allowed\tblocked\tallowed\thttp://a.example/google\n\
                    allowed\tallowed\tblocked\thttp://a.example/all\tx\n\
                    deferred\tdeferred\tdeferred\thttp://b.example/\n\
                    invalid\tinvalid\tinvalid\t\n\
                    allowed\tallowed\tallowed\thttp://a.example/robots.txt";
    assert_eq!(String::from_utf8(bench.read("out/verdicts.tsv")).expect("UTF-8"), expected);
    let receipt = bench.receipt("out");
    for field in ["lines", "bytes", "sum", "order"] {
        assert_eq!(receipt["verdicts"][field], receipt["input"][field]);
    }
    assert_eq!(receipt["balanced"], true);
    assert!(receipt["partitions"]["allowed.default"].get("written").is_none());
    assert!(!bench.path("out/allowed.default.txt").exists());
    // Chunks may end in the middle of a line; more workers than chunks change nothing.
    bench
        .program("filter --robots sites --out small --verdicts --delimiter none --threads 3 urls urls")
        .args(AGENTS)
        .assert()
        .success();
    let (head, lines) = expected.split_once('\n').expect("a head");
    let twice = format!("{head}\n{lines}\n{lines}");
    assert_eq!(String::from_utf8(bench.read("small/verdicts.tsv")).expect("UTF-8"), twice);
}

#[test]
fn a_run_with_other_agents_leaves_nothing_of_an_earlier_one() {
    let bench = with_lines();
    bench.program("filter --robots sites --out out urls").args(AGENTS).assert().success();
    bench.file("out/blocked.hosts.txt", "not ours");
    bench.program("filter --robots sites --out out --force --verdicts urls --agent x").assert().success();
    bench.program("filter --robots sites --out out --force urls --agent x").assert().success();
    let mut names: Vec<String> = std::fs::read_dir(bench.path("out"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let expected = [
        "allowed.txt",
        "blocked.hosts.txt",
        "blocked.txt",
        "deferred.txt",
        "invalid.txt",
        "receipt.json",
        "robots-needed.tsv",
    ];
    assert_eq!(names, expected);
}

#[test]
fn agents_that_would_share_a_file_are_refused() {
    let bench = with_lines();
    let done = bench.program("filter --robots sites --out out urls --agent default --agent *").assert().code(2);
    said(&done.get_output().stderr, &["allowed.default.txt"]);
    assert!(!bench.path("out").exists());
    let done = bench.program("filter --robots sites --out out urls --agent a --agent A").assert().code(2);
    said(&done.get_output().stderr, &["--agent"]);
}

#[test]
fn columns_of_a_policy_are_chosen_or_all_of_them_asked() {
    let bench = with_lines();
    bench
        .program("compile sites -o policy --agent Googlebot-News --agent unknown --agent Googlebot --agent *")
        .assert()
        .success();
    bench.program("filter --robots sites --out out urls").args(AGENTS).assert().success();
    bench.program("filter --policy policy --out split urls").args(AGENTS).assert().success();
    for name in ["allowed.Googlebot-News", "blocked.unknown+Googlebot", "blocked.default"] {
        let file = format!("{name}.txt");
        assert_eq!(bench.read(&format!("out/{file}")), bench.read(&format!("split/{file}")), "{name}");
    }
    let done = bench.program("filter --policy policy --out none urls").assert().code(2);
    said(&done.get_output().stderr, &["--agent", "Googlebot-News"]);
}
