//! A source as a file, read like the program does.

#![allow(dead_code, reason = "every target uses a part")]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use robosieve::Agents;
use robosieve::Dialect;
use robosieve::internals::PolicyParts;
use robosieve::policy::source::{self, Options};
use robosieve::policy::{Captures, Policy};

/// The policy compiled from a file, or the error in the file.
pub fn policy(file: &[u8]) -> Result<Policy, String> {
    let path = std::env::temp_dir().join(format!("robosieve-fuzz-{}", std::process::id()));
    std::fs::write(&path, file).expect("room for a file");
    let agents: Agents = "examplebot".parse().expect("an agent");
    let mut captures = Captures::new(agents, Dialect::DEFAULT);
    source::add(&[&path], &Options::default(), &mut captures).map_err(|error| error.to_string())?;
    Ok(captures.policy().expect("few origins"))
}

/// The entry of each origin, as text.
pub fn origins(policy: &Policy) -> Vec<String> {
    let crawler = policy.crawler(None).expect("one crawler");
    let groups = policy.groups(&crawler);
    let known = policy.lookup().records().map(|record| {
        let rules = groups.group(record.row).map(|group| policy.rules(group, 0));
        format!("{:?} {:?} {rules:?}", record.origin, record.state())
    });
    known.collect()
}

/// Reads a file as it is, and compressed in two members; the results must be equal.
pub fn read(file: &[u8]) -> Result<Policy, String> {
    let gzip = |part: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(part).expect("memory");
        encoder.finish().expect("memory")
    };
    let (one, other) = file.split_at(file.len() / 2);
    let compressed = policy(&[gzip(one), gzip(other)].concat());
    let plain = policy(file);
    match (&plain, &compressed) {
        (Ok(plain), Ok(compressed)) => {
            assert_eq!(plain.statistics(), compressed.statistics());
            assert_eq!(origins(plain), origins(compressed));
        }
        (Err(plain), Err(compressed)) => assert_eq!(plain, compressed),
        _ => panic!("plain: {:?}, compressed: {:?}", plain.as_ref().err(), compressed.as_ref().err()),
    }
    plain
}
