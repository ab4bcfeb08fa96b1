//! Any bytes as an overrides file: nothing panics, and a policy has each override that is read, once, for a canonical origin.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::internals::PolicyParts;
use robosieve::policy::{Captures, Overrides};
use robosieve::{Agents, Dialect, origin};

fuzz_target!(|input: &[u8]| {
    // Other files are not read.
    if input.windows(15).any(|text| text == b"robots-txt-file") {
        return;
    }
    let path = std::env::temp_dir().join(format!("robosieve-fuzz-{}", std::process::id()));
    std::fs::write(&path, input).expect("room for a file");
    let Ok(overrides) = Overrides::read(&path) else { return };
    let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
    captures.add_overrides(&overrides).expect("overrides that were read");
    let policy = captures.policy().expect("few origins");
    for (name, one) in overrides.iter() {
        assert_eq!(origin::split(name), Ok((name.into(), &b""[..])));
        let (_, record) = policy.origin(name.as_bytes()).expect("an origin with an override");
        let kept = record.state().operator_override;
        assert_eq!((kept.ruling, kept.paused_until), (one.ruling, one.paused_until), "{name}");
    }
    assert_eq!(policy.statistics().overridden, overrides.iter().count() as u64);
});
