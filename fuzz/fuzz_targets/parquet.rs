//! Any bytes as a Parquet file: nothing panics (except assertions of the library, which become errors), hangs, or takes
//! more memory than the fuzzer allows.

#![no_main]

use libfuzzer_sys::fuzz_target;

mod sources;

fuzz_target!(|input: &[u8]| {
    let _ = sources::policy(&[b"PAR1", input].concat());
});
