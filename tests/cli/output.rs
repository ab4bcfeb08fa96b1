//! The output folder of a run, and the receipt.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::program::{Bench, PROGRAM, assert_no_result, said, unwritten_at, with_closed_stdout, with_stdout};
use crate::support::results::Split;

/// The files that a run leaves.
const NAMES: [&str; 6] =
    ["allowed.txt", "blocked.txt", "deferred.txt", "invalid.txt", "receipt.json", "robots-needed.tsv"];

/// Runs the program with a full device as standard output.
#[cfg(target_os = "linux")]
fn with_full_stdout(bench: &Bench, words: &str) -> Output {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    with_stdout(bench, words, Stdio::from(full))
}

fn bench_with_list() -> Bench {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\nhttp://a.example/no\nhttp://b.example/\n\n");
    bench
}

#[test]
fn a_run_leaves_its_files_and_nothing_else() {
    let bench = bench_with_list();
    bench.split("--robots sites", &["urls"]);
    assert_eq!(bench.names("out"), NAMES);
    bench.filter("--robots sites --out new/deep/out urls").assert().success();
    assert_eq!(bench.names("new/deep/out"), NAMES);
    std::fs::create_dir(bench.path("empty")).expect("a folder");
    bench.filter("--robots sites --out empty urls").assert().success();
    assert_eq!(bench.names("empty"), NAMES);
}

#[test]
fn the_table_shows_the_same_as_the_receipt() {
    let bench = bench_with_list();
    let done = bench.filter("--robots sites --out out urls").assert().success();
    let output = done.get_output();
    assert!(output.stdout.is_empty());
    let table = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    let row = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {table}"));
        line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("allowed"), "1 25.00% 18 rules 1");
    assert_eq!(row("blocked"), "1 25.00% 20 rules 1");
    assert_eq!(row("deferred"), "1 25.00% 18 unfetched 1");
    assert_eq!(row("invalid"), "1 25.00% 1 empty 1");
    assert_eq!(row("input"), "4 57");
    assert!(table.contains("1 robots.txt to fetch"), "{table}");
}

#[test]
fn a_folder_that_is_not_empty_is_refused_without_force() {
    let bench = bench_with_list();
    bench.file("out/notes", "mine");
    bench.refused("--robots sites --out out urls", &["out", "not empty", "--force"]);
    assert_eq!(bench.names("out"), ["notes"]);
    let first = bench.split("--robots sites --force", &["urls"]);
    bench.file("urls", "http://a.example/no/2\n");
    let done = bench.filter("--robots sites --out out urls").assert().code(2);
    said(&done.get_output().stderr, &["not empty"]);
    assert!(Split::read(&bench, "out") == first, "the first result is still there");
}

#[test]
fn force_replaces_the_earlier_result_and_nothing_else() {
    let bench = bench_with_list();
    bench.file("out/notes", "mine");
    bench.file("out/0001-mine/allowed.md", "mine");
    bench.file("out/invalid.txt.bak", "mine");
    bench.split("--robots sites --force", &["urls"]);
    bench.file("urls", "http://a.example/no/2\n");
    let second = bench.split("--robots sites --force", &["urls"]);
    assert_eq!(second.lines("blocked"), ["http://a.example/no/2"]);
    assert_eq!(second.lines("allowed").len(), 0);
    for name in ["out/notes", "out/0001-mine/allowed.md", "out/invalid.txt.bak"] {
        assert_eq!(bench.read(name), b"mine", "{name}");
    }
}

#[test]
fn a_forced_run_that_fails_leaves_no_result() {
    let bench = bench_with_list();
    bench.file("out/notes", "mine");
    bench.split("--robots sites --force", &["urls"]);
    bench.filter("--robots sites --force --out out missing").assert().code(2);
    assert!(bench.path("out/receipt.json").exists(), "nothing was touched before the lists were open");
    std::fs::remove_file(bench.path("out/invalid.txt")).expect("removed");
    std::fs::create_dir(bench.path("out/invalid.txt")).expect("a folder where a file should go");
    let done = bench.filter("--robots sites --force --out out urls").assert().code(2);
    said(&done.get_output().stderr, &["invalid.txt", "in the way"]);
    assert!(bench.path("out/receipt.json").exists() && bench.path("out/allowed.txt").exists(), "nothing was touched");
}

#[test]
fn force_touches_no_file_that_no_run_wrote() {
    let bench = bench_with_list();
    let foreign_receipt = "{\"partitions\": {\"a\": {\"files\": [{\"name\": \"blocked.txt\"}]}}}";
    let in_the_way = [
        ("allowed.txt", "mine", ""),
        ("robots-needed.tsv", "mine", ""),
        ("receipt.json", foreign_receipt, ""),
        (".checkpoint.json", "mine", ""),
        ("blocked.0001.txt", "mine", "--split-size 1k"),
        ("0001-urls/allowed.txt", "mine", "--per-input"),
        ("robots-needed.tsv", "mine", "--per-input"),
    ];
    for (name, content, options) in in_the_way {
        bench.file(&format!("out/{name}"), content);
        let done = bench.filter(&format!("--robots sites --force --out out {options} urls")).assert().code(2);
        said(&done.get_output().stderr, &[name, "in the way"]);
        assert_eq!(bench.read(&format!("out/{name}")), content.as_bytes(), "{name}");
        std::fs::remove_dir_all(bench.path("out")).expect("removed");
    }
    // Files that are not in the way stay, whatever their names, and whatever a receipt says of paths.
    bench.filter("--robots sites --out out urls").assert().success();
    let receipt = String::from_utf8(bench.read("out/receipt.json")).expect("UTF-8");
    bench.file("out/receipt.json", receipt.replace("\"blocked.txt\"", "\"../allowed.txt\""));
    std::fs::remove_file(bench.path("out/blocked.txt")).expect("removed");
    std::fs::create_dir(bench.path("out/0001-crawl")).expect("a folder");
    for name in
        ["out/report.html", "out/lines/verdict=blocked/part-0001.parquet", "out/0002-crawl/allowed.txt", "allowed.txt"]
    {
        bench.file(name, "mine");
    }
    bench.split("--robots sites --force", &["urls"]);
    for name in
        ["out/report.html", "out/lines/verdict=blocked/part-0001.parquet", "out/0002-crawl/allowed.txt", "allowed.txt"]
    {
        assert_eq!(bench.read(name), b"mine", "{name}");
    }
    assert!(bench.path("out/0001-crawl").exists());
}

#[test]
fn a_page_about_the_earlier_run_is_removed_with_it() {
    let bench = bench_with_list();
    bench.split("--robots sites", &["urls"]);
    bench.program("report out").assert().success();
    bench.split("--robots sites --force", &["urls"]);
    assert_eq!(bench.names("out"), NAMES);
}

/// With partitions per list, too, only those of the last run are left.
#[test]
fn force_replaces_the_partitions_of_each_list_too() {
    let bench = bench_with_list();
    bench.file("more", "http://a.example/more\n");
    bench.filter("--robots sites --out out --per-input urls more").assert().success();
    bench.file("out/0002-more/notes", "mine");
    bench.split("--robots sites --force", &["urls"]);
    let mut names: Vec<String> = NAMES.map(str::to_owned).into();
    names.insert(0, "0002-more".to_owned());
    assert_eq!(bench.names("out"), names);
    assert_eq!(bench.names("out/0002-more"), ["notes"]);
}

/// A folder that is named like that of a list, but has a run of its own, stays as it is.
#[test]
fn a_run_in_a_folder_below_is_left_alone() {
    for marker in ["receipt.json", ".checkpoint.json", ".robosieve.lock"] {
        let bench = bench_with_list();
        bench.filter("--robots sites --out out --per-input urls urls").assert().success();
        std::fs::remove_dir_all(bench.path("out/0002-urls")).expect("removed");
        let there = [marker, "allowed.txt", ".blocked.txt.merged", "lines/verdict=allowed/.part-0001.parquet.partial"];
        let there = there.map(|name| format!("out/0002-urls/{name}"));
        there.iter().for_each(|name| bench.file(name, ""));
        let stays = || there.iter().for_each(|name| assert_eq!(bench.read(name), b"", "{marker}: {name}"));
        bench.filter("--robots sites --out out urls").assert().code(2);
        stays();
        let done = bench.filter("--robots sites --out out --force --per-input --verdicts urls urls").assert().code(2);
        said(&done.get_output().stderr, &["0002-urls is in the way"]);
        stays();
        bench.split("--robots sites --force", &["urls"]);
        stays();
    }
}

#[test]
fn a_list_that_would_be_replaced_is_refused() {
    let bench = bench_with_list();
    for name in ["allowed.txt", "invalid.txt", "robots-needed.tsv", "receipt.json"] {
        bench.file(&format!("out/{name}"), "http://a.example/\n");
        for list in [format!("out/{name}"), format!("sites/../out/{name}")] {
            let done = bench.filter(&format!("--robots sites --out out --force urls {list}")).assert().code(2);
            said(&done.get_output().stderr, &[name, "replace"]);
            assert_eq!(bench.read(&format!("out/{name}")), b"http://a.example/\n");
        }
        std::fs::remove_file(bench.path(&format!("out/{name}"))).expect("removed");
    }
    bench.file("out/list", "http://a.example/no\n");
    bench.split("--robots sites --force", &["out/list"]);
    assert_eq!(bench.read("out/list"), b"http://a.example/no\n");
}

/// This includes temporary files of a run, and files it removes because an earlier run may have left them.
#[test]
fn a_list_that_a_run_would_remove_is_refused() {
    let bench = bench_with_list();
    for name in [
        ".allowed.txt.partial",
        ".verdicts.0007.tsv.gz.partial",
        ".robots-needed.tsv.partial",
        ".robots-needed.tsv.12.partial",
        ".receipt.json.partial",
        ".checkpoint.json",
        "..checkpoint.json.partial",
        ".robosieve.lock",
        "report.html",
        "0001-urls/.blocked.txt.partial",
        "0009-gone/allowed.txt",
    ] {
        for options in ["", "--force", "--per-input --force", "--resume"] {
            bench.file(&format!("out/{name}"), "http://a.example/\n");
            bench.filter(&format!("--robots sites --out out {options} urls out/{name}")).assert().code(2);
            assert_eq!(bench.read(&format!("out/{name}")), b"http://a.example/\n", "{name} {options}");
            std::fs::remove_dir_all(bench.path("out")).expect("removed");
        }
    }
    // Files that cannot be a run's stay, whatever their names.
    for name in [".partial", "sub/.allowed.txt.partial", "0001-urls/deep/allowed.txt"] {
        bench.file(&format!("out/{name}"), "http://a.example/\n");
        bench.filter(&format!("--robots sites --out out --force out/{name}")).assert().success();
        assert_eq!(bench.read(&format!("out/{name}")), b"http://a.example/\n", "{name}");
    }
}

/// The run would remove the link in the folder.
#[cfg(unix)]
#[test]
fn a_link_to_a_list_is_not_replaced_either() {
    let bench = bench_with_list();
    std::fs::create_dir(bench.path("out")).expect("a folder");
    std::os::unix::fs::symlink(bench.path("urls"), bench.path("out/allowed.txt")).expect("a link");
    let done = bench.filter("--robots sites --out out --force out/allowed.txt").assert().code(2);
    said(&done.get_output().stderr, &["allowed.txt", "replace"]);
    assert!(bench.path("out/allowed.txt").is_symlink());
}

#[test]
fn counting_writes_nothing_and_prints_the_receipt() {
    let bench = bench_with_list();
    let before = bench.names(".");
    let done = bench.filter("--robots sites --count --json urls").assert().success();
    assert_eq!(bench.names("."), before);
    let receipt: Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
    bench.split("--robots sites", &["urls"]);
    let written = bench.receipt("out");
    for name in ["allowed", "blocked", "deferred", "invalid"] {
        for field in ["lines", "bytes", "reasons"] {
            assert_eq!(receipt["partitions"][name][field], written["partitions"][name][field], "{name}");
        }
        assert!(receipt["partitions"][name].get("written").is_none(), "nothing was");
    }
    assert_eq!(receipt["input"]["lines"], 4);
    assert!(receipt.get("balanced").is_none());
}

/// A folder with a policy, too.
fn bench_with_policy() -> Bench {
    let bench = bench_with_list();
    bench.program("compile --agent examplebot sites -o policy.rsv").assert().success();
    bench
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error_and_does_not_change_the_answer() {
    let bench = bench_with_policy();
    for (words, status) in [
        ("filter --policy policy.rsv --count --json urls", 0),
        ("check --policy policy.rsv http://a.example/yes", 0),
        ("check --policy policy.rsv http://a.example/no", 1),
        ("inspect policy.rsv", 0),
        ("inspect policy.rsv http://a.example", 0),
        ("export policy.rsv --what status", 0),
        ("completions bash", 0),
    ] {
        let done = with_closed_stdout(&bench, words);
        assert_eq!(done.status.code(), Some(status), "{words}");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.is_empty() || words.starts_with("filter") && !said.contains("robosieve: "), "{words}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_an_error() {
    let bench = bench_with_policy();
    for (words, what) in [
        ("filter --policy policy.rsv --count --json urls", "print"),
        ("filter --policy policy.rsv --only allowed urls", "standard output"),
        ("check --policy policy.rsv http://a.example/yes", "print"),
        ("lint urls", "print"),
        ("inspect policy.rsv", "print"),
        ("export policy.rsv --what status", "print"),
    ] {
        let done = with_full_stdout(&bench, words);
        assert_eq!(done.status.code(), Some(2), "{words}");
        said(&done.stderr, &[what]);
    }
}

#[test]
fn a_folder_that_cannot_be_is_an_error() {
    let bench = bench_with_list();
    bench.file("file", "mine");
    bench.refused("--robots sites --out file urls", &["file"]);
    bench.refused("--robots sites --out file/out urls", &["file"]);
    bench.refused("--robots sites --out file --force urls", &["file"]);
    assert_eq!(bench.read("file"), b"mine");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;

    let bench = bench_with_list();
    std::fs::create_dir(bench.path("out")).expect("a folder");
    std::fs::set_permissions(bench.path("out"), std::fs::Permissions::from_mode(0o555)).expect("permissions");
    if std::fs::write(bench.path("out/probe"), "").is_ok() {
        eprintln!("SKIPPED: this user may write everywhere, so a locked folder cannot be tested");
        return;
    }
    bench.refused("--robots sites --out out urls", &["out"]);
    assert_eq!(bench.names("out"), [""; 0]);
}

/// A limit on file size acts as a full disk; any user can set it, on any system with a shell.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_leaves_nothing() {
    let bench = Bench::new();
    let sources = "--robots DATASETS/sites --robots DATASETS/origins.jsonl";
    bench.file("empty", "");
    for (blocks, list) in [(0, "DATASETS/urls.txt"), (1, "DATASETS/urls.txt"), (20, "DATASETS/urls.txt"), (0, "empty")]
    {
        for options in ["--threads 1", "--threads 3", "--per-input"] {
            let words = format!("filter --agent examplebot {sources} --out out {options} {list}");
            let mut command = assert_cmd::Command::new("sh");
            let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
            command.current_dir(bench.path(".")).args(["-c", &script, PROGRAM]).args(bench.arguments(&words));
            let done = command.assert().code(2);
            // A block has 512 bytes, and the limit applies to each file. A worker may get further than one that
            // writes before it.
            let (at, room) = (unwritten_at(&done.get_output().stderr), blocks * 512);
            assert!(at == room || at > room && !options.starts_with("--threads 1"), "{at}, {blocks} blocks, {options}");
            let folders = ["0001-urls.txt", "0001-empty"];
            let mut left = bench.names("out");
            left.retain(|name| !folders.contains(&name.as_str()));
            left.extend(folders.iter().flat_map(|folder| bench.names(&format!("out/{folder}"))));
            assert_eq!(left, [""; 0], "{blocks} blocks, {options}, {list}");
            std::fs::remove_dir_all(bench.path("out")).expect("removed");
        }
    }
}

/// Likewise for every command that writes: it says what it could not write, ends with 2, and leaves nothing behind.
#[cfg(unix)]
#[test]
fn every_command_ends_alike_where_files_may_not_grow() {
    let bench = Bench::new();
    bench.file("robots.txt", "User-agent: *\nDisalow: /\n");
    for name in ["policy", "newer"] {
        bench.program(&format!("compile --agent examplebot DATASETS/sites -o {name}.rsv")).assert().success();
    }
    for shard in ["1/2", "2/2"] {
        let words =
            format!("filter --policy policy.rsv --now 2026-01-01T00:00:00Z --shard {shard} --out {}", &shard[..1]);
        bench.program(&format!("{words} DATASETS/urls.txt")).assert().success();
    }
    bench.program("filter --policy policy.rsv --out run DATASETS/urls.txt").assert().success();
    std::fs::create_dir(bench.path("out")).expect("a folder");
    for words in [
        "compile --agent examplebot DATASETS/sites -o out/new.rsv",
        "merge policy.rsv newer.rsv -o out/merged.rsv",
        "export policy.rsv --what sitemaps -o out/sitemaps",
        "report run --policy policy.rsv -o out/report.html",
        "join 1 2 --out out",
        "join 1 2 --concat --out out",
        "filter --policy policy.rsv --out out DATASETS/urls.txt",
        "filter --policy policy.rsv --only allowed DATASETS/urls.txt > stdout",
        "filter --policy policy.rsv --verdicts DATASETS/urls.txt > stdout",
        "filter --policy policy.rsv --count DATASETS/urls.txt > stdout",
        "check --policy policy.rsv https://shop.example/cart > stdout",
        "lint robots.txt > stdout",
        "inspect policy.rsv > stdout",
        "export policy.rsv --what sitemaps > stdout",
        "verify run > stdout",
        "man > stdout",
        "man -o out",
        "completions bash > stdout",
    ] {
        let (arguments, output) = words.split_once(" > ").unwrap_or((words, "stdout"));
        let mut command = Command::new("sh");
        command.current_dir(bench.path(".")).args(["-c", "ulimit -f 0; exec \"$0\" \"$@\"", PROGRAM]);
        let stdout = std::fs::File::create(bench.path(output)).expect("a file");
        let done = command.args(bench.arguments(arguments)).stdout(stdout).output().expect("a shell");
        assert_eq!(done.status.code(), Some(2), "{words}: {done:?}");
        said(&done.stderr, &["cannot ", "File too large"]);
        assert!(bench.read("stdout").is_empty(), "{words}");
        assert_eq!(bench.names("out"), [""; 0], "{words}");
    }
}

/// Likewise with a file system that is really full, where one can be mounted.
#[cfg(target_os = "linux")]
#[test]
fn a_full_file_system_is_an_error_and_leaves_nothing() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("out")).expect("a folder");
    let probe = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "none"]).arg(bench.path("out")).output();
    if !probe.is_ok_and(|done| done.status.success()) {
        eprintln!("SKIPPED: no file system can be made here; a limit on the size of files stands in for it");
        return;
    }
    let words = "filter --agent examplebot --robots DATASETS/sites --out out DATASETS/urls.txt";
    let script = "mount -t tmpfs -o size=64k none out && { \"$0\" \"$@\"; status=$?; ls -A out; exit $status; }";
    let mut command = assert_cmd::Command::new("unshare");
    command.current_dir(bench.path(".")).args(["-rm", "sh", "-c", script, PROGRAM]).args(bench.arguments(words));
    let done = command.assert().code(2);
    said(&done.get_output().stderr, &["cannot write", "at byte ", "space"]);
    let left = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert_no_result(&left.lines().map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(left, "", "no partial file stays either");
}
