//! Small runs of two crawlers, and what is said of them if something of them changes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::account::contradictions;
use super::files::{Checked, Role, is_kept, lists};
use super::{uncounted, verify};
use crate::dialect::Dialect;
use crate::formats::fit;
use crate::input::list::LIST_FORMAT;
use crate::judge::Choices;
use crate::output::folder::RECEIPT;
use crate::output::receipt::{ListPart, Receipt};
use crate::policy::{Capture, Captures, Crawlers};
use crate::robots::Agents;
use crate::run::{Folder, FrameCompression, Job, Progress, join};

const LIST: &str = "http://a.example/\nhttp://a.example/no\nhttp://b.example/\nno url\n";

/// Runs a job over [`LIST`] in this place for two crawlers.
fn run(place: &Path, folder: Folder, change: impl FnOnce(Job) -> Job) -> Receipt {
    let agents: Vec<Agents> = ["one", "two"].map(|name| name.parse().unwrap()).to_vec();
    let mut captures = Captures::new(Crawlers::new(agents.clone()).unwrap(), Dialect::DEFAULT);
    captures.add(vec![Capture::found("http://a.example", "User-agent: *\nDisallow: /no\n")]).unwrap();
    let policy = captures.policy().unwrap();
    let list = place.join("list");
    if !list.exists() {
        fs::write(&list, LIST).unwrap();
    }
    let crawlers = agents.iter().map(|agents| policy.crawler(Some(agents)).unwrap()).collect();
    let job = change(Job::new([list], crawlers).choices(Choices::at(0)).threads(1));
    job.destination(folder).run(&policy, &Progress::default()).unwrap()
}

#[test]
fn lines_of_any_crawler_need_their_files() {
    let place = tempfile::tempdir().unwrap();
    let receipt = run(place.path(), Folder::new(place.path().join("out")), |job| job);
    assert_eq!((contradictions(&receipt), receipt.partitions.len()), (vec![], 8));
    for name in receipt.partitions.keys() {
        let mut without = receipt.clone();
        without.partitions.get_mut(name).unwrap().files.clear();
        let told = contradictions(&without);
        assert!(told.iter().any(|told| told.starts_with(&format!("the files of {name} do not add up"))), "{told:?}");
    }
}

#[test]
fn a_list_is_read_again_if_it_is_a_file() {
    let place = tempfile::tempdir().unwrap();
    let receipt = run(place.path(), Folder::new(place.path().join("out")), |job| job);
    let kept = |path: &str, is_file: bool| {
        let mut list = receipt.lists[0].clone();
        path.clone_into(&mut list.path);
        list.file = list.file.filter(|_| is_file);
        is_kept(&list, Path::new(path))
    };
    assert!(kept("list", true));
    assert!(!kept("list", false), "a pipe");
    assert!(!kept("-", true) && !kept("-", false), "standard input");
    // A compressed table is read from a copy, so nothing is known of its file.
    let gzip = crate::formats::compression::Compression::all().next();
    for (format, compression, expected) in
        [(LIST_FORMAT, gzip, true), (LIST_FORMAT, None, false), ("lines", gzip, false)]
    {
        let list = ListPart { format: format.into(), compression, file: None, ..receipt.lists[0].clone() };
        assert_eq!(is_kept(&list, Path::new("x")), expected, "{format} {compression:?}");
    }
    let mut nameless = receipt.clone();
    nameless.lists[0].path_base64 = Some("?".to_owned());
    let checked = lists(&nameless, 1).remove(0);
    assert_eq!(checked.role, Role::List);
    assert!(checked.problem.unwrap().contains("not Base64"));
}

#[test]
fn a_file_with_something_after_its_lines_is_found() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    run(place.path(), Folder::new(&out).compress(Some(FrameCompression::Gzip)), |job| job);
    assert!(verify(&out, true, 1).unwrap().is_proven());
    let file = out.join("allowed.one.txt.gz");
    let nothing = GzEncoder::new(Vec::new(), Compression::fast()).finish().unwrap();
    fs::File::options().append(true).open(&file).unwrap().write_all(&nothing).unwrap();
    let told = verify(&out, true, 1).unwrap();
    let problems: Vec<_> = told.files.iter().filter_map(|file| Some((&file.path, file.problem.as_deref()?))).collect();
    assert!(matches!(problems[..], [(path, told)] if *path == file && told.starts_with("expected a file of")));
}

#[test]
fn files_that_readers_count_are_named_with_the_reason() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let receipt = run(place.path(), Folder::new(&out).split_size(Some(1000)), |job| job);
    assert_eq!(uncounted(&receipt, &out), []);
    fs::write(out.join("allowed.one.0007.txt"), "http://a.example/mine\n").unwrap();
    fs::write(out.join("notes.txt"), "mine").unwrap();
    let told = uncounted(&receipt, &out);
    assert!(matches!(&told[..], [(path, why)] if path.ends_with("allowed.one.0007.txt") && why.contains("count it")));
    let text = |file: &Checked| {
        let fit::Row { cells, text, .. } = super::verification::row(file);
        (cells[0].clone(), text[0].clone())
    };
    let named = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    let skipped = Checked::extra(PathBuf::from("x"), false);
    assert_eq!(text(&skipped), named("extra", "the receipt does not name it; readers of this folder skip it"));
    let not_stored = Checked { role: Role::List, ..skipped };
    assert_eq!(text(&not_stored), named("list", "not stored, cannot be read again"));
}

#[test]
fn a_joined_run_is_proven_by_its_shards_whatever_its_times() {
    let place = tempfile::tempdir().unwrap();
    let folders = ["1/2", "2/2"].map(|shard| {
        let folder = place.path().join(shard.replace('/', "of"));
        run(place.path(), Folder::new(&folder), |job| job.shard(Some(shard.parse().unwrap())));
        folder
    });
    let out = place.path().join("joined");
    join(&folders, &out, false, false).unwrap();
    let proven = || verify(&out, true, 1).unwrap();
    assert!(proven().is_proven());
    let path = out.join(RECEIPT);
    let mut receipt: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    receipt["seconds"] = json!(77.25);
    receipt["urls_per_second"] = json!(3.5);
    fs::write(&path, receipt.to_string()).unwrap();
    assert!(proven().is_proven(), "they prove nothing about lines");
    fs::remove_file(folders[1].join(RECEIPT)).unwrap();
    let told = proven();
    assert!(!told.is_proven() && told.contradictions.is_empty(), "only a file is missing: {:?}", told.contradictions);
}
