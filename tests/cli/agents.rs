//! What the crawler may be called.

use crate::bench::{Bench, said};

/// Groups for several agents, each with a path of its own.
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
    let receipt: serde_json::Value = serde_json::from_slice(&bench.read("out/receipt.json")).expect("JSON");
    assert_eq!(receipt["agents"], "B,a");
}
