//! Policy files: `compile`, and `filter` and `check` with its output.

use crate::support::program::{Bench, SOURCES, said};
use crate::support::results::Split;

/// The sources for the repository's list, as `filter` and `compile` take them.
const DATASETS: &str = "DATASETS/sites DATASETS/origins.jsonl";

/// The results of `filter` on the repository's list, without times.
fn split(bench: &Bench, words: &str) -> Split {
    let words = format!("filter {words} --now 2026-01-12T12:00:00Z --force --out out DATASETS/urls.txt");
    bench.program(&words).assert().success();
    let split = Split::read(bench, "out");
    split.accounts_for(&[bench.read("DATASETS/urls.txt")]);
    let mut split = split.timeless();
    // A policy file does not count the captures that it was made from.
    split.receipt["policy"].as_object_mut().expect("an object").retain(|key, _| key != "captures" && key != "warc");
    split
}

fn compile(bench: &Bench, words: &str) {
    bench.program(&format!("compile {words}")).assert().success();
}

#[test]
fn a_policy_file_gives_what_its_sources_give() {
    for dialect in robosieve::Dialect::names() {
        let bench = Bench::new();
        compile(&bench, &format!("--agent examplebot --dialect {dialect} {DATASETS} -o policy.rsv"));
        for options in ["", "--on-unreachable use", "--on-stale defer --max-age 7d", "--on-stale use --max-age dialect"]
        {
            let expected = split(&bench, &format!("--agent examplebot --dialect {dialect} {SOURCES} {options}"));
            assert_eq!(split(&bench, &format!("--policy policy.rsv {options}")), expected, "{dialect} {options}");
            let named = format!("--policy policy.rsv --agent EXAMPLEBOT --trust-checksum {options}");
            assert_eq!(split(&bench, &named).partitions, expected.partitions, "{dialect} {options}");
        }
    }
}

#[test]
fn each_column_gives_what_its_crawler_alone_gives() {
    let bench = Bench::new();
    let all = ["examplebot", "otherbot", "*", "otherbot,examplebot", "nobody"];
    let agents = all.map(|agent| format!("--agent {agent}")).join(" ");
    compile(&bench, &format!("{agents} {DATASETS} -o policy.rsv"));
    let mut different = std::collections::HashSet::new();
    for agent in all.into_iter().chain(["examplebot,otherbot", "nobody,examplebot", "nobody,otherbot,examplebot"]) {
        let expected = split(&bench, &format!("--agent {agent} {SOURCES}"));
        let found = split(&bench, &format!("--agent {agent} --policy policy.rsv"));
        assert_eq!(found.partitions, expected.partitions, "{agent}");
        assert_eq!(found.needed, expected.needed, "{agent}");
        assert_eq!(found.receipt["agents"], serde_json::json!([agent]));
        different.insert(expected.partitions);
    }
    assert!(different.len() >= 3, "the crawlers are treated differently");
}

#[test]
fn a_crawler_that_the_policy_does_not_have_is_refused() {
    let bench = Bench::with_site();
    compile(&bench, "--agent a --agent b sites -o two.rsv");
    compile(&bench, "--agent a --agent b --dialect google sites -o google.rsv");
    bench.file("urls", "http://a.example/\n");
    for (words, message) in [
        ("--policy two.rsv", ["--agent", "a; b"]),
        ("--policy two.rsv --agent c", ["not compiled for c", "a; b"]),
        ("--policy two.rsv --agent a,c", ["not compiled for c", "a; b"]),
        ("--policy two.rsv --agent *", ["not compiled for *", "a; b"]),
        ("--policy google.rsv --agent a,b", ["merges", "google"]),
    ] {
        for command in ["filter --out out urls", "check http://a.example/"] {
            let done = bench.program(command).args(words.split(' ')).assert().code(2);
            said(&done.get_output().stderr, &message);
        }
        assert!(!bench.path("out").exists());
    }
    let done = bench.program("compile --agent a --agent A sites -o three.rsv").assert().code(2);
    said(&done.get_output().stderr, &["A is given twice"]);
    let many: String = (0..1025).map(|number| format!("--agent bot{number} ")).collect();
    let done = bench.program(&format!("compile {many} sites -o three.rsv")).assert().code(2);
    said(&done.get_output().stderr, &["at most 1024"]);
    assert!(!bench.path("three.rsv").exists());
}

#[test]
fn crawlers_come_from_a_file_of_names() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\nhttp://a.example/private/x\n");
    compile(&bench, "--agent GPTBot --agent bigsur --agent ChatGPT sites -o named.rsv");
    bench.file("names", "\u{feff}GPTBot/1.2\n\n# comment\nbigsur.ai # Big Sur\r\nChatGPT Agent\ngptbot\n");
    bench.file("names.json", r#"["GPTBot", "bigsur.ai", "ChatGPT Agent", "gptbot"]"#);
    bench.file("keys.json", r#"{"bigsur.ai": {}, "ChatGPT Agent": {"operator": "OpenAI"}, "gptbot": {}}"#);
    for file in ["names", "names.json"] {
        let done = bench.program(&format!("compile --agents-file {file} sites -o file.rsv")).assert().success();
        let warnings = [r#""bigsur.ai" is read as bigsur"#, r#""ChatGPT Agent" is read as ChatGPT"#, "share a column"];
        said(&done.get_output().stderr, &warnings);
        assert_eq!(bench.read("file.rsv"), bench.read("named.rsv"), "{file}");
    }
    bench.program("compile --agent GPTBot --agents-file keys.json sites -o file.rsv").assert().success();
    let both = "filter --policy named.rsv --agents-file names --verdicts --out both urls";
    bench.program(both).assert().success();
    let names = "filter --policy named.rsv --agent GPTBot --agent bigsur --agent ChatGPT --verdicts --out options urls";
    bench.program(names).assert().success();
    assert_eq!(bench.read("both/verdicts.tsv"), bench.read("options/verdicts.tsv"));
    bench.program("check --policy named.rsv --agents-file names http://a.example/").assert().success();
    for (text, message) in [
        ("", "it names no crawler"),
        ("a\n.ai\n", "line 2: nothing of \".ai\" names a crawler"),
        ("a\tb\n", "has the character '\\t'"),
        ("a\n\u{fffd}", "line 2"),
        ("[1]", "where a name is expected"),
        ("[\"a\"", "column"),
    ] {
        bench.file("bad", text);
        let done = bench.program("compile --agents-file bad sites -o bad.rsv").assert().code(2);
        said(&done.get_output().stderr, &["--agents-file: bad", message]);
    }
    bench.program("filter --policy named.rsv --agents-file missing --out x urls").assert().code(2);
    bench.file("long", format!("GPTBot\n{}.ai\n", "x".repeat(50_000)));
    let done = bench.program("compile --agents-file long sites -o long.rsv").assert().success();
    assert!(done.get_output().stderr.len() < 1000);
    bench.file("unknown", "CCBot\n");
    let done = bench.program("filter --policy named.rsv --agents-file unknown --out x urls").assert().code(2);
    said(&done.get_output().stderr, &["not compiled for CCBot"]);
}

/// In these dialects, a whole value is a name.
#[test]
fn crawlers_keep_names_that_are_no_product_tokens() {
    let bench = Bench::new();
    bench.file("sites/a.example", "User-agent: bigsur.ai\nDisallow: /\n");
    bench.file("urls", "http://a.example/x\n");
    bench.file("names", "bigsur.ai\nChatGPT Agent\n");
    for dialect in ["extended-2008", "original-1994", "draft-1996", "mandelbot"] {
        let words = format!("compile --dialect {dialect} --agents-file names sites -o {dialect}.rsv");
        let done = bench.program(&words).assert().success();
        assert!(!String::from_utf8_lossy(&done.get_output().stderr).contains("warning"));
        let words = format!("filter --policy {dialect}.rsv --agents-file names --blocked-for --out out --force urls");
        bench.program(&words).assert().success();
        assert!(bench.read("out/verdicts.tsv").ends_with(b"\nbigsur.ai\t\thttp://a.example/x\n"), "{dialect}");
        bench.program("verify out --inputs").assert().success();
        bench.program(&format!("report out --policy {dialect}.rsv")).assert().success();
        for words in [
            format!("inspect {dialect}.rsv http://a.example --agent bigsur.ai"),
            format!("export {dialect}.rsv --what access --agent BigSur.ai"),
            format!("diff {dialect}.rsv {dialect}.rsv --agent bigsur.ai"),
            format!("history {dialect}.rsv {dialect}.rsv --agent bigsur.ai"),
        ] {
            bench.program(&words).assert().success();
        }
    }
    bench.program("compile --agents-file names sites -o rfc9309.rsv").assert().success();
    let done = bench.program("export rfc9309.rsv --what access --agent bigsur.ai").assert().success();
    assert!(String::from_utf8_lossy(&done.get_output().stdout).contains("\tbigsur\tall\t"));
    let done = bench.program("export rfc9309.rsv --what access --agent other.ai").assert().code(2);
    said(&done.get_output().stderr, &["not compiled for other.ai, only for bigsur; ChatGPT"]);
}

#[test]
fn a_policy_and_robots_txt_files_exclude_each_other() {
    let bench = Bench::with_site();
    compile(&bench, "--agent a sites -o policy.rsv");
    bench.file("urls", "http://a.example/\n");
    for (words, message) in [
        ("--policy policy.rsv --agent a --robots sites/a.example", ["--policy", "--robots"]),
        ("--policy policy.rsv --dialect google", ["--policy", "--dialect"]),
        ("--agent a", ["--robots", "--policy"]),
        ("--robots sites/a.example", ["--agent", "--policy"]),
        ("--agent a --robots sites/a.example --trust-checksum", ["--trust-checksum", "--robots"]),
        ("--agent a --trust-checksum", ["--policy", "required"]),
    ] {
        for command in ["filter --out out urls", "check http://a.example/"] {
            let done = bench.program(&format!("{command} {words}")).assert().code(2);
            said(&done.get_output().stderr, &message);
        }
    }
}

#[test]
fn the_same_sources_make_the_same_file() {
    let bench = Bench::new();
    let compile = |name: &str, sources: &str, threads: &str| {
        let words = format!("compile --agent examplebot --agent otherbot {sources} -o {name}");
        bench.program(&words).env("RAYON_NUM_THREADS", threads).assert().success();
        bench.read(name)
    };
    let first = compile("first.rsv", DATASETS, "1");
    assert_eq!(compile("second.rsv", "DATASETS/origins.jsonl DATASETS/sites", "3"), first);
    let mut lines: Vec<String> =
        String::from_utf8(bench.read("DATASETS/origins.jsonl")).expect("UTF-8").lines().map(str::to_owned).collect();
    lines.reverse();
    let (some, others) = lines.split_at(lines.len() / 2);
    bench.file("some.jsonl", some.join("\n"));
    bench.file("others.jsonl", others.join("\n"));
    assert_eq!(compile("third.rsv", "others.jsonl DATASETS/sites some.jsonl", "2"), first);
    let text = String::from_utf8_lossy(&first).into_owned();
    assert!(!text.contains("datasets") && !text.contains("origins.jsonl"), "no path is in it");
}

#[test]
fn how_often_a_capture_lost_is_told_but_not_kept() {
    let bench = Bench::new();
    let line =
        |time: u32, body: &str| format!(r#"{{"origin":"http://a","status":200,"body":"{body}","fetched_at":{time}}}"#);
    let lines = [line(1, "a"), line(1, "b"), line(2, "c"), line(2, "d"), line(2, "e"), line(0, "f")];
    let mut files = Vec::new();
    for start in 0..lines.len() {
        let rotated: Vec<&str> = lines.iter().cycle().skip(start).step_by(5).take(6).map(String::as_str).collect();
        bench.file("in.jsonl", rotated.join("\n"));
        compile(&bench, "--agent a in.jsonl -o policy.rsv");
        files.push(bench.read("policy.rsv"));
    }
    assert!(files.iter().all(|file| *file == files[0]));
    let text = String::from_utf8_lossy(&files[0]).into_owned();
    assert!(text.contains(r#""answers":{"robots-txt":1}"#) && !text.contains("captures"), "{text}");
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let bench = Bench::with_site();
    bench.file("out/policy.rsv", b"\x89RSV\r\n\x1a\ndamaged");
    compile(&bench, "--agent a sites -o out/policy.rsv");
    let first = bench.read("out/policy.rsv");
    assert_eq!(bench.names("out"), ["policy.rsv"]);
    let done = bench.program("compile --agent a sites/a.example -o out/policy.rsv").assert().code(2);
    said(&done.get_output().stderr, &["sites/a.example"]);
    assert_eq!(bench.read("out/policy.rsv"), first, "an error leaves it as it was");
    for output in ["missing/policy.rsv", "out"] {
        let done = bench.program(&format!("compile --agent a sites -o {output}")).assert().code(2);
        said(&done.get_output().stderr, &["cannot write", output]);
    }
    assert_eq!(bench.names("out"), ["policy.rsv"]);
}

#[cfg(unix)]
#[test]
fn a_policy_file_may_be_read_by_whom_the_system_lets() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::with_site();
    bench.file("plain", "");
    compile(&bench, "--agent a sites -o policy.rsv");
    let mode = |name: &str| std::fs::metadata(bench.path(name)).expect("a file").permissions().mode();
    assert_eq!(mode("policy.rsv"), mode("plain"));
}

#[test]
fn what_is_no_policy_file_is_refused_with_a_reason() {
    let bench = Bench::with_site();
    compile(&bench, "--agent a sites -o policy.rsv");
    bench.file("urls", "http://a.example/no\n");
    let whole = bench.read("policy.rsv");
    let changed = |at: usize, byte: u8| {
        let mut file = whole.clone();
        file[at] ^= byte;
        file
    };
    let version = whole[8];
    let newer = format!("version {}", version + 1);
    let older = format!(
        "older robosieve (file version {}, and this one reads {version}); compile it again with `robosieve compile`",
        version - 1
    );
    let rules = whole.windows(3).rposition(|text| text == b"/no").expect("the rule");
    for (file, message) in [
        (Vec::new(), "is empty"),
        (b"User-agent: *\nDisallow: /\n".to_vec(), "not a policy file"),
        (changed(0, 1), "not a policy file"),
        (changed(8, version ^ (version + 1)), &newer),
        (changed(8, version ^ (version - 1)), &older),
        (whole[..100].to_vec(), "cut short: 100"),
        (whole[..whole.len() - 1].to_vec(), "cut short"),
        ([&whole[..], b"x"].concat(), "after its end"),
        (changed(30, 1), "header is damaged"),
        (changed(rules, 1), "checksum differs"),
    ] {
        bench.file("bad.rsv", file);
        for command in ["filter --policy bad.rsv --out out urls", "check --policy bad.rsv http://a.example/no"] {
            let done = bench.program(command).assert().code(2);
            said(&done.get_output().stderr, &["bad.rsv", message]);
        }
        assert!(!bench.path("out").exists());
    }
    for name in ["missing.rsv", "sites"] {
        let done = bench.program(&format!("check --policy {name} http://a.example/no")).assert().code(2);
        said(&done.get_output().stderr, &["cannot read the policy", name]);
    }
    // Without the checksum, damage that keeps the structure goes unnoticed, as the help says: the verdict is the automaton's, and
    // the rule that would explain it is another one now.
    bench.file("bad.rsv", changed(rules + 2, 1));
    let done = bench.program("check --policy bad.rsv --trust-checksum http://a.example/no").assert().code(1);
    done.stdout("blocked\thttp://a.example/no\tno rule matches\tUser-agent: * (line 1)\n");
}

#[test]
fn check_explains_by_a_policy_as_by_a_robots_txt() {
    let bench = Bench::new();
    let file = "# A comment\nUser-agent: examplebot\nUser-agent: other\nDisallow: /no\nAllow: /no/but # this\n\n\
                User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot/2\nDisallow: /*.pdf$\nSitemap: /s\n";
    bench.file("sites/a.example", file);
    for agent in ["examplebot", "somebody", "x,other"] {
        compile(&bench, &format!("--agent {agent} sites -o policy.rsv"));
        let urls = ["", "/no", "/no/but?x#y", "/x.pdf", "/x.pdf?y", "/robots.txt", "/%6eo"];
        let urls = urls.map(|path| format!("http://a.example{path}")).join(" ");
        let by = |words: &str| {
            let done = bench.program(&format!("check {words} {urls} http://:")).assert().code(2);
            String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8")
        };
        let expected = by(&format!("--agent {agent} --robots sites/a.example"));
        assert_eq!(by("--policy policy.rsv"), expected);
        assert_eq!(by(&format!("--policy policy.rsv --agent {agent}")), expected);
        assert_eq!(expected.lines().count(), 8);
    }
}

#[test]
fn check_says_why_there_is_no_rule() {
    let bench = Bench::new();
    let good = r#""status":200,"body":"User-agent: *\nDisallow: /no\n","fetched_at":1"#;
    bench.file(
        "in.jsonl",
        format!(
            "{{\"origin\":\"http://group\",\"status\":200,\"body\":\"User-agent: other\\nDisallow: /\\n\"}}\n\
             {{\"origin\":\"http://none\",\"status\":404}}\n{{\"origin\":\"http://forbidden\",\"status\":403}}\n\
             {{\"origin\":\"http://down\",\"status\":503}}\n{{\"origin\":\"http://silent\",\"status\":null}}\n\
             {{\"origin\":\"http://lost\",\"status\":301,\"location\":\"http://elsewhere/\"}}\n\
             {{\"origin\":\"http://was\",{good}}}\n\
             {{\"origin\":\"http://was\",\"status\":500,\"fetched_at\":2}}\n"
        ),
    );
    compile(&bench, "--agent me --dialect draft-1996 in.jsonl -o policy.rsv");
    for (url, status, answer) in [
        ("http://group/", 0, "allowed\thttp://group/\tno group applies\t-\n"),
        ("http://none/", 0, "allowed\thttp://none/\tthere is no robots.txt (status 404)\t-\n"),
        ("http://forbidden/", 1, "blocked\thttp://forbidden/\trobots.txt itself is refused (status 403)\t-\n"),
        ("http://down/", 1, "deferred\thttp://down/\trobots.txt is unreachable (status 503)\t-\n"),
        ("http://silent/", 1, "deferred\thttp://silent/\trobots.txt is unreachable\t-\n"),
        (
            "http://lost/",
            1,
            "deferred\thttp://lost/\trobots.txt redirects to a URL that was not fetched (status 301)\t-\n",
        ),
        ("https://none/", 1, "deferred\thttps://none/\tits robots.txt was never fetched\t-\n"),
        (
            "http://was/no",
            1,
            "deferred\thttp://was/no\trobots.txt is unreachable (status 500); the last good answer said blocked: \
             line 2: Disallow: /no\tUser-agent: * (line 1)\n",
        ),
    ] {
        let done = bench.program(&format!("check --policy policy.rsv {url}")).assert().code(status);
        done.stdout(answer);
    }
}

/// The sections of a policy file except META, which counts the sources.
fn content(file: &[u8]) -> Vec<u8> {
    let long = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes")) as usize;
    // Everything after the first section.
    file[long(56)..].to_vec()
}

#[test]
fn merging_gives_what_all_sources_together_give() {
    let bench = Bench::new();
    let line = |host: usize, time: u32, status: u16| {
        let body = format!("User-agent: a\\nDisallow: /{}\\nCrawl-delay: {time}\\nSitemap: {host}\\n", time % 4);
        let body = match status {
            200 => format!(r#","body":"{body}""#),
            _ => format!(r#","unreachable_since":{}"#, time - 3),
        };
        format!(r#"{{"origin":"http://host{host}","status":{status},"fetched_at":{time}{body}}}"#)
    };
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for host in 0..60usize {
        let status = |bits: usize| if host >> bits & 1 == 1 { 200 } else { [503, 404][host >> 5 & 1] };
        if host % 7 > 0 {
            old.push(line(host, 10, status(0)));
            old.push(line(host, 20, status(1)));
        }
        if host % 5 > 0 {
            new.push(line(host, 15, status(2)));
            new.push(line(host, 25, status(3)));
        }
    }
    // A 304 in one policy confirms the robots.txt in the other, if its newest answer is one or failed after one.
    for (host, history) in [[(10, 200), (25, 304)], [(30, 200), (25, 304)], [(10, 404), (25, 304)]].iter().enumerate() {
        for (more, failed) in [(60, None), (70, Some(503))] {
            old.push(line(more + host, history[0].0, history[0].1));
            old.extend(failed.map(|status| line(more + host, history[0].0 + 1, status)));
            new.push(line(more + host, history[1].0, history[1].1));
        }
    }
    bench.file("old.jsonl", old.join("\n"));
    bench.file("new.jsonl", new.join("\n"));
    for (name, sources) in [("old", "old.jsonl"), ("new", "new.jsonl"), ("both", "old.jsonl new.jsonl")] {
        compile(&bench, &format!("--agent a --agent b {sources} -o {name}.rsv"));
    }
    for (one, other) in [("old", "new"), ("new", "old")] {
        bench.program(&format!("merge {one}.rsv {other}.rsv -o merged.rsv")).assert().success();
        assert!(content(&bench.read("merged.rsv")) == content(&bench.read("both.rsv")), "{one} and {other}");
    }
    let merged = bench.read("merged.rsv");
    bench.program("merge merged.rsv old.rsv -o merged.rsv").assert().success();
    assert!(content(&bench.read("merged.rsv")) == content(&merged), "nothing new, into itself");
    assert!(bench.read("merged.rsv") == merged, "counts are those of the policy that results");
}

#[test]
fn a_failure_erases_no_rules_when_policies_are_merged() {
    let bench = Bench::new();
    let good = r#"{"origin":"http://a.example","status":200,"body":"User-agent: *\nDisallow: /no\n","fetched_at":10}"#;
    bench.file("old.jsonl", good);
    bench.file("new.jsonl", r#"{"origin":"http://a.example","status":503,"fetched_at":20}"#);
    compile(&bench, "--agent me old.jsonl -o old.rsv");
    compile(&bench, "--agent me new.jsonl -o new.rsv");
    bench.program("merge old.rsv new.rsv -o policy.rsv").assert().success();
    let done = bench.program("check --policy policy.rsv http://a.example/no").assert().code(1);
    done.stdout(
        "deferred\thttp://a.example/no\trobots.txt is unreachable (status 503); the last good answer said blocked: \
         line 2: Disallow: /no\tUser-agent: * (line 1)\n",
    );
    bench.program("merge policy.rsv new.rsv -o policy.rsv").assert().success();
    bench.program("check --policy policy.rsv http://a.example/no").assert().code(1);
}

#[test]
fn policies_that_do_not_agree_are_not_merged() {
    let bench = Bench::with_site();
    compile(&bench, "--agent a --agent b sites -o ab.rsv");
    compile(&bench, "--agent B --agent a sites -o ba.rsv");
    compile(&bench, "--agent A --agent b sites -o upper.rsv");
    compile(&bench, "--agent a --agent b --dialect google sites -o google.rsv");
    bench.file("damaged.rsv", &bench.read("ab.rsv")[..200]);
    for (other, message) in [
        ("ba.rsv", &["crawlers", "a; b", "B; a"][..]),
        ("google.rsv", &["dialects", "rfc9309", "google"]),
        ("damaged.rsv", &["damaged.rsv", "cut short"]),
        ("missing.rsv", &["missing.rsv"]),
    ] {
        let done = bench.program(&format!("merge ab.rsv {other} -o out.rsv")).assert().code(2);
        said(&done.get_output().stderr, message);
        assert!(!bench.path("out.rsv").exists());
    }
    bench.program("merge ab.rsv upper.rsv -o out.rsv").assert().success();
}

/// Overwrites no file made by anyone else.
#[test]
fn a_policy_replaces_nothing_but_a_policy() {
    let bench = Bench::with_site();
    bench.file("notes", "mine");
    bench.file("in.jsonl", "{\"origin\":\"http://a.example\",\"status\":404}\n");
    compile(&bench, "--agent a sites -o policy.rsv");
    let policy = bench.read("policy.rsv");
    bench.file("new.rsv", &policy);
    for (words, named) in [
        ("compile --agent a sites -o notes", "notes exists and is not a policy file"),
        ("compile --agent a in.jsonl -o in.jsonl", "in.jsonl is an input"),
        ("compile --agent a sites --overrides notes -o notes", "notes is an input"),
        ("merge policy.rsv new.rsv -o notes", "notes exists"),
        ("merge policy.rsv new.rsv --overrides notes -o notes", "notes is an input"),
        ("export policy.rsv --what status -o notes", "notes exists"),
        ("export policy.rsv --what status -o policy.rsv", "policy.rsv is an input"),
    ] {
        let before = ["notes", "in.jsonl", "policy.rsv", "new.rsv"].map(|name| bench.read(name));
        let done = bench.program(words).assert().code(2);
        said(&done.get_output().stderr, &[named]);
        assert_eq!(["notes", "in.jsonl", "policy.rsv", "new.rsv"].map(|name| bench.read(name)), before, "{words}");
    }
    bench.file("robosieve.1", "mine");
    let done = bench.program("man -o .").assert().code(2);
    said(&done.get_output().stderr, &["robosieve.1", "not a manual page"]);
    // Empty files and damaged policies may be replaced; so may the older input of a merge.
    bench.file("empty", "");
    bench.file("damaged.rsv", &policy[..40]);
    for output in ["empty", "damaged.rsv", "policy.rsv"] {
        compile(&bench, &format!("--agent a sites -o {output}"));
        assert!(bench.read(output) == policy, "{output}");
    }
    bench.program("merge policy.rsv new.rsv -o policy.rsv --quiet").assert().success().stderr("");
    bench.program("export policy.rsv --what status -o empty.tsv").assert().success();
    bench.program("export policy.rsv --what status -o empty.tsv").assert().code(2);
    bench.program("export policy.rsv --what status -o empty.tsv --force").assert().success();
}

#[cfg(unix)]
#[test]
fn a_policy_may_go_to_a_device_or_a_pipe() {
    let bench = Bench::with_site();
    compile(&bench, "--agent a sites -o policy.rsv");
    let done = bench.program("compile --quiet --agent a sites -o /dev/stdout").assert().success();
    assert!(done.get_output().stdout == bench.read("policy.rsv"));
    compile(&bench, "--agent a sites -o /dev/null");
    assert!(!std::fs::metadata("/dev/null").expect("it is there").is_file());
}

#[cfg(unix)]
#[test]
fn files_below_the_folder_of_devices_are_files() {
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        eprintln!("SKIPPED: there is no /dev/shm");
        return;
    };
    let bench = Bench::with_site();
    compile(&bench, "--agent a sites -o policy.rsv");
    let (new, mine) = (memory.path().join("new.rsv"), memory.path().join("mine.txt"));
    compile(&bench, &format!("--agent a sites -o {}", new.display()));
    assert!(std::fs::read(&new).unwrap() == bench.read("policy.rsv"));
    std::fs::write(&mine, "mine").unwrap();
    bench.program(&format!("compile --agent a sites -o {}", mine.display())).assert().code(2);
    assert_eq!(std::fs::read(&mine).unwrap(), b"mine");
}
