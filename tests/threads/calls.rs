//! Calls of the library that have work for several threads.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use robosieve::export::{self, Export, Table};
use robosieve::inspect::Summary;
use robosieve::internals::show::report;
use robosieve::lint;
use robosieve::policy::{Capture, Captures, Overrides, Policy, WriteLock, merge, source};
use robosieve::python_package::add_single;
#[cfg(feature = "parquet")]
use robosieve::run::FileFormat;
use robosieve::run::{Folder, FrameCompression, Job, Progress, join, verify};
use robosieve::{Agents, Choices, Dialect, RuleSet, SameUrl};

/// Origins of a policy that is checked by several threads.
const MANY: usize = 30_000;

/// The threads of calls that take a number.
const THREADS: usize = 3;

/// Makes each call, with its files in `folder`, and then `after` with the call's name.
pub fn each(folder: &Path, mut after: impl FnMut(&str)) {
    let mut done = |name: &str| {
        after(name);
        folder.join(name)
    };
    compile(folder, &mut done);
    policies(folder, &mut done);
    judge(folder, &mut done);
    runs(folder, &mut done);
}

fn agents() -> Agents {
    "examplebot".parse().expect("a crawler")
}

fn capture(number: usize) -> Capture {
    let body = format!("User-agent: *\nDisallow: /{}/*x\nSitemap: {}\n", number % 97, number % 11);
    Capture::found(&format!("http://{number}.example"), body)
}

fn captures(numbers: std::ops::Range<usize>) -> Captures {
    let mut captures = Captures::new(agents(), Dialect::DEFAULT);
    captures.add(numbers.map(capture).collect()).expect("captures");
    captures
}

/// Answers as JSON Lines: in many gzip members, and long enough that several threads decompress them.
fn answers() -> Vec<u8> {
    let mut members = Vec::new();
    let mut random = 1_u64;
    for part in 0..120 {
        let mut member = flate2::write::GzEncoder::new(&mut members, flate2::Compression::fast());
        for number in part * 100..(part + 1) * 100 {
            let comment: String = (0..20)
                .map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    format!("{random:016x}")
                })
                .collect();
            let (url, body) = (
                format!("http://{number}.example/robots.txt"),
                format!("# {comment}\\nUser-agent: *\\nDisallow: /a\\n"),
            );
            writeln!(member, r#"{{"url": "{url}", "status": 200, "body": "{body}"}}"#).expect("memory");
        }
        member.finish().expect("memory");
    }
    assert!(members.len() > 1 << 20, "{}", members.len());
    members
}

fn locked(folder: &Path, name: &str) -> WriteLock {
    WriteLock::take(folder.join(name), |_| ()).expect("a lock")
}

fn compile(folder: &Path, done: &mut dyn FnMut(&str) -> PathBuf) {
    let large = captures(0..MANY);
    done("Captures::add");
    large.write(&locked(folder, "large.rsv")).expect("a policy");
    done("Captures::write");
    let policy = captures(0..MANY).policy().expect("a policy");
    done("Captures::policy");
    assert!(policy.bytes().len() > 3 << 20, "{}", policy.bytes().len());
    captures(MANY / 2..MANY / 2 + 9).write(&locked(folder, "small.rsv")).expect("a policy");
    done("a small policy");
    fs::write(folder.join("answers.jsonl.gz"), answers()).expect("answers");
    fs::create_dir(folder.join("sites")).expect("a folder");
    for number in 0..200 {
        fs::write(folder.join(format!("sites/{number}.example")), "User-agent: *\nDisallow: /b\n").expect("a file");
    }
    for memory in [64 << 20, 1 << 30] {
        let mut captures = Captures::within(memory, folder, agents(), Dialect::DEFAULT);
        let sources = [folder.join("sites"), folder.join("answers.jsonl.gz")];
        source::add(&sources, &source::Options::default(), &mut captures).expect("sources");
        done("source::add");
        assert_eq!(captures.policy().expect("a policy").statistics().origins, 12_200);
        done("Captures::within");
    }
    fs::write(
        folder.join("bad.jsonl"),
        "{\"url\": \"http://a.example/robots.txt\", \"status\": 200, \"body\": \"\"}\n{\n",
    )
    .expect("a file");
    let mut captures = Captures::new(agents(), Dialect::DEFAULT);
    source::add(&[folder.join("bad.jsonl")], &source::Options::default(), &mut captures).expect_err("a bad line");
    done("source::add with an error");
    let single = folder.join("sites/1.example");
    add_single(&single, "http://a.example", &source::Options::default(), &mut captures).expect("a robots.txt");
    done("add_single");
}

fn policies(folder: &Path, done: &mut dyn FnMut(&str) -> PathBuf) {
    let [large, small] = ["large.rsv", "small.rsv"].map(|name| folder.join(name));
    let large = Policy::open(large).expect("a policy");
    done("Policy::open");
    Policy::from_bytes(large.bytes()).expect("a policy");
    done("Policy::from_bytes");
    let mut damaged = large.bytes().to_vec();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    Policy::from_bytes(damaged).expect_err("damage");
    done("Policy::from_bytes with an error");
    fs::write(folder.join("overrides.toml"), "['http://1.example']\nverdict = 'forbid-all'\n").expect("a file");
    let overrides = Overrides::read(&folder.join("overrides.toml")).expect("overrides");
    large.with_overrides(&overrides, folder).expect("a policy");
    done("Policy::with_overrides");
    let small = Policy::open(small).expect("a policy");
    done("Policy::open of a small one");
    merge(&[large.clone(), small.clone()], None, &locked(folder, "merged.rsv")).expect("a policy");
    done("merge");
    let layered = Policy::layered(vec![large.clone(), small]).expect("a policy");
    done("Policy::layered");
    layered.flattened(folder).expect("a policy");
    done("Policy::flattened");
    let crawler = large.crawler(None).expect("a crawler");
    let mut out = Vec::new();
    let sitemaps = Export::new(&large, Table::Sitemaps, std::slice::from_ref(&crawler));
    sitemaps.write(export::Format::Tsv, &mut out).expect("a table");
    done("Export::write");
    Summary::of(&large, &[crawler], 0, 9).expect("one layer");
    done("Summary::of");
}

fn judge(folder: &Path, done: &mut dyn FnMut(&str) -> PathBuf) {
    let policy = Policy::open(folder.join("large.rsv")).expect("a policy");
    let matcher = policy.matcher_with("examplebot", Choices::now()).expect("a crawler");
    let url = |number: usize| format!("http://{}.example/{}/{number}x", number % (MANY + 99), number % 97);
    let urls: Vec<String> = (0..50_000).map(url).collect();
    let mut outcomes = Vec::new();
    matcher.judge_all(&urls, &mut outcomes);
    done("Matcher::judge_all");
    matcher.judge_lines(urls.join("\n").as_bytes(), &mut outcomes);
    done("Matcher::judge_lines");
    matcher.judge(&urls[0]);
    matcher.explain(&urls[0]);
    done("Matcher::explain");
    lint::check(b"User-agent: *\nDisalow: /\n", Dialect::DEFAULT);
    done("lint");
    RuleSet::compile(b"User-agent: *\nDisallow: /\n", &agents(), Dialect::DEFAULT).verdict("/");
    done("RuleSet::compile");
    fs::write(folder.join("urls"), urls.join("\n") + "\n").expect("a list");
}

fn runs(folder: &Path, done: &mut dyn FnMut(&str) -> PathBuf) {
    let policy = Policy::open(folder.join("large.rsv")).expect("a policy");
    let job = |out: &str| {
        let destination = Folder::new(folder.join(out)).compress((out == "gzip").then_some(FrameCompression::Gzip));
        #[cfg(feature = "parquet")]
        let destination = destination.format(if out == "table" { FileFormat::Parquet } else { FileFormat::Text });
        Job::new([folder.join("urls")], vec![policy.crawler(None).expect("a crawler")])
            .destination(destination)
            .choices(Choices::at(0))
            .unique((out == "unique").then_some(SameUrl::Fetched))
            .threads(THREADS)
            .chunk_size(1 << 16)
    };
    let progress = Progress::default;
    let tables: &[&str] = if cfg!(feature = "parquet") { &["table"] } else { &[] };
    for out in ["text", "gzip", "unique"].iter().chain(tables) {
        job(out).run(&policy, &progress()).expect("a run");
        done(&format!("run: {out}"));
        assert!(verify(&folder.join(out), true, THREADS).expect("a receipt").is_proven(), "{out}");
        done(&format!("verify: {out}"));
        report(&folder.join(out), Some(&policy), THREADS).expect("a report");
        done(&format!("Report: {out}"));
    }
    job("text").run(&policy, &progress()).expect_err("a folder with files");
    done("run with an error");
    let shards: Vec<PathBuf> = (1..=2).map(|number| folder.join(format!("shard{number}"))).collect();
    for (number, shard) in (1..).zip(&shards) {
        let job = job(&shard.display().to_string()).shard(Some(format!("{number}/2").parse().expect("a shard")));
        job.run(&policy, &progress()).expect("a run");
        done("run: a shard");
    }
    join(&shards, &folder.join("joined"), true, false).expect("shards");
    done("join");
}
