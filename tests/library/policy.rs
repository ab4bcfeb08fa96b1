//! Damaged policy files: refused, or harmless where the checksum is not checked.

mod everything;

use robosieve::internals::automaton::{Engine, engine};
use robosieve::internals::policy::Trust;
use robosieve::internals::{self, PolicyParts};
use robosieve::policy::{ErrorKind, OriginStatus, Policy, Ruling};

use everything::{complete, use_all_of, with_wildcards};

#[test]
fn an_opened_policy_stays_as_it_is_whatever_becomes_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.rsv");
    let bytes = complete().bytes().to_vec();
    std::fs::write(&path, &bytes).expect("written");
    let policy = Policy::open(&path).expect("a policy");
    let layered = Policy::layered(vec![policy.clone(), with_wildcards()]);
    std::fs::write(&path, vec![0xff; bytes.len()]).expect("written in place");
    assert!(policy.bytes() == bytes);
    std::fs::write(&path, b"").expect("cut short");
    assert!(policy.bytes() == bytes);
    use_all_of(&policy);
    if let Ok(layered) = layered {
        use_all_of(&layered);
    }
}

#[test]
fn a_mapped_policy_stays_as_it_is_if_another_file_gets_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, other] = ["policy.rsv", "other.rsv"].map(|name| folder.path().join(name));
    let bytes = complete().bytes().to_vec();
    std::fs::write(&path, &bytes).and_then(|()| std::fs::write(&other, b"other")).expect("written");
    // SAFETY: the file is not written into while it is mapped.
    let policy = unsafe { Policy::map(&path) }.expect("a policy");
    std::fs::rename(&other, &path).expect("renamed");
    assert!(policy.bytes() == bytes);
    std::fs::remove_file(&path).expect("removed");
    use_all_of(&policy);
}

#[test]
fn both_ways_to_open_a_file_refuse_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.rsv");
    let bytes = complete().bytes().to_vec();
    let longer = [&bytes[..], b"x"].concat();
    for wrong in [&b""[..], b"User-agent: *\n", &bytes[..7], &bytes[..200], &bytes[..bytes.len() - 1], &longer] {
        std::fs::write(&path, wrong).expect("written");
        let read = Policy::open(&path).expect_err("no policy").to_string();
        // SAFETY: the file is not written into while it is mapped.
        let mapped = unsafe { Policy::map(&path) }.expect_err("no policy").to_string();
        assert_eq!(read, mapped);
    }
    for no_file in [folder.path(), &folder.path().join("missing")] {
        assert_eq!(Policy::open(no_file).expect_err("no file").kind(), ErrorKind::File);
    }
}

#[test]
fn the_file_has_everything() {
    let policy = complete();
    let origin_statuses: Vec<OriginStatus> = policy.lookup().records().map(|record| record.origin_status).collect();
    assert!(OriginStatus::all().all(|origin_status| origin_statuses.contains(&origin_status)));
    assert!(policy.lookup().records().any(|record| record.last_good.is_some()));
    let overrides: Vec<_> = policy.lookup().records().map(|record| record.operator_override()).collect();
    assert!(Ruling::all().all(|ruling| overrides.iter().any(|found| found.ruling == Some(ruling))));
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
fn flipped_bits_are_refused_and_without_the_checksum_harmless() {
    // Of the second one a bit of each byte: it takes as long.
    for (policy, step) in [(complete(), 1), (with_wildcards(), 9)] {
        let mut bytes = policy.bytes().to_vec();
        let mut seen = [0; 2];
        for bit in (0..8 * bytes.len()).step_by(step) {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let refused = Policy::from_bytes(&bytes).expect_err("a flipped bit");
            let refused = refused.to_string();
            assert!(!refused.contains("cut short") && !refused.contains("after its end"), "{bit}: {refused}");
            let trusted = internals::policy_from(&bytes, Trust::Checksum);
            seen[usize::from(trusted.is_ok())] += 1;
            if let Ok(policy) = trusted {
                use_all_of(&policy);
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(seen.iter().all(|&count| count > 300), "refused and harmless: {seen:?}");
        assert!(Policy::from_bytes(&bytes).is_ok());
    }
}

#[test]
fn every_cut_is_refused() {
    let policy = complete();
    for length in 0..policy.bytes().len() {
        for trust in [Trust::Nothing, Trust::Checksum] {
            let refused = internals::policy_from(&policy.bytes()[..length], trust).expect_err("a cut file");
            let expected = match length {
                0 => "it is empty; ".to_owned(),
                length => format!("it is cut short: {length} bytes instead of "),
            };
            assert!(refused.to_string().starts_with(&expected), "{length}: {refused}");
        }
    }
}
