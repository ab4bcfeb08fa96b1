//! Paths and names, at every door: drive letters, escapes that rules cut, names that no robots.txt can have.

use robosieve::Agents;
use robosieve::{Dialect, RuleSet, SameUrl, Verdict};

use crate::support::program::Bench;

/// URLs with drive letters, and what is fetched.
const DRIVES: [[&str; 2]; 8] = [
    ["http://h.example/C:/../secret", "http://h.example/secret"],
    ["http://h.example/z|/%2e%2E/secret", "http://h.example/secret"],
    ["http://h.example/a/C:/../../secret", "http://h.example/secret"],
    ["http://h.example\\C:\\..\\secret", "http://h.example/secret"],
    ["HTTP://H.EXAMPLE:80/x/../c|/.././secret#C:/..", "http://h.example/secret"],
    ["http://h.example/C:/./secret", "http://h.example/C:/secret"],
    ["http://h.example/C%3A/../secret", "http://h.example/secret"],
    ["http://h.example/secret?x=/C:/..", "http://h.example/secret?x=/C:/.."],
];

#[test]
fn drive_letters_are_segments_like_others() {
    let bench = Bench::new();
    bench.file("sites/h.example", "User-agent: *\nDisallow: /secret\n");
    for [written, fetched] in DRIVES {
        let is_blocked = fetched.starts_with("http://h.example/secret");
        for dialect in Dialect::ALL.iter().filter(|dialect| dialect.name != "google") {
            let rules = RuleSet::compile(b"User-agent: *\nDisallow: /secret\n", &Agents::everybody(), dialect);
            let verdict = rules.verdict_url(written).expect("a URL");
            assert_eq!(verdict == Verdict::Blocked, is_blocked, "{written} under {}", dialect.name);
        }
        let expected = if is_blocked { "blocked rules" } else { "allowed rules" };
        assert_eq!(bench.outcome("--robots sites", written), expected, "{written}");
        let mut check = bench.program("check --agent examplebot --robots sites --");
        check.arg(written).assert().code(i32::from(is_blocked));
        let key = |url: &str| SameUrl::Fetched.key(url.as_bytes()).map(std::borrow::Cow::into_owned);
        assert_eq!(key(written), key(fetched), "{written}");
        bench.file("urls", format!("{fetched}\n{written}\n"));
        bench.filter("--robots sites --unique --force --out out urls").assert().success();
        assert_eq!(bench.receipt("out")["duplicates"]["lines"], 1, "{written}");
    }
}

/// Where a redirect leads, from a robots.txt below a drive letter, and what an answer for that URL says.
#[test]
fn redirects_lead_where_fetchers_go() {
    let bench = Bench::new();
    let body = "User-agent: *\\nDisallow: /no\\n";
    for (location, target) in [
        ("/C:/../moved.txt", "http://h.example/moved.txt"),
        ("C:x/../../moved.txt", "c:x/../../moved.txt"),
        ("./C:/../moved.txt", "http://h.example/moved.txt"),
        ("//o.example/C|/../moved.txt", "http://o.example/moved.txt"),
        ("http:/D:/%2e./moved.txt", "http://h.example/moved.txt"),
        ("https://o.example/a/C:/../moved.txt#x", "https://o.example/a/moved.txt"),
    ] {
        let found = format!("{{\"url\":\"http://h.example/robots.txt\",\"status\":301,\"location\":\"{location}\"}}\n");
        let end = format!("{{\"url\":\"{target}\",\"status\":200,\"body\":\"{body}\"}}\n");
        let is_http = target.starts_with("http");
        bench.file("in.jsonl", found + if is_http { &end } else { "" });
        let expected = if is_http { "blocked rules" } else { "deferred redirect-unresolved" };
        assert_eq!(bench.outcome("--robots in.jsonl", "http://h.example/no"), expected, "{location}");
    }
    // An answer for a URL with a drive letter is one for the URL that is fetched.
    let end = format!("{{\"url\":\"http://h.example/C:/../moved.txt\",\"status\":200,\"body\":\"{body}\"}}\n");
    bench.file(
        "in.jsonl",
        "{\"url\":\"http://h.example/robots.txt\",\"status\":301,\"location\":\"/moved.txt\"}\n".to_owned() + &end,
    );
    assert_eq!(bench.outcome("--robots in.jsonl", "http://h.example/no"), "blocked rules");
}

/// A rule, and paths that it matches or not, in dialects with wildcards but `google`.
const CUT: [(&str, &[&str], &[&str]); 12] = [
    ("/*%", &["/%E4", "/x%2F", "/a%25b", "/100%", "/%zz", "/ä", "/a b"], &["/A", "/%41", "/x"]),
    ("/%", &["/%E4", "/%e4", "/%2f", "/%25", "/%"], &["/%41", "/x%E4"]),
    ("/%E", &["/%E4", "/%e4", "/%E", "/%Ezz"], &["/%41", "/%C3", "/E"]),
    ("/%e", &["/%E4", "/%e4", "/%ez"], &["/%41", "/%C3", "/e"]),
    ("/*%2", &["/%2F", "/x%2f", "/%25", "/%2", "/%20"], &["/%31", "/%E4", "/2"]),
    ("/*%2*x", &["/%2Fx", "/%25/x", "/%2bx", "/%20yx"], &["/%31x", "/%2F", "/x"]),
    ("/%*x", &["/%2Fx", "/%x", "/%E4/x"], &["/%41x", "/x"]),
    ("/%a%a", &["/%a%a", "/%a%A4"], &["/%AA", "/%A4%a"]),
    ("/%$", &["/%", "/%25"], &["/%E4", "/%2F"]),
    ("/%E$", &["/%E"], &["/%E4", "/%e"]),
    ("/%zz", &["/%zz", "/%25zz"], &["/%E4"]),
    ("/%25", &["/%25", "/%"], &["/%E4", "/%2F"]),
];

#[test]
fn a_cut_escape_matches_all_escapes_that_begin_so() {
    let bench = Bench::new();
    for (rule, matched, others) in CUT {
        let file = format!("User-agent: *\nDisallow: {rule}\n");
        bench.file("sites/h.example", &file);
        for name in ["rfc9309", "mandelbot", "extended-2008"] {
            let dialect = Dialect::named(name).expect("a dialect");
            let rules = RuleSet::compile(file.as_bytes(), &Agents::everybody(), dialect);
            for (paths, expected) in [(matched, Verdict::Blocked), (others, Verdict::Allowed)] {
                for path in paths {
                    let explained = rules.explain(path);
                    assert_eq!((rules.verdict(path), explained.verdict), (expected, expected), "{rule} {path} {name}");
                    let line = explained.rule.map(|rule| rule.line);
                    assert_eq!(line, (expected == Verdict::Blocked).then_some(2), "{rule} {path} {name}");
                }
            }
        }
        let url = format!("http://h.example{}", matched[0]);
        bench.file("urls", format!("{url}\n"));
        bench.filter("--robots sites --explain --force --out out urls").assert().success();
        let blocked = String::from_utf8(bench.read("out/blocked.tsv")).expect("UTF-8");
        assert!(blocked.contains(&format!("\nDisallow: {rule}\t2\t")), "{blocked}");
        let mut check = bench.program("check --agent examplebot --robots sites --");
        let done = check.arg(&url).assert().code(1);
        let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(said.contains(&format!("line 2: Disallow: {rule}")), "{said}");
    }
    // Without wildcards: as fetched byte by byte, and with escapes decoded.
    for (dialect, rule, path, blocked) in [
        ("original-1994", "/%", "/%41", true),
        ("original-1994", "/%E", "/%E4", true),
        ("original-1994", "/%E", "/%e4", true),
        ("original-1994", "/%e", "/%E4", true),
        ("original-1994", "/%e", "/e4", false),
        ("draft-1996", "/%", "/%2F", true),
        ("draft-1996", "/%2", "/%2f", true),
        ("draft-1996", "/%", "/%41", false),
        ("google", "/*%", "/%E4", true),
        ("google", "/%E", "/%E4", true),
    ] {
        let file = format!("User-agent: *\nDisallow: {rule}\n");
        let rules = RuleSet::compile(file.as_bytes(), &Agents::everybody(), Dialect::named(dialect).expect("one"));
        assert_eq!(rules.verdict(path) == Verdict::Blocked, blocked, "{rule} {path} under {dialect}");
        assert_eq!(rules.explain(path).verdict, rules.verdict(path), "{rule} {path} under {dialect}");
    }
    // It counts as many bytes as before: the longer rule wins.
    for (allow, path, verdict) in [("/aaa", "/%E4", Verdict::Blocked), ("/%E4%B8", "/%E4%B8%AD", Verdict::Allowed)] {
        let file = format!("User-agent: *\nDisallow: /%\nAllow: {allow}\n");
        let rules = RuleSet::compile(file.as_bytes(), &Agents::everybody(), Dialect::DEFAULT);
        assert_eq!(rules.verdict(path), verdict, "{allow} {path}");
    }
}

#[test]
fn lint_says_what_a_cut_escape_matches() {
    let bench = Bench::new();
    for rule in ["/*%", "/%E", "/a%2*b"] {
        bench.file("robots.txt", format!("User-agent: *\nDisallow: {rule}\n"));
        let done = bench.program("lint robots.txt").assert().code(1);
        let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(said.contains("all escapes that begin with %") && !said.contains("probably meant"), "{said}");
    }
}

/// Names, and what of them a dialect compares; `None` if all.
const NAMES: [(&str, &str, Option<&str>); 8] = [
    ("MJ12bot", "google", Some("MJ")),
    ("Googlebot,a6bot", "google", Some("a")),
    ("360Spider", "google", Some("")),
    ("Google_bot-News", "google", None),
    ("*", "google", None),
    ("MJ12bot", "rfc9309", None),
    ("MJ12bot", "mandelbot", None),
    ("MJ12bot", "original-1994", None),
];

#[test]
fn a_name_that_no_robots_txt_can_have_is_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/x\n");
    for (name, dialect, compared) in NAMES {
        let commands = [
            format!("compile --dialect {dialect} --agent {name} sites -o policy.rsv"),
            format!("filter --dialect {dialect} --agent {name} --robots sites --count urls"),
            format!("filter --dialect {dialect} --agent other --agent {name} --robots sites --blocked-for urls"),
            format!("check --dialect {dialect} --agent {name} --robots sites http://a.example/x"),
            format!("check --dialect {dialect} --agent {name} --robots sites/a.example http://a.example/x"),
        ];
        for words in commands {
            let done = bench.program(&words).output().expect("it runs");
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(done.status.code() == Some(2), compared.is_some(), "{words}: {said}");
            let Some(compared) = compared else { continue };
            assert!(said.contains("--agent") && said.contains("google") && said.contains("rfc9309"), "{words}: {said}");
            assert!(compared.is_empty() || said.contains(&format!("{compared:?}")), "{words}: {said}");
        }
    }
    // A file of names is cut, with a warning.
    bench.file("agents.txt", "MJ12bot\nGooglebot\n");
    bench.file("sites/a.example", "User-agent: MJ12bot\nDisallow: /x\n");
    let words = "compile --dialect google --agents-file agents.txt sites -o policy.rsv";
    let done = bench.program(words).assert().success();
    let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(said.contains("\"MJ12bot\" is read as MJ, as in a robots.txt"), "{said}");
    for name in ["MJ", "MJ12bot"] {
        let words = format!("check --policy policy.rsv --agent {name} http://a.example/x");
        bench.program(&words).assert().code(1);
    }
}
