//! URLs that earlier runs have seen.

use std::fs;

use crate::support::program::{Bench, said};

const RUN: &str = "filter --agent examplebot --robots sites --now 2026-01-01T00:00:00Z --unique --seen seen";

#[test]
fn what_was_allowed_is_left_out_of_later_runs() {
    let bench = Bench::with_site();
    let first = "http://a.example/1\nhttp://a.example/no/1\nhttp://new.example/1\nno url\nhttp://a.example/1#x\n";
    bench.file("first", first);
    bench.file("empty", "");
    bench.program(&format!("{RUN} --out monday first empty")).assert().success();
    let receipt = bench.receipt("monday");
    assert_eq!(receipt["seen"]["lines"], 0);
    assert_eq!(receipt["seen_file"]["urls"], 1);
    assert_eq!(receipt["options"]["seen"], "0".repeat(32));
    let checksum = receipt["seen_file"]["checksum"].clone();

    let second = format!("{first}http://A.example/1\nhttp://a.example/2\n");
    bench.file("second", &second);
    for threads in [1, 3] {
        fs::copy(bench.path("seen"), bench.path("kept")).expect("copied");
        let words = format!("{RUN} --threads {threads} --out tuesday{threads} second empty");
        let done = bench.program(&words).assert().success();
        let table = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(table.contains("seen by earlier runs, left out"), "{table}");
        let receipt = bench.receipt(&format!("tuesday{threads}"));
        assert_eq!(receipt["options"]["seen"], checksum);
        assert_eq!((&receipt["seen"]["lines"], &receipt["duplicates"]["lines"]), (&1.into(), &2.into()));
        assert_eq!(receipt["lists"][0]["seen"]["lines"], 1);
        assert_eq!(receipt["seen_file"]["urls"], 2);
        let read = |name: &str| String::from_utf8(bench.read(&format!("tuesday{threads}/{name}.txt"))).expect("UTF-8");
        assert_eq!(read("allowed"), "http://a.example/2\n");
        assert_eq!(read("blocked"), "http://a.example/no/1\n");
        assert_eq!(read("deferred"), "http://new.example/1\n");
        assert_eq!(read("invalid"), "no url\n");
        bench.program(&format!("verify --inputs tuesday{threads}")).assert().success();
        let printed = bench.program("seen seen").assert().success();
        let text = String::from_utf8_lossy(&printed.get_output().stdout).into_owned();
        let checksum = receipt["seen_file"]["checksum"].as_str().expect("a checksum");
        assert!(text.contains("2 URLs, fetched") && text.contains(checksum), "{text}");
        fs::rename(bench.path("kept"), bench.path("seen")).expect("renamed");
    }
    // Lines that are only counted are seen, too.
    bench.program(&format!("{RUN} --count second")).assert().success();
    let counted = bench.program(&format!("{RUN} --only allowed second")).assert().success();
    assert!(counted.get_output().stdout.is_empty());
}

#[test]
fn one_crawler_that_may_fetch_a_url_is_enough() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/1\nhttp://a.example/no/1\nhttp://a.example/no/2\n");
    bench.file("robots.txt", "User-agent: onebot\nDisallow: /no\n\nUser-agent: twobot\nDisallow: /no/2\n");
    let words =
        "filter --agent onebot --agent twobot --robots robots.txt --origin http://a.example --unique --seen seen";
    bench.program(&format!("{words} --out out urls")).assert().success();
    assert_eq!(bench.receipt("out")["seen_file"]["urls"], 2);
    bench.program(&format!("{words} --allowed-if all --out all urls")).assert().success();
    assert_eq!(bench.receipt("all")["seen"]["lines"], 2);
    assert_eq!(bench.receipt("all")["seen_file"]["urls"], 2);
}

#[test]
fn files_of_seen_urls_are_checked_and_merged() {
    let bench = Bench::with_site();
    for (name, url) in [("one", "http://a.example/1\n"), ("two", "http://a.example/1\nhttp://a.example/2\n")] {
        bench.file(name, url);
        let words = RUN.replace("--seen seen", &format!("--seen {name}.rss"));
        bench.program(&format!("{words} --count {name}")).assert().success();
    }
    bench.program("seen one.rss two.rss -o all.rss").assert().success();
    assert!(bench.read("all.rss") == bench.read("two.rss"));
    bench.file("text", "a user's");
    bench.program("seen one.rss -o text").assert().code(2);
    assert_eq!(bench.read("text"), b"a user's");
    let refused = bench.program(&RUN.replace("--seen seen", "--count --seen text one")).assert().code(2);
    said(&refused.get_output().stderr, &["text", "--seen"]);
    let refused = bench
        .program(&RUN.replace("--unique --seen seen", "--unique=bytes --count --seen one.rss one"))
        .assert()
        .code(2);
    said(&refused.get_output().stderr, &["one.rss", "fetched", "bytes", "--seen"]);
    let refused = bench.program(&RUN.replace("--seen seen", "--seen out/seen --out out one")).assert().code(2);
    said(&refused.get_output().stderr, &["seen", "folder of the output"]);
    assert!(!bench.path("out").exists());
    let mut damaged = bench.read("all.rss");
    *damaged.last_mut().expect("a byte") ^= 1;
    bench.file("damaged.rss", &damaged);
    let alone = RUN.replace("--unique --seen seen", "--count --json --seen one.rss two");
    let receipt: serde_json::Value =
        serde_json::from_slice(&bench.program(&alone).assert().success().get_output().stdout).expect("JSON");
    assert_eq!((&receipt["options"]["unique"], &receipt["seen"]["lines"]), (&"fetched".into(), &1.into()));
    let ended = bench.program("seen one.rss damaged.rss").assert().code(2);
    said(&ended.get_output().stderr, &["damaged.rss", "checksum"]);
    let piped = bench.program(&format!("{RUN} --count -")).write_stdin("http://a.example/\n").assert().code(2);
    said(&piped.get_output().stderr, &["read only once", "--seen"]);
    assert!(!bench.path("seen").exists());
}

/// A link leads to the file that is replaced, and what keeps nothing is not replaced by a file.
#[cfg(unix)]
#[test]
fn a_link_stays_and_a_pipe_is_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/1\n");
    std::os::unix::fs::symlink("behind.rss", bench.path("link")).expect("a link");
    for seen in [0, 1] {
        let words = RUN.replace("--seen seen", "--seen link --count --json urls");
        let run = bench.program(&words).assert().success();
        let receipt: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
        assert_eq!(receipt["seen"]["lines"], seen);
    }
    assert!(bench.path("link").is_symlink() && !bench.path("behind.rss").is_symlink());
    let made = std::process::Command::new("mkfifo").arg(bench.path("pipe")).status().expect("mkfifo");
    assert!(made.success());
    let refused = bench.program(&RUN.replace("--seen seen", "--seen pipe --count urls")).assert().code(2);
    said(&refused.get_output().stderr, &["pipe", "keeps no URLs", "--seen"]);
    assert!(!bench.path("pipe").is_file());
}

/// Otherwise, the last of two runs to end would forget the URLs of the other.
#[test]
fn one_run_at_a_time_adds_urls() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/1\n");
    let lock = fs::File::create(bench.path(".seen.lock")).expect("a file");
    lock.lock().expect("a lock");
    let refused = bench.program(&format!("{RUN} --count urls")).assert().code(2);
    said(&refused.get_output().stderr, &["another run is adding URLs to", "seen", "--seen"]);
    lock.unlock().expect("unlocked");
    bench.program(&format!("{RUN} --count urls")).assert().success();
    assert!(!bench.path(".seen.lock").exists() || cfg!(windows));
}
