//! Damaged policy files: refused, or harmless where the checksum is not checked.

#[path = "policy/everything.rs"]
mod everything;

use robosieve::automaton::{Engine, engine};
use robosieve::policy::{ImageError, OriginStatus, Policy, Ruling, Trust};

use everything::{complete, use_all_of, with_wildcards};

#[test]
fn the_file_has_everything() {
    let policy = complete();
    let origin_statuses: Vec<OriginStatus> = policy.lookup().records().map(|record| record.origin_status).collect();
    assert!(OriginStatus::ALL.iter().all(|origin_status| origin_statuses.contains(origin_status)));
    assert!(policy.lookup().records().any(|record| record.last_good.is_some()));
    let overrides: Vec<_> = policy.lookup().records().map(|record| record.operator_override()).collect();
    assert!(Ruling::ALL.iter().all(|ruling| overrides.iter().any(|found| found.ruling == Some(*ruling))));
    assert!(overrides.iter().any(|found| found.paused_until.is_some()));
    assert!(policy.lookup().records().all(|record| policy.lookup().get(record.origin) == Some(record)));
    let wild = with_wildcards();
    let mut engines = Vec::new();
    for agents in wild.columns().all() {
        let crawler = wild.crawler(Some(agents)).expect("a column");
        let groups = wild.groups(&crawler);
        engines.extend(
            wild.lookup()
                .records()
                .filter_map(|record| groups.group(record.row))
                .map(|group| engine(groups.automaton(group))),
        );
    }
    assert!(engines.contains(&Engine::Dfa) && engines.contains(&Engine::Cursors), "{engines:?}");
}

#[test]
#[ignore = "takes long"]
fn every_flipped_bit_is_refused_and_without_the_checksum_harmless() {
    for policy in [complete(), with_wildcards()] {
        let mut bytes = policy.bytes().to_vec();
        let mut seen = [0; 2];
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let refused = Policy::from_bytes(&bytes).expect_err("a flipped bit");
            assert!(!matches!(refused, ImageError::Truncated { .. } | ImageError::TooLong { .. }), "{bit}: {refused}");
            let trusted = Policy::from_bytes_with(&bytes, Trust::Checksum);
            seen[usize::from(trusted.is_ok())] += 1;
            if let Ok(policy) = trusted {
                use_all_of(&policy);
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(seen.iter().all(|&count| count > 2000), "refused and harmless: {seen:?}");
        assert!(Policy::from_bytes(&bytes).is_ok());
    }
}

#[test]
fn every_cut_is_refused() {
    let policy = complete();
    for length in 0..policy.bytes().len() {
        for trust in [Trust::Nothing, Trust::Checksum] {
            match Policy::from_bytes_with(&policy.bytes()[..length], trust).expect_err("a cut file") {
                ImageError::Empty => assert_eq!(length, 0),
                ImageError::Truncated { found, .. } => assert_eq!(found, length as u64),
                other => panic!("{length}: {other}"),
            }
        }
    }
}
