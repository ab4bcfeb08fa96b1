//! `filter` on the data of the repository.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::num::NonZero;

use robosieve::Agents;
use robosieve::internals::Axes;
use robosieve::{Dialect, RuleSet, Verdict, origin};

use crate::support::program::{Bench, SOURCES};
use crate::support::results::{PARTITIONS, Split, Sums, content, lines};

/// The origins in `origins.jsonl` without a verdict under rfc9309, each with the reason and last status.
const WITHOUT_VERDICT: [(&str, &str, &str); 7] = [
    ("https://flaky.example.org", "unreachable", "503"),
    ("https://down.example", "unreachable", "500"),
    ("https://longdown.example", "unreachable", "503"),
    ("https://busy.example", "unreachable", "429"),
    ("https://silent.example", "unreachable", ""),
    ("https://lost.test", "redirect-unresolved", "301"),
    ("https://wrong-place.example.com", "unfetched", ""),
];

fn origin_of(line: &[u8]) -> String {
    origin::split(content(line)).expect("a deferred line is a URL").0.into_owned()
}

#[test]
fn every_line_is_in_one_partition_and_in_the_receipt() {
    let bench = Bench::new();
    let split = bench.split(SOURCES, &["DATASETS/urls.txt"]);
    let lines: Vec<usize> = PARTITIONS.iter().map(|name| split.lines(name).len()).collect();
    assert!(lines.iter().all(|&lines| lines > 40), "every partition has lines: {lines:?}");
    assert_eq!(split.receipt["robosieve"], env!("CARGO_PKG_VERSION"));
    assert_eq!(split.receipt["dialect"], "rfc9309");
    assert_eq!(split.receipt["agents"], serde_json::json!(["examplebot"]));
    assert!(split.receipt["line_hash"].as_str().is_some_and(|hash| hash.contains("XXH3-128")));
    assert_eq!(split.receipt["policy"]["captures"]["same_time"], 1, "twice.example.org");
    assert_eq!(split.receipt["policy"]["captures"]["not_robots_txt"], 2);
    assert_eq!(split.receipt["policy"]["last_good"], 1, "flaky.example.org");
    assert_eq!(split.receipt["policy"]["notes"]["looks-like-html"], 1, "one file, though it has two origins");
    assert!(split.receipt["policy"]["notes"]["misspelt-key"].as_u64() > Some(0));
    for reason in ["empty", "not-absolute", "scheme", "host", "port"] {
        assert!(split.reasons("invalid").contains_key(reason), "{reason}");
    }
}

#[test]
fn robots_needed_has_each_origin_once_in_order_of_first_appearance() {
    let bench = Bench::new();
    let split = bench.split(SOURCES, &["DATASETS/urls.txt"]);
    let known: HashMap<_, _> = WITHOUT_VERDICT.map(|(origin, reason, status)| (origin, (reason, status))).into();
    let mut expected: Vec<(String, u64, (&str, &str))> = Vec::new();
    let mut origins = Vec::new();
    for line in lines(&split.partitions[2]) {
        let origin = origin_of(line);
        // It redirects to a URL that was never asked, for which another origin may wait, too.
        let url = match origin.as_str() {
            "https://lost.test" => "https://elsewhere.invalid/robots.txt".to_owned(),
            origin => format!("{origin}/robots.txt"),
        };
        match expected.iter_mut().find(|(known, ..)| *known == url) {
            Some((_, lines, _)) => *lines += 1,
            None => expected.push((url, 1, known.get(origin.as_str()).copied().unwrap_or(("unfetched", "")))),
        }
        origins.push(origin);
    }
    let rows = split.needed_rows();
    assert_eq!(rows.len(), expected.len());
    for (row, (url, lines, (reason, status))) in rows.iter().zip(&expected) {
        assert_eq!(row, &[url.as_str(), *reason, &lines.to_string(), *status]);
    }
    for (origin, ..) in WITHOUT_VERDICT {
        assert!(origins.iter().any(|found| found == origin), "{origin} has lines in the list");
    }
}

#[test]
#[ignore = "takes long"]
fn threads_change_nothing() {
    let bench = Bench::new();
    for dialect in Dialect::ALL.iter().map(|dialect| dialect.name) {
        let mut first: Option<Split> = None;
        for threads in [1, 2, 3] {
            let options = format!("{SOURCES} --force --dialect {dialect} --threads {threads}");
            let split = bench.split(&options, &["DATASETS/urls.txt"]);
            assert_eq!(split.receipt["options"]["threads"], threads);
            let split = split.timeless();
            let first = first.get_or_insert_with(|| split.clone());
            assert!(*first == split, "{dialect}, {threads} threads");
        }
    }
}

#[test]
fn without_threads_there_is_one_worker_for_each_processor() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    let split = bench.split("--robots sites", &["urls"]);
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    assert_eq!(split.receipt["options"]["threads"], processors);
}

/// The rules for one origin in a directory source, found by file name: the encoded origin, else the host.
fn rules_of(origin: &str, agents: &Agents, dialect: &Dialect) -> Option<RuleSet> {
    let sites = Bench::new().path("DATASETS/sites");
    let encoded: String = origin
        .chars()
        .map(|letter| if ":/[]".contains(letter) { format!("%{:02X}", u32::from(letter)) } else { letter.to_string() })
        .collect();
    let host = origin.split_once("://").expect("an origin").1;
    let file = fs::read(sites.join(encoded)).or_else(|_| fs::read(sites.join(host))).ok()?;
    Some(RuleSet::compile(&file, agents, dialect))
}

/// The partition of a line by the library's explanation.
fn explained(line: &[u8], cache: &mut HashMap<String, Option<RuleSet>>, dialect: &Dialect) -> &'static str {
    let Ok((origin, rest)) = origin::split(line) else { return "invalid" };
    let agents = "examplebot".parse().expect("a token");
    let rules = cache.entry(origin.into_owned()).or_insert_with_key(|origin| rules_of(origin, &agents, dialect));
    match rules.as_ref().map(|rules| rules.explain(dialect.url_path().of(rest)).verdict) {
        Some(Verdict::Allowed) => "allowed",
        Some(Verdict::Blocked) => "blocked",
        None => "deferred",
    }
}

#[test]
fn every_line_goes_where_the_library_explains() {
    let bench = Bench::new();
    let list = bench.read("DATASETS/urls.txt");
    for dialect in Dialect::ALL {
        let options = format!("--robots DATASETS/sites --delimiter none --force --dialect {}", dialect.name);
        let split = bench.split(&options, &["DATASETS/urls.txt"]);
        let mut cache = HashMap::new();
        let mut expected: BTreeMap<&str, Vec<u8>> = PARTITIONS.map(|name| (name, Vec::new())).into();
        for line in lines(&list) {
            let partition = explained(content(line), &mut cache, dialect);
            expected.get_mut(partition).expect("a partition").extend_from_slice(line);
        }
        for (name, text) in PARTITIONS.iter().zip(&split.partitions) {
            let (wanted, found): (BTreeSet<_>, BTreeSet<_>) =
                (lines(&expected[name]).into_iter().collect(), lines(text).into_iter().collect());
            let wrong: Vec<String> = found.difference(&wanted).map(|line| line.escape_ascii().to_string()).collect();
            assert!(wrong.is_empty(), "{} has in {name}: {wrong:#?}", dialect.name);
            assert!(expected[name] == *text, "{}: {name} differs", dialect.name);
        }
    }
}

#[test]
fn dialects_differ_where_they_should() {
    let bench = Bench::new();
    let split = |dialect: &str| {
        let options = format!("{SOURCES} --force --dialect {dialect}");
        let split = bench.split(&options, &["DATASETS/urls.txt"]);
        assert_eq!(split.receipt["dialect"], dialect);
        split.partitions
    };
    let all: Vec<_> = Dialect::names().into_iter().map(split).collect();
    for (place, one) in all.iter().enumerate() {
        assert!(all[..place].iter().all(|other| other[..2] != one[..2]), "{}", Dialect::names()[place]);
        assert_eq!(one[3], all[0][3], "what is invalid is no matter of dialects");
    }
}

/// Lines lost, repeated, changed or swapped after the run no longer match the receipt.
#[test]
fn a_partition_that_was_tampered_with_does_not_fit_the_receipt() {
    let bench = Bench::new();
    let split = bench.split(SOURCES, &["DATASETS/urls.txt"]);
    let part = &split.receipt["partitions"]["allowed"]["written"];
    let whole = lines(&split.partitions[0]);
    let at = whole.windows(2).position(|pair| pair[0] != pair[1]).expect("two lines");
    let fits = |lines: &[&[u8]]| Sums::of(&lines.concat()).fit(part);
    assert!(fits(&whole));
    let changed = |change: &dyn Fn(&mut Vec<&[u8]>)| {
        let mut lines = whole.clone();
        change(&mut lines);
        fits(&lines)
    };
    assert!(!changed(&|lines| lines.truncate(lines.len() - 1)), "the last one dropped");
    assert!(!changed(&|lines| lines.retain(|line| *line != whole[at])), "dropped");
    assert!(!changed(&|lines| lines.insert(at, lines[at])), "doubled");
    assert!(!changed(&|lines| lines.swap(at, at + 1)), "swapped");
    assert!(!changed(&|lines| lines[at] = b"http://other.example/\n"), "replaced");
    assert!(!changed(&|lines| lines[at] = content(lines[at])), "without its line feed");
}
