//! Redirects, resolved across all sources.

use crate::support::program::Bench;

/// An answer from `http://HOST.example` that redirects.
fn redirect(host: &str, location: &str) -> String {
    format!("{{\"origin\":\"http://{host}.example\",\"status\":301,\"location\":\"{location}\"}}\n")
}

/// An answer from `http://HOST.example` that blocks `/no`.
fn rules(host: &str) -> String {
    format!("{{\"origin\":\"http://{host}.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\\n\"}}\n")
}

/// `h1` redirects to `h2`, and so on, `hops` times; the last host has rules.
fn chain(hops: usize) -> String {
    let hop = |place| redirect(&format!("h{place}"), &format!("http://h{}.example/robots.txt", place + 1));
    let all: String = (1..=hops).map(hop).collect();
    all + &rules(&format!("h{}", hops + 1))
}

#[test]
fn five_hops_are_followed_and_a_sixth_means_no_robots_txt() {
    let bench = Bench::new();
    for hops in 1..=5 {
        bench.file("in.jsonl", chain(hops));
        for dialect in robosieve::Dialect::names() {
            let options = format!("--robots in.jsonl --dialect {dialect}");
            let name = format!("{hops} hops under {dialect}");
            assert_eq!(bench.outcome(&options, "http://h1.example/no"), "blocked rules", "{name}");
            assert_eq!(bench.outcome(&options, "http://h1.example/yes"), "allowed rules", "{name}");
        }
    }
    bench.file("in.jsonl", chain(6));
    for (dialect, outcome) in [
        ("rfc9309", "allowed unavailable"),
        ("google", "allowed unavailable"),
        ("extended-2008", "allowed unavailable"),
        ("mandelbot", "blocked rules"),
        ("draft-1996", "blocked rules"),
        ("original-1994", "blocked rules"),
    ] {
        let options = format!("--robots in.jsonl --dialect {dialect}");
        assert_eq!(bench.outcome(&options, "http://h1.example/no"), outcome, "{dialect}");
        assert_eq!(bench.outcome(&options, "http://h2.example/no"), "blocked rules", "{dialect}, five hops");
    }
}

#[test]
fn hops_may_be_in_several_sources() {
    let bench = Bench::new();
    bench.file("one.jsonl", redirect("a", "http://b.example/robots.txt"));
    bench.file("two.jsonl", redirect("b", "https://c.example/robots.txt"));
    bench.file("sites/c.example", "User-agent: *\nDisallow: /no\n");
    let options = "--robots one.jsonl --robots sites --robots two.jsonl";
    assert_eq!(bench.outcome(options, "http://a.example/no"), "blocked rules");
    assert_eq!(bench.outcome(options, "http://b.example/yes"), "allowed rules");
}

#[test]
fn locations_are_resolved_like_links() {
    let bench = Bench::new();
    for location in [
        "http://b.example/robots.txt",
        "HTTP://B.EXAMPLE:80/robots.txt",
        "//b.example/robots.txt",
        "http://b.example/x/../robots.txt",
        "http://b.example/robots.txt#fragment",
        " http://b.example/robots.txt ",
    ] {
        bench.file("in.jsonl", redirect("a", location) + &rules("b"));
        assert_eq!(bench.outcome("--robots in.jsonl", "http://a.example/no"), "blocked rules", "{location:?}");
    }
}

#[test]
fn a_target_need_not_be_a_robots_txt() {
    let bench = Bench::new();
    let target =
        rules("a").replace("\"origin\":\"http://a.example\"", "\"url\":\"http://a.example/deep/policy.txt?v=1\"");
    for location in ["/deep/policy.txt?v=1", "deep/policy.txt?v=1", "http://a.example/deep/./policy.txt?v=1#x"] {
        bench.file("in.jsonl", target.clone() + &redirect("a", location));
        assert_eq!(bench.outcome("--robots in.jsonl", "http://a.example/no"), "blocked rules", "{location}");
    }
}

#[test]
fn loops_end() {
    let bench = Bench::new();
    let ring = redirect("a", "http://b.example/robots.txt") + &redirect("b", "http://a.example/robots.txt");
    bench.file("in.jsonl", ring + &redirect("self", "/robots.txt"));
    for url in ["http://a.example/x", "http://b.example/x", "http://self.example/x"] {
        assert_eq!(bench.outcome("--robots in.jsonl", url), "allowed unavailable", "{url}");
        for dialect in ["mandelbot", "draft-1996", "original-1994"] {
            let options = format!("--robots in.jsonl --dialect {dialect}");
            assert_eq!(bench.outcome(&options, url), "deferred redirect-unresolved", "{url} under {dialect}");
        }
    }
}

#[test]
fn an_unknown_target_is_no_verdict() {
    let bench = Bench::new();
    let no_location = "{\"origin\":\"http://b.example\",\"status\":302}\n";
    let lines = redirect("a", "http://unknown.example/robots.txt")
        + no_location
        + &redirect("c", "http://[broken/")
        + &redirect("d", "mailto:someone@a.example")
        + &redirect("e", "http://a.example/robots.txt");
    bench.file("in.jsonl", lines);
    let hosts = ["a", "b", "c", "d", "e"];
    bench.file("urls", hosts.map(|host| format!("http://{host}.example/x\n")).concat());
    let split = bench.split("--robots in.jsonl", &["urls"]);
    assert_eq!(split.reasons("deferred"), [("redirect-unresolved".to_owned(), 5)].into());
    // Two wait for one URL that was never asked; where there is none that could be, the robots.txt itself is asked again.
    let urls = [("unknown", "2", "301"), ("b", "1", "302"), ("c", "1", "301"), ("d", "1", "301")];
    let rows = split.needed_rows();
    assert_eq!(rows.len(), urls.len());
    for (row, (host, lines, status)) in rows.iter().zip(urls) {
        assert_eq!(row[..], [&format!("http://{host}.example/robots.txt"), "redirect-unresolved", lines, status]);
    }
    for (choice, outcome) in [("allow", "allowed"), ("block", "blocked"), ("defer", "deferred"), ("use", "deferred")] {
        let options = format!("--robots in.jsonl --on-unreachable {choice}");
        assert_eq!(bench.outcome(&options, "http://a.example/x"), format!("{outcome} redirect-unresolved"));
    }
}

#[test]
fn the_end_of_a_redirect_counts() {
    let bench = Bench::new();
    for (status, dialect, outcome) in [
        (404, "rfc9309", "allowed unavailable"),
        (403, "rfc9309", "allowed unavailable"),
        (403, "draft-1996", "blocked forbidden"),
        (429, "google", "deferred unreachable"),
        (429, "rfc9309", "deferred unreachable"),
        (408, "google", "allowed unavailable"),
        (408, "mandelbot", "deferred unreachable"),
        (503, "rfc9309", "deferred unreachable"),
    ] {
        let end = format!("{{\"origin\":\"http://b.example\",\"status\":{status}}}\n");
        bench.file("in.jsonl", redirect("a", "http://b.example/robots.txt") + &end);
        let options = format!("--robots in.jsonl --dialect {dialect}");
        assert_eq!(bench.outcome(&options, "http://a.example/x"), outcome, "{status} under {dialect}");
    }
}

/// Each URL on the way has its turn, whichever of them is to blame.
#[test]
fn what_was_asked_longest_ago_is_asked_next() {
    let bench = Bench::new();
    let at = |line: String, day: u32| line.replace('}', &format!(",\"fetched_at\":\"2026-01-{day:02}T00:00:00Z\"}}"));
    let failed = "{\"origin\":\"http://b.example\",\"status\":503}\n".to_owned();
    let not_modified = "{\"origin\":\"http://a.example\",\"status\":304}\n".to_owned();
    let found = redirect("a", "http://b.example/robots.txt");
    let onwards = redirect("b", "http://c.example/robots.txt");
    bench.file("urls", "http://a.example/x\n");
    for (lines, host, reason) in [
        (at(found.clone(), 1) + &at(failed.clone(), 2), "a", "unreachable"),
        (at(found.clone(), 3) + &at(failed.clone(), 2), "b", "unreachable"),
        (at(found.clone(), 2) + &at(failed.clone(), 2), "b", "unreachable"),
        (found.clone() + &failed, "b", "unreachable"),
        (at(found.clone(), 1) + &at(rules("b"), 2), "a", "stale"),
        (at(found.clone(), 3) + &at(rules("b"), 2), "b", "stale"),
        (at(found.clone(), 1) + &at(not_modified.clone(), 3), "b", "not-modified"),
        (at(found.clone(), 1) + &at(not_modified, 3) + &at(rules("b"), 2), "b", "stale"),
        // The second redirects no longer.
        (at(found, 2) + &at(onwards, 1) + &at(failed, 3), "a", "unreachable"),
    ] {
        bench.file("in.jsonl", &lines);
        let split = bench.split("--robots in.jsonl --now 2026-02-01T00:00:00Z --on-stale defer --force", &["urls"]);
        let url = format!("http://{host}.example/robots.txt");
        let rows: Vec<[String; 2]> =
            split.needed_rows().iter().map(|row| [row[0], row[1]].map(str::to_owned)).collect();
        assert_eq!(rows, [[url, reason.to_owned()]], "{lines}");
    }
}

/// A frontier backs off by it: the time is that of the URL in the row, not of the redirect that leads there.
#[test]
fn the_list_of_what_to_fetch_says_when_each_url_was_asked_last() {
    let bench = Bench::new();
    let answer = |url: &str, fields: &str| format!("{{\"url\":\"http://{url}\",{fields}}}\n");
    let moved = |to: &str| format!("\"status\":301,\"location\":\"http://{to}\",\"fetched_at\":60");
    bench.file(
        "in.jsonl",
        [
            answer("down.example/robots.txt", "\"status\":503,\"fetched_at\":1.5"),
            answer("down.example/robots.txt", "\"status\":503,\"fetched_at\":5"),
            answer("down.example/robots.txt", "\"status\":404,\"fetched_at\":3"),
            answer("once.example/robots.txt", "\"status\":null"),
            answer("moved.example/robots.txt", &moved("never.example/robots.txt")),
            answer("far.example/robots.txt", &moved("failed.example/robots.txt")),
            answer("failed.example/robots.txt", "\"status\":503,\"fetched_at\":7"),
            answer("both.example/robots.txt", &moved("failed.example/robots.txt")),
        ]
        .concat(),
    );
    let hosts = ["down", "once", "moved", "far", "new", "both"];
    bench.file("urls", hosts.map(|host| format!("http://{host}.example/x\n")).concat());
    let expected = [
        ("down", "1970-01-01T00:00:05Z"),
        ("once", ""),
        ("never", ""),
        ("failed", "1970-01-01T00:00:07Z"),
        ("new", ""),
    ];
    let expected = expected.map(|(host, time)| (format!("http://{host}.example/robots.txt"), time.to_owned()));
    let split = bench.split("--robots in.jsonl", &["urls"]);
    let found: Vec<_> =
        split.needed_and_asked().iter().map(|(row, at)| (row[0].to_owned(), (*at).to_owned())).collect();
    assert_eq!(found, expected);
    bench.program("verify out").assert().success();
    // So does the list of a pipe, and that of shards.
    bench.filter("--robots in.jsonl --only allowed --robots-needed needed.tsv urls").assert().success();
    let needed = String::from_utf8(bench.read("needed.tsv")).expect("text");
    let found: Vec<_> = needed.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>()).collect();
    let found: Vec<_> = found.iter().map(|row| (row[0].to_owned(), row[3].to_owned())).collect();
    assert_eq!(found, expected);
    let now = "--now 2026-01-01T00:00:00Z";
    for shard in 1..=2 {
        let words = format!("--robots in.jsonl {now} --shard {shard}/2 --out {shard} urls");
        bench.filter(&words).assert().success();
    }
    bench.program("join 1 2 --out joined").assert().success();
    assert_eq!(bench.read("joined/robots-needed.tsv"), bench.read("out/robots-needed.tsv"));
}
