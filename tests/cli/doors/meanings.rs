//! What statuses and `/robots.txt` mean, at every door: `filter` in all its forms and from all its lists, `check`, the library.

use robosieve::Agents;
use robosieve::policy::{Captures, Crawlers, Overrides, Policy, source};
use robosieve::{Choices, Dialect, Fallback, MaxAge, Outcome, Outcomes};

use crate::support::program::Bench;

/// An origin that is closed: its answers, how the operator chooses, and what its other lines come to.
struct Closed {
    name: &'static str,
    /// The answers, as JSON Lines for the origin `http://h.example`; none if it was never fetched.
    answers: &'static [&'static str],
    /// The options of `filter`, and the same of the library.
    options: &'static str,
    choose: fn(Choices) -> Choices,
    other: &'static str,
    /// The dialects in which it is closed; none for all.
    dialects: &'static [&'static str],
    /// An override of the origin, which is above all else.
    operator_override: &'static str,
}

const PAGE: &str = r#""status":200,"body":"<!DOCTYPE html>\n<title>Welcome</title>\n""#;
const RULES: &str = r#""status":200,"fetched_at":1,"body":"User-agent: *\nDisallow: /\n""#;
const OPEN: &str = r#""status":200,"fetched_at":1,"body":"User-agent: *\nAllow: /\nContent-Usage: train-ai=n\n""#;

fn as_they_are(choices: Choices) -> Choices {
    choices
}

/// The time at which lines are judged.
const NOW: i64 = 1_767_225_600;

const PLAIN: Closed = Closed {
    name: "",
    answers: &[],
    options: "",
    choose: as_they_are,
    other: "deferred unfetched",
    dialects: &[],
    operator_override: "",
};

fn closed() -> Vec<Closed> {
    vec![
        Closed { name: "never fetched", ..PLAIN },
        Closed {
            name: "never fetched, and blocked",
            options: "--on-unfetched block",
            choose: |choices| choices.on_unfetched(Fallback::Block),
            other: "blocked unfetched",
            ..PLAIN
        },
        Closed { name: "a server error", answers: &[r#""status":503"#], other: "deferred unreachable", ..PLAIN },
        Closed { name: "not now", answers: &[r#""status":429"#], other: "deferred unreachable", ..PLAIN },
        Closed {
            name: "a server error after rules",
            answers: &[RULES, r#""status":503,"fetched_at":2"#],
            other: "deferred unreachable",
            ..PLAIN
        },
        Closed {
            name: "the last good rules",
            answers: &[RULES, r#""status":503,"fetched_at":2"#],
            options: "--on-unreachable use",
            choose: |choices| choices.on_unreachable(Fallback::Use),
            other: "blocked last-good",
            ..PLAIN
        },
        Closed {
            name: "unreachable, and blocked",
            answers: &[r#""status":null"#],
            options: "--on-unreachable block",
            choose: |choices| choices.on_unreachable(Fallback::Block),
            other: "blocked unreachable",
            ..PLAIN
        },
        Closed {
            name: "a lost redirect",
            answers: &[r#""status":301"#],
            other: "deferred redirect-unresolved",
            ..PLAIN
        },
        Closed { name: "not modified", answers: &[r#""status":304"#], other: "deferred not-modified", ..PLAIN },
        Closed {
            name: "refused",
            answers: &[r#""status":403"#],
            other: "blocked forbidden",
            dialects: &["draft-1996"],
            ..PLAIN
        },
        Closed {
            name: "a status that is deferred",
            answers: &[r#""status":404"#],
            options: "--statuses nutch.toml",
            choose: |choices| choices.statuses("404 = 'defer'".parse().expect("statuses")),
            other: "deferred unavailable",
            ..PLAIN
        },
        Closed {
            name: "a page that is blocked",
            answers: &[PAGE],
            options: "--on-html block",
            choose: |choices| choices.on_html(Fallback::Block),
            other: "blocked html-page",
            ..PLAIN
        },
        Closed {
            name: "a page that is deferred",
            answers: &[PAGE],
            options: "--on-html defer",
            choose: |choices| choices.on_html(Fallback::Defer),
            other: "deferred html-page",
            ..PLAIN
        },
        Closed {
            name: "stale rules",
            answers: &[OPEN],
            options: "--max-age 1d --on-stale defer",
            choose: |choices| choices.max_age(Some(MaxAge::Seconds(86_400))).on_stale(Fallback::Defer),
            other: "deferred stale",
            ..PLAIN
        },
        Closed { name: "rules", answers: &[RULES], other: "blocked rules", ..PLAIN },
        Closed {
            name: "a requirement",
            answers: &[OPEN],
            options: "--require train-ai!=n",
            choose: |choices| choices.require("train-ai!=n".parse().expect("a requirement")),
            other: "blocked preference",
            ..PLAIN
        },
        Closed {
            name: "forbidden by the operator",
            operator_override: "verdict = 'forbid-all'",
            other: "blocked override",
            ..PLAIN
        },
        Closed {
            name: "paused by the operator",
            answers: &[r#""status":503"#],
            operator_override: "paused-until = 2099-01-01T00:00:00Z",
            other: "deferred paused",
            ..PLAIN
        },
    ]
}

/// The URL of `/robots.txt`, in many spellings: all of them ask for it.
const ROBOTS_TXT: [&str; 9] = [
    "http://h.example/robots.txt",
    "HTTP://H.EXAMPLE:80/robots.txt",
    "  http://h.example/robots.txt \r",
    "http://h.example/robots.txt#top",
    "http://h.example/x/../robots.txt",
    "http://h.example/%72obots.txt",
    "http://h.example\\robots.txt",
    "http://h.example/./x/%2E%2e/robots%2Etxt",
    "http://user:word@h.example/robots.txt",
];

/// Other URLs.
const OTHERS: [&str; 7] = [
    "http://h.example/",
    "http://h.example/robots.txt?x",
    "http://h.example/robots.txt?",
    "http://h.example/robots.txt/",
    "http://h.example//robots.txt",
    "http://h.example/Robots.txt",
    "http://h.example/x?/../robots.txt",
];

fn text(outcome: Outcome) -> String {
    format!("{} {}", outcome.partition().name(), outcome.reason().name())
}

/// The sources of a case, written into a bench: `in.jsonl`, `overrides.toml`, `nutch.toml`.
fn write(bench: &Bench, case: &Closed) {
    let line = |answer: &&str| format!("{{\"url\":\"http://h.example/robots.txt\",{answer}}}\n");
    bench.file("in.jsonl", case.answers.iter().map(line).collect::<String>());
    let overrides = match case.operator_override {
        "" => "",
        text => &format!("['http://h.example']\n{text}\n"),
    };
    bench.file("overrides.toml", overrides);
    bench.file("nutch.toml", "404 = 'defer'\n");
}

/// The policy of a case, plain and as the upper of two layers.
fn policies(bench: &Bench, dialect: &'static Dialect) -> Vec<Policy> {
    let agents = ["examplebot", "otherbot"].map(|name| name.parse::<Agents>().expect("a name"));
    let compiled = |sources: &[std::path::PathBuf], overrides: bool| {
        let mut captures = Captures::new(Crawlers::new(agents.to_vec()).expect("crawlers"), dialect);
        source::add(sources, &source::Options::default(), &mut captures).expect("sources");
        if overrides {
            let overrides = Overrides::read(&bench.path("overrides.toml")).expect("overrides");
            captures.add_overrides(&overrides).expect("overrides");
        }
        captures.policy().expect("a policy")
    };
    let upper = compiled(&[bench.path("in.jsonl")], true);
    let lower = compiled(&[], false);
    let layered = Policy::layered(vec![lower, upper.clone()]).expect("layers");
    vec![upper, layered]
}

/// What the library says of each URL, by each of its ways to judge.
fn by_library(policy: &Policy, choices: Choices, urls: &[&str]) -> Vec<(String, Vec<String>)> {
    let matcher = policy.matcher_with("examplebot", choices).expect("a matcher");
    let all = |outcomes: Vec<Outcome>| outcomes.into_iter().map(text).collect::<Vec<_>>();
    let (mut together, mut lines, mut spans) = (Vec::new(), Vec::new(), Vec::new());
    matcher.judge_all(urls, &mut together);
    matcher.judge_lines(urls.join("\n").as_bytes(), &mut lines);
    let joined = urls.concat();
    let mut end = 0;
    let places = urls.iter().map(|url| {
        end += url.len();
        end - url.len()..end
    });
    matcher.judge_spans(joined.as_bytes(), places.collect::<Vec<_>>(), &mut spans);
    let agents = ["examplebot", "otherbot"].map(|name| name.parse::<Agents>().expect("a name"));
    let mut of_several = Outcomes::default();
    let matchers = policy.matchers(&agents, choices).expect("matchers");
    matchers.judge_all(urls, &mut of_several);
    vec![
        ("judge".into(), urls.iter().map(|url| text(matcher.judge(url))).collect()),
        ("judge_all".into(), all(together)),
        ("judge_lines".into(), all(lines)),
        ("judge_spans".into(), all(spans)),
        ("several crawlers, the first".into(), all(of_several.of(0))),
        ("several crawlers, the second".into(), all(of_several.of(1))),
    ]
}

#[test]
fn robots_txt_is_always_allowed_where_the_dialect_says_so() {
    let urls: Vec<&str> = ROBOTS_TXT.into_iter().chain(OTHERS).collect();
    for case in closed() {
        let bench = Bench::new();
        write(&bench, &case);
        for dialect in Dialect::ALL {
            if !case.dialects.is_empty() && !case.dialects.contains(&dialect.name) {
                continue;
            }
            let spares = matches!(dialect.name, "rfc9309" | "draft-1996") && case.operator_override.is_empty();
            let robots_txt = if spares { "allowed robots-txt" } else { case.other };
            // These take the path as it is written.
            let is_it = |at: usize| at < ROBOTS_TXT.len();
            let expected: Vec<&str> =
                (0..urls.len()).map(|at| if is_it(at) { robots_txt } else { case.other }).collect();
            let name = |door: &str| format!("{}, {}: {door}", case.name, dialect.name);
            let choices = (case.choose)(Choices::at(NOW));
            for policy in policies(&bench, dialect) {
                for (door, found) in by_library(&policy, choices, &urls) {
                    assert_eq!(found, expected, "{}", name(&door));
                }
                let matcher = policy.matcher_with("examplebot", choices).expect("a matcher");
                for url in ROBOTS_TXT.iter().filter(|_| spares) {
                    let cause = matcher.explain(url);
                    assert_eq!((cause.rule, cause.status), (None, None), "{}: {url}", name("explain"));
                }
            }
            by_program(&bench, &case, dialect, robots_txt, &name);
        }
    }
}

/// What `filter` does with one line of `/robots.txt`, and what `check` says of it.
fn by_program(bench: &Bench, case: &Closed, dialect: &Dialect, robots_txt: &str, name: &dyn Fn(&str) -> String) {
    let reading = format!("--robots in.jsonl --overrides overrides.toml --dialect {}", dialect.name);
    let options = format!("{reading} {} --now 2026-01-01T00:00:00Z", case.options);
    let (partition, reason) = robots_txt.split_once(' ').expect("two words");
    let url = ROBOTS_TXT[0];
    bench.file("urls", format!("{url}\n"));
    bench.file("urls.csv", format!("1,{url}\n"));
    bench.file("urls.jsonl", format!("{{\"url\":\"{}\"}}\n", url.replace('/', "\\/")));
    for list in ["urls", "--delimiter , --column 2 urls.csv", "urls.jsonl"] {
        bench.filter(&format!("{options} --force --out out {list}")).assert().success();
        bench.program("verify out --inputs").assert().success();
        let receipt = bench.receipt("out");
        let part = &receipt["partitions"][partition];
        assert_eq!((&part["lines"], &part["reasons"][reason]), (&1.into(), &1.into()), "{}", name(list));
        // A frontier fetches it, since nothing else of the origin can be decided.
        let needed = String::from_utf8(bench.read("out/robots-needed.tsv")).expect("UTF-8");
        let waits = case.other.strip_prefix("deferred ").filter(|&reason| reason != "paused");
        let row = waits.map(|reason| {
            let lines = i32::from(partition == "deferred");
            format!("{url}\t{reason}\t{lines}\t")
        });
        let found = needed.lines().nth(1);
        match &row {
            Some(row) => assert!(found.is_some_and(|found| found.starts_with(row)), "{}: {needed}", name(list)),
            None => assert_eq!(found, None, "{}", name(list)),
        }
    }
    for (door, column) in [("--verdicts", 0), ("--verdicts --explain", 0)] {
        let done = bench.filter(&format!("{options} {door} urls")).assert().success();
        let printed = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        let row = printed.lines().nth(1).unwrap_or_default().split('\t').nth(column);
        assert_eq!(row, Some(partition), "{}: {printed}", name(door));
    }
    let done = bench.program(&format!("filter --agent a --agent b {options} --blocked-for urls")).assert().success();
    let printed = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let columns = match partition {
        "allowed" => "\t\t",
        "blocked" => "a,b\t\t",
        _ => "\ta,b\t",
    };
    assert_eq!(printed.lines().nth(1), Some(&*format!("{columns}{url}")), "{}", name("--blocked-for"));
    // Other options `check` does not have.
    if case.options.is_empty() || case.options.starts_with("--statuses") || case.options.starts_with("--require") {
        let words = format!("check --agent examplebot {reading} {} --json {url}", case.options);
        let done = bench.program(&words).output().expect("it runs");
        let answer: serde_json::Value = serde_json::from_slice(&done.stdout).expect("an answer");
        assert_eq!(answer["verdict"], partition, "{}: {answer}", name("check"));
        if reason == "robots-txt" {
            assert_eq!(answer["why"], "/robots.txt is always allowed", "{}", name("check"));
        }
    }
}
