//! Revisits in WARC archives: records that stand for an identical, earlier answer in the archive.

use crate::support::archives::{answer, counts, fields, http, record, redirect, rules};
use crate::support::program::Bench;

const URL: &str = "http://a.example/robots.txt";

/// A body that blocks a path.
fn blocks(path: &str) -> String {
    format!("User-agent: *\nDisallow: {path}\n")
}

/// An answer at a given second, with an id and a digest, that blocks a path.
fn original(url: &str, second: u32, path: &str) -> Vec<u8> {
    let names = format!("WARC-Record-ID: <urn:{path}>\r\nWARC-Payload-Digest: sha1:{path}\r\n");
    record("response", &(fields(url, second) + &names), http("200 OK", blocks(path)))
}

/// A revisit of `URL` at a given second, with further fields and the head of its answer.
fn revisit(second: u32, names: &str, head: &str) -> Vec<u8> {
    let block = if head.is_empty() { Vec::new() } else { http(head, "") };
    record("revisit", &(fields(URL, second) + names), block)
}

/// The fields by which a revisit can refer to an original, one set per way.
fn references(url: &str, second: u32, path: &str) -> [(&'static str, String); 3] {
    [
        (
            "page",
            format!("WARC-Refers-To-Target-URI: <{url}>\r\nWARC-Refers-To-Date: 2026-01-10T00:00:{second:02}Z\r\n"),
        ),
        ("id", format!("WARC-Refers-To: <urn:{path}>\r\n")),
        ("digest", format!("WARC-Payload-Digest: sha1:{path}\r\n")),
    ]
}

/// The outcome with the archives in either order, in one file and in two.
fn settled(bench: &Bench, parts: &[Vec<u8>], options: &str, url: &str) -> String {
    let reversed: Vec<Vec<u8>> = parts.iter().rev().cloned().collect();
    let (first, rest) = parts.split_first().expect("parts");
    let files =
        [("all", parts.concat()), ("reversed", reversed.concat()), ("first", first.clone()), ("rest", rest.concat())];
    for (name, content) in files {
        bench.file(name, content);
    }
    let orders = ["--robots all", "--robots reversed", "--robots first --robots rest", "--robots rest --robots first"];
    let mut outcomes = orders.map(|sources| bench.outcome(&format!("{sources} {options}"), url)).to_vec();
    outcomes.dedup();
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
    outcomes.remove(0)
}

#[test]
fn a_revisit_is_its_original_at_a_later_time() {
    let bench = Bench::new();
    for url in [URL, "https://other.example/page"] {
        for (name, reference) in references(url, 1, "/same") {
            for head in ["200 OK", "304 Not Modified", ""] {
                let parts = [original(url, 1, "/same"), original(URL, 3, "/between"), revisit(5, &reference, head)];
                let name = format!("{name} with {head:?}, {url}");
                // The digest alone does not say that there was a file.
                let (same, between) = match (name.starts_with("digest"), head) {
                    (true, "") => ("deferred unreachable", "deferred unreachable"),
                    _ => ("blocked rules", "allowed rules"),
                };
                assert_eq!(settled(&bench, &parts, "", "http://a.example/same"), same, "{name}");
                assert_eq!(settled(&bench, &parts, "", "http://a.example/between"), between, "{name}");
            }
        }
    }
    let (warc, _) = counts(&bench, "--robots all");
    assert_eq!((&warc["revisits"], &warc["unresolved_revisits"]), (&1.into(), &1.into()));
}

/// A newer answer makes the older file's verdict uncertain, but the file stays the last good answer.
#[test]
fn a_revisit_of_nothing_known_is_no_verdict() {
    let bench = Bench::new();
    for (name, reference) in references(URL, 2, "/unknown") {
        let parts = [original(URL, 1, "/old"), revisit(5, &reference, "200 OK")];
        assert_eq!(settled(&bench, &parts, "", "http://a.example/x"), "deferred unreachable", "{name}");
        let used = settled(&bench, &parts, "--on-unreachable use", "http://a.example/old");
        assert_eq!(used, "blocked last-good", "{name}");
        let (warc, _) = counts(&bench, "--robots all");
        assert_eq!((&warc["revisits"], &warc["unresolved_revisits"]), (&1.into(), &1.into()), "{name}");
        let newer = [revisit(5, &reference, "200 OK"), original(URL, 6, "/new")];
        assert_eq!(settled(&bench, &newer, "", "http://a.example/new"), "blocked rules", "{name}");
    }
    let alone = [revisit(5, "", "200 OK"), rules("b")];
    assert_eq!(settled(&bench, &alone, "", "http://a.example/x"), "deferred unreachable");
}

/// A 304 says that the crawler's file is still the server's, wherever that file is.
#[test]
fn a_304_whose_original_is_nowhere_confirms_the_file_before_it() {
    let bench = Bench::new();
    for (name, reference) in references(URL, 2, "/unknown").into_iter().chain([("nothing", String::new())]) {
        let parts = [original(URL, 1, "/old"), revisit(5, &reference, "304 Not Modified")];
        assert_eq!(settled(&bench, &parts, "", "http://a.example/old"), "blocked rules", "{name}");
        let fresh = "--max-age 3s --on-stale defer --now 2026-01-10T00:00:07Z";
        assert_eq!(settled(&bench, &parts, fresh, "http://a.example/old"), "blocked rules", "{name}, renewed");
        let alone = [revisit(5, &reference, "304 Not Modified"), rules("b")];
        assert_eq!(settled(&bench, &alone, "", "http://a.example/x"), "deferred not-modified", "{name}");
    }
}

#[test]
fn a_revisit_of_anything_but_a_file_says_all_itself() {
    let bench = Bench::new();
    for (head, expected) in [
        ("404 Not Found", "allowed unavailable"),
        ("503 Down", "deferred unreachable"),
        ("301 Moved\r\nLocation: http://b.example/robots.txt", "blocked rules"),
        ("301 Moved", "deferred redirect-unresolved"),
    ] {
        let parts = [original(URL, 1, "/old"), rules("b"), revisit(5, "WARC-Payload-Digest: sha1:/old\r\n", head)];
        assert_eq!(settled(&bench, &parts, "", "http://a.example/no"), expected, "{head}");
    }
}

/// The empty body of a redirect has the digest of an empty file, which would allow everything.
#[test]
fn a_digest_is_that_of_a_file_only_in_the_answer_with_one() {
    let bench = Bench::new();
    let digest = "WARC-Payload-Digest: sha1:empty\r\n";
    let empty = record("response", &(fields("http://b.example/", 1) + digest), http("301 Moved\r\nLocation: /x", ""));
    let parts = [empty.clone(), revisit(5, digest, "200 OK")];
    assert_eq!(settled(&bench, &parts, "", "http://a.example/no"), "deferred unreachable");
    let file = record("response", &(fields("http://c.example/", 1) + digest), http("204 No Content", ""));
    let parts = [empty, file, revisit(5, digest, "200 OK")];
    assert_eq!(settled(&bench, &parts, "", "http://a.example/no"), "allowed no-group");
}

/// A revisit whose original is known not to be a file stays unresolved; it is not taken for an empty file.
#[test]
fn a_file_is_the_revisit_of_a_file_only() {
    let bench = Bench::new();
    for head in ["404 Not Found", "301 Moved\r\nLocation: /x", "200 OK\r\nContent-Encoding: compress"] {
        for (name, reference) in references("http://b.example/x", 1, "/no") {
            let fields =
                fields("http://b.example/x", 1) + "WARC-Record-ID: <urn:/no>\r\nWARC-Payload-Digest: sha1:/no\r\n";
            let other = record("response", &fields, http(head, b"\x1f\x9d\x90\x01\x02"));
            for (own, expected) in [("200 OK", "unreachable"), ("304 Not Modified", "not-modified")] {
                let parts = [other.clone(), revisit(5, &reference, own)];
                let found = settled(&bench, &parts, "", "http://a.example/x");
                assert_eq!(found, format!("deferred {expected}"), "{name}, {head}, {own}");
                assert_eq!(counts(&bench, "--robots all").0["unresolved_revisits"], 1, "{name}, {head}, {own}");
            }
        }
    }
}

#[test]
fn one_file_may_be_the_original_of_many() {
    let bench = Bench::new();
    let digest = "WARC-Payload-Digest: sha1:/no\r\n";
    let host = |number: u32| format!("http://h{number}.example/robots.txt");
    let again = |number| record("revisit", &(fields(&host(number), 5) + digest), http("200 OK", ""));
    let originals: Vec<u8> = (0..20).flat_map(|number| original(&host(number), 1, "/no")).collect();
    let revisits: Vec<u8> = (10..40).flat_map(again).collect();
    assert_eq!(settled(&bench, &[revisits, originals], "", "http://h39.example/no"), "blocked rules");
    let (warc, captures) = counts(&bench, "--robots all");
    assert_eq!((&warc["revisits"], &warc["unresolved_revisits"]), (&30.into(), &0.into()));
    assert_eq!((&captures["read"], &captures["older"]), (&50.into(), &10.into()), "each of them once");
}

#[test]
fn pages_that_redirects_lead_to_may_be_revisits() {
    let bench = Bench::new();
    let policy = "http://a.example/policy";
    let (_, reference) = references("http://b.example/original", 1, "/no")[0].clone();
    let page = record("revisit", &(fields(policy, 5) + &reference), http("200 OK", ""));
    let parts = [original("http://b.example/original", 1, "/no"), page, redirect("a", "/policy")];
    assert_eq!(settled(&bench, &parts, "", "http://a.example/no"), "blocked rules");
}

/// The expiry is that of the later answer.
#[test]
fn a_revisit_expires_as_it_says_itself() {
    let bench = Bench::new();
    let first = answer(URL, 1, "200 OK\r\nExpires: Fri, 09 Jan 2026 00:00:00 GMT", blocks("/no"));
    let (_, reference) = references(URL, 1, "/no")[0].clone();
    let later = revisit(5, &reference, "304 Not Modified\r\nExpires: Sun, 18 Jan 2026 00:00:00 GMT");
    let options = "--dialect draft-1996 --max-age dialect --on-stale defer --now 2026-01-17T00:00:00Z";
    assert_eq!(settled(&bench, &[first.clone(), later], options, "http://a.example/no"), "blocked rules");
    assert_eq!(settled(&bench, &[first, rules("b")], options, "http://a.example/no"), "deferred stale");
}

#[test]
fn a_revisit_with_a_date_that_makes_no_sense_is_no_verdict() {
    let bench = Bench::new();
    let wrong = revisit(5, "WARC-Refers-To-Date: soon\r\n", "200 OK");
    for parts in [[original(URL, 1, "/old"), wrong.clone()], [wrong, original(URL, 1, "/old")]] {
        bench.file("in.warc", parts.concat());
        assert_eq!(bench.outcome("--robots in.warc", "http://a.example/old"), "deferred incomplete");
        assert_eq!(counts(&bench, "--robots in.warc").0["bad_records"], 1);
    }
}
