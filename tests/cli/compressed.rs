//! Compressed sources of every kind, whatever their file names.

use crate::support::archives::counts;
use crate::support::compression::{gzip, zstd};
use crate::support::program::{Bench, ROBOTS};

/// A line of JSON Lines: a host with [`ROBOTS`].
fn line(host: &str) -> String {
    format!("{{\"origin\":\"http://{host}.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\\n\"}}\n")
}

fn both(text: &[u8]) -> [Vec<u8>; 2] {
    [gzip(text), zstd(text, b"")]
}

#[test]
fn json_lines_may_be_compressed_in_several_members() {
    let bench = Bench::new();
    let (a, b) = (line("a"), line("b"));
    for (a, b) in both(a.as_bytes()).iter().zip(both(b.as_bytes()).iter()) {
        for name in ["in.jsonl.gz", "in.jsonl", "in.warc"] {
            bench.file(name, [&a[..], b].concat());
            for host in ["a", "b"] {
                let found = bench.outcome(&format!("--robots {name}"), format!("http://{host}.example/no"));
                assert_eq!(found, "blocked rules", "{host} in {name}");
            }
        }
    }
}

#[test]
fn a_single_robots_txt_may_be_compressed() {
    let bench = Bench::new();
    for file in both(ROBOTS.as_bytes()) {
        bench.file("robots.txt", file);
        let options = "--robots robots.txt --origin http://a.example";
        assert_eq!(bench.outcome(options, "http://a.example/no"), "blocked rules");
        let check = bench.program("check --agent examplebot --robots robots.txt http://a.example/no").assert().code(1);
        assert!(String::from_utf8_lossy(&check.get_output().stdout).contains("line 2"));
        let input = bench.program("check --agent examplebot --robots - http://a.example/no");
        { input }.write_stdin(bench.read("robots.txt")).assert().code(1);
    }
}

#[test]
fn files_of_a_folder_may_be_compressed_with_an_ending_or_without() {
    let bench = Bench::new();
    let [gz, zst] = both(ROBOTS.as_bytes());
    bench.file("sites/a.example", &gz);
    bench.file("sites/b.example.gz", &gz);
    bench.file("sites/c.example.gz", &zst);
    bench.file("sites/http%3A%2F%2Fd.example%3A8080.zst", &zst);
    bench.file("sites/e.example.gz", ROBOTS);
    bench.file("sites/http%3A%2F%2Ff.example%3A8080.gz", ROBOTS);
    for url in
        ["http://a.example", "https://b.example", "http://c.example", "http://d.example:8080", "http://e.example.gz"]
    {
        assert_eq!(bench.outcome("--robots sites", format!("{url}/no")), "blocked rules", "{url}");
    }
    for url in ["http://b.example.gz", "http://e.example", "http://d.example", "http://f.example:8080"] {
        assert_eq!(bench.outcome("--robots sites", format!("{url}/no")), "deferred unfetched", "{url}");
    }
    let (_, captures) = counts(&bench, "--robots sites");
    assert_eq!(captures["unnamed_files"], 1, "no name of an origin, unless it were compressed");
}

#[test]
fn damaged_sources_are_refused_with_file_and_place() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/\n");
    let lines: String = (0..100).map(|n| line(&format!("h{n}"))).collect();
    for (file, name) in both(lines.as_bytes()).iter().zip(["gzip", "Zstandard"]) {
        for end in [file.len() / 2, file.len() - 1] {
            bench.file("in.jsonl", &file[..end]);
            let place = format!("byte {end}");
            bench.refused("--robots in.jsonl --out out urls", &["in.jsonl", name, "damaged", &place]);
        }
        bench.file("in.jsonl", [&file[..], b"more"].concat());
        bench.refused("--robots in.jsonl --out out urls", &["in.jsonl", name, "damaged"]);
    }
}

#[test]
fn a_wrong_line_is_named_by_its_place_in_the_text() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/\n");
    let good = line("a");
    bench.file("in.jsonl.gz", gzip((good.clone() + "{").as_bytes()));
    let byte = format!("byte {}", good.len() + 1);
    bench.refused("--robots in.jsonl.gz --out out urls", &["in.jsonl.gz", "line 2", &byte, "ends too early"]);
    bench.file("empty.gz", gzip(b""));
    assert_eq!(bench.outcome("--robots empty.gz", "http://a.example/"), "deferred unfetched");
}
