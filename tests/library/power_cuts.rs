//! A power cut at any moment leaves the old files or the new ones, and a run that is resumed ends in the same bytes.
//!
//! Each command is recorded once; then all that a disk may hold after a cut is written to a folder, and looked at.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use robosieve::internals::show::report;
use robosieve::policy::{Capture, Captures, Policy, WriteLock, merge};
use robosieve::run::{Folder, FrameCompression, Job, Progress, join, verify};
use robosieve::{Agents, Choices, Dialect, SameUrl};
use serde_json::Value;

use crate::union::random::Random;
use disk::{Files, Recording, read, write};

mod disk;

/// A folder for the files of commands, `root`, and one for what they read. In memory if possible, because it is written to often.
struct Place {
    folder: tempfile::TempDir,
    policy: Policy,
}

impl Place {
    fn new() -> Place {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let place = Place { folder: folder.expect("a folder"), policy: policy("/no").policy().expect("a policy") };
        std::fs::create_dir(place.root()).expect("a folder");
        let line = |number: usize| match number % 7 {
            2 => format!("http://a.example/no/{number}\n"),
            4 => format!("http://b{number}.example/\n"),
            6 => format!("no url {number}\n"),
            _ => format!("http://a.example/{number}\n"),
        };
        std::fs::write(place.list(), (0..30).map(line).collect::<String>()).expect("a list");
        std::fs::write(place.other_list(), (20..40).map(line).collect::<String>()).expect("a list");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder").join(name)
    }

    fn root(&self) -> PathBuf {
        self.path("root")
    }

    fn list(&self) -> PathBuf {
        self.path("list.txt")
    }

    fn other_list(&self) -> PathBuf {
        self.path("other.txt")
    }

    fn below(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// The folder of runs. The one above it does not exist before.
    fn out(&self) -> PathBuf {
        self.below("runs/out")
    }

    /// A run that saves a checkpoint after each chunk.
    fn job(&self, change: impl FnOnce(Folder) -> Folder) -> Job {
        let folder = change(Folder::new(self.out()));
        let job = Job::new([self.list()], vec![self.policy.crawler(None).expect("a crawler")]);
        job.destination(folder).choices(Choices::at(0)).chunk_size(300).threads(1).checkpoint(Duration::ZERO)
    }

    fn run(&self, job: &Job) -> Result<(), String> {
        job.run(&self.policy, &Progress::default()).map(drop).map_err(|error| error.to_string())
    }

    /// Whether a run to `out` ended in these files.
    fn ended_in(&self, new: &Files) -> Result<(), String> {
        let now = read(&self.root());
        if seen_by_users(&now) != seen_by_users(new) {
            return Err(format!("it ended in other files: {}", difference(&now, new)));
        }
        Ok(())
    }
}

fn policy(disallowed: &str) -> Captures {
    let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
    let robots = format!("User-agent: *\nDisallow: {disallowed}\n");
    captures.add(vec![Capture::found("http://a.example", robots.as_bytes())]).expect("a capture");
    captures
}

/// Files that are no leftovers of a process that ended, without the times in receipts.
fn seen_by_users(files: &Files) -> Vec<(&Path, Vec<u8>)> {
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let there = files.iter().filter(|(path, bytes)| bytes.is_some() && !is_hidden(path));
    there.map(|(path, bytes)| (&**path, without_times(path, bytes.as_deref().unwrap_or_default()))).collect()
}

fn without_times(path: &Path, bytes: &[u8]) -> Vec<u8> {
    let is_receipt = path.file_name().is_some_and(|name| name == "receipt.json");
    let Some(mut receipt) = serde_json::from_slice::<Value>(bytes).ok().filter(|_| is_receipt) else {
        return bytes.to_vec();
    };
    let fields = receipt.as_object_mut().expect("an object");
    ["seconds", "urls_per_second", "speed"].iter().for_each(|field| drop(fields.remove(*field)));
    receipt.to_string().into_bytes()
}

fn difference(one: &Files, other: &Files) -> String {
    let (one, other) = (seen_by_users(one), seen_by_users(other));
    let name = |(path, bytes): &(&Path, Vec<u8>)| format!("\n  {} of {} bytes", path.display(), bytes.len());
    let [there, not] = [(&one, &other), (&other, &one)]
        .map(|(these, those)| these.iter().filter(|file| !those.contains(file)).map(name).collect::<String>());
    format!("there are{there}\nin place of{not}\n")
}

/// Records a command, and checks all that may be there after a power cut, given what was there before and is there in the end.
fn expect_all(
    (what, seed): (&str, u64),
    root: &Path,
    command: impl FnOnce(),
    check: impl Fn(&Files, &Files, &Files) -> Result<(), String>,
) {
    let old = read(root);
    let recording = Recording::of(root, command);
    let new = read(root);
    let receipt = new.keys().find(|path| path.ends_with("receipt.json")).and_then(|receipt| receipt.parent());
    assert!(receipt.is_none_or(|out| verify(out, true, 1).expect("a receipt").is_proven()), "{what}");
    let states = recording.states(&mut Random::new(seed));
    assert!(recording.calls() > 2, "{what}: {} calls", recording.calls());
    for (calls, state) in &states {
        write(root, state);
        let has_ended = *calls == recording.calls();
        let lost = || format!("it has ended, but its files are lost: {}", difference(state, &new));
        let is_durable = || !has_ended || seen_by_users(state) == seen_by_users(&new);
        let checked = is_durable().then_some(()).ok_or_else(lost).and_then(|()| check(state, &old, &new));
        if let Err(problem) = checked {
            let after = recording.name(*calls);
            panic!("{what}, seed {seed}, after {after}: {problem}\non the disk were:{}", listed(state));
        }
    }
}

fn listed(files: &Files) -> String {
    let of_file = |(path, bytes): (&PathBuf, &Option<Arc<[u8]>>)| match bytes {
        Some(bytes) => format!("\n  {} of {} bytes", path.display(), bytes.len()),
        None => format!("\n  {}/", path.display()),
    };
    files.iter().map(of_file).collect()
}

/// Expects that a receipt that is new vouches for the new files.
fn has_what_receipt_says(place: &Place, state: &Files, old: &Files, new: &Files) -> Result<(), String> {
    let receipt = place.out().join("receipt.json");
    let of = [old, new].into_iter().find(|of| state.contains_key(&receipt) && of.get(&receipt) == state.get(&receipt));
    let of = match of {
        None if state.contains_key(&receipt) => return Err("a third receipt".to_owned()),
        None => return Ok(()),
        Some(of) => of,
    };
    let wrong = of.iter().find(|(path, bytes)| {
        let is_result =
            path.starts_with(place.out()) && !path.file_name().expect("a name").as_encoded_bytes().starts_with(b".");
        is_result && state.get(*path) != Some(bytes)
    });
    wrong.map_or(Ok(()), |(path, _)| Err(format!("there is a receipt, but {} is not as it says", path.display())))
}

/// A job that is cut and resumed.
fn expect_resumed(
    what: &str,
    seed: u64,
    change: impl FnOnce(&Place, Job) -> Job,
    folder: impl FnOnce(Folder) -> Folder,
) {
    let place = Place::new();
    let job = change(&place, place.job(folder));
    let run = || place.run(&job).expect("a run");
    expect_all((what, seed), &place.root(), run, |state, old, new| {
        has_what_receipt_says(&place, state, old, new)?;
        place.run(&job.clone().resume(true))?;
        place.ended_in(new)
    });
}

fn texts(seed: u64) {
    let both = |place: &Place, mut job: Job| {
        job.lists.push(place.other_list());
        job.chunk_size(1000)
    };
    expect_resumed("text", seed, |_, job| job, |folder| folder);
    expect_resumed(
        "a run without checkpoints",
        seed,
        |_, job| job.checkpoint(Duration::from_secs(3600)),
        |folder| folder,
    );
    expect_resumed("parts for each list", seed, both, |folder| folder.per_input(true).split_size(Some(300)));
    expect_resumed("frames", seed, |_, job| job, |folder| folder.compress(Some(FrameCompression::Zstd)));
}

#[cfg(feature = "parquet")]
fn tables(seed: u64) {
    let parquet = |folder: Folder| folder.format(robosieve::run::FileFormat::Parquet);
    expect_resumed("tables", seed, |_, job| job.chunk_size(1000), parquet);
    let rare = |_: &Place, job: Job| job.checkpoint(Duration::from_secs(3600));
    expect_resumed("tables without checkpoints", seed, rare, parquet);
}

/// A file of seen URLs has all that the run has allowed, or none; and has them only if the run is complete.
fn seen(seed: u64) {
    for (what, every) in [("seen URLs", 0), ("seen URLs without checkpoints", 3600)] {
        let place = Place::new();
        let seen = place.below("seen");
        let job = |list: PathBuf| {
            let mut job = place.job(|folder| folder).seen(Some(seen.clone())).unique(Some(SameUrl::default()));
            job.lists = vec![list];
            job.checkpoint(Duration::from_secs(every))
        };
        let seen_after = |list| {
            place.run(&job(list)).expect("another run");
            std::fs::remove_dir_all(place.below("runs")).expect("removed");
            std::fs::read(&seen).expect("seen URLs")
        };
        let before = seen_after(place.other_list());
        std::fs::write(place.path("third.txt"), "http://a.example/third\n").expect("a list");
        let of_others = seen_after(place.path("third.txt"));
        std::fs::write(&seen, before).expect("seen URLs");
        let job = job(place.list());
        let run = || place.run(&job).expect("a run");
        expect_all((what, seed), &place.root(), run, |state, old, new| {
            has_what_receipt_says(&place, state, old, new)?;
            let is_new = is_old_or_new(&seen, state, old, new)?;
            if is_new && !state.contains_key(&place.out().join("receipt.json")) {
                return Err("URLs are seen, but those who saw them are gone".to_owned());
            }
            if !is_new && is_naming(&place, state) {
                std::fs::write(&seen, &of_others).expect("written");
                let has_refused = place.run(&job.clone().resume(true)).is_err();
                if !has_refused || std::fs::read(&seen).ok().as_ref() != Some(&of_others) {
                    return Err("the URLs that another run has added meanwhile are lost".to_owned());
                }
                write(&place.root(), state);
            }
            if is_new {
                // Meanwhile another run with the same file has died.
                std::fs::write(place.below(".seen.partial"), "the beginning of its file").expect("written");
            }
            place.run(&job.clone().resume(true))?;
            place.ended_in(new)
        });
    }
}

/// Whether the checkpoint says that files are being renamed.
fn is_naming(place: &Place, state: &Files) -> bool {
    let checkpoint = state.get(&place.out().join(".checkpoint.json")).and_then(Option::as_deref);
    checkpoint.is_some_and(|bytes| memchr::memmem::find(bytes, b"\"Naming\"").is_some())
}

/// Whether a file is the new one; an error if it is neither.
fn is_old_or_new(path: &Path, state: &Files, old: &Files, new: &Files) -> Result<bool, String> {
    match state.get(path) {
        there if there == old.get(path) => Ok(false),
        there if there == new.get(path) => Ok(true),
        _ => Err(format!("{} is a third file", path.display())),
    }
}

/// A run in the folder of another job's, which is complete or interrupted.
fn replaced_runs(seed: u64) {
    for is_complete in [true, false] {
        let place = Place::new();
        let mut earlier = place.job(|folder| folder);
        earlier.lists = vec![place.other_list()];
        let recording = Recording::of(&place.root(), || place.run(&earlier).expect("a run"));
        let ended = read(&place.root());
        if !is_complete {
            write(&place.root(), &recording.at(recording.calls() / 2));
        }
        let job = place.job(|folder| folder.force(true)).checkpoint(Duration::from_secs(3600));
        let run = || place.run(&job).expect("a run");
        let what = if is_complete { "over a complete run" } else { "over an interrupted run" };
        expect_all((what, seed), &place.root(), run, |state, old, new| {
            has_what_receipt_says(&place, state, old, new)?;
            // The folder may have either run still, but goes on with neither by the files of the other.
            if place.run(&earlier.clone().resume(true)).is_ok() {
                place.ended_in(&ended)?;
            }
            write(&place.root(), state);
            if place.run(&job.clone().resume(true)).is_err() {
                place.run(&job)?;
            }
            place.ended_in(new)
        });
    }
}

/// The receipt of shards, in whose folder their files are put together.
fn joined(seed: u64) {
    let place = Place::new();
    let shards = ["1/2", "2/2"].map(|shard| {
        let folder = place.path(&shard.replace('/', "-"));
        let job = place.job(|_| Folder::new(&folder)).shard(Some(shard.parse().expect("a shard")));
        place.run(&job).expect("a shard");
        folder
    });
    let join = |force| join(&shards, &place.out(), true, force).map(drop).map_err(|error| error.to_string());
    let command = || join(false).expect("joined");
    expect_all(("join", seed), &place.root(), command, |state, old, new| {
        has_what_receipt_says(&place, state, old, new)?;
        join(true)?;
        place.ended_in(new)
    });
}

/// Files that take the place of earlier ones.
fn replaced_files(seed: u64) {
    let place = Place::new();
    let root = place.root();
    let lock = |path: &Path| WriteLock::take(path, |_| ()).expect("a lock");
    let file = |what, name: &str, command: &dyn Fn(bool)| {
        let path = place.below(name);
        command(false);
        let before = read(&root);
        expect_all(
            (what, seed),
            &root,
            || command(true),
            |state, old, new| is_old_or_new(&path, state, old, new).map(drop),
        );
        write(&root, &before);
        command(true);
        assert_ne!(read(&root)[&path], before[&path], "{what}");
    };
    let policies = ["/a", "/b"].map(|disallowed| policy(disallowed).policy().expect("a policy"));
    assert_ne!(policies[0].bytes(), policies[1].bytes());
    let out = place.below("policy.rsv");
    file("compile", "policy.rsv", &|is_new| {
        policy(if is_new { "/new" } else { "/old" }).write(&lock(&out)).expect("a policy");
    });
    file("merge", "policy.rsv", &|is_new| {
        merge(&policies[..1 + usize::from(is_new)], None, &lock(&out)).expect("a policy");
    });
    file("keys", "keys", &|is_new| {
        let list = if is_new { place.list() } else { place.other_list() };
        let job =
            Job::new([list], Vec::new()).unique(Some(SameUrl::default())).shard(Some("1/2".parse().expect("a shard")));
        job.write_keys(&place.below("keys"), &Progress::default()).expect("keys");
    });
    place.run(&place.job(|folder| folder)).expect("a run");
    file("report", "runs/out/report.html", &|is_new| {
        report(&place.out(), Some(&place.policy).filter(|_| is_new), 1).expect("a report");
    });
}

/// All commands, each with what may be on the disk by a seed.
const COMMANDS: &[fn(u64)] = &[
    texts,
    #[cfg(feature = "parquet")]
    tables,
    seen,
    replaced_runs,
    joined,
    replaced_files,
];

/// The seed that `SAMPLE_SEED` says, if it is set.
fn seed() -> u64 {
    std::env::var("SAMPLE_SEED").map_or(1, |seed| seed.parse().expect("SAMPLE_SEED is a number"))
}

#[test]
fn runs_to_text_are_resumed() {
    texts(seed());
}

#[cfg(feature = "parquet")]
#[test]
fn runs_to_tables_are_resumed() {
    tables(seed());
}

#[test]
fn urls_are_seen_if_their_run_is_complete() {
    seen(seed());
}

#[test]
fn a_run_replaces_one_of_another_job() {
    replaced_runs(seed());
}

#[test]
fn joined_files_are_those_of_the_receipt() {
    joined(seed());
}

#[test]
fn a_file_is_the_old_or_the_new_one() {
    replaced_files(seed());
}

#[ignore = "takes minutes"]
#[test]
fn power_cuts_of_many_seeds() {
    for seed in 2..10 {
        COMMANDS.iter().for_each(|command| command(seed));
    }
}
