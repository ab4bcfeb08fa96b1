//! WARC archives, built by hand: each record as the standard defines it.
//!
//! `scripts/foreign-sources` does the same with archives written by another program.

use serde_json::Value;

use crate::support::archives::{answer, counts, fields, http, record, redirect, rules};
use crate::support::compression::{gzip, zstd};
use crate::support::program::{Bench, ROBOTS};

/// The outcome for a URL, with the archive `in.warc`.
fn outcome(bench: &Bench, url: &str) -> String {
    bench.outcome("--robots in.warc", url)
}

#[test]
fn archives_are_known_by_their_content_however_they_are_compressed() {
    let info = record("warcinfo", "WARC-Date: 2026-01-10T00:00:00Z\r\n", "software: by hand\r\n");
    let request = record("request", &fields("http://a.example/robots.txt", 1), "GET /robots.txt HTTP/1.1\r\n\r\n");
    let dns = record("response", &fields("dns:a.example", 1), "a.example. IN A 127.0.0.1\r\n");
    let page = answer("http://a.example/", 1, "200 OK", "<html>");
    let records = [info, request, dns, page, rules("a"), record("metadata", "", "x"), rules("b")];
    let each = |compress: &dyn Fn(&[u8]) -> Vec<u8>| records.iter().flat_map(|record| compress(record)).collect();
    let plain = records.concat();
    let dictionary = &rules("c")[..];
    let frame = [&b"\x5d\x2a\x4d\x18"[..], &(dictionary.len() as u32).to_le_bytes(), dictionary].concat();
    let forms: [Vec<u8>; 6] = [
        plain.clone(),
        gzip(&plain),
        each(&gzip),
        zstd(&plain, b""),
        each(&|record| zstd(record, b"")),
        [frame, each(&|record| zstd(record, dictionary))].concat(),
    ];
    let bench = Bench::new();
    for (number, form) in forms.iter().enumerate() {
        for name in ["in.warc", "in.warc.gz", "anything.jsonl"] {
            bench.file(name, form);
            for url in ["http://a.example/no", "http://b.example/no"] {
                let found = bench.outcome(&format!("--robots {name}"), url);
                assert_eq!(found, "blocked rules", "{url} in {name}, form {number}");
            }
        }
        let (warc, captures) = counts(&bench, "--robots in.warc");
        assert_eq!((&warc["records"], &warc["other_pages"]), (&Value::from(7), &Value::from(1)), "form {number}");
        assert_eq!((&captures["read"], &captures["not_robots_txt"]), (&Value::from(2), &Value::from(0)));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_archive_may_come_through_a_pipe_though_it_is_read_twice() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\n");
    let page = answer("http://a.example/policy", 1, "200 OK", ROBOTS);
    for archive in [[page.clone(), redirect("a", "/policy")].concat(), gzip(&[redirect("a", "/policy"), page].concat())]
    {
        let run = bench.filter("--robots /dev/stdin --out out --force urls").write_stdin(archive).assert().success();
        drop(run);
        assert_eq!(bench.read("out/blocked.txt"), b"http://a.example/no\n");
    }
}

#[test]
fn answers_have_the_time_of_their_records() {
    let bench = Bench::new();
    let at = |second, path: &str| {
        answer("http://a.example/robots.txt", second, "200 OK", format!("User-agent: *\nDisallow: {path}"))
    };
    bench.file(
        "json",
        "{\"origin\":\"http://a.example\",\"status\":200,\"body\":\"\",\"fetched_at\":\"2026-01-10T00:00:05Z\"}",
    );
    for (one, other, expected) in [(4, 7, "/other"), (8, 7, "/one"), (1, 2, "")] {
        for parts in [[at(one, "/one"), at(other, "/other")], [at(other, "/other"), at(one, "/one")]] {
            bench.file("in.warc", parts.concat());
            for sources in ["--robots in.warc --robots json", "--robots json --robots in.warc"] {
                for path in ["/one", "/other"] {
                    let blocked = bench.outcome(sources, format!("http://a.example{path}")).starts_with("blocked");
                    assert_eq!(blocked, path == expected, "{path} at {one} and {other}");
                }
            }
        }
    }
    let (_, captures) = counts(&bench, "--robots in.warc --robots json");
    assert_eq!((&captures["older"], &captures["same_time"]), (&Value::from(2), &Value::from(0)));
}

#[test]
fn urls_and_answers_are_read_in_all_their_forms() {
    let bench = Bench::new();
    let text = |host: &str| String::from_utf8(rules(host)).expect("text");
    let in_brackets = text("a").replace("http://a.example/robots.txt", "<HTTP://A.example:80/robots.txt>");
    let http2 = text("b").replace("HTTP/1.1 200 OK", "HTTP/2   200   ");
    let block = "HTTP/1.0 200 OK\n\nUser-agent: *\nDisallow: /no\n";
    let line_feeds = format!(
        "WARC/1.0\nwarc-type: response\nWARC-TARGET-URI:http://c.example/robots.txt\nWARC-Date: 2026-01-10\n\
         content-length: {}\n\n{block}\n\n",
        block.len()
    );
    bench.file("in.warc", in_brackets + &http2 + &line_feeds);
    for host in ["a", "b", "c"] {
        assert_eq!(outcome(&bench, &format!("http://{host}.example/no")), "blocked rules", "{host}");
    }
}

#[test]
fn bodies_are_decoded_or_left_as_they_were_decoded() {
    let bench = Bench::new();
    let chunked =
        [b"e\r\n", &ROBOTS.as_bytes()[..14], b"\r\ne;x\r\n", &ROBOTS.as_bytes()[14..], b"\r\n0\r\n\r\n"].concat();
    let utf16: Vec<u8> = format!("\u{feff}{ROBOTS}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let zipped = gzip(ROBOTS.as_bytes());
    let chunk_of_gzip = [format!("{:x}\r\n", zipped.len()).as_bytes(), &zipped, b"\r\n0\r\n\r\n"].concat();
    for (head, body) in [
        ("Transfer-Encoding: chunked", chunked),
        ("Content-Encoding: gzip", zipped.clone()),
        ("Content-Encoding: gzip\r\nTransfer-Encoding: chunked", chunk_of_gzip),
        ("Content-Encoding: gzip\r\nTransfer-Encoding: chunked", zipped),
        ("Content-Encoding: zstd", zstd(ROBOTS.as_bytes(), b"")),
        ("Content-Encoding: gzip", ROBOTS.into()),
        ("Content-Encoding: br\r\nTransfer-Encoding: chunked", ROBOTS.into()),
        ("Content-Encoding: none, UTF-8", ROBOTS.into()),
        ("Content-Encoding: gzip", utf16.clone()),
        ("Content-Encoding: gzip", gzip(&utf16)),
        ("Content-Length: 5", ROBOTS.into()),
    ] {
        bench.file("in.warc", answer("http://a.example/robots.txt", 1, &format!("200 OK\r\n{head}"), &body));
        assert_eq!(outcome(&bench, "http://a.example/no"), "blocked rules", "{head}");
        assert_eq!(outcome(&bench, "http://a.example/yes"), "allowed rules", "{head}");
        let (warc, _) = counts(&bench, "--robots in.warc");
        assert_eq!(warc["truncated"], 0, "{head}");
    }
}

#[test]
fn what_is_no_answer_never_allows() {
    let bench = Bench::new();
    for (name, block, count) in [
        ("nothing", Vec::new(), "not_http"),
        ("no status", b"User-agent: *\nDisallow:\n".to_vec(), "not_http"),
        ("no end of the head", b"HTTP/1.1 200 OK\r\nServer: x\r\n".to_vec(), "not_http"),
        ("another coding", http("200 OK\r\nContent-Encoding: compress", b"\x1f\x9d\x90\x01\x02\x03"), "undecodable"),
        ("a coding that it has not", http("200 OK\r\nContent-Encoding: br", gzip(b"Disallow:")), "undecodable"),
    ] {
        bench.file("in.warc", record("response", &fields("http://a.example/robots.txt", 2), block));
        assert_eq!(outcome(&bench, "http://a.example/x"), "deferred unreachable", "{name}");
        assert_eq!(counts(&bench, "--robots in.warc").0[count], 1, "{name}");
        // The earlier rules are kept as the last good answer.
        bench.file("before.warc", rules("a"));
        let options = "--robots in.warc --robots before.warc --on-unreachable use";
        assert_eq!(bench.outcome(options, "http://a.example/no"), "blocked last-good", "{name}");
    }
}

#[test]
fn files_that_are_too_long_to_keep_have_their_whole_lines_read_and_are_counted() {
    let bench = Bench::new();
    // The last line is the start of a rule for a longer path.
    let body = "User-agent: *\nDisallow: /no\nAllow: /no";
    let url = "http://a.example/robots.txt";
    let fields = || fields(url, 1) + "WARC-Truncated: Length\r\n";
    let zipped = gzip(&[body.as_bytes(), b"x".repeat(99).as_slice()].concat());
    let long = format!("{body}{}", "x".repeat(5 << 20));
    let chunks = |text: &str| -> String {
        let chunks = text.as_bytes().chunks(7).map(|chunk| String::from_utf8_lossy(chunk).into_owned());
        chunks.map(|chunk| format!("{:x}\r\n{chunk}\r\n", chunk.len())).collect()
    };
    let cut = [
        record("response", &fields(), http("200 OK", body)),
        record("response", &fields(), http("200 OK\r\nContent-Length: 99", body)),
        record("response", &fields(), http("200 OK\r\nContent-Encoding: gzip", &zipped[..zipped.len() - 9])),
        record("response", &fields(), http("200 OK\r\nTransfer-Encoding: chunked", format!("40\r\n{body}"))),
        record("resource", &fields(), body),
    ];
    for archive in cut {
        bench.file("in.warc", &archive);
        let name = archive.escape_ascii().to_string();
        assert_eq!(outcome(&bench, "http://a.example/no"), "blocked rules", "{name}");
        assert_eq!(counts(&bench, "--robots in.warc").0["truncated"], 1, "{name}");
    }
    // The limit of the dialect excuses a missing end, too.
    for (head, body) in [
        ("Content-Length: 9999999", long.clone()),
        ("Transfer-Encoding: chunked", chunks(&long)),
        ("Transfer-Encoding: chunked", format!("ffffffff\r\n{long}")),
    ] {
        bench.file("in.warc", answer(url, 1, &format!("200 OK\r\n{head}"), body));
        assert_eq!(outcome(&bench, "http://a.example/no"), "blocked rules", "{head}");
    }
    let error = record("response", &fields(), http("404 Gone", body));
    bench.file("in.warc", error);
    assert_eq!(outcome(&bench, "http://a.example/no"), "allowed unavailable");
    assert_eq!(counts(&bench, "--robots in.warc").0["truncated"], 0, "the body of an error does not matter");
}

/// What is missing or damaged may be the line that blocks.
#[test]
fn a_body_that_did_not_arrive_whole_is_no_verdict() {
    let bench = Bench::new();
    bench.file("before.warc", rules("a"));
    let body = "User-agent: *\nAllow: /no\n";
    let url = "http://a.example/robots.txt";
    let truncated = |fields: &str| self::fields(url, 2) + &format!("{fields}\r\n");
    let (zipped, whole) = (gzip(body.as_bytes()), format!("{:x}\r\n{body}\r\n", body.len()));
    let mut damaged = zipped.clone();
    damaged[zipped.len() - 6] ^= 1;
    let coded = |name: &str, sent: &[u8]| answer(url, 2, &format!("200 OK\r\nContent-Encoding: {name}"), sent);
    let chunked = |sent: &str| answer(url, 2, "200 OK\r\nTransfer-Encoding: chunked", sent);
    let resource = record("resource", &truncated("WARC-Truncated: disconnect"), body);
    let mut cases = vec![
        ("gzip with a wrong checksum", coded("gzip", &damaged)),
        ("gzip without a trailer", coded("gzip", &zipped[..zipped.len() - 8])),
        ("a damaged second member", coded("gzip", &[&zipped[..], &damaged].concat())),
        ("a second member that is cut", coded("x-gzip", &[&zipped[..], &zipped[..12]].concat())),
        ("Zstandard without its end", coded("zstd", &zstd(body.as_bytes(), b"")[..20])),
        ("the beginning of brotli", coded("br", b"\x1b\x37")),
        ("nothing of a file", coded("deflate", b"")),
        ("several codings", coded("br, gzip", &zipped[..zipped.len() - 1])),
        ("less than its length", answer(url, 2, "200 OK\r\nContent-Length: 99", body)),
        ("less than its encoded length", answer(url, 2, "200\r\nContent-Encoding: gzip\r\nContent-Length: 99", zipped)),
        ("no last chunk", chunked(&whole)),
        ("a part of a chunk", chunked(&format!("40\r\n{body}"))),
        ("a malformed chunk", chunked(&format!("{whole}x\r\n{body}\r\n0\r\n\r\n"))),
        ("no chunk", chunked("")),
        ("a part", answer(url, 2, "206 Partial Content\r\nContent-Range: bytes 0-24/99", body)),
        ("a part of unknown place", answer(url, 2, "206 Partial Content", body)),
        ("a resource that is cut", resource),
    ];
    for fields in ["disconnect", "time", "unspecified", "new-reason", "length, time"] {
        let fields = truncated(&format!("WARC-Truncated: {fields}"));
        cases.push(("a record that is cut", record("response", &fields, http("200 OK", body))));
    }
    let segment = truncated("WARC-Segment-Number: 1");
    cases.push(("a record in segments", record("response", &segment, http("200 OK", body))));
    for (name, archive) in cases {
        bench.file("in.warc", archive);
        assert_eq!(outcome(&bench, "http://a.example/no"), "deferred incomplete", "{name}");
        let (warc, _) = counts(&bench, "--robots in.warc");
        assert_eq!((&warc["incomplete"], &warc["truncated"]), (&1.into(), &0.into()), "{name}");
        let after = "--robots before.warc --robots in.warc";
        assert_eq!(bench.outcome(after, "http://a.example/no"), "deferred incomplete", "{name}");
        let used = bench.outcome(&format!("{after} --on-unreachable use"), "http://a.example/no");
        assert_eq!(used, "blocked last-good", "{name}");
    }
    let range = format!("206 Partial Content\r\nContent-Range: bytes 0-{}/{}", body.len() - 1, body.len());
    bench.file("in.warc", answer(url, 2, &range, body));
    assert_eq!(outcome(&bench, "http://a.example/no"), "allowed rules", "all of it is a part, too");
}

#[test]
fn a_resource_is_a_file() {
    let bench = Bench::new();
    let page = "http://b.example/policy";
    let digest = "WARC-Payload-Digest: sha1:same\r\n";
    let again = record("revisit", &(fields("http://c.example/robots.txt", 5) + digest), http("200 OK", ""));
    let records = [
        record("resource", &(fields("http://a.example/robots.txt", 1) + "Content-Type: text/plain\r\n"), ROBOTS),
        record("resource", &(fields(page, 1) + digest), ROBOTS),
        redirect("b", "/policy"),
        again,
        record("conversion", &fields("http://d.example/robots.txt", 1), ROBOTS),
        record("metadata", &fields("http://d.example/robots.txt", 1), ROBOTS),
        record("request", &fields("http://d.example/robots.txt", 1), ROBOTS),
        record("resource", &fields("ftp://d.example/robots.txt", 1), ROBOTS),
    ];
    bench.file("in.warc", records.concat());
    for host in ["a", "b", "c"] {
        assert_eq!(outcome(&bench, &format!("http://{host}.example/no")), "blocked rules", "{host}");
        assert_eq!(outcome(&bench, &format!("http://{host}.example/yes")), "allowed rules", "{host}");
    }
    assert_eq!(outcome(&bench, "http://d.example/no"), "deferred unfetched");
}

#[test]
fn archives_of_the_drafts_are_read() {
    let bench = Bench::new();
    for version in ["WARC/0.17", "WARC/0.18", "WARC/1.0"] {
        let text = String::from_utf8([rules("a"), rules("b")].concat()).expect("text");
        let archive = text.replace("WARC/1.1", version);
        for archive in [archive.as_bytes().to_vec(), gzip(archive.as_bytes())] {
            bench.file("in.warc", archive);
            for host in ["a", "b"] {
                assert_eq!(outcome(&bench, &format!("http://{host}.example/no")), "blocked rules", "{version}");
            }
        }
    }
}

#[test]
fn the_table_shows_what_is_not_known() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\n");
    let garbage = record("response", &fields("http://a.example/robots.txt", 2), "garbage");
    let revisit = record("revisit", &fields("http://b.example/robots.txt", 2), "");
    bench.file("in.warc", [garbage, revisit].concat());
    let done = bench.filter("--robots in.warc --count --json urls").assert().success();
    let table = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(table.contains("WARC: unresolved-revisits 1\nWARC: not-http 1\n"), "{table}");
    assert!(!table.contains("truncated"), "{table}");
}

/// A few compressed bytes can expand to any number.
#[test]
fn no_more_is_read_of_a_body_than_the_dialect_does() {
    let bench = Bench::new();
    let bomb = gzip(&[ROBOTS.as_bytes(), &vec![b'\n'; 64 << 20]].concat());
    let head = "200 OK\r\nContent-Encoding: gzip";
    bench.file("in.warc", gzip(&answer("http://a.example/robots.txt", 1, head, &bomb)));
    bench.file("sites/a.example.gz", &bomb);
    bench.file("urls", "http://a.example/no\n");
    for source in ["in.warc", "sites"] {
        let split = bench.split(&format!("--robots {source} --force"), &["urls"]);
        assert_eq!(split.lines("blocked").len(), 1);
        assert_eq!(split.receipt["policy"]["notes"], serde_json::json!({ "file-cut": 1 }), "{source}");
    }
}

#[test]
fn redirects_lead_to_pages_of_any_archive() {
    let bench = Bench::new();
    let page = |url: &str| answer(url, 1, "200 OK", ROBOTS);
    let pages = [
        page("http://a.example/policy"),
        page("http://b.example/x?y"),
        answer("http://c.example/one", 1, "302 Found\r\nLocation: http://b.example/x?y#z", ""),
        answer("http://d.example/gone", 1, "404 Not Found", ""),
        page("http://nobody.example/"),
        answer("http://nobody.example/html", 1, "200 OK", "<html>"),
    ];
    bench.file("pages.warc.gz", gzip(&pages.concat()));
    bench.file("redirects.warc", [redirect("a", "policy"), redirect("c", "/one"), redirect("d", "/gone")].concat());
    bench.file("in.jsonl", "{\"origin\":\"http://b.example\",\"status\":307,\"location\":\"//b.example/x?y\"}\n");
    for sources in [
        "--robots pages.warc.gz --robots redirects.warc --robots in.jsonl",
        "--robots in.jsonl --robots redirects.warc --robots pages.warc.gz",
    ] {
        for host in ["a", "b", "c"] {
            assert_eq!(bench.outcome(sources, format!("http://{host}.example/no")), "blocked rules", "{host}");
        }
        assert_eq!(bench.outcome(sources, "http://d.example/no"), "allowed unavailable");
        assert_eq!(bench.outcome(sources, "http://nobody.example/no"), "deferred unfetched", "no robots.txt");
        let (warc, captures) = counts(&bench, sources);
        assert_eq!(warc["other_pages"], 6);
        assert_eq!(captures["not_robots_txt"], 4, "those that nothing leads to are not read");
        bench.file("urls", "http://a.example/no\n");
        let notes = bench.split(&format!("{sources} --force"), &["urls"]).receipt["policy"]["notes"].clone();
        assert_eq!(notes, serde_json::json!({}), "nor counted");
    }
}

/// A redirect may be in another policy, or be fetched tomorrow.
#[test]
fn a_robots_txt_at_another_path_is_kept_for_redirects_to_come() {
    let bench = Bench::new();
    let pages = [
        answer("http://a.example/x/robots.txt", 1, "200 OK", ROBOTS),
        answer("http://a.example/x/robots.txt?x", 1, "200 OK", ROBOTS),
    ];
    bench.file("pages.warc", pages.concat());
    bench.file("redirects.warc", [redirect("a", "/x/robots.txt"), redirect("b", "/x/robots.txt?x")].concat());
    for source in ["pages", "redirects"] {
        bench.program(&format!("compile --agent examplebot {source}.warc -o {source}.rsv")).assert().success();
    }
    let (both, layers) = ("--robots redirects.warc --robots pages.warc", "--policy redirects.rsv --policy pages.rsv");
    for options in [both, layers] {
        assert_eq!(bench.outcome(options, "http://a.example/no"), "blocked rules", "{options}");
    }
    let (warc, captures) = counts(&bench, both);
    assert_eq!(
        (&warc["other_pages"], &captures["read"], &captures["not_robots_txt"]),
        (&1.into(), &3.into(), &1.into())
    );
}

#[test]
fn redirects_end_as_the_dialect_says() {
    let bench = Bench::new();
    let hop = |place: u32| redirect(&format!("h{place}"), &format!("http://h{}.example/robots.txt", place + 1));
    let chain: Vec<u8> = (1..=6).flat_map(hop).chain(rules("h7")).collect();
    let page = |place: u32| {
        let head = format!("301 Moved\r\nLocation: /p{}", place + 1);
        answer(&format!("http://p.example/p{place}"), 1, &head, "")
    };
    let end = answer("http://p.example/p25", 1, "200 OK", ROBOTS);
    let pages: Vec<u8> = redirect("p", "/p1").into_iter().chain((1..25).flat_map(page)).chain(end).collect();
    let ring = [redirect("r", "http://s.example/robots.txt"), redirect("s", "http://r.example/robots.txt")].concat();
    bench.file("in.warc", [chain, pages, ring, redirect("lost", "/nowhere")].concat());
    for (host, rfc9309, mandelbot) in [
        ("h1", "allowed unavailable", "blocked rules"),
        ("h2", "blocked rules", "blocked rules"),
        ("p", "allowed unavailable", "deferred redirect-unresolved"),
        ("r", "allowed unavailable", "deferred redirect-unresolved"),
        ("lost", "deferred redirect-unresolved", "deferred redirect-unresolved"),
    ] {
        let url = format!("http://{host}.example/no");
        assert_eq!(outcome(&bench, &url), rfc9309, "{host}");
        assert_eq!(bench.outcome("--robots in.warc --dialect mandelbot", &url), mandelbot, "{host}");
    }
}

#[test]
fn html_is_read_like_any_file_and_counted() {
    let bench = Bench::new();
    let page = "<!DOCTYPE html>\n<html><body>User-agent: *\nDisallow: /no\n</body></html>";
    bench.file("in.warc", answer("http://a.example/robots.txt", 1, "200 OK\r\nContent-Type: text/html", page));
    assert_eq!(outcome(&bench, "http://a.example/no"), "allowed no-group");
    bench.file("urls", "http://a.example/no\n");
    let notes = bench.split("--robots in.warc", &["urls"]).receipt["policy"]["notes"].clone();
    assert_eq!(notes["looks-like-html"], 1, "{notes}");
}

#[test]
fn the_expires_header_counts_where_the_dialect_knows_it() {
    let bench = Bench::new();
    let options = "--robots in.warc --dialect draft-1996 --max-age dialect --on-stale defer";
    let day = 86_400;
    for (value, days, expected) in [
        ("Sun, 11 Jan 2026 00:00:00 GMT", 2, "deferred stale"),
        ("Sun, 18 Jan 2026 00:00:00 GMT", 5, "blocked rules"),
        ("Sun, 18 Jan 2026 00:00:00 GMT", 9, "deferred stale"),
        ("0", 1, "deferred stale"),
    ] {
        let head = format!("200 OK\r\nExpires: {value}");
        bench.file("in.warc", answer("http://a.example/robots.txt", 0, &head, ROBOTS));
        let now = jiff::Timestamp::from_second(1_768_003_200 + days * day).expect("a time");
        let found = bench.outcome(&format!("{options} --now {now}"), "http://a.example/no");
        assert_eq!(found, expected, "{value}, {days} days later");
    }
}

#[test]
fn an_archive_that_ends_in_a_wrong_record_is_refused_with_its_number_and_byte() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/\n");
    let good = rules("a");
    let text = String::from_utf8(rules("b")).expect("text");
    let byte = format!("byte {}", good.len());
    for (wrong, problem) in [
        ("WARC/2.0\r\n\r\n".to_owned(), "WARC/2.0"),
        ("garbage".to_owned(), "garbage"),
        (text.replace("Content-Length: ", "Length: "), "no Content-Length"),
        (text.replace("Content-Length: ", "Content-Length: -"), "Content-Length"),
        ("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99\r\n\r\nHTTP".to_owned(), "no WARC-Target-URI"),
    ] {
        for form in [[&good[..], wrong.as_bytes()].concat(), [gzip(&good), gzip(wrong.as_bytes())].concat()] {
            bench.file("in.warc", form);
            bench.refused("--robots in.warc --out out urls", &["in.warc", "record 2", &byte, problem]);
        }
    }
}

/// An archive cut anywhere but between records is refused, in every form.
#[test]
fn an_archive_that_is_cut_short_is_refused() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\n");
    let (first, second) = (rules("a"), rules("b"));
    let forms = |text: &[u8]| [text.to_vec(), gzip(text), zstd(text, b"")];
    for (first, second) in forms(&first).into_iter().zip(forms(&second)) {
        for length in [first.len() + 1, first.len() + 5, first.len() + second.len() / 2, first.len() + second.len() - 1]
        {
            bench.file("in.warc", &[&first[..], &second].concat()[..length]);
            bench.refused("--robots in.warc --out out urls", &["in.warc"]);
        }
        bench.file("in.warc", &first);
        assert_eq!(outcome(&bench, "http://a.example/no"), "blocked rules");
    }
}

/// More than a MiB of members, most of them incompressible, so that they are decompressed in pieces.
#[test]
fn members_are_read_in_parallel() {
    let bench = Bench::new();
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{state:x}")
    };
    let bodies: Vec<String> = (0..600)
        .map(|n| {
            let comment: String = (0..500).map(|_| noise()).collect();
            format!("# {comment}\nUser-agent: *\nDisallow: /{}\n", n % 9)
        })
        .collect();
    let of_host = |n: usize| format!("http://{n}.example/robots.txt");
    let records: Vec<Vec<u8>> =
        bodies.iter().enumerate().map(|(n, body)| answer(&of_host(n), 1, "200 OK", body)).collect();
    let line = |(n, body): (usize, &String)| {
        serde_json::json!({"url": of_host(n), "status": 200, "body": body}).to_string() + "\n"
    };
    let answers: Vec<String> = bodies.iter().enumerate().map(line).collect();
    let members = |texts: Vec<&[u8]>| texts.into_iter().flat_map(gzip).collect::<Vec<u8>>();
    bench.file("plain.warc", records.concat());
    bench.file("members.warc", members(records.iter().map(Vec::as_slice).collect()));
    bench.file("members.jsonl", members(answers.iter().map(String::as_bytes).collect()));
    let policy = |source: &str, threads: &str| {
        let compile = format!("compile --agent examplebot {source} -o policy.rsv");
        bench.program(&compile).env("RAYON_NUM_THREADS", threads).assert().success();
        bench.read("policy.rsv")
    };
    assert!(bench.read("members.warc").len() > 3 << 19 && bench.read("members.jsonl").len() > 3 << 19);
    let expected = policy("plain.warc", "1");
    for threads in ["1", "2", "5"] {
        assert!(policy("members.warc", threads) == expected, "{threads}");
    }
    let [one, four] = ["1", "4"].map(|threads| policy("members.jsonl", threads));
    assert!(one == four);
    let mut damaged = bench.read("members.warc");
    let middle = damaged.len() / 2;
    damaged[middle..middle + 20].fill(0x55);
    bench.file("damaged.warc", damaged);
    let message = |threads: &str| {
        let compile = "compile --agent examplebot damaged.warc -o damaged.rsv";
        let done = bench.program(compile).env("RAYON_NUM_THREADS", threads).assert().success();
        let text = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(
            text.contains("damaged.warc: 1 record is damaged or malformed: record ") && text.contains("gzip"),
            "{text}"
        );
        (text, bench.read("damaged.rsv"))
    };
    assert_eq!(message("1"), message("4"));
}
