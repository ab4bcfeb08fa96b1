//! Any bytes as a WARC archive, and records made from text: nothing panics, and the order of records does not matter, unless
//! some are malformed.
//!
//! Bytes that begin with `WARC/` are an archive. Any others are records separated by lines `%%`: fields, an empty line,
//! and a block. Fields that every record needs are added.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::internals;

mod sources;

/// The maximum number of records used per input.
const MAX_RECORDS: usize = 8;

fuzz_target!(|input: &[u8]| {
    if input.starts_with(b"WARC/") {
        let _ = sources::read(input);
        return;
    }
    let mut rest = input;
    let mut records = Vec::new();
    while records.len() < MAX_RECORDS {
        let Some(end) = find(rest, b"\n%%\n") else { break };
        records.push(record(&rest[..end], records.len()));
        rest = &rest[end + 4..];
    }
    records.push(record(rest, records.len()));
    let read = sources::read(&records.concat());
    records.reverse();
    let reversed = sources::policy(&records.concat());
    // What is lost after a bad record depends on what follows it.
    if let (Ok(read), Ok(reversed)) = (read, reversed)
        && [&read, &reversed].iter().all(|policy| internals::bad_records(policy.statistics()) == 0)
    {
        assert_eq!(sources::origins(&read), sources::origins(&reversed));
    }
});

/// A record of fields and a block.
fn record(text: &[u8], number: usize) -> Vec<u8> {
    let (fields, block) = match find(text, b"\n\n") {
        Some(at) => (&text[..at], &text[at + 2..]),
        None => (&b""[..], text),
    };
    let mut record = b"WARC/1.0\n".to_vec();
    for (name, value) in [
        ("Content-Length", block.len().to_string()),
        ("WARC-Type", "response".to_owned()),
        ("WARC-Target-URI", "http://a.example/robots.txt".to_owned()),
        ("WARC-Date", format!("2026-01-0{}", number + 1)),
    ] {
        let is_given = find(fields, format!("{name}:").as_bytes()).is_some() && name != "Content-Length";
        if !is_given {
            record.extend_from_slice(format!("{name}: {value}\n").as_bytes());
        }
    }
    for field in fields.split(|&byte| byte == b'\n').filter(|field| !field.trim_ascii().is_empty()) {
        record.extend_from_slice(field);
        record.push(b'\n');
    }
    [&record, &b"\n"[..], block, b"\n\n"].concat()
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}
