//! `robosieve report`: the page about a run. (scripts/report-check tests it in a browser.)

use crate::support::page::rows;
use crate::support::program::{Bench, said};

const ROBOTS: &str = "User-agent: *\nDisallow: /no\nDisallow: /never\n\nUser-agent: other\nDisallow: /other\n";

/// Two sites, one that refuses everything, and a list with a few blocked lines.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("sites/a.example", ROBOTS);
    bench.file("sites/b.example", "User-agent: *\nDisallow: /no\n");
    bench.file("captures.jsonl", "{\"url\":\"http://c.example/robots.txt\",\"status\":403}\n");
    let mut urls = String::new();
    for number in 0..30 {
        urls.push_str(&format!("http://a.example/no{number}\nhttp://a.example/yes{number}\n"));
        urls.push_str(&"http://a.example/never\n".repeat(usize::from(number % 3 == 0)));
        urls.push_str(&"HTTP://b.example:80/no\n".repeat(usize::from(number % 5 == 0)));
        urls.push_str(&"http://a.example/other\n".repeat(usize::from(number % 15 == 0)));
    }
    urls.push_str("http://c.example/x\nhttp://unknown.example/<1>\nno url\n");
    bench.file("urls", &urls);
    bench.file("more", "http://b.example/no/more");
    bench
}

/// The section about what cost the most lines.
const COSTS: &str = "<section id=\"costs\">";

const SOURCES: &str = "--robots sites --robots captures.jsonl";

/// The page for the run in `out`, made with these options.
fn page(bench: &Bench, options: &str) -> String {
    bench.program(&format!("report out {options}")).assert().success();
    String::from_utf8(bench.read("out/report.html")).expect("UTF-8")
}

#[test]
fn the_page_shows_what_the_receipt_does() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --out out urls more")).assert().success();
    let page = page(&bench, "");
    assert!(page.contains("<title>robots.txt for examplebot: 82 lines</title>"), "{page}");
    let reasons = ["blocked|rules|47|57.32%", "allowed|rules|32|39.02%", "allowed|unavailable|1|1.22%"];
    assert_eq!(rows(&page, "<main>", "Reasons")[..3], reasons);
    assert_eq!(rows(&page, "<main>", "robots.txt to fetch, by reason"), ["unfetched|1|1|none"]);
    assert_eq!(
        rows(&page, "<main>", "robots.txt to fetch, by waiting"),
        ["http://unknown.example|1|unfetched|none|not recorded"]
    );
    assert_eq!(rows(&page, "<main>", "Lists")[1], "more|1|1.22%|24");
    for unknown in
        ["Give the policy of the run", "give its policy", "give the policy of the run", "--against", "</a>: not known<"]
    {
        assert!(page.contains(unknown), "{unknown} in {page}");
    }
    assert!(rows(&page, "<main>", "As recorded").contains(&"dialect|rfc9309".to_owned()));
    assert!(page.contains("<polyline points="), "a chart of the speed");
    let order = ["blocked</dt>", "allowed</dt>", "deferred</dt>", "Rules and engines"].map(|name| page.find(name));
    assert!(order.is_sorted() && order[0].is_some(), "{order:?}");
    assert!(page.contains("dialect rfc9309; policy "), "{page}");
    assert!(page.contains("<abbr title=\"the robots.txt was never fetched\">unfetched</abbr>"), "{page}");
    assert!(page.contains("<a href=\"http://unknown.example/robots.txt\""), "{page}");
}

#[test]
fn nothing_is_needed_from_anywhere() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --out out urls")).assert().success();
    let page = page(&bench, SOURCES);
    for from_elsewhere in [" src=", "@import", "url(", "<iframe", "fetch("] {
        assert!(!page.contains(from_elsewhere), "{from_elsewhere}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn a_policy_shows_which_rules_blocked_what() {
    let tables = |bench: &Bench, policy: &str| {
        let page = page(bench, policy);
        assert!(!page.contains("not that of the run") && !page.contains("are not blocked by"), "{page}");
        (rows(&page, COSTS, "Blocked and deferred lines by origin"), rows(&page, COSTS, "Deciding rules"))
    };
    let origins = [
        "http://a.example|blocked: rules|40|48.78%",
        "http://b.example|blocked: rules|7|8.54%",
        "http://unknown.example|deferred: unfetched|1|1.22%",
    ];
    let rules = [
        "Disallow: /no|37|78.72%|http://a.example/robots.txt, line 2",
        "Disallow: /never|10|21.28%|http://a.example/robots.txt, line 3",
    ];
    let forms = ["", "--per-input", "--verdicts", "--per-input --verdicts"];
    let stored = ["--compress gz", "--compress zst --verdicts", "--split-size 300", "--split-size 300 --compress gz"];
    for options in forms.into_iter().chain(stored) {
        let bench = bench();
        bench.filter(&format!("{SOURCES} {options} --out out urls more")).assert().success();
        let (found_origins, found_rules) = tables(&bench, SOURCES);
        assert_eq!(
            (&found_origins[..], &found_rules[..]),
            (&origins.map(str::to_owned)[..], &rules.map(str::to_owned)[..])
        );
        bench.program("compile --agent examplebot sites captures.jsonl -o policy.rsv").assert().success();
        assert_eq!(tables(&bench, "--policy policy.rsv"), (found_origins, found_rules), "{options}");
    }
}

#[test]
fn lines_with_other_columns_are_explained_too() {
    let origins = ["http://a.example|blocked: rules|2|50.00%", "http://b.example|blocked: rules|1|25.00%"];
    let urls = ["http://a.example/no", "http://a.example/yes", "http://a.example/no/2", "http://b.example/no"];
    let csv = |url: &str| format!("7,\"{url}\"\n");
    let csv = format!("id,where\n{}", urls.map(csv).concat());
    let entry = |url: &str| format!("example,a)/ 20240101000000 {{\"url\":\"{}\"}}\n", url.replace('/', "\\/"));
    let cdxj = urls.map(entry).concat();
    let cdx = |url: &str| format!("example,a)/ 20240101000000 {url}\n");
    let cdx = format!(" CDX N b a\n{}", urls.map(cdx).concat());
    let cases = [
        ("--delimiter , --column where", csv.clone()),
        ("--delimiter , --column 2 --header", csv),
        ("", cdxj),
        ("", cdx),
    ];
    for (options, list) in cases {
        for form in ["", "--verdicts --agent other", "--per-input"] {
            let bench = bench();
            bench.file("list", &list);
            bench.filter(&format!("{SOURCES} {options} {form} --out out list")).assert().success();
            let page = page(&bench, SOURCES);
            assert_eq!(rows(&page, COSTS, "Blocked and deferred lines by origin"), origins, "{options} {form} {list}");
            assert!(!page.contains("are not blocked by"), "{page}");
        }
    }
    // An index and a plain list in one run.
    let bench = bench();
    bench.file("list", urls.map(entry).concat());
    bench.filter(&format!("{SOURCES} --out out list more")).assert().success();
    let found = rows(&page(&bench, SOURCES), COSTS, "Blocked and deferred lines by origin");
    assert_eq!(found, ["http://a.example|blocked: rules|2|40.00%", "http://b.example|blocked: rules|2|40.00%"]);
}

#[test]
fn origins_of_one_robots_txt_are_told_apart() {
    let bench = bench();
    bench.file("list", "https://a.example/no\nhttp://a.example/no\nhttps://a.example/never\n");
    bench.filter(&format!("{SOURCES} --out out list")).assert().success();
    let origins = rows(&page(&bench, SOURCES), COSTS, "Blocked and deferred lines by origin");
    assert_eq!(origins, ["https://a.example|blocked: rules|2|66.67%", "http://a.example|blocked: rules|1|33.33%"]);
}

#[test]
fn each_crawler_has_its_own() {
    let bench = bench();
    bench.filter(&format!("--agent other {SOURCES} --out out urls more")).assert().success();
    let page = page(&bench, SOURCES);
    let blocked = &page[page.find(COSTS).expect("a section")..];
    assert_eq!(
        rows(blocked, "<h3>examplebot", "Blocked and deferred lines by origin")[0],
        "http://a.example|blocked: rules|40|48.78%"
    );
    assert_eq!(
        rows(blocked, "<h3>other", "Deciding rules"),
        [
            "Disallow: /no|7|77.78%|http://b.example/robots.txt, line 2",
            "Disallow: /other|2|22.22%|http://a.example/robots.txt, line 6",
        ]
    );
}

#[test]
fn lines_that_no_rule_decided_are_shown_by_reason() {
    let bench = bench();
    let words = "--dialect extended-2008 --on-unfetched block";
    bench.filter(&format!("{SOURCES} {words} --out out urls")).assert().success();
    let page = page(&bench, SOURCES);
    let rules = rows(&page, COSTS, "Deciding rules");
    assert!(rules.contains(&"no rule: unfetched|1|2.13%|http://unknown.example".to_owned()), "{rules:?}");
    let access = rows(&page, "<main>", "How many origins block");
    assert_eq!(access, ["examplebot|1|4|0|0|0|0"]);
    let origin_statuses = rows(&page, "<main>", "Origins of the policy");
    assert_eq!(
        origin_statuses.iter().map(|row| row.split('|').nth(1).expect("a number")).collect::<Vec<_>>(),
        ["4", "1"]
    );
    assert_eq!(rows(&page, "<main>", "HTTP status").last().map(String::as_str), Some("403|1|20.00%"));
}

#[test]
fn what_origins_say_about_uses_is_counted_for_each_crawler() {
    let bench = bench();
    bench.file(
        "sites/signal.example",
        "Content-Signal: ai-train=no, search=yes\nUser-agent: other\nContent-Usage: train-ai=y\n",
    );
    bench.file("sites/usage.example", "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a train-ai=?\n");
    bench.filter("--agent other --robots sites --out out urls").assert().success();
    let page = page(&bench, "--robots sites");
    let uses = rows(&page, "<main>", "How many origins say yes or no");
    // A folder's names stand for both schemes.
    let expected =
        ["examplebot|train-ai|0|4|2", "examplebot|search|2|0|2", "other|train-ai|2|4|2", "other|search|2|0|2"];
    assert_eq!(uses, expected);
}

#[test]
fn tables_are_cut_and_the_same_for_any_number_of_workers() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --out out urls more")).assert().success();
    let short = page(&bench, &format!("{SOURCES} --top 1"));
    assert_eq!(rows(&short, COSTS, "Blocked and deferred lines by origin and reason: the first 1 of 3").len(), 1);
    assert_eq!(rows(&short, COSTS, "Deciding rules: the first 1 of 2").len(), 1);
    assert_eq!(page(&bench, &format!("{SOURCES} --threads 1")), page(&bench, &format!("{SOURCES} --threads 3")));
}

#[test]
fn another_policy_is_noticed() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --out out urls")).assert().success();
    bench.file("sites/a.example", "User-agent: *\nDisallow: /never\n");
    let done = bench.program(&format!("report out {SOURCES}")).assert().success();
    said(&done.get_output().stderr, &["30 lines", "are not blocked by this policy"]);
    let page = String::from_utf8(bench.read("out/report.html")).expect("UTF-8");
    assert!(page.contains("not that of the run") && page.contains("30 blocked lines are not blocked"), "{page}");
}

#[test]
fn foreign_text_is_only_text() {
    let bench = Bench::new();
    let evil = "</code></script><script>alert(1)</script>\"'";
    bench.file("sites/a.example", format!("User-agent: *\nDisallow: /{evil}\n"));
    bench.file("<b>urls", format!("http://a.example/{evil}\nhttp://b.example/{evil}\n"));
    bench.filter("--robots sites --out out <b>urls").assert().success();
    let page = page(&bench, "--robots sites");
    assert_eq!(page.matches("<script>").count(), 1, "ours");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;") && page.contains("&lt;b&gt;urls"));
    assert!(!page.contains("<b>"), "{page}");
}

#[test]
fn what_is_no_run_has_no_page() {
    let bench = bench();
    let done = bench.program("report nowhere").assert().code(2);
    said(&done.get_output().stderr, &["nowhere/receipt.json", "not the folder of a complete run"]);
    bench.file("out/receipt.json", "{}");
    let done = bench.program("report out").assert().code(2);
    said(&done.get_output().stderr, &["out/receipt.json", "not a receipt"]);
    std::fs::remove_file(bench.path("out/receipt.json")).expect("removed");
    bench.filter(&format!("{SOURCES} --force --out out urls")).assert().success();
    let done = bench.program("report out -o no/where.html").assert().code(2);
    said(&done.get_output().stderr, &["cannot write no/where.html"]);
    let blocked = bench.read("out/blocked.txt");
    let done = bench.program("report out -o out/blocked.txt").assert().code(2);
    said(&done.get_output().stderr, &["out/blocked.txt", "not a report"]);
    assert_eq!(bench.read("out/blocked.txt"), blocked, "a partition stays");
    bench.program("report out").assert().success();
    bench.program("report out").assert().success();
    bench.program("compile --agent thirdbot sites -o third.rsv").assert().success();
    let done = bench.program("report out --policy third.rsv").assert().code(2);
    said(&done.get_output().stderr, &["not for the crawlers of the run", "examplebot"]);
    let receipt = String::from_utf8(bench.read("out/receipt.json")).expect("text");
    let agents = receipt.find("\"agents\": [").expect("agents") + 11;
    let end = agents + receipt[agents..].find(']').expect("an end");
    bench.file("out/receipt.json", format!("{}{}", &receipt[..agents], &receipt[end..]));
    for options in ["", "--policy third.rsv"] {
        let done = bench.program(&format!("report out {options}")).assert().code(2);
        said(&done.get_output().stderr, &["out/receipt.json", "names no crawler"]);
    }
    bench.file("out/receipt.json", receipt);
    std::fs::remove_file(bench.path("out/blocked.txt")).expect("a file");
    let done = bench.program(&format!("report out {SOURCES}")).assert().code(2);
    said(&done.get_output().stderr, &["out/blocked.txt"]);
}

/// A pipe in place of a file is reported, and does not block the program.
#[cfg(unix)]
#[test]
fn pipes_in_the_place_of_files_are_refused() {
    for (name, options) in
        [("out/robots-needed.tsv", ""), ("out/blocked.txt", SOURCES), ("out/report.html", ""), ("page", "-o page")]
    {
        let bench = bench();
        bench.filter(&format!("{SOURCES} --out out urls")).assert().success();
        std::fs::remove_file(bench.path(name)).ok();
        assert!(std::process::Command::new("mkfifo").arg(bench.path(name)).status().expect("mkfifo").success());
        // Far longer than it takes, unless it blocks.
        let patience = std::time::Duration::from_secs(60);
        let done = bench.program(&format!("report out {options}")).timeout(patience).assert().code(2);
        said(&done.get_output().stderr, &[name, "not a regular file"]);
    }
}

#[test]
fn the_page_of_an_earlier_run_is_removed_with_its_files() {
    let bench = bench();
    bench.filter(&format!("{SOURCES} --out out urls")).assert().success();
    page(&bench, "");
    bench.filter(&format!("{SOURCES} --force --out out urls")).assert().success();
    assert!(!bench.names("out").contains(&"report.html".to_owned()));
}
