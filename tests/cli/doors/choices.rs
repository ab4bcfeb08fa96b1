//! What the choices decide, by every command that judges URLs or tells how they are judged; and what a file is, whichever command is
//! given it.

use std::collections::BTreeMap;
use std::fmt::Write;

use assert_cmd::assert::Assert;
use robosieve::policy::Policy;
use robosieve::{Choices, Fallback, MaxAge, Statuses};
use serde_json::Value;

use crate::support::compression::gzip;
use crate::support::program::{Bench, said};

/// The time of the runs: 2026-01-12T12:00:00Z.
const NOW: i64 = 1_768_219_200;
const DAY: i64 = 86_400;

/// Origins in every state: a name, and the fields of each answer, with its age in days.
const ORIGINS: &[(&str, &[(&str, i64)])] = &[
    ("rules", &[(RULES, 0)]),
    ("old", &[(RULES, 400)]),
    ("undated", &[(RULES, -1)]),
    ("empty", &[(r#""status":200,"body":"""#, 1)]),
    ("html", &[(r#""status":200,"body":"<!DOCTYPE html>\n<p>Hello\n""#, 1)]),
    ("missing", &[(r#""status":404"#, 3)]),
    ("oldmissing", &[(r#""status":404"#, 300)]),
    ("gone", &[(r#""status":410"#, 3)]),
    ("refused", &[(r#""status":403"#, 3)]),
    ("login", &[(r#""status":401"#, 40)]),
    ("busy", &[(r#""status":429"#, 3)]),
    ("busyafter", &[(RULES, 9), (r#""status":429"#, 3)]),
    ("failing", &[(r#""status":503"#, 3)]),
    ("failingafter", &[(RULES, 9), (r#""status":503"#, 3)]),
    ("failinghtml", &[(r#""status":200,"body":"<html><p>""#, 9), (r#""status":500"#, 3)]),
    ("failingmissing", &[(r#""status":404"#, 9), (r#""status":500"#, 3)]),
    ("failingrefused", &[(r#""status":403"#, 9), (r#""status":500"#, 3)]),
    ("failinglong", &[(RULES, 80), (r#""status":503,"unreachable_since":1761000000"#, 1)]),
    ("silent", &[(r#""status":null"#, 50)]),
    ("away", &[(r#""status":301,"location":"https://nowhere.example/robots.txt""#, 3)]),
    ("moved", &[(r#""status":301,"location":"http://rules.example/robots.txt""#, 3)]),
    ("unchanged", &[(r#""status":304"#, 3)]),
    ("unchangedafter", &[(RULES, 9), (r#""status":304"#, 3)]),
    ("part", &[(r#""status":206,"body":"User-agent: *\nDisallow: /""#, 3)]),
    ("partafter", &[(RULES, 9), (r#""status":206,"body":"User-agent: *""#, 3)]),
    ("uses", &[(r#""status":200,"body":"User-agent: *\nContent-Usage: train-ai=n\nDisallow: /no\n""#, 3)]),
    ("signal", &[(r#""status":200,"body":"User-agent: other\nDisallow:\nContent-Signal: ai-train=no\n""#, 3)]),
    ("allowed", &[(RULES, 3)]),
    ("forbidden", &[(RULES, 3)]),
    ("paused", &[(RULES, 3)]),
    ("waspaused", &[(RULES, 3)]),
    ("replaced", &[(RULES, 3)]),
];

const RULES: &str = r#""status":200,"body":"User-agent: *\nDisallow: /no\nAllow: /no/but\n""#;

const OVERRIDES: &str = "['http://allowed.example']\nverdict = 'allow-all'\n\
    ['http://forbidden.example']\nverdict = 'forbid-all'\n\
    ['http://paused.example']\npaused-until = 2026-01-13T00:00:00Z\n\
    ['http://waspaused.example']\npaused-until = 2026-01-11T00:00:00Z\n\
    ['http://replaced.example']\nrobots-txt = \"User-agent: *\\nDisallow: /mine\"\n\
    ['http://onlydelay.example']\ncrawl-delay = 3\n";

/// The origins as JSON Lines; one more has `www.` only.
fn answers() -> String {
    let mut lines = String::new();
    let www = [("www.site", [(RULES, 3)].as_slice())];
    for (name, answers) in ORIGINS.iter().chain(&www) {
        for (fields, age) in *answers {
            let time = if *age < 0 { String::new() } else { format!(",\"fetched_at\":{}", NOW - age * DAY) };
            writeln!(lines, "{{\"origin\":\"http://{name}.example\",{fields}{time}}}").expect("a line");
        }
    }
    lines
}

/// URLs of each origin, of one that is not known, and of one that has `www.` only; and some that are none.
fn urls() -> Vec<String> {
    let names = ORIGINS.iter().map(|(name, _)| *name).chain(["www.site", "site", "onlydelay", "never"]);
    let paths = ["/", "/no", "/no/but?x", "/mine", "/robots.txt"];
    let urls = names.flat_map(|name| paths.map(|path| format!("http://{name}.example{path}")));
    urls.chain(["nonsense", "http://", "ftp://rules.example/", "  HTTP://RULES.example:80/n%6F "].map(str::to_owned))
        .collect()
}

/// A small generator, seeded, so that a failure can be had again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn maybe<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        (self.below(2) == 0).then(|| self.of(all))
    }
}

/// A set of choices: as options about origins, as options about pages, and for the library.
fn choices(random: &mut Random) -> (String, String, Choices) {
    let (mut of_origins, mut of_pages) = (String::new(), String::new());
    let times = [(0, "2026-01-12T12:00:00Z"), (5, "2026-01-17T12:00:00Z"), (100, "2026-04-22T12:00:00Z")];
    let (days, time) = random.of(&times);
    let mut choices = Choices::at(NOW + days * DAY);
    write!(of_origins, " --now {time}").expect("text");
    let all = [Fallback::Allow, Fallback::Block, Fallback::Defer, Fallback::Use];
    let mut fallback = |option: &str, some: &[Fallback], random: &mut Random| {
        let chosen = random.maybe(some);
        chosen.inspect(|chosen| write!(of_origins, " --{option} {}", chosen.name()).expect("text"))
    };
    if let Some(chosen) = fallback("on-unfetched", &all[..3], random) {
        choices = choices.on_unfetched(chosen);
    }
    if let Some(chosen) = fallback("on-unreachable", &all, random) {
        choices = choices.on_unreachable(chosen);
    }
    if let Some(chosen) = fallback("on-html", &all, random) {
        choices = choices.on_html(chosen);
    }
    if let Some(chosen) = fallback("on-stale", &all, random) {
        choices = choices.on_stale(chosen).max_age(Some(MaxAge::Dialect));
    }
    if let Some(age) = random.maybe(&["dialect", "1h", "7d", "365d"]) {
        write!(of_origins, " --max-age {age}").expect("text");
        choices = choices.max_age(Some(age.parse().expect("an age")));
    }
    if let Some(days) = random.maybe(&[2, 30, 60]) {
        write!(of_origins, " --unreachable-as-unavailable {days}d").expect("text");
        choices = choices.unreachable_as_unavailable(Some(days * DAY as u64));
    }
    if let Some(name) = random.maybe(&["nutch", "common-crawl"]) {
        write!(of_origins, " --statuses {name}").expect("text");
        choices = choices.statuses(Statuses::named(name).expect("a name"));
    }
    if random.below(2) == 0 {
        of_pages.push_str(" --www-fallback");
        choices = choices.www_fallback(true);
    }
    if let Some(require) = random.maybe(&["train-ai!=n", "search!=n", "train-ai=y"]) {
        write!(of_pages, " --require {require}").expect("text");
        choices = choices.require(require.parse().expect("requirements"));
    }
    if random.below(2) == 0 {
        of_pages.push_str(" --content-signal everybody");
        choices = choices.content_signal(robosieve::SignalScope::Everybody);
    }
    (of_origins, of_pages, choices)
}

/// Checks that a text is in what was printed.
fn printed(done: &Assert, text: &str) {
    let out = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(out.contains(text), "{text} is not in: {out}");
}

/// What a door says of a URL: the partition, and the line and the text of the rule, if one decides.
type Said = (String, Option<(u64, String)>);

/// What `filter --explain` says.
fn of_filter(bench: &Bench, options: &str) -> Vec<Said> {
    let done =
        bench.program(&format!("filter --policy policy.rsv --quiet --verdicts --explain{options} urls")).assert();
    let text = String::from_utf8(done.success().get_output().stdout.clone()).expect("UTF-8");
    let said = text.lines().skip(1).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        (columns[0].to_owned(), columns[2].parse().ok().map(|line| (line, columns[1].to_owned())))
    });
    said.collect()
}

/// What `check` says: the same, and the reason. Of rules that allow, `filter` says nothing.
fn of_check(bench: &Bench, options: &str) -> Vec<(Said, String)> {
    let words = format!("check --policy policy.rsv --json{options} -");
    let done = bench.program(&words).write_stdin(bench.read("urls")).assert();
    let text = String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8");
    let said = text.lines().map(|line| {
        let answer: Value = serde_json::from_str(line).expect("JSON");
        let verdict = answer["verdict"].as_str().expect("a verdict").to_owned();
        let rule = answer["rule"]["line"].as_u64().map(|line| {
            let part = |name: &str| answer["rule"][name].as_str().expect("a part").to_owned();
            (line, format!("{}: {}", part("key"), part("value")))
        });
        ((verdict, rule), answer["reason"].as_str().expect("a reason").to_owned())
    });
    said.collect()
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("answers.jsonl", answers());
    bench.file("overrides.toml", OVERRIDES);
    bench.file("urls", urls().join("\n") + "\n");
    let words = "compile --quiet --agent examplebot answers.jsonl --overrides overrides.toml -o policy.rsv";
    bench.program(words).assert().success();
    bench
}

#[test]
fn check_and_the_library_say_what_filter_says_by_any_choices() {
    const SEED: u64 = 58;
    let (bench, urls, mut random) = (bench(), urls(), Random(SEED));
    let policy = Policy::open(bench.path("policy.rsv")).expect("a policy");
    let mut seen = BTreeMap::new();
    for set in 0..300 {
        let (of_origins, of_pages, choices) = choices(&mut random);
        let options = format!("{of_origins}{of_pages}");
        let at = format!("seed {SEED}, set {set}:{options}");
        let (filtered, checked) = (of_filter(&bench, &options), of_check(&bench, &options));
        assert_eq!((filtered.len(), checked.len()), (urls.len(), urls.len()), "{at}");
        let matcher = policy.matcher_with("examplebot", choices).expect("a matcher");
        for ((url, filtered), (checked, reason)) in urls.iter().zip(&filtered).zip(&checked) {
            let outcome = matcher.judge(url);
            assert_eq!(filtered.0, outcome.partition().name(), "{at}: {url}");
            assert_eq!((&checked.0, &**reason), (&filtered.0, outcome.reason().name()), "{at}: {url}");
            let rule = matcher.explain(url).rule.map(|rule| u64::from(rule.line)).filter(|_| filtered.0 == "blocked");
            assert_eq!(filtered.1.as_ref().map(|(line, _)| *line), rule, "{at}: {url}");
            if filtered.0 == "blocked" {
                assert_eq!(checked.1, filtered.1, "{at}: {url}");
            }
            *seen.entry(reason.clone()).or_insert(0) += 1;
        }
        if set % 10 == 0 {
            tell_the_same(&bench, &of_origins, &at);
        }
    }
    for reason in
        ["html-page", "stale", "long-unreachable", "last-good", "unfetched", "preference", "paused", "override"]
    {
        assert!(seen.get(reason).is_some_and(|&count| count > 20), "{reason}: {seen:?}");
    }
}

/// The commands that tell how origins are judged say of each what `check` says of its URLs.
fn tell_the_same(bench: &Bench, of_origins: &str, at: &str) {
    let checked = of_check(bench, of_origins);
    let mut verdicts = BTreeMap::new();
    for (url, ((verdict, _), _)) in urls().iter().zip(&checked).filter(|(url, _)| !url.ends_with("/robots.txt")) {
        let Some((origin, _)) = url.split_once(".example/") else { continue };
        verdicts.entry(format!("{origin}.example")).or_insert_with(Vec::new).push(verdict.clone());
    }
    let words = format!("export policy.rsv --what access --format jsonl{of_origins}");
    let exported = bench.program(&words).assert().success();
    let mut told = BTreeMap::new();
    for line in String::from_utf8_lossy(&exported.get_output().stdout).lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let origin = row["origin"].as_str().expect("an origin").to_owned();
        let Some(verdicts) = verdicts.get(&origin) else { continue };
        assert_eq!(row["root"], *verdicts[0], "{at}: {origin}");
        let is = |partition: &str| verdicts.iter().all(|verdict| verdict == partition);
        let access = ["access", "blocked"].iter().find_map(|name| row[name].as_str()).expect("access").to_owned();
        let expected = [("blocked", "all"), ("deferred", "deferred"), ("allowed", "none")];
        let expected = expected.into_iter().find(|(partition, _)| is(partition)).map_or("some", |(_, access)| access);
        assert_eq!(access, expected, "{at}: {origin}");
        told.insert(origin, access);
    }
    for origin in
        ["http://html.example", "http://failingafter.example", "http://old.example", "http://onlydelay.example"]
    {
        let done = bench.program(&format!("inspect policy.rsv {origin} --json{of_origins}")).assert().success();
        let entry: Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
        let agent = &entry["agents"][0];
        let access = ["access", "blocked"].iter().find_map(|name| agent[name].as_str()).expect("access");
        assert_eq!(access, told[origin], "{at}: {origin}");
        let done = bench.program(&format!("history policy.rsv {origin} --format jsonl{of_origins}")).assert().success();
        let row: Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
        let access = ["access", "blocked"].iter().find_map(|name| row[name].as_str()).expect("access");
        assert_eq!(access, told[origin], "{at}: {origin}");
    }
    // A policy is as itself, but for ages, which are not judged of the older one.
    let without_ages: Vec<&str> = of_origins.split(" --").filter(|option| !option.ends_with("-stale")).collect();
    if !without_ages.iter().any(|option| option.starts_with("max-age") || option.starts_with("on-stale")) {
        bench.program(&format!("diff policy.rsv policy.rsv{of_origins}")).assert().code(0);
    }
}

/// `filter --against` and `diff` judge the older policy in the same way.
#[test]
fn ages_of_an_older_policy_are_not_judged() {
    let bench = bench();
    let stale = "--now 2026-01-12T12:00:00Z --max-age 30d --on-stale defer";
    let done = bench.program(&format!("diff policy.rsv policy.rsv --only now-deferred {stale}")).assert().code(1);
    let diff = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let words =
        format!("filter --policy policy.rsv --against policy.rsv --only-changed --quiet --verdicts {stale} urls");
    let done = bench.program(&words).assert().success();
    let lines = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    for origin in ["http://old.example", "http://oldmissing.example", "http://undated.example"] {
        assert!(diff.contains(origin) && lines.contains(&format!("{origin}/mine")), "{origin}: {diff}{lines}");
    }
    let done = bench.program(&format!("history policy.rsv policy.rsv http://old.example {stale}")).assert().success();
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert!(rows.len() == 2 && rows[0].contains("some") && rows[1].contains("deferred"), "{text}");
}

/// One robots.txt for every URL means what it means in a folder.
#[test]
fn a_single_robots_txt_is_judged_as_in_a_folder() {
    let bench = Bench::new();
    bench.file(
        "urls",
        "http://a.example/\nhttp://a.example/no\nhttp://a.example/robots.txt\nHTTP://A.example:80/n%6F?x#y\n",
    );
    let html = "<!DOCTYPE html>\n<title>Welcome</title>\n";
    for (name, file) in [
        ("rules", b"User-agent: *\nDisallow: /no\n".to_vec()),
        ("html", html.into()),
        ("zipped html", gzip(html.as_bytes())),
        ("html with rules", format!("{html}User-agent: *\nDisallow: /no\n").into()),
        ("empty", Vec::new()),
        ("uses", b"User-agent: *\nContent-Usage: train-ai=n\n".to_vec()),
    ] {
        bench.file("folder/a.example", &file);
        bench.file("robots.txt", &file);
        for options in [
            "",
            "--on-html block",
            "--on-html defer",
            "--on-html allow --require train-ai!=n",
            "--max-age 7d --on-stale block",
            "--fetched-at 2026-01-01T00:00:00Z --now 2026-01-03T00:00:00Z --max-age 7d --on-stale block",
            "--fetched-at 2026-01-01T00:00:00Z --now 2026-01-09T00:00:00Z --max-age 7d --on-stale block",
        ] {
            let words = format!("filter --agent x --robots folder --quiet --verdicts {options} urls");
            let done = bench.program(&words).assert().success();
            let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
            let filtered: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
            for source in ["robots.txt", "robots.txt --origin http://a.example", "folder", "-"] {
                let words = format!(
                    "check --agent x --robots {source} {options} http://a.example/ http://a.example/no \
                     http://a.example/robots.txt HTTP://A.example:80/n%6F?x#y"
                );
                let done = bench.program(&words).write_stdin(file.clone()).assert();
                let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
                let checked: Vec<&str> = text.lines().filter_map(|line| line.split('\t').next()).collect();
                assert_eq!(checked, filtered, "{name}, {source}, {options}: {text}");
            }
        }
    }
}

/// Whole files that are no robots.txt: what each looks like.
const NO_ROBOTS_TXT: &[(&str, &str, &str)] = &[
    ("array.json", "[\n  {\"url\": \"https://a/robots.txt\"}\n]", "JSON"),
    ("object.json", "{\n  \"error\": \"not found\"\n}\n", "JSON"),
    ("error.json", "{\"error\": \"not found\"}\n", "JSON Lines"),
    ("other.jsonl", "{\"target_uri\": \"https://a/robots.txt\"}\n{}\n", "JSON Lines"),
    ("answers.csv", "url,status,body\nhttps://a/robots.txt,200,x\n", "a table"),
    ("answers.tsv", "https://a/robots.txt\t200\tx\n", "a table"),
];

#[test]
fn what_is_no_robots_txt_is_refused_by_every_command_that_reads_one() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/\n");
    for (name, text, looks) in NO_ROBOTS_TXT {
        bench.file(name, text);
        bench.file("zipped", gzip(text.as_bytes()));
        bench.file("o.toml", format!("['http://a.example']\nrobots-txt-file = '{name}'\n"));
        bench.file("none.jsonl", "{\"origin\":\"http://b.example\",\"status\":404}\n");
        for source in [*name, "zipped", "-"] {
            for words in [
                format!("lint {source}"),
                format!("check --agent x --robots {source} http://a.example/"),
                format!("check --agent x --robots {source} --origin http://a.example http://a.example/"),
                format!("filter --agent x --robots {source} --origin http://a.example --only allowed urls"),
                format!("compile --agent x {source} --origin http://a.example -o p.rsv"),
            ] {
                let done = bench.program(&words).write_stdin(*text).assert().code(2);
                said(&done.get_output().stderr, &[source, &format!("looks like {looks}"), "not like a robots.txt"]);
                assert!(done.get_output().stdout.is_empty(), "{words}");
            }
            // As a source of answers it is refused as well, line by line.
            for words in ["filter --agent x --only allowed urls --robots", "compile --agent x -o p.rsv"] {
                bench.program(&format!("{words} {source}")).write_stdin(*text).assert().code(2);
            }
        }
        let words = "check --agent x --robots none.jsonl --overrides o.toml http://a.example/";
        let done = bench.program(words).assert().code(2);
        said(&done.get_output().stderr, &["o.toml", name, &format!("looks like {looks}")]);
        assert!(!bench.path("p.rsv").exists());
    }
}

/// Standard input as a source: of the kinds of answers, and one robots.txt.
#[test]
fn sources_come_from_standard_input_at_every_door() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/no\n");
    let answer =
        "{\"origin\":\"http://a.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\\nDisalow: /\"}\n";
    let http = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /no\nDisalow: /\n";
    let fields = crate::support::archives::fields("http://a.example/robots.txt", 1);
    let warc = crate::support::archives::record(
        "response",
        &format!("{fields}Content-Type: application/http; msgtype=response\r\n"),
        http,
    );
    let mut kinds =
        vec![("JSON Lines", answer.as_bytes().to_vec(), ""), ("JSON Lines, gzip", gzip(answer.as_bytes()), "")];
    if cfg!(feature = "warc") {
        kinds.extend([("WARC", warc.clone(), ""), ("WARC, gzip", gzip(&warc), "")]);
    }
    let single = b"User-agent: *\nDisallow: /no\nDisalow: /\n".to_vec();
    kinds.push(("robots.txt", single.clone(), "--origin http://a.example"));
    kinds.push(("robots.txt, gzip", gzip(&single), "--origin http://a.example"));
    for (kind, bytes, origin) in kinds {
        let run = |words: String| bench.program(&words).write_stdin(bytes.clone()).assert();
        run(format!("compile --quiet --agent x - {origin} -o p.rsv")).success();
        bench.program("check --policy p.rsv http://a.example/no").assert().code(1);
        let done = run(format!("check --agent x --robots - {origin} http://a.example/no")).code(1);
        printed(&done, "blocked\thttp://a.example/no\tline 2: Disallow: /no");
        let done = run(format!("filter --agent x --robots - {origin} --only blocked urls")).success();
        assert_eq!(done.get_output().stdout, b"http://a.example/no\n", "{kind}");
        let done = run("lint -".to_owned()).code(1);
        printed(&done, ":3: ");
    }
    for words in [
        "compile --agent x - - -o p.rsv",
        "check --agent x --robots - --robots - http://a.example/",
        "check --agent x --robots - -",
        "filter --agent x --robots - --only allowed -",
        "filter --agent x --robots - --only allowed --files-from -",
        "filter --agent x --robots sites --only allowed - --files-from -",
    ] {
        let done = bench.program(words).write_stdin(answer).assert().code(2);
        said(&done.get_output().stderr, &["standard input can be read only once"]);
    }
}

/// Options that decide nothing are refused, as before.
#[test]
fn choices_without_effect_are_refused() {
    let bench = bench();
    for (words, message) in [
        ("export policy.rsv --what delays --on-unreachable block", ["--on-unreachable", "access"]),
        ("export policy.rsv --what sitemaps --now 2026-01-01T00:00:00Z", ["--now", "access"]),
        ("export policy.rsv --what preferences --max-age 7d", ["--max-age", "access"]),
        ("inspect policy.rsv --on-html block", ["ORIGIN", "required"]),
        ("inspect policy.rsv --www-fallback", ["ORIGIN", "required"]),
        ("inspect policy.rsv http://html.example --dot --on-html block", ["--dot", "--on-html"]),
    ] {
        let done = bench.program(words).assert().code(2);
        let text = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(message.iter().all(|part| text.contains(part)), "{words}: {text}");
    }
}

#[test]
fn an_origin_is_inspected_by_its_sibling() {
    let bench = bench();
    bench.program("inspect policy.rsv http://site.example").assert().code(1);
    let done = bench.program("inspect policy.rsv http://site.example/x --www-fallback").assert().success();
    printed(&done, "http://www.site.example");
    bench.program("inspect policy.rsv http://never.example --www-fallback").assert().code(1);
}
