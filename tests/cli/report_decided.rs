//! `robosieve report`: who decided, which overrides did, and since when origins are unreachable.

use crate::support::page::rows;
use crate::support::program::{Bench, said};

const CAPTURES: &str = r#"{"url":"http://down.example/robots.txt","status":503,"fetched_at":"2026-01-10T00:00:00Z","unreachable_since":"2025-11-01T00:00:00Z"}
{"url":"http://silent.example/robots.txt","status":null,"fetched_at":"2026-01-11T21:00:00Z"}
{"url":"http://timeless.example/robots.txt","status":500}
{"url":"http://kept.example/robots.txt","status":200,"body":"User-agent: *\nDisallow: /no","fetched_at":"2026-01-01T00:00:00Z"}
{"url":"http://kept.example/robots.txt","status":429,"fetched_at":"2026-01-10T12:00:00Z"}
{"url":"http://quiet.example/robots.txt","status":502,"fetched_at":"2026-01-11T23:00:00Z"}
{"url":"http://paused.example/robots.txt","status":503,"fetched_at":"2026-01-11T23:00:00Z"}
{"url":"http://lost.example/robots.txt","status":301,"location":"http://elsewhere.example/robots.txt"}
{"url":"http://gone.example/robots.txt","status":404}
{"url":"http://shut.example/robots.txt","status":403}
{"url":"http://page.example/robots.txt","status":200,"body":"<!doctype html><html><body>Welcome</body></html>"}
"#;

const OVERRIDES: &str = r#"
["http://mine.example"]
verdict = "allow-all"
["http://bad.example"]
verdict = "forbid-all"
["http://own.example"]
robots-txt = "User-agent: *\nDisallow: /no"
["http://paused.example"]
paused-until = 2026-06-01T00:00:00Z
["http://over.example"]
paused-until = 2026-01-01T00:00:00Z
["http://idle.example"]
verdict = "allow-all"
"#;

const SOURCES: &str = "--robots sites --robots captures.jsonl --overrides overrides.toml";

/// A list with lines of every origin, and the files about them.
fn bench() -> Bench {
    let bench = Bench::with_site();
    bench.file("captures.jsonl", CAPTURES);
    bench.file("overrides.toml", OVERRIDES);
    bench.file("allow.toml", "'4xx' = 'allow'\n503 = 'allow'\n");
    bench.file("block.toml", "404 = 'block'\n");
    bench.file("defer.toml", "503 = 'defer'\n");
    let lines = [
        ("a", 3),
        ("down", 4),
        ("silent", 2),
        ("timeless", 1),
        ("kept", 3),
        ("paused", 2),
        ("lost", 1),
        ("gone", 1),
        ("shut", 1),
        ("page", 1),
        ("mine", 2),
        ("bad", 5),
        ("own", 3),
        ("over", 1),
        ("unknown", 2),
    ];
    let of_host = |(host, lines): (&str, usize)| {
        let line = |number: usize| format!("http://{host}.example/{}{number}\n", ["no", "yes"][number % 2]);
        (0..lines).map(line).collect::<String>()
    };
    bench.file(
        "urls",
        lines.map(of_host).concat() + "http://down.example/robots.txt\nno url\nhttp://a.example/yes\tmore\n",
    );
    bench
}

/// The page of a run with these options, reported with and without its policy.
fn pages(bench: &Bench, options: &str) -> [String; 2] {
    let run = format!("{SOURCES} --now 2026-01-12T00:00:00Z {options} --force --out out urls");
    bench.filter(&run).assert().success();
    ["", SOURCES].map(|sources| {
        let done = bench.program(&format!("report out {sources}")).assert().success();
        let told = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(!told.contains("by this policy"), "{told}");
        String::from_utf8(bench.read("out/report.html")).expect("UTF-8")
    })
}

/// The rows of a table, without the shares at their ends.
fn counts(page: &str, section: &str, caption: &str) -> Vec<String> {
    let rows = rows(page, &format!("<section id=\"{section}\">"), caption);
    rows.iter().map(|row| row.rsplit_once('|').expect("a share").0.to_owned()).collect()
}

/// The numbers in the sentence about who decided: sites, choices, overrides, nobody.
fn sums(page: &str) -> Vec<u64> {
    let from = page.find("Sites decided ").expect("a sentence");
    let sentence = page[from..].split("</p>").next().expect("its end");
    let words = sentence.split([' ', ';', '.']);
    words.filter_map(|word| word.trim_end_matches(',').parse().ok()).collect()
}

#[test]
fn each_choice_and_override_has_its_lines() {
    let bench = bench();
    // The options, and the lines of choices and overrides by them, with their partitions and reasons.
    let cases: [(&str, &[&str]); 6] = [
        (
            "",
            &[
                "on-unreachable defer|deferred: unreachable|10",
                "override|blocked: override|5",
                "on-unfetched defer|deferred: unfetched|3",
                "override|allowed: override|2",
                "override|deferred: paused|2",
                "on-unreachable defer|deferred: redirect-unresolved|1",
            ],
        ),
        (
            "--on-unreachable use --on-unfetched allow --on-html block",
            &[
                "on-unreachable use|deferred: unreachable|7",
                "override|blocked: override|5",
                "on-unfetched allow|allowed: unfetched|3",
                "override|allowed: override|2",
                "on-unreachable use|blocked: last-good|2",
                "override|deferred: paused|2",
                "on-unreachable use|allowed: last-good|1",
                "on-html block|blocked: html-page|1",
                "on-unreachable use|deferred: redirect-unresolved|1",
            ],
        ),
        (
            "--on-unreachable block --statuses allow.toml",
            &[
                "override|blocked: override|5",
                "statuses 503=allow,4xx=allow|allowed: unreachable|8",
                "on-unreachable block|blocked: unreachable|3",
                "on-unfetched defer|deferred: unfetched|3",
                "override|allowed: override|2",
                "override|deferred: paused|2",
                "on-unreachable block|blocked: redirect-unresolved|1",
            ],
        ),
        (
            "--unreachable-as-unavailable 30d --statuses block.toml",
            &[
                "override|blocked: override|5",
                "unreachable-as-unavailable 2592000|allowed: long-unreachable|5",
                "on-unreachable defer|deferred: unreachable|6",
                "on-unfetched defer|deferred: unfetched|3",
                "override|allowed: override|2",
                "override|deferred: paused|2",
                "statuses 404=block|blocked: unavailable|1",
                "on-unreachable defer|deferred: redirect-unresolved|1",
            ],
        ),
        (
            "--on-stale block --max-age 1h --on-unreachable allow --statuses defer.toml",
            &["on-stale block, max-age 3600|blocked: stale|6"],
        ),
        (
            "--on-unreachable defer --statuses defer.toml",
            &["on-unreachable defer or statuses 503=defer|deferred: unreachable|10"],
        ),
    ];
    for (options, expected) in cases {
        let [page, with_policy] = pages(&bench, options);
        let found = counts(&page, "decided", "Choices and overrides");
        assert!(expected.iter().all(|row| found.contains(&(*row).to_owned())), "{options}: {found:#?}");
        assert!(expected.len() == 1 || expected.len() == found.len(), "{options}: {found:#?}");
        assert_eq!(counts(&with_policy, "decided", "Choices and overrides"), found, "{options}");
        let numbers = sums(&page);
        let lines = |row: &String| row.rsplit('|').next().expect("a number").parse::<u64>().expect("a number");
        let (overrides, choices): (Vec<_>, Vec<_>) = found.iter().partition(|row| row.starts_with("override|"));
        let [of_choices, of_overrides] = [choices, overrides].map(|rows| rows.into_iter().map(lines).sum::<u64>());
        assert_eq!(numbers[1..], [of_choices, of_overrides, 2], "{options}");
        assert_eq!(numbers.iter().sum::<u64>(), 35, "{options}: of every line it is known who decided");
        assert!(page.contains("Which overrides they were"), "{page}");
        let [sites, of_choices, of_overrides, _] = numbers[..] else { panic!("{numbers:?}") };
        let headline =
            format!("Who decided</a>: sites {sites} lines, your choices {of_choices}, your overrides {of_overrides}<");
        assert!(page.contains(&headline), "{headline} in {page}");
    }
}

#[test]
fn overrides_are_shown_with_all_their_lines() {
    let bench = bench();
    for options in ["", "--on-unreachable allow --on-stale block", "--verdicts", "--agent other --compress gzip"] {
        let [_, page] = pages(&bench, options);
        let found = counts(&page, "decided", "Overrides by the lines of their origins");
        let expected = [
            "http://bad.example|forbid-all|5",
            "http://own.example|robots-txt|3",
            "http://mine.example|allow-all|2",
            "http://paused.example|paused until 2026-06-01T00:00:00Z|2",
        ];
        assert_eq!(found, expected, "{options}");
    }
    bench.file("overrides.toml", "");
    let [_, page] = pages(&bench, "");
    assert!(page.contains("No override of the policy decides on a line of this run."), "{page}");
}

#[test]
fn unreachable_origins_are_shown_since_when_whatever_became_of_their_lines() {
    let bench = bench();
    let others = [
        "http://kept.example|3|2026-01-10T12:00:00Z, 1 day|429",
        "http://silent.example|2|2026-01-11T21:00:00Z, 3 hours|none",
        "http://timeless.example|1|unknown|500",
    ];
    // By the last choices, the failure decides on the /robots.txt, too; by the others, that is always allowed.
    let choices = [
        ("", 4),
        ("--on-unreachable use", 4),
        ("--on-unreachable block --explain", 4),
        ("--on-stale block", 4),
        ("--on-unreachable allow", 5),
        ("--unreachable-as-unavailable 30d", 5),
        ("--statuses allow.toml --blocked-for", 5),
    ];
    for (options, lines) in choices {
        let [without, page] = pages(&bench, options);
        let found = rows(&page, "<section id=\"unreachable\">", "Those with lines in this run");
        assert_eq!(found[0], format!("http://down.example|{lines}|2025-11-01T00:00:00Z, 72 days|503"), "{options}");
        assert_eq!(found[1..], others, "{options}");
        let ages = ["less than a day|3", "1 to 7 days|1", "30 days or longer|1", "an unknown time|1"];
        assert_eq!(rows(&page, "<section id=\"unreachable\">", "For how long"), ages, "{options}");
        assert!(page.contains("6 of 17 origins of the policy were unreachable at 2026-01-12T00:00:00Z."), "{page}");
        assert!(page.contains("Unreachable</a>: 6 origins, the first since 2025-11-01T00:00:00Z<"), "{page}");
        assert!(without.contains("Since when is not among the files of a run"), "{options}: {without}");
    }
    let [without, _] = pages(&bench, "");
    assert!(without.contains("10 lines wait for 4 robots.txt that were unreachable."), "{without}");
    let waiting = rows(&without, "<section id=\"origins\">", "robots.txt to fetch, by waiting lines");
    assert_eq!(waiting[0], "http://down.example|4|unreachable|503|2026-01-10T00:00:00Z");
    assert!(counts(&without, "partitions", "Reasons").contains(&"allowed|robots-txt|1".to_owned()));
}

#[test]
fn an_origin_that_is_deferred_by_the_run_only_is_told() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --out out urls")).assert().success();
    bench.file("captures.jsonl", "{\"url\":\"http://down.example/robots.txt\",\"status\":404}\n");
    let done = bench.program(&format!("report out {SOURCES}")).assert().success();
    said(&done.get_output().stderr, &["4 lines that the run deferred are not deferred by this policy"]);
    let page = String::from_utf8(bench.read("out/report.html")).expect("UTF-8");
    assert!(page.contains("4 deferred lines are not deferred by the policy given."), "{page}");
}

/// Otherwise a page would say that no robots.txt waits.
#[test]
fn the_list_of_robots_txt_to_fetch_is_that_of_the_run() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --out out urls")).assert().success();
    let list = String::from_utf8(bench.read("out/robots-needed.tsv")).expect("UTF-8");
    let shorter: String = list.split_inclusive('\n').take(3).collect();
    for damaged in [Some(shorter), None] {
        match damaged {
            Some(text) => bench.file("out/robots-needed.tsv", text),
            None => std::fs::remove_file(bench.path("out/robots-needed.tsv")).expect("a file"),
        }
        let done = bench.program("report out").assert().code(2);
        said(&done.get_output().stderr, &["out/robots-needed.tsv", "but the receipt beside it says"]);
        assert!(!bench.names("out").contains(&"report.html".to_owned()));
    }
}
