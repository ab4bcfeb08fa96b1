//! Sources dealt out to several processes: their policies, merged, are that of one process, byte for byte, though redirects lead to
//! pages in archives of others.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use robosieve::internals::Axes;
use robosieve::policy::source::{self, Options};
use robosieve::policy::{Captures, Policy, WriteLock, merge};
use robosieve::python_package::{add_pages, add_part};
use robosieve::{Agents, Dialect};

/// The places of a host that redirects lead to. Answers for the first two are kept whatever leads there.
const PLACES: [&str; 5] = ["robots.txt", "x/robots.txt", "policy", "", "robots.txt?x"];

/// The hosts, and how many records an archive has.
const HOSTS: usize = 6;
const RECORDS: usize = 12;

fn captures() -> Captures {
    Captures::new("examplebot".parse::<Agents>().unwrap(), Dialect::DEFAULT)
}

/// A number below `bound`; the first is the seed.
fn below(random: &mut u64, bound: usize) -> usize {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*random >> 33) as usize % bound
}

fn url(random: &mut u64) -> String {
    format!("http://h{}.example/{}", below(random, HOSTS), PLACES[below(random, PLACES.len())])
}

/// An answer: a robots.txt, a redirect to anywhere, an error, or the repetition of an answer in the same archive.
fn record(archive: usize, number: usize, random: &mut u64) -> String {
    let (mut kind, mut refers) = ("response", String::new());
    let http = match below(random, 10) {
        0..3 => format!("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /{}\n", below(random, 5)),
        3..7 => format!("HTTP/1.1 301 Moved\r\nLocation: {}\r\n\r\n", url(random)),
        7 => "HTTP/1.1 404 Not Found\r\n\r\n".to_owned(),
        _ => {
            (kind, refers) = ("revisit", format!("WARC-Refers-To: <urn:{archive}-{}>\r\n", below(random, RECORDS)));
            String::new()
        }
    };
    let (url, second, length) = (url(random), below(random, 60), http.len());
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:{archive}-{number}>\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2026-01-10T00:00:{second:02}Z\r\n{refers}Content-Length: {length}\r\n\r\n{http}\r\n\r\n"
    )
}

fn archive(folder: &Path, number: usize, random: &mut u64) -> PathBuf {
    let path = folder.join(format!("{number}.warc"));
    let records: String = (0..RECORDS).map(|record_number| record(number, record_number, random)).collect();
    std::fs::write(&path, records).unwrap();
    path
}

/// The bytes of the policy of all these sources, read by one process.
fn by_one_process(archives: &[PathBuf]) -> Vec<u8> {
    let mut captures = captures();
    source::add(archives, &Options::default(), &mut captures).unwrap();
    captures.policy().unwrap().bytes().to_vec()
}

fn merged(policies: &[Policy]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("merged.rsv");
    merge(policies, None, &WriteLock::take(&path, |_| ()).unwrap()).unwrap();
    std::fs::read(path).unwrap()
}

/// The policies of parts, and how often they asked for pages of each other.
fn policies(parts: &[&[PathBuf]]) -> (Vec<Policy>, usize) {
    let (mut policies, mut told) = (Vec::new(), Vec::new());
    for sources in parts {
        let mut captures = captures();
        told.push(add_part(sources, &Options::default(), &mut captures).unwrap());
        policies.push(captures.policy().unwrap());
    }
    let mut fresh: HashSet<u128> = told.iter().flat_map(|part| &part.targets).copied().collect();
    let (mut known, mut passes) = (fresh.clone(), 0);
    while !fresh.is_empty() && passes < told[0].passes {
        let mut found = HashSet::new();
        for part in &told {
            let mut captures = captures();
            found.extend(add_pages(&part.archives, fresh.clone(), &Options::default(), &mut captures).unwrap());
            policies.push(captures.policy().unwrap());
        }
        fresh = found.into_iter().filter(|&page| known.insert(page)).collect();
        passes += 1;
    }
    (policies, passes)
}

#[test]
fn parts_are_what_one_process_makes_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let (mut most_passes, mut alone) = (0, 0);
    for seed in 0..100 {
        let random = &mut (seed * 7919);
        let archives: Vec<PathBuf> = (0..5).map(|number| archive(folder.path(), number, random)).collect();
        let all = by_one_process(&archives);
        let parts: Vec<&[PathBuf]> = archives.chunks(1 + below(random, 3)).collect();
        let (policies, passes) = policies(&parts);
        assert!(merged(&policies) == all, "{seed}");
        most_passes = most_passes.max(passes);
        alone += usize::from(merged(&policies[..parts.len()]) == all);
    }
    // The test is one only if pages lead to pages, and most parts need those of others.
    assert!(most_passes > 2 && alone < 50, "{most_passes} passes, {alone} alone");
}

#[test]
fn redirects_of_pages_to_pages_without_end_are_followed_as_often_as_the_dialect_says() {
    let folder = tempfile::tempdir().unwrap();
    let redirect = |from: usize, place: &str| {
        let http = format!("HTTP/1.1 301 Moved\r\nLocation: /{}\r\n\r\n", from + 1);
        let length = http.len();
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{place}\r\n\
             WARC-Date: 2026-01-10T00:00:00Z\r\nContent-Length: {length}\r\n\r\n{http}\r\n\r\n"
        )
    };
    let records: Vec<String> = (0..40)
        .map(|from| redirect(from, &if from == 0 { "robots.txt".to_owned() } else { from.to_string() }))
        .collect();
    let archives = ["odd", "even"].map(|name| folder.path().join(name));
    for (at, path) in archives.iter().enumerate() {
        let records: String = records.iter().skip(at).step_by(2).map(String::as_str).collect();
        std::fs::write(path, records).unwrap();
    }
    let (policies, passes) = policies(&[&archives[..1], &archives[1..]]);
    assert!(merged(&policies) == by_one_process(&archives));
    assert_eq!(passes, usize::from(Dialect::DEFAULT.redirects().hops) + 1);
}
