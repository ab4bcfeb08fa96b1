//! The receipts of all shards of a job join to that of an undivided run, and no other set of receipts joins.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use robosieve::policy::{Capture, Captures};
use robosieve::run::{Folder, Job, OutputMode, Shard, UrlField, join};
use robosieve::{Agents, Choices, Dialect};
use serde_json::{Value, json};

use super::{Bench, Text, files, lists, without};
use crate::random_cases::config_with;

#[derive(Debug, Clone)]
struct Case {
    lists: Vec<Text>,
    /// How many shards there are.
    of: usize,
    fields: bool,
    verdicts: bool,
    per_input: bool,
    concat: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let lists = any::<bool>().prop_flat_map(|fields| (lists(24, fields), Just(fields)));
    let of = (lists, 2usize..6, any::<bool>(), any::<bool>(), any::<bool>());
    of.prop_map(|((lists, fields), of, verdicts, per_input, concat)| Case {
        lists,
        of,
        fields,
        verdicts,
        per_input,
        concat,
    })
}

/// A job, and its shards with what they read of each list.
struct Shards<'b> {
    bench: &'b Bench,
    lists: Vec<PathBuf>,
    parts: Vec<(PathBuf, Value)>,
    /// How many sets of receipts were made.
    made: Cell<usize>,
}

/// The size of chunks of the whole run and of the first shard.
const CHUNK: usize = 100;

/// The most workers of a shard: those of the first.
const WORKERS: usize = 2;

impl<'b> Shards<'b> {
    fn run(bench: &'b Bench, case: &Case, job: &Job, lists: &[PathBuf], of: usize) -> Shards<'b> {
        let part = |number: usize| {
            let name = format!("part{number}of{of}");
            let shard = format!("{number}/{of}").parse::<Shard>().expect("a shard");
            // Any number of workers and any size of chunks will do.
            let job = job.clone().shard(Some(shard)).threads(1 + number % 2).chunk_size(CHUNK + number - 1);
            let receipt = bench.run(job, folder(bench, case, &name));
            (bench.path(&name), receipt)
        };
        Shards { bench, lists: lists.to_vec(), parts: (1..=of).map(part).collect(), made: Cell::new(0) }
    }

    /// The part of a list that a shard has read.
    fn range(&self, shard: usize, list: usize) -> (u64, u64) {
        let range = &self.parts[shard].1["lists"][list]["range"];
        (range["start"].as_u64().expect("a number"), range["end"].as_u64().expect("a number"))
    }

    fn ranges(&self, shard: usize) -> Vec<(u64, u64)> {
        (0..self.lists.len()).map(|list| self.range(shard, list)).collect()
    }

    /// The folders of shards, each with a changed receipt.
    fn changed(&self, shards: &[usize], change: impl Fn(usize, &mut Value)) -> Vec<PathBuf> {
        self.made.set(self.made.get() + 1);
        let folder = |(place, &shard): (usize, &usize)| {
            let (from, receipt) = &self.parts[shard];
            let mut changed = receipt.clone();
            change(place, &mut changed);
            if changed == *receipt {
                return from.clone();
            }
            let to = self.bench.path(&format!("set{}/{place}", self.made.get()));
            fs::create_dir_all(&to).expect("a folder");
            fs::hard_link(from.join("robots-needed.tsv"), to.join("robots-needed.tsv")).expect("linked");
            fs::write(to.join("receipt.json"), changed.to_string()).expect("a receipt");
            to
        };
        shards.iter().enumerate().map(folder).collect()
    }

    /// These shards, with the numbers of their places.
    fn renumbered(&self, shards: &[usize]) -> Vec<PathBuf> {
        let of = shards.len();
        self.changed(shards, |place, receipt| receipt["options"]["shard"] = json!(format!("{}/{of}", place + 1)))
    }

    /// Joins these folders; returns the problem.
    fn problem(&self, folders: &[PathBuf]) -> Option<String> {
        let out = self.bench.path("refused");
        let problem = join(folders, &out, false, false).err().map(|problem| problem.to_string());
        match &problem {
            Some(problem) => assert!(!out.join("receipt.json").exists(), "{problem}"),
            None => fs::remove_dir_all(&out).expect("removed"),
        }
        problem
    }

    /// Expects that these folders are refused for such a reason.
    fn refused(&self, folders: &[PathBuf], words: &[&str]) {
        let problem = self.problem(folders).unwrap_or_else(|| panic!("joined, but for {words:?}"));
        assert!(words.iter().all(|word| problem.contains(word)), "{problem}: {words:?}");
    }

    /// Expects that these folders are refused because of a list.
    fn refused_at(&self, folders: &[PathBuf], list: usize) {
        self.refused(folders, &["leave a gap or overlap in the list", &self.lists[list].display().to_string()]);
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.parts.iter().map(|(folder, _)| folder.clone()).collect()
    }

    /// Shards that are missing, or there twice.
    fn miscounted(&self) {
        for shard in 0..self.parts.len() {
            let mut folders = self.folders();
            let removed = folders.remove(shard);
            if !folders.is_empty() {
                self.refused(&folders, &[&format!("of {} shards, these are missing: {}", self.parts.len(), shard + 1)]);
            }
            folders.extend([removed.clone(), removed]);
            self.refused(&folders, &[&format!("both shard {}", shard + 1)]);
        }
    }

    /// Shards in the place of others.
    fn misplaced(&self) -> usize {
        let (all, mut refused): (Vec<usize>, usize) = ((0..self.parts.len()).collect(), 0);
        for (one, other) in all.iter().flat_map(|&one| all.iter().map(move |&other| (one, other))) {
            let differ = |&list: &usize| self.range(one, list) != self.range(other, list);
            let Some(list) = (0..self.lists.len()).find(differ) else { continue };
            refused += 1;
            let mut replaced = all.clone();
            replaced[one] = other;
            let replaced = self.renumbered(&replaced);
            self.refused_at(&replaced, list);
            let mut swapped = all.clone();
            swapped.swap(one, other);
            let swapped = self.renumbered(&swapped);
            self.refused_at(&swapped, list);
        }
        refused
    }

    /// All but one, as if they were all. It is missed unless it has read nothing. Returns which of the first, the last and others were.
    fn one_too_few(&self) -> [bool; 3] {
        let (last, mut missed) = (self.parts.len() - 1, [false; 3]);
        for left_out in 0..self.parts.len() {
            let others: Vec<usize> = (0..self.parts.len()).filter(|&shard| shard != left_out).collect();
            let others = self.renumbered(&others);
            match self.ranges(left_out).iter().position(|(start, end)| start < end) {
                Some(list) => {
                    self.refused_at(&others, list);
                    missed[if left_out == 0 {
                        0
                    } else if left_out == last {
                        1
                    } else {
                        2
                    }] = true;
                }
                None => assert_eq!(self.problem(&others), None),
            }
        }
        missed
    }

    /// A range of one of these lists that is shorter or longer at either end.
    fn resized(&self, lists: Range<usize>) {
        let all: Vec<usize> = (0..self.parts.len()).collect();
        for (shard, list) in all.iter().flat_map(|&shard| lists.clone().map(move |list| (shard, list))) {
            let (start, end) = self.range(shard, list);
            for (end_name, to) in [
                ("start", start.checked_sub(1)),
                ("start", Some(start + 1)),
                ("end", end.checked_sub(1)),
                ("end", Some(end + 1)),
            ] {
                let Some(to) = to else { continue };
                let resized = self.changed(&all, |place, receipt| {
                    if place == shard {
                        receipt["lists"][list]["range"][end_name] = json!(to);
                    }
                });
                self.refused_at(&resized, list);
            }
        }
    }

    /// A shard of lists that have another path, length or time.
    fn of_other_lists(&self) {
        let all: Vec<usize> = (0..self.parts.len()).collect();
        for shard in BTreeSet::from([0, all.len() - 1]) {
            for (list, change) in (0..self.lists.len()).flat_map(|list| OTHERS.map(|change| (list, change))) {
                let others = self.changed(&all, |place, receipt| {
                    if place == shard {
                        change(&mut receipt["lists"][list]);
                    }
                });
                if all.len() > 1 {
                    self.refused(&others, &["differ in the paths, lengths or modification times of their lists"]);
                }
            }
        }
    }
}

/// Changes of a list to another one.
const OTHERS: [fn(&mut Value); 3] = [
    |list| list["path"] = json!("other"),
    |list| list["file"]["length"] = json!(list["file"]["length"].as_u64().expect("a number") + 1),
    |list| list["file"]["modified"] = json!("2001-01-01T00:00:00Z"),
];

fn folder(bench: &Bench, case: &Case, name: &str) -> Folder {
    let form = if case.verdicts { OutputMode::Verdicts } else { OutputMode::Partitions };
    Folder::new(bench.path(name)).form(form).per_input(case.per_input)
}

/// A receipt without what a run over shards has of its own: their names, times, and, unless they were joined to one, files.
fn joined(receipt: Value, has_files: bool) -> Value {
    let mut receipt = without(receipt, &["shards", "seconds", "urls_per_second", "speed"]);
    if !has_files {
        let parts = receipt["partitions"].as_object_mut().expect("partitions").values_mut();
        parts.for_each(|part| *part = without(part.take(), &["files"]));
        if let Some(verdicts) = receipt.get_mut("verdicts") {
            *verdicts = without(verdicts.take(), &["files"]);
        }
    }
    receipt
}

/// Which shards were missed: see [`Shards::one_too_few`]; and how many pairs were misplaced.
fn check(case: &Case) -> ([bool; 3], usize) {
    let bench = Bench::new();
    let lists = bench.write("in", case.lists.iter().map(|list| list.whole(case.fields)));
    let job = bench.job(&lists, case.fields).threads(WORKERS).chunk_size(CHUNK);
    let whole = bench.run(job.clone(), folder(&bench, case, "whole"));
    let shards = Shards::run(&bench, case, &job, &lists, case.of);
    is_joined(&bench, case, &shards, &whole);
    shards.miscounted();
    let misplaced = shards.misplaced();
    shards.resized(0..lists.len());
    shards.of_other_lists();
    let more = Shards::run(&bench, case, &job, &lists, case.of + 1);
    let (mut folders, last) = (shards.folders(), case.of - 1);
    folders[last] = bench.path("whole");
    shards.refused(&folders, &["is not a shard"]);
    if case.of > 1 {
        folders[last] = more.parts[last].0.clone();
        shards.refused(&folders, &["differ in the number of shards"]);
    }
    more.made.set(shards.made.get());
    (more.one_too_few(), misplaced)
}

fn is_joined(bench: &Bench, case: &Case, shards: &Shards<'_>, whole: &Value) {
    let out: &Path = &bench.path("out");
    let mut folders = shards.folders();
    folders.reverse();
    let receipt = join(&folders, out, case.concat, false).expect("all shards");
    bench.is_proven(out);
    let receipt = serde_json::to_value(&receipt).expect("JSON");
    let seconds = |receipt: &Value| receipt["seconds"].as_f64().expect("a number");
    let longest = shards.parts.iter().map(|(_, part)| seconds(part)).fold(0.0, f64::max);
    let speed = receipt["input"]["lines"].as_f64().expect("a number") / longest;
    let found = (seconds(&receipt), receipt["urls_per_second"].as_f64().expect("a number"));
    let is_near = |found: f64, expected: f64| (found - expected).abs() <= expected * 1e-9;
    assert!(is_near(found.0, longest) && is_near(found.1, speed), "{found:?} {longest} {speed}");
    assert_eq!(joined(receipt, case.concat), joined(whole.clone(), case.concat));
    let [mut found, mut expected] = [out, &bench.path("whole")].map(files);
    if !case.concat {
        for files in [&mut found, &mut expected] {
            files.retain(|name, _| name == Path::new("robots-needed.tsv"));
        }
    }
    assert!(found == expected, "the files");
}

/// Counts of everything that is counted are other than 0 in each of two shards, and their sums are not their products.
#[test]
fn a_joined_receipt_counts_what_one_run_does() {
    let policy = |robots: &str| {
        let mut captures = Captures::new("examplebot".parse::<Agents>().expect("a name"), Dialect::DEFAULT);
        captures.add(vec![Capture::found("http://a.example", robots.as_bytes())]).expect("an origin");
        captures.policy().expect("an origin")
    };
    let bench = Bench { policy: policy("User-agent: *\nDisallow: /no*4\n"), ..Bench::new() };
    let lines = "http://www.a.example/1\nhttp://a.example/\t2\nhttp://a.example/./3\nhttp://a.example/%41\nhttp://a.example/no/4\n";
    let compressed = Text { lines: Vec::new(), is_marked: false, is_open: false, is_compressed: true };
    let (open, mut cut) = (compressed.stored(lines.trim_end()), compressed.stored(lines));
    cut.truncate(cut.len() - 10);
    let plain = lines.repeat(9).into_bytes();
    let lists = bench.write("in", [&cut, &open, &plain, &cut, &open, &cut, &open, &cut].map(Vec::clone));
    let older = policy("User-agent: *\nDisallow: /%41\n");
    let job = bench.job(&lists, false).against(older, false).skip_bad(true);
    let job = job.url_field(UrlField::default().delimiter("none").expect("a delimiter"));
    let job = job.choices(Choices::at(0).www_fallback(true)).threads(WORKERS).chunk_size(CHUNK);
    let case = Case { lists: Vec::new(), of: 2, fields: false, verdicts: true, per_input: false, concat: true };
    let whole = bench.run(job.clone(), folder(&bench, &case, "whole"));
    let shards = Shards::run(&bench, &case, &job, &lists, case.of);
    for count in [
        "skipped",
        "urls_with_tabs",
        "dot_segments",
        "rewritten_paths",
        "normalised_paths",
        "www_fallbacks",
        "added_line_feeds",
    ] {
        let [one, other] = [0, 1].map(|shard: usize| shards.parts[shard].1[count].as_u64().expect("a number"));
        assert!(one > 0 && other > 0 && one + other != one * other, "{count} {one} {other}");
    }
    is_joined(&bench, &case, &shards, &whole);
    // The one that each shard has read a part of.
    shards.resized(2..3);
}

#[test]
fn all_shards_of_a_job_are_joined_and_nothing_else_is() {
    let missed: [AtomicUsize; 4] = Default::default();
    let property = |case: Case| {
        let (some, misplaced) = check(&case);
        let counts = some.map(usize::from).into_iter().chain([misplaced]);
        for (sum, count) in missed.iter().zip(counts) {
            sum.fetch_add(count, Ordering::Relaxed);
        }
        Ok(())
    };
    TestRunner::new(config_with(16)).run(&cases(), property).unwrap_or_else(|problem| panic!("{problem}"));
    let missed = missed.map(AtomicUsize::into_inner);
    assert!(
        missed.iter().all(|&count| count > 0),
        "shards missed at the start, the end and between, and misplaced: {missed:?}"
    );
}
