//! Runs that are interrupted and resumed.
//!
//! They are killed, at any byte of the output; or a limit on the size of files makes writes fail as a full disk does.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::interruptions::interrupted_until_done;
use crate::support::program::{Bench, PROGRAM, said, unwritten_at};
use crate::support::results::{assert_same, files};

const NOW: &str = "--now 2026-01-01T00:00:00Z";

/// Two lists of several chunks, the first without a final line feed.
fn bench_with_lists() -> Bench {
    let bench = Bench::with_site();
    let line = |n: usize| match n % 6 {
        0 => format!("http://a.example/no/{n}"),
        1 => format!("http://{}.example/{n}", n * 7919 % 500),
        2 => String::new(),
        3 => format!("no url {n}"),
        _ => format!("http://a.example/./%41/{n}"),
    };
    let lines = |range: std::ops::Range<usize>| range.map(|n| line(n) + "\n").collect::<String>();
    bench.file("urls", lines(0..150_000).trim_end());
    bench.file("more", lines(150_000..240_000));
    bench
}

/// The arguments of a run that writes checkpoints as often as it can.
fn words(options: &str, folder: &str) -> String {
    format!("filter --agent examplebot --robots sites --checkpoint 0 {options} --out {folder} urls more")
}

/// Runs the program with a limit of `kib` KiB per file, beyond which writes fail, and with `other` limits.
fn limited(bench: &Bench, words: &str, kib: usize, other: &str) -> Output {
    let script = format!("{other} ulimit -f {kib}; exec \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command.current_dir(bench.path(".")).args(["-c", &script, PROGRAM]).args(bench.arguments(words));
    command.stdin(Stdio::null()).output().expect("bash")
}

/// Runs the program, and kills it as soon as `is_time`.
fn killed_when(bench: &Bench, words: &str, is_time: impl Fn() -> bool) -> Output {
    let mut command = bench.command(words);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    while child.try_wait().expect("the program").is_none() && !is_time() {
        std::thread::yield_now();
    }
    // It may have ended in the meantime.
    let _ = child.kill();
    child.wait_with_output().expect("the program ends")
}

/// Runs the program into `out` and kills it once it has made progress durable and one of its files has more than `kib` KiB.
fn killed(bench: &Bench, words: &str, kib: u64) -> Output {
    let checkpoint = || fs::read(bench.path("out/.checkpoint.json")).ok();
    let before = checkpoint();
    killed_when(bench, words, || longest(&bench.path("out")) > kib << 10 && checkpoint() != before)
}

/// The length of the longest file in a folder and the folders in it, which may change meanwhile.
fn longest(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let length = |entry: fs::DirEntry| match entry.metadata() {
        Ok(there) if there.is_dir() => longest(&entry.path()),
        there => there.map_or(0, |there| there.len()),
    };
    entries.flatten().map(length).max().unwrap_or(0)
}

/// A checkpoint of this content, with its checksum.
fn checkpoint_of(content: &Value) -> String {
    let text = content.to_string();
    let all_but_end = text.strip_suffix('}').expect("an object");
    let checksum = xxhash_rust::xxh3::xxh3_128(all_but_end.as_bytes());
    format!("{all_but_end},\"checksum\":\"{checksum:032x}\"}}")
}

/// Runs the program to its end.
fn done(bench: &Bench, words: &str) -> String {
    let done = bench.program(words).assert().success();
    String::from_utf8_lossy(&done.get_output().stderr).into_owned()
}

/// Splits the lists undisturbed, then again while killing the program at several output sizes: the results are equal.
fn killed_again_and_again(bench: &Bench, options: &str) {
    done(bench, &words(&format!("{NOW} {options}"), "whole"));
    // The last limit cuts off only the end of the longest file.
    let last = (longest(&bench.path("whole")) - 1) >> 10;
    let (mut kills, mut went_on) = (0, 0);
    for (round, percent) in [12, 13, 30, 31, 45, 68, 69, 90, 100].into_iter().enumerate() {
        let kib = last * percent / 100;
        let options = format!("{NOW} {options} --resume --threads {}", 1 + round % 3);
        let ended = killed(bench, &words(&options, "out"), kib);
        went_on += usize::from(String::from_utf8_lossy(&ended.stderr).contains("lines already done"));
        if ended.status.success() {
            continue;
        }
        assert_eq!(ended.status.code(), None, "{ended:?}");
        // On a busy machine the kill may come after the receipt got its name, the last of all: then all its files are there.
        if bench.path("out/receipt.json").exists() {
            done(bench, "verify out");
        } else {
            kills += 1;
        }
    }
    assert!(kills >= 2 && went_on >= 1, "{options}: {kills} {went_on}");
    done(bench, &words(&format!("{NOW} {options} --resume"), "out"));
    assert_same(bench, "out", "whole");
    done(bench, "verify --inputs out");
}

#[test]
#[ignore = "takes long"]
fn a_run_that_is_killed_again_and_again_has_the_same_result() {
    for options in ["", "--verdicts", "--per-input", "--agent other --on-unfetched block", "--compress gz"] {
        killed_again_and_again(&bench_with_lists(), options);
    }
}

#[cfg(feature = "parquet")]
#[test]
#[ignore = "takes long"]
fn resumed_tables_have_the_same_result() {
    for options in ["", "--verdicts", "--per-input --split-size 500k", "--verdicts --explain --agent other"] {
        // With little memory, chunks are small.
        killed_again_and_again(&bench_with_lists(), &format!("--format parquet --memory 56M {options}"));
    }
}

/// Likewise for a list whose rows are read in ranges.
#[cfg(feature = "parquet")]
#[test]
fn rows_of_a_table_resume_where_the_run_was_killed() {
    use crate::support::tables::{Values, parquet};
    let bench = Bench::with_site();
    let url =
        |n: usize| format!("http://a.example/{}{}", if n.is_multiple_of(3) { "no/" } else { "" }, n * 7919 % 3000);
    let urls = (0..60_000).map(|n| Some(url(n).into_bytes())).collect();
    let ids = Values::Int32((0..60_000).map(|n| Some(n * 31)).collect());
    let columns = [("optional binary url", Values::Bytes(urls)), ("optional int32 id", ids)];
    bench.file("table", parquet(&columns, 2, ::parquet::basic::Compression::SNAPPY));
    for options in ["--format parquet", "--format parquet --unique --verdicts --explain"] {
        let words = |options: &str, folder: &str| {
            let always = "filter --agent examplebot --robots sites --checkpoint 0 --memory 48M";
            format!("{always} {NOW} {options} --out {folder} table")
        };
        done(&bench, &words(options, "whole"));
        let resumed = |threads| words(&format!("{options} --resume --threads {threads}"), "out");
        assert!(interrupted_until_done(&bench, resumed) > 0, "{options}");
        assert_same(&bench, "out", "whole");
        done(&bench, "verify --inputs out");
        fs::remove_dir_all(bench.path("out")).expect("removed");
        fs::remove_dir_all(bench.path("whole")).expect("removed");
    }
}

#[test]
fn lists_that_cannot_be_mapped_are_read_again_up_to_the_checkpoint() {
    let bench = bench_with_lists();
    for list in ["urls", "more"] {
        let text = bench.read(list);
        let (one, two) = text.split_at(text.len() / 3);
        let compress = |part: &[u8]| {
            if list == "urls" {
                crate::support::compression::gzip(part)
            } else {
                crate::support::compression::zstd(part, b"")
            }
        };
        bench.file(list, [compress(one), compress(two)].concat());
    }
    killed_again_and_again(&bench, "");
    fs::remove_dir_all(bench.path("out")).and_then(|()| fs::remove_dir_all(bench.path("whole"))).expect("removed");
    killed_again_and_again(&bench, "--verdicts --compress zst");
}

#[cfg(feature = "parquet")]
#[test]
#[ignore = "takes long"]
fn tables_are_read_again_up_to_the_checkpoint() {
    use crate::support::tables::{Values, parquet};

    let bench = bench_with_lists();
    for list in ["urls", "more"] {
        let text = bench.read(list);
        let urls = text.split(|&byte| byte == b'\n').map(|line| Some(line.to_vec())).collect();
        let columns = [("optional binary url", Values::Bytes(urls))];
        bench.file(list, parquet(&columns, 3, ::parquet::basic::Compression::SNAPPY));
    }
    killed_again_and_again(&bench, "--per-input");
}

#[test]
fn lines_of_fields_resume_below_their_head() {
    let bench = bench_with_lists();
    for list in ["urls", "more"] {
        let text = String::from_utf8(bench.read(list)).expect("UTF-8");
        let rows = text.lines().enumerate().map(|(number, url)| format!("{number},\"{url}\"\n"));
        bench.file(list, std::iter::once("number,url\n".to_owned()).chain(rows).collect::<String>());
    }
    killed_again_and_again(&bench, "--delimiter , --column url --split-size 2M");
}

/// Runs the program, and changes the list `more` while it reads `urls`.
fn disturbed(bench: &Bench, options: &str, change: impl FnOnce(&mut fs::File)) -> Output {
    let mut command = bench.command(&words(options, "out"));
    command.stderr(Stdio::piped());
    let child = command.spawn().expect("the program");
    // A checkpoint per chunk is slow, so the second list is still far away after the first one.
    while !bench.path("out/.checkpoint.json").exists() {
        std::thread::yield_now();
    }
    change(&mut fs::File::options().append(true).open(bench.path("more")).expect("more"));
    let ended = child.wait_with_output().expect("the program ends");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    ended
}

/// Another process may truncate a mapped list: the run ends, but its finished work stays. The rest of the page where the
/// list now ends reads as zeros, and none of those may be kept.
#[test]
#[ignore = "takes long"]
fn a_run_with_a_list_cut_short_keeps_finished_work() {
    for (options, length) in [("", 0), ("", 30_000), ("--compress gz --threads 3", 30_000), ("--unique", 30_000)] {
        let bench = bench_with_lists();
        let options = format!("{NOW} {options}");
        done(&bench, &words(&options, "whole"));
        let more = bench.read("more");
        let modified = fs::metadata(bench.path("more")).and_then(|metadata| metadata.modified()).expect("a time");
        let ended = disturbed(&bench, &options, |list| list.set_len(length).expect("cut"));
        let at = format!("at byte {length} of {}", more.len());
        said(&ended.stderr, &["the list more", "cut short", &at, "--resume"]);
        assert!(!bench.path("out/receipt.json").exists());
        let refused = bench.program(&words(&format!("{options} --resume"), "out")).assert().code(2);
        said(&refused.get_output().stderr, &["resumed", "the list more had", &format!("now it has {length}")]);
        bench.file("more", &more);
        let list = fs::File::options().write(true).open(bench.path("more")).expect("more");
        list.set_modified(modified).expect("a time");
        assert!(done(&bench, &words(&format!("{options} --resume"), "out")).contains("lines already done"));
        assert_same(&bench, "out", "whole");
    }
}

#[test]
fn a_run_with_a_changed_list_keeps_nothing() {
    let bench = bench_with_lists();
    let ended = disturbed(&bench, NOW, |list| list.write_all(b"http://a.example/new\n").expect("a line"));
    said(&ended.stderr, &["the list more", "changed", "run again"]);
    assert!(!String::from_utf8_lossy(&ended.stderr).contains("--resume"), "{ended:?}");
    assert_eq!(bench.names("out"), [""; 0]);
}

/// A run with many origins to fetch keeps some of them on disk.
#[test]
fn a_run_with_a_full_disk_says_so_and_resumes() {
    let bench = bench_with_lists();
    done(&bench, &words(NOW, "whole"));
    let ended = limited(&bench, &words(NOW, "out"), 1200, "");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["out", "--resume"]);
    assert!(unwritten_at(&ended.stderr) >= 1200 << 10, "{ended:?}");
    assert!(bench.path("out/.checkpoint.json").exists());
    assert!(!bench.path("out/receipt.json").exists());
    let said_on = done(&bench, &words(&format!("{NOW} --resume --metrics run.prom"), "out"));
    assert!(said_on.contains("lines already done"), "{said_on}");
    assert_same(&bench, "out", "whole");
    // Work done before the interruption counts as done.
    let metrics = String::from_utf8(bench.read("run.prom")).expect("UTF-8");
    let value = |name: &str| metrics.lines().find_map(|line| line.strip_prefix(&format!("robosieve_{name} ")));
    assert_eq!(value("source_bytes_total"), value("source_expected_bytes"));
    assert_eq!(value("input_lines_total"), Some("240000"));
}

#[test]
fn a_run_that_fails_before_anything_is_durable_leaves_nothing() {
    let bench = bench_with_lists();
    let words = words(NOW, "out").replace("--checkpoint 0", "--checkpoint 1000");
    let ended = limited(&bench, &words, 1200, "");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert!(!String::from_utf8_lossy(&ended.stderr).contains("--resume"));
    assert_eq!(bench.names("out"), [""; 0]);
}

/// Spilled origins and the lists' folders are removed too.
#[test]
fn a_run_that_fails_with_origins_on_disk_leaves_nothing() {
    let bench = Bench::with_site();
    bench.file("urls", (0..60_000).map(|n| format!("http://{n}.example/\n")).collect::<String>());
    let always = "filter --agent examplebot --robots sites --checkpoint 1000 --threads 1 --out out";
    for options in ["", "--per-input"] {
        let ended = limited(&bench, &format!("{always} {options} --memory 48M urls"), 1200, "");
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        said(&ended.stderr, &["cannot write", ".robots-needed.tsv.0.partial"]);
        assert_eq!(bench.names("out"), [""; 0]);
    }
    // A killed run cannot remove them; the next run does.
    let has_spilled = || bench.names("out").iter().any(|name| name.starts_with(".robots-needed.tsv."));
    let killed = killed_when(&bench, &format!("{always} --memory 48M urls urls urls urls urls"), has_spilled);
    assert_eq!(killed.status.code(), None, "{killed:?}");
    assert!(has_spilled());
}

/// With partitions per list, there may be many more lists than files can be open.
#[test]
#[ignore = "takes long"]
fn many_lists_with_partitions_of_their_own_need_few_open_files() {
    let bench = Bench::with_site();
    let text = |from: usize, lines: usize| {
        (from..from + lines).map(|n| format!("http://a.example/{}{n}\n", ["no/", ""][n % 2])).collect::<String>()
    };
    let lists: Vec<String> = (0..40).map(|list| format!("lists/{list}")).collect();
    for (place, list) in lists.iter().enumerate() {
        // One list is larger than a part; some are empty.
        bench.file(list, text(100 * place, if place == 20 { 3000 } else { place % 3 }));
    }
    let tables: &[&str] = if cfg!(feature = "parquet") { &["--format parquet"] } else { &[] };
    for options in [&["--split-size 20k", "--compress gz", "--verdicts --explain"], tables].concat() {
        let words = |folder: &str, more: &str| {
            let always = "filter --agent examplebot --agent other --robots sites --per-input --checkpoint 0";
            format!("{always} {NOW} {options} {more} --out {folder} {}", lists.join(" "))
        };
        // Enough for the lists themselves, and a few more files.
        let ended = limited(&bench, &words("whole", ""), 9000, "ulimit -n 100;");
        assert!(ended.status.success(), "{options}: {ended:?}");
        let interrupted =
            interrupted_until_done(&bench, |threads| words("out", &format!("--resume --threads {threads}")));
        assert!(interrupted > 0, "{options}");
        assert_same(&bench, "out", "whole");
        done(&bench, "verify --inputs out");
        for folder in ["out", "whole"] {
            fs::remove_dir_all(bench.path(folder)).expect("removed");
        }
    }
}

#[test]
fn an_interrupted_run_stops_at_the_next_chunk_and_resumes() {
    for signal in ["-INT", "-TERM"] {
        let bench = bench_with_lists();
        done(&bench, &words(NOW, "whole"));
        let mut command = bench.command(&words(NOW, "out"));
        command.stderr(Stdio::piped());
        let child = command.spawn().expect("the program");
        while !bench.path("out/.checkpoint.json").exists() {
            std::thread::yield_now();
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill").success());
        let ended = child.wait_with_output().expect("the program ends");
        assert_eq!(ended.status.code(), Some(130), "{ended:?}");
        said(&ended.stderr, &["interrupted", "out", "--resume"]);
        assert!(done(&bench, &words(&format!("{NOW} --resume"), "out")).contains("lines already done"));
        assert_same(&bench, "out", "whole");
    }
}

/// URLs seen before the interruption still count as seen.
#[test]
#[ignore = "takes long"]
fn a_run_that_leaves_lines_out_resumes() {
    for options in ["", "--verdicts", "--per-input", "--compress zst"] {
        let bench = bench_with_lists();
        // The first list occurs twice, the second time after the other one.
        let words = |options: &str, folder: &str| words(options, folder) + " urls";
        let options = format!("{NOW} --unique {options}");
        done(&bench, &words(&options, "whole"));
        let interrupted =
            interrupted_until_done(&bench, |threads| words(&format!("{options} --resume --threads {threads}"), "out"));
        assert!(interrupted > 0, "{options}");
        assert_same(&bench, "out", "whole");
        done(&bench, "verify --inputs out");
    }
}

/// The set of seen URLs takes disk space too.
#[test]
fn a_run_without_room_for_seen_urls_says_so_and_can_be_resumed() {
    let bench = bench_with_lists();
    let ended = limited(&bench, &words(&format!("{NOW} --unique"), "out"), 60, "");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["cannot reserve", "bytes", "out", "--unique"]);
    done(&bench, &words("--resume --unique", "out"));
}

/// A resumed run keeps the time of its start.
#[test]
fn ages_are_judged_at_the_time_of_the_beginning() {
    let bench = bench_with_lists();
    killed(&bench, &words(NOW, "out"), 1200);
    done(&bench, &words("--resume", "out"));
    assert_eq!(bench.timeless("out")["options"]["now"], "2026-01-01T00:00:00Z");
}

/// After a kill and this change, a resumed run must refuse, say why, and touch nothing.
fn refused(options: &str, message: &[&str], change: impl FnOnce(&Bench)) {
    let bench = bench_with_lists();
    killed(&bench, &words(NOW, "out"), 1200);
    let before = bench.read("out/.checkpoint.json");
    change(&bench);
    let kept = || {
        let mut names = files(&bench, "out");
        // The next run replaces the lock of the killed one.
        names.retain(|name| name != ".robosieve.lock");
        names
    };
    let names = kept();
    let ended = bench.program(&words(options, "out")).assert().code(2);
    said(&ended.get_output().stderr, message);
    assert_eq!(bench.read("out/.checkpoint.json"), before);
    assert_eq!(kept(), names);
    assert!(!bench.path("out/receipt.json").exists());
}

#[test]
#[ignore = "takes long"]
fn a_different_run_does_not_resume() {
    let unchanged = |_: &Bench| ();
    refused(NOW, &["unfinished", "--resume", "--force"], unchanged);
    refused("--resume --on-unfetched block", &["resumed", "on-unfetched", "defer", "block"], unchanged);
    refused("--resume --verdicts", &["resumed", "form"], unchanged);
    refused("--resume --unique", &["resumed", "unique"], unchanged);
    refused("--resume --agent other", &["resumed", "crawlers", "other"], unchanged);
    refused("--resume --now 2026-01-01T00:00:01Z", &["resumed", "now"], unchanged);
    refused("--resume --robots more-sites", &["resumed", "policy"], |bench| bench.file("more-sites/b.example", ""));
    refused("--resume", &["resumed", "more", "bytes"], |bench| bench.file("more", "http://a.example/\n"));
    refused("--resume", &["resumed", "more", "changed"], |bench| {
        let more = fs::File::options().write(true).open(bench.path("more")).expect("more");
        more.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    });
    refused("--resume", &["resumed", "allowed.txt", "cut short"], |bench| {
        let name = bench.path("out/.allowed.txt.partial");
        fs::File::options().write(true).open(name).and_then(|file| file.set_len(5)).expect("cut");
    });
    refused("--resume", &["resumed", ".blocked.txt.partial", "is gone", "--force"], |bench| {
        fs::remove_file(bench.path("out/.blocked.txt.partial")).expect("removed");
    });
}

/// A run killed before its first checkpoint leaves nothing to resume and nothing in the way.
#[test]
#[ignore = "takes long"]
fn a_run_that_was_killed_before_its_first_checkpoint_begins_again() {
    for options in ["", "--per-input", "--per-input --compress zst", "--split-size 200k"] {
        let bench = bench_with_lists();
        let words = |options: &str, folder| words(options, folder).replace("--checkpoint 0", "--checkpoint 1000");
        done(&bench, &words(&format!("{NOW} {options}"), "whole"));
        let words = words(&format!("{NOW} {options} --resume"), "out");
        let ended = killed_when(&bench, &words, || longest(&bench.path("out")) > 1 << 10);
        assert_eq!(ended.status.code(), None, "{ended:?}");
        assert!(!bench.path("out/.checkpoint.json").exists() && !files(&bench, "out").is_empty());
        // Files named by other options would stay forever if no run removed them.
        bench.file("out/.allowed.other.txt.gz.partial", "");
        bench.file("out/0007-gone/.verdicts.tsv.partial", "");
        done(&bench, &words);
        assert_same(&bench, "out", "whole");
    }
}

/// A run may be killed between making its folders and the first file in them.
#[test]
fn empty_folders_of_a_killed_run_are_not_in_the_way() {
    let bench = bench_with_lists();
    done(&bench, &words(&format!("{NOW} --per-input"), "whole"));
    for resume in ["", "--resume"] {
        fs::create_dir_all(bench.path("out/0001-urls/lines/verdict=allowed")).expect("folders");
        done(&bench, &words(&format!("{NOW} --per-input {resume}"), "out"));
        assert_eq!(files(&bench, "out"), files(&bench, "whole"));
        fs::remove_dir_all(bench.path("out")).expect("removed");
    }
    // A folder with a file is, and so is one that no run makes.
    for path in ["0001-urls/lines/mine", "other/"] {
        let path = bench.path(&format!("out/{path}"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        if path.ends_with("mine") { fs::write(path, "") } else { fs::create_dir(path) }.expect("made");
        let ended = bench.program(&words(&format!("{NOW} --per-input --resume"), "out")).assert().code(2);
        said(&ended.get_output().stderr, &["out is not empty"]);
        fs::remove_dir_all(bench.path("out")).expect("removed");
    }
}

#[test]
fn a_damaged_checkpoint_is_an_error_and_can_be_discarded() {
    let bench = bench_with_lists();
    done(&bench, &words(NOW, "whole"));
    killed(&bench, &words(NOW, "out"), 1200);
    let checkpoint = bench.read("out/.checkpoint.json");
    let refused = |damaged: &[u8]| {
        bench.file("out/.checkpoint.json", damaged);
        let ended = bench.program(&words(&format!("{NOW} --resume"), "out")).assert().code(2);
        said(&ended.get_output().stderr, &[".checkpoint.json", "damaged", "start the run again", "--force"]);
    };
    let length = checkpoint.len();
    for at in [0, 1, 8, length / 3, length / 2, length - 47, length - 40, length - 20, length - 2, length - 1] {
        let mut damaged = checkpoint.clone();
        damaged[at] ^= if damaged[at].is_ascii_digit() { 1 } else { 0x20 };
        refused(&damaged);
        refused(&checkpoint[..at]);
    }
    refused(&[&checkpoint[..], b"\n"].concat());
    // What is known to be ours may be discarded, wherever the damage is.
    for damaged in [&[b"}", &checkpoint[1..]].concat()[..], &checkpoint[..length - 9], b"{\"job", b""] {
        bench.file("out/.checkpoint.json", damaged);
        done(&bench, &words(&format!("{NOW} --force"), "out"));
        assert_same(&bench, "out", "whole");
    }
}

/// The program may also die after all work is done, when only some files have their final names.
#[test]
fn a_run_that_dies_while_files_are_named_resumes() {
    let bench = bench_with_lists();
    done(&bench, &words(NOW, "whole"));
    killed(&bench, &words(NOW, "out"), 1200);
    let mut checkpoint: Value = serde_json::from_slice(&bench.read("out/.checkpoint.json")).expect("JSON");
    checkpoint.as_object_mut().and_then(|fields| fields.remove("checksum")).expect("a checksum");
    done(&bench, &words(&format!("{NOW} --resume"), "out"));
    let names = ["allowed.txt", "blocked.txt", "deferred.txt", "invalid.txt", "robots-needed.tsv", "receipt.json"];
    checkpoint["stage"] = serde_json::json!({ "Naming": names });
    for named in 0..=names.len() {
        for name in &names[named..] {
            let (name, partial) = (bench.path(&format!("out/{name}")), bench.path(&format!("out/.{name}.partial")));
            fs::rename(name, partial).expect("renamed");
        }
        bench.file("out/.checkpoint.json", checkpoint_of(&checkpoint));
        done(&bench, &words(&format!("{NOW} --resume"), "out"));
        assert_same(&bench, "out", "whole");
    }
}

/// The file of seen URLs gets its name last; until then, the old one stays.
#[test]
fn a_run_that_dies_before_the_file_of_seen_urls_is_named_resumes() {
    let bench = bench_with_lists();
    bench.file("first", "http://a.example/./%41/4\n");
    done(&bench, &format!("filter --agent examplebot --robots sites {NOW} --unique --seen seen --out before first"));
    let old = bench.read("seen");
    let options = format!("{NOW} --unique --seen seen");
    killed(&bench, &words(&options, "out"), 1200);
    let mut checkpoint: Value = serde_json::from_slice(&bench.read("out/.checkpoint.json")).expect("JSON");
    checkpoint.as_object_mut().and_then(|fields| fields.remove("checksum")).expect("a checksum");
    assert!(bench.read("seen") == old);
    done(&bench, &words(&format!("{options} --resume"), "out"));
    let new = bench.read("seen");
    assert!(new.len() > old.len());
    let receipt = bench.receipt("out");
    assert_eq!(receipt["seen"]["lines"], 1);
    let seen = bench.path("seen").canonicalize().expect("a file");
    checkpoint["stage"] = serde_json::json!({ "Naming": ["receipt.json", seen] });
    for is_named in [false, true] {
        if !is_named {
            fs::rename(&seen, bench.path(".seen.partial")).expect("renamed");
            bench.file("seen", &old);
        }
        bench.file("out/.checkpoint.json", checkpoint_of(&checkpoint));
        done(&bench, &words(&format!("{options} --resume"), "out"));
        assert!(bench.read("seen") == new, "{is_named}");
        assert!(!bench.path(".seen.partial").exists() && !bench.path("out/.checkpoint.json").exists());
        // And it is complete.
        done(&bench, &words(&format!("{options} --resume"), "out"));
        assert_eq!(bench.receipt("out"), receipt);
    }
}

/// What was allowed before the interruption is seen, too.
#[test]
fn a_run_with_a_file_of_seen_urls_resumes() {
    for options in ["", "--verdicts --agent other"] {
        let bench = bench_with_lists();
        let of = |folder: &str, more: &str| words(&format!("{NOW} --unique {options} {more}"), folder);
        done(&bench, &of("whole", "--seen all"));
        let interrupted =
            interrupted_until_done(&bench, |threads| of("out", &format!("--seen seen --resume --threads {threads}")));
        assert!(interrupted > 0, "{options}");
        assert!(bench.read("seen") == bench.read("all"));
        for name in files(&bench, "whole").iter().filter(|name| *name != "receipt.json") {
            assert!(bench.read(&format!("out/{name}")) == bench.read(&format!("whole/{name}")), "{name}");
        }
        done(&bench, "verify --inputs out");
    }
}

/// Like the above, but another run then replaces it: no file that already has its name may stay.
#[test]
fn a_run_that_dies_while_files_are_named_is_replaced() {
    let bench = bench_with_lists();
    bench.file("other", "http://a.example/other\n");
    let other = format!("filter --agent examplebot --robots sites {NOW} --split-size 1M");
    done(&bench, &format!("{other} --out whole other"));
    // A run that reads a pipe has no checkpoint.
    for (checkpoint, options) in [(true, ""), (false, ""), (true, "--per-input"), (true, "--compress gz")] {
        done(&bench, &words(&format!("{NOW} --split-size 200k --force {options}"), "out"));
        let (receipt, mut names): (Vec<_>, Vec<_>) =
            files(&bench, "out").into_iter().partition(|name| name == "receipt.json");
        names.sort();
        names.extend(receipt);
        assert!(names.iter().any(|name| name.contains("allowed.0002.txt")), "{names:?}");
        let path = |name: &str| bench.path("out").join(name);
        for name in &names[names.len() / 2..] {
            let partial = path(name).with_file_name(format!(".{}.partial", name.rsplit('/').next().expect("a name")));
            fs::rename(path(name), partial).expect("renamed");
        }
        if checkpoint {
            bench.file(
                "out/.checkpoint.json",
                serde_json::json!({ "job": {}, "stage": { "Naming": names } }).to_string(),
            );
        }
        let refused = bench.program(&format!("{other} --out out other")).assert().code(2);
        said(&refused.get_output().stderr, &["out", "--force"]);
        done(&bench, &format!("{other} --force --out out other"));
        assert_same(&bench, "out", "whole");
    }
}

#[test]
fn a_complete_run_is_left_as_it_is() {
    let bench = bench_with_lists();
    done(&bench, &words(&format!("{NOW} --resume"), "out"));
    let before = bench.read("out/receipt.json");
    assert!(done(&bench, &words("--resume", "out")).contains("every line is accounted for"));
    assert_eq!(bench.read("out/receipt.json"), before);
    let ended = bench.program(&words("--resume --on-unfetched block", "out")).assert().code(2);
    said(&ended.get_output().stderr, &["complete", "another job", "on-unfetched", "defer", "block", "--force"]);
}

/// A complete run whose command would now give another result: it refuses, says why, and touches nothing.
fn refused_when_complete(options: &str, message: &[&str], change: impl FnOnce(&Bench)) {
    let bench = bench_with_lists();
    done(&bench, &words(&format!("{NOW} {options}"), "out"));
    let before = bench.read("out/receipt.json");
    change(&bench);
    let ended = bench.program(&words(&format!("{options} --resume"), "out")).assert().code(2);
    said(&ended.get_output().stderr, &[&["resumed", "complete", "--force"], message].concat());
    assert_eq!(bench.read("out/receipt.json"), before);
}

#[test]
fn a_complete_run_is_not_taken_for_that_of_other_lists() {
    refused_when_complete("", &["another job", "more", "bytes"], |bench| bench.file("more", "http://a.example/\n"));
    refused_when_complete("--compress gz", &["another job", "list urls has changed"], |bench| {
        let urls = fs::File::options().write(true).open(bench.path("urls")).expect("urls");
        urls.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    });
    refused_when_complete("", &["policy"], |bench| bench.file("sites/a.example", ""));
    let pipe = |bench: &Bench| {
        let words = format!("filter --agent examplebot --robots sites {NOW} --force --out out -");
        bench.program(&words).write_stdin("http://a.example/\n").assert().success();
    };
    let bench = bench_with_lists();
    pipe(&bench);
    let ended = bench.program(&words("--resume", "out")).assert().code(2);
    said(&ended.get_output().stderr, &["resumed", "complete", "standard input"]);
}

#[test]
fn a_complete_run_must_have_its_files() {
    refused_when_complete("", &["allowed.txt is gone"], |bench| {
        fs::remove_file(bench.path("out/allowed.txt")).expect("removed");
    });
    refused_when_complete("--per-input --compress zst", &["0002-more/blocked.txt.zst", "bytes"], |bench| {
        bench.file("out/0002-more/blocked.txt.zst", "");
    });
    refused_when_complete("--verdicts --split-size 1M", &["verdicts.0003.tsv is gone"], |bench| {
        fs::remove_file(bench.path("out/verdicts.0003.tsv")).expect("removed");
    });
    refused_when_complete("", &["robots-needed.tsv is gone"], |bench| {
        fs::remove_file(bench.path("out/robots-needed.tsv")).expect("removed");
    });
}

/// A path that is not UTF-8 is written to a checkpoint as it is to the receipt.
#[test]
#[cfg(target_os = "linux")]
fn a_list_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt;

    let bench = bench_with_lists();
    let name = std::ffi::OsStr::from_bytes(b"\xffurls");
    fs::rename(bench.path("urls"), bench.path(".").join(name)).expect("renamed");
    for options in ["--checkpoint 0", "--resume"] {
        let words = format!("filter --agent examplebot --robots sites {NOW} {options} --out out");
        bench.program(&words).arg(name).assert().success();
    }
}

#[test]
fn standard_input_cannot_be_resumed_and_that_is_said_at_the_start() {
    let bench = Bench::with_site();
    let words = "filter --agent examplebot --robots sites --out out -";
    let ended = bench.program(words).write_stdin("http://a.example/\n").assert().success();
    said(&ended.get_output().stderr, &["standard input", "cannot be resumed"]);
    let ended = bench.program(&format!("{words} --resume")).write_stdin("http://a.example/\n").assert().code(2);
    said(&ended.get_output().stderr, &["standard input"]);
}
