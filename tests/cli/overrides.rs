//! `--overrides`: the operator's own verdicts and settings for an origin.

use crate::support::program::Bench;
use crate::support::results::Split;

const NOW: &str = "--now 2026-06-01T00:00:00Z";

/// A site that blocks `/no`, one that answers 503, and a file of overrides.
fn bench(overrides: &str) -> Bench {
    let bench = Bench::with_site();
    bench.file("down.jsonl", "{\"url\":\"http://down.example/robots.txt\",\"status\":503}\n");
    bench.file("overrides.toml", overrides);
    bench
}

const OPTIONS: &str = "--robots sites --robots down.jsonl --overrides overrides.toml --now 2026-06-01T00:00:00Z";

#[test]
fn an_overriding_verdict_takes_precedence_over_any_answer_or_none() {
    for origin in ["http://a.example", "http://down.example", "https://new.example:8443"] {
        for (verdict, outcome) in [("allow-all", "allowed override"), ("forbid-all", "blocked override")] {
            let bench = bench(&format!("[\"{origin}\"]\nverdict = \"{verdict}\"\n"));
            for path in ["/no", "/yes", "/robots.txt", "?x#y"] {
                assert_eq!(bench.outcome(OPTIONS, format!("{origin}{path}")), outcome, "{origin}{path}");
            }
            let choices =
                format!("{OPTIONS} --max-age 1d --on-stale block --on-unreachable block --on-unfetched block");
            assert_eq!(bench.outcome(&choices, format!("{origin}/no")), outcome, "it has no age");
            assert_eq!(bench.outcome(OPTIONS, "https://a.example/no"), "blocked rules", "another origin");
        }
    }
}

#[test]
fn a_replacement_is_read_as_any_robots_txt() {
    let rules = "User-agent: *\\nDisallow: /\\n\\nUser-agent: examplebot\\nDisallow: /yes\\n";
    let inline = format!("robots-txt = \"{rules}\"");
    for (line, file) in [(inline.as_str(), ""), ("robots-txt-file = \"own/file.txt\"", "own/file.txt")] {
        for origin in ["http://a.example", "http://down.example", "http://new.example"] {
            let bench = bench(&format!("[\"{origin}\"]\n{line}\n"));
            if !file.is_empty() {
                bench.file(file, [rules.replace("\\n", "\n").as_bytes(), b"# not UTF-8: \xff\n"].concat());
            }
            assert_eq!(bench.outcome(OPTIONS, format!("{origin}/no")), "allowed rules");
            assert_eq!(bench.outcome(OPTIONS, format!("{origin}/yes")), "blocked rules");
            let choices = format!("{OPTIONS} --max-age 1d --on-stale block");
            assert_eq!(bench.outcome(&choices, format!("{origin}/no")), "allowed rules", "it has no age");
        }
    }
    let bench = bench("['http://a.example']\nrobots-txt = ''\n");
    assert_eq!(bench.outcome(OPTIONS, "http://a.example/no"), "allowed no-group");
}

#[test]
fn a_pause_ends_at_its_time() {
    let paused = |until: &str, more: &str| bench(&format!("['http://a.example']\npaused-until = {until}\n{more}\n"));
    let outcome = |bench: &Bench| bench.outcome(OPTIONS, "http://a.example/no");
    assert_eq!(outcome(&paused("2026-06-01T00:00:01Z", "")), "deferred paused");
    assert_eq!(outcome(&paused("2026-06-01T01:59:59+02:00", "")), "blocked rules");
    assert_eq!(outcome(&paused("2026-06-01T00:00:00Z", "")), "blocked rules");
    assert_eq!(outcome(&paused("2026-06-01T00:00:01Z", "verdict = 'allow-all'")), "deferred paused");
    assert_eq!(outcome(&paused("2026-05-01T00:00:00Z", "verdict = 'allow-all'")), "allowed override");
    assert_eq!(outcome(&paused("2026-05-01T00:00:00Z", "crawl-delay = 5")), "blocked rules");
}

#[test]
fn what_is_paused_needs_no_robots_txt_and_the_receipt_counts() {
    let bench = bench(
        "['http://paused.example']\npaused-until = 2026-12-01T00:00:00Z\n\n['http://new.example']\ncrawl-delay = 10\n",
    );
    bench.file("urls", "http://paused.example/1\nhttp://new.example/2\nhttp://a.example/no\nhttp://paused.example/3\n");
    let split = bench.split(OPTIONS, &["urls"]);
    assert_eq!(split.lines("deferred"), ["http://paused.example/1", "http://new.example/2", "http://paused.example/3"]);
    assert_eq!(split.reasons("deferred"), [("paused".to_owned(), 2), ("unfetched".to_owned(), 1)].into());
    assert_eq!(split.needed_rows(), [vec!["http://new.example/robots.txt", "unfetched", "1", ""]]);
    assert_eq!(split.receipt["policy"]["overridden"], 2);
    assert_eq!(split.receipt["policy"]["origins"], 5, "those of the sources, and two more");
}

#[test]
fn what_is_not_understood_is_refused_with_its_place() {
    for (overrides, message) in [
        ("['http://a.example']\nverdict = 'alow-all'\n", vec!["overrides.toml, line 2 (byte 31)", "allow-all"]),
        ("['http://a.example']\ncrawldelay = 1\n", vec!["line 2 (byte 21)", "crawldelay", "crawl-delay"]),
        ("['a.example']\ncrawl-delay = 1\n", vec!["line 1 (byte 1)", "a.example", "[\"https://www.example.com\"]"]),
        ("# \u{fc}\n['http://a.example']\nrobots-txt-file = 'none'\n", vec!["line 3 (byte 44)", "none"]),
        ("[", vec!["line 1", "keys cannot be empty"]),
    ] {
        let bench = bench(overrides);
        bench.file("urls", "http://a.example/\n");
        bench.refused(&format!("{OPTIONS} --out out urls"), &message);
    }
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench.refused(&format!("--robots sites --overrides none.toml {NOW} --out out urls"), &["none.toml"]);
}

#[test]
fn the_documents_show_overrides_that_are_understood() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/policy.md")).expect("docs/policy.md");
    let (_, shown) = page.split_once("<<'END'\n").expect("an example");
    let bench = bench(shown.split_once("END\n").expect("its end").0);
    bench.file("broken.txt", "User-agent: *\nDisallow: /private\n");
    for (url, outcome) in [
        ("https://shop.example/", "deferred unfetched"),
        ("https://partner.example/", "allowed override"),
        ("https://broken.example/private", "blocked rules"),
        ("https://busy.example/", "deferred paused"),
    ] {
        assert_eq!(bench.outcome(OPTIONS, url), outcome, "{url}");
    }
}

/// Every setting an operator can make.
const ALL: &str = "
    ['http://down.example']
    verdict = 'allow-all'
    ['https://a.example']
    verdict = 'forbid-all'
    ['http://a.example']
    robots-txt = \"User-agent: *\\nDisallow: /yes\\n\"
    ['http://later.example']
    paused-until = 2999-01-01T00:00:00Z
    ['http://new.example']
    crawl-delay = 3
    paused-until = 2000-01-01T00:00:00Z
";

#[test]
fn a_policy_file_keeps_overrides() {
    let bench = bench(ALL);
    let agents = "--agent examplebot --agent other";
    let words = format!("compile {agents} sites down.jsonl --overrides overrides.toml -o policy.rsv");
    bench.program(&words).assert().success();
    let urls: String = ["http://down", "https://a", "http://a", "http://later", "http://new"]
        .iter()
        .flat_map(|site| ["no", "yes"].map(|path| format!("{site}.example/{path}\n")))
        .collect();
    bench.file("urls", &urls);
    let expected = bench.split(OPTIONS, &["urls"]);
    let filter = format!("filter --policy policy.rsv --agent examplebot {NOW} --force --out out urls");
    bench.program(&filter).assert().success();
    let [found, expected] = [Split::read(&bench, "out"), expected].map(|split| {
        let mut split = split.timeless();
        // One of the policies is for two crawlers, so checksums differ.
        assert!(split.receipt.as_object_mut().expect("an object").remove("policy_checksum").is_some());
        split.receipt["policy"].as_object_mut().expect("an object").remove("captures");
        split
    });
    assert_eq!(found, expected);
    let checked = |url: &str| {
        let done = bench.program(&format!("check --policy policy.rsv --agent other {url}")).assert();
        let output = done.get_output();
        (String::from_utf8_lossy(&output.stdout).replace(url, "URL"), output.status.code().expect("a status"))
    };
    for (url, answer, status) in [
        ("http://down.example/", "allowed\tURL\tthe operator allows everything\t-\n", 0),
        ("https://a.example/yes", "blocked\tURL\tthe operator forbids everything\t-\n", 1),
        (
            "http://a.example/yes",
            "blocked\tURL\tthe operator's robots.txt: line 2: Disallow: /yes\tUser-agent: * (line 1)\n",
            1,
        ),
        (
            "http://later.example/",
            "deferred\tURL\tthe operator has paused the origin until 2999-01-01T00:00:00Z\t-\n",
            1,
        ),
        ("http://new.example/", "deferred\tURL\tits robots.txt was never fetched\t-\n", 1),
    ] {
        assert_eq!(checked(url), (answer.to_owned(), status), "{url}");
    }
    // In an emergency, overrides apply without compiling.
    bench.file("pause.toml", "['http://a.example']\npaused-until = 2999-01-01T00:00:00Z\n");
    let words = "check --policy policy.rsv --agent examplebot --overrides pause.toml http://a.example/yes";
    let done = bench.program(words).assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.contains("the operator has paused the origin"), "{text}");
    bench.program(&format!("{filter} --overrides pause.toml")).assert().success();
}

#[test]
fn a_table_is_for_one_whole_origin() {
    for (origin, message) in [
        ("https://*.x.example", "without a path or a wildcard"),
        ("https://a.example/path", "without a path"),
        ("a.example", "with a scheme"),
    ] {
        let bench = bench(&format!("[\"{origin}\"]\nverdict = \"allow-all\"\n"));
        bench.file("urls", "http://a.example/\n");
        bench.refused(&format!("{OPTIONS} --out out urls"), &["is not an origin", origin, "line 1", message]);
    }
}
