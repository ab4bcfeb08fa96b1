//! `verify`: proves a receipt again.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::{Bench, said};

/// A run over two lists, the first without a final line feed.
fn bench_with_run(options: &str) -> Bench {
    let bench = Bench::with_site();
    let urls = |count: usize| {
        let line = |n: usize| match n % 5 {
            0 => format!("http://a.example/no/{n}\n"),
            1 => format!("http://{n}.example/\n"),
            2 => "\n".to_owned(),
            _ => format!("http://a.example/{n}\n"),
        };
        (0..count).map(line).collect::<String>()
    };
    bench.file("urls", urls(500).trim_end());
    bench.file("more", urls(300));
    bench.filter(&format!("--robots sites {options} --out out urls more")).assert().success();
    bench
}

/// The table and the exit status.
fn verify(bench: &Bench, words: &str) -> (String, Option<i32>) {
    let done = bench.program(&format!("verify {words}")).output().expect("the program");
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    (String::from_utf8(done.stdout).expect("UTF-8"), done.status.code())
}

/// A change to a file must be found, and reported in that file's line.
fn found(bench: &Bench, name: &str, problem: &str, change: impl FnOnce(&str) -> String) {
    let path = bench.path(&format!("out/{name}"));
    let before = fs::read_to_string(&path).expect("text");
    fs::write(&path, change(&before)).expect("written");
    let (table, status) = verify(bench, "out");
    assert_eq!(status, Some(1), "{name}: {table}");
    assert!(table.ends_with("NOT proven\n"), "{table}");
    let line = table.lines().find(|line| line.contains(name)).expect("a line of the file");
    assert!(line.contains(problem), "{line}");
    fs::write(&path, before).expect("written");
}

fn swap_lines(text: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let last = lines.len() - 1;
    lines.swap(last - 1, last);
    lines.concat()
}

#[test]
fn what_a_run_wrote_is_proven() {
    let forms =
        ["", "--verdicts", "--per-input", "--per-input --verdicts", "--agent other", "--agent other --verdicts"];
    for options in forms {
        let bench = bench_with_run(options);
        for words in ["out", "out --inputs", "out --inputs --threads 3"] {
            let (table, status) = verify(&bench, words);
            assert_eq!(status, Some(0), "{options}: {table}");
            assert!(table.contains("proven: every line"), "{table}");
            assert_eq!(table.contains("urls "), words.contains("inputs"), "{table}");
        }
    }
}

#[test]
fn changed_partitions_are_found() {
    let bench = bench_with_run("");
    found(&bench, "allowed.txt", "320 lines", |text| text.replacen("http://a.example/3\n", "", 1));
    found(&bench, "blocked.txt", "found", |text| format!("{text}http://a.example/no/0\n"));
    found(&bench, "deferred.txt", "different ones", |text| text.replacen("http://1.", "http://2.", 1));
    found(&bench, "blocked.txt", "different order", swap_lines);
    found(&bench, "invalid.txt", "found", |_| String::new());
    found(&bench, "robots-needed.tsv", "100 origins", |text| {
        text[..=text.trim_end().rfind('\n').expect("a line")].to_owned()
    });
    found(&bench, "robots-needed.tsv", "waiting lines", |text| text.replacen("\t1\t", "\t7\t", 1));
    let (table, _) = verify(&bench, "out");
    assert!(table.contains("proven: every line"), "what was changed is as it was: {table}");
}

#[test]
fn changed_verdicts_are_found() {
    let bench = bench_with_run("--agent other --verdicts");
    let name = "verdicts.tsv";
    let line = "allowed\tallowed\thttp://a.example/8\n";
    found(&bench, name, "found", |text| text.replacen(line, "", 1));
    found(&bench, name, "allowed.examplebot", |text| text.replacen(line, &line.replacen("allowed", "blocked", 1), 1));
    found(&bench, name, "allowed.other", |text| text.replacen(line, &line.replacen("\tallowed", "\tblocked", 1), 1));
    found(&bench, name, "without a verdict", |text| text.replacen(line, &line.replace("allowed", "fine"), 1));
    found(&bench, name, "different order", swap_lines);
}

#[test]
fn changed_partitions_of_lists_are_found() {
    let bench = bench_with_run("--per-input");
    found(&bench, "0002-more/allowed.txt", "found", |text| text.replacen("http://a.example/3\n", "", 1));
    found(&bench, "0001-urls/blocked.txt", "different order", swap_lines);
}

#[test]
fn a_missing_file_is_found() {
    for options in ["", "--verdicts"] {
        let bench = bench_with_run(options);
        let name = if options.is_empty() { "blocked.txt" } else { "verdicts.tsv" };
        fs::remove_file(bench.path(&format!("out/{name}"))).expect("removed");
        fs::remove_file(bench.path("out/robots-needed.tsv")).expect("removed");
        let (table, status) = verify(&bench, "out");
        assert_eq!(status, Some(1));
        assert_eq!(table.matches("missing").count(), 2, "{table}");
    }
}

#[test]
fn a_changed_list_is_found_if_it_is_read() {
    let bench = bench_with_run("");
    bench.file("more", String::from_utf8(bench.read("more")).expect("text").replacen("/no/", "/ok/", 1));
    assert_eq!(verify(&bench, "out").1, Some(0));
    let (table, status) = verify(&bench, "out --inputs");
    assert_eq!(status, Some(1));
    assert!(table.lines().any(|line| line.starts_with("more ") && line.contains("different ones")), "{table}");
}

#[test]
fn standard_input_cannot_be_read_again() {
    let bench = Bench::with_site();
    bench.filter("--robots sites --out out -").write_stdin("http://a.example/\n").assert().success();
    let (table, status) = verify(&bench, "out --inputs");
    assert_eq!(status, Some(0));
    assert!(table.contains("not stored"), "{table}");
}

/// Makes a named pipe with no writer: opening it blocks until the test's timeout.
#[cfg(unix)]
fn pipe(bench: &Bench, name: &str) {
    fs::remove_file(bench.path(name)).ok();
    assert!(std::process::Command::new("mkfifo").arg(bench.path(name)).status().expect("mkfifo").success());
}

/// Far longer than any of these takes, unless it blocks.
#[cfg(unix)]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

#[cfg(unix)]
#[test]
fn what_came_through_a_pipe_cannot_be_read_again() {
    let bench = Bench::with_site();
    bench.file("empty", "");
    bench.file("urls", "http://a.example/1\n");
    pipe(&bench, "pipe");
    let path = bench.path("pipe");
    // Not joined: if the program never opens the pipe, the writer blocks forever.
    std::thread::spawn(move || fs::write(path, "http://a.example/2\n"));
    let mut filter = bench.filter("--robots sites --skip-bad --out out empty pipe missing urls sites");
    filter.timeout(PATIENCE).assert().success();
    let verify = || {
        let done = bench.program("verify out --inputs").timeout(PATIENCE).assert().code(0);
        let table = String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8");
        let of_list =
            |name: &str| table.lines().find(|line| line.starts_with(&format!("{name} "))).expect("a line").to_owned();
        assert!(of_list("pipe").contains("not stored, cannot be read again"), "{table}");
        for name in ["empty", "missing", "urls", "sites"] {
            let skipped = if ["missing", "sites"].contains(&name) { "; parts that the run skipped: 1" } else { "" };
            assert!(of_list(name).ends_with(&format!("matches the receipt{skipped}")), "{table}");
        }
    };
    verify();
    fs::remove_file(bench.path("pipe")).expect("removed");
    verify();
    bench.file("pipe", "http://a.example/another\n");
    verify();
    // A file replaced by a pipe does not block it either.
    pipe(&bench, "urls");
    let done = bench.program("verify out --inputs").timeout(PATIENCE).assert().code(1);
    let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(table.contains("not a regular file"), "{table}");
}

/// The receipt does not record the file of a compressed table, since the table is read from a copy. `verify` finds the
/// list all the same.
#[cfg(feature = "parquet")]
#[test]
fn a_compressed_table_is_read_again() {
    use crate::support::tables::{Values::Bytes, parquet};

    let table = |url: &str| {
        let urls = Bytes(vec![Some(url.as_bytes().to_vec())]);
        let kind = parquet::basic::Compression::UNCOMPRESSED;
        crate::support::compression::gzip(&parquet(&[("optional binary url", urls)], 1, kind))
    };
    let bench = Bench::with_site();
    bench.file("urls", table("http://a.example/1"));
    bench.filter("--robots sites --out out urls").assert().success();
    let of_list = || {
        let (table, status) = verify(&bench, "out --inputs");
        (table.lines().find(|line| line.starts_with("urls ")).expect("a line").to_owned(), status)
    };
    let (line, status) = of_list();
    assert!(line.ends_with("matches the receipt") && status == Some(0), "{line}");
    bench.file("urls", table("http://a.example/2"));
    let (line, status) = of_list();
    assert!(line.contains("different ones") && status == Some(1), "{line}");
    fs::remove_file(bench.path("urls")).expect("removed");
    let (line, status) = of_list();
    assert!(line.ends_with("missing") && status == Some(1), "{line}");
}

/// A pipe in place of a file that the run wrote is reported, and does not block the program.
#[cfg(unix)]
#[test]
fn pipes_in_the_place_of_files_are_found() {
    let mut forms = vec![("", "allowed.txt"), ("--verdicts", "verdicts.tsv"), ("", "robots-needed.tsv")];
    if cfg!(feature = "parquet") {
        forms.push(("--format parquet", "lines/verdict=allowed/part-0001.parquet"));
    }
    for (options, name) in forms {
        let bench = bench_with_run(options);
        let receipt = bench.read("out/receipt.json");
        pipe(&bench, &format!("out/{name}"));
        let done = bench.program("verify out").timeout(PATIENCE).assert().code(1);
        let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        // A long name has a line of its own.
        let table = table.replace("\n  ", "  ");
        let line = table.lines().find(|line| line.contains(name)).expect("a line of the file");
        assert!(line.ends_with("not a regular file"), "{table}");
        pipe(&bench, "out/receipt.json");
        for words in ["verify out", "report out", "join --out all out"] {
            let done = bench.program(words).timeout(PATIENCE).assert().code(2);
            said(&done.get_output().stderr, &["out/receipt.json", "not a regular file"]);
        }
        fs::remove_file(bench.path("out/receipt.json")).expect("removed");
        bench.file("out/receipt.json", receipt);
    }
}

/// JSON cannot hold a name that is not UTF-8, so the receipt has its bytes as well.
#[cfg(target_os = "linux")]
#[test]
fn lists_whose_names_are_not_utf_8_are_proven() {
    use std::os::unix::ffi::OsStrExt;

    let bench = Bench::with_site();
    let names = [&b"urls\xff"[..], b"urls\xfe"].map(std::ffi::OsStr::from_bytes);
    for (name, line) in names.iter().zip(["http://a.example/1\n", "http://a.example/22\n"]) {
        fs::write(bench.path(".").join(name), line).expect("a file");
    }
    bench.filter("--robots sites --out out").args(names).assert().success();
    let receipt = bench.receipt("out");
    assert_eq!(
        (&receipt["lists"][0]["path"], &receipt["lists"][0]["path_base64"]),
        (&json!("urls\u{fffd}"), &json!("dXJsc/8="))
    );
    let (table, status) = verify(&bench, "out --inputs");
    assert_eq!((status, table.matches("\u{fffd}").count()), (Some(0), 2), "{table}");
    // Another file that is shown by the same name proves nothing.
    bench.file("urls\u{fffd}", "http://a.example/1\n");
    fs::remove_file(bench.path(".").join(names[0])).expect("removed");
    let (table, status) = verify(&bench, "out --inputs");
    assert!(status == Some(1) && table.contains("missing"), "{table}");
    let changed = String::from_utf8(bench.read("out/receipt.json")).expect("UTF-8").replace("dXJsc/8=", "?");
    bench.file("out/receipt.json", changed);
    let (table, status) = verify(&bench, "out --inputs");
    assert!(status == Some(1) && table.contains("the receipt does not name it"), "{table}");
}

/// Numbers changed in the receipt contradict the files or each other.
#[test]
fn a_changed_receipt_is_found() {
    let bench = bench_with_run("");
    let receipt = String::from_utf8(bench.read("out/receipt.json")).expect("text");
    let lines: Vec<&str> = receipt.lines().collect();
    let (from, to) = (receipt.find("\"input\"").expect("input"), receipt.find("\"balanced\"").expect("balanced"));
    // The state of a list's file serves resumed runs and proves nothing about the lines.
    let proves = |line: &str| !["path", "length", "modified"].iter().any(|name| line.contains(name));
    let mut at = 0;
    let mut changed = 0;
    for line in lines {
        let digit = line.rfind(|c: char| c.is_ascii_digit());
        if let Some(digit) = digit.filter(|_| (from..to).contains(&at) && line.contains(": ") && proves(line)) {
            let other = if line.as_bytes()[digit] == b'1' { "2" } else { "1" };
            let mut text = receipt.clone();
            text.replace_range(at + digit..at + digit + 1, other);
            bench.file("out/receipt.json", text);
            let (table, status) = verify(&bench, "out");
            assert_eq!(status, Some(1), "{line}: {table}");
            changed += 1;
        }
        at += line.len() + 1;
    }
    assert!(changed > 50, "{changed}");
}

/// Unreadable files are listed in the table like wrong ones, and everything else is still read.
#[test]
fn what_cannot_be_read_is_found() {
    for form in ["", "--verdicts"] {
        let bench = bench_with_run(&format!("{form} --per-input --compress gz"));
        let name = if form.is_empty() { "0001-urls/blocked.txt.gz" } else { "0001-urls/verdicts.tsv.gz" };
        let mut damaged = bench.read(&format!("out/{name}"));
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        bench.file(&format!("out/{name}"), damaged);
        fs::remove_file(bench.path("more")).expect("removed");
        let (table, status) = verify(&bench, "out --inputs");
        assert_eq!(status, Some(1), "{table}");
        for line in table.lines().skip(1).filter(|line| line.contains(" output ") || line.contains(" list ")) {
            let expected = match line.split_whitespace().next().expect("a name") {
                path if path.ends_with(name) => "its gzip data is damaged or cut short, at or shortly after byte",
                "more" => "missing",
                _ => "matches the receipt",
            };
            assert!(line.contains(expected), "{table}");
        }
        assert!(table.ends_with("NOT proven\n"), "{table}");
    }
}

/// A folder in place of a file counts as no file, and does not stop the program.
#[test]
fn folders_in_the_place_of_files_are_found() {
    let bench = bench_with_run("");
    for name in ["out/allowed.txt", "out/robots-needed.tsv", "urls"] {
        fs::remove_file(bench.path(name)).expect("removed");
        fs::create_dir(bench.path(name)).expect("a folder");
    }
    let (table, status) = verify(&bench, "out --inputs");
    assert_eq!(status, Some(1), "{table}");
    assert_eq!(table.matches("matches the receipt").count(), 4, "{table}");
}

/// Rows may differ although all counts match.
#[test]
fn changed_rows_of_robots_to_fetch_are_found() {
    let bench = bench_with_run("");
    let name = "robots-needed.tsv";
    found(&bench, name, "different ones", |text| text.replacen("http://6.", "http://7.", 1));
    found(&bench, name, "expected ", |text| text.replacen("\t\n", "\t503\n", 1));
    found(&bench, name, "different order", swap_lines);
    found(&bench, name, "head line", |text| text.replacen("reason", "season", 1));
    // A receipt from an earlier version lacks this entry.
    let mut receipt = bench.receipt("out");
    let file = receipt.as_object_mut().expect("an object").remove("robots_needed").expect("the file");
    assert_eq!((&file["name"], &file["lines"]), (&name.into(), &receipt["origins_needed"]));
    assert_eq!(file["file_bytes"], bench.read(&format!("out/{name}")).len());
    bench.file("out/receipt.json", receipt.to_string());
    assert_eq!(verify(&bench, "out").1, Some(0));
}

/// A name in a receipt leads only to files that a run may have written.
#[test]
fn a_strange_name_in_a_receipt_is_found() {
    let bench = bench_with_run("");
    let receipt = String::from_utf8(bench.read("out/receipt.json")).expect("text");
    for name in ["../urls", "urls", "0001-a/../allowed.txt", "/allowed.txt"] {
        bench.file("out/receipt.json", receipt.replace("\"allowed.txt\"", &format!("{name:?}")));
        let (table, status) = verify(&bench, "out");
        assert_eq!(status, Some(1), "{table}");
        assert!(table.contains("no run writes"), "{table}");
    }
}

/// Changes the receipt in a folder.
fn change_receipt(bench: &Bench, folder: &str, change: impl FnOnce(&mut Value)) {
    let name = format!("{folder}/receipt.json");
    let mut receipt: Value = serde_json::from_slice(&bench.read(&name)).expect("JSON");
    change(&mut receipt);
    bench.file(&name, receipt.to_string());
}

/// A value of a receipt, as an object.
fn object(value: &mut Value) -> &mut serde_json::Map<String, Value> {
    value.as_object_mut().expect("an object")
}

/// Wherever the list without lines comes, the others' columns must match the receipt, and differences are found.
#[cfg(feature = "parquet")]
#[test]
fn a_list_without_lines_hides_no_verdicts() {
    for lists in ["urls empty", "urls empty more", "empty urls"] {
        let bench = bench_with_run("");
        bench.file("empty", "");
        let options = "--verdicts --format parquet --per-input --force";
        bench.filter(&format!("--robots sites {options} --out out {lists}")).assert().success();
        let (table, status) = verify(&bench, "out --inputs");
        assert_eq!(status, Some(0), "{lists}: {table}");
        change_receipt(&bench, "out", |receipt| {
            let swap = |partitions: &mut Value| {
                let partitions = object(partitions);
                let [allowed, blocked] =
                    ["allowed", "blocked"].map(|name| partitions.remove(name).expect("a partition"));
                partitions.insert("allowed".to_owned(), blocked);
                partitions.insert("blocked".to_owned(), allowed);
            };
            swap(&mut receipt["partitions"]);
            let lists = receipt["lists"].as_array_mut().expect("lists");
            lists.iter_mut().for_each(|list| swap(&mut list["partitions"]));
        });
        let (table, status) = verify(&bench, "out");
        assert_eq!(status, Some(1), "{lists}: {table}");
        assert!(table.contains("allowed: "), "{table}");
        assert!(!table.contains("contradicts"), "{table}");
    }
}

/// Partitions named for crawlers that the run does not have would otherwise go unchecked.
#[test]
fn partitions_of_other_crawlers_are_found() {
    let bench = bench_with_run("");
    let receipt = bench.read("out/receipt.json");
    let renamed = |partitions: &mut Value| {
        let allowed = object(partitions).remove("allowed").expect("a partition");
        object(partitions).insert("allowed.one".to_owned(), allowed);
    };
    type Change<'c> = &'c dyn Fn(&mut Value);
    let changes: [(Change<'_>, &str); 4] = [
        (&|receipt| receipt["agents"] = json!(["one", "two"]), "allowed.one is missing"),
        (&|receipt| renamed(&mut receipt["partitions"]), "allowed is missing"),
        (&|receipt| renamed(&mut receipt["lists"][1]["partitions"]), "of the list more"),
        (
            &|receipt| {
                let nothing = json!({"lines": 0, "bytes": 0, "reasons": {}});
                object(&mut receipt["partitions"]).insert("allowed.one".to_owned(), nothing);
            },
            "\"allowed.one\" is not one of them",
        ),
    ];
    for (change, problem) in changes {
        change_receipt(&bench, "out", change);
        for name in ["allowed", "blocked", "deferred", "invalid"] {
            fs::remove_file(bench.path(&format!("out/{name}.txt"))).ok();
        }
        let (table, status) = verify(&bench, "out");
        assert_eq!(status, Some(1), "{table}");
        let line = table.lines().find(|line| line.contains("not those of its crawlers")).expect("a line");
        assert!(line.contains(problem), "{line}");
        bench.file("out/receipt.json", &receipt);
    }
}

#[test]
fn a_receipt_that_cannot_be_read_is_an_error() {
    let bench = bench_with_run("");
    let refused = |words: &str, message: &[&str]| {
        let done = bench.program(&format!("verify {words}")).assert().code(2);
        said(&done.get_output().stderr, message);
    };
    refused("sites", &["receipt.json", "does not exist"]);
    let receipt = String::from_utf8(bench.read("out/receipt.json")).expect("text");
    bench.file("out/receipt.json", receipt.replace("XXH3-128", "MD5"));
    refused("out", &["MD5", "another kind"]);
    bench.file("out/receipt.json", &receipt[..200]);
    refused("out", &["receipt.json", "line"]);
    bench.file("out/receipt.json", receipt.replace("\"examplebot\"", "\"a b\""));
    refused("out", &["receipt.json", "a b"]);
    bench.file("out/receipt.json", receipt);
    change_receipt(&bench, "out", |receipt| receipt["agents"] = json!([]));
    refused("out", &["receipt.json", "names no crawler"]);
}
