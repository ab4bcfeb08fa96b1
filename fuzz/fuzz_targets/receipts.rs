//! Any bytes as a receipt: nothing panics, and one that is read is written as it was read. Its files are not there.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::internals::show::report;
use robosieve::run::{Receipt, join, verify};

fuzz_target!(|input: &[u8]| {
    if let Ok(receipt) = serde_json::from_slice::<Receipt>(input) {
        let written = serde_json::to_vec(&receipt).expect("a receipt");
        assert_eq!(serde_json::from_slice::<Receipt>(&written).expect("what was written"), receipt);
    }
    let folder = std::env::temp_dir().join(format!("robosieve-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("room for a folder");
    std::fs::write(folder.join("receipt.json"), input).expect("room for a file");
    let _ = verify(&folder, false, 1);
    let _ = report(&folder, None, 1);
    let joined = folder.join("joined");
    let _ = join(std::slice::from_ref(&folder), &joined, false, false);
    let _ = std::fs::remove_dir_all(&joined);
});
