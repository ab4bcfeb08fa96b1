//! Archives that are not read: known by their first bytes, and never taken for text.

use crate::support::archives::rules;
use crate::support::compression::{gzip, zstd};
use crate::support::program::{Bench, ROBOTS, said};

/// The beginning of an ARC archive.
const ARC: &str = "filedesc://IAH-1.arc 0.0.0.0 20110310233243 text/plain 76\n1 1 InternetArchive\nURL IP-address Archive-date\n\n\
    http://a.example/robots.txt 192.0.2.1 20110310233243 text/plain 40\nHTTP/1.1 200 OK\n\nUser-agent: *\nDisallow: /\n";

/// The beginning of a zip file with an archive in it.
const ZIP: &[u8] = b"PK\x03\x04\x14\x00\x00\x00\x00\x00archive/data.warc.gz";

/// A frame with a dictionary, and a text that is compressed with it.
fn with_dictionary(text: &[u8]) -> Vec<u8> {
    let dictionary = ROBOTS.repeat(9).into_bytes();
    let frame = [&b"\x5d\x2a\x4d\x18"[..], &(dictionary.len() as u32).to_le_bytes(), &dictionary].concat();
    [frame, zstd(text, &dictionary)].concat()
}

#[test]
fn sources_are_refused_with_what_makes_one() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    for (content, message) in [
        (ARC.as_bytes().to_vec(), ["an ARC archive, which is not read", "warcio recompress"]),
        (gzip(ARC.as_bytes()), ["an ARC archive, which is not read", "warcio recompress"]),
        (with_dictionary(ARC.as_bytes()), ["an ARC archive, which is not read", "warcio recompress"]),
        (ZIP.to_vec(), ["a zip file, as WACZ archives are, which is not read", "unzip -j FILE 'archive/*'"]),
    ] {
        bench.file("in", content);
        for words in [
            "compile --agent me in -o policy.rsv",
            "compile --agent me in --origin http://a.example -o policy.rsv",
            "compile --agent me in --skip-bad -o policy.rsv",
            "filter --agent me --robots in --out out urls",
            "check --agent me --robots in http://a.example/",
            "lint in",
        ] {
            let done = bench.program(words).assert().code(2);
            said(&done.get_output().stderr, &["in is ", message[0], message[1]]);
        }
        assert!(!bench.path("policy.rsv").exists() && !bench.path("out/receipt.json").exists());
    }
}

#[test]
fn lists_are_refused_with_what_makes_one() {
    let bench = Bench::with_site();
    let index = ["not a list of URLs", "cdxj-indexer"];
    for (content, kind, message) in [
        (ARC.as_bytes().to_vec(), "an ARC archive", index),
        (gzip(ARC.as_bytes()), "an ARC archive", index),
        (rules("a"), "a WARC archive", index),
        (with_dictionary(&rules("a")), "a WARC archive", index),
        (ZIP.to_vec(), "a zip file, as WACZ archives are", ["not a list of URLs", "unzip -j FILE 'indexes/*'"]),
    ] {
        bench.file("in", content);
        for options in ["", "--skip-bad", "--delimiter , --column 1"] {
            bench.refused(
                &format!("--robots sites --out out {options} in"),
                &["the list in is", kind, message[0], message[1]],
            );
        }
    }
}

#[test]
fn a_list_may_begin_with_its_own_dictionary() {
    let bench = Bench::with_site();
    let lines = "http://a.example/no\nhttp://a.example/yes\n";
    bench.file("urls.zst", with_dictionary(lines.as_bytes()));
    let done = bench.filter("--robots sites --only blocked,allowed urls.zst").assert().success();
    assert_eq!(String::from_utf8_lossy(&done.get_output().stdout), lines);
}

#[test]
fn an_archive_in_a_folder_is_no_robots_txt() {
    for (name, content) in [("a.warc.gz", gzip(&rules("a"))), ("a.arc", ARC.into()), ("b.wacz", ZIP.to_vec())] {
        let bench = Bench::with_site();
        bench.file(&format!("sites/{name}"), content);
        let done = bench.program("compile --agent me sites -o policy.rsv").assert().code(2);
        said(&done.get_output().stderr, &[name, "each file of a folder is a robots.txt", "give the archive itself"]);
    }
    // A server may send anything in place of a robots.txt.
    let bench = Bench::with_site();
    bench.file("sites/b.example", ZIP);
    assert_eq!(bench.outcome("--robots sites", "http://b.example/"), "deferred not-text");
}
