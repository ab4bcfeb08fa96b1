//! WARC archives, built by hand: each record as the standard defines it.

use serde_json::Value;

use super::program::{Bench, ROBOTS};

/// A record of any kind, with a block.
pub fn record(kind: &str, fields: &str, block: impl AsRef<[u8]>) -> Vec<u8> {
    let block = block.as_ref();
    let head = format!("WARC/1.1\r\nWARC-Type: {kind}\r\n{fields}Content-Length: {}\r\n\r\n", block.len());
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// The fields of an answer; `second` is its time.
pub fn fields(url: &str, second: u32) -> String {
    format!("WARC-Target-URI: {url}\r\nWARC-Date: 2026-01-10T00:00:{second:02}Z\r\n")
}

/// An answer: status and further header fields, and a body.
pub fn answer(url: &str, second: u32, head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    record("response", &fields(url, second), http(head, body))
}

pub fn http(head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body.as_ref()].concat()
}

/// The robots.txt of a one-letter host, which blocks `/no`.
pub fn rules(host: &str) -> Vec<u8> {
    answer(&format!("http://{host}.example/robots.txt"), 1, "200 OK\r\nContent-Type: text/plain", ROBOTS)
}

/// A redirect of a host's robots.txt.
pub fn redirect(host: &str, location: &str) -> Vec<u8> {
    answer(&format!("http://{host}.example/robots.txt"), 1, &format!("301 Moved\r\nLocation: {location}"), "moved")
}

/// Runs on a list of one URL with these sources; returns the receipt's counts of WARC records and captures.
pub fn counts(bench: &Bench, sources: &str) -> (Value, Value) {
    bench.file("urls", "http://a.example/no\n");
    let receipt = bench.split(&format!("{sources} --force"), &["urls"]).receipt;
    (receipt["policy"]["warc"].clone(), receipt["policy"]["captures"].clone())
}
