//! Lines are left out, for any reason, as if they were in no list: the others have the verdicts, the files and the counts that they
//! have in lists without them.

use std::collections::HashSet;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use robosieve::SameUrl;
use robosieve::run::{Folder, Job, OutputMode, Progress, SeenFile, Shard, join};
use serde_json::Value;

use super::{Bench, LINES, Text, files, lists, without};
use crate::random_cases::config_with;

/// How URLs are known.
#[derive(Debug, Clone)]
enum Known {
    /// From lines before.
    Lines,
    /// From an earlier run over these lines, too.
    EarlierRun(Vec<usize>),
    /// From the keys of so many shards.
    Shards(u32),
}

#[derive(Debug, Clone)]
struct Case {
    lists: Vec<Text>,
    known: Known,
    fields: bool,
    verdicts: bool,
    per_input: bool,
    chunk_size: usize,
    threads: usize,
}

/// Cases of each kind of what is known. Without fields, a line that is left out has a mark.
fn cases(known: BoxedStrategy<Known>, fields: bool) -> impl Strategy<Value = Case> {
    let sizes = prop::sample::select(vec![1, 40, 1 << 16]);
    let of = (lists(10, fields), known, any::<bool>(), any::<bool>(), sizes, 1usize..3);
    of.prop_map(move |(mut lists, known, verdicts, per_input, chunk_size, threads)| {
        lists[0].lines.insert(0, 0);
        if !fields {
            let last = lists.last_mut().expect("a list");
            last.lines.insert(0, 1);
            last.is_marked = true;
        }
        Case { lists, known, fields, verdicts, per_input, chunk_size, threads }
    })
}

/// The lines and bytes that are left out of a list: those that are repeated, and those that an earlier run has seen.
type LeftOut = [(u64, u64); 2];

/// The URLs that an earlier run has seen: those it has allowed.
fn seen(case: &Case) -> HashSet<usize> {
    let Known::EarlierRun(lines) = &case.known else { return HashSet::new() };
    lines.iter().filter(|&&line| LINES[line].2).filter_map(|&line| LINES[line].1).collect()
}

/// The lists without the lines that are left out, and those.
fn rest(case: &Case) -> Vec<(String, LeftOut, bool)> {
    let mut before = HashSet::new();
    let seen = seen(case);
    let of_list = |list: &Text| {
        let (mut rest, lines) = list.pieces(case.fields);
        let (mut left_out, mut is_mark_left_out) = (LeftOut::default(), false);
        for (line, text) in list.lines.iter().zip(lines) {
            let reason = LINES[*line].1.and_then(|url| match before.insert(url) {
                false => Some(0),
                true => seen.contains(&url).then_some(1),
            });
            match reason {
                None => rest += &text,
                Some(reason) => {
                    left_out[reason].0 += 1;
                    left_out[reason].1 += text.len() as u64;
                    is_mark_left_out |= text.starts_with('\u{feff}');
                }
            }
        }
        (rest, left_out, is_mark_left_out)
    };
    case.lists.iter().map(of_list).collect()
}

fn folder(bench: &Bench, case: &Case, name: &str) -> Folder {
    let form = if case.verdicts { OutputMode::Verdicts } else { OutputMode::Partitions };
    Folder::new(bench.path(name)).form(form).per_input(case.per_input)
}

/// The receipt of the job without what is known.
fn run(bench: &Bench, case: &Case, lists: &[PathBuf]) -> Value {
    let job =
        bench.job(lists, case.fields).unique(Some(SameUrl::Fetched)).chunk_size(case.chunk_size).threads(case.threads);
    match &case.known {
        Known::Lines => bench.run(job, folder(bench, case, "out")),
        Known::EarlierRun(lines) => {
            let text: String = lines.iter().map(|&line| format!("{}\n", LINES[line].0)).collect();
            let earlier = bench.write("earlier", [text.into_bytes()]);
            let seen = Some(bench.path("seen.rss"));
            let first = bench.job(&earlier, false).unique(Some(SameUrl::Fetched)).seen(seen.clone());
            first.run(&bench.policy, &Progress::default()).expect("a run");
            bench.run(job.seen(seen), folder(bench, case, "out"))
        }
        Known::Shards(of) => in_shards(bench, case, &job, *of),
    }
}

fn in_shards(bench: &Bench, case: &Case, job: &Job, of: u32) -> Value {
    let shard = |number: u32| Some(format!("{number}/{of}").parse::<Shard>().expect("a shard"));
    let keys = bench.path("keys");
    std::fs::create_dir(&keys).expect("a folder");
    for number in 1..=of {
        let out = keys.join(format!("{number}.rss"));
        job.clone().shard(shard(number)).write_keys(&out, &Progress::default()).expect("keys");
    }
    let parts: Vec<PathBuf> = (1..=of).map(|number| bench.path(&format!("part{number}"))).collect();
    for (number, part) in (1..).zip(&parts) {
        let job = job.clone().shard(shard(number)).keys(Some(keys.clone()));
        bench.run(job, folder(bench, case, part.file_name().and_then(|name| name.to_str()).expect("a name")));
    }
    let receipt = join(&parts, &bench.path("out"), true, false).expect("all shards");
    bench.is_proven(&bench.path("out"));
    serde_json::to_value(&receipt).expect("JSON")
}

/// The counts of a receipt or a list.
fn counted(part: &Value, name: &str) -> (u64, u64) {
    let count = |what: &str| part[name][what].as_u64().unwrap_or_default();
    (count("lines"), count("bytes"))
}

fn check(case: &Case) -> bool {
    let bench = Bench::new();
    let rest = rest(case);
    let lists = bench.write("in", case.lists.iter().map(|list| list.whole(case.fields)));
    let found = run(&bench, case, &lists);
    let lists = bench.write("rest", case.lists.iter().zip(&rest).map(|(list, (text, ..))| list.stored(text)));
    let expected = bench.run(bench.job(&lists, case.fields), folder(&bench, case, "expected"));

    assert!(files(&bench.path("out")) == files(&bench.path("expected")), "the files");
    let same = ["partitions", "verdicts", "robots_needed", "origins_needed", "added_line_feeds", "dot_segments"];
    let also = ["urls_with_tabs", "rewritten_paths", "normalised_paths", "www_fallbacks", "skipped"];
    for field in same.into_iter().chain(also) {
        assert_eq!(found[field], expected[field], "{field}");
    }
    for (number, (_, left_out, _)) in rest.iter().enumerate() {
        let (list, expected) = (&found["lists"][number], &expected["lists"][number]);
        assert_eq!([counted(list, "duplicates"), counted(list, "seen")], *left_out, "list {number}");
        let (input, rest) = (without(list.clone(), &["path"]), without(expected.clone(), &["path"]));
        assert_eq!(input["partitions"], rest["partitions"], "list {number}");
        let count = |list: &Value, what: &str| list[what].as_u64().unwrap_or_default();
        let all = left_out.iter().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        assert_eq!(count(&input, "lines"), count(&rest, "lines") + all.0, "list {number}");
        assert_eq!(count(&input, "bytes"), count(&rest, "bytes") + all.1, "list {number}");
    }
    if let Known::EarlierRun(_) = case.known {
        let allowed = case.lists.iter().flat_map(|list| &list.lines).filter(|&&line| LINES[line].2);
        let known: HashSet<usize> = allowed.filter_map(|&line| LINES[line].1).chain(seen(case)).collect();
        assert_eq!(found["seen_file"]["urls"], known.len(), "seen later");
        let file = SeenFile::open(&bench.path("seen.rss")).expect("seen URLs");
        for (text, url, _) in LINES {
            let hash = SameUrl::Fetched.hash(text.as_bytes()).ok();
            let is_known = hash.map(|hash| file.contains_each(&[hash]).expect("its keys"));
            assert_eq!(is_known, url.map(|url| vec![known.contains(&url)]), "{text}");
        }
    }
    !case.fields && rest.iter().any(|(_, _, is_mark_left_out)| *is_mark_left_out)
}

#[test]
fn lists_are_judged_as_without_the_lines_left_out() {
    let known = [
        Just(Known::Lines).boxed(),
        prop::collection::vec(0..LINES.len(), 0..8).prop_map(Known::EarlierRun).boxed(),
        (1u32..5).prop_map(Known::Shards).boxed(),
    ];
    for (known, fields) in known.iter().flat_map(|known| [false, true].map(|fields| (known, fields))) {
        let property = |case: Case| {
            assert_eq!(check(&case), !fields, "a mark is left out");
            Ok(())
        };
        let cases = cases(known.clone(), fields);
        TestRunner::new(config_with(8)).run(&cases, property).unwrap_or_else(|problem| panic!("{problem}"));
    }
}
